//! The arguments of `mediactl rm`.

use super::changing::ChangeArgs;

/// Remove streams, or other values
///
/// This is `mediactl modify --unset` in short. On a terminal, what a `*` or --where removes is shown, and removed
/// after a question, which --yes answers. If more than a few streams match, they are not removed without one
/// anywhere; those that are named one by one are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl rm streams.cam1 streams.cam2
  mediactl rm 'streams.test*' --dry-run
  mediactl rm streams --where 'urls.url~10.0.3.'")]
pub struct RmArgs {
    /// What to remove, such as `streams.cam1`; `*` stands for any characters of a name
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<String>,

    /// Remove only entries that meet this condition, as in `mediactl modify`; may be given several times
    #[arg(long = "where", value_name = "CONDITION")]
    pub conditions: Vec<String>,

    /// Succeed if there is nothing to remove
    #[arg(long)]
    pub ignore_missing: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
