//! Writes the view as JSON on one line. Two threads share large groups, and parts that an edit left
//! alone are copied from the JSON of before.
//!
//! The costly step is lexing the words of every block again. Blocks do not depend on each other, so
//! while one thread writes a part of a group, another makes the next. The JSON of a part depends on
//! its bytes, its place in the group, and the global values that every block repeats: where these
//! are unchanged, the JSON is, too.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use super::view::{GroupPart, PartPlace, TopMember, View};

/// The number of blocks in one part of a group.
const BLOCKS_A_PART: usize = 256;

/// How many parts the second thread may make ahead.
const PARTS_AHEAD: usize = 8;

/// If more parts than this have changed, two threads make all parts anew.
const FEW: usize = 4;

/// Writes the bytes that `serde_json::to_writer` would write, faster.
pub fn write_compact(view: &View<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    write_members(view, out, &mut |parts, out| {
        let mut separator: &[u8] = b"{";
        make_all(parts, &mut |_, json| {
            if !json.is_empty() {
                out.write_all(separator)?;
                separator = b",";
            }
            out.write_all(json)
        })?;
        out.write_all(if separator == b"{" { b"{}" } else { b"}" })
    })
}

/// A whole configuration as JSON on one line, with the places of the parts of large groups in it.
#[derive(Debug)]
pub struct CompactJson {
    json: Arc<Vec<u8>>,
    parts: Vec<JsonPart>,
}

/// Some blocks of a group.
#[derive(Debug)]
struct JsonPart {
    place: PartPlace,
    /// The bytes of the blocks in the text.
    text: Range<usize>,
    /// The bytes of their members in the JSON.
    json: Range<usize>,
}

/// An earlier text with its JSON, from which unchanged parts are copied.
#[derive(Clone, Copy)]
pub struct KnownJson<'k, 'a, 'd> {
    pub text: &'k str,
    pub view: &'k View<'a, 'd>,
    /// The JSON of that.
    pub compact: &'k CompactJson,
}

/// Receives the members of each part in turn, as JSON without braces.
type Put<'p> = &'p mut dyn FnMut(usize, &[u8]) -> io::Result<()>;

impl CompactJson {
    /// The JSON of a view.
    pub fn of(view: &View<'_, '_>) -> Self {
        Self::collect(view, &mut make_all)
    }

    /// The JSON of the view of `text`, most of which is equal to an earlier text.
    pub fn after(text: &str, view: &View<'_, '_>, before: KnownJson<'_, '_, '_>) -> Self {
        if !view.repeats_the_same(before.view) {
            return Self::of(view);
        }
        Self::collect(view, &mut |parts, put| {
            let same: Vec<Option<&[u8]>> = parts.iter().map(|part| before.json_of(part, text)).collect();
            if same.iter().filter(|same| same.is_none()).count() > FEW {
                return make_all(parts, put);
            }
            let mut here = Vec::new();
            parts.iter().zip(same).enumerate().try_for_each(|(at, (part, same))| match same {
                Some(json) => put(at, json),
                None => put(at, make(part, &mut here)?),
            })
        })
    }

    pub fn json(&self) -> &Arc<Vec<u8>> {
        &self.json
    }

    fn collect(
        view: &View<'_, '_>,
        make: &mut dyn FnMut(&[GroupPart<'_, '_, '_, '_>], Put<'_>) -> io::Result<()>,
    ) -> Self {
        let mut found = Vec::new();
        let mut json = Vec::new();
        write_members(view, &mut json, &mut |parts, json| {
            json.push(b'{');
            let start = json.len();
            make(parts, &mut |at, members| {
                if json.len() > start && !members.is_empty() {
                    json.push(b',');
                }
                let from = json.len();
                json.extend_from_slice(members);
                let part = &parts[at];
                found.push(JsonPart { place: part.place(), text: part.span(), json: from..json.len() });
                Ok(())
            })?;
            json.push(b'}');
            Ok(())
        })
        .expect("a vector takes everything");
        Self { json: Arc::new(json), parts: found }
    }
}

impl<'k> KnownJson<'k, '_, '_> {
    /// The JSON of a part whose blocks are the same bytes at the same place of the group in both texts.
    fn json_of(self, part: &GroupPart<'_, '_, '_, '_>, text: &str) -> Option<&'k [u8]> {
        let place = part.place();
        let old = self.compact.parts.iter().find(|old| old.place == place)?;
        (self.text[old.text.clone()] == text[part.span()]).then(|| &self.compact.json[old.json.clone()])
    }
}

/// Writes the object of all members; `group` writes the groups that have several parts.
fn write_members<W: Write>(
    view: &View<'_, '_>,
    out: &mut W,
    group: &mut dyn FnMut(&[GroupPart<'_, '_, '_, '_>], &mut W) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"{")?;
    for (at, (key, value)) in view.shown().enumerate() {
        out.write_all(if at > 0 { b"," } else { b"" })?;
        serde_json::to_writer(&mut *out, &key)?;
        out.write_all(b":")?;
        let parts = if let TopMember::Own(own) = &value { own.parts(BLOCKS_A_PART) } else { None };
        match parts {
            Some(parts) if parts.len() > 1 => group(&parts, out)?,
            _ => serde_json::to_writer(&mut *out, &value)?,
        }
    }
    out.write_all(b"}")
}

/// Makes all parts; every second one in another thread.
fn make_all(parts: &[GroupPart<'_, '_, '_, '_>], put: Put<'_>) -> io::Result<()> {
    thread::scope(|scope| {
        let (full, filled) = sync_channel(PARTS_AHEAD);
        let (emptied, empty) = channel();
        // If no thread can be started, the channel is closed, and this thread makes all parts.
        let _ = thread::Builder::new().spawn_scoped(scope, move || make_second(parts, &full, &empty));
        let mut buffer = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let made: Option<Vec<u8>> = if at % 2 == 1 { filled.recv().ok() } else { None };
            match made {
                Some(json) => {
                    put(at, members(&json))?;
                    // The other thread uses the buffer again; if it has ended, the buffer is dropped.
                    let _ = emptied.send(json);
                }
                None => put(at, make(part, &mut buffer)?)?,
            }
        }
        Ok(())
    })
}

fn make_second(parts: &[GroupPart<'_, '_, '_, '_>], full: &SyncSender<Vec<u8>>, empty: &Receiver<Vec<u8>>) {
    for part in parts.iter().skip(1).step_by(2) {
        let mut json = empty.try_recv().unwrap_or_default();
        if make(part, &mut json).is_err() || full.send(json).is_err() {
            return;
        }
    }
}

/// Writes the members of a part into a buffer that is reused.
fn make<'j>(part: &GroupPart<'_, '_, '_, '_>, json: &'j mut Vec<u8>) -> io::Result<&'j [u8]> {
    json.clear();
    serde_json::to_writer(&mut *json, part)?;
    Ok(members(json))
}

/// The text between the braces of an object.
fn members(json: &[u8]) -> &[u8] {
    &json[1..json.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::super::{Lens, top_members};
    use super::*;
    use crate::syntax::Document;

    fn text(count: usize) -> String {
        let block = |number: usize| match number % 7 {
            0 => format!("ondemand o{number} {{ url \"a b\"; }}\n"),
            1 => format!("live l{number};\n"),
            _ => format!("stream s{number} {{ url u{number} p=1; x {number}; }}\n"),
        };
        (0..count).map(block).chain(["auth http://b;\nforeign a;\n".to_owned()]).collect()
    }

    const MANY: usize = 20 * BLOCKS_A_PART;

    #[test]
    fn it_is_what_serde_json_writes() {
        for count in [0, 1, 3, MANY + 1] {
            let document = Document::parse(text(count));
            let members = top_members(&document);
            for skip_static_streams in [false, true] {
                let lens = Lens { skip_static_streams, ..Lens::default() };
                let view = View::new(&members, &lens);
                let mut compact = Vec::new();
                write_compact(&view, &mut compact).expect("a vector takes everything");
                let expected = serde_json::to_vec(&view).expect("a view is JSON");
                assert!(compact == expected, "{count}");
                assert!(**CompactJson::of(&view).json() == expected, "{count}");
            }
        }
    }

    #[test]
    fn what_an_edit_left_alone_is_taken_over() {
        let old_text = text(MANY);
        let lens = Lens::default();
        let old = Document::parse(old_text.clone());
        let old_members = top_members(&old);
        let old_view = View::new(&old_members, &lens);
        let compact = CompactJson::of(&old_view);
        for (from, to) in [
            ("u2000 p=1", "u2000 p=2"),
            ("stream s2000 {", "stream s2000 {} stream new {"),
            ("live l1;\n", ""),
            ("http://b", "http://c"),
            ("foreign a", "foreign b"),
            ("u", "v"),
        ] {
            let document = Document::parse(old_text.replace(from, to));
            let members = top_members(&document);
            let view = View::new(&members, &lens);
            let known = KnownJson { text: &old_text, view: &old_view, compact: &compact };
            let after = CompactJson::after(document.text(), &view, known);
            assert!(**after.json() == serde_json::to_vec(&view).expect("a view is JSON"), "{from}");
            assert!(CompactJson::of(&view).parts.len() == after.parts.len(), "{from}");
        }
    }
}
