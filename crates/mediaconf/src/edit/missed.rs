//! Patches that miss their target: what a new key, which nothing knows at its place, is probably meant to be.

use super::sync::Sync;
use crate::query::{Path, Segment};
use crate::schema::fault::Pointer;
use crate::schema::{Kind, Schema, Scope};
use crate::syntax::Entry;

impl Sync<'_, '_> {
    /// What a new line is probably meant to be, as the first part of a hint: its key is a path, a known one in other letters,
    /// one of another block or of a newer server, the name of a block, or a wrapper around a configuration. Members of
    /// plugins and of unknown blocks are free.
    pub(super) fn missed(&self, scope: Scope, line: Entry<'_>, pointer: &Pointer) -> Option<String> {
        let mut above = pointer.keys();
        let key = above.pop().filter(|_| !matches!(scope, Scope::Unknown | Scope::Plugin))?;
        let at = |above: &[String], below: &[&str]| {
            let keys = above.iter().map(String::as_str).chain(below.iter().copied());
            let path = Path { segments: keys.map(|key| Segment::Key(key.to_owned())).collect() };
            Some(format!("did you mean `{}`?", path.shown()))
        };
        if let Some(meant) = Schema::media().foreign(&key).and_then(|row| row.is)
            && scope.by_key(meant).is_some()
        {
            return at(&above, &[meant]);
        }
        if is_known(scope, &key) {
            return None;
        }
        let lower = key.to_lowercase();
        if is_known(scope, &lower) {
            return at(&above, &[key_in(scope, &lower)]);
        }
        let is_part = |part: &&str| !matches!(*part, "" | "$");
        let parts: Vec<&str> = key.split(['.', '/', ':']).filter(is_part).collect();
        if let [first, ..] = parts[..]
            && first != key
            && !key.contains("://")
        {
            if is_known(scope, first) {
                return at(&above, &parts);
            } else if Schema::media().kind(first).is_some() {
                return at(&[], &parts);
            } else if let Some(kind) = self.kind_with(first).filter(|_| scope == Scope::Top) {
                return at(&[kind.key().to_owned()], &parts);
            }
        }
        if scope != Scope::Top {
            let is_of_top = Scope::Top.by_key(&key).is_some();
            return is_of_top.then(|| format!("did you mean `{key}` at the top level?"));
        }
        if let Some(kind) = self.kind_with(&key) {
            return at(&[kind.key().to_owned()], &[&key]);
        }
        let holds = |kind: &Kind| kind.scope() != Scope::Plugin && is_own(kind.scope(), &key);
        if let Some(kind) = Schema::media().kinds.into_iter().find(holds) {
            return at(&[kind.key().to_owned(), "NAME".to_owned()], &[key_in(kind.scope(), &key)]);
        }
        (line.is_block() && wraps(line)).then(|| format!("did you mean what is in `{key}`, without it?"))
    }

    /// The kind of the stream, live or plugin of this name.
    fn kind_with(&self, name: &str) -> Option<Kind> {
        let has = |kind: &Kind| {
            self.members.own_by_key(kind.key()).iter().any(|block| block.group_name().value() == name)
        };
        Schema::media().kinds.into_iter().find(has)
    }
}

fn is_own(scope: Scope, name: &str) -> bool {
    scope.by_key(name).or_else(|| scope.by_keyword(name)).is_some()
}

fn is_known(scope: Scope, name: &str) -> bool {
    is_own(scope, name) || Schema::media().foreign(name).is_some_and(|row| scope.may_hold(row))
}

/// The key of a known keyword.
fn key_in(scope: Scope, name: &str) -> &str {
    scope.by_keyword(name).map_or(name, |row| row.key)
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
