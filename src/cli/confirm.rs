//! `mediactl confirm`

use super::error::CliError;
use super::exit::Exit;
use super::options::Global;
use super::remote::{Decision, in_words};
use super::target::{self, Purpose, Target};
use super::ui::Ui;
use crate::engine::{EngineError, Hooks};

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
    let purpose = Purpose::Change { hooks: Hooks::default(), keep: None };
    let target = target::resolve(global, purpose, ui)?;
    let name = target.name(global);
    // Of a file without a server nothing waits; what waited is taken back when one starts.
    let Target::Remote(mut server) = target else { return Err(EngineError::NothingPending.into()) };
    let id = server.pending()?.ok_or(EngineError::NothingPending)?;
    let (decision, what) =
        if args.revert { (Decision::TakeBack, "taken back") } else { (Decision::Keep, "confirmed") };
    let notes = server.decide(&id, decision)?;
    if !args.quiet {
        notes.iter().for_each(|note| ui.note_line(&in_words(note)));
        ui.say(&format!("{what}: the last change of {name}"));
    }
    Ok(Exit::Done)
}
