//! `mediactl save`

use std::path::PathBuf;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::engine::RequestedChange;
use crate::error::{Error, Exit};

/// Replace the configuration file with exactly the given text
///
/// The text is checked first; if it has errors, nothing is written. If the configuration file is
/// missing, it is created with mode 0640, without what the umask takes away.
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

pub fn run(args: &SaveArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let text = input::read(&args.file)?;
    ChangeCommand::new(&args.changing, Verb::SAVE).run(call, RequestedChange::Save(text.into()))
}
