//! Completion in shells. A script, which `mediactl completion` prints, asks this program for the
//! completions of the word before the cursor: `COMPLETE=bash mediactl -- WORD…`, where the last word is
//! the one that is typed.
//!
//! ```text
//! words → line → arguments → reply
//! ```
//!
//! `line` parses the words before that word, and reads the configuration, the history and the contexts;
//! `arguments` knows the kind of each argument, and `reply` writes the candidates in the form of the
//! shell.
//!
//! *Invariants.* Nothing is asked, nothing is written, no error is shown, and nothing takes longer than
//! [`PATIENCE`]: the process gives up its terminal first.

mod arguments;
mod line;
mod reply;
mod script;
mod silence;
mod words;

use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use clap::{Command, ValueEnum};
use clap_complete::engine::complete;

use crate::cli::exit::Exit;
use line::TypedLine;
pub use script::{ShellName, script};
use words::TypedWord;

/// The variable in which a script tells the shell.
const VARIABLE: &str = "COMPLETE";

/// The variable with the number of the word that is typed, where it is not the last one; the scripts that
/// `clap_complete` makes set it.
const INDEX_VARIABLE: &str = "_CLAP_COMPLETE_INDEX";

/// The longest time for a server or a password command.
const PATIENCE: Duration = Duration::from_secs(1);

/// Makes the tree of those commands that are among the words.
pub type MakeTree = fn(&[OsString]) -> Command;

/// Answers a shell, if it is one that runs this program.
pub fn answer(arguments: &[OsString], tree: MakeTree) -> Option<Exit> {
    let shell = std::env::var_os(VARIABLE)?;
    let shell = ShellName::from_str(shell.to_str()?, false).ok()?;
    match arguments {
        [program] => print(script(shell, program).as_bytes()),
        [_, dashes, words @ ..] if dashes == "--" && !words.is_empty() => {
            print(&replies(shell, words.to_vec(), tree));
        }
        _ => return None,
    }
    Some(Exit::Done)
}

/// A shell that does not listen any more is no error.
fn print(text: &[u8]) {
    let _ = io::stdout().write_all(text);
}

/// The lines for the shell; empty if they take too long.
fn replies(shell: ShellName, words: Vec<OsString>, tree: MakeTree) -> Vec<u8> {
    let terminal = silence::give_up_terminal();
    let (sender, receiver) = channel();
    let spawned = thread::Builder::new().spawn(move || sender.send(candidates(shell, words, tree)));
    match spawned.map(|_| receiver.recv_timeout(PATIENCE)) {
        Ok(Ok(lines)) => lines,
        _ => {
            terminal.end_children();
            Vec::new()
        }
    }
}

fn candidates(shell: ShellName, mut words: Vec<OsString>, tree: MakeTree) -> Vec<u8> {
    let index = std::env::var(INDEX_VARIABLE).ok().and_then(|index| index.parse().ok());
    words.resize(index.map_or(words.len(), |index: usize| index.min(words.len()) + 1), OsString::new());
    let Some((raw, before)) = words.split_last() else { return Vec::new() };
    let raw = raw.to_string_lossy().into_owned();
    let typed = TypedWord::parse(shell, &raw);
    let mut words: Vec<OsString> = before.iter().map(|word| words::unquoted(shell, word)).collect();
    let line = Arc::new(TypedLine::parse(&words, tree(&words)));
    let mut tree = arguments::with_completers(tree(&words), &line);
    words.push(typed.text.clone().into());
    let at = words.len() - 1;
    let found = complete(&mut tree, words, at, std::env::current_dir().ok().as_deref()).unwrap_or_default();
    reply::lines(shell, &typed, found)
}
