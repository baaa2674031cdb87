//! The kind of each argument. Arguments that are not named here are files, words of a fixed list, or
//! free.

use std::ffi::OsStr;
use std::sync::Arc;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};

use super::line::TypedLine;
use crate::cli::local;
use crate::cli::render::group_table::Column;
use crate::cli::render::texts::masked_entry;
use crate::http::client::without_userinfo;
use crate::store::HistoryEntry;
use mediaconf::{Completion, Config, Masker, Path, PathUse, Proposal, Segment, one_line};

/// The kind of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    /// A path from the root.
    Path(PathUse),
    /// A path below a stream, live or plugin.
    Below(PathUse),
    /// `PATH=FILE`
    PathAndFile,
    /// Columns of a table, separated by commas.
    Column,
    /// A change of the history.
    Change,
    /// A file, one of these words, or a change of the history behind an `@`.
    FileOr(&'static [&'static str]),
    /// The names of contexts, separated by commas.
    Contexts,
    /// The groups of contexts, separated by commas.
    ContextGroups,
    /// The nodes of a cluster.
    Nodes,
    /// Nodes of a cluster, or contexts where there is none, separated by commas.
    Canaries,
}

/// Returns the kind of an argument of a command; `command` is `context use` for a command of a command.
fn taken(command: &str, argument: &str) -> Option<ArgumentKind> {
    use PathUse::{Block, Condition, Explained, Present, Settable};
    Some(match (command, argument) {
        ("add" | "cp", "set") => ArgumentKind::Below(Settable),
        ("cp", "unset") => ArgumentKind::Below(Present),
        (_, "assignments" | "set" | "set_string" | "expect" | "expected") => ArgumentKind::Path(Settable),
        (_, "set_file") => ArgumentKind::PathAndFile,
        ("explain", "path") => ArgumentKind::Path(Explained),
        (_, "path" | "paths" | "unset" | "replace") => ArgumentKind::Path(Present),
        ("mv" | "cp", "from") => ArgumentKind::Path(Block),
        ("mv" | "cp", "to") => ArgumentKind::Path(Block),
        (_, "conditions") => ArgumentKind::Below(Condition),
        (_, "columns" | "sort") => ArgumentKind::Column,
        (_, "which") => ArgumentKind::Change,
        ("diff", "first" | "second") => ArgumentKind::FileOr(&["running", "saved"]),
        ("check", "files") => ArgumentKind::FileOr(&["running"]),
        (_, "context") | ("context use" | "context show" | "context remove", "name") => {
            ArgumentKind::Contexts
        }
        (_, "group") => ArgumentKind::ContextGroups,
        (_, "nodes") => ArgumentKind::Nodes,
        (_, "canary") => ArgumentKind::Canaries,
        _ => return None,
    })
}

/// Completes one argument of a command line.
struct Completer {
    taken: ArgumentKind,
    line: Arc<TypedLine>,
}

/// The tree with a completer for each argument that takes more than a file or a word of a fixed list.
pub fn with_completers(mut tree: Command, line: &Arc<TypedLine>) -> Command {
    tree.build();
    below(tree, "", &|taken| Completer { taken, line: line.clone() })
}

fn below(command: Command, name: &str, completer: &dyn Fn(ArgumentKind) -> Completer) -> Command {
    let with_completer = |argument: Arg| match taken(name, argument.get_id().as_str()) {
        Some(taken) => argument.add(ArgValueCompleter::new(completer(taken))),
        None => argument,
    };
    command.mut_args(with_completer).mut_subcommands(|inner| {
        let name = format!("{name} {}", inner.get_name());
        below(inner, name.trim_start(), completer)
    })
}

/// A candidate as clap has it; `None` for one that no shell can hold in a line.
fn candidate(Proposal { text, help, .. }: Proposal) -> Option<CompletionCandidate> {
    let help = Some(one_line(&help)).filter(|help| !help.is_empty());
    let is_line = !text.contains(char::is_control);
    is_line.then(|| CompletionCandidate::new(text).help(help.map(Into::into)))
}

fn whole(text: impl Into<String>, help: impl Into<String>) -> Proposal {
    Proposal { text: text.into(), help: help.into(), is_whole: true }
}

impl ValueCompleter for Completer {
    fn complete(&self, typed: &OsStr) -> Vec<CompletionCandidate> {
        let Some(text) = typed.to_str() else { return Vec::new() };
        match self.taken {
            ArgumentKind::FileOr(words) => {
                let words = words.iter().map(|word| whole(*word, ""));
                let known = words.chain(self.changes("@")).filter(|known| known.text.starts_with(text));
                known.filter_map(candidate).chain(PathCompleter::file().complete(typed)).collect()
            }
            ArgumentKind::PathAndFile => match Path::split_assignment(text) {
                Ok((_, Some(file))) => {
                    let files = PathCompleter::file().complete(OsStr::new(file));
                    let before = &text[..text.len() - file.len()];
                    files.into_iter().map(|file| file.add_prefix(before)).collect()
                }
                _ => self.paths(PathUse::Settable, false, text).into_iter().filter_map(candidate).collect(),
            },
            _ => self.candidates(text).into_iter().filter_map(candidate).collect(),
        }
    }

    fn complete_at(&self, at: usize, typed: &OsStr) -> Vec<CompletionCandidate> {
        // The substitution stands behind the path of `--replace`.
        if at == 0 { self.complete(typed) } else { Vec::new() }
    }
}

impl Completer {
    fn candidates(&self, text: &str) -> Vec<Proposal> {
        let lookup = &self.line.lookup;
        let known = match self.taken {
            ArgumentKind::Path(path_use) => return self.paths(path_use, false, text),
            ArgumentKind::Below(path_use) => return self.paths(path_use, true, text),
            ArgumentKind::Column => return self.columns(text),
            ArgumentKind::Change => {
                let sign = if text.starts_with('@') { "@" } else { "" };
                self.changes(sign)
            }
            ArgumentKind::Contexts => self.contexts(),
            ArgumentKind::Nodes => self.nodes(),
            ArgumentKind::Canaries => {
                Some(self.nodes()).filter(|nodes| !nodes.is_empty()).unwrap_or_else(|| self.contexts())
            }
            ArgumentKind::ContextGroups => {
                let mut groups: Vec<String> =
                    lookup.contexts().list.into_iter().flat_map(|context| context.groups).collect();
                groups.sort();
                groups.dedup();
                groups.into_iter().map(|group| whole(group, "")).collect()
            }
            ArgumentKind::FileOr(_) | ArgumentKind::PathAndFile => Vec::new(),
        };
        let (before, last) =
            text.rsplit_once(',').map_or(("", text), |(before, _)| text.split_at(before.len() + 1));
        let meant = known.into_iter().filter(|known| known.text.starts_with(last));
        meant.map(|known| Proposal { text: format!("{before}{}", known.text), ..known }).collect()
    }

    fn contexts(&self) -> Vec<Proposal> {
        let contexts = self.line.lookup.contexts().list.into_iter();
        contexts.map(|context| whole(context.name, without_userinfo(&context.url))).collect()
    }

    fn nodes(&self) -> Vec<Proposal> {
        let nodes = self.line.lookup.nodes().into_iter();
        nodes.map(|node| whole(node.node, node.state.to_string())).collect()
    }

    fn paths(&self, path_use: PathUse, is_below: bool, text: &str) -> Vec<Proposal> {
        let base = if is_below { self.line.block() } else { Vec::new() };
        let look = |current: &Config<'_>| Completion { current, base: &base, path_use }.candidates(text);
        self.line.lookup.in_configuration(look)
    }

    /// The names of columns, and paths of values below an entry; with a `-` in front for the descending order.
    fn columns(&self, text: &str) -> Vec<Proposal> {
        let (sign, text) = text.split_at(text.len() - text.trim_start_matches('-').len());
        let base = self.line.block();
        let Some(kind) = (Path { segments: base.clone() }).kind().filter(|_| base.len() == 2) else {
            return Vec::new();
        };
        let paths = self.line.lookup.in_configuration(|current| {
            let mut base = base.clone();
            base[1] = Segment::every();
            Completion { current, base: &base, path_use: PathUse::Present }.candidates(text)
        });
        let headings = Column::names(kind).into_iter().filter(|name| name.starts_with(text));
        let is_new = |name: &String| paths.iter().all(|path| path.text != *name);
        let headings: Vec<_> = headings.filter(is_new).map(|name| whole(name, "")).collect();
        let all = headings.into_iter().chain(paths);
        all.map(|column| Proposal { text: format!("{sign}{}", column.text), ..column }).collect()
    }

    /// The changes of the history, each with who made it, when and why.
    fn changes(&self, sign: &str) -> Vec<Proposal> {
        let masker = Masker::default();
        let entries = self.line.lookup.history().into_iter().map(|entry| masked_entry(entry, Some(&masker)));
        let one = |entry: HistoryEntry| {
            let words = [
                local::shown(entry.at),
                entry.by.unwrap_or_default(),
                entry.operation,
                entry.message.unwrap_or_default(),
            ];
            let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
            Some(whole(format!("{sign}{}", entry.number?), one_line(&words.join("  "))))
        };
        entries.filter_map(one).collect()
    }
}
