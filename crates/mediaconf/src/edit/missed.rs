//! Patches that miss their target: what a new key, which nothing knows at its place, is probably meant to be.

use super::sync::Sync;
use crate::query::{Path, Segment};
use crate::schema::fault::Pointer;
use crate::schema::members::first_argument;
use crate::schema::{Kind, Parameter, Place, Schema, Scope};
use crate::syntax::Entry;

impl Sync<'_, '_> {
    /// What a new line is probably meant to be, as the first part of a hint: its key is a path, a known one in other letters,
    /// one of another block or of a newer server, the name of a block, or a wrapper around a configuration. Members of
    /// plugins and of unknown blocks are free.
    pub(super) fn missed(&self, scope: Scope, line: Entry<'_>, pointer: &Pointer) -> Option<String> {
        let mut above = pointer.keys();
        let key = above.pop().filter(|_| !matches!(scope, Scope::Unknown | Scope::Plugin))?;
        let path = |above: &[String], below: &[&str]| {
            let keys = above.iter().map(String::as_str).chain(below.iter().copied());
            let path = Path { segments: keys.map(|key| Segment::Key(key.to_owned())).collect() };
            format!("`{}`", path.shown())
        };
        let at = |above: &[String], below: &[&str]| Some(format!("did you mean {}?", path(above, below)));
        if let Some(meant) = Schema::media().foreign(&key).and_then(|row| row.is)
            && scope.by_key(meant).is_some()
        {
            return at(&above, &[meant]);
        }
        if scope.knows(&key) {
            return None;
        }
        let lower = key.to_lowercase();
        if scope.knows(&lower) {
            return at(&above, &[scope.by_name(&lower).map_or(&*lower, |row| row.key)]);
        }
        // A whole path, as `read` prints those into lists: names are quoted.
        let whole = Path::parse(&key).ok().filter(|path| scope == Scope::Top && path.segments.len() > 1);
        let is_there = |name: &str| scope.knows(name) || !self.members.foreign_by_key(name).is_empty();
        if let Some(path) = whole.filter(|path| path.segments[0].name().is_some_and(is_there)) {
            return Some(format!("did you mean `{}`?", path.shown()));
        }
        let is_name = |part: &&str| !matches!(*part, "" | "$");
        let parts: Vec<&str> = key.split(['.', '/', ':']).filter(is_name).collect();
        if let [first, ..] = parts[..]
            && first != key
            && !key.contains("://")
        {
            if scope.knows(first) {
                return at(&above, &parts);
            } else if Schema::media().kind(first).is_some() {
                return at(&[], &parts);
            } else if let Some(group) = self.group_with(first).filter(|_| scope == Scope::Top) {
                return at(&[group], &parts);
            }
        }
        if scope != Scope::Top {
            let is_of_top = Scope::Top.by_key(&key).is_some();
            return is_of_top.then(|| format!("did you mean `{key}` at the top level?"));
        }
        if let Some(group) = self.group_with(&key) {
            return at(&[group], &[&key]);
        }
        let kinds = Schema::media().kinds.into_iter().filter(|kind| kind.scope() != Scope::Plugin);
        let block = |kind: Kind| [kind.key().to_owned(), "NAME".to_owned()];
        let own = |kind: Kind| Some((kind, kind.scope().by_name(&key)?));
        if let Some((kind, row)) = kinds.clone().find_map(own) {
            return at(&block(kind), &[row.key]);
        }
        let is_part = |place: Place| !matches!(place, Place::Foreign | Place::Block(_));
        let in_blocks = kinds.map(|kind| (kind.scope(), block(kind).to_vec()));
        let holders = std::iter::once((scope, above)).chain(in_blocks).flat_map(|(scope, above)| {
            let rows = scope.rows().filter(|row| row.codec.member(&key).is_ok_and(is_part));
            rows.map(move |row| (above.clone(), row.key))
        });
        let meant: Vec<String> = holders.map(|(above, row)| path(&above, &[row, &key])).collect();
        if !meant.is_empty() {
            return Some(format!("did you mean {}?", meant.join(" or ")));
        }
        (line.is_block() && wraps(line)).then(|| format!("did you mean what is in `{key}`, without it?"))
    }

    /// The key of the group that has a block of this name.
    fn group_with(&self, name: &str) -> Option<String> {
        let names = self.names.get_or_init(|| {
            let is_named = |entry: &Entry<'_>| entry.is_block() || entry.block_kind().is_some();
            let blocks = self.document.entries().filter(is_named);
            blocks.map(|block| (first_argument(block), block.keyword())).collect()
        });
        let keyword = names.get(name)?;
        let key = |row: &Parameter| row.codec.facts().list.map_or(row.key, |list| list.blocks).to_owned();
        Some(Scope::Top.by_keyword(keyword).map_or_else(|| keyword.to_string(), key))
    }
}

/// True if a block holds what only the top level does: streams, lives or plugins, or nothing but its settings; also deeper.
fn wraps(block: Entry<'_>) -> bool {
    let mut children = block.children();
    let is_group = |word: &str| Schema::media().kind(word).is_some();
    let holds = |child: Entry<'_>| is_group(&child.keyword()) || child.is_block() && wraps(child);
    block.arguments().any(|word| is_group(&word.value()))
        || children.clone().any(holds)
        || children.clone().next().is_some()
            && children.all(|child| Scope::Top.by_key(&child.keyword()).is_some())
}
