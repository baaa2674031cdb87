//! The arguments of `mediactl mv`.

use super::changing::ChangeArgs;

/// Give a stream, live or plugin another name
///
/// Only the name changes in the text: the place, the comments and everything in the block stay. A server that
/// gives no text gets a patch that makes the block anew in the same place; there, comments are lost.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl mv streams.cam1 streams.lobby
  mediactl mv --dry-run lives.studio lives.news")]
pub struct MvArgs {
    /// The present name, such as `streams.cam1`
    #[arg(value_name = "FROM")]
    pub from: String,

    /// The new name, such as `streams.lobby`
    #[arg(value_name = "TO")]
    pub to: String,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
