//! The sources of a stream: `url` lines, a `urls A B;` line, or the header of a one-line stream.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::words::{WordEdits, writable_options};
use super::{NewSetting, Planner};
use crate::edit::align::{Alignment, ElementOrigin, align};
use crate::edit::emit::{self, Draft};
use crate::edit::fault::Faults;
use crate::edit::json_pointer::Pointer;
use crate::edit::layout::Insertion;
use crate::model::setting_view::{entry_sources, is_plural};
use crate::model::shape::{Address, header_source};
use crate::schema::SOURCE;
use crate::syntax::{Entry, EntryId, Splice, spliced_pieces};

/// One source and the entry it stands in.
struct Element<'d> {
    entry: Entry<'d>,
    address: Address<'d>,
}

impl<'d> Planner<'_, 'd> {
    /// Plans the change to the list `target` in the block of a stream, element by element.
    pub(super) fn sources(
        &mut self,
        within: Option<Entry<'d>>,
        entries: &[Entry<'d>],
        target: &Value,
        pointer: &Pointer,
    ) {
        let elements: Vec<Element<'d>> = entries
            .iter()
            .flat_map(|&entry| entry_sources(entry).map(move |address| Element { entry, address }))
            .collect();
        let old: Vec<Value> = elements.iter().map(|element| value_of(&element.address)).collect();
        let empty = Vec::new();
        let new = target.as_array().unwrap_or(&empty);
        let alignment = align(&old, new);
        let split = self.split_plurals(entries, &elements, &alignment, new, pointer);
        self.remove_elements(&elements, &alignment, &split);
        let first =
            alignment.new.iter().find_map(|origin| origin.in_place()).map(|index| elements[index].entry);
        let mut previous: Option<Entry<'d>> = None;
        let mut alone = Vec::new();
        for (index, origin) in alignment.new.iter().enumerate() {
            if let Some(place) = origin.in_place() {
                previous = Some(elements[place].entry);
            }
            if split.written[index] {
                continue;
            }
            match *origin {
                ElementOrigin::Kept(_) => {}
                ElementOrigin::Edited(place) => {
                    self.edit_source(&elements[place], &new[index], &pointer.child(index))
                }
                ElementOrigin::Moved(place) if !is_plural(elements[place].entry) => {
                    let line = Insertion::Line(elements[place].entry.id());
                    alone.extend(self.put_element(within, previous, first, line));
                }
                ElementOrigin::Moved(_) | ElementOrigin::New => {
                    self.faults.add(writable_options(&SOURCE, &new[index], &pointer.child(index)));
                    let draft = emit::address(&SOURCE, &keyword_behind(previous), &new[index]);
                    alone.extend(self.put_element(within, previous, first, Insertion::New(draft)));
                }
            }
        }
        if !alone.is_empty() {
            self.pending.push(NewSetting { drafts: alone, like: Vec::new(), first: true });
        }
    }

    fn edit_source(&mut self, element: &Element<'d>, target: &Value, pointer: &Pointer) {
        let mut edits = WordEdits::new(element.entry);
        match SOURCE.edit(&mut edits, &element.address, target, pointer) {
            Ok(()) => self.rewrite(edits.finish()),
            Err(faults) => self.faults.add(faults),
        }
    }

    fn remove_elements(&mut self, elements: &[Element<'d>], alignment: &Alignment, split: &Split) {
        for index in alignment.removed() {
            let entry = elements[index].entry;
            if !is_plural(entry) || split.emptied.contains(&entry.id()) {
                self.remove(entry);
            }
        }
    }

    /// Replaces each `urls A B;` line of which an element changes by one line for each element.
    fn split_plurals(
        &mut self,
        entries: &[Entry<'d>],
        elements: &[Element<'d>],
        alignment: &Alignment,
        new: &[Value],
        pointer: &Pointer,
    ) -> Split {
        let mut split = Split { written: vec![false; new.len()], emptied: HashSet::new() };
        let mut plurals = plurals(elements, alignment);
        for &entry in entries.iter().filter(|&&entry| is_plural(entry)) {
            let plural = plurals.remove(&entry.id()).unwrap_or_default();
            let (Some(&from), Some(&to)) = (plural.staying.first(), plural.staying.last()) else {
                split.emptied.insert(entry.id());
                if plural.moves {
                    self.remove(entry);
                }
                continue;
            };
            let unchanged = plural
                .staying
                .iter()
                .all(|&pointer| matches!(alignment.new[pointer], ElementOrigin::Kept(_)));
            if unchanged && plural.staying.len() == plural.count && to - from + 1 == plural.count {
                continue;
            }
            split.written[from..=to].fill(true);
            for (index, element) in new.iter().enumerate().take(to + 1).skip(from) {
                self.faults.add(writable_options(&SOURCE, element, &pointer.child(index)));
            }
            self.rewrite(vec![self.split_line(entry, &new[from..=to])]);
        }
        split
    }

    fn split_line(&self, entry: Entry<'d>, sources: &[Value]) -> Splice {
        let around = &self.around;
        let lines: Vec<String> =
            sources.iter().map(|element| emit::address(&SOURCE, SOURCE.keyword, element).inline()).collect();
        let separator = if around.begins_line(entry.start()) {
            format!("{}{}", around.newline(entry.start()), around.indent(entry.start()))
        } else {
            " ".to_owned()
        };
        Splice { range: entry.start()..entry.end(), text: lines.join(&separator) }
    }
}

/// The future of `urls A B;` lines.
struct Split {
    /// True for each new element that is written in the place of such a line.
    written: Vec<bool>,
    /// The lines of which no element stays.
    emptied: HashSet<EntryId>,
}

/// The elements of one `urls A B;` line.
#[derive(Default)]
struct Plural {
    /// The number of them.
    count: usize,
    /// The new places of those that stay.
    staying: Vec<usize>,
    /// True if one of them moves.
    moves: bool,
}

fn plurals(elements: &[Element<'_>], alignment: &Alignment) -> HashMap<EntryId, Plural> {
    let mut plurals: HashMap<EntryId, Plural> = HashMap::new();
    let place = |index: usize| elements[index].entry.id();
    (0..elements.len()).for_each(|index| plurals.entry(place(index)).or_default().count += 1);
    for (at, origin) in alignment.new.iter().enumerate() {
        match *origin {
            ElementOrigin::Kept(index) | ElementOrigin::Edited(index) => {
                plurals.entry(place(index)).or_default().staying.push(at);
            }
            ElementOrigin::Moved(index) => plurals.entry(place(index)).or_default().moves = true,
            ElementOrigin::New => {}
        }
    }
    plurals
}

/// A new line copies the keyword of the line above.
fn keyword_behind(previous: Option<Entry<'_>>) -> String {
    previous
        .filter(|entry| !is_plural(*entry))
        .and_then(|entry| entry.words().next())
        .map_or_else(|| SOURCE.keyword.to_owned(), |keyword| keyword.raw.to_owned())
}

fn value_of(address: &Address<'_>) -> Value {
    Value::Object(SOURCE.object(address))
}

/// The change of the source in a one-line header.
pub(super) enum Header {
    /// It can stay there.
    Edits(Vec<Splice>),
    /// It goes into a block, with these lines.
    Lines(Vec<Draft>),
}

/// Plans the change to the list `target` from the header of a one-line stream.
pub(super) fn header(
    entry: Entry<'_>,
    target: &Value,
    needs_block: bool,
    pointer: &Pointer,
) -> Result<Header, Faults> {
    let empty = Vec::new();
    let new = target.as_array().unwrap_or(&empty);
    let address = header_source(entry);
    let old: Vec<Value> = address.iter().map(value_of).collect();
    let alignment = align(&old, new);
    let edits_of = |target: &Value, pointer: &Pointer| -> Result<Vec<Splice>, Faults> {
        let mut edits = WordEdits::new(entry);
        if let Some(address) = &address {
            SOURCE.edit(&mut edits, address, target, pointer)?;
        }
        Ok(edits.finish())
    };
    match (new.as_slice(), &address) {
        ([], Some(_)) if !needs_block => return Ok(Header::Edits(vec![without_source(entry)])),
        ([], None) if !needs_block => return Ok(Header::Edits(Vec::new())),
        ([only], Some(_)) if !needs_block => return Ok(Header::Edits(edits_of(only, &pointer.child(0))?)),
        _ => {}
    }
    let mut lines = Vec::new();
    for (index, origin) in alignment.new.iter().enumerate() {
        lines.push(match origin {
            ElementOrigin::New => {
                writable_options(&SOURCE, &new[index], &pointer.child(index)).into_result(())?;
                emit::address(&SOURCE, SOURCE.keyword, &new[index])
            }
            _ => raw_line(entry, &edits_of(&new[index], &pointer.child(index))?),
        });
    }
    Ok(Header::Lines(lines))
}

/// The words of the source in the header, with the edits applied.
fn raw_line(entry: Entry<'_>, edits: &[Splice]) -> Draft {
    let text = entry.document().text();
    let start = header_source(entry).map_or(entry.end(), |address| address.positional.start as usize);
    let end = (entry.head_span().end as usize).max(start);
    let words: String = spliced_pieces(text, start..end, edits).collect();
    Draft { head: format!("{} {words}", SOURCE.keyword), block: None }
}

fn without_source(entry: Entry<'_>) -> Splice {
    let name = crate::model::shape::group_name(entry);
    Splice { range: name.end() as usize..entry.head_span().end as usize, text: "".into() }
}
