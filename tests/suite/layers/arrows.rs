//! Which file needs which other file.
//!
//! A name that a file imports or mentions is followed, through the modules that only pass it on, to
//! the file that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::source::{Module, Source};

/// No name is passed on more often than this.
const MAX_STEPS: usize = 32;

/// For each file the files that it needs, each with the names that it needs of it.
pub type Arrows<'source> = BTreeMap<&'source Path, BTreeMap<&'source Path, BTreeSet<String>>>;

/// What a path leads to.
#[derive(Clone, Copy)]
enum Found<'path> {
    Module(usize),
    /// An item, with the module that defines it.
    Item(usize, &'path str),
}

/// The arrows between all files.
pub fn arrows(source: &Source) -> Arrows<'_> {
    let mut arrows = Arrows::new();
    for (index, module) in source.modules.iter().enumerate() {
        let needed = arrows.entry(&module.file).or_default();
        // What is passed on is needed by whoever takes it.
        let imported = module.imports.iter().filter(|import| !import.is_reexport).map(|import| &import.path);
        for path in imported.chain(&module.paths) {
            if let Some(Found::Item(definer, name)) = source.find(index, path, MAX_STEPS) {
                let file = source.modules[definer].file.as_path();
                if file != module.file {
                    needed.entry(file).or_default().insert(name.to_owned());
                }
            }
        }
    }
    arrows
}

impl Source {
    /// Follows a path that stands in a module; `None` if it leads out of the libraries.
    fn find<'path>(&'path self, from: usize, path: &'path [String], steps: usize) -> Option<Found<'path>> {
        let steps = steps.checked_sub(1)?;
        let (first, mut rest) = path.split_first()?;
        let mut found = match first.as_str() {
            "crate" => Found::Module(self.modules[from].root),
            "mediaconf" => Found::Module(0),
            "self" => Found::Module(from),
            "super" => Found::Module(self.modules[from].parent?),
            name => self.find_name(from, name, rest.is_empty(), steps)?,
        };
        while let (Found::Module(module), Some((name, more))) = (found, rest.split_first()) {
            found = match name.as_str() {
                "super" => Found::Module(self.modules[module].parent?),
                name => self.find_name(module, name, more.is_empty(), steps)?,
            };
            rest = more;
        }
        Some(found)
    }

    /// Finds a name in the scope of a module. At the end of a path an item counts before a module of
    /// the same name, elsewhere the module.
    fn find_name<'path>(
        &'path self,
        index: usize,
        name: &'path str,
        is_last: bool,
        steps: usize,
    ) -> Option<Found<'path>> {
        let module: &Module = &self.modules[index];
        let child = module.children.get(name).map(|child| Found::Module(*child));
        let item = module.items.contains(name).then_some(Found::Item(index, name));
        let imported = || {
            let mut named = module.imports.iter().filter(|import| import.name.as_deref() == Some(name));
            named.find_map(|import| self.find(index, &import.path, steps))
        };
        let among_all = || {
            let mut all = module.imports.iter().filter(|import| import.name.is_none());
            all.find_map(|import| match self.find(index, &import.path, steps)? {
                Found::Module(module) if module != index => self.find_name(module, name, is_last, steps),
                _ => None,
            })
        };
        match is_last {
            true => item.or_else(imported).or(child),
            false => child.or(item).or_else(imported),
        }
        .or_else(among_all)
    }
}
