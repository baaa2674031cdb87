//! What clap parses: the options of every command, and the command.

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};

use super::args::global::GlobalArgs;
use super::commands::CommandArgs;

/// Read and change the configuration of media servers
///
/// Comments, order and spacing stay as they are: a change touches only the bytes that have to
/// change. Every change is checked before it is written, and it is written completely or not at all.
#[derive(Debug, Parser)]
#[command(name = "mediactl", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Options of every command, such as --conf, --url and -x: `mediactl --help`")]
#[command(after_long_help = "\
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
    /// The command line by the matches of the tree.
    pub fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            global: GlobalArgs::from_matches(matches)?,
            command: CommandArgs::from_arg_matches(matches)?,
        })
    }
}

/// Returns the tree of commands and options, from which the manual pages are made, too.
pub fn command() -> Command {
    CommandLine::command()
}
