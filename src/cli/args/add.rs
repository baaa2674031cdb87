//! The arguments of `mediactl add`.

use clap::ValueEnum;

use super::block_place::PlaceArgs;
use super::changing::ChangeArgs;
use mediaconf::model::Kind;

/// Add a stream, live or plugin
///
/// It goes behind the last one of its kind: a stream behind the last `stream`, or with static=false behind the last
/// `ondemand`. It is an error if there is one of this name already.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl add stream cam5 udp://239.0.0.5:1234
  mediactl add stream cam6 udp://239.0.0.6:1234 --after cam1
  mediactl add stream film file://film.mp4 --set static=false --set title=Film
  mediactl add live studio --set publish_enabled=false")]
pub struct AddArgs {
    /// What to add
    #[arg(value_name = "KIND")]
    pub kind: AddedKind,

    /// Its name, taken literally
    #[arg(value_name = "NAME")]
    pub name: String,

    /// The sources of a stream, the first one first
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,

    /// Set a value in it, such as `prepush=5`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    #[command(flatten)]
    pub place: PlaceArgs,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

/// What can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AddedKind {
    Stream,
    Live,
    Plugin,
}

impl From<AddedKind> for Kind {
    fn from(kind: AddedKind) -> Self {
        match kind {
            AddedKind::Stream => Self::Stream,
            AddedKind::Live => Self::Live,
            AddedKind::Plugin => Self::Plugin,
        }
    }
}
