//! The arguments of `mediactl confirm`.

/// Keep a change that waits to be confirmed, or take it back
///
/// A change made with --confirm is taken back by the server unless this command comes in time. It needs
/// the login and the password that hold after the change, so a change that locks you out can't be
/// confirmed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl modify --set edit_auth.password --confirm 60s
  mediactl confirm
  mediactl confirm --revert")]
pub struct ConfirmArgs {
    /// Take the change back now
    #[arg(long)]
    pub revert: bool,

    /// Print errors and warnings only
    #[arg(short, long)]
    pub quiet: bool,
}
