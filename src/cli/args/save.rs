//! The arguments of `mediactl save`.

use std::path::PathBuf;

use super::changing::ChangeArgs;

/// Replace the configuration file with exactly the given text
///
/// The text is checked first; if it has errors, nothing is written. If the configuration file is
/// missing, it is created with mode 0640.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl save new.conf --dry-run
  mediactl save new.conf
  mediactl --conf media.conf save - < new.conf")]
pub struct SaveArgs {
    /// The new configuration; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
