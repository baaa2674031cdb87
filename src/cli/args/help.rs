//! The arguments of `mediactl help`.

/// Explain a command, or the options of every command
///
/// `mediactl help COMMAND` says the same as `mediactl COMMAND --help`. `mediactl help options` explains the
/// options that every command has, and those of every change.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl help modify
  mediactl help context add
  mediactl help options")]
pub struct HelpArgs {
    /// The command, or `options` [default: an overview]
    #[arg(value_name = "COMMAND")]
    pub topic: Vec<String>,
}
