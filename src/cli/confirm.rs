//! `mediactl confirm`

use super::error::CliError;
use super::exit::Exit;
use super::options::Global;
use super::target::{self, Purpose, Target};
use super::ui::Ui;
use crate::engine::EngineError;

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
pub struct Args {
    /// Take the change back now
    #[arg(long)]
    revert: bool,

    /// Print errors and warnings only
    #[arg(short, long)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
    let target = target::resolve(global, Purpose::Read, ui)?;
    let name = target.name(global);
    let Target::Remote(mut server) = target else { return Err(EngineError::NoServer.into()) };
    let id = server.pending()?.ok_or(EngineError::NothingPending)?;
    server.decide(&id, !args.revert)?;
    if !args.quiet {
        let what = if args.revert { "taken back" } else { "confirmed" };
        ui.say(&format!("{what}: the last change of {name}"));
    }
    Ok(Exit::Done)
}
