//! The options of a change on several servers, and the arguments of `mediactl fleet`.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::confirm_time::confirm_time;
use super::history::ListFormat;
use crate::cli::error::CliError;

/// Options of a change on several servers.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of a change on several servers")]
pub struct FleetArgs {
    /// Make the change on all servers or on none: each server rolls it back unless all have made it
    #[arg(long)]
    pub all_or_nothing: bool,

    /// Begin with these servers, or with these nodes of a cluster: how many, or their names separated by commas
    #[arg(long, value_name = "N|NAME", value_delimiter = ',')]
    pub canary: Vec<String>,

    /// How long the first servers have to stay healthy before the others follow
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = confirm_time)]
    pub canary_time: Duration,

    /// Shell command that fails if a server is not healthy; MEDIACTL_CONTEXT is the server, for `mediactl` in it
    #[arg(long, value_name = "CMD")]
    pub health_cmd: Option<String>,
}

impl FleetArgs {
    /// Refuses options that say nothing about one server.
    pub fn refuse_for_one(&self) -> Result<(), CliError> {
        let promise = self.all_or_nothing.then_some("--all-or-nothing");
        let refused = |option| {
            let hint = "name them with `-x 'edge-*'`, `-x a,b` or `--group GROUP`; `--canary` works with `--cluster`, too";
            Err(CliError::usage(format!("`{option}` is for changes of several servers"), hint))
        };
        promise.or(self.part_of_promise()).map_or(Ok(()), refused)
    }

    /// Refuses options that say nothing where each server is changed for itself.
    pub fn refuse_for_each(&self) -> Result<(), CliError> {
        let refused = |option| {
            let hint =
                "add `--all-or-nothing`, or leave the option out: each server is then changed for itself";
            Err(CliError::usage(format!("`{option}` goes with `--all-or-nothing`"), hint))
        };
        self.part_of_promise().map_or(Ok(()), refused)
    }

    /// An option that goes with `--all-or-nothing`, if one is given.
    fn part_of_promise(&self) -> Option<&'static str> {
        let given = [(!self.canary.is_empty(), "--canary"), (self.health_cmd.is_some(), "--health-cmd")];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// Finish a change on several servers that was interrupted, or take it back
///
/// A change on several servers has a journal in `~/.local/state/mediactl` (or below XDG_STATE_HOME), which is
/// removed when the change is made everywhere or nowhere. Where it stands on some servers only, it says what
/// stands where.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mediactl fleet status
  mediactl fleet resume
  mediactl fleet resume --take-back")]
pub struct FleetCommandArgs {
    #[command(subcommand)]
    pub command: FleetCommand,
}

#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Show which changes are unfinished, and what stands on each server now
    ///
    /// The exit code is 1 if there is one, otherwise 0.
    Status {
        /// How to print it
        #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
        output: ListFormat,
    },
    /// Make the change on the servers that do not have it yet
    ///
    /// Each server gets the text that was computed for it, and only if it still runs the text before it. A
    /// server that waits for the confirmation is confirmed.
    Resume(ResumeArgs),
    /// Forget an unfinished change: its journal and the texts in it are removed, and no server is asked
    Forget {
        /// Which change [default: the only one]
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Which change, as `mediactl fleet status` shows it [default: the only one]
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// Take the change back where it stands instead
    #[arg(long)]
    pub take_back: bool,

    /// Answer yes to the question
    #[arg(short, long)]
    pub yes: bool,

    /// How to print the result
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}
