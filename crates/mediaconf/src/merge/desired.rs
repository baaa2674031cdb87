//! A desired state of a configuration, and the patch that brings a configuration to it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::diff::{BlockPairs, block, diff, group};
use crate::edit::schema_path::{Place, own_value};
use crate::edit::{ConfigLookup, EditError, FaultKind, Note, modify};
use crate::model::Config;
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
    /// The state that a merge patch makes of nothing: what it leaves out, or sets to `null`, is not there.
    ///
    /// # Errors
    /// The faults of the patch, where more is asked than a merge.
    pub fn of_json(patch: Value, prune: Prune) -> Result<Self, EditError> {
        Ok(match prune {
            Prune::Nothing => Self::Merged(patch),
            Prune::Entries => {
                let (mut settings, mut entries) = (patch.as_object().cloned().unwrap_or_default(), patch);
                settings.retain(|key, _| !is_group(key));
                // A patch that is no object is refused with all of its faults.
                entries
                    .as_object_mut()
                    .into_iter()
                    .for_each(|members| members.retain(|key, _| is_group(key)));
                Self::Entries { settings, entries: alone(entries)? }
            }
            Prune::All => Self::Whole(alone(patch)?),
        })
    }

    /// Returns the patch that brings a configuration to this state, with what users should know of it.
    pub fn patch(&self, current: &dyn ConfigLookup) -> (Value, Vec<Note>) {
        match self {
            Self::Merged(patch) => (patch.clone(), note_lacking(lacking(patch, current))),
            Self::Entries { settings, entries } => {
                (with_groups(settings.clone(), [current, entries]), Vec::new())
            }
            Self::Whole(whole) => (diff(current, whole).into(), Vec::new()),
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
    ///
    /// Members that the view shows although the text has no directive for them are left out of a merge: what a desired
    /// state does not mention stays.
    pub fn whole(&self) -> DesiredState {
        let config = Config::own(&self.document);
        match self.prune {
            Prune::Nothing => DesiredState::Merged(self.merged(&config, &json!({})).0.into()),
            Prune::Entries => {
                DesiredState::Entries { settings: self.settings(&config), entries: config.to_json() }
            }
            Prune::All => DesiredState::Whole(config.to_json()),
        }
    }

    /// Returns the patch that brings a configuration to this state, with what users should know of it. It leaves
    /// out what the configuration has already, as far as its text is known.
    pub fn patch(&self, current: &dyn ConfigLookup) -> (Value, Vec<Note>) {
        let config = Config::own(&self.document);
        let sides = [current, &config.lookup()];
        match self.prune {
            Prune::All => (diff(sides[0], sides[1]).into(), Vec::new()),
            Prune::Entries => (with_groups(self.settings(&config), sides), Vec::new()),
            Prune::Nothing => {
                let (patch, lacks) = self.merged(&config, current);
                (patch.into(), note_lacking(lacks))
            }
        }
    }

    /// The settings outside of entries, as far as there is a directive for them.
    fn settings(&self, config: &Config<'_>) -> Object {
        let wanted = config.lookup();
        let keys = wanted.names(&[]).into_iter().filter(|key| !is_group(key));
        let mut settings: Object = keys
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
        for kind in Schema::media().kinds {
            let blocks = BlockPairs::new(kind, [current, &wanted]);
            let mut group = Map::new();
            for pair in blocks.pairs.iter().filter(|pair| !pair.is_same) {
                let Some(entry) = blocks.entry(pair, 1) else { continue };
                let Value::Object(mut wanted) = blocks.value(pair, 1) else { continue };
                drop_defaults(kind.scope(), entry.children(), &mut wanted);
                if pair.places[0].is_some() {
                    let found = blocks.value(pair, 0);
                    lacks += lacking_in(kind, &found, &wanted);
                    if blocks.entry(pair, 0).is_some() {
                        let own = own_value(Place::Block(kind), &found).unwrap_or_default();
                        wanted.retain(|key, value| own.get(key) != Some(value));
                        if wanted.is_empty() {
                            continue;
                        }
                    }
                }
                group.insert(pair.name.clone(), wanted.into());
            }
            if !group.is_empty() {
                patch.insert(kind.key().to_owned(), group.into());
            }
        }
        (patch, lacks)
    }
}

fn is_group(key: &str) -> bool {
    Schema::media().kind(key).is_some()
}

/// The patch of settings with those of all streams, lives and plugins.
fn with_groups(mut settings: Object, sides: [&dyn ConfigLookup; 2]) -> Value {
    let group = |&kind: &Kind| Some((kind.key().to_owned(), group(kind, sides)?));
    settings.extend(Schema::media().kinds.iter().filter_map(group));
    settings.into()
}

/// Returns the note about settings that a state lacks of the streams, lives and plugins that it names.
fn note_lacking(count: usize) -> Vec<Note> {
    (count > 0).then_some(Note::SettingsLacking(count)).into_iter().collect()
}

/// Returns the number of settings that the state lacks of the streams, lives and plugins that it names.
fn lacking(state: &Value, current: &dyn ConfigLookup) -> usize {
    let in_kind = |kind: Kind| {
        let named = state.get(kind.key()).and_then(Value::as_object).into_iter().flatten();
        let lacks = named.filter_map(|(name, wanted)| {
            Some(lacking_in(kind, &current.value(&[kind.key(), name])?, wanted.as_object()?))
        });
        lacks.sum::<usize>()
    };
    Schema::media().kinds.iter().copied().map(in_kind).sum()
}

/// The number of settings that the state of an entry lacks.
fn lacking_in(kind: Kind, found: &Value, wanted: &Object) -> usize {
    let change = block(kind, found, wanted);
    // A member that no directive inside of the block sets is none.
    let is_setting =
        |key: &str| kind.scope().by_key(key).is_none_or(|row| row.codec.facts().derived.is_none());
    unmentioned(change.iter().filter(|(key, _)| is_setting(key)), wanted)
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
    Ok(Config::own(edit.as_ref().map_or(&empty, |edit| &edit.document)).to_json())
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
            let DesiredState::Merged(found) = TextState::new(Document::parse(text), Prune::Nothing).whole()
            else {
                panic!("nothing is removed")
            };
            assert_eq!(found, state, "{text}");
        }
    }
}
