//! An edit under way: the draft goes to the editor, is checked, merged, shown, and made the configuration.

use std::io;
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;

use bytes::Bytes;

use crate::cli::commands::change::ChangeCommand;
use crate::cli::draft_comments::{height, with_comments, without_comments};
use crate::cli::editor::Editor;
use crate::cli::interrupt::LastWords;
use crate::cli::prompts;
use crate::cli::render::report;
use crate::cli::render::texts::print_diff;
use crate::cli::target::Target;
use crate::cli::ui::{Ui, output};
use crate::engine::{ChangeReport, ConfigSource, RequestedChange, Snapshot, diff_lines, new_warnings};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::Revision;
use crate::store::file::{DraftHead, DraftOrigin, KeptDraft};
use mediaconf::{Fault, LineIndex, Path, Severity, first_marker, merge_lines, one_line, quoted};

/// The number of faults that the comments on top of a draft name.
const MAX_NAMED: usize = 20;

/// The most times that a change by others between the question and the write is merged.
const MAX_MERGES: usize = 10;

/// With these codes a shell ends that can't run a command, or finds none.
const NOT_RUN: i32 = 126;
const NOT_FOUND: i32 = 127;

/// An edit under way.
pub struct Editing<'a> {
    pub target: Target,
    pub draft: KeptDraft,
    /// The hint about a draft that stays.
    pub kept: String,
    pub editor: Editor,
    pub ui: Ui,
    pub change: ChangeCommand<'a>,
}

/// The configuration that is edited, as it is now.
pub struct Present {
    pub text: Arc<Snapshot>,
    /// True if the server runs this text, too, so that it can refuse a change made for another one.
    pub is_running: bool,
}

/// Reads the configuration: the text of the file, or the running one of a server that does not show the
/// file.
pub fn configuration(target: &mut Target) -> Result<Present, Error> {
    let running = target.read_text(None);
    if !target.is_server {
        return Ok(Present { text: running?, is_running: true });
    }
    let running = running?;
    match target.read_text(Some(ConfigSource::Saved)) {
        Ok(saved) => Ok(Present { is_running: saved.is_same_text(&running), text: saved }),
        Err(refusal) if refusal.kind == ErrorKind::NotOffered => {
            Ok(Present { text: running, is_running: true })
        }
        Err(refusal) if refusal.status == Some(ErrorKind::NotFound.status()) => {
            Ok(Present { text: running, is_running: false })
        }
        Err(error) => Err(error),
    }
}

/// The result of the text that the editor left.
enum Attempt {
    /// The text is in the configuration.
    Made(Exit),
    /// It was a dry run.
    Rehearsed(Exit),
    Unwanted,
    EditAgain,
}

impl Editing<'_> {
    /// Opens the editor until the change is made, or given up. The draft is removed when its text is in the
    /// configuration, or is not wanted; after any error it stays.
    pub fn run(mut self) -> Result<Exit, Error> {
        let mut faults = self.faults(self.text()?);
        loop {
            let opened = match self.open(&faults) {
                Ok(Some(opened)) => opened,
                Ok(None) => return self.left_as_it_was(),
                // Nothing was written, so nothing has to be kept.
                Err(error) if self.text()? == self.draft.origin.original() => {
                    self.draft.remove();
                    return Err(error);
                }
                Err(error) => return Err(error.and_hint(self.kept)),
            };
            let text = match self.text() {
                // Nothing is left that could be kept.
                Err(error) if error.exit() == Exit::Absent => {
                    self.draft.remove();
                    return Err(error);
                }
                text => text?,
            };
            if text == self.draft.origin.original() {
                let present = Arc::new(Snapshot::from_bytes(self.draft.origin.base.clone()));
                self.report_unchanged(present)?;
                return Ok(self.end(Exit::Done));
            }
            let is_as_opened = text == opened;
            drop(opened);
            let error = match self.attempt(text) {
                Ok(Attempt::Made(exit)) => return Ok(self.end(exit)),
                Ok(Attempt::Unwanted) => return Ok(self.end(Exit::Done)),
                Ok(Attempt::Rehearsed(exit)) => {
                    self.say(&self.kept);
                    return Ok(exit);
                }
                Ok(Attempt::EditAgain) => {
                    faults.clear();
                    continue;
                }
                Err(error) => error.and_hint(self.kept.clone()),
            };
            let is_of_text = matches!(error.exit(), Exit::Invalid | Exit::Conflict);
            if !(prompts::can_ask() && is_of_text) || (is_as_opened && !faults.is_empty()) {
                return Err(error);
            }
            faults = self.faults(self.text()?);
            if faults.is_empty() {
                faults = error.lines().into_iter().map(|line| Fault { hint: None, ..line }).collect();
            }
        }
    }

    /// Opens the editor at the first fault; returns the text that it got, without comments. `None` if the
    /// editor ended with an error and left that as it was, which is how somebody leaves one without a change. With
    /// `--yes` nobody does: the editor is a program that failed.
    fn open(&self, faults: &[Fault]) -> Result<Option<Bytes>, Error> {
        let text = self.text()?;
        let notes = notes(faults);
        self.draft.write(&with_comments(&text, &notes))?;
        let line = faults.iter().find_map(|fault| fault.line).map_or(1, |line| line + height(&notes));
        let ended = self.editor.open(self.draft.path(), line, self.kept.clone(), self.ui);
        let why = match ended {
            Ok(status) if status.success() => return Ok(Some(text)),
            Ok(status)
                if !self.change.args.yes
                    && was_started(status)
                    && self.text().is_ok_and(|now| now == text) =>
            {
                return Ok(None);
            }
            Ok(status) => match status.code() {
                Some(code) => format!("failed with exit code {code}"),
                None => format!("was ended by signal {}", status.signal().unwrap_or_default()),
            },
            Err(error) => format!("cannot be started: {error}"),
        };
        Err(Error::editor_failed(self.editor.command(), why))
    }

    /// Ends an edit whose editor changed nothing. What was written before stays.
    fn left_as_it_was(self) -> Result<Exit, Error> {
        let present = Arc::new(Snapshot::from_bytes(self.draft.origin.base.clone()));
        self.report_unchanged(present)?;
        if self.text()? == self.draft.origin.original() {
            return Ok(self.end(Exit::Done));
        }
        self.say(&self.kept);
        Ok(Exit::Done)
    }

    /// Checks the text, merges it with changes that others made meanwhile, asks, and makes the change.
    fn attempt(&mut self, text: Bytes) -> Result<Attempt, Error> {
        if let (Some(path), true) = (&self.draft.origin.head.path, text.trim_ascii().is_empty()) {
            let refusal = Error::new(ErrorKind::BadNewText, format!("the new text of `{path}` is empty"));
            return Err(refusal.hint(format!("`mediactl rm {}` removes it", quoted(path))));
        }
        let mut whole = self.draft.origin.spliced(text);
        let mut conflict = None;
        for _ in 0..MAX_MERGES {
            self.refuse_faults(&whole)?;
            let present = configuration(&mut self.target)?;
            if present.text.bytes() != self.draft.origin.base {
                whole = self.merged(&whole, &present.text)?;
                self.refuse_faults(&whole)?;
            } else if let Some(error) = conflict {
                // The change was refused for another reason than a change by others.
                return Err(error);
            }
            if whole == present.text.bytes() {
                return self.report_unchanged(present.text).map(Attempt::Made);
            }
            let args = self.change.args;
            let asks = !(args.yes || args.force || args.dry_run);
            if asks {
                self.warn(&whole, &present.text)?;
            }
            if asks && let Some(other) = self.ask(&present.text, &whole)? {
                return Ok(other);
            }
            let base = present.text.revision();
            drop(present);
            let made = self.make(&whole, base, asks);
            match made {
                Err(error) if error.exit() == Exit::Conflict => conflict = Some(error),
                Ok(exit) if args.dry_run => return Ok(Attempt::Rehearsed(exit)),
                made => return made.map(Attempt::Made),
            }
        }
        Err(conflict.unwrap_or_else(|| Error::clashing_edit(self.target.service.name())))
    }

    /// Makes the edit of the text with the revision `base` where the file is. What others change meanwhile is merged there.
    fn make(&self, whole: &Bytes, base: Revision, was_shown: bool) -> Result<Exit, Error> {
        let mut change = self.change.clone();
        change.diff_was_shown = was_shown;
        change.options.base = Some(base);
        change.run_on(&*self.target.service, self.ui, RequestedChange::Save(whole.clone()))
    }

    /// Merges the edited configuration with the present one. From here on the draft is made of the
    /// present one: of the same entry, if it is there.
    fn merged(&mut self, whole: &[u8], present: &Snapshot) -> Result<Bytes, Error> {
        let DraftOrigin { head, base } = &self.draft.origin;
        let (merged, range) = match self.pieces(whole, present) {
            Some(([old, edited, new], range)) => {
                (merge_lines(old, edited, new), Some((range.start, range.end)))
            }
            None => (merge_lines(base, whole, present.bytes()), None),
        };
        let path = head.path.clone().filter(|_| range.is_some());
        let head = DraftHead { target: head.target.clone(), range, path };
        let origin = DraftOrigin { head, base: present.shared_bytes().clone() };
        self.draft.rebase(origin, &merged.text)?;
        let name = self.target.service.name();
        if merged.clash.is_some() {
            return Err(Error::clashing_edit(name));
        }
        self.ui.note(&format!("`{name}` was changed meanwhile; both changes are merged"));
        Ok(self.draft.origin.spliced(merged.text.into()))
    }

    /// The entry that is edited: as it was, with the edit in `whole`, and at present with its place;
    /// `None` if all is edited, or where the present configuration does not have the entry.
    fn pieces<'t>(&'t self, whole: &'t [u8], present: &'t Snapshot) -> Option<([&'t [u8]; 3], Range<usize>)> {
        let DraftOrigin { head, base } = &self.draft.origin;
        let ((start, end), path) = (head.range?, Path::parse(head.path.as_deref()?).ok()?);
        let range = present.is_valid().then(|| present.document().lines_of(&path).ok())??;
        let edited = whole.get(start..whole.len().checked_sub(base.len().checked_sub(end)?)?)?;
        Some(([base.get(start..end)?, edited, present.bytes().get(range.clone())?], range))
    }

    /// Shows the change and asks whether it is wanted; `None` is a yes.
    fn ask(&self, present: &Arc<Snapshot>, whole: &Bytes) -> Result<Option<Attempt>, Error> {
        if !prompts::can_ask() {
            return Err(Error::unanswered_edit(false));
        }
        let name = self.target.service.name();
        let new = Arc::new(Snapshot::from_bytes(whole.clone()));
        let lines = diff_lines([present, &new], None, self.ui.masker().as_ref());
        output(print_diff(&lines, [name; 2], self.ui.on_stderr(), &mut io::stderr().lock()))?;
        let kept = self.kept.clone();
        let _last_words = LastWords::new(self.ui, move || format!("\n{kept}"));
        let protected = self.target.protected.as_ref();
        let protected = protected.map_or(String::new(), |name| format!("context `{name}` is protected: "));
        let question =
            format!("{protected}change {name}? [y]es, [e]dit again, [d]iscard, [N]o, but keep the text");
        let answer = prompts::line(&question).map_err(Error::prompt_failed)?;
        match answer.unwrap_or_default().trim().to_lowercase().as_str() {
            "y" | "yes" => Ok(None),
            "e" | "edit" => Ok(Some(Attempt::EditAgain)),
            "d" | "discard" => {
                self.say("nothing was changed");
                Ok(Some(Attempt::Unwanted))
            }
            _ => Err(Error::unanswered_edit(true)),
        }
    }

    /// The text of the draft as the editor left it, without comments.
    fn text(&self) -> Result<Bytes, Error> {
        let written = self.draft.read().map_err(|error| match error {
            error if error.kind == ErrorKind::NoConfiguration => Error::draft_removed(self.editor.command()),
            error => error,
        })?;
        let mut text = without_comments(written);
        // Editors end the last line of a file, also where it had no end.
        let original = self.draft.origin.original();
        if !original.is_empty() && !original.ends_with(b"\n") && text.ends_with(b"\n") {
            let end = if text.ends_with(b"\r\n") { 2 } else { 1 };
            text.truncate(text.len() - end);
        }
        Ok(text)
    }

    fn refuse_faults(&self, whole: &Bytes) -> Result<(), Error> {
        if first_marker(&self.draft.origin.base).is_none()
            && let Some(line) = first_marker(whole)
        {
            return Err(Error::bad_draft(format!("line {line} is the marker of a clash")));
        }
        let snapshot = Arc::new(Snapshot::from_bytes(whole.clone()));
        match snapshot.is_valid() {
            true => Ok(()),
            false => Err(Error::broken_text(&self.name_of_edited(), snapshot)),
        }
    }

    /// Shows the warnings that the edit brings.
    fn warn(&mut self, whole: &Bytes, present: &Arc<Snapshot>) -> Result<(), Error> {
        let edited = Arc::new(Snapshot::from_bytes(whole.clone()));
        let mut whole = |text: &Arc<Snapshot>| -> Result<Arc<Snapshot>, Error> {
            let composed = self.target.composed(text, Some(ConfigSource::Saved))?;
            Ok(composed.map_or_else(|| text.clone(), |composed| composed.told_text()))
        };
        let [before, after] = [whole(present)?, whole(&edited)?];
        let warnings = new_warnings(before.document(), after.document());
        let lines = report::new_warnings(&warnings, self.ui.masker().as_ref());
        lines.iter().for_each(|line| self.ui.warning(line));
        Ok(())
    }

    /// Returns the name of the configuration with the edit in it, for messages; their lines are those of
    /// the whole.
    fn name_of_edited(&self) -> String {
        format!("{} (edited)", self.target.service.name())
    }

    /// The errors of a draft, in the order of its lines.
    fn faults(&self, text: Bytes) -> Vec<Fault> {
        if first_marker(&self.draft.origin.base).is_none()
            && let Some(line) = first_marker(&text)
        {
            let what = "both changes touch these lines: `ours` is yours, `theirs` was made meanwhile";
            let fault = Fault::plain(what).hint("keep what is right, and take the markers out");
            return vec![Fault { line: Some(line), ..fault }];
        }
        let above = self.draft.origin.head.range.map_or(0, |(start, _)| {
            self.draft.origin.base.iter().take(start).filter(|byte| **byte == b'\n').count()
        });
        let height = text.split(|byte| *byte == b'\n').count();
        let snapshot = Snapshot::from_bytes(self.draft.origin.spliced(text));
        let lines = LineIndex::new(snapshot.document().text());
        let errors = snapshot.diagnostics().iter().filter(|found| found.severity == Severity::Error);
        let faults = errors.map(|found| {
            let line = lines.position(found.span.start).line;
            let inside = line.checked_sub(above).filter(|line| (1..=height).contains(line));
            let place = inside.map_or(format!(" (line {line} of the whole text)"), |_| String::new());
            let message = format!("error: {}{place}", found.message);
            Fault { line: inside, message, hint: found.hint.clone(), ..Fault::default() }
        });
        faults.take(MAX_NAMED).collect()
    }

    fn report_unchanged(&self, present: Arc<Snapshot>) -> Result<Exit, Error> {
        let report = self.change.report(self.target.service.name(), self.ui);
        let unchanged = ChangeReport::unchanged(Some(present));
        report.print(&unchanged.with_parts(&RequestedChange::Format {}, report.parts()))?;
        Ok(Exit::Done)
    }

    fn say(&self, line: &str) {
        if !self.change.args.quiet {
            self.ui.say(line);
        }
    }

    /// Removes the draft.
    fn end(self, exit: Exit) -> Exit {
        self.draft.remove();
        exit
    }
}

/// True if the shell found the editor and could run it.
fn was_started(status: ExitStatus) -> bool {
    !matches!(status.code(), Some(NOT_RUN | NOT_FOUND))
}

/// The comments about faults; the lines that they name are those of the draft below the comments.
fn notes(faults: &[Fault]) -> Vec<String> {
    if faults.is_empty() {
        return Vec::new();
    }
    let title = "mediactl: the text below can't be the configuration yet".to_owned();
    let lines = |above: usize| -> Vec<String> {
        let of_fault = |fault: &Fault| {
            let place = fault.line.map_or(String::new(), |line| format!("line {}: ", line + above));
            let hint = fault.hint.as_ref().map(|hint| one_line(&format!("  hint: {hint}")));
            std::iter::once(one_line(&format!("{place}{}", fault.message))).chain(hint)
        };
        std::iter::once(title.clone()).chain(faults.iter().flat_map(of_fault)).collect()
    };
    lines(height(&lines(0)))
}
