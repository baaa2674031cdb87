//! The warnings of `check` that a change brings: those about an entry that it did not have before.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use mediaconf::plumbing::edit::{Path, Segment};
use mediaconf::plumbing::model::{block_kind, check, group_name};
use mediaconf::plumbing::schema::Kind;
use mediaconf::plumbing::syntax::{
    Diagnostic, Document, Entry, EntryId, Severity, Splice, line_start, spliced_pieces,
};

/// The beginning of the faults if new warnings are refused.
pub const BRINGS_WARNING: &str = "the change brings a warning: ";

/// A warning that a change brings.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NewWarning {
    /// The path of the stream, live or plugin that it is about; empty for the rest of the configuration.
    pub at: String,
    /// The warning, with its advice.
    pub message: String,
}

impl fmt::Display for NewWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at.is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "`{}`: {}", self.at, self.message),
        }
    }
}

impl NewWarning {
    /// A warning as a refusal tells of it.
    pub fn parse(told: &str) -> Self {
        let told = told.strip_prefix(BRINGS_WARNING).unwrap_or(told);
        let (at, message) =
            told.strip_prefix('`').and_then(|told| told.split_once("`: ")).unwrap_or(("", told));
        Self { at: at.to_owned(), message: message.to_owned() }
    }
}

/// Returns the warnings about `after` that `before` does not have.
///
/// They are compared entry by entry, so that only entries that differ are checked, and no line number counts.
/// An entry that got another name is the same one.
pub fn new_warnings(before: &Document, after: &Document) -> Vec<NewWarning> {
    let (old, new) = (TextParts::from_document(before), TextParts::from_document(after));
    let mut found = brought(String::new(), Some(&old.rest), &new.rest);
    found.extend(new.warnings_of_same(&old).unwrap_or_else(|| new.warnings_by_name(&old)));
    found
}

/// The bytes of the windows of an edit that are looked at at once, if they are no longer by themselves.
const LOOKED_AT: usize = 128 * 1024;

/// The same of an edit, whose whole new text need not be put together. As long as the entries stay the same, few
/// windows are looked at at a time.
pub fn new_warnings_of_edit(before: &Document, splices: &[Splice]) -> Vec<NewWarning> {
    let windows = windows(before, splices);
    let (mut old_rest, mut new_rest, mut found) = (String::new(), String::new(), Vec::new());
    let mut left = &windows[..];
    while !left.is_empty() {
        let part;
        (part, left) = left.split_at(first_windows(left));
        let [old, new] = texts(before.text(), part, splices).map(Document::parse);
        let [old, new] = [&old, &new].map(TextParts::from_document);
        let Some(more) = new.warnings_of_same(&old) else {
            let [old, new] = texts(before.text(), &windows, splices).map(Document::parse);
            return new_warnings(&old, &new);
        };
        found.extend(more);
        old_rest.push_str(&old.rest);
        new_rest.push_str(&new.rest);
    }
    let mut all = brought(String::new(), Some(&old_rest), &new_rest);
    all.append(&mut found);
    all
}

/// The number of the first windows that are looked at at once.
fn first_windows(windows: &[Range<usize>]) -> usize {
    let mut bytes = 0;
    let is_within = |window: &&Range<usize>| {
        bytes += window.len();
        bytes <= LOOKED_AT
    };
    windows.iter().take_while(is_within).count().max(1)
}

/// What stands in windows before and after an edit.
fn texts(text: &str, windows: &[Range<usize>], splices: &[Splice]) -> [String; 2] {
    let (mut old, mut new) = (String::new(), String::new());
    for window in windows {
        let first = splices.partition_point(|splice| splice.range.end < window.start);
        let inside = &splices[first..];
        let inside = &inside[..inside.partition_point(|splice| splice.range.start <= window.end)];
        old.push_str(&text[window.clone()]);
        let grown: usize = inside.iter().map(|splice| splice.text.len()).sum();
        new.reserve(window.len() + grown + 1);
        new.extend(spliced_pieces(text, window.clone(), inside));
        old.push('\n');
        new.push('\n');
    }
    [old, new]
}

/// The parts of a text that an edit may bring warnings about: the entries and the gaps between them that it
/// touches, and the settings of the top level, which are compared with each other.
fn windows(document: &Document, splices: &[Splice]) -> Vec<Range<usize>> {
    let (mut windows, mut at, mut next) = (Vec::<Range<usize>>::new(), 0, 0);
    // A long window ends between two entries where the edit puts nothing.
    let mut add = |part: Range<usize>, is_touched: bool| match windows.last_mut() {
        Some(last) if last.end >= part.start && (is_touched || last.len() < LOOKED_AT / 8) => {
            last.end = part.end
        }
        _ => windows.push(part),
    };
    for entry in document.entries() {
        let end = entry.end();
        while splices.get(next).is_some_and(|splice| splice.range.end < at) {
            next += 1;
        }
        let touching = |until| splices.get(next).is_some_and(|splice| splice.range.start <= until);
        if touching(end) || !is_of_group(entry) {
            add(at..end, touching(at));
        }
        at = end;
    }
    if splices.last().is_some_and(|last| last.range.end >= at) {
        add(at..document.text().len(), true);
    }
    windows
}

fn is_of_group(entry: Entry<'_>) -> bool {
    entry.schema().group_of(&entry.keyword()).is_some()
}

/// A text as its streams, lives and plugins, and the rest.
struct TextParts<'d> {
    document: &'d Document,
    /// Its entries, of which there may be very many, each with the number of its kind.
    places: Vec<(EntryId, u8)>,
    rest: String,
}

#[derive(Clone, Copy)]
struct EntryText<'d> {
    kind: Kind,
    entry: Entry<'d>,
}

impl<'d> TextParts<'d> {
    fn from_document(document: &'d Document) -> Self {
        let text = document.text();
        let (mut places, mut rest, mut at) = (Vec::new(), String::new(), 0);
        for entry in document.entries() {
            let Some(kind) = block_kind(entry) else { continue };
            rest.push_str(&text[at..EntryText { kind, entry }.start()]);
            at = entry.end();
            places.push((entry.id(), kind.number() as u8));
        }
        rest.push_str(&text[at..]);
        Self { document, places, rest }
    }

    fn entry(&self, (id, kind): (EntryId, u8)) -> EntryText<'d> {
        let kind = self.document.schema().kinds[usize::from(kind)];
        EntryText { kind, entry: self.document.entry(id) }
    }

    fn entries(&self) -> impl Iterator<Item = EntryText<'d>> {
        self.places.iter().map(|place| self.entry(*place))
    }

    /// The warnings that its entries bring where these are the entries of before, in their order: no table of names is
    /// made. `None` if they are others, or a name stands twice.
    fn warnings_of_same(&self, before: &TextParts<'_>) -> Option<Vec<NewWarning>> {
        let pairs = || before.entries().zip(self.entries());
        let mut hashes: Vec<u64> = self.entries().map(|entry| entry.hash()).collect();
        hashes.sort_unstable();
        let is_same = before.places.len() == self.places.len()
            && hashes.is_sorted_by(|one, next| one < next)
            && pairs().all(|(old, new)| old.key() == new.key());
        drop(hashes);
        is_same.then(|| pairs().flat_map(|(old, new)| new.brought(Some(old.text()))).collect())
    }

    /// The same where entries came, went, moved or got another name.
    fn warnings_by_name(&self, before: &TextParts<'_>) -> Vec<NewWarning> {
        let [known, kept] = [before, self].map(EntriesByName::new);
        // With included files, a name may stand twice; then equal texts are paired.
        let known_as = |entry: &EntryText<'_>| {
            let texts = || known.of(entry).map(|known| known.text());
            texts().find(|text| *text == entry.text()).or_else(|| texts().last())
        };
        let gone = before.entries().filter(|entry| kept.of(entry).next().is_none());
        let renamed: HashMap<_, _> = gone.map(|entry| (entry.body(), entry.text())).collect();
        let brought = |entry: EntryText<'_>| {
            entry.brought(known_as(&entry).or_else(|| renamed.get(entry.body()).copied()))
        };
        self.entries().flat_map(brought).collect()
    }
}

/// Finds the entries of a text by their names.
struct EntriesByName<'p, 'd> {
    parts: &'p TextParts<'d>,
    /// The hash of each name, with the number of its entry.
    hashes: Vec<(u32, u32)>,
}

impl<'p, 'd> EntriesByName<'p, 'd> {
    fn new(parts: &'p TextParts<'d>) -> Self {
        let mut hashes: Vec<_> =
            parts.entries().zip(0..).map(|(entry, number)| (entry.hash() as u32, number)).collect();
        hashes.sort_unstable();
        Self { parts, hashes }
    }

    /// The entries with the name of another one, in the order of the text.
    fn of(&self, named: &EntryText<'_>) -> impl Iterator<Item = EntryText<'d>> {
        let hash = named.hash() as u32;
        let first = self.hashes.partition_point(|(other, _)| *other < hash);
        let same = self.hashes[first..].iter().take_while(move |(other, _)| *other == hash);
        let entries = same.map(|(_, number)| self.parts.entry(self.parts.places[*number as usize]));
        entries.filter(|entry| entry.key() == named.key())
    }
}

impl<'d> EntryText<'d> {
    /// The start of its line where nothing else stands in front.
    fn start(&self) -> usize {
        let (text, start) = (self.entry.document().text(), self.entry.start());
        let line = line_start(text, start);
        if text[line..start].trim().is_empty() { line } else { start }
    }

    /// Its whole text.
    fn text(&self) -> &'d str {
        &self.entry.document().text()[self.start()..self.entry.end()]
    }

    /// The text behind its name.
    fn body(&self) -> &'d str {
        &self.entry.document().text()[group_name(self.entry).end() as usize..self.entry.end()]
    }

    fn key(&self) -> (&'static str, Cow<'d, str>) {
        (self.kind.key(), group_name(self.entry).value())
    }

    fn hash(&self) -> u64 {
        let (kind, name) = self.key();
        xxh3_64_with_seed(name.as_bytes(), xxh3_64(kind.as_bytes()))
    }

    /// The warnings that it brings, if it was another text before.
    fn brought(&self, before: Option<&str>) -> Vec<NewWarning> {
        match before == Some(self.text()) {
            true => Vec::new(),
            false => brought(self.path(), before, self.text()),
        }
    }

    fn path(&self) -> String {
        let (kind, name) = self.key();
        let segments = [kind.to_owned(), name.into_owned()].map(Segment::Key);
        Path { segments: segments.into() }.to_string()
    }
}

/// The warnings about a part of a text that it did not have before.
fn brought(at: String, before: Option<&str>, after: &str) -> Vec<NewWarning> {
    if before == Some(after) {
        return Vec::new();
    }
    let mut known: Vec<String> =
        before.map(|before| warnings(before).map(|found| found.message).collect()).unwrap_or_default();
    let mut is_new = |found: &Diagnostic| match known.iter().position(|known| *known == found.message) {
        Some(place) => {
            known.swap_remove(place);
            false
        }
        None => true,
    };
    let new = warnings(after).filter(|found| is_new(found));
    let new = new.map(|Diagnostic { message, hint, .. }| {
        let message = hint.map_or(message.clone(), |hint| format!("{message} ({hint})"));
        NewWarning { at: at.clone(), message }
    });
    new.collect()
}

fn warnings(text: &str) -> impl Iterator<Item = Diagnostic> {
    let found: Vec<Diagnostic> = check(text).iter().cloned().collect();
    found.into_iter().filter(|found| found.severity == Severity::Warning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(before: &str, after: &str) -> Vec<String> {
        let [before, after] = [before, after].map(|text| Document::parse(text.to_owned()));
        new_warnings(&before, &after).iter().map(NewWarning::to_string).collect()
    }

    #[test]
    fn only_warnings_that_an_entry_did_not_have_are_new() {
        let slip = "stream a { url upd://1; }\n";
        let told = "`streams.a`: `upd:` is no known scheme (did you mean `udp://`?)";
        for (before, after, expected) in [
            ("stream a { url udp://1; }\n", slip, &[told][..]),
            ("", slip, &[told]),
            ("http 80;\n", &format!("# moved\nhttp 80;\n\n  {slip}"), &[told]),
            (slip, &format!("# moved\nrtmp 1;\n\n  {slip}"), &[]),
            (slip, "stream a { url upd://2; }\n", &[]),
            (slip, "stream a { url upd://1; url upd://2; }\n", &[told]),
            (slip, "stream b { url upd://1; }\n", &[]),
            (
                "stream b { url upd://1; }\nstream a { url udp://1; }\n",
                &format!("stream b {{ url udp://1; }}\n{slip}"),
                &[told],
            ),
            (
                "rtmp 1;\n",
                "rtmp 1;\nrtmp 2;\n",
                &["`rtmp` is set more than once: the last counts (keep one of them)"],
            ),
            ("rtmp 1;\nrtmp 2;\n", "\nrtmp 1;\nrtmp 3;\n", &[]),
            ("http 80;;\n", "http 80;;\nstream a { url udp://1; }\n;", &["stray `;`"]),
            ("stream broken {", slip, &[told]),
            (&format!("{slip}stream a;\n"), &format!("{slip}stream a;\nrtmp 1;\n"), &[]),
        ] {
            assert_eq!(between(before, after), expected, "{before} -> {after}");
        }
    }

    #[test]
    fn an_edit_brings_the_warnings_that_its_whole_text_does() {
        let text = "  stream a {\n  url udp://1;\n}\nhttp 80; # x\nstream b { url udp://2; } stream c;\n#\n";
        let document = Document::parse(text.to_owned());
        let place = |found: &str| text.find(found).expect("it is there");
        let ends = [0, place("http"), place("stream b"), place(" stream c"), place("stream c"), text.len()];
        let inserted = "stream x { url upd://1; }\nhttp 80;\n";
        for at in ends {
            for (range, new) in [
                (at..at, inserted),
                (place("udp://1")..place("udp://1") + 3, "upd"),
                (0..place("http"), inserted),
            ] {
                let splices = [Splice { range, text: new.into() }];
                let whole: String = spliced_pieces(text, 0..text.len(), &splices).collect();
                let expected = new_warnings(&document, &Document::parse(whole.clone()));
                assert_eq!(new_warnings_of_edit(&document, &splices), expected, "{whole}");
                assert!(!expected.is_empty(), "{whole}");
            }
        }
    }

    #[test]
    fn an_edit_of_very_many_entries_brings_the_warnings_that_its_whole_text_does() {
        let stream = |number: usize| format!("# x\nstream s{number} {{ url udp://{number}; }} # y\n");
        let text: String = (0..4 * LOOKED_AT / 40).map(stream).collect();
        let document = Document::parse(text.clone());
        for (found, new, step) in
            [("udp", "upd", 1), ("udp", "upd", 50), (" # y", "\nhttp 80;\n http 80;", 7)]
        {
            let splice = |at: usize| Splice { range: at..at + found.len(), text: new.into() };
            let splices: Vec<_> = text.match_indices(found).step_by(step).map(|(at, _)| splice(at)).collect();
            let whole: String = spliced_pieces(&text, 0..text.len(), &splices).collect();
            let expected = new_warnings(&document, &Document::parse(whole));
            assert!(new_warnings_of_edit(&document, &splices) == expected, "{new:?} {step}");
            assert!(!expected.is_empty(), "{new:?}");
        }
    }
}
