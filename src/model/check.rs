//! Checks that need to know what directives mean; the grammar's own faults are `syntax`'s.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::schema::{FOREIGN_KEYWORDS, Kind, Parameter, Scope, Shape, by_keyword, may_be_strict, parameters};
use super::shape::{OptionWord, Reading, fits, group_name, read, read_keyword};
use super::suggest::nearest;
use super::view::is_plural;
use crate::syntax::{Diagnostic, Diagnostics, Document, Entry, EntryId, Span, Word, Words};

/// Below this size a thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 20;

/// The part of the blocks, in percent, that is left to the second thread of a large text: the
/// first one looks at the top level as well.
const SECOND_THREAD: usize = 65;

/// All diagnostics of a document, those of its parser included, in the order of the text.
pub fn check(document: &Document) -> Diagnostics {
    let count = document.entries().count();
    let alone =
        if document.text().len() < WORTH_A_THREAD { count } else { count - count / 100 * SECOND_THREAD };
    let mut diagnostics = document.diagnostics().clone();
    std::thread::scope(|scope| {
        let blocks = || Checker::new(0).blocks(document.entries().skip(alone));
        let second = (alone < count).then(|| std::thread::Builder::new().spawn_scoped(scope, blocks));
        let mut checker = Checker::new(count);
        checker.block(Scope::Top, document.entries());
        diagnostics.extend(&checker.blocks(document.entries().take(alone)));
        let rest =
            second.map(|thread| thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(blocks));
        rest.iter().for_each(|found| diagnostics.extend(found));
    });
    diagnostics.sort();
    diagnostics
}

/// Whether a document has errors, its parser's included: [`check`] without a word about warnings.
///
/// This stands before every read and every change, and costs half of it.
pub fn has_errors(document: &Document) -> bool {
    let mut names = Vec::new();
    let key = RandomState::new().hash_one(0u8);
    document.diagnostics().errors() > 0
        || document.entries().any(|entry| is_error(entry, key, &mut names))
        // Equal names have equal hashes; whether equal hashes are of equal names, `check` knows.
        || (has_repeated(names) && check(document).errors() > 0)
}

fn is_error(entry: Entry<'_>, key: u64, names: &mut Vec<u64>) -> bool {
    let Some(keyword) = entry.words().next() else { return true };
    let Some(parameter) = by_keyword(Scope::Top, &keyword.value()) else { return false };
    if is_broken(parameter, entry, keyword) {
        return true;
    }
    let Shape::Group(kind) = parameter.shape else { return false };
    let name = entry.words_behind(keyword).next();
    names.extend(name.map(|name| name_hash(key, kind, &name.value())));
    entry.children().any(|inner| is_broken_inside(kind, inner))
}

fn has_repeated(mut names: Vec<u64>) -> bool {
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}

fn name_hash(key: u64, kind: Kind, name: &str) -> u64 {
    xxh3_64_with_seed(name.as_bytes(), key ^ kind as u64)
}

fn is_broken_inside(kind: Kind, entry: Entry<'_>) -> bool {
    may_be_strict(kind.scope(), entry.first_byte())
        && entry.words().next().is_some_and(|keyword| {
            by_keyword(kind.scope(), &keyword.value())
                .is_some_and(|parameter| is_broken(parameter, entry, keyword))
        })
}

fn is_broken(parameter: &'static Parameter, entry: Entry<'_>, keyword: Word<'_>) -> bool {
    parameter.is_strict() && !fits(parameter.shape, entry, entry.words_behind(keyword))
}

struct Checker<'d> {
    diagnostics: Diagnostics,
    names: Names,
    /// What unknown keywords may have been meant to be, by their hash: each is looked at once.
    suggestions: ByHash<Option<&'static str>>,
    /// The scalar settings of the block that is looked at.
    scalars: Vec<(&'static Parameter, Entry<'d>)>,
    /// The option keys of the directive that is looked at; kept for its room.
    keys: Vec<Word<'d>>,
}

impl<'d> Checker<'d> {
    fn new(names: usize) -> Self {
        Self {
            diagnostics: Diagnostics::default(),
            names: Names::with_capacity(names),
            suggestions: ByHash::default(),
            scalars: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// What is found, with the insides of the streams, lives and plugins among `entries`.
    fn blocks(mut self, entries: impl Iterator<Item = Entry<'d>>) -> Diagnostics {
        for entry in entries.filter(|entry| entry.is_block()) {
            if let Reading::Own(Parameter { shape: Shape::Group(kind), .. }) = read(Scope::Top, entry) {
                self.block(kind.scope(), entry.children());
            }
        }
        self.diagnostics
    }

    fn block(&mut self, scope: Scope, entries: impl Iterator<Item = Entry<'d>>) {
        self.scalars.clear();
        for entry in entries {
            if entry.is_spanning() {
                self.spanning(scope, entry);
            }
            let Some(keyword) = entry.words().next() else { continue };
            match read_keyword(scope, entry, keyword) {
                Reading::Own(parameter) => self.own(parameter, entry, keyword),
                Reading::Misshapen(parameter) => self.misshapen(parameter, entry),
                Reading::Foreign => self.foreign(scope, keyword),
            }
        }
    }

    fn own(&mut self, parameter: &'static Parameter, entry: Entry<'d>, keyword: Word<'d>) {
        if parameter.is_scalar() {
            self.scalar(parameter, entry);
        }
        match parameter.shape {
            Shape::Group(kind) => self.named_block(kind, entry, keyword),
            Shape::Sources => self.sources(entry, keyword),
            Shape::Backend => {
                let mut arguments = entry.words_behind(keyword);
                arguments.next();
                self.options(arguments);
            }
            _ => {}
        }
    }

    fn scalar(&mut self, parameter: &'static Parameter, entry: Entry<'d>) {
        match self.scalars.iter_mut().find(|(known, _)| std::ptr::eq(*known, parameter)) {
            None => self.scalars.push((parameter, entry)),
            Some((_, previous)) => {
                let message = format!("`{}` is set more than once: the last counts", entry.keyword());
                self.diagnostics.push(
                    Diagnostic::warning(entry.head_span(), message)
                        .related(previous.head_span(), "set here before")
                        .hint("keep one of them"),
                );
                *previous = entry;
            }
        }
    }

    fn named_block(&mut self, kind: Kind, entry: Entry<'d>, keyword: Word<'d>) {
        let name = entry.words_behind(keyword).next().expect("an entry that fits a group has a name");
        if let Some(first) = self.names.insert(kind, name, entry) {
            let first = group_name(first).span();
            let message = format!("the {} `{}` is there twice", kind.noun(), name.value());
            self.diagnostics.push(
                Diagnostic::error(name.span(), message)
                    .related(first, "first here")
                    .hint("rename one of them, or take it away"),
            );
        }
        if !entry.is_block() && kind == Kind::Stream {
            self.source(entry, name);
        }
    }

    fn sources(&mut self, entry: Entry<'d>, keyword: Word<'d>) {
        if is_plural(entry) {
            entry.words_behind(keyword).for_each(|word| self.empty_address(word));
        } else {
            self.source(entry, keyword);
        }
    }

    /// A source that starts behind `word`.
    fn source(&mut self, entry: Entry<'d>, word: Word<'d>) {
        let mut words = entry.words_behind(word);
        if let Some(positional) = words.next() {
            self.empty_address(positional);
            self.options(words);
        }
    }

    fn empty_address(&mut self, positional: Word<'_>) {
        if positional.raw.starts_with('"') && positional.value().is_empty() {
            self.diagnostics.push(
                Diagnostic::warning(positional.span(), "an empty source url")
                    .hint("name the source, or take the directive away"),
            );
        }
    }

    /// A line of options is as long as somebody makes it: what is compared has a bound.
    fn options(&mut self, words: Words<'d>) {
        const MAX_OPTIONS: usize = 200;
        self.keys.clear();
        self.keys.extend(words.take(MAX_OPTIONS).map(|word| OptionWord::of(word).key));
        for (at, key) in self.keys.iter().enumerate().skip(1) {
            if let Some(previous) =
                self.keys[..at].iter().rev().find(|previous| previous.value() == key.value())
            {
                let message =
                    format!("the option `{}` is given more than once: the last counts", key.value());
                self.diagnostics.push(
                    Diagnostic::warning(key.span(), message)
                        .related(previous.span(), "given here before")
                        .hint("keep one of them"),
                );
            }
        }
    }

    fn misshapen(&mut self, parameter: &'static Parameter, entry: Entry<'d>) {
        let keyword = entry.keyword();
        let message = format!("`{keyword}` has the wrong form: it takes {}", parameter.usage());
        let hint = format!("write it like `{}`", parameter.example);
        let diagnostic = match parameter.is_strict() {
            true => Diagnostic::error(misfit(parameter.shape, entry), message),
            false => Diagnostic::warning(misfit(parameter.shape, entry), message),
        };
        self.diagnostics.push(diagnostic.hint(hint));
    }

    fn foreign(&mut self, scope: Scope, word: Word<'d>) {
        let keyword = word.value();
        let hash = xxh3_64_with_seed(keyword.as_bytes(), scope as u64);
        if let Some(known) = *self.suggestions.entry(hash).or_insert_with(|| near_miss(scope, &keyword)) {
            self.diagnostics.push(
                Diagnostic::warning(word.span(), format!("unknown directive `{keyword}`"))
                    .hint(format!("did you mean `{known}`?")),
            );
        }
    }

    /// A later line of a directive that starts with a known keyword: a `;` is probably missing.
    fn spanning(&mut self, scope: Scope, entry: Entry<'d>) {
        let text = entry.document().text();
        let mut previous: Option<Word<'d>> = None;
        for word in entry.words() {
            let starts_line = previous
                .is_some_and(|before| text[before.end() as usize..word.start as usize].contains('\n'));
            if starts_line && by_keyword(scope, &word.value()).is_some() {
                let end = previous.map_or(word.start, |before| before.end());
                self.diagnostics.push(
                    Diagnostic::warning(
                        word.span(),
                        format!("`{}` starts a line inside another directive", word.value()),
                    )
                    .related(end..end, "is a `;` missing here?")
                    .hint("end the directive above with `;`"),
                );
            }
            previous = Some(word);
        }
    }
}

/// The keyword that an unknown one is a slip of, unless others of the family know it.
fn near_miss(scope: Scope, keyword: &str) -> Option<&'static str> {
    if FOREIGN_KEYWORDS.contains(&keyword) {
        return None;
    }
    nearest(keyword, parameters(scope).flat_map(|parameter| parameter.keywords.iter().copied()))
}

/// The first word that does not fit, else the keyword.
fn misfit(shape: Shape, entry: Entry<'_>) -> Span {
    let expected = if shape == Shape::Account { 2 } else { 1 };
    let mut arguments = entry.arguments();
    let (first, second) = (arguments.next(), arguments.nth(expected - 1));
    let one_is_wrong = second.is_none() && !entry.is_block() && shape != Shape::Account;
    second
        .or(first.filter(|_| one_is_wrong))
        .or(entry.words().next())
        .map_or(entry.span(), |word| word.span())
}

/// The names of streams, lives and plugins seen so far, by a hash with a key of this run.
///
/// A hundred thousand names are remembered in three megabytes; on a hit the names are compared.
struct Names {
    key: u64,
    seen: ByHash<EntryId>,
}

impl Names {
    fn with_capacity(count: usize) -> Self {
        let key = RandomState::new().hash_one(0u8);
        Self { key, seen: ByHash::with_capacity_and_hasher(count, BuildHasherDefault::default()) }
    }

    /// Remembers a name; the entry that had it before, if any.
    fn insert<'d>(&mut self, kind: Kind, name: Word<'d>, entry: Entry<'d>) -> Option<Entry<'d>> {
        let value = name.value();
        let hash = name_hash(self.key, kind, &value);
        match self.seen.entry(hash) {
            Slot::Vacant(slot) => {
                slot.insert(entry.id());
                None
            }
            Slot::Occupied(first) => {
                let first = entry.document().entry(*first.get());
                (group_name(first).value() == value).then_some(first)
            }
        }
    }
}

/// A map whose keys are hashes already.
type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Hashed>>;

/// Its hasher.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only 64-bit hashes are keys here");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
