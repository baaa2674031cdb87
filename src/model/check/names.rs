//! Names that are defined twice.

use std::hash::{BuildHasher, RandomState};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::model::schema::{Kind, Scope, Shape, by_keyword};
use crate::model::shape::group_name;
use crate::syntax::{Diagnostic, Document, Entry, EntryId};

/// The names of streams, lives and plugins, each as a hash with a key of this run, and its entry.
///
/// This takes eight bytes a name; a map of a hundred thousand names would cost as much as parsing them.
pub(super) struct Names {
    key: u64,
    seen: Vec<SeenName>,
}

#[derive(Clone, Copy)]
struct SeenName {
    hash: u32,
    id: EntryId,
}

/// With this many bits a name, about one unique name in eight is a suspect.
const BITS_A_NAME: usize = 8;

/// An entry whose name an earlier entry has.
pub(super) struct RepeatedName<'d> {
    pub kind: Kind,
    pub first: Entry<'d>,
    pub entry: Entry<'d>,
}

impl RepeatedName<'_> {
    pub fn diagnostic(&self) -> Diagnostic {
        let name = group_name(self.entry);
        let message = format!("the {} `{}` is defined twice", self.kind.noun(), name.value());
        Diagnostic::error(name.span(), message)
            .related(group_name(self.first).span(), "first here")
            .hint("rename or remove one of them")
    }
}

impl Names {
    pub fn new() -> Self {
        Self::with_key(RandomState::new().hash_one(0u8))
    }

    fn with_key(key: u64) -> Self {
        Self { key, seen: Vec::new() }
    }

    /// An empty list with the same hash key.
    pub fn sibling(&self) -> Self {
        Self::with_key(self.key)
    }

    /// Adds the name of an entry that fits a group.
    pub fn add(&mut self, kind: Kind, entry: Entry<'_>) {
        let name = group_name(entry).value();
        let hash = xxh3_64_with_seed(name.as_bytes(), self.key ^ kind as u64);
        self.seen.push(SeenName { hash: hash as u32, id: entry.id() });
    }

    /// Adds the names of a sibling.
    pub fn extend(&mut self, other: Self) {
        debug_assert_eq!(self.key, other.key, "hashes with another key mean nothing here");
        self.seen.extend(other.seen);
    }

    /// The entries whose names are defined earlier in the text, in its order.
    pub fn repeated<'d>(&self, document: &'d Document) -> Vec<RepeatedName<'d>> {
        let mut suspects = self.suspects();
        suspects.sort_unstable_by_key(|seen| (seen.hash, seen.id));
        let runs = suspects.chunk_by(|a, b| a.hash == b.hash).filter(|run| run.len() > 1);
        let mut found: Vec<_> = runs.flat_map(|run| repeated_in(run, document)).collect();
        found.sort_by_key(|repeated| repeated.entry.id());
        found
    }

    /// All names whose hash occurs twice, and some more: those that share a bit of a bitmap.
    fn suspects(&self) -> Vec<SeenName> {
        let words = (self.seen.len() * BITS_A_NAME / 64 + 1).next_power_of_two();
        let place = |seen: &SeenName| (seen.hash as usize / 64 % words, 1u64 << (seen.hash % 64));
        let (mut once, mut twice) = (vec![0u64; words], vec![0u64; words]);
        for (word, bit) in self.seen.iter().map(place) {
            twice[word] |= once[word] & bit;
            once[word] |= bit;
        }
        let is_suspect = |seen: &&SeenName| {
            let (word, bit) = place(seen);
            twice[word] & bit != 0
        };
        self.seen.iter().filter(is_suspect).copied().collect()
    }
}

fn repeated_in<'d>(run: &[SeenName], document: &'d Document) -> Vec<RepeatedName<'d>> {
    let mut named: Vec<_> = run
        .iter()
        .map(|seen| document.entry(seen.id))
        .filter_map(|entry| Some((kind_of(entry)?, group_name(entry).value(), entry)))
        .collect();
    named.sort_by(|(kind, name, _), (other_kind, other, _)| {
        (*kind as u8, name).cmp(&(*other_kind as u8, other))
    });
    named
        .chunk_by(|(kind, name, _), (other_kind, other, _)| kind == other_kind && name == other)
        .flat_map(|same| {
            let (kind, _, first) = same[0];
            same[1..].iter().map(move |&(_, _, entry)| RepeatedName { kind, first, entry })
        })
        .collect()
}

fn kind_of(entry: Entry<'_>) -> Option<Kind> {
    match by_keyword(Scope::Top, &entry.keyword())?.shape {
        Shape::Group(kind) => Some(kind),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(text: &str, hash: Option<u32>) -> Vec<(usize, usize)> {
        let document = Document::parse(text.to_owned());
        let mut names = Names::new();
        for entry in document.entries() {
            names.add(kind_of(entry).expect("a group"), entry);
        }
        if let Some(hash) = hash {
            names.seen.iter_mut().for_each(|seen| seen.hash = hash);
        }
        let places = |found: RepeatedName<'_>| (found.first.id().index(), found.entry.id().index());
        names.repeated(&document).into_iter().map(places).collect()
    }

    #[test]
    fn a_name_is_repeated_in_its_own_group() {
        let text = "stream a;\nlive a;\nondemand \"a\";\nstream b;\nlive c;\nlive c;\nstream a;\n";
        assert_eq!(repeated(text, None), [(0, 2), (4, 5), (0, 6)]);
    }

    #[test]
    fn equal_hashes_of_other_names_are_told_apart() {
        let text = "stream a;\nlive a;\nondemand \"a\";\nstream b;\nlive c;\nlive c;\nstream a;\n";
        assert_eq!(repeated(text, Some(7)), [(0, 2), (4, 5), (0, 6)]);
        assert_eq!(repeated("stream a;\nstream b;\n", Some(7)), []);
    }
}
