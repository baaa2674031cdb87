//! Checks that need to know what directives mean; the grammar's own faults are `syntax`'s.

mod address;
mod lost;
mod names;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::mem;

pub use self::lost::has_lost_line_ends;
pub use self::names::{NearMiss, near_miss, near_miss_in_block};

use self::address::Listeners;
use self::names::{is_source, repeated};
use crate::schema::codec::{OptionWord, group_name, is_plural};
use crate::schema::kinds::UDP_PORT;
use crate::schema::members::{RowMatch, inner_scope, only_argument, read};
use crate::schema::{ObjectShape, OptionsShape, Parameter, Schema, Scope, protocol_of_switch};
use crate::secret::mask_faults;
use crate::syntax::{
    Children, Diagnostic, Diagnostics, Document, Entry, Fix, STRAY_BRACE, Severity, Span, Word,
};

/// Returns all diagnostics of the text of a media server, those of its parser included, in the order of the text.
pub fn check(bytes: impl AsRef<[u8]>) -> Diagnostics {
    check_document(&Document::from_bytes(bytes.as_ref().to_vec()))
}

/// Returns the same for a text that is parsed.
pub fn check_document(document: &Document) -> Diagnostics {
    let names = Names::with_capacity(document.entries().count());
    let mut checker = Checker { names, ..Checker::default() };
    checker.top_level(document);
    let mut diagnostics = document.diagnostics().clone();
    checker.report(document.text(), &mut diagnostics);
    diagnostics.sort();
    mask_faults(document.text(), &mut diagnostics);
    diagnostics
}

/// True if a document has errors, its parser's included: [`check`] without the warnings.
pub fn has_errors(document: &Document) -> bool {
    let mut names = Names::default();
    document.diagnostics().errors() > 0 || document.entries().any(|entry| is_error(entry, &mut names))
}

fn is_error<'d>(entry: Entry<'d>, names: &mut Names<'d>) -> bool {
    let is_broken = |row: &Parameter, entry: Entry<'_>| row.strict && !row.codec.fits(entry);
    let (kind, scope) = match Schema::media().top().by_keyword(&entry.keyword()) {
        // A template has the directives of a stream.
        None => (None, inner_scope(entry)),
        Some(row) if is_broken(row, entry) => return true,
        Some(row) => match row.codec.facts().group {
            Some(kind) => (Some(kind), kind.scope()),
            None => return false,
        },
    };
    let row = |inner: Entry<'_>| scope.by_keyword(&inner.keyword());
    kind.is_some_and(|kind| first(names, kind.noun().into(), group_name(entry)).is_some())
        || entry.children().any(|inner| row(inner).is_some_and(|row| is_broken(row, inner)))
}

/// Where each name of a stream, live, plugin or other named block stands first, by the noun of the block.
type Names<'d> = HashMap<(Cow<'d, str>, Cow<'d, str>), Word<'d>>;

/// Adds a name; returns where it stands first, if it is there already.
fn first<'d>(names: &mut Names<'d>, noun: Cow<'d, str>, name: Word<'d>) -> Option<Word<'d>> {
    let first = *names.entry((noun, name.value())).or_insert(name);
    (first != name).then_some(first)
}

/// The number of options of a directive that are compared with each other: a hostile directive may have
/// millions.
const MAX_OPTIONS: usize = 200;

/// The settings of a block, or of the top level, of which the last one counts: the row of each, and the last one.
type Settings<'d> = Vec<(&'static Parameter, Entry<'d>)>;

/// Checks the entries of a document: those of the top level and those inside streams, lives, plugins and templates.
#[derive(Default)]
struct Checker<'d> {
    diagnostics: Diagnostics,
    /// Those of lines inside entries.
    in_lines: Diagnostics,
    names: Names<'d>,
    /// What each unknown keyword of a scope is nearly: each keyword is compared once.
    near: HashMap<(Scope, Cow<'d, str>), Option<NearMiss>>,
    /// The directives that name a port or an address to listen on.
    listeners: Listeners<'d>,
    /// The rows that were found last.
    rows: [Option<&'static Parameter>; 32],
    /// The directives of many words that have no fault: archives and transcoders are mostly those of other streams, too.
    faultless: HashSet<(Scope, &'d str)>,
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
    fn top_level(&mut self, document: &'d Document) {
        let schema = Schema::media();
        for entry in document.entries() {
            let scope = self.head(Some(schema.top()), entry);
            if !entry.is_block() {
                continue;
            }
            let block = scope.is_none().then(|| schema.foreign(&entry.keyword())).flatten();
            self.inner.clear();
            for inner in entry.children() {
                if let Some(block) = block {
                    let keyword = inner.keyword();
                    let near = near_miss_in_block(block.keyword(), &keyword);
                    let found = near.and_then(|near| unknown_directive(inner, &keyword, near));
                    self.diagnostics.push_any(found);
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
    fn report(self, text: &str, diagnostics: &mut Diagnostics) {
        diagnostics.extend(&self.diagnostics);
        self.listeners.report(diagnostics);
        diagnostics.push_any(self.include.map(|include| {
            let message = "this `include` is kept, but the files that it names are not checked";
            Diagnostic::warning(include, message)
                .hint("check the included files, too: `mediactl check FILE…`")
        }));
        let stray = diagnostics.iter().find(|found| found.message == STRAY_BRACE);
        let stray = stray.map(|found| found.span.start as usize);
        match stray.and_then(|brace| lost::lost_brace(text, brace)) {
            None => diagnostics.extend(&self.in_lines),
            // The line that lost its `{` goes on on the next one, and has lost no `;`.
            Some(brace) => {
                let line = brace.span.start..=brace.span.end;
                let end = |found: &Diagnostic| {
                    found.related.as_ref().map_or(found.span.start, |(end, _)| end.start)
                };
                let elsewhere = self.in_lines.iter().filter(|found| !line.contains(&end(found)));
                elsewhere.for_each(|found| diagnostics.push(found.clone().fixed_by(None)));
                diagnostics.push(brace);
            }
        }
        diagnostics.push_any(lost::lost_line_ends(text));
    }

    /// Checks one entry without its block. Returns the scope inside a block that has rows of its own.
    fn head(&mut self, scope: Option<Scope>, entry: Entry<'d>) -> Option<Scope> {
        match entry.is_spanning() {
            true => self.spanning(scope, entry),
            false => self.entry(scope?, entry),
        }
    }

    /// Checks an entry of several lines. One whose form is an error, and that another directive follows inside, has lost
    /// its `;`: that is the only error.
    fn spanning(&mut self, scope: Option<Scope>, head: Entry<'d>) -> Option<Scope> {
        let inside = lost::in_lines(head);
        if let (Some(scope), Some(swallowed)) = (scope, inside.iter().next())
            && let Some((end, _)) = &swallowed.related
            && let RowMatch::Misshapen(parameter) = read(scope, head)
            && parameter.strict
        {
            let message = format!("missing `;` at the end of `{}`", head.keyword());
            let hint = "another directive starts further down, before the next `;`";
            let found = Diagnostic::error(end.clone(), message).hint(hint);
            self.in_lines.push(found.fixed_by(swallowed.fix.clone()));
            return None;
        }
        self.in_lines.extend(&inside);
        self.entry(scope?, head)
    }

    fn entry(&mut self, scope: Scope, entry: Entry<'d>) -> Option<Scope> {
        let Some(parameter) = self.row(scope, &entry.keyword()) else {
            self.foreign(scope, entry);
            return Some(inner_scope(entry)).filter(|inner| !inner.is_unknown());
        };
        let facts = parameter.codec.facts();
        let has_many_words = facts.object.is_some() || facts.options.is_some();
        let text = (scope, entry.text());
        let mut inner = None;
        if !has_many_words || !self.faultless.contains(&text) {
            let before = self.diagnostics.count();
            if !parameter.codec.fits(entry) {
                self.misshapen(scope, parameter, entry);
                return None;
            }
            inner = self.own(scope, parameter, entry);
            if has_many_words && self.diagnostics.count() == before {
                self.faultless.insert(text);
            }
        }
        if parameter.is_setting() {
            self.set(scope, parameter, entry);
        }
        inner
    }

    /// Returns the row of a keyword. The last rows are kept: streams have the same keywords over and over.
    fn row(&mut self, scope: Scope, keyword: &str) -> Option<&'static Parameter> {
        let [first, last] = [keyword.as_bytes().first()?, keyword.as_bytes().last()?];
        let place = (keyword.len() + usize::from(*first) + usize::from(*last)) % self.rows.len();
        let known = self.rows[place].filter(|row| row.scope == scope && row.keywords.contains(&keyword));
        if known.is_none() {
            self.rows[place] = scope.by_keyword(keyword);
            return self.rows[place];
        }
        known
    }

    /// Notes a setting of which the last one counts.
    fn set(&mut self, scope: Scope, parameter: &'static Parameter, entry: Entry<'d>) {
        let settings = if scope.is_top() { &mut self.top } else { &mut self.inner };
        let Some((_, last)) = settings.iter_mut().find(|(row, _)| std::ptr::eq(*row, parameter)) else {
            return settings.push((parameter, entry));
        };
        let message = format!("`{}` is set more than once: the last counts", entry.keyword());
        let previous = (mem::replace(last, entry).head_span(), "set here before");
        self.diagnostics.push(repeated(entry.head_span(), message, previous));
    }

    /// Checks an entry that has the form of its row.
    fn own(&mut self, scope: Scope, parameter: &'static Parameter, entry: Entry<'d>) -> Option<Scope> {
        let facts = parameter.codec.facts();
        if let Some(kind) = facts.kind {
            if kind.is_port && !std::ptr::eq(kind, &raw const UDP_PORT) {
                self.listeners.add(entry);
            }
            self.diagnostics.push_any(kind.warning.and_then(|warning| warning(only_argument(entry)?)));
        } else if let Some(kind) = facts.group {
            let name = group_name(entry);
            self.name(Severity::Error, kind.noun().into(), name);
            match kind.has_sources() {
                true if entry.is_block() => self.sourceless = Some(name.span()),
                true if entry.count_arguments() > 1 => self.source(scope, entry, 1),
                true => self.diagnostics.push(lacks_source(name.span())),
                false => {}
            }
            return Some(kind.scope());
        } else if facts.sources.is_some() {
            self.sourceless = None;
            match is_plural(entry) {
                true => entry.arguments().for_each(|word| address::source(word, &mut self.diagnostics)),
                false => self.source(scope, entry, 0),
            }
        } else if let Some(options) = facts.options {
            self.diagnostics.push_any(option_without_sign(options, entry));
            self.diagnostics.extend(&lost::in_same_line(scope, entry, Some(0)));
        } else if facts.address.is_some() {
            entry.arguments().take(1).for_each(|word| address::backend(word, &mut self.diagnostics));
            self.options(scope, entry, 1);
        } else if let Some(object) = facts.object {
            self.object(parameter, object, entry);
        }
        None
    }

    /// Reports a name that another block of its kind has.
    fn name(&mut self, severity: Severity, noun: Cow<'d, str>, name: Word<'d>) {
        let Some(first) = first(&mut self.names, noun.clone(), name) else { return };
        let hint = match severity {
            Severity::Error => "rename or remove one of them",
            Severity::Warning => "keep one of them",
        };
        let message = format!("the {noun} `{}` is defined twice", name.value());
        let found = Diagnostic::new(severity, name.span(), message);
        self.diagnostics.push(found.related(first.span(), "first here").hint(hint));
    }

    fn object(&mut self, parameter: &'static Parameter, object: &'static ObjectShape, entry: Entry<'d>) {
        let parts = object.part_words(entry).filter_map(|(part, word)| Some((part?, word)));
        let parts: Vec<_> = parts.filter(|(part, _)| !part.is_rest()).collect();
        for (part, word) in &parts {
            self.diagnostics.push_any(part.kind.warning.and_then(|warning| warning(*word)));
        }
        self.repeats(parts.into_iter().map(|(part, word)| (part.key.into(), word)), |key| key.to_owned());
        if object.takes_words {
            self.diagnostics.extend(&lost::in_same_line(parameter.scope, entry, None));
        }
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
        if entry.count_arguments() < behind + 2 {
            return;
        }
        self.diagnostics.extend(&lost::in_same_line(scope, entry, Some(behind)));
        let options = entry.arguments().skip(behind).take(MAX_OPTIONS);
        let keys = options.map(|word| OptionWord::split(word).key);
        self.repeats(keys.map(|key| (key.value(), key)), |name| format!("option `{name}`"));
    }

    /// Reports what has the same name as another one before it.
    fn repeats<'w>(
        &mut self,
        named: impl Iterator<Item = (Cow<'w, str>, Word<'w>)>,
        in_words: impl Fn(&str) -> String,
    ) {
        let mut seen: Vec<(Cow<'_, str>, Word<'_>)> = Vec::new();
        for (name, word) in named {
            if let Some((_, previous)) = seen.iter().rfind(|(known, _)| *known == name) {
                let message = format!("the {} is given more than once: the last counts", in_words(&name));
                self.diagnostics.push(repeated(word.span(), message, (previous.span(), "given here before")));
            }
            seen.push((name, word));
        }
    }

    fn misshapen(&mut self, scope: Scope, parameter: &'static Parameter, entry: Entry<'d>) {
        let inside = lost::in_same_line(scope, entry, None);
        let (severity, fix) = match parameter.strict {
            true => (Severity::Error, inside.iter().next().and_then(|found| found.fix.clone())),
            false => (Severity::Warning, None),
        };
        if !parameter.strict {
            self.diagnostics.extend(&inside);
        }
        if parameter.codec.facts().sources.is_some() {
            self.sourceless = None;
        }
        let keyword = entry.keyword();
        let message = format!("`{keyword}` has the wrong form: it takes {}", parameter.codec.facts().usage);
        let hint = format!("write it like `{}`", parameter.example);
        let found = Diagnostic::new(severity, misfit_span(parameter, entry), message);
        self.diagnostics.push(found.hint(hint).fixed_by(fix));
    }

    fn foreign(&mut self, scope: Scope, entry: Entry<'d>) {
        let keyword = entry.keyword();
        let protocol = protocol_of_switch(&keyword).filter(|_| !scope.is_top());
        if keyword == "include" {
            // What is included may have the source.
            self.sourceless = None;
            self.include.get_or_insert_with(|| entry.head_span());
        } else if keyword == "push" {
            let diagnostics = &mut self.diagnostics;
            entry.arguments().take(1).for_each(|url| address::url(url, &url.value(), diagnostics));
        } else if let Some(protocol) = protocol {
            let message = format!("servers do not read `{keyword}`");
            let found =
                Diagnostic::warning(keyword_span(entry), message).hint(format!("write `{protocol} off;`"));
            self.diagnostics.push_any((entry.count_arguments() == 0).then_some(found));
        } else if scope.is_top() && Schema::media().has_named_blocks(&keyword) {
            if let Some(name) = only_argument(entry).filter(|_| entry.is_block()) {
                self.name(Severity::Warning, keyword, name);
            }
        } else if is_source(scope, &keyword) {
            self.sourceless = None;
        } else {
            let near = self.near.entry((scope, keyword.clone()));
            let near = *near.or_insert_with(|| near_miss(scope, &keyword));
            self.diagnostics.push_any(near.and_then(|near| unknown_directive(entry, &keyword, near)));
        }
        self.diagnostics.extend(&lost::in_same_line(scope, entry, None));
    }
}

/// `vb 512000` in the place of `vb=512000`.
fn option_without_sign(options: &OptionsShape, entry: Entry<'_>) -> Option<Diagnostic> {
    let has_sign = |word: Word<'_>| memchr::memchr(b'=', word.raw.as_bytes()).is_some();
    let is_name =
        |word: Word<'_>| options.known(&word.value()).is_some_and(|known| known.keyword == word.value());
    let mut before = None;
    let mut pairs = entry.arguments().filter_map(|word| Some((before.replace(word)?, word)));
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

/// The warning about a stream, at its name.
fn lacks_source(name: Span) -> Diagnostic {
    Diagnostic::warning(name, "the stream has no source").hint("add one like `url udp://239.0.0.1:1234;`")
}

/// The first word that does not fit, else the keyword.
fn misfit_span(parameter: &Parameter, entry: Entry<'_>) -> Span {
    let expected = parameter.codec.facts().object.map_or(1, |object| object.required().len());
    let mut arguments = entry.arguments();
    let (first, beyond) = (arguments.next(), arguments.nth(expected - 1));
    let one_is_wrong = beyond.is_none() && !entry.is_block() && expected == 1;
    beyond.or(first.filter(|_| one_is_wrong)).map_or_else(|| keyword_span(entry), |word| word.span())
}

fn keyword_span(entry: Entry<'_>) -> Span {
    entry.words().next().map_or(entry.head_span(), |word| word.span())
}
