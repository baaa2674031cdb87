//! The report of a change: the diff or the new configuration on stdout, and a line about it on stderr.

use serde_json::Value;

use crate::cli::args::changing::{ChangeArgs, ChangeFormat};
use crate::cli::render::change_json::ChangeJson;
use crate::cli::render::{diff, notes};
use crate::cli::ui::Ui;
use crate::engine::{ChangeReport, ReportParts};
use crate::error::Error;
use mediaconf::Effects;

/// The form of the report of a change.
pub struct Report<'a> {
    pub ui: Ui,
    /// The name of the configuration in messages.
    pub target: &'a str,
    pub verb: Verb,
    pub args: &'a ChangeArgs,
    /// True if the user has seen the diff already.
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
    pub fn with_operation(self, operation: &'static str) -> Self {
        Self { operation, ..self }
    }

    /// The name of the command.
    pub fn operation(self) -> &'static str {
        self.operation
    }
}

impl Report<'_> {
    /// The parts of a change that this report needs.
    pub fn parts(&self) -> ReportParts {
        parts(self.args, self.ui, self.diff_was_shown)
    }

    /// Prints the report of a change.
    pub fn print(&self, change: &ChangeReport) -> Result<(), Error> {
        change.warnings.iter().for_each(|warning| self.ui.warning(warning));
        let printed = match &change.configuration {
            _ if self.args.output == ChangeFormat::ChangeJson => self.print_change(change),
            _ if self.args.quiet => Ok(()),
            Some(configuration) if self.args.output == ChangeFormat::Json => self.print_json(configuration),
            _ if change.diff.is_empty() => Ok(()),
            _ => self.ui.print_painted(|out| diff::print(&change.diff, [self.target; 2], self.ui, out)),
        };
        self.unless_written(printed)?;
        if !self.diff_was_shown {
            let warnings = notes::new_warnings(&change.new_warnings, self.ui.masker().as_ref());
            warnings.iter().for_each(|warning| self.ui.warning(warning));
        }
        change.notes.iter().for_each(|note| self.note(&notes::in_words(note, self.ui.masker().as_ref())));
        if !(change.changed || change.differs()) {
            self.say(&format!("nothing to change in {}", self.target));
            return Ok(());
        }
        let is_of_values = change.snapshot.as_ref().is_some_and(|after| after.is_of_values());
        if is_of_values && self.args.output == ChangeFormat::Diff {
            self.note(&format!("`{}` does not show its text, so the diff compares its values", self.target));
        }
        let verb = if self.args.dry_run { self.verb.rehearsed } else { self.verb.done };
        if self.args.output == ChangeFormat::Diff {
            self.say_effects(&change.effects);
        }
        let [added, removed] = [change.lines_added, change.lines_removed].map(lines);
        self.say(&format!("{verb} {}: {added} added, {removed} removed", self.target));
        Ok(())
    }

    /// Prints the effects of a change of more than one stream, unless the command is quiet.
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
    fn unless_written(&self, printed: Result<(), Error>) -> Result<(), Error> {
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

    fn print_change(&self, change: &ChangeReport) -> Result<(), Error> {
        let place = (self.verb.operation, self.target);
        self.ui.print_json(&ChangeJson::new(place, change, self.ui.masker().as_ref()))
    }

    fn print_json(&self, configuration: &Value) -> Result<(), Error> {
        match self.ui.value_masker() {
            None => self.ui.print_json(configuration),
            Some(masker) => self.ui.print_json(&masker.json(configuration)),
        }
    }
}

/// The parts of a change that the requested output needs.
pub fn parts(args: &ChangeArgs, ui: Ui, diff_was_shown: bool) -> ReportParts {
    let is = |format: ChangeFormat| args.output == format;
    ReportParts {
        diff: is(ChangeFormat::Diff) && !args.quiet && !diff_was_shown,
        values: is(ChangeFormat::ChangeJson),
        configuration: is(ChangeFormat::Json) && !args.quiet,
        ..ReportParts::masked_by(ui.masker().as_ref())
    }
}

/// A number of lines in words.
pub fn lines(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}
