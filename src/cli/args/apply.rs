//! The arguments of `mediactl apply`.

use std::path::PathBuf;

use super::changing::ChangeArgs;

/// Bring the configuration to a desired state, such as one from a Git repository
///
/// FILE is the text of a configuration, or JSON as `mediactl read` prints it. It is merged: what it sets is
/// set, and what it does not mention stays, with all comments. A second run changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl apply site.conf --dry-run
  mediactl apply --prune site.conf
  mediactl apply -o change-json --exit-code site.json
  mediactl --url https://media.example apply - < site.json")]
pub struct ApplyArgs {
    /// The desired state, as text or as JSON; `-` is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,

    /// Delete the streams, lives and plugins that are not in FILE; everything else stays
    #[arg(long)]
    pub prune: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
