//! `mediactl add`

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::shared::PlaceArgs;
use crate::cli::assignments::set;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::engine::Guard;
use crate::error::{Error, Exit};
use mediaconf::{
    AssignOptions, AssignedValue, BlockContent, BlockRequest, DirectiveRole, Kind, Path, Request, SOURCE,
    Scope, Segment,
};

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

/// The kinds of entries that can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AddedKind {
    Stream,
    Live,
    Plugin,
}

impl From<AddedKind> for Kind {
    fn from(kind: AddedKind) -> Self {
        match kind {
            AddedKind::Stream => Kind::Streams,
            AddedKind::Live => Kind::Lives,
            AddedKind::Plugin => Kind::Plugins,
        }
    }
}

pub fn run(args: &AddArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let change = ChangeCommand::new(&args.changing, Verb::MODIFY).named("add");
    let kind = Kind::from(args.kind);
    if kind != Kind::Streams && !args.urls.is_empty() {
        return Err(Error::usage(
            format!("`add {}` takes no URL", kind.noun()),
            "leave the URL out; `--set` sets its values",
        ));
    }
    let assignments =
        args.set.iter().map(|text| set(text, AssignedValue::Typed)).collect::<Result<_, _>>()?;
    let request = Request::from(
        BlockRequest {
            content: BlockContent::New(content(kind, &args.urls)),
            to: Path { segments: vec![Segment::Key(kind.key().to_owned()), Segment::Key(args.name.clone())] },
            place: (&args.place).into(),
            assignments: Vec::new(),
            options: AssignOptions {
                one_word: change.options.accepts(&Guard::FormChange),
                near_misses: change.options.accepts(&Guard::NearMiss),
                ..AssignOptions::default()
            },
        }
        .with_edits(assignments),
    );
    change.with_request(&request).run(call, request.into())
}

/// Returns the first content of the new block.
fn content(kind: Kind, urls: &[String]) -> Map<String, Value> {
    let urls: Vec<Value> = urls.iter().map(|url| json!({ SOURCE.address: url })).collect();
    let sources = (kind == Kind::Streams)
        .then(|| (DirectiveRole::Sources.key(Scope::Stream).to_owned(), Value::Array(urls)));
    sources.into_iter().collect()
}
