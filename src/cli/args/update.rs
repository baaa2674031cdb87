//! The arguments of `mediactl update`.

use std::path::PathBuf;

use super::changing::ChangeArgs;

/// Replace the running configuration of a server without touching its file
///
/// Without a running server the command is refused, and the exit code is 7. `mediactl save` replaces the
/// file.
#[derive(Debug, clap::Args)]
pub struct UpdateArgs {
    /// The new configuration; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
