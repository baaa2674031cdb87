//! The warnings of `check` that a change brings: those about an entry that it did not have before.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use mediaconf::plumbing::edit::{Path, Segment};
use mediaconf::plumbing::model::{block_kind, check, group_name};
use mediaconf::plumbing::schema::Kind;
use mediaconf::plumbing::syntax::{Diagnostic, Document, Entry, Severity, line_start};

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
    found.extend(new.brought(&old));
    found
}

/// A text as its streams, lives and plugins, and the rest.
struct TextParts<'d> {
    entries: Vec<EntryText<'d>>,
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
        let (mut entries, mut rest, mut at) = (Vec::new(), String::new(), 0);
        for entry in document.entries() {
            let Some(kind) = block_kind(entry) else { continue };
            let found = EntryText { kind, entry };
            rest.push_str(&text[at..found.start()]);
            at = entry.end();
            entries.push(found);
        }
        rest.push_str(&text[at..]);
        Self { entries, rest }
    }

    /// The warnings that its entries bring.
    fn brought(&self, before: &TextParts<'_>) -> Vec<NewWarning> {
        // With included files, a name may stand twice; then equal texts are paired.
        let mut known: HashMap<_, Vec<&str>> = HashMap::new();
        before.entries.iter().for_each(|entry| known.entry(entry.key()).or_default().push(entry.text()));
        let known_as = |entry: &EntryText<'_>| {
            let texts = known.get(&entry.key())?;
            texts.iter().find(|text| **text == entry.text()).or(texts.last()).copied()
        };
        let kept: HashSet<_> = self.entries.iter().map(EntryText::key).collect();
        let gone = before.entries.iter().filter(|entry| !kept.contains(&entry.key()));
        let renamed: HashMap<_, _> = gone.map(|entry| (entry.body(), entry.text())).collect();
        let brought = |entry: &EntryText<'_>| {
            entry.brought(known_as(entry).or_else(|| renamed.get(entry.body()).copied()))
        };
        self.entries.iter().flat_map(brought).collect()
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
}
