//! Names that are defined twice.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::schema::{Kind, Schema};
use crate::syntax::{Diagnostic, Span, Word};

/// The names of streams, lives and plugins.
#[derive(Clone)]
pub(super) struct Names(Vec<(Kind, GroupNames)>);

/// The names of one group, each as a hash with a key of this run, and its place.
///
/// This takes twelve bytes a name; a map of a hundred thousand names would cost as much as parsing them.
#[derive(Clone, Default)]
struct GroupNames {
    key: u64,
    seen: Vec<SeenName>,
}

#[derive(Clone)]
struct SeenName {
    hash: u32,
    span: Span,
}

/// With this many bits a name, about one unique name in eight is a suspect.
const BITS_A_NAME: usize = 8;

/// A name that stands in the same group before.
pub(super) struct RepeatedName<'t> {
    pub kind: Kind,
    pub first: Word<'t>,
    pub name: Word<'t>,
}

impl RepeatedName<'_> {
    pub fn diagnostic(&self) -> Diagnostic {
        let message = format!("the {} `{}` is defined twice", self.kind.noun(), self.name.value());
        Diagnostic::error(self.name.span(), message)
            .related(self.first.span(), "first here")
            .hint("rename or remove one of them")
    }
}

impl Names {
    pub fn new(schema: &Schema) -> Self {
        let key = RandomState::new().hash_one(0u8);
        Self(schema.kinds.iter().map(|&kind| (kind, GroupNames { key, seen: Vec::new() })).collect())
    }

    /// Adds the name of an entry of a group.
    pub fn add(&mut self, kind: Kind, name: Word<'_>) {
        self.0.iter_mut().filter(|(known, _)| *known == kind).for_each(|(_, names)| names.add(name));
    }

    /// The names that are defined earlier in the text, in its order.
    pub fn repeated<'t>(&self, text: &'t str) -> Vec<RepeatedName<'t>> {
        let mut found: Vec<_> = self.0.iter().flat_map(|(kind, names)| names.repeated(*kind, text)).collect();
        found.sort_by_key(|repeated| repeated.name.start);
        found
    }
}

impl GroupNames {
    fn add(&mut self, name: Word<'_>) {
        let hash = xxh3_64_with_seed(name.value().as_bytes(), self.key);
        self.seen.push(SeenName { hash: hash as u32, span: name.span() });
    }

    fn repeated<'t>(&self, kind: Kind, text: &'t str) -> Vec<RepeatedName<'t>> {
        let mut suspects = self.suspects();
        suspects.sort_unstable_by_key(|seen| (seen.hash, seen.span.start));
        let runs = suspects.chunk_by(|a, b| a.hash == b.hash).filter(|run| run.len() > 1);
        runs.flat_map(|run| repeated_in(run, kind, text)).collect()
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
        self.seen.iter().filter(is_suspect).cloned().collect()
    }
}

fn repeated_in<'t>(run: &[SeenName], kind: Kind, text: &'t str) -> Vec<RepeatedName<'t>> {
    let word = |Range { start, end }: Span| Word::new(&text[start as usize..end as usize], start);
    let mut names: Vec<_> = run.iter().map(|seen| word(seen.span.clone())).collect();
    // Stable: equal names stay in the order of the text.
    names.sort_by_key(|name| name.value());
    names
        .chunk_by(|name, other| name.value() == other.value())
        .flat_map(|same| same[1..].iter().map(|&name| RepeatedName { kind, first: same[0], name }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shape::group_name;
    use crate::schema::Shape;
    use crate::syntax::Document;

    fn repeated(text: &str, hash: Option<u32>) -> Vec<(u32, u32)> {
        let mut names = Names::new(Schema::media());
        for entry in Document::parse(text.to_owned()).entries() {
            let row = Schema::media().top().by_keyword(&*entry.keyword()).expect("the keyword is known");
            let Shape::Group(kind) = row.shape else { panic!("the directive is no group") };
            names.add(kind, group_name(entry));
        }
        if let Some(hash) = hash {
            names.0.iter_mut().flat_map(|(_, names)| &mut names.seen).for_each(|seen| seen.hash = hash);
        }
        names.repeated(text).into_iter().map(|found| (found.first.start, found.name.start)).collect()
    }

    const TEXT: &str = "stream a;\nlive a;\nondemand \"a\";\nstream b;\nlive c;\nlive c;\nstream a;\n";

    #[test]
    fn a_name_is_repeated_in_its_own_group() {
        assert_eq!(repeated(TEXT, None), [(7, 27), (47, 55), (7, 65)]);
    }

    #[test]
    fn equal_hashes_of_other_names_are_told_apart() {
        assert_eq!(repeated(TEXT, Some(7)), [(7, 27), (47, 55), (7, 65)]);
        assert_eq!(repeated("stream a;\nstream b;\n", Some(7)), []);
    }
}
