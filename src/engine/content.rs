//! A configuration, with its text or as JSON alone.

use mediaconf::Config;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::snapshot::Snapshot;

/// A configuration.
#[derive(Debug, Clone)]
pub enum Content {
    /// With its text.
    Text(Arc<Snapshot>),
    /// As the answer to `read_config`, from a server that gives no text.
    Json(Value),
}

impl Content {
    /// The text, where there is one.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        match self {
            Self::Text(snapshot) => Some(snapshot),
            Self::Json(_) => None,
        }
    }

    /// The answer to `read_config`, secrets included.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            Self::Text(snapshot) => snapshot.config().to_json(),
        }
    }

    /// True if it can be shown as JSON.
    pub fn is_valid(&self) -> bool {
        self.snapshot().is_none_or(|snapshot| snapshot.is_valid())
    }
}

impl Content {
    /// Looks up values: of a text, only those that are asked for become JSON.
    pub fn with_values<T>(&self, look: impl FnOnce(&Config<'_>) -> T) -> T {
        match self {
            Self::Json(value) => look(&Config::from(value)),
            Self::Text(snapshot) => look(&snapshot.config()),
        }
    }
}

/// Looks up values in two configurations; one that is not there, or has errors, has no values.
pub fn compared<T>(sides: [Option<&Content>; 2], look: impl FnOnce(&Config<'_>, &Config<'_>) -> T) -> T {
    let nothing = Content::Json(Value::Object(Map::new()));
    let [old, new] = sides.map(|side| side.filter(|side| side.is_valid()).unwrap_or(&nothing));
    old.with_values(|old| new.with_values(|new| look(old, new)))
}
