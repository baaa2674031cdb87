//! The names of blocks: the words that define one, and those that refer to it, such as `template NAME`, `dvr @NAME`,
//! `auth auth://NAME` and `backup_stream NAME`. The rows of the schema say which words they are.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::path::Path;
use crate::schema::{BACKEND_NAMES, Kind, Schema, Scope};
use crate::syntax::{Document, Entry, Splice, Word, bytes_of};

/// A word that has the name of a block in it.
#[derive(Debug, Clone)]
pub struct NameUse<'t> {
    /// The keyword of the blocks with such names; of streams, lives and plugins their noun.
    pub group: &'static str,
    /// The name.
    pub name: Cow<'t, str>,
    /// The whole word.
    pub word: Word<'t>,
    /// True where the block stands that has the name.
    pub is_definition: bool,
    /// What stands in front of the name, such as `@`.
    prefix: &'static str,
    /// What stands behind it.
    rest: String,
}

impl<'t> NameUse<'t> {
    /// The sign in front of the name of an archive.
    pub const ARCHIVE: &'static str = "@";

    /// The name in the first word behind a keyword; `scope` and `block` are those of the block around, with an empty
    /// keyword at the top level.
    pub fn behind(scope: Scope, block: &str, keyword: &str, word: Word<'t>) -> Option<Self> {
        let whole = |group, is_definition| {
            let name = word.value();
            Self { group, name, word, prefix: "", rest: String::new(), is_definition }
        };
        let behind_sign = |(prefix, group): (&'static str, _)| {
            let value = word.value();
            let behind = value.strip_prefix(prefix)?;
            let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
            let (name, rest) = (behind[..end].to_owned(), behind[end..].to_owned());
            Some(Self { name: name.into(), prefix, rest, ..whole(group, false) })
        };
        let Some(row) = scope.by_keyword(keyword) else {
            let row = Schema::foreign(keyword)?;
            if block.is_empty() {
                return Schema::has_named_blocks(keyword).then(|| whole(row.keyword(), true));
            }
            let stands_here = row.stands_in(block) || scope.may_hold(row);
            let group = row.names_of.filter(|_| stands_here).map(|group| whole(group, false));
            // Such as `on_play auth://NAME`.
            return group.or_else(|| behind_sign(BACKEND_NAMES));
        };
        let facts = row.codec.facts();
        match (facts.group, facts.address) {
            (Some(kind), _) => Some(whole(kind.noun(), true)),
            (None, None) => {
                let part = row.naming_part()?;
                (part.kind.read)(Some(word))?;
                let name = word.raw.strip_prefix(Self::ARCHIVE)?.into();
                Some(Self { name, prefix: Self::ARCHIVE, ..whole(part.kind.names_of?.1, false) })
            }
            (_, Some(address)) => behind_sign(address.first.names_of?),
        }
    }

    /// The name of a block of the top level.
    fn of_block(entry: Entry<'t>) -> Option<Self> {
        let name = Self::behind(Scope::Top, "", &entry.keyword(), entry.arguments().next()?);
        name.filter(|name| name.is_definition)
    }

    /// The path of the block that has the name.
    pub fn path(&self) -> String {
        Path::of([Kind::key_of(self.group), &self.name]).shown()
    }

    /// The same word with another name.
    pub fn renamed(&self, name: &str) -> String {
        Word::write(&format!("{}{name}{}", self.prefix, self.rest)).into_owned()
    }
}

impl Document {
    /// The words that have a name, in the order of the text.
    pub fn name_uses(&self) -> Vec<NameUse<'_>> {
        let mut found = Vec::new();
        self.entries().for_each(|entry| collect(entry, Scope::Top, "", &mut found));
        found
    }

    /// The names of the blocks of a group, each once.
    pub fn names_of(&self, group: &str) -> BTreeSet<String> {
        let defined = self.name_uses().into_iter().filter(|used| used.is_definition && used.group == group);
        defined.map(|used| used.name.into_owned()).collect()
    }

    /// A block of this text that `new` lacks while others there use its name, as a path such as `template.low`; and the paths
    /// of the blocks that use it.
    pub fn dangling_in<'d>(&'d self, new: &'d Document) -> Option<(String, Vec<String>)> {
        let [old, new_numbers] = self.differing(new);
        let [old_names, new_names] = [self.entries_in(old), new.entries_in(new_numbers)]
            .map(|entries| entries.filter_map(NameUse::of_block).map(|used| (used.group, used.name)));
        let mut gone = &BTreeSet::from_iter(old_names) - &BTreeSet::from_iter(new_names);
        // Of two blocks with the name, the other stays.
        let uses = if gone.is_empty() { Vec::new() } else { new.name_uses() };
        for used in uses.into_iter().filter(|used| used.is_definition) {
            gone.remove(&(used.group, used.name));
        }
        // Of an entry that is no block its keyword.
        let path = |entry: Entry<'_>| {
            NameUse::of_block(entry).map_or_else(|| entry.keyword().into_owned(), |used| used.path())
        };
        let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in new.entries().take_while(|_| !gone.is_empty()) {
            let mut uses = Vec::new();
            collect(entry, Scope::Top, "", &mut uses);
            uses.retain(|used| !used.is_definition && gone.contains(&(used.group, used.name.clone())));
            let names: BTreeSet<String> = uses.iter().map(NameUse::path).collect();
            names.into_iter().for_each(|name| users.entry(name).or_default().push(path(entry)));
        }
        users.pop_first()
    }

    /// The edits that give blocks of a group other names, wherever these stand; `None` if the new text would not have each
    /// new name in all places of the old one, or would differ in more than them. The number is of the places that refer to
    /// the blocks.
    pub fn renamed(&self, group: &str, names: &HashMap<String, String>) -> Option<(Vec<Splice>, usize)> {
        let mut uses = self.name_uses();
        uses.retain(|used| used.group == group);
        let new = |used: &NameUse<'_>| names.get(&*used.name).map_or(&*used.name, |new| new).to_owned();
        let changed = uses.iter().filter(|used| names.contains_key(&*used.name));
        let references = changed.clone().filter(|used| !used.is_definition).count();
        let edit = |used: &NameUse<'_>| (bytes_of(&used.word.span()), used.renamed(&new(used)));
        let splices: Vec<Splice> = changed.map(edit).map(|(range, text)| Splice { range, text }).collect();
        let after = self.edited(&splices);
        let mut found = after.name_uses();
        found.retain(|used| used.group == group);
        let is_as_meant = found.iter().map(|used| &*used.name).eq(uses.iter().map(new))
            && after.len() == self.len()
            && after.diagnostics().errors() == self.diagnostics().errors();
        is_as_meant.then_some((splices, references))
    }
}

/// Adds each word of an entry that has a name to `found`.
fn collect<'t>(entry: Entry<'t>, scope: Scope, block: &str, found: &mut Vec<NameUse<'t>>) {
    let keyword = entry.keyword();
    let word = entry.arguments().next();
    found.extend(word.and_then(|word| NameUse::behind(scope, block, &keyword, word)));
    if entry.is_block() {
        let inside = scope.inside(&keyword, entry.count_arguments());
        entry.children().for_each(|entry| collect(entry, inside, &keyword, found));
    }
}
