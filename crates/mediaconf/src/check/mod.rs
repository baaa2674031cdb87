//! The checks of a document that need to know what directives mean; the grammar's own faults are `syntax`'s.
//!
//! One walk visits the entries of the top level and of the blocks that the schema knows. A rule is a function that is told of
//! the entries which it is about, and pushes what it finds.

mod address;
mod leftovers;
mod lost;
mod misplaced;
mod names;
mod words;

use std::borrow::Cow;
use std::mem;

use foldhash::HashMap;

pub use self::names::{NearMiss, near_miss_in_block};

use crate::query::NameUse;
use crate::schema::{
    DirectiveRole, Kind, ObjectShape, Parameter, Part, SOURCE, Schema, Scope, inner_scope, is_plural, read,
};
use crate::secret::mask_faults;
use crate::syntax::{Diagnostic, Diagnostics, Document, Entry, Fix, STRAY_BRACE, Severity, Span, Word};

/// The directives, beside the sources themselves, that say where a stream comes from: a template, a publisher, another
/// server, or a list of files.
const SOURCES: &str = "cluster_ingest inputs mixer mosaic on_publish onvif password playlist publish publish_enabled \
    rtmp_publish rtsp_publish source srt_publish template";

/// The number of lines, and of words, that are kept to know them again.
const LATELY: usize = 512;

/// The number of options of a directive that are compared with each other: a hostile directive may have
/// millions.
const MAX_OPTIONS: usize = 200;

/// Returns all diagnostics of the text of a media server, those of its parser included, in the order of the text.
pub fn check(bytes: impl AsRef<[u8]>) -> Diagnostics {
    Document::from_bytes(bytes.as_ref().to_vec()).check()
}

impl Document {
    /// Returns all diagnostics, those of the parser included, in the order of the text; last, that an `include` is not followed.
    pub fn check(&self) -> Diagnostics {
        let mut checker = Checker::default();
        checker.top_level(self);
        let mut diagnostics = self.diagnostics().clone();
        let include = checker.include.clone();
        checker.report(self, &mut diagnostics);
        diagnostics.sort();
        // It says nothing of the text itself.
        let message = "this `include` is kept, but the files that it names are not checked";
        let hint = "check the included files, too: `mediactl check FILE…`";
        diagnostics.push_any(include.map(|include| Diagnostic::warning(include, message).hint(hint)));
        mask_faults(self, &mut diagnostics);
        diagnostics
    }

    /// True if there are errors, the parser's included: [`Document::check`] without the warnings.
    pub fn has_errors(&self) -> bool {
        let mut names = Vec::with_capacity(self.len() / 4);
        if self.diagnostics().errors() > 0 || self.entries().any(|entry| is_error(entry, &mut names)) {
            return true;
        }
        names.sort_unstable();
        names.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// True if the text of a media server has no line feed but at its end, and directives in a comment: behind a `#`, a known
    /// keyword with words behind it and then `;` or `{`. `curl -d @FILE` strips line ends.
    ///
    /// Such a text may parse. A stripped line end leaves no blank, so the keyword may be the end of what reads as one word.
    pub fn has_lost_line_ends(text: &[u8]) -> bool {
        let line = text.trim_ascii_end();
        // Nearly all texts have lines; a text is not read to its end to say so.
        memchr::memchr(b'\n', line).is_none()
            && std::str::from_utf8(line).is_ok_and(|line| lost::directives_in_comment(line).is_some())
    }
}

/// The slips in the words of a line of a scope, without its block.
pub fn slips(scope: Scope, line: Entry<'_>) -> Vec<Diagnostic> {
    let mut checker = Checker::default();
    checker.head(Some(scope), line);
    checker.diagnostics.iter().filter(|found| found.is_slip).cloned().collect()
}

/// True if a form that has to be right is not.
fn is_broken(row: Option<&Parameter>, entry: Entry<'_>) -> bool {
    row.is_some_and(|row| row.strict && !row.codec.fits(entry))
}

/// True if an entry of the top level has the wrong form, or one in it. Adds its name to those that may stand there once.
fn is_error<'d>(entry: Entry<'d>, names: &mut Vec<(usize, Cow<'d, str>)>) -> bool {
    let row = Scope::Top.by_keyword(&entry.keyword());
    if is_broken(row, entry) {
        return true;
    }
    let kind = row.and_then(|row| row.codec.facts().group);
    names.extend(kind.map(|kind| (kind as usize, entry.group_name().value())));
    // A template has the directives of a stream.
    let scope = kind.map_or_else(|| inner_scope(entry), Kind::scope);
    let is_broken_here = |inner: Entry<'_>| is_broken(scope.by_keyword(&inner.keyword()), inner);
    (scope != Scope::Unknown) && entry.children().any(is_broken_here)
}

/// A small cache of the findings in lines or words: of several with the same length and end it keeps the last one.
#[derive(Default)]
struct RecentFindings<'d, T>(Vec<(&'d str, T)>);

impl<'d, T: Clone + Default> RecentFindings<'d, T> {
    /// The place of a text, which may have another one; the empty one if none.
    fn slot(&mut self, text: &str) -> &mut (&'d str, T) {
        let end = text.as_bytes().last_chunk().map_or(0, |end| u32::from_le_bytes(*end));
        let sum = (end ^ text.len() as u32).wrapping_mul(0x9e37_79b1) >> 16;
        self.0.resize(LATELY, Default::default());
        &mut self.0[sum as usize % LATELY]
    }
}

/// What the rules know of the entries so far.
#[derive(Default)]
struct Checker<'d> {
    diagnostics: Diagnostics,
    /// Those of lines inside entries.
    in_lines: Diagnostics,
    /// Where each name of a stream, live, plugin or other named block stands first, by the noun of the block.
    names: HashMap<(&'static str, Cow<'d, str>), Word<'d>>,
    /// What each unknown keyword of a scope is nearly: each keyword is compared once.
    near: HashMap<(Scope, Cow<'d, str>), Option<NearMiss>>,
    /// The known option that words are nearly, with the list of the known ones.
    near_options: RecentFindings<'d, (&'static str, Option<&'static str>)>,
    /// The words that refer to a block by its name.
    references: Vec<NameUse<'d>>,
    /// The directives that name a port or an address to listen on.
    listeners: Vec<Entry<'d>>,
    /// The block that the current entry stands in.
    outer: Option<Entry<'d>>,
    /// The end of what stands in front of it in that block, if anything does.
    before: Option<usize>,
    /// Those of directives at the top level that stand in a block: a file that a block includes has no others.
    at_top: Diagnostics,
    /// True if a setting of the top level is there: the text is no part of another.
    has_settings: bool,
    /// True if a keyword is a conflict marker.
    has_marks: bool,
    /// The first `include`.
    include: Option<Span>,
    /// The name of the current stream, and the number of signs of a source in it.
    stream: Option<Span>,
    sources: usize,
    /// Lines that are right in every stream, each with the parameter that it sets.
    plain: RecentFindings<'d, Option<&'static Parameter>>,
    /// The settings of the top level, and those of the current block, of which the last one counts.
    settings: [Vec<(&'static Parameter, Entry<'d>)>; 2],
}

impl<'d> Checker<'d> {
    fn top_level(&mut self, document: &'d Document) {
        // Room for the names of blocks, of which most have several entries.
        self.names.reserve(document.len() / 4);
        for entry in document.entries() {
            let scope = self.head(Some(Scope::Top), entry);
            let block = if scope.is_none() { Schema::foreign(&entry.keyword()) } else { None };
            self.settings[1].clear();
            self.outer = Some(entry);
            self.before = None;
            for inner in entry.children() {
                if let Some(block) = block {
                    let near = near_miss_in_block(block.keyword(), &inner.keyword());
                    self.diagnostics.push_any(near.and_then(|near| unknown_directive(inner, near)));
                }
                self.head(scope, inner);
                // Of what stands deeper, the lines inside of an entry are checked.
                for deeper in inner.numbers().skip(1) {
                    self.head(None, document.entry(deeper));
                }
                self.before = Some(inner.end());
            }
            let sourceless = self.stream.take().filter(|_| self.sources == 0);
            self.diagnostics.push_any(sourceless.map(lacks_source));
            self.outer = None;
        }
    }

    /// Adds what was found to the diagnostics of the parser.
    fn report(self, document: &Document, diagnostics: &mut Diagnostics) {
        diagnostics.extend(&self.diagnostics);
        address::listeners(&self.listeners, diagnostics);
        if self.has_settings || !self.names.is_empty() {
            diagnostics.extend(&self.at_top);
        }
        if self.include.is_none() {
            self.dangling(document, diagnostics);
        }
        let stray = diagnostics.iter().find(|found| found.message == STRAY_BRACE);
        match stray.and_then(|found| lost::lost_brace(document, found.span.start as usize)) {
            None => diagnostics.extend(&self.in_lines),
            // The lines behind a lost `{` read as words of its directive.
            Some(brace) => diagnostics.push(brace),
        }
        diagnostics.push_any(lost::lost_line_ends(document.text()));
        leftovers::words(document, self.has_marks, diagnostics);
    }

    /// Checks one entry without its block. Returns the scope inside a block that has rows of its own.
    ///
    /// An entry of several lines whose form is an error, and that another directive follows inside, has lost its `;`: that is
    /// the only error.
    fn head(&mut self, scope: Option<Scope>, entry: Entry<'d>) -> Option<Scope> {
        let is_mark = entry.is_spanning() && leftovers::is_mark(&entry.keyword());
        self.has_marks |= is_mark;
        if entry.is_spanning() && !is_mark {
            let inside = lost::in_lines(entry);
            if let (Some(scope), Some(swallowed)) = (scope, inside.iter().next())
                && let Some((end, _)) = &swallowed.related
                && let Err(Some(Parameter { strict: true, .. })) = read(scope, entry)
            {
                let message = format!("missing `;` at the end of `{}`", entry.keyword());
                let found = Diagnostic::error(end.clone(), message).fixed_by(swallowed.fix.clone());
                self.in_lines.push(found.hint("another directive starts further down, before the next `;`"));
                return None;
            }
            self.in_lines.extend(&inside);
        }
        let scope = scope?;
        let may_be_plain = scope == Scope::Stream && !entry.is_block() && !entry.is_spanning();
        if !may_be_plain {
            return self.meaning(scope, entry);
        }
        let text = entry.text();
        let (known, setting) = *self.plain.slot(text);
        if known == text {
            setting.into_iter().for_each(|row| self.set(scope, row, entry));
            return None;
        }
        let before = self.noted();
        self.meaning(scope, entry);
        if before == self.noted() {
            let setting = self.settings[1].last().filter(|(_, last)| last.id() == entry.id());
            *self.plain.slot(text) = (text, setting.map(|(row, _)| *row));
        }
        None
    }

    /// How much was noted so far, but for settings.
    fn noted(&self) -> usize {
        self.diagnostics.count() + self.references.len() + self.sources
    }

    /// Checks one entry whose `;` is not lost.
    fn meaning(&mut self, scope: Scope, entry: Entry<'d>) -> Option<Scope> {
        let row = scope.by_keyword(&entry.keyword());
        if let Some(found) = misplaced::sign(scope, row, entry) {
            let severity = if is_broken(row, entry) { Severity::Error } else { found.severity };
            self.sources += usize::from(row.is_none_or(|row| row.codec.facts().sources.is_some()));
            self.diagnostics.push(Diagnostic { severity, ..found });
            return None;
        }
        match row {
            Some(row) if row.codec.fits(entry) => self.own(scope, row, entry),
            Some(row) => {
                self.misshapen(scope, row, entry);
                None
            }
            None => {
                self.foreign(scope, entry);
                Some(inner_scope(entry)).filter(|inner| *inner != Scope::Unknown)
            }
        }
    }

    /// Checks an entry that has the form of its row.
    fn own(&mut self, scope: Scope, row: &'static Parameter, entry: Entry<'d>) -> Option<Scope> {
        let facts = row.codec.facts();
        if facts.is_setting() {
            self.set(scope, row, entry);
        }
        self.has_settings |= scope == Scope::Top && facts.group.is_none();
        if row.role == Some(DirectiveRole::Disabled) && row.codec.read(&[entry], None) == Some(true.into()) {
            self.sources += 1;
        }
        if let Some(kind) = facts.kind {
            if kind.is_text {
                self.empty(&format!("`{}`", entry.keyword()), entry.arguments());
                entry.arguments().take(1).for_each(|word| self.value(kind, word));
            }
            // A port of UDP is no other listener's.
            self.listeners.extend((kind.is_port && row.key != "snmp").then_some(entry));
        } else if let Some(kind) = facts.group {
            let name = entry.group_name();
            self.name(Severity::Error, kind.noun(), name);
            match kind.has_sources() {
                true if entry.is_block() => (self.stream, self.sources) = (Some(name.span()), 0),
                true if entry.count_arguments() > 1 => self.source(scope, entry, 1),
                true => self.diagnostics.push(lacks_source(name.span())),
                false => {}
            }
            return Some(kind.scope());
        } else if facts.sources.is_some() {
            self.sources += 1;
            match is_plural(entry) {
                true => entry.arguments().for_each(|word| address::source(word, &mut self.diagnostics)),
                false => self.source(scope, entry, 0),
            }
        } else if let Some(options) = facts.options {
            self.known_options(options.usual, entry.arguments());
            self.diagnostics.extend(&lost::in_same_line(scope, entry, Some(0)));
        } else if facts.address.is_some() {
            self.empty("the address", entry.arguments().take(1));
            entry.arguments().take(1).for_each(|word| address::backend(word, &mut self.diagnostics));
            self.refer(scope, entry);
            self.options(scope, entry, 1);
        } else if let Some(object) = facts.object {
            self.object(scope, object, entry);
            self.refer(scope, entry);
        }
        None
    }

    /// Reports the first of these words that is empty.
    fn empty(&mut self, noun: &str, words: impl IntoIterator<Item = Word<'d>>) {
        let empty = words.into_iter().find(|word| word.value().is_empty());
        let found = empty.map(|word| Diagnostic::warning(word.span(), format!("{noun} is empty")));
        let found = found.map(|found| found.hint("give a value, or leave it out"));
        self.diagnostics.push_any(found.map(|found| Diagnostic { is_slip: true, ..found }));
    }

    fn foreign(&mut self, scope: Scope, entry: Entry<'d>) {
        let keyword = entry.keyword();
        if leftovers::is_mark(&keyword) {
            return;
        }
        self.refer(scope, entry);
        let row = Schema::foreign(&keyword);
        if keyword == "push" || row.is_some_and(|row| row.secret) {
            self.empty(&format!("`{keyword}`"), entry.arguments());
        }
        let is_source = || scope == Scope::Stream && SOURCES.split(' ').any(|source| source == keyword);
        if keyword == "include" {
            // What is included may have the source.
            self.sources += 1;
            self.include.get_or_insert_with(|| entry.head_span());
        } else if keyword == "push" {
            self.diagnostics.push_any(entry.arguments().next().and_then(address::target));
        } else if let Some(row) = row.filter(|_| scope == Scope::Top && Schema::has_named_blocks(&keyword)) {
            if let Some(name) = entry.only_argument().filter(|_| entry.is_block()) {
                self.name(Severity::Warning, row.keyword(), name);
            }
        } else if is_source() {
            self.sources += 1;
        } else if let Some(found) = self.wrong_block(scope, entry) {
            let found_in = if self.outer.is_none() { &mut self.at_top } else { &mut self.diagnostics };
            found_in.push(found);
        } else {
            let near = self.near.entry((scope, keyword.clone()));
            let is_hidden = keyword.contains(leftovers::is_hidden);
            let near = *near.or_insert_with(|| if is_hidden { None } else { scope.near_miss(&keyword) });
            let is_source = near.is_some_and(|near| near.key == DirectiveRole::Sources.key(scope));
            self.sources += usize::from(is_source);
            self.diagnostics.push_any(near.and_then(|near| unknown_directive(entry, near)));
        }
        self.known_options(row.map_or("", |row| row.usual), entry.arguments().skip(1));
        self.diagnostics.extend(&lost::in_same_line(scope, entry, None));
    }

    /// Notes the name of a block in the first word of an entry.
    fn refer(&mut self, scope: Scope, entry: Entry<'d>) {
        let block = self.outer.map(Entry::keyword).unwrap_or_default();
        // What stands on the next line is a directive behind a lost `;`.
        let front = |word: &Word<'_>| &entry.document().text()[entry.start()..word.start as usize];
        let is_beside = |word: &Word<'_>| !entry.is_spanning() || !front(word).contains('\n');
        let name = entry.arguments().next().filter(is_beside);
        let name = name.and_then(|word| NameUse::behind(scope, &block, &entry.keyword(), word));
        self.references.extend(name.filter(|name| !name.is_definition));
    }

    fn misshapen(&mut self, scope: Scope, row: &'static Parameter, entry: Entry<'d>) {
        let inside = lost::in_same_line(scope, entry, None);
        let fix = inside.iter().next().filter(|_| row.strict).and_then(|found| found.fix.clone());
        if !row.strict {
            self.diagnostics.extend(&inside);
        }
        let found = if row.strict { Diagnostic::error } else { Diagnostic::warning };
        let (keyword, facts) = (entry.keyword(), row.codec.facts());
        self.sources += usize::from(facts.sources.is_some());
        let message = format!("`{keyword}` has the wrong form: it takes {}", facts.usage);
        let found = found(misfit_span(row, entry), message).fixed_by(fix);
        self.diagnostics.push(found.hint(format!("write it like `{}`", row.example)));
    }

    /// Notes a setting of which the last one counts.
    fn set(&mut self, scope: Scope, row: &'static Parameter, entry: Entry<'d>) {
        let settings = &mut self.settings[usize::from(!(scope == Scope::Top))];
        let Some((_, last)) = settings.iter_mut().find(|(known, _)| std::ptr::eq(*known, row)) else {
            return settings.push((row, entry));
        };
        let message = format!("`{}` is set more than once: the last counts", entry.keyword());
        let before = mem::replace(last, entry);
        self.repeated(entry.head_span(), message, before.head_span(), "set here before");
    }

    /// Reports a name that is empty, or that another block of its kind has.
    fn name(&mut self, severity: Severity, noun: &'static str, name: Word<'d>) {
        self.empty("the name", [name]);
        let first = *self.names.entry((noun, name.value())).or_insert(name);
        if first == name {
            return;
        }
        let is_error = severity == Severity::Error;
        let hint = if is_error { "rename or remove one of them" } else { "keep one of them" };
        let message = format!("the {noun} `{}` is defined twice", name.value());
        let found = Diagnostic { severity, ..Diagnostic::warning(name.span(), message) };
        self.diagnostics.push(found.related(first.span(), "first here").hint(hint));
    }

    fn object(&mut self, scope: Scope, object: &'static ObjectShape, entry: Entry<'d>) {
        let parts: Vec<_> = object.part_words(entry).filter_map(|(part, word)| Some((part?, word))).collect();
        self.parts(object, entry, &parts);
        let own = || parts.iter().copied().filter(|(part, _)| !part.is_rest());
        for (part, word) in own().filter(|(part, word)| part.kind.is_text && word.value().is_empty()) {
            self.empty(&format!("the {}", part.key), [word]);
        }
        self.repeats("", own().map(|(part, word)| (part.key.into(), word)));
        if object.parts.last().is_some_and(Part::is_rest) {
            self.diagnostics.extend(&lost::in_same_line(scope, entry, None));
        }
    }

    /// Checks a source whose address stands behind this number of arguments.
    fn source(&mut self, scope: Scope, entry: Entry<'d>, behind: usize) {
        let mut words = entry.arguments();
        if let Some(address) = words.nth(behind) {
            address::source(address, &mut self.diagnostics);
            let options = words.take(entry.count_arguments().saturating_sub(behind + 1));
            self.known_options(SOURCE.usual, options);
            self.options(scope, entry, behind + 1);
        }
    }

    /// Checks the options behind this number of arguments for repetitions.
    fn options(&mut self, scope: Scope, entry: Entry<'d>, behind: usize) {
        if entry.count_arguments() < behind + 2 {
            return;
        }
        self.diagnostics.extend(&lost::in_same_line(scope, entry, Some(behind)));
        let keys = entry.arguments().skip(behind).take(MAX_OPTIONS).map(|word| word.option().0);
        self.repeats("option ", keys.map(|key| (key.value(), key)));
    }

    /// Reports what has the same name as another one before it.
    fn repeats<'w>(&mut self, noun: &str, named: impl Iterator<Item = (Cow<'w, str>, Word<'w>)>) {
        let mut seen: Vec<(Cow<'_, str>, Word<'_>)> = Vec::new();
        for (name, word) in named {
            if let Some((_, previous)) = seen.iter().rfind(|(known, _)| *known == name) {
                let message = format!("the {noun}`{name}` is given more than once: the last counts");
                self.repeated(word.span(), message, previous.span(), "given here before");
            }
            seen.push((name, word));
        }
    }

    /// Reports what is given a second time: the note says what stood there before.
    fn repeated(&mut self, span: Span, message: String, previous: Span, note: &str) {
        let found = Diagnostic::warning(span, message).related(previous, note);
        self.diagnostics.push(found.hint("keep one of them"));
    }
}

/// The warning about an unknown keyword that is nearly a known one.
fn unknown_directive(entry: Entry<'_>, near: NearMiss) -> Option<Diagnostic> {
    let (known, span) = (near.keyword?, keyword_span(entry));
    let fix = near.is_only.then(|| Fix { span: span.clone(), text: known.to_owned() });
    let found = Diagnostic::warning(span, format!("unknown directive `{}`", entry.keyword()));
    Some(found.hint(format!("did you mean `{known}`?")).fixed_by(fix))
}

/// The warning about a stream, at its name.
fn lacks_source(name: Span) -> Diagnostic {
    Diagnostic::warning(name, "the stream has no source").hint("add one like `url udp://239.0.0.1:1234;`")
}

/// The first word that does not fit, else the keyword.
fn misfit_span(row: &Parameter, entry: Entry<'_>) -> Span {
    let expected = row.codec.facts().object.map_or(1, |object| object.required().len());
    let mut arguments = entry.arguments();
    let (first, beyond) = (arguments.next(), arguments.nth(expected - 1));
    let one_is_wrong = beyond.is_none() && !entry.is_block() && expected == 1;
    beyond.or(first.filter(|_| one_is_wrong)).map_or_else(|| keyword_span(entry), |word| word.span())
}

fn keyword_span(entry: Entry<'_>) -> Span {
    entry.words().next().map_or(entry.head_span(), |word| word.span())
}
