//! The warnings of `check` that a change brings: those about an entry that it did not have before.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use mediaconf::{Diagnostic, Document, Path, Segment, Severity, block_kind, check, group_name};

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
    let [(old, old_rest), (new, new_rest)] = [before, after].map(parts);
    let mut known: HashMap<&Key<'_>, Vec<&str>> = HashMap::new();
    old.iter().for_each(|entry| known.entry(&entry.key).or_default().push(entry.text));
    let kept: HashSet<&Key<'_>> = new.iter().map(|entry| &entry.key).collect();
    let gone = old.iter().filter(|entry| !kept.contains(&entry.key));
    let renamed: HashMap<&str, &str> = gone.map(|entry| (entry.body, entry.text)).collect();
    let mut found = brought(String::new(), Some(&old_rest), &new_rest);
    for EntryText { key, text, body } in &new {
        let before = match known.get(key) {
            // With included files, a name may stand twice; then equal texts are paired.
            Some(texts) => texts.iter().find(|known| *known == text).or(texts.last()).copied(),
            None => renamed.get(body).copied(),
        };
        if before != Some(*text) {
            let segments = [key.0.to_owned(), key.1.to_string()].map(Segment::Key);
            found.extend(brought(Path { segments: segments.into() }.to_string(), before, text));
        }
    }
    found
}

/// The group and the name of a stream, live or plugin.
type Key<'d> = (&'static str, Cow<'d, str>);

struct EntryText<'d> {
    key: Key<'d>,
    /// From the start of its line, where nothing else stands in front.
    text: &'d str,
    /// The text behind its name.
    body: &'d str,
}

/// The streams, lives and plugins of a text, and the rest of it.
fn parts(document: &Document) -> (Vec<EntryText<'_>>, String) {
    let text = document.text();
    let (mut entries, mut rest, mut at) = (Vec::new(), String::new(), 0);
    for entry in document.entries() {
        let Some(kind) = block_kind(entry) else { continue };
        let (name, line) = (group_name(entry), document.line_start(entry.start()));
        let start = if text[line..entry.start()].trim().is_empty() { line } else { entry.start() };
        rest.push_str(&text[at..start]);
        at = entry.end();
        let key = (kind.key(), name.value());
        entries.push(EntryText { key, text: &text[start..at], body: &text[name.end() as usize..at] });
    }
    rest.push_str(&text[at..]);
    (entries, rest)
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
