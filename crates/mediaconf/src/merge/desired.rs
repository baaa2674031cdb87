//! A desired state of a configuration, and the patch that brings a configuration to it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diff::{diff, group, own_members, settings};
use crate::edit::{EditError, FaultKind, Note, modify};
use crate::query::Config;
use crate::schema::codec::group_name;
use crate::schema::{Kind, Object, Place, Schema, Scope};
use crate::syntax::{Document, Entry};

/// The parts that are removed because a desired state lacks them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    /// The text of a configuration; no value of it is kept, as values take twenty times as much memory.
    Text {
        /// The text, without errors.
        text: String,
        /// The parts that are removed because the text lacks them.
        prune: Prune,
        /// A merge patch of the settings outside of streams, lives and plugins.
        #[serde(default)]
        settings: Object,
    },
}

impl DesiredState {
    /// The state that a merge patch makes of nothing: what it leaves out, or sets to `null`, is not there.
    ///
    /// # Errors
    /// The faults of the patch, where more is asked than a merge.
    pub fn of_json(patch: Value, prune: Prune) -> Result<Self, EditError> {
        let (whole, settings) = match (prune, patch) {
            (Prune::Nothing, patch) => return Ok(Self::Merged(patch)),
            (Prune::Entries, Value::Object(members)) => {
                let is_block = |(key, _): &(String, Value)| Schema::media().kind(key).is_some();
                let (blocks, settings): (Object, Object) = members.into_iter().partition(is_block);
                (blocks.into(), settings)
            }
            (_, patch) => (patch, Object::new()),
        };
        let edit = modify(&Document::parse(""), whole, FaultKind::DOUBTS)?;
        let text = edit.map_or_else(String::new, |edit| edit.document.text().to_owned());
        Ok(Self::Text { text, prune, settings })
    }

    /// The state that a document without errors is.
    pub fn of_text(document: &Document, prune: Prune) -> Self {
        Self::Text { text: document.text().to_owned(), prune, settings: Object::new() }
    }

    /// True if what the state lacks is removed.
    pub(crate) fn removes(&self) -> bool {
        matches!(self, Self::Text { prune: Prune::Entries | Prune::All, .. })
    }

    /// Returns the patch that brings a configuration to this state, with what users should know of it. The patch has
    /// only what the configuration does not say yet.
    pub fn patch(&self, current: &Config<'_>) -> (Value, Vec<Note>) {
        let mut merge = StateMerge { current, patch: Object::new(), lacking: 0 };
        match self {
            Self::Merged(Value::Object(members)) => {
                for (key, value) in members {
                    match (Schema::media().kind(key), value) {
                        (Some(kind), Value::Object(blocks)) => {
                            blocks.iter().for_each(|(name, block)| merge.block(kind, name, block));
                        }
                        _ => merge.setting(key, value),
                    }
                }
            }
            Self::Merged(patch) => return (patch.clone(), Vec::new()),
            Self::Text { text, prune, settings } => {
                merge.text(&Document::parse(text.as_str()), *prune);
                merge.patch.extend(settings.clone());
            }
        }
        let lacking = (merge.lacking > 0).then_some(Note::SettingsLacking(merge.lacking));
        (merge.patch.into(), lacking.into_iter().collect())
    }
}

/// The patch that brings a configuration to a state, as far as it is made.
struct StateMerge<'c> {
    current: &'c Config<'c>,
    patch: Object,
    /// The number of settings that the state lacks of the streams, lives and plugins that it names.
    lacking: usize,
}

impl StateMerge<'_> {
    fn setting(&mut self, key: &str, value: &Value) {
        self.patch.insert(key.to_owned(), value.clone());
    }

    /// Adds a block of the state, without the settings that it has already.
    fn block(&mut self, kind: Kind, name: &str, wanted: &Value) {
        let mut wanted = wanted.clone();
        if let (Some(current), Value::Object(wanted)) = (self.current.value(&[kind.key(), name]), &mut wanted)
        {
            let found = own_members(Place::Block(kind), &current);
            // A member that no directive inside of the block sets is none.
            let is_set = |(key, value): &(&String, &Value)| {
                kind.scope().by_key(key).is_none_or(|row| {
                    row.codec.facts().derived.is_none() && row.value_of_nothing().as_ref() != Some(value)
                })
            };
            self.lacking += unmentioned(found.iter().filter(is_set), wanted);
            wanted.retain(|key, value| found.get(key) != Some(value));
            if wanted.is_empty() {
                return;
            }
        }
        let blocks = self.patch.entry(kind.key()).or_insert_with(|| Object::new().into());
        blocks.as_object_mut().expect("it has blocks alone").insert(name.to_owned(), wanted);
    }

    /// Adds what a text says.
    ///
    /// Members that the view shows although the text has no directive for them are left out of a merge: what a desired
    /// state does not mention stays.
    fn text(&mut self, document: &Document, prune: Prune) {
        let config = Config::own(document);
        if prune == Prune::All {
            self.patch = diff(self.current, &config);
            return;
        }
        self.patch = settings(&config);
        self.patch.retain(|key, _| Schema::media().kind(key).is_none());
        drop_defaults(config.members().scope(), document.entries(), &mut self.patch);
        for kind in Schema::media().kinds {
            if prune == Prune::Entries {
                let blocks = group(kind, [self.current, &config]);
                self.patch.extend(blocks.map(|blocks| (kind.key().to_owned(), blocks)));
                continue;
            }
            for block in config.members().own_by_key(kind.key()) {
                let mut members = kind.read(*block);
                drop_defaults(kind.scope(), block.children(), &mut members);
                self.block(kind, &group_name(*block).value(), &members.into());
            }
        }
    }
}

/// Drops the members that are shown although no directive sets them.
fn drop_defaults<'d>(scope: Scope, entries: impl Iterator<Item = Entry<'d>> + Clone, members: &mut Object) {
    members.retain(|key, value| {
        let default = scope.by_key(key).filter(|row| row.value_of_nothing().as_ref() == Some(value));
        default.is_none_or(|row| entries.clone().any(|entry| row.keywords.contains(&&*entry.keyword())))
    });
}

/// Returns the number of members that are not in `state`.
fn unmentioned<'v>(members: impl Iterator<Item = (&'v String, &'v Value)>, state: &Object) -> usize {
    let one = |(key, value): (&String, &Value)| match (state.get(key), value) {
        (None, _) => 1,
        (Some(Value::Object(state)), Value::Object(members)) => unmentioned(members.iter(), state),
        (Some(_), _) => 0,
    };
    members.map(one).sum()
}
