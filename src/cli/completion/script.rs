//! The scripts for shells.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

/// Stands in a script for the program that it asks.
const PROGRAM: &str = "PROGRAM";

/// A shell that asks for candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    Bash,
    Zsh,
    Fish,
}

/// Returns the script for a shell. It asks the program that was called as `program`: by its name, or by its
/// absolute path if it was called by a path.
pub fn script(shell: ShellName, program: &OsStr) -> String {
    let script = match shell {
        ShellName::Bash => include_str!("bash.sh"),
        ShellName::Zsh => include_str!("zsh.sh"),
        ShellName::Fish => include_str!("fish.fish"),
    };
    script.replace(PROGRAM, &quoted(&absolute(program).to_string_lossy()))
}

fn absolute(program: &OsStr) -> PathBuf {
    let path = Path::new(program);
    match path.components().count() {
        1 => path.to_owned(),
        _ => std::env::current_dir().map_or_else(|_| path.to_owned(), |folder| folder.join(path)),
    }
}

/// A word as all of these shells read it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        // A backslash means different things between single quotes; outside of them it is the same.
        false => word.chars().map(|c| if is_plain(c) { c.to_string() } else { format!("\\{c}") }).collect(),
    }
}
