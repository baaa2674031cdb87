//! `mediactl update`

use std::path::PathBuf;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::engine::RequestedChange;
use crate::error::{Error, Exit};

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

pub fn run(args: &UpdateArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let text = input::read(&args.file)?;
    ChangeCommand::new(&args.changing, Verb::UPDATE).run(call, RequestedChange::Update(text.into()))
}
