//! Puts streams, lives and plugins that a text lost back into it, with the bytes that they had.

use std::collections::{BTreeMap, HashMap};

use super::neighbours::is_group;
use super::removal::block_chunk;
use super::surroundings::Surroundings;
use crate::model::shape::group_name;
use crate::schema::{Kind, Schema};
use crate::syntax::{Document, Entry, Splice};

/// Returns `document` with the blocks of `old` that are `wanted`, each with its comments, and behind the entry that it
/// stood behind in `old`. One that shares a line with others is left out.
pub fn put_back(document: &Document, old: &Document, wanted: impl Fn(Kind, &str) -> bool) -> Document {
    let [around, around_old] = [document, old].map(Surroundings::new);
    let present: HashMap<String, Entry<'_>> = keyed(document).collect();
    let mut places: BTreeMap<usize, String> = BTreeMap::new();
    let mut above = None;
    for (key, entry) in keyed(old) {
        match (present.get(&key), kind(entry)) {
            (Some(there), _) => above = Some(*there),
            (None, Some(kind)) if wanted(kind, &group_name(entry).value()) => {
                let place = above.map_or(Some(around.text_start()), |above| behind(&around, above));
                if let (Some(place), Some(lines)) = (place, block_lines(&around_old, entry)) {
                    places.entry(place).or_default().push_str(&lines);
                }
            }
            _ => {}
        }
    }
    let splices = places.into_iter().map(|(at, text)| {
        let is_cut = at > around.text_start() && !document.text()[..at].ends_with('\n');
        let text = if is_cut { format!("{}{text}", around.newline(at)) } else { text };
        Splice { range: at..at, text }
    });
    document.edited(&splices.collect::<Vec<_>>())
}

/// The entries with their identity in both texts: the name of a block, else the keyword and its number.
fn keyed(document: &Document) -> impl Iterator<Item = (String, Entry<'_>)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    document.entries().map(move |entry| {
        let key = match kind(entry) {
            Some(kind) => format!("{} {}", kind.key(), group_name(entry).value()),
            None => {
                let count = counts.entry(entry.keyword().into_owned()).or_default();
                *count += 1;
                format!("{} #{count}", entry.keyword())
            }
        };
        (key, entry)
    })
}

fn kind(entry: Entry<'_>) -> Option<Kind> {
    let keyword = entry.keyword();
    let known = Schema::media().top().by_keyword(&keyword).filter(|_| is_group(entry))?;
    known.codec.facts().group
}

/// Returns the start of the line behind an entry, unless something else stands on its last line.
fn behind(around: &Surroundings<'_>, entry: Entry<'_>) -> Option<usize> {
    let rest = around.document().text()[entry.end()..around.line_end(entry.end())].trim_start();
    (rest.is_empty() || rest.starts_with('#')).then(|| around.next_line(entry.end()))
}

/// The lines of a block with its comments and the blank lines above it, or below it, if it is the first entry.
fn block_lines(around: &Surroundings<'_>, entry: Entry<'_>) -> Option<String> {
    let text = around.document().text();
    let chunk = block_chunk(around, entry);
    let is_whole = around.begins_line(chunk.start) && chunk.end == around.line_end(chunk.end);
    if !is_whole {
        return None;
    }
    let start = around.blank_lines_above(around.line_start(chunk.start)).start;
    let mut end = around.next_line(chunk.end);
    if start == around.text_start() {
        end = around.blank_lines_below(end);
    }
    let line_end = if text[..end].ends_with('\n') { "" } else { around.newline(end) };
    Some(format!("{}{line_end}", &text[start..end]))
}
