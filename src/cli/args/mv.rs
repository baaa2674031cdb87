//! The arguments of `mediactl mv`.

use super::changing::ChangeArgs;

/// Give a stream, live or plugin another name, or many at once
///
/// Only the name changes in the text: the place, the comments and everything in the block stay. A server that
/// gives no text gets a patch that makes the block anew in the same place; there, comments are lost.
///
/// With --replace, FROM may have a `*`, and all names that it stands for change in one change: `s/OLD/NEW/`, or
/// `s/OLD/NEW/r` with a regular expression. It is refused as a whole if two would get the same name.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl mv streams.cam1 streams.lobby
  mediactl mv 'streams.cam*' --replace s/cam/gate/
  mediactl mv --dry-run lives.studio lives.news")]
pub struct MvArgs {
    /// The present name, such as `streams.cam1`
    #[arg(value_name = "FROM")]
    pub from: String,

    /// The new name, such as `streams.lobby`
    #[arg(value_name = "TO", required_unless_present = "replace", conflicts_with = "replace")]
    pub to: Option<String>,

    /// Replace a part of each name that FROM stands for: `s/OLD/NEW/`, or `s/OLD/NEW/r` with a regular expression
    #[arg(long, value_name = "s/OLD/NEW/")]
    pub replace: Option<String>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
