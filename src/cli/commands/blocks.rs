//! `mediactl add`, `mv`, `cp` and `rm`: whole streams, lives, plugins and other blocks with a name.

use serde_json::{Map, Value, json};

use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeArgs;
use crate::cli::change::ChangeCommand;
use crate::cli::input;
use crate::error::{Error, Exit};
use mediaconf::{
    AssignOptions, AssignedValue, Assignment, BlockContent, BlockRequest, ChangedValue, DirectiveRole, Kind,
    Path, Renaming, Request, Schema, Scope,
};

/// Add a stream, live or plugin
///
/// It goes behind the last one of its kind, or with `--set position=1` to the first place. It is an error if there is one
/// of this name already.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl add stream cam5 udp://239.0.0.5:1234
  mediactl add stream cam6 udp://239.0.0.6:1234 --set position=1
  mediactl add stream film file://film.mp4 --set static=false --set title=Film
  mediactl add live studio --set publish_enabled=false")]
pub struct AddArgs {
    /// What to add
    #[arg(value_name = "KIND", value_parser = ["stream", "live", "plugin"])]
    pub kind: String,

    /// Its name, taken literally
    pub name: String,

    /// The sources of a stream, the first one first
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,

    /// Set a value in it, such as `prepush=5`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

impl AddArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let kind = Schema::kind(&format!("{}s", self.kind)).expect("each of these kinds has a group");
        let mut content = Map::new();
        if kind == Kind::Streams {
            let urls = self.urls.iter().map(|url| json!({ Schema::ADDRESS: url })).collect();
            content.insert(DirectiveRole::Sources.key(Scope::Stream).to_owned(), Value::Array(urls));
        } else if !self.urls.is_empty() {
            let message = format!("`add {}` takes no URL", kind.noun());
            return Err(Error::usage(message, "leave the URL out; `--set` sets its values"));
        }
        let to = Path::of([kind.key(), &*self.name]);
        let edits = input::edits(call.matches, &[("set", &self.set)])?;
        let change = ChangeCommand::new(&self.changing, "add");
        make(change, call, (BlockContent::New(content), to), edits)
    }
}

/// Rename a stream, live, plugin or template, or many at once
///
/// Only the name changes, and what refers to it: the place, the comments and everything in the block stay. A server that
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

impl MvArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let change = ChangeCommand::new(&self.changing, "mv");
        let from = input::value_path(&self.from)?;
        if let Some(substitution) = &self.replace {
            let renaming = Renaming { from, by: input::substitution("--replace", substitution)? };
            return change.run(call, Request::from(renaming).into());
        }
        let to = input::value_path(self.to.as_deref().unwrap_or_default())?;
        make(change, call, (BlockContent::Moved(from), to), Vec::new())
    }
}

/// Copy a stream, live, plugin or template
///
/// The text of the block is copied, with its comments and those above that belong to it, and stands directly behind it. A
/// server that gives no text gets a patch, which has no comments.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl cp streams.cam1 streams.cam9
  mediactl cp streams.cam1 streams.cam9 --set prepush=2 --unset auth")]
pub struct CpArgs {
    /// What is copied, such as `streams.cam1`
    pub from: String,

    /// The name of the copy, such as `streams.cam9`
    pub to: String,

    /// Set a value of the copy, such as `prepush=5`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Remove a value of the copy; it is an error if the value is missing
    #[arg(long, value_name = "PATH")]
    pub unset: Vec<String>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

impl CpArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let change = ChangeCommand::new(&self.changing, "cp");
        let edits = input::edits(call.matches, &[("set", &self.set), ("unset", &self.unset)])?;
        let (from, to) = (input::value_path(&self.from)?, input::value_path(&self.to)?);
        make(change, call, (BlockContent::Copied(from), to), edits)
    }
}

/// Puts a block at a path, with edits of it.
fn make(
    change: ChangeCommand<'_>,
    call: Invocation<'_>,
    (content, to): (BlockContent, Path),
    edits: Vec<Assignment>,
) -> Result<Exit, Error> {
    let options = change.assigning();
    let block = BlockRequest { content, to, assignments: Vec::new(), options };
    change.run(call, Request::from(block.with_edits(edits)).into())
}

/// Remove streams, or other values
///
/// This is `mediactl modify --unset` in short. On a terminal, what a `*` or --where removes is shown, and removed
/// after a question, which --yes answers. More than a few streams are removed only if --max-delete N allows it, or after
/// a question, also where each of them is named.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl rm streams.cam1 streams.cam2
  mediactl rm 'streams.test*' --dry-run
  mediactl rm streams --where 'urls.url~10.0.3.'")]
pub struct RmArgs {
    /// What to remove, such as `streams.cam1`; `*` stands for any characters of a name
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<String>,

    /// Remove only entries that meet this condition, as in `mediactl modify`; may be given several times
    #[arg(long = "where", value_name = "CONDITION")]
    pub conditions: Vec<String>,

    /// Succeed if there is nothing to remove
    #[arg(long)]
    pub ignore_missing: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

impl RmArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let mut change = ChangeCommand::new(&self.changing, "rm");
        let options = AssignOptions { ignore_missing: self.ignore_missing, ..change.assigning() };
        let conditions = input::conditions(&self.conditions, options.near_misses)?;
        let removal =
            |text: &String| Ok(Assignment { path: input::value_path(text)?, value: AssignedValue::Remove });
        let removals = self.paths.iter().map(removal).collect::<Result<_, Error>>()?;
        let request = Request::assigning(removals, conditions, options);
        // What matches the user may not know.
        let is_group = |path: &Path| path.segments.len() == 1 && path.kind().is_some();
        if request.stands_for_many() || request.paths().iter().any(|path| is_group(path)) {
            change.asks_about = Some(|change| {
                change
                    .changed
                    .then(|| format!("this removes {}", ChangedValue::paths_in_words(&change.values)))
            });
        }
        change.run(call, request.into())
    }
}
