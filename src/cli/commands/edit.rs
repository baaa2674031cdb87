//! `mediactl edit`: the draft goes to the editor, is checked, merged, shown, and made the configuration.

use std::io;
use std::iter::zip;
use std::path::{Path as FilePath, PathBuf};
use std::process::Command;
use std::sync::Arc;

use bytes::Bytes;

use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::TargetKind;
use crate::cli::change::ChangeCommand;
use crate::cli::input;
use crate::cli::interrupt::LastWords;
use crate::cli::local::folder_of_user;
use crate::cli::prompts;
use crate::cli::render::texts::print_change;
use crate::cli::render::{self, diagnostics};
use crate::cli::target::{self, Target};
use crate::cli::ui::{Ui, output};
use crate::engine::{
    ChangeReport, ConfigSource, RequestedChange, Snapshot, changed, diff_lines, merged_change, new_warnings,
};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::file::{DraftHead, KeptDraft};
use mediaconf::{Document, Path};

/// Edit the configuration, or one entry of it, in a text editor
///
/// The editor is $VISUAL, else $EDITOR, else vi. When it ends, the text is checked, the change is shown, and
/// after a question it is made. The faults of a text are shown, and it can be edited again. What you wrote is in a file
/// until it is in the configuration; if the edit fails, the file stays, and the command that goes on with it is printed. If the
/// configuration was changed meanwhile, both changes are merged. If the editor fails (`:cq`), nothing
/// is changed, and the exit code is 9.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl edit streams.cam1
  mediactl edit --from ~/.local/state/mediactl/draft-8kYw2x.conf
  mediactl --url https://media.example edit --confirm 60s")]
pub struct EditArgs {
    /// The entry to edit, such as `streams.cam1` [default: the whole text]
    #[arg(value_name = "PATH", conflicts_with = "from")]
    pub path: Option<String>,

    /// Go on with the text of an edit that failed
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub from: Option<PathBuf>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

/// The hint where an edit can't be gone on with.
const NEW_EDIT: &str = "an edit that fails prints the file of its text; `mediactl edit` begins a new edit";

impl EditArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let Invocation { global, ui, .. } = call;
        let path = self.path.as_deref().map(input::value_path).transpose()?;
        let change = ChangeCommand::new(&self.changing, "edit");
        let mut target = target::resolve(global, (&self.changing).into(), ui)?;
        change.agree_to_cluster(&target, ui)?;
        // A target without a text is refused before anything is made.
        let present = configuration(&mut target)?;
        let draft = match &self.from {
            Some(file) => earlier_draft(file, &target)?,
            None => new_draft(path.as_ref(), present, &mut target)?,
        };
        // The command is for another day, too, without today's variables.
        let is_file = global.chosen.kind == TargetKind::File;
        let of = if is_file {
            format!("--conf {} ", Path::in_shell_quotes(&global.file_name()))
        } else {
            String::new()
        };
        let file = draft.path.display().to_string();
        let file = Path::in_shell_quotes(&file);
        let kept = format!("what you wrote is kept: `mediactl {of}edit --from {file}` goes on with it");
        Editing { target, draft, kept, editor: editor(), ui, change }.run()
    }
}

/// The editor as the environment names it, a command of the shell: `$VISUAL`, else `$EDITOR`, else `vi`.
fn editor() -> String {
    let given = |name| std::env::var(name).ok().filter(|command| !command.trim().is_empty());
    given("VISUAL").or_else(|| given("EDITOR")).unwrap_or("vi".to_owned())
}

/// The configuration as it is now: the text of the file, or the running one of a server that does not show the
/// file.
fn configuration(target: &mut Target) -> Result<Arc<Snapshot>, Error> {
    match target.read_text(Some(ConfigSource::Saved)) {
        Err(refusal)
            if target.is_server
                && (refusal.kind == ErrorKind::NotOffered
                    || refusal.status == Some(ErrorKind::NotFound.status())) =>
        {
            target.read_text(None)
        }
        text => text,
    }
}

/// The text of an edit that failed.
fn earlier_draft(file: &FilePath, target: &Target) -> Result<KeptDraft, Error> {
    // The printed command works in every folder.
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let name = file.display();
    // Without the text before, others' changes could be overwritten.
    let draft = KeptDraft::open(file.clone())
        .map_err(|error| Error::new(ErrorKind::NotFound, format!("`{name}`: {error}")).hint(NEW_EDIT))?;
    let edited = &draft.head.target;
    if *edited != draft_name(target) {
        let message = format!("`{name}` is an edit of `{edited}`");
        return Err(Error::usage(message, "name that configuration, as the edit did"));
    }
    Ok(draft)
}

fn new_draft(path: Option<&Path>, present: Arc<Snapshot>, target: &mut Target) -> Result<KeptDraft, Error> {
    let range = match path {
        Some(_) if !present.is_valid() => return Err(Error::bad_config(present)),
        Some(path) => match present.document().lines_of(path) {
            Ok(range) => Some((range.start, range.end)),
            Err(fault) => {
                // The entry may be in an included file.
                if let Some(composed) = target.composed(&present, &present)? {
                    composed.refuse_entry(path)?;
                }
                return Err(Error::from(fault));
            }
        },
        None => None,
    };
    let head = DraftHead { target: draft_name(target), range, path: path.map(Path::to_string) };
    let no_home = || Error::usage("no folder is known for unfinished work", "set HOME or XDG_STATE_HOME");
    let home = folder_of_user("XDG_STATE_HOME", ".local/state").ok_or_else(no_home)?;
    KeptDraft::create(&home, head, present.bytes().clone())
}

/// The name of the target in a draft.
fn draft_name(target: &Target) -> String {
    let file = target.file.as_ref().map(|file| file.target.display().to_string());
    file.unwrap_or_else(|| target.service.name().to_owned())
}

/// An edit under way.
struct Editing<'a> {
    target: Target,
    draft: KeptDraft,
    /// The hint about a draft that stays.
    kept: String,
    /// The editor as the environment names it: a command of the shell.
    editor: String,
    ui: Ui,
    change: ChangeCommand<'a>,
}

impl Editing<'_> {
    /// Opens the editor until the change is made, or given up. The draft is removed when its text is in the
    /// configuration, or is not wanted; after any error it stays.
    fn run(mut self) -> Result<Exit, Error> {
        loop {
            let ended = self.open(&self.text()?);
            let text = self.text().inspect_err(|error| {
                if error.exit() == Exit::Absent {
                    self.draft.remove();
                }
            })?;
            let is_original = text == self.draft.original();
            if is_original {
                // Nothing was written, so nothing has to be kept.
                self.draft.remove();
            }
            match ended {
                Err(error) if is_original => return Err(error),
                Err(error) => return Err(and_hint(error, &self.kept)),
                Ok(()) if is_original => {
                    self.report_unchanged(Arc::new(Snapshot::from_bytes(self.draft.base.clone())))?;
                    return Ok(Exit::Done);
                }
                Ok(()) => {}
            }
            let error = match self.attempt(text) {
                Ok(Some(exit)) => return Ok(exit),
                Ok(None) => continue,
                Err(error) => error,
            };
            let is_of_text = matches!(error.exit(), Exit::Invalid | Exit::Conflict);
            if !(prompts::can_ask() && is_of_text) {
                return Err(and_hint(error, &self.kept));
            }
            diagnostics::explain(&error, self.target.service.name(), self.ui);
            self.ui.error(&error);
            let _last_words = self.last_words();
            if !matches!(&*prompts::answer("[e]dit again, [N]o, but keep the text")?, "e" | "edit") {
                return Err(and_hint(Error::new(error.kind, "the change was not made"), &self.kept));
            }
        }
    }

    /// Opens the editor with a text. One that fails is how somebody leaves it without a change.
    fn open(&self, text: &Bytes) -> Result<(), Error> {
        self.draft.write(text)?;
        let failed = |why| {
            let message = format!("the editor `{}` {why}", self.editor);
            Error::new(ErrorKind::Failed, message).hint("$VISUAL or $EDITOR names another")
        };
        let mut command = Command::new("sh");
        // As git does it, so that the command may have options, quotes and variables.
        command.arg("-c").arg(format!("{} \"$@\"", self.editor)).arg(&self.editor).arg(&self.draft.path);
        // If a signal ends this program meanwhile, it says where the text is.
        let _signals = LastWords::while_editing(self.ui, self.kept.clone());
        let status = command.status().map_err(|error| failed(format!("cannot be started: {error}")))?;
        if status.success() { Ok(()) } else { Err(failed(format!("failed: {status}"))) }
    }

    /// Checks the text, merges it with changes that others made meanwhile, asks, and makes the change; `None` if it is
    /// to be edited again.
    fn attempt(&mut self, text: Bytes) -> Result<Option<Exit>, Error> {
        if let (Some(path), true) = (&self.draft.head.path, text.trim_ascii().is_empty()) {
            let refusal = Error::new(ErrorKind::BadNewText, format!("the new text of `{path}` is empty"));
            return Err(refusal.hint(format!("`mediactl rm {}` removes it", Path::in_shell_quotes(path))));
        }
        let args = self.change.args;
        let asks = !args.is_agreed();
        let mut whole = self.draft.spliced(text);
        // As long as others change it between the question and the write.
        loop {
            self.refuse_faults(&whole)?;
            let present = configuration(&mut self.target)?;
            if *present.bytes() != self.draft.base {
                whole = self.merged(&whole, &present)?;
                self.refuse_faults(&whole)?;
            }
            if whole == present.bytes() {
                self.report_unchanged(present)?;
                self.draft.remove();
                return Ok(Some(Exit::Done));
            }
            if asks {
                match &*self.ask(&present, &whole)? {
                    "y" | "yes" => {}
                    "e" | "edit" => return Ok(None),
                    "d" | "discard" => {
                        self.ui.say("nothing was changed");
                        self.draft.remove();
                        return Ok(Some(Exit::Done));
                    }
                    _ => return Err(Error::new(ErrorKind::Guarded, "the change was not made")),
                }
            }
            let mut change = self.change.clone();
            (change.diff_was_shown, change.options.base) = (asks, Some(present.revision()));
            match change.run_on(&*self.target.service, self.ui, RequestedChange::Save(whole.clone())) {
                Err(error) if error.exit() == Exit::Conflict => {
                    if configuration(&mut self.target)?.is_same_text(&present) {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
                Ok(exit) => {
                    if args.dry_run {
                        self.ui.say(&self.kept)
                    } else {
                        self.draft.remove()
                    }
                    return Ok(Some(exit));
                }
            }
        }
    }

    /// Merges the edited configuration with the present one. From here on the draft is made of the whole of the present
    /// one.
    fn merged(&mut self, whole: &Bytes, present: &Arc<Snapshot>) -> Result<Bytes, Error> {
        let by_lines = Document::merge_lines(&self.draft.base, whole, present.bytes());
        let same = if by_lines.is_ok() { "values" } else { "lines" };
        let [mine, base] = [whole, &self.draft.base].map(|text| Arc::new(Snapshot::from_bytes(text.clone())));
        let sides = [&mine, &base, present];
        let merged = match merged_change(sides) {
            Some(merged) => Ok(merged.bytes().to_vec()),
            None if sides.iter().all(|side| side.is_valid()) => {
                Err(by_lines.map_or_else(|marked| marked, |text| both_forms(&text, present.bytes())))
            }
            None => by_lines,
        };
        let (Ok(text) | Err(text)) = &merged;
        self.draft.rebase(present.bytes().clone(), text)?;
        let name = self.target.service.name();
        let Ok(text) = merged else {
            let message = format!("`{name}` was changed meanwhile, in the same {same}");
            return Err(Error::new(ErrorKind::Conflict, message)
                .hint("both forms are in the draft, between `<<<<<<< ours` and `>>>>>>> theirs`"));
        };
        self.ui.note(&format!("`{name}` was changed meanwhile; both changes are merged"));
        Ok(text.into())
    }

    /// Shows the warnings and the change, and asks whether it is wanted; returns what was typed.
    fn ask(&mut self, present: &Arc<Snapshot>, whole: &Bytes) -> Result<String, Error> {
        let edited = Arc::new(Snapshot::from_bytes(whole.clone()));
        let with_included = |text: &Arc<Snapshot>| -> Result<Arc<Snapshot>, Error> {
            let composed = self.target.composed(text, present)?;
            Ok(composed.map_or_else(|| text.clone(), |composed| composed.text))
        };
        let [before, after] = [with_included(present)?, with_included(&edited)?];
        let warnings = new_warnings(before.document(), after.document());
        let lines = render::new_warnings(&warnings, self.ui.masker);
        lines.iter().for_each(|line| self.ui.warning(line));
        if !prompts::can_ask() {
            let message = "the change was not made: there is no terminal to ask on";
            return Err(Error::new(ErrorKind::Guarded, message).hint("`--yes` answers the question"));
        }
        let name = self.target.service.name();
        let lines = diff_lines([present, &edited], self.ui.masker);
        let (values, form) = (changed(present, &edited), self.change.args.output.for_people());
        let differing = (&*lines, values.as_deref());
        output(print_change(form, differing, [name; 2], self.ui.on_stderr(), &mut io::stderr().lock()))?;
        let _last_words = self.last_words();
        prompts::answer(&format!("change {name}? [y]es, [e]dit again, [d]iscard, [N]o, but keep the text"))
    }

    /// Says where the text is if a signal ends the program at a question.
    fn last_words(&self) -> LastWords {
        let kept = self.kept.clone();
        LastWords::new(self.ui, move || format!("\n{kept}"))
    }

    /// The text of the draft as the editor left it.
    fn text(&self) -> Result<Bytes, Error> {
        let mut text = self.draft.read().map_err(|error| match error.kind {
            ErrorKind::NoConfiguration => {
                let message = format!("the editor `{}` removed the text", self.editor);
                Error::new(ErrorKind::NotFound, message).hint("nothing was changed")
            }
            _ => error,
        })?;
        // Editors end the last line of a file, also where it had no end.
        let original = self.draft.original();
        if !original.is_empty() && !original.ends_with(b"\n") && text.ends_with(b"\n") {
            let end = if text.ends_with(b"\r\n") { 2 } else { 1 };
            text.truncate(text.len() - end);
        }
        Ok(text)
    }

    fn refuse_faults(&self, whole: &Bytes) -> Result<(), Error> {
        // The first marker of a clash, unless the configuration had one before.
        let is_new = |_: &usize| Document::first_marker(&self.draft.base).is_none();
        if let Some(line) = Document::first_marker(whole).filter(is_new) {
            return Err(Error::new(ErrorKind::Invalid, format!("line {line} is the marker of a clash"))
                .hint("keep what is right, and take the markers out"));
        }
        let snapshot = Arc::new(Snapshot::from_bytes(whole.clone()));
        Error::refuse_broken(&format!("{} (edited)", self.target.service.name()), &snapshot)
    }

    fn report_unchanged(&self, present: Arc<Snapshot>) -> Result<(), Error> {
        let report = self.change.report(self.target.service.name(), self.ui);
        let unchanged = ChangeReport::unchanged(Some(present));
        report.print(&unchanged.with_parts(report.parts()))
    }
}

/// Returns two texts as one that clashes: what differs between their first and their last lines stands there in both forms,
/// between markers.
fn both_forms(mine: &[u8], theirs: &[u8]) -> Vec<u8> {
    let lines = [mine, theirs].map(|text| text.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>());
    let head = zip(&lines[0], &lines[1]).take_while(|(one, other)| one == other).count();
    let rest = lines.each_ref().map(|lines| &lines[head..]);
    let tail =
        zip(rest[0].iter().rev(), rest[1].iter().rev()).take_while(|(one, other)| one == other).count();
    // A line that both replace.
    let other: &[u8] = b"\0\n";
    let base = [&lines[0][..head], &[other], &rest[0][rest[0].len() - tail..]].concat().concat();
    Document::merge_lines(&base, mine, theirs).unwrap_or_else(|marked| marked)
}

/// The same error, with a further hint.
fn and_hint(mut error: Error, more: &str) -> Error {
    let shown = error.faults.last_mut().map_or(&mut error.hint, |last| &mut last.hint);
    *shown = Some(shown.take().map_or(more.to_owned(), |hint| format!("{hint}; {more}")));
    error
}
