//! The commands: each has its options, its help and its work in one file, and a row of the table below. What those that
//! change something share is in [`super::change`].

pub mod blocks;
pub mod check;
pub mod cluster;
pub mod confirm;
pub mod context;
pub mod diff;
pub mod edit;
pub mod explain;
pub mod follow;
pub mod history;
pub mod init;
pub mod modify;
pub mod read;
pub mod serve;
pub mod status;
pub mod texts;
pub mod tools;

use clap::Subcommand;

use crate::cli::args::Invocation;
use crate::error::{Error, Exit};

/// Makes the commands of a table `NAME: FILE::OPTIONS = OTHER NAMES`, in the order of the help. Other names work, and
/// the help does not show them.
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
                    $(Self::$name(options) => options.run(call),)*
                }
            }
        }
    };
}

commands! {
    Read: read::ReadArgs = ["get", "show", "list", "ls"],
    Modify: modify::ModifyArgs = ["set"],
    Edit: edit::EditArgs,
    Add: blocks::AddArgs,
    Mv: blocks::MvArgs = ["rename", "move"],
    Cp: blocks::CpArgs = ["copy"],
    Rm: blocks::RmArgs = ["delete", "remove", "del"],
    Update: texts::UpdateArgs,
    Save: texts::SaveArgs,
    Apply: texts::ApplyArgs,
    Diff: diff::DiffArgs,
    Check: check::CheckArgs = ["validate", "lint", "test"],
    Explain: explain::ExplainArgs,
    Fmt: texts::FmtArgs = ["format"],
    Lsp: tools::LspArgs,
    History: history::HistoryArgs = ["log"],
    Revert: texts::RevertArgs,
    Rollback: texts::RollbackArgs,
    Blame: history::BlameArgs,
    Confirm: confirm::ConfirmArgs,
    Status: status::StatusArgs,
    Watch: follow::WatchArgs,
    Wait: follow::WaitArgs,
    Context: context::ContextArgs,
    Cluster: cluster::ClusterArgs,
    Serve: serve::ServeArgs,
    Init: init::InitArgs,
    Completion: tools::CompletionArgs,
}
