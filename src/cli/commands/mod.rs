//! The commands: each is a file with its options, its help and its work, and a row of the table below. [`change`] has
//! what those that change something share.

pub mod add;
pub mod apply;
pub mod blame;
pub mod change;
pub mod check;
mod check_fix;
pub mod cluster;
pub mod completion;
pub mod confirm;
pub mod context;
pub mod cp;
pub mod diff;
pub mod edit;
pub mod explain;
pub mod fleet;
pub mod fmt;
pub mod help;
pub mod history;
pub mod init;
pub mod lsp;
pub mod modify;
pub mod mv;
pub mod overlay;
pub mod read;
pub mod rm;
pub mod rollback;
pub mod save;
pub mod serve;
pub mod status;
pub mod update;
pub mod wait;
pub mod watch;

use clap::Subcommand;

use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::invocation::Invocation;

/// Makes the commands of a table `NAME: FILE::OPTIONS`, in the order of the help. A command is run by `run` of its file.
macro_rules! commands {
    ($($name:ident: $file:ident::$options:ident,)*) => {
        // The options of a command are made when that command is called, not at each start.
        #[derive(Debug, Subcommand)]
        #[command(defer = true)]
        pub enum CommandArgs {
            $($name($file::$options),)*
        }

        impl CommandArgs {
            /// Runs the command that was called.
            pub fn run(&self, call: Invocation<'_>) -> Result<Exit, CliError> {
                match self {
                    $(Self::$name(options) => $file::run(options, call),)*
                }
            }
        }
    };
}

commands! {
    Read: read::ReadArgs,
    Modify: modify::ModifyArgs,
    Edit: edit::EditArgs,
    Add: add::AddArgs,
    Mv: mv::MvArgs,
    Cp: cp::CpArgs,
    Rm: rm::RmArgs,
    Update: update::UpdateArgs,
    Save: save::SaveArgs,
    Apply: apply::ApplyArgs,
    Diff: diff::DiffArgs,
    Check: check::CheckArgs,
    Explain: explain::ExplainArgs,
    Fmt: fmt::FmtArgs,
    Lsp: lsp::LspArgs,
    History: history::HistoryArgs,
    Rollback: rollback::RollbackArgs,
    Blame: blame::BlameArgs,
    Confirm: confirm::ConfirmArgs,
    Status: status::StatusArgs,
    Watch: watch::WatchArgs,
    Wait: wait::WaitArgs,
    Fleet: fleet::FleetCommandArgs,
    Context: context::ContextArgs,
    Overlay: overlay::OverlayArgs,
    Cluster: cluster::ClusterArgs,
    Serve: serve::ServeArgs,
    Init: init::InitArgs,
    Completion: completion::CompletionArgs,
    Help: help::HelpArgs,
}
