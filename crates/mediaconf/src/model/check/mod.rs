//! Checks that need to know what directives mean; the grammar's own faults are `syntax`'s.

mod address;
mod listeners;
mod lost_brace;
mod missing_semicolon;
mod sourceless;

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::mem;

use self::listeners::Listeners;
use self::sourceless::{lacks_source, supplies_source};
use super::near_miss::{NearMiss, near_miss, near_miss_in_block};
use super::one_line::lost_line_ends;
use super::redact::FaultMasker;
use super::setting_view::is_plural;
use super::shape::{OptionWord, RowMatch, group_name, inner_scope, only_argument, read};
use crate::schema::kinds::{Transport, WordKind};
use crate::schema::{
    ForeignKeyword, Kind, ObjectShape, OptionsShape, Parameter, Part, PartPlace, Schema, Scope,
    protocol_of_switch,
};
use crate::syntax::{Children, Diagnostic, Diagnostics, Document, Entry, Fix, STRAY_BRACE, Span, Word};

/// Returns all diagnostics of the text of a media server, those of its parser included, in the order of the text.
pub fn check(bytes: impl AsRef<[u8]>) -> Diagnostics {
    check_document(&Document::from_bytes(bytes.as_ref().to_vec()))
}

/// Returns the same for a text that is parsed.
pub fn check_document(document: &Document) -> Diagnostics {
    let mut checker = Checker::new(document);
    checker.top_level();
    let mut diagnostics = document.diagnostics().clone();
    checker.report(&mut diagnostics);
    diagnostics.sort();
    let mut masker = FaultMasker::new(document.text());
    diagnostics.map(|fault| masker.masked(fault));
    diagnostics
}

/// True if a document has errors, its parser's included: [`check`] without the warnings.
pub fn has_errors(document: &Document) -> bool {
    let mut names = Names::default();
    document.diagnostics().errors() > 0 || document.entries().any(|entry| is_error(entry, &mut names))
}

fn is_error<'d>(entry: Entry<'d>, names: &mut Names<'d>) -> bool {
    let Some(parameter) = Schema::media().top().by_keyword(&entry.keyword()) else {
        // A template has the directives of a stream.
        let scope = inner_scope(entry);
        return !scope.is_unknown() && entry.children().any(|inner| is_broken_inside(scope, inner));
    };
    if is_broken(parameter, entry) {
        return true;
    }
    let Some(kind) = parameter.codec.facts().group else { return false };
    names.first(kind, group_name(entry)).is_some()
        || entry.children().any(|inner| is_broken_inside(kind.scope(), inner))
}

/// The names of streams, lives and plugins, each where it stands first.
#[derive(Default)]
struct Names<'d>(HashMap<(&'static str, Cow<'d, str>), Word<'d>>);

impl<'d> Names<'d> {
    /// Adds a name; returns where it stands first, if it is there already.
    fn first(&mut self, kind: Kind, name: Word<'d>) -> Option<Word<'d>> {
        match self.0.entry((kind.key(), name.value())) {
            Occupied(first) => Some(*first.get()),
            Vacant(place) => {
                place.insert(name);
                None
            }
        }
    }
}

fn is_broken_inside(scope: Scope, entry: Entry<'_>) -> bool {
    scope.by_keyword(&entry.keyword()).is_some_and(|parameter| is_broken(parameter, entry))
}

fn is_broken(parameter: &'static Parameter, entry: Entry<'_>) -> bool {
    parameter.strict && !parameter.codec.fits(entry)
}

/// The number of options of a directive that are compared with each other: a hostile directive may have
/// millions.
const MAX_OPTIONS: usize = 200;

/// The fewest arguments of a directive that has swallowed another one: a value of its own, the other
/// keyword, and a value of that.
const FEWEST_WITH_ANOTHER: usize = 3;

/// The settings of a block, or of the top level, of which the last one counts: the row of each, and the last one.
type Settings<'d> = Vec<(&'static Parameter, Entry<'d>)>;

/// Checks the entries of a document: those of the top level and those inside streams, lives, plugins and templates.
struct Checker<'d> {
    document: &'d Document,
    diagnostics: Diagnostics,
    /// Those of lines inside entries.
    in_lines: Diagnostics,
    names: Names<'d>,
    /// The check of each unknown keyword of a scope: each keyword is classified once.
    foreign: HashMap<(u64, Cow<'d, str>), UnknownDirective>,
    /// The directives that name a port or an address to listen on.
    listeners: Listeners<'d>,
    /// The blocks with names that the general rule shows: the keyword and the name of each.
    named: Vec<(Cow<'d, str>, Word<'d>)>,
    /// The first `include`.
    include: Option<Span>,
    /// The name of the current stream, until a source of it is found.
    sourceless: Option<Span>,
    /// The settings of the top level.
    top: Settings<'d>,
    /// The settings of the current block.
    inner: Settings<'d>,
}

impl<'d> Checker<'d> {
    fn new(document: &'d Document) -> Self {
        Self {
            document,
            diagnostics: Diagnostics::default(),
            in_lines: Diagnostics::default(),
            names: Names::default(),
            foreign: HashMap::new(),
            listeners: Listeners::default(),
            named: Vec::new(),
            include: None,
            sourceless: None,
            top: Settings::new(),
            inner: Settings::new(),
        }
    }

    fn top_level(&mut self) {
        let schema = Schema::media();
        for entry in self.document.entries() {
            let scope = self.head(Some(schema.top()), entry);
            if !entry.is_block() {
                continue;
            }
            let block = scope.is_none().then(|| schema.foreign(&entry.keyword())).flatten();
            self.inner.clear();
            for inner in entry.children() {
                if let Some(block) = block {
                    self.in_foreign_block(block, inner);
                }
                self.head(scope, inner);
                self.deeper(inner.children());
            }
            self.diagnostics.push_any(self.sourceless.take().map(lacks_source));
        }
    }

    /// Checks what stands deeper: the lines inside of an entry alone.
    fn deeper(&mut self, entries: Children<'d>) {
        for entry in entries {
            self.head(None, entry);
            self.deeper(entry.children());
        }
    }

    /// Adds what was found to the diagnostics of the parser.
    fn report(self, diagnostics: &mut Diagnostics) {
        let text = self.document.text();
        diagnostics.extend(&self.diagnostics);
        self.listeners.report(diagnostics);
        repeated_blocks(&self.named, diagnostics);
        diagnostics.push_any(self.include.map(not_followed));
        let stray = diagnostics.iter().find(|found| found.message == STRAY_BRACE);
        let stray = stray.map(|found| found.span.start as usize);
        let brace = stray.and_then(|brace| lost_brace::warning(text, brace));
        match &brace {
            None => diagnostics.extend(&self.in_lines),
            // The line that lost its `{` goes on on the next one, and has lost no `;`.
            Some(line) => {
                let end = |found: &Diagnostic| {
                    found.related.as_ref().map_or(found.span.start, |(end, _)| end.start)
                };
                let is_elsewhere =
                    |found: &&Diagnostic| !(line.span.start..=line.span.end).contains(&end(found));
                let unfixed = |found: &Diagnostic| found.clone().fixed_by(None);
                self.in_lines.iter().filter(is_elsewhere).for_each(|found| diagnostics.push(unfixed(found)));
            }
        }
        diagnostics.push_any(brace);
        if let Some(comment) = lost_line_ends(text) {
            diagnostics.push(directives_in_comment(comment..text.len() as u32));
        }
    }

    /// Checks one entry without its block. Returns the scope inside a block that has rows of its own.
    fn head(&mut self, scope: Option<Scope>, entry: Entry<'d>) -> Option<Scope> {
        match entry.is_spanning() {
            true => self.spanning(scope, entry),
            false => self.entry(scope?, entry),
        }
    }

    fn in_foreign_block(&mut self, block: &ForeignKeyword, entry: Entry<'_>) {
        let keyword = entry.keyword();
        let near = near_miss_in_block(block.keyword(), &keyword);
        self.diagnostics.push_any(near.and_then(|near| unknown_directive(entry, &keyword, near)));
    }

    /// Checks an entry of several lines. One whose form is an error, and that another directive follows
    /// inside, has lost its `;`: that is the only error.
    fn spanning(&mut self, scope: Option<Scope>, head: Entry<'d>) -> Option<Scope> {
        let mut inside = Diagnostics::default();
        missing_semicolon::in_lines(head, &mut inside);
        let swallowed = inside.iter().next().and_then(|found| found.related.as_ref());
        if let (Some(scope), Some(end)) = (scope, swallowed)
            && let RowMatch::Misshapen(parameter) = read(scope, head)
            && parameter.strict
        {
            let message = format!("missing `;` at the end of `{}`", head.keyword());
            let hint = "another directive starts further down, before the next `;`";
            let fix = inside.iter().next().and_then(|found| found.fix.clone());
            self.in_lines.push(Diagnostic::error(end.0.clone(), message).hint(hint).fixed_by(fix));
            return None;
        }
        self.in_lines.extend(&inside);
        self.entry(scope?, head)
    }

    fn entry(&mut self, scope: Scope, entry: Entry<'d>) -> Option<Scope> {
        let Some(parameter) = scope.by_keyword(&entry.keyword()) else {
            self.foreign(scope, entry);
            return Some(inner_scope(entry)).filter(|inner| !inner.is_unknown());
        };
        if !parameter.codec.fits(entry) {
            self.misshapen(scope, parameter, entry);
            return None;
        }
        let inner = self.own(scope, parameter, entry);
        if parameter.is_setting() {
            self.set(scope, parameter, entry);
        }
        inner
    }

    /// Notes a setting of which the last one counts.
    fn set(&mut self, scope: Scope, parameter: &'static Parameter, entry: Entry<'d>) {
        let settings = if scope.is_top() { &mut self.top } else { &mut self.inner };
        match settings.iter_mut().find(|(row, _)| std::ptr::eq(*row, parameter)) {
            Some((_, last)) => {
                let previous = mem::replace(last, entry);
                self.repeated_setting(previous, entry);
            }
            None => settings.push((parameter, entry)),
        }
    }

    /// Checks an entry that has the form of its row.
    fn own(&mut self, scope: Scope, parameter: &'static Parameter, entry: Entry<'d>) -> Option<Scope> {
        let codec = parameter.codec;
        if let Some(kind) = codec.facts().kind {
            self.value(kind, entry);
        } else if let Some(kind) = codec.facts().group {
            let name = group_name(entry);
            if let Some(first) = self.names.first(kind, name) {
                self.diagnostics.push(repeated_name(kind, name, first));
            }
            if kind.has_sources() {
                self.stream(scope, entry);
            }
            return Some(kind.scope());
        } else if codec.facts().sources.is_some() {
            self.sourceless = None;
            match is_plural(entry) {
                true => entry.arguments().for_each(|word| address::source(word, &mut self.diagnostics)),
                false => self.source(scope, entry, 0),
            }
        } else if let Some(options) = codec.facts().options {
            self.diagnostics.push_any(option_without_sign(options, entry));
            missing_semicolon::in_options(scope, entry, 0, &mut self.diagnostics);
        } else if codec.facts().address.is_some() {
            entry.arguments().take(1).for_each(|word| address::backend(word, &mut self.diagnostics));
            self.options(scope, entry, 1);
        } else if let Some(object) = codec.facts().object {
            self.object(parameter, object, entry);
        }
        None
    }

    /// Checks the head of a stream.
    fn stream(&mut self, scope: Scope, entry: Entry<'d>) {
        let name = || group_name(entry).span();
        match entry.is_block() {
            true => self.sourceless = Some(name()),
            false if entry.count_arguments() > 1 => self.source(scope, entry, 1),
            false => self.diagnostics.push(lacks_source(name())),
        }
    }

    /// Checks the only word of a directive.
    fn value(&mut self, kind: &WordKind, entry: Entry<'d>) {
        if kind.transport == Some(Transport::Tcp) {
            self.listeners.add(entry);
        }
        if let Some(warning) = kind.warning {
            self.diagnostics.push_any(only_argument(entry).and_then(warning));
        }
    }

    fn object(&mut self, parameter: &'static Parameter, object: &'static ObjectShape, entry: Entry<'d>) {
        let mut parts: Vec<(&Part, Word<'_>)> = Vec::new();
        for (part, word) in object.part_words(entry) {
            let Some(part) = part.filter(|part| part.place != PartPlace::Rest) else { continue };
            self.diagnostics.push_any(part.kind.warning.and_then(|warning| warning(word)));
            let Some((_, previous)) = parts.iter().find(|(known, _)| *known == part) else {
                parts.push((part, word));
                continue;
            };
            let message = format!("the {} is given more than once: the last counts", part.key);
            self.diagnostics.push(repeated(word.span(), message, (previous.span(), "given here before")));
        }
        if object.takes_words && entry.count_arguments() >= FEWEST_WITH_ANOTHER {
            missing_semicolon::in_words(parameter.scope, entry, &mut self.diagnostics);
        }
    }

    fn repeated_setting(&mut self, previous: Entry<'_>, entry: Entry<'_>) {
        let message = format!("`{}` is set more than once: the last counts", entry.keyword());
        let previous = (previous.head_span(), "set here before");
        self.diagnostics.push(repeated(entry.head_span(), message, previous));
    }

    /// Checks a source whose address stands behind this number of arguments.
    fn source(&mut self, scope: Scope, entry: Entry<'d>, behind: usize) {
        if let Some(address) = entry.arguments().nth(behind) {
            address::source(address, &mut self.diagnostics);
            self.options(scope, entry, behind + 1);
        }
    }

    /// Checks the options behind this number of arguments.
    fn options(&mut self, scope: Scope, entry: Entry<'d>, behind: usize) {
        if entry.count_arguments() >= behind + 2 {
            missing_semicolon::in_options(scope, entry, behind, &mut self.diagnostics);
            self.repeated_options(entry, behind);
        }
    }

    fn repeated_options(&mut self, entry: Entry<'d>, behind: usize) {
        let options = entry.arguments().skip(behind).take(MAX_OPTIONS);
        let keys: Vec<Word<'_>> = options.map(|word| OptionWord::split(word).key).collect();
        for (index, key) in keys.iter().enumerate().skip(1) {
            if let Some(previous) =
                keys[..index].iter().rev().find(|previous| previous.value() == key.value())
            {
                let message =
                    format!("the option `{}` is given more than once: the last counts", key.value());
                self.diagnostics.push(repeated(key.span(), message, (previous.span(), "given here before")));
            }
        }
    }

    fn misshapen(&mut self, scope: Scope, parameter: &'static Parameter, entry: Entry<'d>) {
        let mut inside = Diagnostics::default();
        if entry.count_arguments() >= FEWEST_WITH_ANOTHER {
            missing_semicolon::in_words(scope, entry, &mut inside);
        }
        let mut fix = None;
        match parameter.strict {
            true => fix = inside.iter().next().and_then(|found| found.fix.clone()),
            false => self.diagnostics.extend(&inside),
        }
        if parameter.codec.facts().sources.is_some() {
            self.sourceless = None;
        }
        let keyword = entry.keyword();
        let message = format!("`{keyword}` has the wrong form: it takes {}", parameter.codec.facts().usage);
        let hint = format!("write it like `{}`", parameter.example);
        let diagnostic = match parameter.strict {
            true => Diagnostic::error(misfit_span(parameter, entry), message),
            false => Diagnostic::warning(misfit_span(parameter, entry), message),
        };
        self.diagnostics.push(diagnostic.hint(hint).fixed_by(fix));
    }

    fn foreign(&mut self, scope: Scope, entry: Entry<'d>) {
        let keyword = entry.keyword();
        let known = self.foreign.entry((scope.id(), keyword.clone()));
        match *known.or_insert_with(|| UnknownDirective::classify(scope, &keyword)) {
            UnknownDirective::Plain => {}
            UnknownDirective::Slip(known) => {
                self.diagnostics.push_any(unknown_directive(entry, &keyword, known));
            }
            UnknownDirective::Include => {
                // What is included may have the source.
                self.sourceless = None;
                self.include.get_or_insert_with(|| entry.head_span());
            }
            UnknownDirective::Source => self.sourceless = None,
            UnknownDirective::Switch if entry.count_arguments() == 0 => {
                self.diagnostics.push(no_switch(keyword_span(entry), &keyword));
            }
            UnknownDirective::Switch => {}
            UnknownDirective::Named => {
                let name = only_argument(entry).filter(|_| entry.is_block());
                self.named.extend(name.map(|name| (keyword.clone(), name)));
            }
            UnknownDirective::Push => {
                let diagnostics = &mut self.diagnostics;
                entry.arguments().take(1).for_each(|url| address::url(url, &url.value(), diagnostics));
            }
        }
        if entry.count_arguments() >= FEWEST_WITH_ANOTHER {
            missing_semicolon::in_words(scope, entry, &mut self.diagnostics);
        }
    }
}

/// An unknown directive, by the check that it gets.
#[derive(Clone, Copy)]
enum UnknownDirective {
    /// Not at all.
    Plain,
    /// It is probably a misspelling.
    Slip(NearMiss),
    /// It includes a file, which is not checked.
    Include,
    /// It says where a stream comes from.
    Source,
    /// Its first word is a URL.
    Push,
    /// `X_off` of a protocol, which no server reads.
    Switch,
    /// Its blocks have names.
    Named,
}

impl UnknownDirective {
    fn classify(scope: Scope, keyword: &str) -> Self {
        let slip = || near_miss(scope, keyword).filter(|near| near.keyword.is_some());
        match keyword {
            "include" => Self::Include,
            "push" => Self::Push,
            _ if !scope.is_top() && protocol_of_switch(keyword).is_some() => Self::Switch,
            _ if scope.is_top() && Schema::media().has_named_blocks(keyword) => Self::Named,
            _ if scope.kind().is_some_and(Kind::has_sources) && supplies_source(keyword) => Self::Source,
            _ => slip().map_or(Self::Plain, Self::Slip),
        }
    }
}

/// `vb 512000` in the place of `vb=512000`.
fn option_without_sign(options: &OptionsShape, entry: Entry<'_>) -> Option<Diagnostic> {
    let has_sign = |word: Word<'_>| memchr::memchr(b'=', word.raw.as_bytes()).is_some();
    let is_name =
        |word: Word<'_>| options.known(&word.value()).is_some_and(|known| known.keyword == word.value());
    let mut pairs = entry.arguments().zip(entry.arguments().skip(1));
    let (name, value) = pairs.find(|&(name, value)| !has_sign(name) && is_name(name) && !has_sign(value))?;
    let message = format!("`{} {}` are two options without values", name.raw, value.raw);
    let hint = format!("write one option as `{}={}`", name.raw, value.raw);
    Some(Diagnostic::warning(name.span().start..value.end(), message).hint(hint))
}

/// The warning about an unknown keyword that is nearly a known one.
fn unknown_directive(entry: Entry<'_>, keyword: &str, near: NearMiss) -> Option<Diagnostic> {
    let (known, span) = (near.keyword?, keyword_span(entry));
    let fix = near.is_only.then(|| Fix { span: span.clone(), text: known.to_owned() });
    let found = Diagnostic::warning(span, format!("unknown directive `{keyword}`"));
    Some(found.hint(format!("did you mean `{known}`?")).fixed_by(fix))
}

/// The warning about a text whose line ends are gone.
fn directives_in_comment(comment: Span) -> Diagnostic {
    Diagnostic::warning(comment, "directives stand in this comment: the text has lost its line ends")
        .hint("restore the line ends; `curl` keeps them with `--data-binary`")
}

/// The warning about `X_off;`.
fn no_switch(span: Span, keyword: &str) -> Diagnostic {
    let protocol = protocol_of_switch(keyword).unwrap_or_default();
    Diagnostic::warning(span, format!("servers do not read `{keyword}`"))
        .hint(format!("write `{protocol} off;`"))
}

/// The warnings about blocks of one keyword with one name.
fn repeated_blocks(named: &[(Cow<'_, str>, Word<'_>)], diagnostics: &mut Diagnostics) {
    let mut seen: HashMap<(&str, Cow<'_, str>), Word<'_>> = HashMap::new();
    for (keyword, name) in named {
        match seen.get(&(&**keyword, name.value())) {
            Some(first) => {
                let message = format!("the {keyword} `{}` is defined twice", name.value());
                diagnostics.push(repeated(name.span(), message, (first.span(), "first here")));
            }
            None => drop(seen.insert((keyword, name.value()), *name)),
        }
    }
}

fn repeated_name(kind: Kind, name: Word<'_>, first: Word<'_>) -> Diagnostic {
    let message = format!("the {} `{}` is defined twice", kind.noun(), name.value());
    Diagnostic::error(name.span(), message)
        .related(first.span(), "first here")
        .hint("rename or remove one of them")
}

fn repeated(span: Span, message: String, (previous, note): (Span, &'static str)) -> Diagnostic {
    Diagnostic::warning(span, message).related(previous, note).hint("keep one of them")
}

fn not_followed(include: Span) -> Diagnostic {
    Diagnostic::warning(include, "this `include` is kept, but the files that it names are not checked")
        .hint("check the included files, too: `mediactl check FILE…`")
}

/// The first word that does not fit, else the keyword.
fn misfit_span(parameter: &Parameter, entry: Entry<'_>) -> Span {
    let expected = parameter.codec.facts().object.map_or(1, ObjectShape::required);
    let mut arguments = entry.arguments();
    let (first, beyond) = (arguments.next(), arguments.nth(expected - 1));
    let one_is_wrong = beyond.is_none() && !entry.is_block() && expected == 1;
    beyond.or(first.filter(|_| one_is_wrong)).map_or_else(|| keyword_span(entry), |word| word.span())
}

fn keyword_span(entry: Entry<'_>) -> Span {
    entry.words().next().map_or(entry.head_span(), |word| word.span())
}
