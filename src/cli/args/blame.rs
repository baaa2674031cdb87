//! The arguments of `mediactl blame`.

use super::history::ListFormat;

/// Show which changes set a value
///
/// Shows one line for each change of the value, the last one first: when, by whom, the old and the new
/// value. Only changes whose texts are still in the history are found.
///
/// As JSON the output is an array of the entries that `mediactl history` shows, with `from` and `to`.
///
/// Passwords and keys are always masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl blame streams.cam1.prepush
  mediactl blame streams.cam1.prepush -n 1
  mediactl blame 'streams.cam1.urls[0].url' -o json")]
pub struct BlameArgs {
    /// Which value, such as `streams.cam1.prepush`
    #[arg(value_name = "PATH")]
    pub path: String,

    /// Show at most this many changes
    #[arg(short = 'n', long, value_name = "N")]
    pub max_count: Option<usize>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}
