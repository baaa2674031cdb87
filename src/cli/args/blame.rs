//! The arguments of `mediactl blame`.

use super::history::ListFormat;

/// Show which changes made a value what it is
///
/// One line a change of the value, the last one first: when, who, what it was, what it became. Only
/// texts that are still kept are looked at.
///
/// As JSON it is an array of what `mediactl history` shows of each change, with `from` and `to`.
///
/// Passwords and keys are always masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl blame streams.cam1.prepush
  mediactl blame 'streams.cam1.urls[0].url' -o json")]
pub struct BlameArgs {
    /// Which value, such as `streams.cam1.prepush`
    #[arg(value_name = "PATH")]
    pub path: String,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}
