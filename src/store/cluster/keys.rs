//! The names of the keys.

use super::head_record::TextRef;

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
        Self { head: format!("{prefix}head"), pending: format!("{prefix}pending"), prefix }
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
    pub fn changes(&self) -> String {
        format!("{}change/", self.prefix)
    }

    /// The prefix of the chunks of a text.
    pub fn text(&self, text: &TextRef) -> String {
        format!("{}text/{:020}/{}/", self.prefix, text.serial, text.id)
    }

    /// A chunk of a text.
    pub fn chunk(&self, text: &TextRef, number: usize) -> String {
        format!("{}{number:04}", self.text(text))
    }

    /// What is before the chunks of the first text that is kept.
    pub fn texts_up_to(&self, serial: u64) -> String {
        format!("{}text/{serial:020}", self.prefix)
    }

    /// What differs on a node, or on a group, whose name starts with `@`.
    pub fn overlay(&self, name: &str) -> String {
        format!("{}{name}", self.overlays())
    }

    /// The prefix of all overlays.
    pub fn overlays(&self) -> String {
        format!("{}overlay/", self.prefix)
    }

    /// What a node says of itself.
    pub fn node(&self, name: &str) -> String {
        format!("{}{name}", self.nodes())
    }

    /// The prefix of all nodes.
    pub fn nodes(&self) -> String {
        format!("{}node/", self.prefix)
    }
}

/// Whether a node, or a group behind an `@`, can have this name: it is a part of a key.
pub fn is_node_name(name: &str) -> bool {
    let name = name.strip_prefix('@').unwrap_or(name);
    let is_fit = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    !name.is_empty() && name.chars().all(is_fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_their_serials_do() {
        let keys = Keys::below("/media/prod/");
        assert_eq!(keys.head, "/media/prod/head");
        assert!(keys.change(9) < keys.change(10) && keys.change(10).starts_with(&keys.changes()));
        let revision = crate::store::Revision::of(b"");
        let text = |serial| {
            let (id, codec) = ("ab".to_owned(), "gzip".to_owned());
            TextRef { serial, id, revision, codec, size: 0, chunks: 1 }
        };
        assert_eq!(keys.chunk(&text(7), 3), "/media/prod/text/00000000000000000007/ab/0003");
        assert!(keys.chunk(&text(6), 9) < keys.texts_up_to(7) && keys.texts_up_to(7) < keys.text(&text(7)));
    }
}
