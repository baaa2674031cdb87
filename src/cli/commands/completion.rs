//! `mediactl completion`

use crate::cli::completion::{ShellName, script};
use crate::cli::invocation::Invocation;
use crate::error::{Error, Exit};

/// Print the script that makes a shell complete commands of `mediactl`
///
/// Commands, options, files, contexts, numbers of the history, and paths are completed: `--set streams.ca` and
/// the Tab key give the names of streams, then keys with their documentation (zsh, fish), then the values that are
/// known. The shell asks `mediactl` itself, which reads the configuration or asks the server that the command
/// line names. It asks no question, shows no error and no secret, and gives nothing where a server takes more than
/// a second.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  source <(mediactl completion bash)      # in ~/.bashrc
  source <(mediactl completion zsh)       # in ~/.zshrc, after compinit
  mediactl completion fish | source       # in ~/.config/fish/config.fish")]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: ShellName,
}

pub fn run(args: &CompletionArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let program = std::env::args_os().next().unwrap_or_default();
    call.ui.print(|out| out.write_all(script(args.shell, &program).as_bytes()))?;
    Ok(Exit::Done)
}
