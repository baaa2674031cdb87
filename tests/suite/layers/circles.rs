//! Circles in a graph of files (Tarjan's strongly connected components).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::arrows::Arrows;

/// The sets of files of which each needs all the others, directly or through others.
pub fn circles<'source>(arrows: &Arrows<'source>) -> Vec<BTreeSet<&'source Path>> {
    let mut search = Search { arrows, seen: BTreeMap::new(), open: Vec::new(), circles: Vec::new() };
    for file in arrows.keys() {
        if !search.seen.contains_key(file) {
            search.visit(file);
        }
    }
    search.circles
}

/// A circle with its arrows, for a message.
pub fn describe(circle: &BTreeSet<&Path>, arrows: &Arrows) -> String {
    let mut text = format!("a circle of {} files:\n", circle.len());
    for from in circle {
        for (to, names) in arrows[from].iter().filter(|(to, _)| circle.contains(*to)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            text += &format!("  {} → {} ({})\n", from.display(), to.display(), names.join(", "));
        }
    }
    text
}

struct Search<'search, 'source> {
    arrows: &'search Arrows<'source>,
    /// For each file that was seen its number, and the lowest number that it leads back to.
    seen: BTreeMap<&'source Path, (usize, usize)>,
    /// The files that are not in a component yet.
    open: Vec<&'source Path>,
    circles: Vec<BTreeSet<&'source Path>>,
}

impl<'source> Search<'_, 'source> {
    /// Returns the lowest number that a file leads back to.
    fn visit(&mut self, file: &'source Path) -> usize {
        let number = self.seen.len();
        let place = self.open.len();
        self.open.push(file);
        self.seen.insert(file, (number, number));
        let mut lowest = number;
        for next in self.arrows[file].keys() {
            let back = match self.seen.get(next) {
                None => self.visit(next),
                Some((other, _)) if self.open.contains(next) => *other,
                Some(_) => continue,
            };
            lowest = lowest.min(back);
        }
        self.seen.insert(file, (number, lowest));
        if lowest == number {
            let component: BTreeSet<_> = self.open.drain(place..).collect();
            if component.len() > 1 {
                self.circles.push(component);
            }
            return usize::MAX;
        }
        lowest
    }
}
