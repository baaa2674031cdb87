//! `mediactl mv`

use crate::cli::args::changing::ChangeArgs;
use crate::cli::assignments::substitution_of;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::error::{Error, Exit};
use mediaconf::{AssignOptions, BlockContent, BlockPlace, BlockRequest, Renaming, Request};

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

pub fn run(args: &MvArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let request = request(args)?;
    let change = ChangeCommand::new(&args.changing, Verb::MODIFY).named("mv").with_request(&request);
    change.run(call, request.into())
}

fn request(args: &MvArgs) -> Result<Request, Error> {
    if let Some(substitution) = &args.replace {
        let by = substitution_of("--replace", substitution)?;
        return Ok(Renaming { from: input::value_path(&args.from)?, by }.into());
    }
    Ok(Request::from(BlockRequest {
        content: BlockContent::Moved(input::value_path(&args.from)?),
        to: input::value_path(args.to.as_deref().unwrap_or_default())?,
        place: BlockPlace::Usual,
        assignments: Vec::new(),
        options: AssignOptions::default(),
    }))
}
