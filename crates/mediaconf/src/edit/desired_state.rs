//! A desired state of a configuration, and the patch that brings a configuration to it.

use crate::model::Config;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::config_lookup::ConfigLookup;
use super::json_diff;
use super::schema_path::{Place, own_value};
use super::{EditError, FaultKind, Note, modify};
use crate::model::shape::group_name;
use crate::schema::{Kind, Object, Schema, Scope};
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
    /// The state that a document without errors is.
    pub fn of_text(document: &Document, prune: Prune) -> Self {
        match prune {
            Prune::Nothing => Self::Merged(mentioned(document)),
            Prune::Entries => {
                Self::Entries { settings: without_entries(&mentioned(document)), entries: own_view(document) }
            }
            Prune::All => Self::Whole(own_view(document)),
        }
    }

    /// The state that a merge patch makes of nothing: what it leaves out, or sets to `null`, is not there.
    ///
    /// # Errors
    /// The faults of the patch, where more is asked than a merge.
    pub fn of_json(patch: Value, prune: Prune) -> Result<Self, EditError> {
        Ok(match prune {
            Prune::Nothing => Self::Merged(patch),
            Prune::Entries => {
                let settings = without_entries(&patch);
                // A patch that is no object is refused with all of its faults.
                let entries = match patch {
                    Value::Object(mut members) => {
                        members.retain(|key, _| Schema::media().kind(key).is_some());
                        Value::Object(members)
                    }
                    other => other,
                };
                Self::Entries { settings, entries: alone(entries)? }
            }
            Prune::All => Self::Whole(alone(patch)?),
        })
    }

    /// The merge patch, if it is one.
    pub fn merged(self) -> Option<Value> {
        match self {
            Self::Merged(patch) => Some(patch),
            Self::Entries { .. } | Self::Whole(_) => None,
        }
    }

    /// Returns the patch that brings a configuration to this state, with what users should know of it.
    pub fn patch(&self, current: &dyn ConfigLookup) -> (Value, Vec<Note>) {
        match self {
            Self::Merged(patch) => {
                (patch.clone(), lacking(patch, current).map(Note::SettingsLacking).into_iter().collect())
            }
            Self::Entries { settings, entries } => {
                let mut patch = settings.clone();
                for &kind in Schema::media().kinds {
                    let group = json_diff::group(kind, [current, entries]);
                    patch.extend(group.map(|group| (kind.key().to_owned(), group)));
                }
                (Value::Object(patch), Vec::new())
            }
            Self::Whole(whole) => (Value::Object(json_diff::diff(current, whole)), Vec::new()),
        }
    }
}

/// The desired state that a text is. Of the entries that a configuration has with the same text no value is made.
#[derive(Debug, Clone)]
pub struct TextState {
    document: Document,
    /// The parts that are removed.
    pub prune: Prune,
}

impl TextState {
    /// The state that a document without errors is.
    pub fn new(document: Document, prune: Prune) -> Self {
        Self { document, prune }
    }

    /// The same state with all of its values.
    pub fn whole(&self) -> DesiredState {
        DesiredState::of_text(&self.document, self.prune)
    }

    /// Returns the patch that brings a configuration to this state, with what users should know of it. It leaves
    /// out what the configuration has already, as far as its text is known.
    pub fn patch(&self, current: &dyn ConfigLookup) -> (Value, Vec<Note>) {
        let config = Config::own(&self.document);
        let (wanted, schema) = (config.lookup(), Schema::media());
        let (patch, lacking) = match self.prune {
            Prune::All => (json_diff::diff(current, &wanted), 0),
            Prune::Entries => {
                let mut patch = self.settings(&config);
                let group =
                    |&kind: &Kind| Some((kind.key().to_owned(), json_diff::group(kind, [current, &wanted])?));
                patch.extend(schema.kinds.iter().filter_map(group));
                (patch, 0)
            }
            Prune::Nothing => self.merged(&config, current),
        };
        (Value::Object(patch), (lacking > 0).then_some(Note::SettingsLacking(lacking)).into_iter().collect())
    }

    /// The settings outside of entries, as far as there is a directive for them.
    fn settings(&self, config: &Config<'_>) -> Object {
        let wanted = config.lookup();
        let keys = wanted.names(&[]).into_iter().filter(|key| Schema::media().kind(key).is_none());
        let mut settings = keys
            .filter_map(|key| Some((wanted.value(&[&key])?, key)))
            .map(|(value, key)| (key, value))
            .collect();
        drop_defaults(config.members().scope(), self.document.entries(), &mut settings);
        settings
    }

    /// The patch that removes nothing, and the number of settings that this state lacks of entries that it names.
    fn merged(&self, config: &Config<'_>, current: &dyn ConfigLookup) -> (Object, usize) {
        let wanted = config.lookup();
        let (mut patch, mut lacks) = (self.settings(config), 0);
        for &kind in Schema::media().kinds {
            let mut group = Map::new();
            for &entry in config.members().own_by_key(kind.key()) {
                let (block, lacking) = merged_block(kind, entry, &wanted, current);
                lacks += lacking;
                group.extend(block);
            }
            if !group.is_empty() {
                patch.insert(kind.key().to_owned(), Value::Object(group));
            }
        }
        (patch, lacks)
    }
}

/// The values that a state wants of a block and a configuration does not have, by its name, and the number of settings
/// that the state lacks of it.
fn merged_block(
    kind: Kind,
    entry: Entry<'_>,
    wanted: &dyn ConfigLookup,
    current: &dyn ConfigLookup,
) -> (Option<(String, Value)>, usize) {
    let name = group_name(entry).value();
    let at = [kind.key(), &*name];
    if current.has_same_block(wanted, kind, &name) {
        return (None, 0);
    }
    let Some(Value::Object(mut block)) = wanted.value(&at) else { return (None, 0) };
    drop_defaults(kind.scope(), entry.children(), &mut block);
    let Some(found) = current.value(&at) else { return (Some((name.into_owned(), block.into())), 0) };
    let lacks = lacking_in(kind, &found, &block);
    if current.block_text(kind, &name).is_some() {
        let own = own_value(Place::Block(kind), &found).unwrap_or_default();
        block.retain(|key, value| own.get(key) != Some(value));
        if block.is_empty() {
            return (None, lacks);
        }
    }
    (Some((name.into_owned(), block.into())), lacks)
}

/// Returns the number of settings that the state lacks of the streams, lives and plugins that it names;
/// `None` for none.
fn lacking(state: &Value, current: &dyn ConfigLookup) -> Option<usize> {
    let in_kind = |kind: Kind| {
        let named = state.get(kind.key()).and_then(Value::as_object).into_iter().flatten();
        let lacks = named.filter_map(|(name, wanted)| {
            Some(lacking_in(kind, &current.value(&[kind.key(), name])?, wanted.as_object()?))
        });
        lacks.sum::<usize>()
    };
    Some(Schema::media().kinds.iter().copied().map(in_kind).sum()).filter(|count| *count > 0)
}

/// The number of settings that the state of an entry lacks.
fn lacking_in(kind: Kind, found: &Value, wanted: &Object) -> usize {
    let change = json_diff::block(kind, found, wanted);
    unmentioned(change.iter().filter(|(key, _)| is_setting(kind, key)), wanted)
}

/// True if a member is set by a directive inside of the block.
fn is_setting(kind: Kind, key: &str) -> bool {
    kind.scope().by_key(key).is_none_or(|row| row.codec.facts().derived.is_none())
}

/// Returns the number of members of a change that are not in `state`.
fn unmentioned<'c>(change: impl Iterator<Item = (&'c String, &'c Value)>, state: &Object) -> usize {
    change
        .map(|(key, change)| match (state.get(key), change) {
            (None, _) => 1,
            (Some(Value::Object(state)), Value::Object(change)) => unmentioned(change.iter(), state),
            (Some(_), _) => 0,
        })
        .sum()
}

/// The own view of what a patch makes of an empty text.
fn alone(patch: Value) -> Result<Value, EditError> {
    let empty = Document::parse("");
    let edit = modify(&empty, patch, FaultKind::DOUBTS)?;
    Ok(own_view(&edit.map_or_else(|| empty.clone(), |edit| edit.document)))
}

fn own_view(document: &Document) -> Value {
    Config::own(document).to_json()
}

fn without_entries(patch: &Value) -> Object {
    let members = patch.as_object().into_iter().flatten();
    let settings = members.filter(|(key, _)| Schema::media().kind(key).is_none());
    settings.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Returns the own JSON view of a document without errors, as a merge patch.
///
/// Members that the view shows although the text has no directive for them are left out: what a desired
/// state does not mention stays.
fn mentioned(document: &Document) -> Value {
    let config = Config::own(document);
    let Value::Object(mut state) = config.to_json() else { return Value::Null };
    for kind in Schema::media().kinds {
        let Some(blocks) = state.get_mut(kind.key()).and_then(Value::as_object_mut) else { continue };
        for entry in config.members().own_by_key(kind.key()) {
            let block = blocks.get_mut(&*group_name(*entry).value()).and_then(Value::as_object_mut);
            block.into_iter().for_each(|block| drop_defaults(kind.scope(), entry.children(), block));
        }
    }
    drop_defaults(config.members().scope(), document.entries(), &mut state);
    Value::Object(state)
}

/// Drops the members that are always shown, and for which there is no directive. A source in the header
/// of a block has none, but is no default.
fn drop_defaults<'d>(scope: Scope, entries: impl Iterator<Item = Entry<'d>> + Clone, members: &mut Object) {
    members.retain(|key, value| {
        let Some(parameter) = scope.by_key(key).filter(|parameter| parameter.always_shown) else {
            return true;
        };
        let is_default = match value {
            Value::Array(elements) => elements.is_empty(),
            Value::Object(blocks) => blocks.is_empty(),
            value => *value == Value::Bool(true),
        };
        !is_default || entries.clone().any(|entry| parameter.keywords.contains(&&*entry.keyword()))
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_means_what_it_mentions() {
        for (text, state) in [
            ("", json!({})),
            ("http 80;", json!({"http": [80]})),
            ("stream a { prepush 5; }", json!({"streams": {"a": {"static": true, "prepush": 5}}})),
            (
                "auth http://x; ondemand b;",
                json!({"auth": {"url": "http://x"}, "streams": {"b": {"static": false}}}),
            ),
        ] {
            let found = mentioned(&Document::parse(text));
            assert_eq!(found, state, "{text}");
        }
    }
}
