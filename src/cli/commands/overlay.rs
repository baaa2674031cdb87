//! `mediactl overlay`

use clap::{ArgMatches, Subcommand};
use serde_json::{Map, Value, json};

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::shared::ListFormat;
use crate::cli::assignments::{GivenEdits, set, unset};
use crate::cli::cluster;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::cli::render::table;
use crate::cli::ui::Ui;
use crate::engine::{OverlayChange, OverlayEdit, Refusal, RequestedChange};
use crate::store::cluster::{ClusterStore, is_node_name};
use crate::store::{NamedPatch, Overlays, Store};
use mediaconf::plumbing::edit::{AssignOptions, AssignedValue, ChangeRequest, Edits, Path, Segment};
use mediaconf::plumbing::model::masked_json;
use mediaconf::plumbing::syntax::one_line;

/// Show and set what differs on one node of a cluster, or on a group of nodes
///
/// An overlay is a patch (RFC 7396) that a node merges into the configuration of the cluster before it runs it:
/// ports, addresses and keys that are its own. The overlay of its group, whose name starts with `@`, comes
/// first, then that of the node. The configuration itself stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl --cluster etcd://10.0.0.1/prod overlay set edge7 --set 'http=[8087]'
  mediactl overlay set @edge --set streams.cam1.prepush=5 --unset rtsp
  mediactl overlay show edge7
  mediactl overlay remove edge7 http
  mediactl overlay list")]
pub struct OverlayArgs {
    #[command(subcommand)]
    pub command: OverlayCommand,
}

#[derive(Debug, Subcommand)]
pub enum OverlayCommand {
    /// List all overlays, with the paths of their values
    List {
        /// How to print them
        #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
        output: ListFormat,
    },
    /// Show an overlay as JSON; null stands for what is removed
    Show {
        /// The node, or the group behind an `@`
        #[arg(value_name = "NODE")]
        node: String,
    },
    /// Set values on a node, or remove them there
    Set(SetOverlayArgs),
    /// Remove an overlay, or some values of it: the node has those of the cluster again
    Remove(RemoveOverlayArgs),
}

#[derive(Debug, clap::Args)]
pub struct RemoveOverlayArgs {
    /// The node, or the group behind an `@`
    #[arg(value_name = "NODE", required_unless_present = "all")]
    pub node: Option<String>,

    /// Remove all overlays, of each node and group, also if they can't be read
    #[arg(long, conflicts_with = "node")]
    pub all: bool,

    /// The values, such as `http` or `streams.cam1` [default: all]
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

#[derive(Debug, clap::Args)]
#[command(override_usage = "mediactl overlay set [OPTIONS] <--set|--set-string|--unset>... <NODE>")]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["set", "set_string", "unset"]))]
pub struct SetOverlayArgs {
    /// The node, or the group behind an `@`
    #[arg(value_name = "NODE")]
    pub node: String,

    /// Set a value, such as `http=[8087]`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Set a string, even if it looks like a number or JSON
    #[arg(long, value_name = "PATH=TEXT")]
    pub set_string: Vec<String>,

    /// Leave a value of the cluster out; may be given several times
    #[arg(long, value_name = "PATH")]
    pub unset: Vec<String>,

    /// Accept a node that was never there, a keyword that looks misspelt, and new blocks
    #[arg(long)]
    pub create: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

pub fn run(args: &OverlayArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let (store, _) = cluster::named("overlays", call.global)?;
    match &args.command {
        OverlayCommand::List { output } => list(&store, *output, call.ui),
        OverlayCommand::Show { node } => show(&store, node, call.ui),
        OverlayCommand::Set(args) => {
            let (_, matches) = call.matches.subcommand().expect("a command was given");
            let edit = OverlayEdit::Set { request: request(args, matches)?, creates: args.create };
            change(one(&args.node, edit)?, &args.changing, call)
        }
        OverlayCommand::Remove(args) => {
            let paths = args.paths.iter().map(|path| input::value_path(path));
            let edit = OverlayEdit::Remove(paths.collect::<Result<_, _>>()?);
            let removed = match &args.node {
                Some(node) => one(node, edit)?,
                None => OverlayChange::RemoveAll,
            };
            change(removed, &args.changing, call)
        }
    }
}

/// Changes an overlay as every change is made.
fn change(change: OverlayChange, args: &ChangeArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    ChangeCommand::new(args, Verb::MODIFY).named("overlay").run(call, RequestedChange::Overlay(change))
}

fn one(node: &str, edit: OverlayEdit) -> Result<OverlayChange, CliError> {
    refuse_bad_name(node)?;
    Ok(OverlayChange::One { name: node.to_owned(), edit: Box::new(edit) })
}

/// The overlays, unless nobody trusts who wrote them.
fn trusted_overlays(store: &ClusterStore) -> Result<Overlays, CliError> {
    Ok(store.overlays().map_err(Refusal::of_overlays)?)
}

fn list(store: &ClusterStore, form: ListFormat, ui: Ui) -> Result<Exit, CliError> {
    let overlays = trusted_overlays(store)?;
    match form {
        ListFormat::Json => {
            let record =
                |(name, patch): &NamedPatch| json!({"node": name, "patch": shown(patch.clone(), ui)});
            ui.print_json(&overlays.iter().map(record).collect::<Vec<_>>())?;
        }
        ListFormat::Text if overlays.is_empty() => {
            ui.say("there are no overlays; `mediactl overlay set NODE --set PATH=VALUE` makes one");
        }
        ListFormat::Text => ui.print(|out| {
            let row = |(name, patch): &NamedPatch| {
                let mut paths = Vec::new();
                patch
                    .as_object()
                    .into_iter()
                    .for_each(|patch| collect_paths(patch, &mut Vec::new(), &mut paths));
                vec![one_line(name), one_line(&paths.join(" "))]
            };
            let headings = ["NODE", "VALUES"].map(str::to_owned).to_vec();
            let rows = std::iter::once(headings).chain(overlays.iter().map(row)).collect();
            table::print(rows, ui.screen(), out)
        })?,
    }
    Ok(Exit::Done)
}

/// The paths of the values in a patch.
fn collect_paths(patch: &Map<String, Value>, above: &mut Vec<Segment>, paths: &mut Vec<String>) {
    for (key, value) in patch {
        above.push(Segment::Key(key.clone()));
        match value {
            Value::Object(members) if !members.is_empty() => collect_paths(members, above, paths),
            _ => paths.push(Path { segments: above.clone() }.to_string()),
        }
        above.pop();
    }
}

fn show(store: &ClusterStore, node: &str, ui: Ui) -> Result<Exit, CliError> {
    refuse_bad_name(node)?;
    let overlays = trusted_overlays(store)?;
    match overlays.iter().find(|(name, _)| name == node) {
        Some((_, patch)) => ui.print_json(&shown(patch.clone(), ui)).map(|()| Exit::Done),
        None => Err(CliError::no_overlay(node)),
    }
}

/// A patch as users see it.
fn shown(patch: Value, ui: Ui) -> Value {
    match ui.masker() {
        Some(masker) => masked_json(&patch, &masker),
        None => patch,
    }
}

fn refuse_bad_name(node: &str) -> Result<(), CliError> {
    let hint = "use letters, digits and `.`, `_`, `-`; an `@` in front is for a group";
    match is_node_name(node) {
        true => Ok(()),
        false => Err(CliError::usage(format!("`{node}` can't be the name of a node"), hint)),
    }
}

fn request(args: &SetOverlayArgs, matches: &ArgMatches) -> Result<ChangeRequest, CliError> {
    let mut edits = GivenEdits::from_matches(matches);
    edits.add("set", &args.set, &|[text]| set(text, AssignedValue::Typed))?;
    edits.add("set_string", &args.set_string, &|[text]| set(text, AssignedValue::Text))?;
    edits.add("unset", &args.unset, &|[path]| unset(path))?;
    let options = AssignOptions { create: args.create, ..AssignOptions::default() };
    let edits = Edits::Assignments { assignments: edits.in_order(), conditions: Vec::new(), options };
    Ok(ChangeRequest { edits, expectations: Vec::new() })
}
