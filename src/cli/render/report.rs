//! The report of a change: the diff or the new configuration on stdout, and a line about it on stderr.

use std::sync::{Arc, LazyLock};

use crate::cli::args::changing::{ChangeArgs, ChangeFormat};
use crate::cli::error::CliError;
use crate::cli::render::change_json::ChangeJson;
use crate::cli::render::diff::ContentDiff;
use crate::cli::render::notes;
use crate::cli::ui::Ui;
use crate::engine::{After, Content, Outcome, Snapshot};
use mediaconf::edit::effects::Effects;
use mediaconf::model::redact::masked_json;
use mediaconf::model::{Lens, Masker, View, top_members};

/// What was there before the first configuration.
static NOTHING: LazyLock<Content> = LazyLock::new(|| Content::Text(Arc::new(Snapshot::of(Vec::new()))));

/// How the outcome of a change is reported.
pub struct Report<'a> {
    pub ui: Ui,
    /// The name of the configuration in messages.
    pub target: &'a str,
    pub verb: Verb,
    pub args: &'a ChangeArgs,
    /// Whether the user has seen the diff already.
    pub diff_was_shown: bool,
}

/// The words of a command for its change.
#[derive(Debug, Clone, Copy)]
pub struct Verb {
    /// The name of the command.
    operation: &'static str,
    done: &'static str,
    rehearsed: &'static str,
}

impl Verb {
    /// Of `modify`.
    pub const MODIFY: Self = Self { operation: "modify", done: "changed", rehearsed: "would change" };
    /// Of `save`.
    pub const SAVE: Self = Self { operation: "save", done: "saved", rehearsed: "would save" };
    /// Of `apply`.
    pub const APPLY: Self = Self { operation: "apply", done: "applied to", rehearsed: "would apply to" };
    /// Of `edit`.
    pub const EDIT: Self = Self { operation: "edit", done: "edited", rehearsed: "would edit" };
    /// Of `rollback`.
    pub const ROLL_BACK: Self =
        Self { operation: "rollback", done: "rolled back", rehearsed: "would roll back" };
    /// Of `fmt`.
    pub const FORMAT: Self = Self { operation: "fmt", done: "formatted", rehearsed: "would format" };
    /// Of `update`.
    pub const UPDATE: Self = Self { operation: "update", done: "updated", rehearsed: "would update" };
}

impl Verb {
    /// The same words for another command.
    #[must_use]
    pub fn of(self, operation: &'static str) -> Self {
        Self { operation, ..self }
    }

    /// The name of the command.
    pub fn operation(self) -> &'static str {
        self.operation
    }
}

impl Report<'_> {
    /// Prints the outcome of a change.
    pub fn print(&self, outcome: &Outcome) -> Result<(), CliError> {
        outcome.warnings.iter().for_each(|warning| self.ui.warning(warning));
        let diff = diff_of(outcome, self.ui.masker());
        let printed = match &diff {
            _ if self.args.output == ChangeFormat::ChangeJson => self.print_change(outcome, diff.as_ref()),
            _ if self.args.quiet => Ok(()),
            _ if self.args.output == ChangeFormat::Json => {
                outcome.after().map_or(Ok(()), |after| self.print_json(after))
            }
            Some(diff) if !self.diff_was_shown => {
                self.ui.print_painted(|out| diff.print([self.target; 2], self.ui, out))
            }
            _ => Ok(()),
        };
        self.unless_written(printed)?;
        if !self.diff_was_shown {
            let warnings = notes::new_warnings(&outcome.new_warnings, self.ui.masker().as_ref());
            warnings.iter().for_each(|warning| self.ui.warning(warning));
        }
        outcome.notes.iter().for_each(|note| self.note(&notes::in_words(note, self.ui.masker().as_ref())));
        let Some(diff) = diff else {
            self.say(&format!("nothing to change in {}", self.target));
            return Ok(());
        };
        if diff.is_of_json() && self.args.output == ChangeFormat::Diff {
            self.note(&format!("`{}` does not show the text, so the diff compares the JSON", self.target));
        }
        let verb = if self.args.dry_run { self.verb.rehearsed } else { self.verb.done };
        if self.args.output == ChangeFormat::Diff {
            self.say_effects(&outcome.effects());
        }
        let [added, removed] = diff.added_and_removed().map(lines);
        self.say(&format!("{verb} {}: {added} added, {removed} removed", self.target));
        Ok(())
    }

    /// Says what a change of more than one stream does, unless the command is quiet.
    pub fn say_effects(&self, effects: &Effects) {
        if let Some(words) = effects.in_words().filter(|_| effects.streams > 1) {
            self.say(&words);
        }
    }

    /// Prints a note, unless the command is quiet.
    pub fn note(&self, note: &str) {
        if !self.args.quiet {
            self.ui.note(note);
        }
    }

    /// Prints a line on stderr, unless the command is quiet.
    pub fn say(&self, line: &str) {
        if !self.args.quiet {
            self.ui.say(line);
        }
    }

    /// After a write, output errors only warn: the change was made.
    fn unless_written(&self, printed: Result<(), CliError>) -> Result<(), CliError> {
        match printed {
            Err(error) if !self.args.dry_run => {
                if !error.is_closed_output() {
                    self.ui.warning(&error.to_string());
                }
                Ok(())
            }
            printed => printed,
        }
    }

    fn print_change(&self, outcome: &Outcome, diff: Option<&ContentDiff<'_>>) -> Result<(), CliError> {
        let lines = diff.map_or([0, 0], ContentDiff::added_and_removed);
        let place = (self.verb.operation, self.target);
        self.ui.print_json(&ChangeJson::new(place, outcome, lines, self.ui.masker().as_ref()))
    }

    fn print_json(&self, content: &Content) -> Result<(), CliError> {
        match (content, self.ui.value_masker()) {
            (Content::Text(snapshot), None) => {
                let members = top_members(snapshot.document());
                self.ui.print_json(&View::new(&members, &Lens::default()))
            }
            (content, Some(masker)) => self.ui.print_json(&masked_json(&content.to_json(), &masker)),
            (Content::Json(value), None) => self.ui.print_json(value),
        }
    }
}

/// The difference that a change makes; none where it changes nothing.
pub fn diff_of(outcome: &Outcome, masker: Option<Masker>) -> Option<ContentDiff<'_>> {
    let diff = match (&outcome.after, &outcome.before) {
        (After::Edited { splices, .. }, Some(Content::Text(before))) => {
            ContentDiff::of_edit(before.document(), splices, masker)
        }
        (After::Replaced(after), Some(before)) => ContentDiff::between(before, after, masker),
        (After::Replaced(after), None) => ContentDiff::between(&NOTHING, after, masker),
        (After::Unchanged | After::Edited { .. }, _) => return None,
    };
    Some(diff).filter(|diff| !diff.is_empty())
}

/// A number of lines in words.
pub fn lines(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}
