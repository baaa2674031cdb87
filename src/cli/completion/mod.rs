//! Completion in shells: a script, which `mediactl completion` prints, asks this program for the candidates of the word
//! before the cursor.
//!
//! ```text
//! line → arguments → shells
//! ```
//!
//! `line` parses the words before that word, and reads the configuration, the history and the contexts; `arguments` knows
//! the kind of each argument. The rest is clap's.
//!
//! *Invariants.* Nothing is asked, nothing is written, no error is shown, and nothing takes longer than [`PATIENCE`]: the
//! process gives up its terminal first.

mod arguments;
mod line;
mod shells;
mod silence;

use crate::error::Exit;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use clap::{Command, ValueEnum};
use clap_complete::CompleteEnv;

use line::TypedLine;
use shells::{SHELLS, VARIABLE};
pub use shells::{ShellName, script};

/// The longest time for a server or a password command.
const PATIENCE: Duration = Duration::from_secs(1);

/// Answers a shell, if it is one that runs this program.
pub fn answer(arguments: &[OsString], tree: fn() -> Command) -> Option<Exit> {
    let shell = std::env::var(VARIABLE).ok()?;
    ShellName::from_str(&shell, false).ok()?;
    // The variable may be another program's.
    arguments.get(1).is_none_or(|dashes| dashes == "--").then_some(())?;
    let terminal = silence::give_up_terminal();
    let (sender, receiver) = channel();
    let arguments = arguments.to_vec();
    let answer = move || {
        let line = Arc::new(TypedLine::parse(&words_before(&arguments), tree()));
        let tree = || arguments::with_completers(tree(), &line);
        let folder = std::env::current_dir().ok();
        // What can't be completed is not: an error would stand in the middle of the line that is typed.
        let _ = CompleteEnv::with_factory(tree).shells(SHELLS).try_complete(arguments, folder.as_deref());
        sender.send(())
    };
    let is_answered =
        thread::Builder::new().spawn(answer).is_ok_and(|_| receiver.recv_timeout(PATIENCE).is_ok());
    if !is_answered {
        terminal.end_children();
    }
    Some(Exit::Done)
}

/// The words of the command line in front of the one that is typed.
fn words_before(arguments: &[OsString]) -> Vec<OsString> {
    let mut words: Vec<OsString> =
        arguments.iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
    let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse().ok());
    words.truncate(index.unwrap_or(words.len().saturating_sub(1)));
    words
}
