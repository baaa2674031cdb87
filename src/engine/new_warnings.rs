//! The warnings of `check` that a change brings: those about an entry that it did not have before.

use mediaconf::plumbing::schema::media::KINDS;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use mediaconf::plumbing::edit::{Path, Segment};
use mediaconf::plumbing::model::{check, group_name, top_members};
use mediaconf::plumbing::schema::Kind;
use mediaconf::plumbing::syntax::{
    Diagnostic, Document, Entry, Severity, Splice, line_start, spliced_pieces,
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
    // With included files, a name may stand twice; then equal texts are paired.
    let mut known: HashMap<_, Vec<&str>> = HashMap::new();
    old.entries.iter().for_each(|entry| known.entry(entry.key()).or_default().push(entry.text));
    let known_as = |entry: &EntryText<'_>| {
        let texts = known.get(&entry.key())?;
        texts.iter().find(|text| **text == entry.text).or(texts.last()).copied()
    };
    let kept: HashSet<_> = new.entries.iter().map(EntryText::key).collect();
    let gone = old.entries.iter().filter(|entry| !kept.contains(&entry.key()));
    let renamed: HashMap<_, _> = gone.map(|entry| (entry.body, entry.text)).collect();
    let mut found = brought(String::new(), Some(&old.rest), &new.rest);
    for entry in &new.entries {
        let before = known_as(entry).or_else(|| renamed.get(entry.body).copied());
        if before != Some(entry.text) {
            found.extend(brought(entry.path(), before, entry.text));
        }
    }
    found
}

/// The same of an edit, whose whole new text need not be put together.
pub fn new_warnings_of_edit(before: &Document, splices: &[Splice]) -> Vec<NewWarning> {
    let text = before.text();
    let (mut old, mut new) = (String::new(), String::new());
    for window in windows(before, splices) {
        let first = splices.partition_point(|splice| splice.range.end < window.start);
        let inside = &splices[first..];
        let inside = &inside[..inside.partition_point(|splice| splice.range.start <= window.end)];
        old.push_str(&text[window.clone()]);
        new.extend(spliced_pieces(text, window, inside));
        old.push('\n');
        new.push('\n');
    }
    new_warnings(&Document::parse(old), &Document::parse(new))
}

/// The parts of a text that an edit may bring warnings about: the entries and the gaps between them that it
/// touches, and the settings of the top level, which are compared with each other.
fn windows(document: &Document, splices: &[Splice]) -> Vec<Range<usize>> {
    let (mut windows, mut at, mut next) = (Vec::<Range<usize>>::new(), 0, 0);
    let mut add = |part: Range<usize>| match windows.last_mut() {
        Some(last) if last.end >= part.start => last.end = part.end,
        _ => windows.push(part),
    };
    for entry in document.entries() {
        let end = entry.end();
        while splices.get(next).is_some_and(|splice| splice.range.end < at) {
            next += 1;
        }
        let touching = |until| splices.get(next).is_some_and(|splice| splice.range.start <= until);
        if touching(end) || !is_of_group(entry) {
            add(at..end);
        }
        at = end;
    }
    if splices.last().is_some_and(|last| last.range.end >= at) {
        add(at..document.text().len());
    }
    windows
}

fn is_of_group(entry: Entry<'_>) -> bool {
    entry.schema().group_of(&entry.keyword()).is_some()
}

/// A text as its streams, lives and plugins, and the rest.
struct TextParts<'d> {
    entries: Vec<EntryText<'d>>,
    rest: String,
}

struct EntryText<'d> {
    start: usize,
    kind: Kind,
    name: Cow<'d, str>,
    /// Its whole text, from the start of its line where nothing else stands in front.
    text: &'d str,
    /// The text behind its name.
    body: &'d str,
}

impl<'d> TextParts<'d> {
    fn from_document(document: &'d Document) -> Self {
        let (members, text) = (top_members(document), document.text());
        let of_kind = |kind: Kind| members.own_by_key(kind.key()).iter().map(move |entry| (kind, entry));
        let entries = KINDS.into_iter().flat_map(of_kind);
        let mut entries: Vec<_> = entries.map(|(kind, entry)| EntryText::new(kind, *entry, text)).collect();
        entries.sort_by_key(|entry| entry.start);
        let (mut rest, mut at) = (String::new(), 0);
        for entry in &entries {
            rest.push_str(&text[at..entry.start]);
            at = entry.start + entry.text.len();
        }
        rest.push_str(&text[at..]);
        Self { entries, rest }
    }
}

impl<'d> EntryText<'d> {
    fn new(kind: Kind, entry: Entry<'d>, text: &'d str) -> Self {
        let name = group_name(entry);
        let line = line_start(text, entry.start());
        let is_alone = text[line..entry.start()].trim().is_empty();
        let start = if is_alone { line } else { entry.start() };
        let (text, body) = (&text[start..entry.end()], &text[name.end() as usize..entry.end()]);
        Self { start, kind, name: name.value(), text, body }
    }

    fn key(&self) -> (&'static str, &str) {
        (self.kind.key(), &self.name)
    }

    fn path(&self) -> String {
        let segments = [self.kind.key(), &self.name].map(|key| Segment::Key(key.to_owned()));
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
}
