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
pub mod fmt;
pub mod history;
pub mod init;
pub mod lsp;
pub mod modify;
pub mod mv;
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

use crate::cli::invocation::Invocation;
use crate::error::{Error, Exit};

/// Makes the commands of a table `NAME: FILE::OPTIONS = OTHER NAMES`, in the order of the help. Other names work, and
/// the help does not show them. A command is run by `run` of its file.
macro_rules! commands {
    ($($name:ident: $file:ident::$options:ident $(= $aliases:expr)?,)*) => {
        #[derive(Debug, Subcommand)]
        pub enum CommandArgs {
            $(
                $(#[command(aliases = $aliases)])?
                $name($file::$options),
            )*
        }

        impl CommandArgs {
            /// Runs the command that was called.
            pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
                match self {
                    $(Self::$name(options) => $file::run(options, call),)*
                }
            }
        }
    };
}

commands! {
    Read: read::ReadArgs = ["get", "show", "list", "ls"],
    Modify: modify::ModifyArgs = ["set"],
    Edit: edit::EditArgs,
    Add: add::AddArgs,
    Mv: mv::MvArgs = ["rename", "move"],
    Cp: cp::CpArgs = ["copy"],
    Rm: rm::RmArgs = ["delete", "remove", "del"],
    Update: update::UpdateArgs,
    Save: save::SaveArgs,
    Apply: apply::ApplyArgs,
    Diff: diff::DiffArgs,
    Check: check::CheckArgs = ["validate", "lint", "test"],
    Explain: explain::ExplainArgs,
    Fmt: fmt::FmtArgs = ["format"],
    Lsp: lsp::LspArgs,
    History: history::HistoryArgs = ["log"],
    Rollback: rollback::RollbackArgs,
    Blame: blame::BlameArgs,
    Confirm: confirm::ConfirmArgs,
    Status: status::StatusArgs,
    Watch: watch::WatchArgs,
    Wait: wait::WaitArgs,
    Context: context::ContextArgs,
    Cluster: cluster::ClusterArgs,
    Serve: serve::ServeArgs,
    Init: init::InitArgs,
    Completion: completion::CompletionArgs,
}
