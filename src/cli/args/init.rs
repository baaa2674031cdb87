//! The arguments of `mediactl init`.

use std::path::PathBuf;

/// Make a first configuration, with a random password
///
/// The configuration is small and has comments. Its folder is made, too, if it is missing. The login and the
/// password of the API are printed, and are not shown again. A file that exists is never overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl init
  mediactl init site.conf && mediactl --conf site.conf serve")]
pub struct InitArgs {
    /// The file to make [default: the one of --conf]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: Option<PathBuf>,
}
