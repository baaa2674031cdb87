//! The shells that ask, and the script for each.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Command, ValueEnum};
use clap_complete::engine::complete;
use clap_complete::env::{EnvCompleter, Fish, Shells, Zsh};

/// The variable in which a script tells the shell.
pub const VARIABLE: &str = "COMPLETE";

/// The shells, by the names of [`ShellName`].
pub const SHELLS: Shells<'static> = Shells(&[&Bash, &Zsh, &Fish]);

/// A shell that asks for candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    Bash,
    Zsh,
    Fish,
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
    let written =
        completer.write_registration(VARIABLE, "mediactl", "mediactl", &program.to_string_lossy(), &mut text);
    written.expect("memory takes all that is written");
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if shell == ShellName::Zsh {
        text += ZSH_FUNCTION;
    }
    text
}

/// Completes at the first Tab, too, where zsh has loaded the script as a function of `fpath`.
const ZSH_FUNCTION: &str = "[[ $funcstack[1] != _mediactl ]] || _clap_dynamic_completer_mediactl \"$@\"\n";

/// Bash, which takes a candidate into the command line as it is: one that it would expand or run, or that would need
/// quotes, is not offered.
struct Bash;

impl Bash {
    fn takes(candidate: &str) -> bool {
        candidate.chars().all(|c| c.is_ascii_alphanumeric() || "_./:@%+=,-[]".contains(c))
    }
}

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
            if Self::takes(&candidate) {
                writeln!(out, "{candidate}")?;
            }
        }
        Ok(())
    }
}
