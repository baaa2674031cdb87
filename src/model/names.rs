//! A few names to be found among very many.

use std::collections::HashSet;

/// Up to here, comparing with each is faster than hashing.
const FEW: usize = 8;

/// The names that are looked for.
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

    /// The name that is looked for and equals `name`.
    pub fn find(&self, name: &str) -> Option<&'n str> {
        match self.few.len() {
            0..=FEW => self.few.iter().find(|wanted| **wanted == name).copied(),
            _ => self.many.get(name).copied(),
        }
    }
}
