//! `mediactl confirm`, and what other programs call: `mediactl lsp` and `completion`.

use std::io::{self, BufReader};
use std::path::Path;

use serde_json::json;

use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeFormat;
use crate::cli::args::global::ResultArgs;
use crate::cli::completion::{ShellName, script};
use crate::cli::fleet::answers::ServerAnswer;
use crate::cli::fleet::members::FleetMember;
use crate::cli::fleet::plan::{self, ServerOutcome, ServerResult, exit_of_each};
use crate::cli::input::STDIN;
use crate::cli::render::report::in_words;
use crate::cli::target::Purpose;
use crate::engine::Decision;
use crate::error::{Error, Exit};
use crate::http::api::FAILED_NODES;
use crate::http::notes::word_of;
use crate::lsp::serve;

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
  mediactl confirm --rollback")]
pub struct ConfirmArgs {
    /// Roll the change back now
    #[arg(long, alias = "revert")]
    pub rollback: bool,

    /// Confirm although nodes of the cluster have failed (`failed-nodes`)
    #[arg(long, value_name = "NAME", value_parser = [FAILED_NODES], conflicts_with = "rollback")]
    pub accept: Option<String>,

    #[command(flatten)]
    pub result: ResultArgs,
}

impl ConfirmArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let purpose = Purpose { changes: true, ..Purpose::default() };
        let keep = if self.accept.is_some() { Decision::KeepThoughFailed } else { Decision::Keep };
        let (decision, done, outcome) = match self.rollback {
            true => (Decision::RollBack, "rolled back", ServerOutcome::TakenBack),
            false => (keep, "confirmed", ServerOutcome::Confirmed),
        };
        let work = |server: &mut FleetMember| server.target.service.decide(decision, None, "");
        let answers = call.fleet(purpose)?.gather("confirm", work)?;
        for (server, decided) in answers.found() {
            decided.notes.iter().for_each(|note| call.ui.note(&answers.named(server, &in_words(note))));
        }
        if let Some((name, decided)) = answers.one() {
            let notes: Vec<String> = decided.notes.iter().map(word_of).collect();
            let record = json!({ "result": done, "target": name, "notes": notes });
            call.ui.done(&format!("{done}: the last change of {name}"), &record)?;
            return Ok(Exit::Done);
        }
        let result = |ServerAnswer { server, result }| {
            let error = Result::err(result);
            let outcome = if error.is_some() { ServerOutcome::Refused } else { outcome };
            ServerResult::new(server, outcome, error)
        };
        let results: Vec<ServerResult> = answers.list.into_iter().map(result).collect();
        let form = if call.ui.is_json() { ChangeFormat::Json } else { ChangeFormat::Diff };
        plan::print(&results, "confirm", form, self.result.quiet, call.ui)?;
        Ok(exit_of_each(&results))
    }
}

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
    #[arg(value_name = "SHELL")]
    pub shell: ShellName,
}

impl CompletionArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let program = std::env::args_os().next().unwrap_or_default();
        call.ui.print(|out| out.write_all(script(self.shell, &program).as_bytes()))?;
        Ok(Exit::Done)
    }
}
