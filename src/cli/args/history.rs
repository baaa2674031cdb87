//! The arguments of `mediactl history`.

use clap::{Subcommand, ValueEnum};

use crate::store::ChangeRef;

/// Show what was changed, when, and by whom
///
/// One line a change, the last one first. `@1` is the text before the last change, `@2` the one before
/// that; `mediactl diff @2`, `mediactl history show 2` and `mediactl rollback 2` take these numbers. The
/// number behind `#` is the one that a change keeps, and is taken as `serial:7`. Texts that were not in the
/// sequence of texts of the file have only that one. What was done to the file by hand is a line of its
/// own as soon as the next change is made, or a server looks.
///
/// As JSON it is an array of objects with `number` (null where a text has only its `serial`), `serial`,
/// `at`, `operation`, `by`, `message`, the revisions `before` and `after`, and `aside`.
///
/// Passwords and keys are always masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  mediactl history
  mediactl history show 1
  mediactl history -o json"
)]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ListFormat {
    /// Lines
    #[default]
    Text,
    /// A JSON array
    Json,
}

#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Show the whole text before a change
    Show {
        /// Which change: counted back from the last one, or `serial:` and its own number
        #[arg(value_name = "N")]
        which: ChangeRef,
    },
}
