//! The error that ends a command early: its kind, and its messages for users.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::cli::render::grouped;
use crate::cli::render::report;
use crate::engine::{BRINGS_WARNING, NewWarning, Snapshot};
use crate::error::{BrokenText, Error, ErrorKind, WITHOUT_STRICT};
use crate::store::etcd::ClusterUrl;
use crate::store::{LockHolder, reason};
use mediaconf::{Fault, joined};

/// The hint for a configuration that is not there.
const OTHER_TARGETS: &str = "`mediactl init` makes a first configuration; `--conf FILE`, `--url URL` or \
                             `--context NAME` names another one";

/// The hint for a cluster without a configuration.
const FIRST_OF_CLUSTER: &str = "`mediactl --cluster URL save FILE` puts the first text there";

/// The hint of `diff` where nothing runs.
const OTHER_SIDES: &str =
    "`mediactl diff FILE` compares with a file, `mediactl diff @1` with the text before the last change";

/// The hint where an edit can't be gone on with.
const NEW_EDIT: &str = "`mediactl edit` begins a new edit";

impl Error {
    /// An I/O error; `what` failed, for the reason that the system gives.
    pub(super) fn of_system(kind: ErrorKind, what: impl AsRef<str>, source: &io::Error) -> Self {
        Self::new(kind, format!("{}: {}", what.as_ref(), reason(source)))
    }

    /// The command line does not make sense.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message).hint(hint)
    }

    /// A configuration has errors where a valid one is needed.
    pub fn broken_text(name: &str, snapshot: Arc<Snapshot>) -> Self {
        let errors = snapshot.diagnostics().errors();
        let plural = if errors == 1 { "" } else { "s" };
        let broken = Some(BrokenText { name: Some(name.to_owned()), snapshot });
        Self { broken, ..Self::new(ErrorKind::BadConfig, format!("`{name}` has {errors} error{plural}")) }
    }

    /// A configuration and what it includes have errors together.
    pub fn broken_includes(name: &str, errors: usize) -> Self {
        let plural = if errors == 1 { "an error" } else { &format!("{errors} errors") };
        Self::new(ErrorKind::Invalid, format!("`{name}`, with what it includes, has {plural}"))
    }

    /// A file that was given to the command could not be read.
    pub fn input_failed(path: &Path, source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::PermissionDenied => ErrorKind::Denied,
            io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => ErrorKind::NotFound,
            _ => ErrorKind::Failed,
        };
        Self::of_system(kind, format!("cannot read `{}`", path.display()), &source)
    }

    /// The path of a value does not parse. What follows a `=` may be a secret and is not shown.
    pub fn bad_path(path: &str, fault: Fault) -> Self {
        let path = path.split('=').next().unwrap_or(path);
        let error = Self::new(ErrorKind::Invalid, format!("`{path}`: {}", fault.message));
        Self { hint: fault.hint, ..error }
    }

    /// The value of an option is not one.
    pub fn bad_value(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message).hint(hint)
    }

    /// A configuration that `diff` compares can't be read. Whoever looks gets no advice to change something.
    pub fn of_side(self) -> Self {
        match self.kind {
            ErrorKind::NoServer | ErrorKind::NodesRunIt => self.hint(OTHER_SIDES),
            _ => self,
        }
    }

    /// Standard output could not be written.
    pub fn output_failed(source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::BrokenPipe => ErrorKind::OutputClosed,
            _ => ErrorKind::Failed,
        };
        Self::of_system(kind, "cannot write the output", &source)
    }

    /// A question could not be shown or answered.
    pub fn prompt_failed(source: io::Error) -> Self {
        Self::of_system(ErrorKind::Failed, "cannot ask", &source)
    }

    /// The server over a file can't be reached, and it alone may change the file.
    pub fn unreachable(name: &str, holder: &LockHolder, source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::PermissionDenied => ErrorKind::Denied,
            // The server is there and holds the lock.
            io::ErrorKind::TimedOut => ErrorKind::Conflict,
            _ => ErrorKind::NotFound,
        };
        Self::of_system(kind, format!("the server of `{name}`, {holder}, can't be reached"), &source).hint(
            format!(
                "nothing was changed; while {holder} runs, it alone changes the file: wait for it, or end it"
            ),
        )
    }

    /// A change was not confirmed, so the server rolls it back.
    pub fn not_confirmed(target: &str) -> Self {
        Self::new(
            ErrorKind::Guarded,
            format!("the change of `{target}` was not confirmed: it is being rolled back"),
        )
    }

    /// A change with `--canary` was made, and what became of it can't be read.
    pub fn made_and_lost(error: &Error) -> Self {
        let message =
            format!("the change was made, and whether it is kept or went back is not known: {error}");
        Self::new(ErrorKind::OutcomeUnknown, message)
            .hint("`mediactl history` shows it once the cluster answers")
    }

    /// The nodes that were to take a change first did not, so it went back.
    pub fn went_back(target: &str, why: Option<&str>) -> Self {
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        Self::new(ErrorKind::Guarded, format!("the change of `{target}` went back{why}"))
            .hint("`mediactl history show 1` shows the text; the other nodes never had it")
    }

    /// A file that is to be made is there already.
    pub fn exists(path: &Path) -> Self {
        Self::new(ErrorKind::Guarded, format!("`{}` exists already", path.display()))
            .hint("nothing was changed; `mediactl modify` and `mediactl save` change it")
    }

    /// The system gives no random bytes.
    pub fn no_random(source: io::Error) -> Self {
        Self::of_system(ErrorKind::Failed, "cannot make a random password", &source)
    }

    /// There is no context with this name; `similar` is one that may be meant.
    pub fn no_context(name: &str, similar: Option<&str>) -> Self {
        let hint = match similar {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => "`mediactl context list` shows all, `mediactl context add` adds one".to_owned(),
        };
        Self::new(ErrorKind::NotFound, format!("there is no context `{name}`")).hint(hint)
    }

    /// No contexts have the names, or are in the group, that were given.
    pub fn no_contexts(message: String, hint: String) -> Self {
        Self::new(ErrorKind::NotFound, message).hint(hint)
    }

    /// The file with the contexts has faults, at least one.
    pub fn bad_contexts(faults: impl Iterator<Item = Fault>) -> Self {
        let faults: Vec<Fault> = faults.collect();
        Self::new(ErrorKind::BadConfig, joined(&faults)).with_faults(faults)
    }

    /// A context has a setting that an earlier version wrote and that has no effect any more.
    pub fn outdated_context(file: &Path, line: usize, context: &str, setting: &str) -> Self {
        let fault = Fault {
            file: Some(file.display().to_string()),
            line: Some(line),
            ..Fault::plain(format!(
                "`{setting}` of context `{context}`: changes of a cluster are not signed any more"
            ))
        };
        Self::bad_contexts(std::iter::once(
            fault.hint("take the line out; TLS, users and roles of etcd say who may write"),
        ))
    }

    /// Others may read or write the file with the contexts, or it is another user's.
    pub fn open_contexts(path: &Path, is_ours: bool) -> Self {
        let path = path.display();
        match is_ours {
            true => Self::new(ErrorKind::Denied, format!("other users may read or write `{path}`"))
                .hint(format!("`chmod 600 {path}` keeps them out")),
            false => Self::new(ErrorKind::Denied, format!("`{path}` belongs to another user"))
                .hint("its commands would run as you, so it has to be yours"),
        }
    }

    /// A file or a folder could not be made.
    pub fn not_made(path: &Path, source: io::Error) -> Self {
        let kind = match source.kind() {
            io::ErrorKind::PermissionDenied => ErrorKind::Denied,
            _ => ErrorKind::Failed,
        };
        Self::of_system(kind, format!("cannot make `{}`", path.display()), &source)
    }

    /// The password command of a context printed no password.
    pub fn no_password(context: &str, reason: &str) -> Self {
        Self::new(ErrorKind::Denied, format!("the password command of context `{context}` failed: {reason}"))
            .hint("nothing was sent")
    }

    /// A change of a protected context without consent.
    pub fn protected(name: &str) -> Self {
        Self::new(
            ErrorKind::Guarded,
            format!("context `{name}` is protected, so every change has to be agreed to"),
        )
        .hint("`--yes` agrees; on a terminal, `mediactl` asks")
    }

    /// A cluster that nobody agreed to adopt, for want of a terminal or because the answer was no.
    pub fn not_adopted(question: &str, answer: Option<bool>) -> Self {
        let message = match answer {
            None => format!("there is no terminal to ask on: {question}"),
            Some(_) => "the cluster was not adopted".to_owned(),
        };
        Self::new(ErrorKind::Guarded, message).hint("`--yes` agrees; nothing was changed")
    }

    /// A server would have no account, and so no users.
    pub fn no_account(target: &str) -> Self {
        Self::new(
            ErrorKind::Invalid,
            format!("`{target}` has no usable `edit_auth`, without which no one could use the API"),
        )
        .hint(format!(
            "`mediactl --conf {target} modify --set edit_auth.login=admin --set edit_auth.password` sets one"
        ))
    }

    /// An address can't be listened on.
    pub fn listen_failed(address: &str, source: io::Error) -> Self {
        Self::of_system(ErrorKind::Failed, format!("cannot listen on `{address}`"), &source)
            .hint("choose another with --listen ADDR:PORT; port 0 is any free one")
    }

    /// A server could not be started.
    pub fn serve_failed(source: io::Error) -> Self {
        Self::of_system(ErrorKind::Failed, "cannot start the server", &source)
    }

    /// An edit was refused because of the text of the draft.
    pub fn bad_draft(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// The configuration was changed during an edit, and the two changes clash.
    pub fn clashing_edit(target: &str) -> Self {
        Self::new(ErrorKind::Conflict, format!("`{target}` was changed meanwhile, in the same lines"))
            .hint("both forms are in the draft, between `<<<<<<< ours` and `>>>>>>> theirs`")
    }

    /// An edit was not made: the answer was no, or there was no terminal.
    pub fn unanswered_edit(has_terminal: bool) -> Self {
        match has_terminal {
            true => Self::new(ErrorKind::Guarded, "the change was not made"),
            false => Self::new(ErrorKind::Guarded, "the change was not made: there is no terminal to ask on")
                .hint("`--yes` answers the question"),
        }
    }

    /// No file with the text of an edit is there.
    pub fn no_draft(file: &Path) -> Self {
        Self::new(ErrorKind::NotFound, format!("there is no file `{}`", file.display()))
            .hint(format!("an edit that fails prints the file of its text; {NEW_EDIT}"))
    }

    /// The file named in the place of a draft is the text that one was made of.
    pub fn base_of_draft(base: &Path, text: &Path) -> Self {
        let [base, text] = [base, text].map(Path::display);
        Self::usage(
            format!("`{base}` is the text before the edit, and not what was written"),
            format!("`mediactl edit --from {text}` goes on with that"),
        )
    }

    /// The text that a draft was made of is not known, so that others' changes could be overwritten.
    pub fn draft_without_base(text: &Path, why: &dyn fmt::Display) -> Self {
        let text = text.display();
        Self::new(ErrorKind::NotFound, format!("the text that `{text}` was made of can't be read: {why}"))
            .hint(format!("{NEW_EDIT}; what you want of `{text}` can be copied into it"))
    }

    /// A draft was made of another configuration.
    pub fn draft_of_another(text: &Path, target: &str) -> Self {
        Self::usage(
            format!("`{}` is an edit of `{target}`", text.display()),
            "name that configuration, as the edit did",
        )
    }

    /// The text editor failed.
    pub fn editor_failed(command: &str, why: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Failed, format!("the editor `{command}` {why}"))
            .hint("$VISUAL or $EDITOR names another")
    }

    /// The text editor removed the text that it was to edit.
    pub fn draft_removed(command: &str) -> Self {
        Self::new(ErrorKind::NotFound, format!("the editor `{command}` removed the text"))
            .hint("nothing was changed")
    }

    /// No folder is known in which a draft could be kept.
    pub fn no_state_home() -> Self {
        Self::usage("no folder is known for unfinished work", "set HOME or XDG_STATE_HOME")
    }

    /// The same error, with a further hint.
    #[must_use]
    pub fn and_hint(mut self, more: String) -> Self {
        let shown = self.faults.last_mut().map_or(&mut self.hint, |last| &mut last.hint);
        *shown = Some(shown.take().map_or(more.clone(), |hint| format!("{hint}; {more}")));
        self
    }

    /// True if stdout was closed by its reader, which is no failure.
    pub fn is_closed_output(&self) -> bool {
        self.kind == ErrorKind::OutputClosed
    }

    /// The lines that are shown: the message with its hint, or each fault with its own.
    pub fn lines(&self) -> Vec<Fault> {
        let whole = Fault { hint: self.hint.clone(), ..Fault::plain(&*self.message) };
        match self.kind {
            ErrorKind::NewWarnings if !self.faults.is_empty() => new_warnings(&self.faults),
            ErrorKind::NoConfiguration => {
                let is_cluster = self.message.strip_prefix('`').is_some_and(ClusterUrl::is_meant);
                vec![whole.hint(if is_cluster { FIRST_OF_CLUSTER } else { OTHER_TARGETS })]
            }
            _ if self.faults.is_empty() || self.broken.is_some() => vec![whole],
            _ => self.faults.iter().cloned().map(Fault::in_one_line).collect(),
        }
    }

    /// The same error with these lines.
    #[must_use]
    pub(super) fn with_lines(self, lines: Vec<Fault>) -> Self {
        let messages: Vec<&str> = lines.iter().map(|line| line.message.as_str()).collect();
        let hint = lines.last().and_then(|line| line.hint.clone());
        let kind = match self.kind {
            // The lines are made already.
            ErrorKind::NewWarnings => ErrorKind::Invalid,
            ErrorKind::NoConfiguration => ErrorKind::NotFound,
            kind => kind,
        };
        let faults = if lines.len() > 1 { lines.clone() } else { Vec::new() };
        Self { kind, message: messages.join("; "), hint, faults, ..self }
    }
}

/// The lines, those that say the same of different places together, in the order of the first of each.
pub fn equal_lines(lines: &[Fault]) -> Vec<Vec<&Fault>> {
    grouped(lines, |line| {
        let (place, fault) = line.message.split_at(line.place().len());
        (!place.is_empty()).then_some((fault, line.hint.as_deref()))
    })
}

/// The lines about new warnings, equal ones together, with the advice below the last one.
fn new_warnings(faults: &[Fault]) -> Vec<Fault> {
    let warnings: Vec<NewWarning> = faults.iter().map(|fault| NewWarning::parse(&fault.message)).collect();
    let line = |words| Fault::plain(format!("{BRINGS_WARNING}{words}"));
    let mut lines: Vec<Fault> = report::new_warnings(&warnings, None).into_iter().map(line).collect();
    if let Some(last) = lines.last_mut() {
        last.hint = Some(WITHOUT_STRICT.to_owned());
    }
    lines
}
