//! `mediactl cp`

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::shared::PlaceArgs;
use crate::cli::assignments::{GivenEdits, set, unset};
use crate::cli::commands::change::ChangeCommand;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::engine::Guard;
use crate::error::{Error, Exit};
use mediaconf::{AssignOptions, AssignedValue, BlockContent, BlockRequest, Request};

/// Copy a stream, live or plugin
///
/// The text of the block is copied, with its comments and those above that belong to it, and stands directly behind it. A
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

pub fn run(args: &CpArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let change = ChangeCommand::new(&args.changing, Verb::MODIFY).named("cp");
    let mut edits = GivenEdits::from_matches(call.matches);
    edits.add("set", &args.set, &|[text]| set(text, AssignedValue::Typed))?;
    edits.add("unset", &args.unset, &|[path]| unset(path))?;
    let options = AssignOptions {
        one_word: change.options.accepts(&Guard::FormChange),
        near_misses: change.options.accepts(&Guard::NearMiss),
        ..AssignOptions::default()
    };
    let request = Request::from(
        BlockRequest {
            content: BlockContent::Copied(input::value_path(&args.from)?),
            to: input::value_path(&args.to)?,
            place: (&args.place).into(),
            assignments: Vec::new(),
            options,
        }
        .with_edits(edits.in_order()),
    );
    change.with_request(&request).run(call, request.into())
}
