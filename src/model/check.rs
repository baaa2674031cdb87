//! Checks that need to know what directives mean; the grammar's own faults are `syntax`'s.

use std::borrow::Cow;
use std::collections::HashMap;

use super::schema::{FOREIGN_KEYWORDS, Kind, Parameter, Scope, Shape, by_keyword, parameters};
use super::shape::{Address, Reading, group_name, read};
use super::suggest::nearest;
use super::view::{entry_sources, is_plural};
use crate::syntax::{Diagnostic, Diagnostics, Document, Entry, Span, Word};

/// All diagnostics of a document, those of its parser included, in the order of the text.
pub fn check(document: &Document) -> Diagnostics {
    let mut checker = Checker { diagnostics: document.diagnostics().clone(), ..Checker::default() };
    checker.block(Scope::Top, document.entries());
    checker.diagnostics.sort();
    checker.diagnostics
}

#[derive(Default)]
struct Checker<'d> {
    diagnostics: Diagnostics,
    names: Names<'d>,
    suggestions: HashMap<(Scope, Cow<'d, str>), Option<&'static str>>,
}

/// How many scalar settings of one block are remembered; a block has one of each row at most.
type Scalars<'d> = Vec<(&'static Parameter, Entry<'d>)>;

impl<'d> Checker<'d> {
    fn block(&mut self, scope: Scope, entries: impl Iterator<Item = Entry<'d>>) {
        let mut scalars = Scalars::new();
        for entry in entries {
            if entry.is_spanning() {
                self.spanning(scope, entry);
            }
            match read(scope, entry) {
                Reading::Own(parameter) => self.own(parameter, entry, &mut scalars),
                Reading::Misshapen(parameter) => self.misshapen(parameter, entry),
                Reading::Foreign => self.foreign(scope, entry),
            }
        }
    }

    fn own(&mut self, parameter: &'static Parameter, entry: Entry<'d>, scalars: &mut Scalars<'d>) {
        if parameter.is_scalar() {
            self.scalar(parameter, entry, scalars);
        }
        match parameter.shape {
            Shape::Group(kind) => self.named_block(kind, entry),
            Shape::Sources => self.sources(entry),
            Shape::Backend => self.address(entry.arguments()),
            _ => {}
        }
    }

    fn scalar(&mut self, parameter: &'static Parameter, entry: Entry<'d>, scalars: &mut Scalars<'d>) {
        match scalars.iter_mut().find(|(known, _)| std::ptr::eq(*known, parameter)) {
            None => scalars.push((parameter, entry)),
            Some((_, previous)) => {
                self.diagnostics.push(
                    Diagnostic::warning(
                        entry.head_span(),
                        format!("`{}` is set more than once: the last counts", entry.keyword()),
                    )
                    .related(previous.head_span(), "set here before")
                    .hint("keep one of them"),
                );
                *previous = entry;
            }
        }
    }

    fn named_block(&mut self, kind: Kind, entry: Entry<'d>) {
        let name = group_name(entry);
        if let Some(first) = self.names.insert(kind, name, entry) {
            let first = group_name(first).span();
            self.diagnostics.push(
                Diagnostic::error(
                    name.span(),
                    format!("the {} `{}` is there twice", kind.noun(), name.value()),
                )
                .related(first, "first here")
                .hint("rename one of them, or take it away"),
            );
        }
        if entry.is_block() {
            self.block(kind.scope(), entry.children());
        } else if kind == Kind::Stream {
            let mut source = entry.arguments();
            source.next();
            self.source(source);
        }
    }

    fn sources(&mut self, entry: Entry<'d>) {
        if is_plural(entry) {
            entry_sources(entry).iter().for_each(|source| self.empty_address(source.positional));
        } else {
            self.source(entry.arguments());
        }
    }

    fn source(&mut self, words: impl Iterator<Item = Word<'d>> + Clone) {
        if let Some(positional) = words.clone().next() {
            self.empty_address(positional);
            self.address(words);
        }
    }

    fn empty_address(&mut self, positional: Word<'_>) {
        if positional.is_quoted() && positional.value().is_empty() {
            self.diagnostics.push(
                Diagnostic::warning(positional.span(), "an empty source url")
                    .hint("name the source, or take the directive away"),
            );
        }
    }

    /// A line of options is as long as somebody makes it: what is looked at has a bound.
    fn address(&mut self, words: impl Iterator<Item = Word<'d>>) {
        const MAX_OPTIONS: usize = 1_000;
        let mut words = words.take(MAX_OPTIONS).peekable();
        let Some(positional) = words.next() else { return };
        if words.peek().is_none() {
            return;
        }
        let address = Address::of(std::iter::once(positional).chain(words)).expect("it has a first word");
        let mut seen = HashMap::with_capacity(address.options.len());
        for option in &address.options {
            let key = option.key.value();
            if let Some(previous) = seen.insert(key.clone(), option.word.span()) {
                self.diagnostics.push(
                    Diagnostic::warning(
                        option.key.span(),
                        format!("the option `{key}` is given more than once: the last counts"),
                    )
                    .related(previous, "given here before")
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

    fn foreign(&mut self, scope: Scope, entry: Entry<'d>) {
        let keyword = entry.keyword();
        if FOREIGN_KEYWORDS.contains(&&*keyword) {
            return;
        }
        let suggestion = *self.suggestions.entry((scope, keyword)).or_insert_with_key(|(scope, keyword)| {
            nearest(keyword, parameters(*scope).flat_map(|parameter| parameter.keywords.iter().copied()))
        });
        if let Some(known) = suggestion {
            let word = entry.words().next().expect("a keyword that is nearly known is not empty");
            self.diagnostics.push(
                Diagnostic::warning(word.span(), format!("unknown directive `{}`", word.value()))
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

/// The names of streams, lives and plugins seen so far.
#[derive(Default)]
struct Names<'d>(HashMap<(Kind, Cow<'d, str>), Entry<'d>>);

impl<'d> Names<'d> {
    /// Remembers a name; the entry that had it before, if any.
    fn insert(&mut self, kind: Kind, name: Word<'d>, entry: Entry<'d>) -> Option<Entry<'d>> {
        use std::collections::hash_map::Entry as Slot;
        match self.0.entry((kind, name.value())) {
            Slot::Occupied(first) => Some(*first.get()),
            Slot::Vacant(slot) => {
                slot.insert(entry);
                None
            }
        }
    }
}
