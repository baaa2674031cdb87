//! The judgement of a text that is to become the configuration: the errors and the warnings that it has, together
//! with what it includes, and that were not there before; and the faults of a text as data: what `check -o json` prints,
//! and what `check_config` answers.
//!
//! Faults that stood there before refuse nothing: a judgement keeps no server down and no repair away.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Composed, Engine, Operation, Snapshot, Transaction};
use crate::error::{Error, ErrorKind, WITHOUT_STRICT};
use mediaconf::{
    Diagnostic, Diagnostics, Document, Entry, Fault, Fix, Kind, LineIndex, NameUse, Path, Position, Schema,
    Severity, Span, check,
};

impl Engine {
    /// The errors that a text has together with what it includes, and that none of the texts before has
    /// that often.
    fn new_faults(&self, before: &[&Arc<Snapshot>], after: Option<&Composed>) -> Vec<Fault> {
        let mut faults = after.map(Composed::faults).unwrap_or_default();
        if faults.is_empty() {
            return Vec::new();
        }
        let known = before.iter().map(|text| {
            let mut times: HashMap<String, usize> = HashMap::default();
            let faults = self.composed(text).map(|known| known.faults());
            faults.into_iter().flatten().for_each(|fault| *times.entry(fault.identity).or_default() += 1);
            times
        });
        let (known, mut seen): (Vec<_>, HashMap<String, usize>) = (known.collect(), HashMap::default());
        // What stood before in a text with errors is unknown, but included files had their faults then.
        let is_unknown = before.first().is_some_and(|text| !text.is_valid());
        faults.retain(|fault| {
            let times = seen.entry(fault.identity.clone()).or_default();
            *times += 1;
            known.iter().all(|known| known.get(&fault.identity).is_none_or(|known| known < times))
                && (fault.is_own || !is_unknown)
        });
        faults.into_iter().map(|found| found.fault).collect()
    }
}

impl Transaction<'_> {
    /// Judges the change: refuses errors that it brings, and returns the warnings that it brings, which
    /// are refused if that is asked for. Errors of a rollback are reported, and never refuse it.
    pub(super) fn judge(
        &mut self,
        before: Option<&Arc<Snapshot>>,
        after: &Arc<Snapshot>,
    ) -> Result<Vec<NewWarning>, Error> {
        let engine = self.engine;
        let composed = engine.composed(after);
        // A fault that a hand edit has brought stands there already, but the file has to be loaded for it.
        let file = self.file().filter(|_| self.operation != Operation::Load);
        let known: Vec<_> = before.into_iter().chain(file).collect();
        let faults = engine.new_faults(&known, composed.as_ref());
        if !(faults.is_empty() || self.options.takes_faults) {
            let refusal =
                Error::new(ErrorKind::BadNewText, Fault::joined(&faults)).hint("nothing was written");
            return Err(refusal.with_faults(faults));
        }
        let before = before.cloned().unwrap_or_default();
        let after = composed.map_or_else(|| after.clone(), |composed| composed.text);
        let before = engine.whole(&before);
        let warnings = new_warnings(before.document(), after.document());
        self.warnings.extend(faults.iter().map(Fault::to_string));
        if self.options.strict && !warnings.is_empty() { Err(refused(&warnings)) } else { Ok(warnings) }
    }
}

/// The change brings warnings, and is to be refused then.
fn refused(warnings: &[NewWarning]) -> Error {
    let said = |words: String| format!("the change brings a warning: {words}");
    let faults = warnings.iter().map(|warning| Fault::plain(said(warning.to_string())));
    Error::new(ErrorKind::NewWarnings, said(Fault::joined(warnings)))
        .hint(WITHOUT_STRICT)
        .with_faults(faults.collect())
}

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

/// Returns the warnings that `check` has about `after` and does not have as often about `before`, by the block that each is
/// in. Blocks that both texts have are not checked, unless names lead out of them or into them.
pub fn new_warnings(before: &Document, after: &Document) -> Vec<NewWarning> {
    let mut known: HashMap<NewWarning, usize> = HashMap::default();
    let is_of_block = |used: &NameUse<'_>| Kind::ALL.iter().any(|kind| kind.noun() == used.group);
    let uses_block = |used: &NameUse<'_>| !used.is_definition && is_of_block(used);
    let is_linked =
        |new: &Document| before.dangling_in(after).is_some() || new.name_uses().iter().any(uses_block);
    let others = without_common_blocks([before, after]).filter(|[_, new]| !is_linked(new));
    let [before, after] = others.as_ref().map_or([before, after], |others| others.each_ref());
    let mut found = warnings(after);
    let before = if found.is_empty() { Vec::new() } else { warnings(before) };
    before.into_iter().for_each(|warning| *known.entry(warning).or_default() += 1);
    found.retain(|warning| {
        known.get_mut(warning).filter(|times| **times > 0).map(|times| *times -= 1).is_none()
    });
    found
}

fn warnings(document: &Document) -> Vec<NewWarning> {
    let found = document.check();
    let told = found.iter().filter(|found| found.severity == Severity::Warning).map(|found| {
        let message = match &found.hint {
            Some(hint) => format!("{} ({hint})", found.message),
            None => found.message.clone(),
        };
        let holds = |entry: &Entry<'_>| (entry.start()..entry.end()).contains(&(found.span.start as usize));
        let path = document.entries().find(holds).and_then(|block| {
            Some(Path::of([block.block_kind()?.key(), &*block.group_name().value()]).to_string())
        });
        NewWarning { at: path.unwrap_or_default(), message }
    });
    told.collect()
}

/// Two texts without the blocks that both have; `None` if these are so few that nothing is saved.
fn without_common_blocks(texts: [&Document; 2]) -> Option<[Document; 2]> {
    let differing = texts[0].differing(texts[1]);
    let is_group = |entry: &Entry<'_>| Schema::group_of(&entry.keyword()).is_some();
    // In front of what differs, and behind it, the same stands in both.
    let outside = [0..differing[0].start, differing[0].end..texts[0].len()].map(|numbers| {
        let others = texts[0].entries_in(numbers).filter(|entry| !is_group(entry));
        others.map(|entry| format!("{}\n", entry.text())).collect::<String>()
    });
    let middle = [0, 1].map(|side| texts[side].entries_in(differing[side].clone()));
    let without_common = |side: usize| {
        let known: HashSet<&str> = middle[1 - side].clone().map(Entry::text).collect();
        let is_known = |entry: &Entry<'_>| is_group(entry) && known.contains(entry.text());
        let (document, numbers, mut rest) = (texts[side], &differing[side], outside[0].clone());
        let mut at = document.entries_in(0..numbers.start).last().map_or(0, Entry::end);
        let end = document.entries_in(numbers.end..document.len()).next();
        for block in middle[side].clone().filter(is_known) {
            rest.push_str(&document.text()[at..block.start()]);
            at = block.end();
        }
        rest.push_str(&document.text()[at..end.map_or(document.text().len(), Entry::start)]);
        rest + &outside[1]
    };
    let new = without_common(1);
    (2 * new.len() < texts[1].text().len()).then(|| [without_common(0), new].map(Document::parse))
}

/// One fault. The shape is stable.
#[derive(Debug, Clone, Serialize)]
pub struct FaultRecord {
    /// The name of the text, where that is not the one that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where it begins.
    #[serde(flatten)]
    pub position: Position,
    /// The end of it: the place behind its last character; where something is missing, the place itself.
    pub end: Position,
    pub severity: Severity,
    /// The fault.
    pub message: String,
    /// The advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// A second place that explains the first: its position, its `end` and its `message`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub related: Option<Value>,
    /// The edit that mends it, where only one can be meant: its `range` (`start`, `end`) and the `text` to put there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Value>,
}

/// The faults of a text.
#[derive(Debug, Default, Serialize)]
pub struct CheckedConfig {
    /// The number of errors, those included that are not listed.
    pub errors: usize,
    /// The same of warnings.
    pub warnings: usize,
    /// In the order of the text.
    pub faults: Vec<FaultRecord>,
}

impl FaultRecord {
    /// A fault of a text.
    pub fn new(found: &Diagnostic, lines: &LineIndex<'_>) -> Self {
        let [position, end] =
            [found.span.start, found.span.end.max(found.span.start)].map(|at| lines.position(at));
        let related = found.related.as_ref().map(|(span, message)| {
            let Position { line, column, .. } = lines.position(span.start);
            let end = lines.position(span.end);
            json!({ "line": line, "column": column, "end": end, "message": message })
        });
        let fix = found.fix.as_ref().map(|Fix { span, text }| {
            let [start, end] = [span.start, span.end].map(|at| lines.position(at));
            json!({ "range": { "start": start, "end": end }, "text": text })
        });
        let (message, hint) = (found.message.clone(), found.hint.clone());
        Self { file: None, position, end, severity: found.severity, message, hint, related, fix }
    }
}

impl CheckedConfig {
    /// The faults of a text, and of the files that it includes, which are named.
    pub fn of_text(text: &Snapshot, composed: Option<&Composed>, is_utf16: bool) -> Self {
        let mut all = Self::default();
        let Some(composed) = composed else {
            all.add(None, text.document().text(), text.diagnostics(), is_utf16);
            return all;
        };
        for (at, (file, found)) in composed.files.iter().zip(composed.diagnostics()).enumerate() {
            let name = (at > 0).then_some(&*file.name);
            all.add(name, file.text.document().text(), &found, is_utf16);
        }
        all
    }

    /// The faults of a part of a text, with their places in that part.
    pub fn of_part(text: &str, part: Range<usize>, is_utf16: bool) -> Self {
        let (found, lines) = (check(text), lines_of(&text[part.clone()], is_utf16));
        let is_inside = |span: &Span| part.start <= span.start as usize && span.end as usize <= part.end;
        let here = |span: &Span| span.start - part.start as u32..span.end - part.start as u32;
        let inside = found.iter().filter(|found| is_inside(&found.span)).map(|found| {
            let related = found.related.clone().filter(|(span, _)| is_inside(span));
            let fix = found.fix.clone().filter(|fix| is_inside(&fix.span));
            let moved = Diagnostic {
                span: here(&found.span),
                related: related.map(|(span, message)| (here(&span), message)),
                fix: fix.map(|fix| Fix { span: here(&fix.span), ..fix }),
                ..found.clone()
            };
            FaultRecord::new(&moved, &lines)
        });
        let faults: Vec<_> = inside.collect();
        let errors = faults.iter().filter(|fault| fault.severity == Severity::Error).count();
        Self { errors, warnings: faults.len() - errors, faults }
    }

    fn add(&mut self, file: Option<&str>, text: &str, found: &Diagnostics, is_utf16: bool) {
        self.errors += found.errors();
        self.warnings += found.warnings();
        if found.is_empty() {
            return;
        }
        let lines = lines_of(text, is_utf16);
        let records = found.iter().map(|found| FaultRecord::new(found, &lines));
        let file = file.map(str::to_owned);
        self.faults.extend(records.map(|record| FaultRecord { file: file.clone(), ..record }));
    }
}

/// The lines of a text, whose columns count characters or units of UTF-16.
fn lines_of(text: &str, is_utf16: bool) -> LineIndex<'_> {
    if is_utf16 { LineIndex::utf16(text) } else { LineIndex::new(text) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::engine::hook::Hooks;
    use crate::store::file::ConfFile;

    const MAIN: &str = "include more.conf;\n";
    const TWICE: &str = "stream a { url udp://1; }\ninclude more.conf;\n";

    fn put(folder: &std::path::Path, name: &str, text: &str) {
        fs::write(folder.join(name), text).expect("the folder is writable");
    }

    #[test]
    fn a_file_with_a_new_fault_is_not_loaded_again_and_one_with_an_old_fault_is() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        put(folder.path(), "media.conf", MAIN);
        put(folder.path(), "more.conf", "stream a { url udp://2; }\n");
        let store = Arc::new(ConfFile::resolve(&folder.path().join("media.conf")).expect("it is there"));
        let start =
            || Engine::new(store.clone(), Hooks::default(), |_| {}).start(|_, _| {}).expect("it starts");
        let engine = start();
        put(folder.path(), "media.conf", TWICE);
        let refused = engine.load_again("");
        assert!(
            matches!(&refused, Err(refusal) if refusal.kind == ErrorKind::BadNewText && refusal.faults.len() == 1),
            "{refused:?}"
        );
        assert_eq!(engine.running().expect("it runs").bytes(), MAIN.as_bytes());
        let engine = start();
        assert_eq!(
            engine.composed(&engine.running().expect("it runs")).expect("it includes").faults().len(),
            1
        );
        put(folder.path(), "media.conf", &format!("{TWICE}rtmp 1;\n"));
        engine.load_again("").expect("the fault stood there before");
    }

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
            (
                "template t { url udp://1; }\nrtmp 1;\nstream a { template t; }\n",
                "rtmp 1;\nstream a { template t; }\n",
                &[
                    "`streams.a`: no `template` is called `t` (make it, or name one that is there: `template t { … }`)",
                ],
            ),
            (
                "rtmp 1;\nstream a { url udp://1; }\n",
                "rtmp 1;\nstream a { url udp://1; }\nstream b { url udp://2; backup_stream a; }\n",
                &[],
            ),
            ("http 80;;\n", "http 80;;\nstream a { url udp://1; }\n;", &["stray `;`"]),
            ("stream broken {", slip, &[told]),
            (&format!("{slip}stream a;\n"), &format!("{slip}stream a;\nrtmp 1;\n"), &[]),
        ] {
            assert_eq!(between(before, after), expected, "{before} -> {after}");
        }
    }
}
