//! Changing what differs on a node of a cluster: the text stays, and the change is one as any other.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::guard::Guard;
use super::local::Engine;
use super::operation::Operation;
use super::options::ChangeOptions;
use super::outcome::{After, Outcome};
use super::overlays::merged;
use super::refusal::Refusal;
use super::refusal_kind::RefusalKind;
use super::retry::unless_overtaken;
use super::snapshot::Snapshot;
use super::transaction::{Change, Transaction};
use crate::store::Overlays;
use mediaconf::plumbing::edit;
use mediaconf::plumbing::edit::json_merge::compose;
use mediaconf::plumbing::edit::{ChangeRequest, Faults, Path, Segment};
use mediaconf::plumbing::schema::nearest;

/// A change of overlays.
#[derive(Clone)]
pub enum OverlayChange {
    One {
        /// The node, or the group behind an `@`.
        name: String,
        edit: Box<OverlayEdit>,
    },
    /// All are removed, also where they can't be read.
    RemoveAll,
}

/// What is done to an overlay.
#[derive(Clone)]
pub enum OverlayEdit {
    /// Values are added; their paths are those of the configuration with the overlay.
    Set {
        request: ChangeRequest,
        /// True if the node may be one that was never there, and keywords may look misspelt.
        creates: bool,
    },
    /// The values at these paths are removed from it; all without any.
    Remove(Vec<Path>),
}

impl Refusal {
    /// Only the nodes of a cluster have overlays.
    pub fn no_overlays() -> Self {
        Self::new(RefusalKind::NotOffered, "overlays are in a cluster")
            .hint("name one with `--cluster URL`, or with the context of one")
    }
}

impl Engine {
    /// Changes an overlay, and proves that the nodes which have it can take it.
    ///
    /// # Errors
    /// All of [`Refusal`]; the overlay is as it was then.
    pub(super) fn change_overlay(
        &self,
        change: &OverlayChange,
        options: &ChangeOptions,
    ) -> Result<Outcome, Refusal> {
        if !self.is_run_by_nodes() {
            return Err(Refusal::no_overlays());
        }
        self.counted(Operation::Modify, options, || unless_overtaken(|| self.edit_overlay(change, options)))
    }

    fn edit_overlay(&self, change: &OverlayChange, options: &ChangeOptions) -> Result<Outcome, Refusal> {
        let transaction = Transaction::begin(self, Operation::Modify, options)?;
        transaction.refuse_other_file()?;
        let text = transaction.file().expect("a modify has loaded a text").clone();
        if !text.is_valid() {
            return Err(Refusal::bad_config(text));
        }
        let overlays = match change {
            OverlayChange::RemoveAll => Overlays::default(),
            OverlayChange::One { name, edit } => {
                transaction.refuse_damaged()?;
                let known = transaction.overlays();
                let patch = self.edited_overlay((name, edit), &known, &text, options)?;
                with(&known, name, patch)
            }
        };
        let (before, after) = (Some(text), After::Unchanged);
        let change = Change { before, after, overlays: Some(overlays), needs_valid: true, notes: Vec::new() };
        transaction.finish(change)
    }

    /// The new values of an overlay.
    fn edited_overlay(
        &self,
        (name, edit): (&str, &OverlayEdit),
        known: &Overlays,
        text: &Arc<Snapshot>,
        options: &ChangeOptions,
    ) -> Result<Map<String, Value>, Refusal> {
        let found = known.iter().find(|(other, _)| other == name);
        let mut patch = found.and_then(|(_, patch)| patch.as_object().cloned()).unwrap_or_default();
        match edit {
            OverlayEdit::Set { request, creates } => {
                let accepts = *creates || options.accepts(&Guard::NearMiss);
                if found.is_none() && !accepts {
                    self.refuse_unknown_node(name, known)?;
                }
                set_values(&mut patch, text, request)?;
                let edit = edit::modify(text.document(), Value::Object(patch.clone()))?;
                let guarded = edit.map(|edit| edit.guarded).unwrap_or_default();
                self.refuse_faults(if accepts { Faults::default() } else { guarded }, options)?;
            }
            OverlayEdit::Remove(paths) if paths.is_empty() => {
                if found.is_none() && !self.known_nodes()?.contains(name) {
                    return Err(Refusal::new(RefusalKind::NotFound, format!("`{name}` has no overlay"))
                        .hint("`mediactl overlay list` shows all; a group has an `@` in front"));
                }
                patch.clear();
            }
            OverlayEdit::Remove(paths) => paths.iter().try_for_each(|path| remove(&mut patch, path))?,
        }
        Ok(patch)
    }

    /// The nodes that were there, and their groups.
    fn known_nodes(&self) -> Result<BTreeSet<String>, Refusal> {
        let nodes = self.store.nodes()?.unwrap_or_default();
        let came = nodes.into_iter().filter(|node| !node.version.is_empty());
        let names = came
            .flat_map(|node| std::iter::once(node.node).chain(node.group.map(|group| format!("@{group}"))));
        Ok(names.collect())
    }

    /// Refuses a node, or a group, that was never there, if there are any: it may be misspelt.
    fn refuse_unknown_node(&self, name: &str, overlays: &Overlays) -> Result<(), Refusal> {
        let mut known = self.known_nodes()?;
        if known.is_empty() || known.contains(name) {
            return Ok(());
        }
        known.extend(overlays.iter().map(|(name, _)| name.clone()));
        let what = if name.starts_with('@') { "group" } else { "node" };
        let message = format!("there is no {what} `{name}`");
        let similar = nearest(name, known.iter().map(String::as_str));
        let similar = similar.map_or(String::new(), |similar| format!("did you mean `{similar}`? "));
        Err(Refusal::new(RefusalKind::NearMiss, message)
            .hint(format!("{similar}`--create` is for one that is yet to come")))
    }
}

/// All overlays with this one; one without values is left out.
fn with(overlays: &Overlays, name: &str, patch: Map<String, Value>) -> Overlays {
    let others = overlays.iter().filter(|(other, _)| other != name).cloned();
    let own = Some((name.to_owned(), Value::Object(patch.clone()))).filter(|_| !patch.is_empty());
    let mut all: Vec<_> = others.chain(own).collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all.into()
}

/// Adds values to an overlay.
fn set_values(
    overlay: &mut Map<String, Value>,
    text: &Arc<Snapshot>,
    request: &ChangeRequest,
) -> Result<(), Refusal> {
    let present = ("present".to_owned(), Value::Object(overlay.clone()));
    let on_node =
        merged(text.clone(), &[present]).map_err(|why| Refusal::new(RefusalKind::BadNewText, why))?;
    let evaluated = request.evaluate(&on_node.config().lookup())?;
    if let Value::Object(patch) = evaluated.patch {
        compose(overlay, patch);
    }
    Ok(())
}

/// Removes a value from an overlay, and the objects that are empty then.
fn remove(overlay: &mut Map<String, Value>, path: &Path) -> Result<(), Refusal> {
    let key = |segment: &Segment| if let Segment::Key(key) = segment { Some(key.clone()) } else { None };
    let keys: Option<Vec<String>> = path.segments.iter().map(key).collect();
    match keys.is_some_and(|keys| cut(overlay, &keys)) {
        true => Ok(()),
        false => Err(Refusal::new(RefusalKind::NotFound, format!("`{path}` is not in the overlay"))
            .hint("`mediactl overlay show NODE` shows what is; nothing was changed")),
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
