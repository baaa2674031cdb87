//! The names of the keys.

use super::head_record::TextRef;
use super::messages::KeyRange;
use crate::store::owner_name::OwnerName;

/// From this the serial of a text is taken away in its key, so that the newest text comes first: etcd reads
/// the first key of a range at the cost of one, but the last key at the cost of all.
const LAST_SERIAL: u64 = 9_999_999_999;

/// The names of all keys of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// Ends in a slash.
    prefix: String,
    pub head: String,
    pub pending: String,
    pub next: String,
}

impl Keys {
    /// The keys below a prefix, such as `/media/prod`.
    pub fn below(prefix: &str) -> Self {
        let prefix = format!("{}/", prefix.trim_end_matches('/'));
        let key = |name: &str| format!("{prefix}{name}");
        Self { head: key("head"), pending: key("pending"), next: key("next"), prefix }
    }

    /// The prefix of all keys.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The record of a change in the history.
    pub fn change(&self, serial: u64) -> String {
        format!("{}change/{serial:020}", self.prefix)
    }

    /// The prefix of all records in the history.
    fn changes(&self) -> String {
        format!("{}change/", self.prefix)
    }

    /// The prefix of the chunks of a text.
    pub fn text(&self, text: &TextRef) -> String {
        format!("{}{}/", self.texts_of(text.serial), text.id)
    }

    /// A chunk of a text.
    pub fn chunk(&self, text: &TextRef, number: usize) -> String {
        format!("{}{number:04}", self.text(text))
    }

    /// The first chunk of the newest text.
    pub fn newest_chunk(&self) -> KeyRange {
        KeyRange::below(&self.texts()).first()
    }

    /// The chunks of all texts that are older than the one of a serial.
    pub fn older_texts(&self, serial: u64) -> KeyRange {
        KeyRange { key: self.texts_of(serial.saturating_sub(1)).into(), ..KeyRange::below(&self.texts()) }
    }

    /// The records of all changes that are older than that of a serial.
    pub fn older_changes(&self, serial: u64) -> KeyRange {
        KeyRange::between(&self.changes(), &self.change(serial))
    }

    /// The prefix of the texts of a serial: that of a change, and those of writers that it overtook.
    fn texts_of(&self, serial: u64) -> String {
        format!("{}{:010}/", self.texts(), LAST_SERIAL.saturating_sub(serial))
    }

    /// The prefix of all texts.
    fn texts(&self) -> String {
        format!("{}text/", self.prefix)
    }

    /// The key of the state that an owner applied.
    pub fn applied(&self, owner: &OwnerName) -> String {
        format!("{}{owner}", self.all_applied())
    }

    /// The prefix of what owners applied.
    pub fn all_applied(&self) -> String {
        format!("{}applied/", self.prefix)
    }

    /// The key of the overlay of a node, or of a group, whose name starts with `@`.
    pub fn overlay(&self, name: &str) -> String {
        format!("{}{name}", self.overlays())
    }

    /// The prefix of all overlays.
    pub fn overlays(&self) -> String {
        format!("{}overlay/", self.prefix)
    }

    /// The key of the record of a node.
    pub fn node(&self, name: &str) -> String {
        format!("{}{name}", self.nodes())
    }

    /// The prefix of all nodes.
    pub fn nodes(&self) -> String {
        format!("{}node/", self.prefix)
    }
}

/// True if a node, or a group behind an `@`, can have this name: it is a part of a key.
pub fn is_node_name(name: &str) -> bool {
    let name = name.strip_prefix('@').unwrap_or(name);
    let is_fit = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    !name.is_empty() && name.chars().all(is_fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl KeyRange {
        fn contains(&self, key: &str) -> bool {
            (&*self.key..&*self.range_end).contains(&key.as_bytes())
        }
    }

    #[test]
    fn keys_sort_as_their_serials_do() {
        let keys = Keys::below("/media/prod/");
        assert_eq!(keys.head, "/media/prod/head");
        assert!(keys.change(9) < keys.change(10) && keys.change(10).starts_with(&keys.changes()));
        assert!(keys.older_changes(10).contains(&keys.change(9)));
        assert!(!keys.older_changes(10).contains(&keys.change(10)));
        let revision = crate::store::Revision::from_text(b"");
        let text = |serial| {
            let (id, codec) = ("ab".to_owned(), "gzip".to_owned());
            TextRef { serial, id, revision, codec, size: 0, chunks: 1 }
        };
        assert_eq!(keys.chunk(&text(7), 3), "/media/prod/text/9999999992/ab/0003");
        assert!(keys.chunk(&text(7), 9) < keys.chunk(&text(6), 0), "the newest comes first");
        let older = keys.older_texts(7);
        assert!(older.contains(&keys.chunk(&text(6), 9)) && older.contains(&keys.chunk(&text(1), 0)));
        assert!(!older.contains(&keys.chunk(&text(7), 0)) && !older.contains(&keys.overlay("edge7")));
    }
}
