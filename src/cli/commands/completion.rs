//! `mediactl completion`

use crate::cli::args::completion::CompletionArgs;
use crate::cli::completion::script;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;

pub fn run(args: &CompletionArgs, ui: Ui) -> Result<Exit, CliError> {
    let program = std::env::args_os().next().unwrap_or_default();
    ui.print(|out| out.write_all(script(args.shell, &program).as_bytes()))?;
    Ok(Exit::Done)
}
