//! Finds a few names among very many.

use std::collections::HashSet;

/// Up to this many names, comparing with each is faster than hashing.
const FEW: usize = 8;

/// The names to find.
#[derive(Debug)]
pub struct NameSet<'n> {
    few: Vec<&'n str>,
    many: HashSet<&'n str>,
}

impl<'n> NameSet<'n> {
    /// Prepares the search for `names`.
    pub fn new(names: impl Iterator<Item = &'n str>) -> Self {
        let few: Vec<&'n str> = names.collect();
        let many = if few.len() > FEW { few.iter().copied().collect() } else { HashSet::new() };
        Self { few, many }
    }

    /// Returns the wanted name that equals `name`.
    pub fn find(&self, name: &str) -> Option<&'n str> {
        match self.few.len() {
            0..=FEW => self.few.iter().find(|wanted| **wanted == name).copied(),
            _ => self.many.get(name).copied(),
        }
    }
}
