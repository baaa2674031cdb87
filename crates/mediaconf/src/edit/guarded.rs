//! Changes that are rarely meant, and are refused unless they are accepted: another form of an unknown directive, and a
//! new unknown keyword that is nearly a known one.
//!
//! The meaning of an unknown directive is unknown, so only its form can show that a patch is a mistake:
//! `push a; push b;` is hardly meant to become `push a c;`.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::align::{Alignment, ElementOrigin};
use super::surroundings::kind_of;
use super::sync::Sync;
use crate::check::{near_miss_in_block, slips};
use crate::schema::codec::DirectiveForm;
use crate::schema::fault::{Fault, FaultKind, Pointer};
use crate::schema::members::{first_argument, inner_scope};
use crate::schema::{ForeignForm, Kind, Schema, Scope};
use crate::syntax::Entry;

/// A part of the patch and its place.
#[derive(Clone)]
pub struct At<'v> {
    /// Null where the patch does not say it part by part.
    pub patch: &'v Value,
    pub pointer: Pointer,
}

impl At<'_> {
    pub(super) fn child(&self, key: impl serde_json::value::Index + std::fmt::Display) -> Self {
        Self { patch: self.patch.get(&key).unwrap_or(&Value::Null), pointer: self.pointer.child(key) }
    }
}

impl<'d> Sync<'_, 'd> {
    /// Doubts a new line in a block, or at the top level, whose keyword is nearly a known one.
    pub(super) fn doubt_new(&mut self, within: Option<Entry<'d>>, line: Entry<'_>, pointer: &Pointer) {
        let kind = within.map(kind_of);
        self.doubt_new_of((scope_in(within), kind.as_deref()), line, pointer);
    }

    /// Doubts what looks like a slip in the words of a line whose keyword is known; what the text has already is none.
    pub(super) fn doubt_words(&mut self, scope: Scope, line: Entry<'_>, pointer: &Pointer) {
        let keyword = line.keyword();
        if scope.by_keyword(&keyword).is_none() && Schema::media().foreign(&keyword).is_none() {
            return;
        }
        for slip in slips(scope, line) {
            let told = self
                .told
                .get_or_init(|| self.document.check().iter().map(|found| found.message.clone()).collect());
            if !told.contains(&slip.message) {
                let hint = unless_right(&slip.hint.unwrap_or_default(), "it");
                let miss = Fault::at_pointer(FaultKind::NearMiss, pointer.clone(), slip.message);
                self.guarded.push(miss.hint(hint));
            }
        }
    }

    /// The same for a block of this kind, which may be new itself. A keyword that is used already in a block of the kind
    /// is no misspelling.
    pub(super) fn doubt_new_of(
        &mut self,
        (scope, kind): (Scope, Option<&str>),
        line: Entry<'_>,
        pointer: &Pointer,
    ) {
        let keyword = line.keyword();
        let near = match kind.filter(|_| scope.kind().is_none()) {
            Some(block) => near_miss_in_block(block, &keyword),
            None => scope.near_miss(&keyword),
        };
        let is_used = |kind: &str| self.used().contains(&(kind.into(), keyword.as_ref().into()));
        let near = near.map(|near| format!("did you mean {}?", near.in_words()));
        let near = self.missed(scope, line, pointer).or(near);
        if let Some(near) = near.filter(|_| !kind.is_some_and(is_used)) {
            let hint = unless_right(&near, &format!("`{keyword}`"));
            let message = format!("`{keyword}` is not known here");
            let miss = Fault::at_pointer(FaultKind::NearMiss, pointer.clone(), message).hint(hint);
            // Each line of one member is the same slip.
            self.guarded.0.extend((self.guarded.0.last() != Some(&miss)).then_some(miss));
        }
        self.doubt_words(scope, line, pointer);
        self.doubt_inside(line, pointer);
    }

    /// Doubts the lines in a new block.
    pub(super) fn doubt_inside(&mut self, block: Entry<'_>, pointer: &Pointer) {
        let keyword = block.keyword();
        let pointer = match Schema::media().foreign(&keyword).map(|row| row.form) {
            Some(ForeignForm::Named) => &pointer.child(first_argument(block)),
            Some(ForeignForm::Block) => pointer,
            _ => return,
        };
        let scope = Schema::media().block_scope(&keyword, 1);
        for line in block.children() {
            let pointer = &pointer.child(scope.key_of(&line.keyword()));
            self.doubt_new_of((scope, Some(&keyword)), line, pointer);
        }
    }

    /// The keywords that stand in blocks, each behind the kind of its block.
    fn used(&self) -> &HashSet<(Cow<'d, str>, Cow<'d, str>)> {
        self.used.get_or_init(|| {
            let blocks = Schema::media().kinds.iter().flat_map(|kind| self.members.own_by_key(kind.key()));
            let foreign = self.members.foreign().values().flatten();
            let keywords = |&block: &Entry<'d>| {
                block.children().map(move |entry| (kind_of(block), entry.keyword())).collect::<Vec<_>>()
            };
            blocks.chain(foreign).flat_map(keywords).collect()
        })
    }

    /// Compares the form of the lines of an unknown keyword with that of the new ones in their places. A patch that
    /// lists the lines one by one names the form itself.
    pub(super) fn doubt_lines(
        &mut self,
        [old, new]: [&[Entry<'_>]; 2],
        alignment: &Alignment,
        At { patch, pointer }: &At<'_>,
    ) {
        let keyword = &*old[0].keyword();
        let is_bare = |line: &Entry<'_>| !line.is_block() && line.count_arguments() == 0;
        let form = DirectiveForm::from_entries(old);
        let has_blocks = matches!(form, DirectiveForm::Block | DirectiveForm::NamedBlocks);
        let lists_lines = match patch {
            Value::Null => return,
            Value::Object(_) if has_blocks || Schema::media().has_names(keyword) => return,
            Value::Array(lines) => lines.iter().any(Value::is_array) || Schema::media().repeats(keyword),
            _ => false,
        };
        let change = match old {
            [only] if is_bare(only) => return,
            [_, _, ..] if !lists_lines => {
                let made = if patch.is_object() { "blocks" } else { "one" };
                let found = format!("there are {} `{keyword}` lines", old.len());
                Some((found, format!("replace them with {made}")))
            }
            _ => alignment.new.iter().zip(new).find_map(|(origin, new)| match *origin {
                ElementOrigin::Edited(at) => form_change(keyword, old[at], *new),
                _ => None,
            }),
        };
        let Some((found, made)) = change else { return };
        let advice = match form {
            DirectiveForm::NamedBlocks => "the blocks have names: give them by name, as `{\"NAME\":{…}}`",
            _ => "send the present value with your change",
        };
        let hint = format!(
            "{advice}; `--accept form-change` (over HTTP `accept=form-change`) makes the change anyway"
        );
        let message = format!("{found} here, and this patch would {made}");
        self.guarded.push(Fault::at_pointer(FaultKind::FormChange, pointer.clone(), message).hint(hint));
    }
}

/// The hint of a near miss: what is probably meant, and how the word is accepted if it is right.
pub(super) fn unless_right(meant: &str, word: &str) -> String {
    let end = if meant.ends_with('?') { "" } else { "." };
    format!("{meant}{end} If {word} is right, add `--accept near-miss` (over HTTP `accept=near-miss`)")
}

/// The scope in a block, or of the top level.
pub(super) fn scope_in(within: Option<Entry<'_>>) -> Scope {
    let inner = |block: Entry<'_>| block.block_kind().map_or_else(|| inner_scope(block), Kind::scope);
    within.map_or(Scope::Top, inner)
}

/// How a line has another form than the new one in its place.
fn form_change(keyword: &str, old: Entry<'_>, new: Entry<'_>) -> Option<(String, String)> {
    let has = |what: &str| format!("`{keyword}` has {what}");
    let is_quoted = |entry: Entry<'_>| {
        let mut words = entry.arguments();
        words.next().is_some_and(|word| word.value().contains(char::is_whitespace)) && words.next().is_none()
    };
    match (old.is_block(), new.is_block(), old.count_arguments()) {
        (false, true, 1..) => Some((has("words"), "turn it into a block".to_owned())),
        (true, false, _) => Some((has("a block"), "replace it with words".to_owned())),
        (false, false, 2..) if is_quoted(new) => {
            Some((has("several words"), "replace them with one quoted word".to_owned()))
        }
        _ => None,
    }
}
