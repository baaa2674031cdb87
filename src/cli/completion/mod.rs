//! Completion in shells: a script, which `mediactl completion` prints, asks this program for the candidates of the word
//! before the cursor. `arguments` knows what each argument takes; the rest is clap's.
//!
//! *Invariants.* Nothing is asked, nothing is written, no error is shown, and nothing takes longer than [`PATIENCE`]: the
//! process gives up its terminal first.

mod arguments;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use clap::{Command, ValueEnum};
use clap_complete::CompleteEnv;
use clap_complete::engine::complete;
use clap_complete::env::{EnvCompleter, Fish, Shells, Zsh};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::setsid;
use rustix::stdio::{dup2_stderr, dup2_stdin};

use crate::cli::credentials::end_commands;
use crate::error::Exit;

/// The longest time for a server or a password command.
const PATIENCE: Duration = Duration::from_secs(1);

/// The variable in which a script tells the shell.
const VARIABLE: &str = "COMPLETE";

/// The shells, by the names of [`ShellName`].
const SHELLS: Shells<'static> = Shells(&[&Bash, &Zsh, &Fish]);

/// Completes at the first Tab, too, where zsh has loaded the script as a function of `fpath`.
const ZSH_FUNCTION: &str = "[[ $funcstack[1] != _mediactl ]] || _clap_dynamic_completer_mediactl \"$@\"\n";

/// A shell that asks for candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    Bash,
    Zsh,
    Fish,
}

/// Answers a shell, if it is one that runs this program.
pub fn answer(arguments: &[OsString], tree: fn() -> Command) -> Option<Exit> {
    let shell = std::env::var(VARIABLE).ok()?;
    ShellName::from_str(&shell, false).ok()?;
    // The variable may be another program's.
    arguments.get(1).is_none_or(|dashes| dashes == "--").then_some(())?;
    // As far as the system lets it, this process gives up the terminal, also the one that a password command would ask on. It
    // then leads a session of its own, in which it and its children are alone.
    if let Ok(nothing) = open("/dev/null", OFlags::RDWR, Mode::empty()) {
        let _ = dup2_stdin(&nothing);
        let _ = dup2_stderr(&nothing);
    }
    let _ = setsid();
    let (sender, receiver) = channel();
    let arguments = arguments.to_vec();
    let answer = move || {
        let words = words_before(&arguments);
        let tree = || arguments::with_completers(tree(), &words);
        let folder = std::env::current_dir().ok();
        // What can't be completed is not: an error would stand in the middle of the line that is typed.
        let _ = CompleteEnv::with_factory(tree).shells(SHELLS).try_complete(arguments, folder.as_deref());
        sender.send(())
    };
    let is_answered =
        thread::Builder::new().spawn(answer).is_ok_and(|_| receiver.recv_timeout(PATIENCE).is_ok());
    if !is_answered {
        end_commands();
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

/// Returns the script for a shell. It asks the program that was called as `program`: by its name, or by its absolute path
/// if it was called by a path.
pub fn script(shell: ShellName, program: &OsStr) -> String {
    let program = match Path::new(program).components().count() {
        1 => program.to_owned(),
        _ => std::path::absolute(program).map_or_else(|_| program.to_owned(), PathBuf::into_os_string),
    };
    let name = shell.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let completer = SHELLS.completer(&name).expect("each name is that of a shell");
    let mut text = Vec::new();
    completer
        .write_registration(VARIABLE, "mediactl", "mediactl", &program.to_string_lossy(), &mut text)
        .expect("memory takes all that is written");
    let end = if shell == ShellName::Zsh { ZSH_FUNCTION } else { "" };
    String::from_utf8_lossy(&text).into_owned() + end
}

/// Bash, which takes a candidate into the command line as it is: one that it would expand or run, or that would need
/// quotes, is not offered.
struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        program: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
        let quote = |c: char| if is_plain(c) { c.to_string() } else { format!("\\{c}") };
        let completer: String = completer.chars().map(quote).collect();
        let script = include_str!("bash.sh").replace("VARIABLE", variable).replace("COMPLETER", &completer);
        out.write_all(script.replace("NAME", name).replace("PROGRAM", program).as_bytes())
    }

    fn write_complete(
        &self,
        tree: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let typed = words.len().saturating_sub(1);
        for candidate in complete(tree, words, typed, folder)? {
            let candidate = candidate.get_value().to_string_lossy();
            if candidate.chars().all(|c| c.is_ascii_alphanumeric() || "_./:@%+=,-[]".contains(c)) {
                writeln!(out, "{candidate}")?;
            }
        }
        Ok(())
    }
}
