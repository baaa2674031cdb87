//! The arguments of `mediactl history`.

use clap::builder::RangedU64ValueParser;
use clap::{Subcommand, ValueEnum};

use crate::store::ChangeRef;

/// Show what was changed, when, and by whom
///
/// Shows one line for each change, the last one first: when it was made (in the zone of this machine, without the date if it was today, on a terminal), by whom, and
/// the first paths that it changed. `@1` is the text before the last change, `@2` the
/// text before that; `mediactl diff @2`, `mediactl history show 2` and `mediactl rollback 2` take these
/// numbers, which grow with each new change. The number behind `#` never changes; write it as `serial:7`.
/// An entry with only a `#` holds a text that is kept aside, such as a running configuration that was
/// unsaved when its server ended. A hand edit of the file gets its own entry as soon as the next change is
/// made, or a server reads the file.
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
  mediactl history -p -n 5 streams.cam1
  mediactl history --since yesterday
  mediactl history show 1
  mediactl history -o json"
)]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,

    /// Show only the changes of the value at this path, and with --patch only their difference there
    #[arg(value_name = "PATH")]
    pub path: Option<String>,

    /// Show what each change did, as a diff
    #[arg(short, long)]
    pub patch: bool,

    /// Show at most this many changes
    #[arg(short = 'n', long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub max_count: Option<usize>,

    /// Show the changes since then: a date (`2026-11-22`, `2026-11-22 15:04`), or how long ago (`2h`, `3 days`)
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ListFormat {
    /// One line for each entry
    #[default]
    Text,
    /// JSON
    Json,
}

#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Show the whole text from before a change
    Show {
        /// Which change: counted back from the last one, or `serial:` and its `#` number
        #[arg(value_name = "N")]
        which: ChangeRef,
    },
}
