//! The arguments that take more than a file or a word of a fixed list, and what is proposed for each: of the
//! configuration, the history and the contexts that the line before the cursor refers to. Whatever can't be read is empty.

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, OnceLock};

use clap::{Arg, ArgMatches, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};

use crate::cli::args::global::GlobalArgs;
use crate::cli::context::Contexts;
use crate::cli::local;
use crate::cli::render::texts::masked_entry;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::engine::Snapshot;
use crate::http::client::without_userinfo;
use crate::store::{HistoryEntry, WHOLE_HISTORY};
use mediaconf::{Completion, Config, Kind, Masker, Path, PathUse, Proposal, Schema, Segment, one_line};

/// What is proposed for an argument that begins with a text.
type Propose = fn(&TypedLine, &str) -> Vec<Proposal>;

/// Returns what is proposed for an argument of a command; `command` is `context use` for a command of a command.
fn proposals(command: &str, argument: &str) -> Option<Propose> {
    use PathUse::{Block, Condition, Explained, Present, Settable};
    Some(match (command, argument) {
        ("add" | "cp", "set") => |line, text| line.paths(&line.block(), Settable, text),
        ("cp", "unset") => |line, text| line.paths(&line.block(), Present, text),
        (_, "assignments" | "set" | "set_string" | "expect" | "expected") => {
            |line, text| line.paths(&[], Settable, text)
        }
        ("explain", "path") => |line, text| line.paths(&[], Explained, text),
        (_, "path" | "paths" | "unset" | "replace") => |line, text| line.paths(&[], Present, text),
        ("mv" | "cp", "from" | "to") => |line, text| line.paths(&[], Block, text),
        (_, "conditions") => |line, text| line.paths(&line.block(), Condition, text),
        (_, "which") => |line, text| in_list(line.changes(""), text),
        ("diff", "first" | "second") => |line, text| {
            let words = ["running", "saved"].map(|word| proposal(word, ""));
            in_list(words.into_iter().chain(line.changes("change:")), text)
        },
        ("check", "files") => |_, text| in_list([proposal("running", "")], text),
        (_, "context" | "canary") | ("context use" | "context remove", "name") => {
            |line, text| in_list(contexts(line), text)
        }
        _ => return None,
    })
}

/// Those that complete the last of some words, which commas separate.
fn in_list(known: impl IntoIterator<Item = Proposal>, text: &str) -> Vec<Proposal> {
    let (before, last) = text.split_at(text.rfind(',').map_or(0, |comma| comma + 1));
    let meant = known.into_iter().filter(|known| known.text.starts_with(last));
    meant.map(|known| Proposal { text: format!("{before}{}", known.text), ..known }).collect()
}

/// The tree with a completer for each argument that takes more than a file or a word of a fixed list; `words` stand
/// before the one that is typed.
pub fn with_completers(mut tree: Command, words: &[OsString]) -> Command {
    tree.build();
    let line = Arc::new(TypedLine::parse(words, tree.clone()));
    below(tree, "", &line)
}

fn below(command: Command, name: &str, line: &Arc<TypedLine>) -> Command {
    let with_completer = |argument: Arg| match proposals(name, argument.get_id().as_str()) {
        Some(propose) => {
            let name = argument.get_id().to_string();
            argument.add(ArgValueCompleter::new(Completer { propose, argument: name, line: line.clone() }))
        }
        None => argument,
    };
    command.mut_args(with_completer).mut_subcommands(|inner| {
        let name = format!("{name} {}", inner.get_name());
        below(inner, name.trim_start(), line)
    })
}

/// Completes one argument of a command line.
struct Completer {
    propose: Propose,
    argument: String,
    line: Arc<TypedLine>,
}

/// A candidate as clap has it; `None` for one that no shell can hold in a line.
fn candidate(Proposal { text, help, .. }: Proposal) -> Option<CompletionCandidate> {
    let help = Some(one_line(&help)).filter(|help| !help.is_empty());
    let is_line = !text.contains(char::is_control);
    is_line.then(|| CompletionCandidate::new(text).help(help.map(Into::into)))
}

fn proposal(text: impl Into<String>, help: impl Into<String>) -> Proposal {
    Proposal { text: text.into(), help: help.into() }
}

impl ValueCompleter for Completer {
    fn complete(&self, typed: &OsStr) -> Vec<CompletionCandidate> {
        let Some(text) = typed.to_str() else { return Vec::new() };
        let known = (self.propose)(&self.line, text);
        let takes_files = matches!(&*self.argument, "first" | "second" | "files");
        let files = takes_files.then(|| PathCompleter::file().complete(typed)).into_iter().flatten();
        known.into_iter().filter_map(candidate).chain(files).collect()
    }

    fn complete_at(&self, at: usize, typed: &OsStr) -> Vec<CompletionCandidate> {
        // The substitution stands behind the path of `--replace`.
        if at == 0 { self.complete(typed) } else { Vec::new() }
    }
}

/// The contexts of the user.
fn contexts(line: &TypedLine) -> Vec<Proposal> {
    let known = line.global.as_ref().and_then(|global| Contexts::known(global).ok()).unwrap_or_default();
    known.list.into_iter().map(|context| proposal(context.name, without_userinfo(&context.url))).collect()
}

/// The words before the one that is typed, as the options and arguments that they are.
struct TypedLine {
    /// The values of the called command; `None` if it is not known yet.
    matches: Option<ArgMatches>,
    /// The options of every command, if they make sense.
    global: Option<GlobalArgs>,
    /// The configuration of the target, which is read when it is first needed.
    text: OnceLock<Option<Arc<Snapshot>>>,
}

impl TypedLine {
    /// Parses the words, as far as they can be parsed.
    fn parse(words: &[OsString], tree: Command) -> Self {
        let matches = tree.ignore_errors(true).try_get_matches_from(words).ok();
        let global = matches.as_ref().and_then(|matches| GlobalArgs::from_matches(matches).ok());
        let matches = matches.and_then(|matches| Some(matches.subcommand()?.1.clone()));
        Self { matches, global, text: OnceLock::new() }
    }

    /// The words of an argument of the called command.
    fn words(&self, argument: &str) -> Vec<String> {
        let given = self.matches.as_ref().and_then(|matches| matches.try_get_raw(argument).ok().flatten());
        given.into_iter().flatten().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// The stream, live or plugin whose values are meant: the one that `cp` copies, that `add` adds, or any of those
    /// that a path of the command names.
    fn block(&self) -> Vec<Segment> {
        if let Some(from) = self.words("from").first().and_then(|from| Path::parse(from).ok()) {
            return from.segments;
        }
        let added = self.words("kind").first().map(|kind| format!("{kind}s"));
        let paths = ["paths", "path", "set", "unset", "replace"].into_iter().flat_map(|id| self.words(id));
        let group = |path: String| Schema::kind(path.split(['.', '=']).next()?);
        let kind = added.into_iter().chain(paths).find_map(group).unwrap_or(Kind::Streams);
        [kind.key(), "NAME"].map(|key| Segment::Key(key.to_owned())).to_vec()
    }

    /// Looks at the configuration: the running one of a server, else the file. One that is missing, has errors or
    /// can't be read is empty.
    fn paths(&self, base: &[Segment], path_use: PathUse, text: &str) -> Vec<Proposal> {
        let read = || {
            target::resolve(&self.global.clone()?, Purpose::default(), Ui::default())
                .ok()?
                .service
                .read(None)
                .ok()
        };
        let look = |current: &Config<'_>| Completion { current, base, path_use }.candidates(text);
        match self.text.get_or_init(read) {
            Some(text) if text.is_valid() => look(&text.config()),
            _ => look(&Snapshot::default().config()),
        }
    }

    /// The changes of the history, each with who made it, when and why.
    fn changes(&self, sign: &str) -> Vec<Proposal> {
        // A file is read without its server, which would write a hand edit into the history.
        let target = |global: &GlobalArgs| target::file_or_named_server(global, Ui::default()).ok();
        let history =
            self.global.as_ref().and_then(|global| target(global)?.service.history(WHOLE_HISTORY).ok());
        let one = |entry: HistoryEntry| {
            let entry = masked_entry(entry, Masker::default());
            let words = [
                local::shown(entry.at),
                entry.by.unwrap_or_default(),
                entry.operation,
                entry.message.unwrap_or_default(),
            ];
            let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
            proposal(format!("{sign}{}", entry.number), one_line(&words.join("  ")))
        };
        history.into_iter().flatten().map(one).collect()
    }
}
