//! What `modify`, `save` and `update` have in common: guards that ask, and the report of a change.

use std::path::Path;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::countdown;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::remote::{self, Outcome, Remote, Replacement};
use crate::cli::render::text_diff::TextDiff;
use crate::cli::target::{self, Target};
use crate::cli::ui::Ui;
use crate::engine::{
    After, ChangeOptions, Content, Engine, EngineError, Outcome as EngineOutcome, OutcomeNote, Snapshot,
};
use crate::model::redact::masked_json;
use crate::model::{Lens, View, to_json, top_members};
use crate::syntax::Document;

/// Runs a command that replaces the whole text with that of `file`.
pub fn replace(
    file: &Path,
    changing: &ChangeArgs,
    global: &GlobalArgs,
    ui: Ui,
    what: Replacement,
) -> Result<Exit, CliError> {
    let text = input::read(file)?;
    let target = target::resolve(global, changing.into(), ui)?;
    let (operation, verb): (fn(&Engine, &ChangeOptions, &[u8]) -> _, _) = match what {
        Replacement::Save => (Engine::save, Verb::SAVE),
        Replacement::Update => (Engine::update, Verb::UPDATE),
    };
    let name = target.name(global);
    let printing = Printing { changing, global, ui, json: false, verb, target: name };
    match target {
        Target::Local(engine) => {
            changing.refuse_confirm()?;
            let change =
                with_guards(changing.request(), ui, |request| Ok(operation(&engine, request, &text)?))?;
            printing.report(&change)
        }
        Target::Remote(mut server) => {
            let outcome = with_guards(changing.request(), ui, |request| {
                remote::replace(&mut server, what, &text, request)
            })?;
            let exit = remote::report(&outcome, &printing)?;
            follow_up(&server, &outcome, &printing)?;
            Ok(exit)
        }
    }
}

/// What is left to do with a change that waits to be confirmed.
pub fn follow_up(server: &Remote, outcome: &Outcome, printing: &Printing<'_>) -> Result<(), CliError> {
    let Some(id) = &outcome.pending else { return Ok(()) };
    let time = printing.changing.confirm.unwrap_or_default();
    countdown::run(server, id, outcome, time, printing)
}

/// Runs an operation; on a terminal each guard is a question.
pub fn with_guards<T>(
    mut request: ChangeOptions,
    ui: Ui,
    mut operation: impl FnMut(&ChangeOptions) -> Result<T, CliError>,
) -> Result<T, CliError> {
    loop {
        match operation(&request) {
            Err(CliError::Engine(EngineError::Guarded(guard))) if guard.is_question() => {
                match ui.confirm(&format!("{guard}: go on?"))? {
                    Some(true) => request.accepted.push(guard),
                    Some(false) | None => return Err(EngineError::Guarded(guard).into()),
                }
            }
            result => return result,
        }
    }
}

impl ChangeArgs {
    /// Only a server is there when the time is over.
    pub fn refuse_confirm(&self) -> Result<(), CliError> {
        match self.confirm {
            None => Ok(()),
            Some(_) => Err(CliError::usage(
                "`--confirm` needs a server, which takes the change back if nobody confirms it",
                "start `mediactl serve` over the file, or leave it out",
            )),
        }
    }

    /// What goes along with the change.
    pub fn request(&self) -> ChangeOptions {
        ChangeOptions {
            dry_run: self.dry_run,
            force: self.force,
            accepted: self.accept.clone(),
            max_delete: self.max_delete,
            by: local_user(),
            message: self.message.clone(),
            confirm: self.confirm,
            ..ChangeOptions::default()
        }
    }
}

/// Who runs this program, for hooks and the history.
fn local_user() -> String {
    let uid = rustix::process::getuid().as_raw();
    match std::env::var("USER") {
        Ok(user) if !user.is_empty() => format!("{user} (uid {uid})"),
        _ => format!("uid {uid}"),
    }
}

/// How the result of a change is put into words.
pub struct Printing<'a> {
    /// The options of the command.
    pub changing: &'a ChangeArgs,
    /// The options of all commands.
    pub global: &'a GlobalArgs,
    /// Where it goes.
    pub ui: Ui,
    /// Print the new configuration instead of the diff.
    pub json: bool,
    /// What was done.
    pub verb: Verb,
    /// What messages call the target.
    pub target: String,
}

/// What a command does to its target.
#[derive(Debug, Clone, Copy)]
pub struct Verb {
    done: &'static str,
    would: &'static str,
}

impl Verb {
    /// Of `modify`.
    pub const CHANGE: Self = Self { done: "changed", would: "would change" };
    /// Of `save`.
    pub const SAVE: Self = Self { done: "saved", would: "would save" };
    /// Of `rollback`.
    pub const ROLL_BACK: Self = Self { done: "rolled back", would: "would roll back" };
    /// Of `update`.
    pub const UPDATE: Self = Self { done: "updated", would: "would update" };
}

impl Printing<'_> {
    /// Prints the result on stdout, and on stderr one line about it.
    pub fn report(&self, change: &EngineOutcome) -> Result<Exit, CliError> {
        change.warnings.iter().for_each(|warning| self.ui.warning(warning));
        let target = &self.target;
        let before = change.before.as_ref().and_then(Content::snapshot);
        let after = change.after().and_then(Content::snapshot);
        if !change.is_change() {
            if self.json {
                self.print_json(after.map(|after| &**after))?;
            }
            self.say(&format!("nothing to change in {target}"));
            return Ok(Exit::Done);
        }
        let nothing = Document::parse(String::new());
        let before = before.map_or(&nothing, |before| before.document());
        let diff = match (&change.after, after) {
            (After::Edited { splices, .. }, _) => TextDiff::of_edit(before, splices),
            (_, after) => TextDiff::of_texts(before, after.map_or(&nothing, |after| after.document())),
        };
        let printed = match self.json {
            true => self.print_json(after.map(|after| &**after)),
            false => self.print_diff(&diff),
        };
        self.unless_done(printed)?;
        if !self.changing.quiet {
            let edit_notes = change.notes.iter().filter_map(|note| match note {
                OutcomeNote::Edit(note) => Some(note),
                _ => None,
            });
            edit_notes.for_each(|note| self.ui.note(note, self.global.masker()));
        }
        let counts = diff.counts();
        self.say(&format!(
            "{} {target}: {} added, {} removed",
            self.verb(),
            lines(counts.added),
            lines(counts.removed)
        ));
        Ok(Exit::Done)
    }

    /// What was done is done; only who rehearses has nothing but the output.
    pub fn unless_done(&self, printed: Result<(), CliError>) -> Result<(), CliError> {
        match printed {
            Err(error) if !self.changing.dry_run => {
                if error.exit() != Exit::Done {
                    self.ui.warning(&error.to_string());
                }
                Ok(())
            }
            printed => printed,
        }
    }

    /// What was done, in a word or two.
    pub fn verb(&self) -> &'static str {
        if self.changing.dry_run { self.verb.would } else { self.verb.done }
    }

    pub fn note(&self, note: &str) {
        if !self.changing.quiet {
            self.ui.note_line(note);
        }
    }

    pub fn say(&self, line: &str) {
        if !self.changing.quiet {
            self.ui.say(line);
        }
    }

    fn print_diff(&self, diff: &TextDiff<'_>) -> Result<(), CliError> {
        if self.changing.quiet {
            return Ok(());
        }
        let names = [self.target.as_str(); 2];
        self.ui.print_painted(|mut out| diff.print(names, self.global.masker(), self.ui, &mut out))
    }

    fn print_json(&self, snapshot: Option<&Snapshot>) -> Result<(), CliError> {
        let Some(snapshot) = snapshot.filter(|_| !self.changing.quiet) else { return Ok(()) };
        let members = top_members(snapshot.document());
        let lens = Lens::default();
        let view = View::new(&members, &lens);
        match self.global.value_masker(self.ui.is_terminal()) {
            Some(masker) => self.ui.print_json(&masked_json(&to_json(&view), &masker)),
            None => self.ui.print_json(&view),
        }
    }
}

/// A number of lines, in words.
pub fn lines(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}
