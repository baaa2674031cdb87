//! The arguments of `mediactl watch`.

/// Print each change as it happens
///
/// Prints a line with the time and, as far as the history tells, who made the change, and then the diff. The running
/// configuration of a server is asked for once a second, and sent only if it changed; a file is watched. With PATH,
/// only changes of the value there are printed; of a stream the diff shows the lines, of other values the JSON.
///
/// Runs until it is interrupted. Passwords and keys are masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl watch
  mediactl watch streams.cam1
  mediactl --url https://media.example watch 'streams.*.urls'")]
pub struct WatchArgs {
    /// Where to look [default: everywhere]
    #[arg(value_name = "PATH")]
    pub path: Option<String>,
}
