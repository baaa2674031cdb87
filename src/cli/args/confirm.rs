//! The arguments of `mediactl confirm`.

/// Keep a change that waits to be confirmed, or roll it back
///
/// The server rolls back a change made with --confirm unless this command confirms it in time. The command
/// needs the login and the password that are valid after the change, so a change that locks you out can't
/// be confirmed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl modify --set edit_auth.password --confirm 60s
  mediactl confirm
  mediactl confirm --revert")]
pub struct ConfirmArgs {
    /// Roll the change back now
    #[arg(long)]
    pub revert: bool,

    /// Do not ask, even if the context is protected
    #[arg(short, long)]
    pub yes: bool,

    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
}
