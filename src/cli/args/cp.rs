//! The arguments of `mediactl cp`.

use super::block_place::PlaceArgs;
use super::changing::ChangeArgs;

/// Copy a stream, live or plugin
///
/// The text of the block is copied, with its comments and those directly above it, and stands directly behind it. A
/// server that gives no text gets a patch, which has no comments.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl cp streams.cam1 streams.cam9
  mediactl cp streams.cam1 streams.cam9 --before cam3
  mediactl cp streams.cam1 streams.cam9 --set prepush=2 --unset auth")]
pub struct CpArgs {
    /// What is copied, such as `streams.cam1`
    #[arg(value_name = "FROM")]
    pub from: String,

    /// The name of the copy, such as `streams.cam9`
    #[arg(value_name = "TO")]
    pub to: String,

    /// Set a value of the copy, such as `prepush=5`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Remove a value of the copy; it is an error if the value is missing
    #[arg(long, value_name = "PATH")]
    pub unset: Vec<String>,

    #[command(flatten)]
    pub place: PlaceArgs,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
