//! The arguments of `mediactl wait`.

/// Wait until a value is there
///
/// Waits until the configuration has this value: the running one of a server, or the file where no server runs.
/// The value is written as for --set; `PATH=null` waits until there is none. If several are given, all have to be
/// there at the same time. A server that cannot be reached yet is waited for, too. `--timeout SECONDS` limits the whole
/// wait; without it there is no limit.
///
/// The exit code is 0 when the values are there, and 1 when the time is over.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl wait streams.cam1.prepush=5 --timeout 30
  mediactl --url https://media.example wait streams.cam9=null")]
pub struct WaitArgs {
    /// The value that has to be there
    #[arg(value_name = "PATH=VALUE", required = true)]
    pub expected: Vec<String>,
}
