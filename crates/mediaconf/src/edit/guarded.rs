//! Changes that are rarely meant, and are refused unless they are accepted: another form of an unknown directive, a
//! new unknown keyword that is nearly a known one, and a patch that misses its target.
//!
//! The meaning of an unknown directive is unknown, so only its form can show that a patch is a mistake:
//! `push a; push b;` is hardly meant to become `push a c;`.

use std::borrow::Cow;
use std::cell::OnceCell;

use foldhash::{HashMap, HashSet};
use serde_json::Value;

use super::align::{Alignment, Step};
use super::surroundings::kind_of;
use super::sync::Sync;
use crate::check::{near_miss_in_block, slips};
use crate::query::{Path, Segment};
use crate::schema::{
    DirectiveForm, Fault, FaultKind, ForeignForm, Kind, Parameter, Place, Pointer, Schema, Scope,
    first_argument, inner_scope, listed,
};
use crate::syntax::{Diagnostic, Entry};

/// What is written in the place of a dot.
const SLIPS: [char; 8] = ['/', ':', ' ', '\t', ',', ';', '|', '\\'];

/// What the text is known to hold, looked up where it is needed.
#[derive(Default)]
pub(super) struct Known<'d> {
    /// The keywords that stand in blocks, each behind the kind of its block.
    used: OnceCell<HashSet<(Cow<'d, str>, Cow<'d, str>)>>,
    /// The keywords of the blocks of the top level, by their names.
    names: OnceCell<HashMap<Cow<'d, str>, Cow<'d, str>>>,
    /// What the checks tell of the text.
    told: OnceCell<HashSet<String>>,
    /// The slips in new lines, many of which are equal.
    slips: HashMap<(Scope, String), Vec<Diagnostic>>,
}

/// A part of the patch and its place.
#[derive(Clone)]
pub struct At<'v, 'd> {
    /// The block around it; `None` at the top level.
    pub within: Option<Entry<'d>>,
    /// Null where the patch does not say it part by part.
    pub patch: &'v Value,
    pub pointer: Pointer,
}

impl At<'_, '_> {
    pub(super) fn child(&self, key: impl serde_json::value::Index + std::fmt::Display) -> Self {
        let patch = self.patch.get(&key).unwrap_or(&Value::Null);
        Self { within: self.within, patch, pointer: self.pointer.child(key.to_string()) }
    }
}

impl<'d> Sync<'_, 'd> {
    /// Doubts what looks like a slip in the words of a line whose keyword is known; what the text has already is none.
    pub(super) fn doubt_words(&mut self, scope: Scope, line: Entry<'_>, pointer: &Pointer) {
        let keyword = line.keyword();
        if scope.by_keyword(&keyword).is_none() && Schema::foreign(&keyword).is_none() {
            return;
        }
        let messages = || self.document.check().iter().map(|found| found.message.clone()).collect();
        let known = self.known.slips.entry((scope, line.text().to_owned()));
        for slip in known.or_insert_with(|| slips(scope, line)).clone() {
            if !self.known.told.get_or_init(messages).contains(&slip.message) {
                let hint = unless_right(&slip.hint.unwrap_or_default(), "it");
                let miss = Fault::at_pointer(FaultKind::NearMiss, pointer.clone(), slip.message);
                self.edit.guarded.push(miss.hint(hint));
            }
        }
    }

    /// Doubts a new line whose keyword is nearly a known one, in a block of a kind, which may be new itself, or at the top
    /// level. A keyword that is used already in a block of the kind is no misspelling.
    pub(super) fn doubt_new(&mut self, around: (Scope, Option<&str>), line: Entry<'_>, pointer: &Pointer) {
        let ((scope, kind), keyword) = (around, line.keyword());
        let of_block = kind.filter(|_| scope.kind().is_none());
        let near =
            of_block.map_or_else(|| scope.near_miss(&keyword), |block| near_miss_in_block(block, &keyword));
        let is_used = |kind: &str| self.used().contains(&(kind.into(), keyword.as_ref().into()));
        let near = near.map(|near| format!("did you mean {}?", listed(near.names, "or")));
        let near = self.missed(scope, line, pointer).or(near);
        let same = format!("did you mean `{keyword}`?");
        let way = "did you mean a path? A patch has an object for each name, `--set` takes it without quotes";
        let near = near.map(|near| if near == same { way.to_owned() } else { near });
        if let Some(near) = near.filter(|_| !kind.is_some_and(is_used)) {
            let hint = unless_right(&near, &format!("`{keyword}`"));
            let message = format!("`{keyword}` is not known here");
            let miss = Fault::at_pointer(FaultKind::NearMiss, pointer.clone(), message).hint(hint);
            // Each line of one member is the same slip.
            let guarded = &mut self.edit.guarded.0;
            guarded.extend((guarded.last() != Some(&miss)).then_some(miss));
        }
        self.doubt_words(scope, line, pointer);
        self.doubt_inside(line, pointer);
    }

    /// Doubts the lines in a new block.
    pub(super) fn doubt_inside(&mut self, block: Entry<'_>, pointer: &Pointer) {
        let keyword = block.keyword();
        let pointer = match Schema::foreign(&keyword).map(|row| row.form) {
            Some(ForeignForm::Named) => &pointer.child(first_argument(block)),
            Some(ForeignForm::Block) => pointer,
            _ => return,
        };
        self.doubt_lines_of((Schema::block_scope(&keyword, 1), &keyword), block, pointer);
    }

    /// Doubts each line in a new block of a scope and a kind.
    pub(super) fn doubt_lines_of(&mut self, around: (Scope, &str), block: Entry<'_>, pointer: &Pointer) {
        for line in block.children() {
            let ((scope, kind), keyword) = (around, line.keyword());
            let row = scope.by_keyword(&keyword);
            let key = row.map_or_else(|| scope.key_of(&keyword), |row| row.key.into());
            self.doubt_new((scope, Some(kind)), line, &pointer.child(key));
        }
    }

    /// The keywords that stand in blocks, each behind the kind of its block.
    fn used(&self) -> &HashSet<(Cow<'d, str>, Cow<'d, str>)> {
        self.known.used.get_or_init(|| {
            let blocks = Kind::ALL.iter().flat_map(|kind| self.members.own_by_key(kind.key()));
            let foreign = self.members.foreign.values().flatten();
            let keywords = |&block: &Entry<'d>| {
                block.children().map(move |entry| (kind_of(block), entry.keyword())).collect::<Vec<_>>()
            };
            blocks.chain(foreign).flat_map(keywords).collect()
        })
    }

    /// What a new line is probably meant to be, as the first part of a hint: its key is a path, a known one in other letters,
    /// one of another block or of a newer server, the name of a block, or a wrapper around a configuration. Members of
    /// plugins and of unknown blocks are free.
    pub(super) fn missed(&self, scope: Scope, line: Entry<'_>, pointer: &Pointer) -> Option<String> {
        let mut above = pointer.keys();
        let key = above.pop().filter(|_| !matches!(scope, Scope::Unknown | Scope::Plugin))?;
        let at = |above: &[String], Path { segments }: Path| {
            let above = Path::of(above.iter().map(String::as_str));
            let whole = Path { segments: [above.segments, segments].concat() };
            // `urls.0` is `urls[0]`.
            let names = Some(whole.names()).filter(|names| names.len() == whole.segments.len());
            let plain = names.map(|names| Pointer::from_keys(names).to_path());
            Some(format!("did you mean `{}`?", plain.as_ref().unwrap_or(&whole).shown()))
        };
        let (lower, newer) =
            (key.to_lowercase(), Schema::foreign(&key).and_then(|row| scope.by_key(row.is?)));
        let known = match newer {
            None if scope.knows(&key) => return None,
            None => scope.knows(&lower).then(|| scope.by_name(&lower).map_or(&*lower, |row| row.key)),
            Some(row) => Some(row.key),
        };
        if let Some(known) = known {
            return at(&above, Path::of([known]));
        }
        // A whole path, as `read` prints it or with other signs between its names.
        let is_name = key.contains("://") || self.group_with(&key).is_some();
        let text = key.trim_start_matches(['$', '.', '/', ':']).replace(SLIPS, ".");
        let path =
            if is_name { Path::of([&*key]) } else { Path::parse(&text).unwrap_or_else(|_| Path::of([])) };
        if let Some(first) = path.segments.first().and_then(Segment::name) {
            let group = || self.group_with(first).filter(|_| scope == Scope::Top);
            let is_there = || scope == Scope::Top && !self.members.foreign_by_key(first).is_empty();
            let above = match scope.knows(first) || path.segments.len() > 1 && is_there() {
                true => Some(above.clone()),
                false if first != key && Schema::kind(first).is_some() => Some(Vec::new()),
                false => group().map(|group| vec![group]),
            };
            if let Some(above) = above {
                return at(&above, path);
            }
        }
        if scope != Scope::Top {
            let is_of_top = Scope::Top.by_key(&key).is_some();
            return is_of_top.then(|| format!("did you mean `{key}` at the top level?"));
        }
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.scope() != Scope::Plugin);
        let blocks = kinds.map(|kind| (kind.scope(), vec![kind.key().to_owned(), "NAME".to_owned()]));
        let own = |(scope, block): (Scope, Vec<String>)| at(&block, Path::of([scope.by_name(&key)?.key]));
        // A member of another one, such as `login`.
        let is_part = |place: Place| !matches!(place, Place::Foreign | Place::Block(_));
        let part = |(scope, block): (Scope, Vec<String>)| {
            let row = scope.rows().find(|row| row.codec.member(&key).is_ok_and(is_part))?;
            at(&block, Path::of([row.key, &*key]))
        };
        let meant = blocks.clone().find_map(own);
        let meant = meant.or_else(|| std::iter::once((scope, above)).chain(blocks).find_map(part));
        let is_wrapper = || line.is_block() && wraps(line);
        let wrapped = || is_wrapper().then(|| format!("did you mean what is in `{key}`, without it?"));
        meant.or_else(wrapped).or_else(|| {
            // What was read of one path is its value, and no patch.
            let holds = |block: &Entry<'_>| block.children().any(|child| child.keyword() == key);
            let mut blocks = self.document.all_entries().filter(|block| block.block_kind().is_none());
            Some(format!("did you mean `{key}` in the block `{}`?", blocks.find(holds)?.keyword()))
        })
    }

    /// The key of the group that has a block of this name.
    fn group_with(&self, name: &str) -> Option<String> {
        let names = self.known.names.get_or_init(|| {
            let is_named = |entry: &Entry<'_>| entry.is_block() || entry.block_kind().is_some();
            let blocks = self.document.entries().filter(is_named);
            blocks.map(|block| (first_argument(block), block.keyword())).collect()
        });
        let keyword = names.get(name)?;
        let key = |row: &Parameter| row.codec.facts().list.map_or(row.key, |list| list.blocks).to_owned();
        Some(Scope::Top.by_keyword(keyword).map_or_else(|| keyword.to_string(), key))
    }

    /// Compares the form of the lines of an unknown keyword with that of the new ones in their places. A patch that
    /// lists the lines one by one names the form itself.
    pub(super) fn doubt_lines(&mut self, both: [&[Entry<'_>]; 2], alignment: &Alignment, at: &At<'_, '_>) {
        let ([old, new], At { patch, pointer, .. }) = (both, at);
        let keyword = &*old[0].keyword();
        let form = DirectiveForm::from_entries(old);
        let has_blocks = matches!(form, DirectiveForm::Block | DirectiveForm::NamedBlocks);
        let lists_lines = match patch {
            Value::Null => return,
            Value::Object(_) if has_blocks || Schema::has_names(keyword) => return,
            Value::Array(lines) => lines.iter().any(Value::is_array) || Schema::repeats(keyword),
            _ => false,
        };
        let change = match old {
            [only] if !only.is_block() && only.count_arguments() == 0 => return,
            [_, _, ..] if !lists_lines => {
                let made = if patch.is_object() { "blocks" } else { "one" };
                let found = format!("there are {} `{keyword}` lines", old.len());
                Some((found, format!("replace them with {made}")))
            }
            _ => alignment.new.iter().zip(new).find_map(|(origin, new)| {
                let (_, at) = origin.filter(|(step, _)| *step == Step::Edited)?;
                let [has, made] = form_change(old[at], *new)?;
                Some((format!("`{keyword}` has {has}"), made.to_owned()))
            }),
        };
        let Some((found, made)) = change else { return };
        let message = format!("{found} here, and this patch would {made}");
        let change = Fault::at_pointer(FaultKind::FormChange, pointer.clone(), message);
        let way = match patch.as_object().and_then(|blocks| blocks.keys().next()) {
            Some(name) if old.len() > 1 => {
                let place = old.iter().position(|line| first_argument(*line) == *name).unwrap_or(old.len());
                let line = format!("{}[{place}]", pointer.to_path().shown());
                format!("the lines are a list: `{line}[0]` is the name of this one, `{line}[1]` its block")
            }
            _ => "send the present value with your change".to_owned(),
        };
        let accepted = "`--accept form-change` (over HTTP `accept=form-change`) replaces all that is there";
        self.edit.guarded.push(change.hint(format!("{way}; {accepted}")));
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

/// What a line has that the new one in its place lacks, and what would become of it.
fn form_change(old: Entry<'_>, new: Entry<'_>) -> Option<[&'static str; 2]> {
    let is_quoted = || new.only_argument().is_some_and(|word| word.value().contains(char::is_whitespace));
    match (old.is_block(), new.is_block(), old.count_arguments()) {
        (false, true, 1..) => Some(["words", "replace them with a block"]),
        (true, false, _) => Some(["a block", "replace it with words"]),
        (false, false, 2..) if is_quoted() => Some(["several words", "replace them with one quoted word"]),
        _ => None,
    }
}

/// True if a block holds what only the top level does: streams, lives or plugins, or nothing but its settings; also deeper.
fn wraps(block: Entry<'_>) -> bool {
    let mut children = block.children();
    let is_group = |word: &str| Schema::kind(word).is_some();
    let holds = |child: Entry<'_>| is_group(&child.keyword()) || child.is_block() && wraps(child);
    block.arguments().any(|word| is_group(&word.value()))
        || children.clone().any(holds)
        || children.clone().next().is_some()
            && children.all(|child| Scope::Top.by_key(&child.keyword()).is_some())
}
