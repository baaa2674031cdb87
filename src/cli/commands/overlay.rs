//! `mediactl overlay`

use std::sync::Arc;

use clap::{ArgMatches, Subcommand};
use serde_json::{Map, Value, json};

use crate::cli::args::shared::ListFormat;
use crate::cli::assignments::{GivenEdits, set, unset};
use crate::cli::cluster;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::table;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::engine::{Refusal, Snapshot};
use crate::store::Store;
use crate::store::cluster::{ClusterStore, Overlay, is_node_name};
use mediaconf::edit;
use mediaconf::edit::json_merge::compose;
use mediaconf::edit::{AssignOptions, AssignedValue, ChangeRequest, Edits, LocalView, Path, Segment};
use mediaconf::model::{Lens, masked_json};
use mediaconf::syntax::one_line;

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
    Remove {
        /// The node, or the group behind an `@`
        #[arg(value_name = "NODE")]
        node: String,

        /// The values, such as `http` or `streams.cam1` [default: all]
        #[arg(value_name = "PATH")]
        paths: Vec<String>,

        /// Agree to the change of a protected context
        #[arg(short, long)]
        yes: bool,
    },
}

impl OverlayCommand {
    /// True if the user agrees to a change already; `None` if nothing changes.
    pub fn agreement(&self) -> Option<bool> {
        match self {
            Self::Set(SetOverlayArgs { yes, .. }) | Self::Remove { yes, .. } => Some(*yes),
            Self::List { .. } | Self::Show { .. } => None,
        }
    }
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

    /// Accept a keyword that looks misspelt, and new blocks
    #[arg(long)]
    pub create: bool,

    /// Agree to the change of a protected context
    #[arg(short, long)]
    pub yes: bool,
}

pub fn run(args: &OverlayArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let Invocation { global, matches, ui, .. } = call;
    let (store, context) = cluster::named("overlays", global)?;
    if let (Some(context), Some(is_agreed)) = (context, args.command.agreement()) {
        target::ask_if_protected(&context, &Purpose { changes: true, is_agreed, ..Purpose::default() })?;
    }
    match &args.command {
        OverlayCommand::List { output } => list(&store, *output, ui),
        OverlayCommand::Show { node } => show(&store, node, ui),
        OverlayCommand::Set(args) => {
            let (_, matches) = matches.subcommand().expect("a command was given");
            change(&store, &args.node, ui, |overlay, text| {
                let request = request(args, matches)?;
                set_values(overlay, text, &request)?;
                let edit = edit::modify(text.document(), Value::Object(overlay.clone()));
                let guarded = edit.map_err(Refusal::from)?.map(|edit| edit.guarded).unwrap_or_default();
                match args.create {
                    true => Ok(()),
                    false => Ok(guarded.into_result(()).map_err(Refusal::from)?),
                }
            })
        }
        OverlayCommand::Remove { node, paths, .. } => {
            change(&store, node, ui, |overlay, _| match paths[..] {
                [] => {
                    overlay.clear();
                    Ok(())
                }
                _ => paths.iter().try_for_each(|path| remove(overlay, path)),
            })
        }
    }?;
    Ok(Exit::Done)
}

fn list(store: &ClusterStore, form: ListFormat, ui: Ui) -> Result<(), CliError> {
    let overlays = store.overlays().map_err(Refusal::from)?;
    match form {
        ListFormat::Json => {
            let record = |overlay: Overlay| json!({"node": overlay.name, "patch": shown(overlay.patch, ui)});
            ui.print_json(&overlays.into_iter().map(record).collect::<Vec<_>>())
        }
        ListFormat::Text if overlays.is_empty() => {
            ui.say("there are no overlays; `mediactl overlay set NODE --set PATH=VALUE` makes one");
            Ok(())
        }
        ListFormat::Text => ui.print(|out| {
            let row = |overlay: &Overlay| {
                let mut paths = Vec::new();
                collect_paths(&overlay.patch, &mut Vec::new(), &mut paths);
                vec![one_line(&overlay.name), one_line(&paths.join(" "))]
            };
            let headings = ["NODE", "VALUES"].map(str::to_owned).to_vec();
            let rows = std::iter::once(headings).chain(overlays.iter().map(row)).collect();
            table::print(rows, ui.screen(), out)
        }),
    }
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

fn show(store: &ClusterStore, node: &str, ui: Ui) -> Result<(), CliError> {
    let overlay = existing(store, node)?;
    ui.print_json(&shown(overlay.patch, ui))
}

/// A patch as users see it.
fn shown(patch: Map<String, Value>, ui: Ui) -> Value {
    let patch = Value::Object(patch);
    match ui.masker() {
        Some(masker) => masked_json(&patch, &masker),
        None => patch,
    }
}

fn existing(store: &ClusterStore, node: &str) -> Result<Overlay, CliError> {
    let overlay = overlay(store, node)?;
    if overlay.patch.is_empty() { Err(CliError::no_overlay(node)) } else { Ok(overlay) }
}

fn overlay(store: &ClusterStore, node: &str) -> Result<Overlay, CliError> {
    if !is_node_name(node) {
        let hint = "use letters, digits and `.`, `_`, `-`; an `@` in front is for a group";
        return Err(CliError::usage(format!("`{node}` can't be the name of a node"), hint));
    }
    Ok(store.overlay(node).map_err(Refusal::from)?)
}

/// Changes an overlay, and proves that it fits the configuration.
fn change(
    store: &ClusterStore,
    node: &str,
    ui: Ui,
    edit: impl FnOnce(&mut Map<String, Value>, &Arc<Snapshot>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut overlay = overlay(store, node)?;
    let text = Arc::new(Snapshot::from_bytes(store.load().map_err(Refusal::from)?.bytes));
    if !text.is_valid() {
        return Err(Refusal::bad_config(text).into());
    }
    let before = overlay.patch.clone();
    edit(&mut overlay.patch, &text)?;
    if overlay.patch == before {
        ui.say(&format!("nothing changed on `{node}`"));
        return Ok(());
    }
    merged(&text, &overlay.patch)?;
    store.put_overlay(&overlay).map_err(Refusal::from)?;
    match overlay.patch.is_empty() {
        true => ui.say(&format!("removed the overlay of `{node}`")),
        false => ui.say(&format!("changed the overlay of `{node}`")),
    }
    Ok(())
}

/// The configuration as the node has it.
fn merged(text: &Arc<Snapshot>, patch: &Map<String, Value>) -> Result<Arc<Snapshot>, CliError> {
    let edit = edit::modify(text.document(), Value::Object(patch.clone())).map_err(Refusal::from)?;
    let merged = edit.map_or(text.clone(), |edit| Arc::new(Snapshot::edited(text, &edit.splices)));
    if merged.is_valid() { Ok(merged) } else { Err(Refusal::bad_new_text(merged).into()) }
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

/// Adds values to an overlay; paths are those of the configuration with the overlay.
fn set_values(
    overlay: &mut Map<String, Value>,
    text: &Arc<Snapshot>,
    request: &ChangeRequest,
) -> Result<(), CliError> {
    let on_node = merged(text, overlay)?;
    let members = on_node.members();
    let evaluated = request.evaluate(&LocalView::new(&members, &Lens::default())).map_err(Refusal::from)?;
    if let Value::Object(patch) = evaluated.patch {
        compose(overlay, patch);
    }
    Ok(())
}

/// Removes a value from an overlay, and the objects that are empty then.
fn remove(overlay: &mut Map<String, Value>, path: &str) -> Result<(), CliError> {
    let absent = || CliError::not_in_overlay(path);
    let keys: Option<Vec<String>> = input::value_path(path)?
        .segments
        .into_iter()
        .map(|segment| if let Segment::Key(key) = segment { Some(key) } else { None })
        .collect();
    match keys.is_some_and(|keys| cut(overlay, &keys)) {
        true => Ok(()),
        false => Err(absent()),
    }
}

/// Cuts the value below these keys out; false if there is none.
fn cut(members: &mut Map<String, Value>, keys: &[String]) -> bool {
    let Some((key, below)) = keys.split_first() else { return false };
    if below.is_empty() {
        return members.shift_remove(key).is_some();
    }
    let Some(Value::Object(inner)) = members.get_mut(key) else { return false };
    let is_cut = cut(inner, below);
    if is_cut && inner.is_empty() {
        members.shift_remove(key);
    }
    is_cut
}
