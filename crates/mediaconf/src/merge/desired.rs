//! A desired state of a configuration, and the patch that brings a configuration to it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diff::{diff, group, object, own_members};
use crate::edit::{EditError, FaultKind, Note, modify};
use crate::query::Config;
use crate::schema::codec::group_name;
use crate::schema::{Kind, Object, Place, Schema, Scope};
use crate::syntax::{Document, Entry};

/// The parts that are removed because a desired state lacks them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prune {
    /// Nothing: the settings of the state are set, and the rest stays.
    Nothing,
    /// Streams, lives and plugins, and the settings in those that it has.
    Entries,
    /// Everything.
    All,
}

/// A desired state of a configuration.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum DesiredState {
    /// A merge patch.
    Merged(Value),
    /// A merge patch of the settings outside of entries, and all streams, lives and plugins.
    Entries {
        /// The merge patch of the settings.
        settings: Object,
        /// All streams, lives and plugins, by the keys of their groups.
        entries: Value,
    },
    /// A whole configuration, as its own view.
    Whole(Value),
}

impl DesiredState {
    /// The state that a merge patch makes of nothing: what it leaves out, or sets to `null`, is not there.
    ///
    /// # Errors
    /// The faults of the patch, where more is asked than a merge.
    pub fn of_json(patch: Value, prune: Prune) -> Result<Self, EditError> {
        Ok(match (prune, patch) {
            (Prune::Nothing, patch) => Self::Merged(patch),
            (Prune::Entries, Value::Object(members)) => {
                let (entries, settings) = split(members);
                Self::Entries { settings, entries: alone(entries.into())? }
            }
            (_, patch) => Self::Whole(alone(patch)?),
        })
    }

    /// The state that a document without errors is.
    ///
    /// Members that the view shows although the text has no directive for them are left out of a merge: what a desired
    /// state does not mention stays.
    pub fn of_text(document: &Document, prune: Prune) -> Self {
        let config = Config::own(document);
        let (mut entries, mut settings) = match config.to_json() {
            Value::Object(members) if prune != Prune::All => split(members),
            whole => return Self::Whole(whole),
        };
        drop_defaults(config.members().scope(), document.entries(), &mut settings);
        if prune == Prune::Entries {
            return Self::Entries { settings, entries: entries.into() };
        }
        for kind in Schema::media().kinds {
            let Some(Value::Object(blocks)) = entries.get_mut(kind.key()) else { continue };
            for block in config.members().own_by_key(kind.key()) {
                if let Some(Value::Object(members)) = blocks.get_mut(&*group_name(*block).value()) {
                    drop_defaults(kind.scope(), block.children(), members);
                }
            }
        }
        settings.extend(entries.into_iter().filter(|(_, blocks)| !object(Some(blocks)).is_empty()));
        Self::Merged(settings.into())
    }

    /// Returns the patch that brings a configuration to this state, with what users should know of it.
    pub fn patch(&self, current: &Config<'_>) -> (Value, Vec<Note>) {
        match self {
            Self::Merged(patch) => {
                let lacking = lacking(patch, current);
                (patch.clone(), (lacking > 0).then_some(Note::SettingsLacking(lacking)).into_iter().collect())
            }
            Self::Entries { settings, entries } => {
                let groups = Schema::media().kinds.iter();
                let groups = groups.filter_map(|&kind| {
                    Some((kind.key().to_owned(), group(kind, [current, &Config::from(entries)])?))
                });
                (settings.clone().into_iter().chain(groups).collect::<Object>().into(), Vec::new())
            }
            Self::Whole(whole) => (diff(current, &Config::from(whole)).into(), Vec::new()),
        }
    }
}

/// The streams, lives and plugins, and the other members.
fn split(members: Object) -> (Object, Object) {
    members.into_iter().partition(|(key, _)| Schema::media().kind(key).is_some())
}

/// The own view of what a patch makes of an empty text.
fn alone(patch: Value) -> Result<Value, EditError> {
    let empty = Document::parse("");
    let edit = modify(&empty, patch, FaultKind::DOUBTS)?;
    Ok(Config::own(edit.as_ref().map_or(&empty, |edit| &edit.document)).to_json())
}

/// Drops the members that are shown although no directive sets them.
fn drop_defaults<'d>(scope: Scope, entries: impl Iterator<Item = Entry<'d>> + Clone, members: &mut Object) {
    members.retain(|key, value| {
        let default = scope.by_key(key).filter(|row| row.value_of_nothing().as_ref() == Some(value));
        default.is_none_or(|row| entries.clone().any(|entry| row.keywords.contains(&&*entry.keyword())))
    });
}

/// Returns the number of settings that a state lacks of the streams, lives and plugins that it names.
fn lacking(state: &Value, current: &Config<'_>) -> usize {
    let in_block = |kind: Kind, name: &str, wanted: &Value| {
        let mut found = own_members(Place::Block(kind), &current.value(&[kind.key(), name])?);
        // A member that no directive inside of the block sets is none.
        found.retain(|key, value| {
            kind.scope().by_key(key).is_none_or(|row| {
                row.codec.facts().derived.is_none() && row.value_of_nothing().as_ref() != Some(value)
            })
        });
        Some(unmentioned(&found, wanted.as_object()?))
    };
    let in_kind = |kind: &Kind| {
        let named = object(state.get(kind.key())).iter();
        named.filter_map(|(name, wanted)| in_block(*kind, name, wanted)).sum::<usize>()
    };
    Schema::media().kinds.iter().map(in_kind).sum()
}

/// Returns the number of members that are not in `state`.
fn unmentioned(members: &Object, state: &Object) -> usize {
    let one = |(key, value): (&String, &Value)| match (state.get(key), value) {
        (None, _) => 1,
        (Some(Value::Object(state)), Value::Object(members)) => unmentioned(members, state),
        (Some(_), _) => 0,
    };
    members.iter().map(one).sum()
}
