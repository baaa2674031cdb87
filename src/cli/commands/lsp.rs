//! `mediactl lsp`

use std::io::{self, BufReader};
use std::path::Path;

use crate::cli::input::STDIN;
use crate::cli::invocation::Invocation;
use crate::error::{Error, Exit};
use crate::lsp::serve;

/// Tell a text editor of the configuration while it is edited (a language server)
///
/// An editor with a client of the Language Server Protocol starts this program and speaks with it on standard input
/// and output. While you type, it shows what `check` says afterwards, also of included files, and offers completion,
/// documentation, an outline, formatting, the definition and all uses of a name, and its renaming. Nothing is written:
/// the editor makes the changes. No secret stands in what it tells, except in edits of the text. Settings for Vim, Neovim,
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

pub fn run(_: &LspArgs, _: Invocation<'_>) -> Result<Exit, Error> {
    let mut input = BufReader::new(io::stdin().lock());
    let mut output = io::stdout().lock();
    match serve(&mut input, &mut output) {
        Ok(true) => Ok(Exit::Done),
        // The client is gone.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Different),
        Ok(false) => Ok(Exit::Different),
        Err(error) => Err(Error::input_failed(Path::new(STDIN), error)),
    }
}
