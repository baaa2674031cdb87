//! Writes the view as JSON on one line. Parts that an edit left alone are copied from the JSON of before.
//!
//! The costly step is lexing the words of every block again. The JSON of a block depends on its bytes, its position in the group, and the global values that every block repeats: where these
//! values are unchanged and an edit left the bytes alone, the JSON is the same but for the position.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;
use serde::Serialize;
use serde::ser::SerializeMap;

use super::view::{Globals, GroupPart, NamedBlock, TopMember, View};
use crate::schema::Kind;
use crate::syntax::{RunPlace, moved};

/// The most blocks in one part of a group: an edit of one block makes its part again.
const BLOCKS_A_PART: usize = 64;

/// In front of the position of a block. No other key in front of it, and no string, holds these bytes.
const POSITION: &[u8] = b"\"position\":";

/// Writes the bytes that `serde_json::to_writer` would write, faster.
pub fn write_compact(view: &View<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    write_members(view, out, &mut |group, out| {
        let mut separator: &[u8] = b"";
        make_all(&parts(group, group.places.clone()), &mut |_, made| {
            if !made.json.is_empty() {
                out.write_all(separator)?;
                separator = b",";
            }
            out.write_all(&made.json)
        })
    })
}

/// True if two views are the same JSON. They are compared part by part, so that no more than one is in memory.
pub fn is_same_json(old: &View<'_, '_>, new: &View<'_, '_>) -> bool {
    let mut news = new.shown();
    let is_same = |(key, value): (Cow<'_, str>, TopMember<'_, '_, '_>)| {
        news.next().is_some_and(|(other, new)| key == other && is_same_member(&value, &new))
    };
    old.shown().all(is_same) && news.next().is_none()
}

fn is_same_member(old: &TopMember<'_, '_, '_>, new: &TopMember<'_, '_, '_>) -> bool {
    if let (TopMember::Own(old), TopMember::Own(new)) = (old, new)
        && let (Some(old), Some(new)) = (old.group(), new.group())
    {
        let [mut made, mut other] = [Made::default(), Made::default()];
        let mut is_same = |(old, new): (&GroupPart<'_, '_, '_, '_>, &GroupPart<'_, '_, '_, '_>)| {
            let sides = [make(old, &mut made), make(new, &mut other)];
            let [old, new] = sides.map(|made| made.expect("a vector takes everything"));
            old.json == new.json
        };
        let [old, new] = [parts(&old, old.places.clone()), parts(&new, new.places.clone())];
        return old.len() == new.len() && old.iter().zip(&new).all(&mut is_same);
    }
    let [old, new] = [old, new].map(|value| serde_json::to_vec(value).expect("a view is JSON"));
    old == new
}

/// A whole configuration as JSON on one line, with the places of the parts of its groups in it.
#[derive(Debug)]
pub struct CompactJson {
    json: Arc<Vec<u8>>,
    globals: Globals,
    parts: Vec<JsonPart>,
}

/// Some blocks of a group.
#[derive(Debug)]
struct JsonPart {
    kind: Kind,
    /// The numbers of the entries in the document, from its first block to the end of its last.
    entries: Range<usize>,
    /// The place of its first block in the group, from 0.
    first: usize,
    /// The start of the value of each block in `json`.
    values: Vec<u32>,
    /// The members of the group.
    json: Range<usize>,
}

/// The JSON of an earlier text, from which unchanged parts are copied.
#[derive(Clone, Copy)]
pub struct KnownJson<'k> {
    /// The JSON of that text.
    pub compact: &'k CompactJson,
    /// The runs of entries that differ from that text.
    pub runs: &'k [RunPlace],
}

/// The members of a part, without braces.
#[derive(Default)]
struct Made {
    json: Vec<u8>,
    /// The start of the value of each block.
    values: Vec<u32>,
}

/// Receives each part in turn.
type Put<'p> = &'p mut dyn FnMut(&GroupPart<'_, '_, '_, '_>, &Made) -> io::Result<()>;

impl CompactJson {
    /// The JSON of a view.
    pub fn from_view(view: &View<'_, '_>) -> Self {
        Self::collect(view, None)
    }

    /// The JSON of a view, made of the JSON of an earlier text where both agree.
    pub fn after(view: &View<'_, '_>, before: KnownJson<'_>) -> Self {
        Self::collect(view, Some(before).filter(|before| before.compact.globals == *view.globals()))
    }

    /// The bytes of the JSON.
    pub fn json(&self) -> &Arc<Vec<u8>> {
        &self.json
    }

    fn collect(view: &View<'_, '_>, known: Option<KnownJson<'_>>) -> Self {
        let mut json = Vec::with_capacity(known.map_or(0, |known| known.compact.json.len()));
        let mut found = Vec::new();
        write_members(view, &mut json, &mut |group, json| {
            for piece in pieces(group, known) {
                match piece {
                    Piece::New(places) => make_all(&parts(group, places), &mut |part, made| {
                        found.push(appended(json, part, |json| {
                            json.extend_from_slice(&made.json);
                            made.values.clone()
                        }));
                        Ok(())
                    })?,
                    Piece::Known { places, part, json: known } => {
                        let first = places.start;
                        found.push(appended(json, &group.part(places), |json| part.copy(known, first, json)));
                    }
                }
            }
            Ok(())
        })
        .expect("a vector takes everything");
        Self { json: Arc::new(json), globals: view.globals().clone(), parts: found }
    }
}

/// Appends the members of a part, which `write` writes; it returns where the values start.
fn appended(
    json: &mut Vec<u8>,
    part: &GroupPart<'_, '_, '_, '_>,
    write: impl FnOnce(&mut Vec<u8>) -> Vec<u32>,
) -> JsonPart {
    if !json.ends_with(b"{") {
        json.push(b',');
    }
    let from = json.len();
    let values = write(json);
    let numbers = part.entries().iter().map(|entry| entry.numbers());
    let entries = numbers.reduce(|all, last| all.start..last.end).expect("a part has a block");
    JsonPart { kind: part.kind, entries, first: part.places.start, values, json: from..json.len() }
}

impl JsonPart {
    /// Appends these members of `known`, as those of the blocks from the place `first` on. Returns where
    /// the values start.
    fn copy(&self, known: &[u8], first: usize, json: &mut Vec<u8>) -> Vec<u32> {
        let members = &known[self.json.clone()];
        if first == self.first {
            json.extend_from_slice(members);
            return self.values.clone();
        }
        let finder = Finder::new(POSITION);
        let (start, mut copied) = (json.len(), 0);
        let mut values = Vec::with_capacity(self.values.len());
        for (place, &value) in (first..).zip(&self.values) {
            let value = value as usize;
            let found = finder.find(&members[value..]).expect("a block shows its position");
            let digits = value + found + POSITION.len();
            values.push((json.len() - start + value - copied) as u32);
            json.extend_from_slice(&members[copied..digits]);
            json.extend_from_slice((place + 1).to_string().as_bytes());
            copied = digits + members[digits..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        }
        json.extend_from_slice(&members[copied..]);
        values
    }
}

/// Some blocks of a group, by their places in it.
enum Piece<'k> {
    /// They are made.
    New(Range<usize>),
    /// They are copied.
    Known { places: Range<usize>, part: &'k JsonPart, json: &'k [u8] },
}

/// The pieces of a group: the parts that an edit left alone, and what is between them.
fn pieces<'k>(group: &GroupPart<'_, '_, '_, '_>, known: Option<KnownJson<'k>>) -> Vec<Piece<'k>> {
    let entries = group.entries();
    let (mut pieces, mut end) = (Vec::new(), 0);
    if let Some(KnownJson { compact, runs }) = known {
        for part in compact.parts.iter().filter(|part| part.kind == group.kind) {
            let Some(number) = moved(runs, part.entries.clone()) else { continue };
            let start = entries.partition_point(|entry| entry.id().index() < number);
            add_new(&mut pieces, end..start);
            end = start + part.values.len();
            pieces.push(Piece::Known { places: start..end, part, json: &compact.json });
        }
    }
    add_new(&mut pieces, end..entries.len());
    pieces
}

/// Adds new blocks. A small part in front is made again with them, so that parts do not become many.
fn add_new(pieces: &mut Vec<Piece<'_>>, mut new: Range<usize>) {
    if new.is_empty() {
        return;
    }
    if let Some(Piece::Known { places, .. }) = pieces.last()
        && new.end - places.start <= BLOCKS_A_PART
    {
        new.start = places.start;
        pieces.pop();
    }
    pieces.push(Piece::New(new));
}

/// The parts of a group in which the blocks at `places` are made.
fn parts<'o, 'v, 'a, 'd>(
    group: &GroupPart<'o, 'v, 'a, 'd>,
    places: Range<usize>,
) -> Vec<GroupPart<'o, 'v, 'a, 'd>> {
    let starts = places.clone().step_by(BLOCKS_A_PART);
    starts.map(|start| group.part(start..places.end.min(start + BLOCKS_A_PART))).collect()
}

/// Writes the object of all members; `group` writes the members of each group.
fn write_members<W: Write>(
    view: &View<'_, '_>,
    out: &mut W,
    group: &mut dyn FnMut(&GroupPart<'_, '_, '_, '_>, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"{")?;
    for (index, (key, value)) in view.shown().enumerate() {
        out.write_all(if index > 0 { b"," } else { b"" })?;
        serde_json::to_writer(&mut *out, &key)?;
        out.write_all(b":")?;
        let blocks = if let TopMember::Own(own) = &value { own.group() } else { None };
        match blocks {
            Some(blocks) => {
                out.write_all(b"{")?;
                group(&blocks, out)?;
                out.write_all(b"}")?;
            }
            None => serde_json::to_writer(&mut *out, &value)?,
        }
    }
    out.write_all(b"}")
}

/// Makes all parts, one after the other.
fn make_all(parts: &[GroupPart<'_, '_, '_, '_>], put: Put<'_>) -> io::Result<()> {
    let mut buffer = Made::default();
    parts.iter().try_for_each(|part| put(part, make(part, &mut buffer)?))
}

/// Writes the members of a part into a buffer that is reused.
fn make<'m>(part: &GroupPart<'_, '_, '_, '_>, made: &'m mut Made) -> io::Result<&'m Made> {
    let Made { json, values } = made;
    json.clear();
    values.clear();
    let mut written = vec![None; part.kind.scope().rows().count()];
    part.each_block(|name, block| {
        json.extend_from_slice(if json.is_empty() { b"" } else { b"," });
        serde_json::to_writer(&mut *json, name)?;
        json.push(b':');
        values.push(json.len() as u32);
        write_block(block, json, &mut written)
    })?;
    Ok(made)
}

/// The setting of each row that was shown last: its text, which is empty if it was not set, and the place of its JSON.
///
/// The JSON of a setting depends on its text and on the global values, and most settings of a block stand in the block
/// before it, too.
type Written<'d> = Vec<Option<(&'d str, Range<usize>)>>;

fn write_block<'d>(
    block: &NamedBlock<'_, 'd>,
    json: &mut Vec<u8>,
    written: &mut Written<'d>,
) -> serde_json::Result<()> {
    json.push(b'{');
    for (parameter, entries) in block.own() {
        let text = parameter.shape.is_setting().then(|| entries.last().map_or("", |entry| entry.text()));
        let last = &mut written[usize::from(parameter.number)];
        match (text, &last) {
            (Some(text), Some((same, range))) if text == *same => {
                json.extend_from_within(range.clone());
                json.push(b',');
            }
            _ => {
                let start = json.len();
                block.write_own(parameter, entries, &mut JsonMembers(json))?;
                // The comma behind the last member goes.
                if json.len() > start {
                    *last = text.map(|text| (text, start..json.len() - 1));
                }
            }
        }
    }
    block.write_foreign(&mut JsonMembers(json))?;
    json.pop_if(|last| *last == b',');
    json.push(b'}');
    Ok(())
}

/// Writes members with a comma behind each.
struct JsonMembers<'j>(&'j mut Vec<u8>);

impl SerializeMap for JsonMembers<'_> {
    type Ok = ();
    type Error = serde_json::Error;

    fn serialize_key<K: Serialize + ?Sized>(&mut self, key: &K) -> Result<(), Self::Error> {
        serde_json::to_writer(&mut *self.0, key)?;
        self.0.push(b':');
        Ok(())
    }

    fn serialize_value<V: Serialize + ?Sized>(&mut self, value: &V) -> Result<(), Self::Error> {
        serde_json::to_writer(&mut *self.0, value)?;
        self.0.push(b',');
        Ok(())
    }

    fn end(self) -> Result<(), Self::Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lens, top_members};
    use super::*;
    use crate::syntax::{Document, Splice, work};

    fn text(count: usize) -> String {
        let block = |number: usize| match number % 7 {
            0 => format!("ondemand o{number} {{ url \"a b\"; }}\n"),
            1 => format!("live l{number};\n"),
            2 => format!("plugin p{number} {{ position 7; }}\n"),
            _ => format!("stream s{number} {{ url u{number} p=1; x {number}; }}\n"),
        };
        (0..count).map(block).chain(["auth http://b;\nforeign a;\n".to_owned()]).collect()
    }

    const MANY: usize = 80 * BLOCKS_A_PART;

    #[test]
    fn equal_json_is_the_same_and_no_other() {
        let is_same = |texts: [&str; 2]| {
            let documents = texts.map(Document::parse);
            let members = documents.each_ref().map(top_members);
            let lens = Lens::default();
            let [old, new] = members.each_ref().map(|members| View::new(members, &lens));
            is_same_json(&old, &new)
        };
        let long = text(MANY);
        for (old, new, expected) in [
            (&*long, long.replace("\n", "\n  "), true),
            (&*long, long.replacen("x 4;", "x 5;", 1), false),
            (&*long, format!("{long}stream last;"), false),
            ("a 1;", "a 1; b 2;".to_owned(), false),
            ("http 80;", "http 81;".to_owned(), false),
            ("", String::new(), true),
        ] {
            assert_eq!(is_same([old, &new]), expected, "{new:.40}");
            assert_eq!(is_same([&new, old]), expected, "{new:.40}");
        }
    }

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
                if !skip_static_streams {
                    assert!(**CompactJson::from_view(&view).json() == expected, "{count}");
                }
            }
        }
    }

    #[test]
    fn a_block_shows_its_own_settings_behind_others() {
        let bodies = [
            "prepush 5; title a; dvr /a 1d; auth http://a x=1; x 1;",
            "prepush 5; title b; x 1;",
            "dvr /a 1d; prepush 5; auth http://a x=1; auth http://b;",
            "transcoder; prepush \"5\"; dvr /a 2d; title a; prepush 6;",
            "dvr /a 2d; title a; dvr /a 1d; prepush 5 { a; }",
            "",
        ];
        let keywords = ["stream", "live", "ondemand", "plugin"].iter().cycle();
        let orders = (0..bodies.len().pow(2)).flat_map(|order| [order % bodies.len(), order / bodies.len()]);
        let blocks = orders.zip(keywords).enumerate();
        let blocks: String = blocks
            .map(|(number, (body, keyword))| format!("{keyword} n{number} {{ {} }}\n", bodies[body]))
            .collect();
        for globals in ["", "auth http://b;\ncluster_key k;\n"] {
            let document = Document::parse(format!("{globals}{blocks}"));
            let members = top_members(&document);
            for own_only in [false, true] {
                let lens = Lens { own_only, ..Lens::default() };
                let view = View::new(&members, &lens);
                let mut compact = Vec::new();
                write_compact(&view, &mut compact).expect("a vector takes everything");
                let expected = serde_json::to_vec(&view).expect("a view is JSON");
                assert_eq!(String::from_utf8(compact), String::from_utf8(expected), "{own_only} {globals}");
            }
        }
    }

    /// The text in which each of the first strings stands once, or everywhere, with the second in its
    /// place.
    fn splices(text: &str, changes: &[(&str, &str)]) -> Vec<Splice> {
        let mut splices: Vec<Splice> = changes
            .iter()
            .flat_map(|(from, to)| {
                text.match_indices(from)
                    .map(|(at, from)| Splice { range: at..at + from.len(), text: (*to).into() })
            })
            .collect();
        splices.sort_by_key(|splice| splice.range.start);
        splices
    }

    #[test]
    fn what_an_edit_left_alone_is_taken_over() {
        let lens = Lens::default();
        let mut document = Document::parse(text(MANY));
        let mut compact = CompactJson::from_view(&View::new(&top_members(&document), &lens));
        let few = 2 * BLOCKS_A_PART;
        for (changes, most) in [
            (&[("u2000 p=1", "u2000 p=2")][..], BLOCKS_A_PART),
            (&[("stream s2005 {", "stream s2005 {} stream new {")], BLOCKS_A_PART + 1),
            (&[("stream s3 { url u3 p=1; x 3; }\n", "")], BLOCKS_A_PART),
            (&[("live l1;\n", "")], BLOCKS_A_PART),
            (&[("auth http://b;\n", "stream z;\nauth http://b;\n")], BLOCKS_A_PART),
            (&[("auth http://b;\n", "stream zz;\nauth http://b;\n")], BLOCKS_A_PART),
            (&[("foreign a", "foreign b")], BLOCKS_A_PART),
            (&[("x 4;", "x 5;"), ("p4001 {", "p4001x {"), ("live l5118;\n", "")], 3 * few),
            (&[("http://b", "http://c")], MANY),
            (&[("u", "v")], MANY),
        ] {
            let (new, runs) = document.edited(&splices(document.text(), changes));
            let members = top_members(&new);
            let view = View::new(&members, &lens);
            let mut after = None;
            let read = work::measure(|| {
                after = Some(CompactJson::after(&view, KnownJson { compact: &compact, runs: &runs }))
            });
            let after = after.expect("it was made");
            assert!(**after.json() == serde_json::to_vec(&view).expect("a view is JSON"), "{changes:?}");
            assert!(read <= 20 * most, "{changes:?}: {read} words and entries");
            assert!(after.parts.len() < MANY / BLOCKS_A_PART + 10, "{changes:?}: {}", after.parts.len());
            (document, compact) = (new, after);
        }
    }
}
