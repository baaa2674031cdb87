//! The arguments of `mediactl explain`.

use super::history::ListFormat;

/// Explain a parameter, and show its value and where that comes from
///
/// Shows what the parameter is for, its type, unit and default, how it is written in the text and in JSON, where
/// it may stand, and an example. `streams.prepush` is the parameter of any stream, `streams.cam1.prepush`
/// that of one: then the value that holds there is shown, too, with the file and the line where it is set.
/// The value is its own, that of the top level (`global`), derived from the text around it, or the default.
/// The members of an object are listed.
///
/// A keyword of the text, such as `streams.url`, stands for its key in JSON. Passwords and keys are always
/// masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl explain streams
  mediactl explain streams.prepush
  mediactl explain streams.cam1.auth
  mediactl explain edit_auth.password -o json")]
pub struct ExplainArgs {
    /// What to explain, such as `streams.prepush` or `streams.cam1.prepush`
    #[arg(value_name = "PATH")]
    pub path: String,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}
