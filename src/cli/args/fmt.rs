//! The arguments of `mediactl fmt`.

use std::path::PathBuf;

use super::changing::ChangeArgs;

/// Format the configuration: indentation, blanks, blank lines and line ends
///
/// Only white space changes. Words, comments and their order stay, a block on one line stays on one
/// line, and what the text says as JSON is proved to be the same before it is written. Entries get a line of
/// their own, indented by two blanks for each block; comments behind neighbouring lines stand below each
/// other; lines end in LF; one blank line at most stands between two entries.
///
/// With --check nothing is written: each file that is not formatted is named, and the exit code is 1 if
/// there is one. Standard input (`-`) is formatted to standard output.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl fmt --dry-run
  mediactl fmt
  mediactl fmt --check *.conf
  mediactl fmt - < media.conf")]
pub struct FmtArgs {
    /// What to format: files, or `-` for standard input [default: the configuration]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Name what is not formatted, and change nothing
    #[arg(long)]
    pub check: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
