//! What other programs call: `mediactl lsp` and `completion`.

use std::io::{self, BufReader};
use std::path::Path;

use crate::cli::args::Invocation;
use crate::cli::completion::{ShellName, script};
use crate::cli::input::STDIN;
use crate::error::{Error, Exit};
use crate::lsp::serve;

/// Run the language server, which shows a text editor the faults while you type
///
/// An editor with a client of the Language Server Protocol starts this program and speaks with it on standard input
/// and output. While you type, it shows what `check` says afterwards, also of included files, and offers completion,
/// documentation, an outline, formatting, the definition of a name, and its renaming. Nothing is written:
/// the editor makes the changes. What it sends holds no secret, except in edits of the text. Settings for Vim, Neovim,
/// Helix, VS Code and Emacs are in `examples/editors`, which the packages have in `share/doc/mediactl`.
///
/// The exit code is 0 if the editor ended the session as the protocol has it (`shutdown`, then `exit`), else 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  vim.lsp.start({name = 'mediactl', cmd = {'mediactl', 'lsp'}})    # in Neovim")]
pub struct LspArgs {
    /// Standard input and output, as some clients name them; nothing else is possible
    #[arg(long, hide = true)]
    pub stdio: bool,
}

impl LspArgs {
    pub fn run(&self, _: Invocation<'_>) -> Result<Exit, Error> {
        match serve(&mut BufReader::new(io::stdin().lock()), &mut io::stdout().lock()) {
            Ok(true) => Ok(Exit::Done),
            Ok(false) => Ok(Exit::Different),
            // The client is gone.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Different),
            Err(error) => Err(Error::input_failed(Path::new(STDIN), error)),
        }
    }
}

/// Print the script that makes a shell complete commands of `mediactl`
///
/// Commands, options, files, contexts, numbers of the history, and paths are completed: `--set streams.ca` and
/// the Tab key give the names of streams, then keys with their documentation (zsh, fish), then the values that are
/// known. The shell asks `mediactl` itself, which reads the configuration or asks the server that the command
/// line names. It asks no question, shows no error and no secret, and waits at most a second for a server.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  source <(mediactl completion bash)      # in ~/.bashrc
  source <(mediactl completion zsh)       # in ~/.zshrc, after compinit
  mediactl completion fish | source       # in ~/.config/fish/config.fish")]
pub struct CompletionArgs {
    /// The shell
    pub shell: ShellName,
}

impl CompletionArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let program = std::env::args_os().next().unwrap_or_default();
        call.ui.print(|out| out.write_all(script(self.shell, &program).as_bytes()))?;
        Ok(Exit::Done)
    }
}
