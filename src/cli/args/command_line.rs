//! The whole command line.

use clap::{ArgMatches, FromArgMatches, Parser, Subcommand};

use super::add::AddArgs;
use super::apply::ApplyArgs;
use super::blame::BlameArgs;
use super::check::CheckArgs;
use super::completion::CompletionArgs;
use super::confirm::ConfirmArgs;
use super::context::ContextArgs;
use super::cp::CpArgs;
use super::diff::DiffArgs;
use super::edit::EditArgs;
use super::explain::ExplainArgs;
use super::fleet::FleetCommandArgs;
use super::fmt::FmtArgs;
use super::global::GlobalArgs;
use super::help::HelpArgs;
use super::history::HistoryArgs;
use super::init::InitArgs;
use super::modify::ModifyArgs;
use super::mv::MvArgs;
use super::overlay::OverlayArgs;
use super::read::ReadArgs;
use super::rm::RmArgs;
use super::rollback::RollbackArgs;
use super::save::SaveArgs;
use super::serve::ServeArgs;
use super::status::StatusArgs;
use super::update::UpdateArgs;
use super::wait::WaitArgs;
use super::watch::WatchArgs;

/// Read and change the configuration of media servers
///
/// Comments, order and spacing stay as they are: a change touches only the bytes that have to
/// change. Every change is checked before it is written, and it is written completely or not at all.
#[derive(Debug, Parser)]
#[command(name = "mediactl", version, disable_help_subcommand = true, propagate_version = true)]
#[command(after_help = "\
Examples:
  mediactl check media.conf
  mediactl --conf media.conf read streams.cam1
  mediactl --conf media.conf modify --set streams.cam1.prepush=5 --dry-run

`mediactl COMMAND --help` describes a command in full. The manual has mediactl(1), a page for each
command such as mediactl-read(1), and media.conf(5) for the configuration file.")]
pub struct CommandLine {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: CommandArgs,
}

impl CommandLine {
    /// The command line by the matches of the whole tree, or of one in which only the commands have the options of
    /// every command.
    pub fn of(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { global: GlobalArgs::of(matches)?, command: CommandArgs::from_arg_matches(matches)? })
    }
}

// The options of a command are made when that command is called, not at each start.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum CommandArgs {
    Read(ReadArgs),
    Modify(ModifyArgs),
    Edit(EditArgs),
    Add(AddArgs),
    Mv(MvArgs),
    Cp(CpArgs),
    Rm(RmArgs),
    Update(UpdateArgs),
    Save(SaveArgs),
    Apply(ApplyArgs),
    Diff(DiffArgs),
    Check(CheckArgs),
    Explain(ExplainArgs),
    Fmt(FmtArgs),
    History(HistoryArgs),
    Rollback(RollbackArgs),
    Blame(BlameArgs),
    Confirm(ConfirmArgs),
    Status(StatusArgs),
    Watch(WatchArgs),
    Wait(WaitArgs),
    Fleet(FleetCommandArgs),
    Context(ContextArgs),
    Overlay(OverlayArgs),
    Serve(ServeArgs),
    Init(InitArgs),
    Completion(CompletionArgs),
    Help(HelpArgs),
}
