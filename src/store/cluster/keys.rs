//! The names of the keys.

use super::head_record::{LAST_SERIAL, TextRef};
use super::messages::KeyRange;

/// The names below a prefix. No part of a prefix is one of them, so that no key of one cluster is in a range of another.
/// `overlay` is one of format 2.
pub const RESERVED: [&str; 8] = ["head", "pending", "text", "change", "node", "member", "overlay", "retry"];

/// The names of all keys of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// Ends in a slash.
    prefix: String,
    pub head: String,
    pub pending: String,
}

impl Keys {
    /// The keys below a prefix, such as `/media/prod`.
    pub fn below(prefix: &str) -> Self {
        let prefix = format!("{}/", prefix.trim_end_matches('/'));
        let key = |name: &str| format!("{prefix}{name}");
        Self { head: key("head"), pending: key("pending"), prefix }
    }

    /// The prefix of all keys.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The record of a change in the history.
    pub fn change(&self, serial: u64) -> String {
        format!("{}change/{serial:020}", self.prefix)
    }

    /// The serial of a record in the history; `None` for a key that has another form.
    pub fn serial_of(&self, change: &[u8]) -> Option<u64> {
        let serial = str::from_utf8(change).ok()?.strip_prefix(&self.changes())?;
        serial.parse().ok().filter(|number| format!("{number:020}") == serial)
    }

    /// The prefix of all records in the history.
    fn changes(&self) -> String {
        format!("{}change/", self.prefix)
    }

    /// The prefix of the chunks of a text.
    pub fn text(&self, text: &TextRef) -> String {
        format!("{}{}/", self.texts_of(text.serial), text.id)
    }

    /// A chunk of it.
    pub fn chunk(&self, text: &TextRef, number: usize) -> String {
        format!("{}{number:04}", self.text(text))
    }

    /// The first chunk of the newest text.
    pub fn newest_chunk(&self) -> KeyRange {
        KeyRange::below(&self.texts()).first()
    }

    /// The chunks of all texts that are older than the one of a serial.
    pub fn older_texts(&self, serial: u64) -> KeyRange {
        let key = self.texts_of(serial.saturating_sub(1));
        KeyRange { key: key.into(), ..KeyRange::below(&self.texts()) }
    }

    /// What format 2 kept beside the texts.
    pub fn overlays(&self) -> KeyRange {
        KeyRange::below(&format!("{}overlay/", self.prefix))
    }

    /// The records of all changes that are older than that of a serial.
    pub fn older_changes(&self, serial: u64) -> KeyRange {
        KeyRange::between(&self.changes(), &self.change(serial))
    }

    /// The prefix of what the change of a serial put, and the writers that it overtook.
    fn texts_of(&self, serial: u64) -> String {
        format!("{}{:010}/", self.texts(), LAST_SERIAL.saturating_sub(serial))
    }

    /// The prefix of all texts.
    fn texts(&self) -> String {
        format!("{}text/", self.prefix)
    }

    /// The key of the record of a node.
    pub fn node(&self, name: &str) -> String {
        format!("{}{name}", self.nodes())
    }

    /// The key of the record of a node that stays when the node is gone.
    pub fn member(&self, name: &str) -> String {
        format!("{}{name}", self.members())
    }

    /// The prefix of the records that stay.
    pub fn members(&self) -> String {
        format!("{}member/", self.prefix)
    }

    /// The key that asks a node to try again what it did not take.
    pub fn retry(&self, name: &str) -> String {
        format!("{}retry/{name}", self.prefix)
    }

    /// The prefix of all nodes.
    pub fn nodes(&self) -> String {
        format!("{}node/", self.prefix)
    }
}

/// True if a node can have this name: it is a part of a key.
pub fn is_node_name(name: &str) -> bool {
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
    fn each_key_has_a_reserved_name() {
        let keys = Keys::below("/p");
        let all = [
            keys.head.clone(),
            keys.pending.clone(),
            keys.texts(),
            keys.changes(),
            keys.nodes(),
            keys.members(),
            String::from_utf8(keys.overlays().key.to_vec()).expect("it is text"),
            keys.retry("a"),
        ];
        let named = |key: &String| key["/p/".len()..].split('/').next().expect("it has a name").to_owned();
        assert_eq!(all.iter().map(named).collect::<Vec<_>>(), RESERVED);
    }

    #[test]
    fn keys_sort_as_their_serials_do() {
        let keys = Keys::below("/media/prod/");
        assert_eq!(keys.head, "/media/prod/head");
        assert!(keys.change(9) < keys.change(10) && keys.change(10).starts_with(&keys.changes()));
        assert_eq!(keys.serial_of(keys.change(9).as_bytes()), Some(9));
        assert_eq!(keys.serial_of(b"/media/prod/change/9"), None);
        assert!(keys.older_changes(10).contains(&keys.change(9)));
        assert!(!keys.older_changes(10).contains(&keys.change(10)));
        let text = |serial| TextRef::example(serial, "ab");
        assert_eq!(keys.chunk(&text(7), 3), "/media/prod/text/9999999992/ab/0003");
        let chunk = |serial, number| keys.chunk(&text(serial), number);
        assert!(chunk(7, 9) < chunk(6, 0), "the newest comes first");
        let older = keys.older_texts(7);
        assert!(
            older.contains(&chunk(6, 9)) && older.contains(&chunk(1, 0)) && !older.contains(&chunk(7, 0))
        );
    }
}
