//! The sources of a stream: `url` lines, a `urls A B;` line, or the header of a one-line stream.

use serde_json::Value;

use super::align::{Alignment, ElementOrigin, align};
use super::layout::{Insertion, NewEntry, block_lines};
use super::sync::{MemberLines, Sync};
use super::words::address_said;
use crate::schema::codec::{Address, group_name, header_address as header_source, is_plural};
use crate::schema::{Parameter, SOURCE};
use crate::syntax::{Entry, Splice, Word, spliced_pieces};

/// One source and the entry it stands in.
struct Element<'d> {
    entry: Entry<'d>,
    address: Address<'d>,
}

impl<'d> Sync<'_, 'd> {
    /// Changes the sources in the block of a stream, element by element.
    pub(super) fn sources(&mut self, member: MemberLines<'_, 'd>, fresh: &[Entry<'_>]) {
        let MemberLines { within, row, entries } = member;
        let of_entry =
            |&entry: &Entry<'d>| Address::of_entry(entry).map(move |address| Element { entry, address });
        let elements: Vec<Element<'d>> = entries.iter().flat_map(of_entry).collect();
        let old: Vec<Value> = elements.iter().map(|element| value_of(&element.address)).collect();
        let alignment = align(&old, &fresh.iter().map(|&line| value_of_line(line)).collect::<Vec<_>>());
        let removed = alignment.removed();
        let is_emptied = |entry: Entry<'d>| {
            let stays = |origin: &ElementOrigin| {
                origin.in_place().is_some_and(|at| elements[at].entry.id() == entry.id())
            };
            !alignment.new.iter().any(stays)
        };
        let mut written = vec![false; fresh.len()];
        for &entry in entries {
            if is_plural(entry) && !is_emptied(entry) {
                self.split(entry, &elements, fresh, &alignment, &mut written);
            } else if is_plural(entry) || removed.iter().any(|&at| elements[at].entry.id() == entry.id()) {
                self.remove(entry);
            }
        }
        let first = alignment.new.iter().find_map(|origin| origin.in_place()).map(|at| elements[at].entry);
        let (mut previous, mut alone): (Option<Entry<'d>>, _) = (None, Vec::new());
        for (index, origin) in alignment.new.iter().enumerate() {
            if let Some(at) = origin.in_place() {
                previous = Some(elements[at].entry);
            }
            let content = match *origin {
                _ if written[index] => continue,
                ElementOrigin::Kept(_) => continue,
                ElementOrigin::Edited(at) => {
                    self.line(row, elements[at].entry, fresh[index]);
                    continue;
                }
                ElementOrigin::Moved(at) if !is_plural(elements[at].entry) => {
                    Insertion::Line(elements[at].entry)
                }
                ElementOrigin::Moved(_) | ElementOrigin::New => {
                    let like = previous.filter(|entry| !is_plural(*entry));
                    Insertion::New(NewEntry::like(fresh[index], like))
                }
            };
            alone.extend(self.put_line(within, previous, first, content));
        }
        self.add(alone, entries, true);
    }

    /// Makes a line of each element of a `urls A B;` line, if one of them changes.
    fn split(
        &mut self,
        entry: Entry<'d>,
        elements: &[Element<'d>],
        fresh: &[Entry<'_>],
        alignment: &Alignment,
        written: &mut [bool],
    ) {
        let place = |index: usize| {
            let at = alignment.new[index].in_place()?;
            (elements[at].entry.id() == entry.id()).then(|| elements[at].address.positional)
        };
        let staying: Vec<usize> = (0..fresh.len()).filter(|&index| place(index).is_some()).collect();
        let (from, to) = (staying[0], staying[staying.len() - 1]);
        let is_kept = |index: &usize| matches!(alignment.new[*index], ElementOrigin::Kept(_));
        let count = entry.count_arguments();
        if staying.iter().all(is_kept) && staying.len() == count && to - from + 1 == count {
            return;
        }
        written[from..=to].fill(true);
        let text = self.document.text();
        let joint = match self.around.begins_line(entry.start()) {
            true => format!("{}{}", self.around.newline(entry.start()), self.around.indent(entry.start())),
            false => " ".to_owned(),
        };
        let keyword = entry.words().next().expect("an entry has a keyword");
        self.splice(keyword.start as usize..keyword.end() as usize, SOURCE.address);
        let (mut end, mut is_first) = (keyword.end() as usize, true);
        let mut words = entry.arguments().peekable();
        for (index, line) in fresh.iter().enumerate().take(to + 1).skip(from) {
            let new = source_words(*line);
            let Some(word) = place(index) else {
                self.splice(end..end, format!(";{joint}{} {new}", SOURCE.address));
                continue;
            };
            let mut gap = String::new();
            let mut at = end;
            while let Some(before) = words.next_if(|before| before.start < word.start) {
                gap += &text[at..before.start as usize];
                at = before.end() as usize;
            }
            words.next();
            gap += &text[at..word.start as usize];
            let holds_comment = gap.contains('#');
            match (is_first, holds_comment) {
                (true, _) if at == end => {}
                (true, true) => self.splice(end..word.start as usize, gap),
                (true, false) => self.splice(end..word.start as usize, " "),
                (false, true) => {
                    let gap = gap.trim_end();
                    self.splice(end..word.start as usize, format!(";{gap}{joint}{} ", SOURCE.address));
                }
                (false, false) => {
                    self.splice(end..word.start as usize, format!(";{joint}{} ", SOURCE.address));
                }
            }
            (end, is_first) = (word.end() as usize, false);
            if !is_kept(&index) {
                self.splice(word.start as usize..end, new);
            }
        }
        words.for_each(|word| self.remove_word(word));
    }

    /// Changes the header of a stream that has no block; `lines` are the other lines that it is to have, and make it
    /// a block.
    pub(super) fn one_line(
        &mut self,
        row: Option<&'static Parameter>,
        entry: Entry<'d>,
        sources: &[Entry<'_>],
        lines: Vec<NewEntry>,
    ) {
        let (name, address) = (group_name(entry), header_source(entry));
        let old: Vec<Value> = address.iter().map(value_of).collect();
        let alignment = align(&old, &sources.iter().map(|&line| value_of_line(line)).collect::<Vec<_>>());
        let head = entry.head_span().end as usize;
        match (sources, &address) {
            ([], _) if lines.is_empty() => {
                if address.is_some() {
                    entry.arguments().skip(1).for_each(|word| self.remove_word(word));
                }
            }
            ([only], Some(address)) if lines.is_empty() => self.header_words(row, name, address, *only),
            _ => {
                let edits = self.operations.len();
                let stays = alignment.new.iter().position(|origin| origin.in_place().is_some());
                if let (Some(index), Some(address)) = (stays, &address) {
                    self.header_words(row, name, address, sources[index]);
                }
                let edits: Vec<Splice> =
                    self.operations.drain(edits..).filter_map(|edit| edit.into_splice()).collect();
                let block = sources.iter().enumerate().map(|(index, &line)| match (stays, &address) {
                    (Some(stays), Some(address)) if stays == index => {
                        let start = address.positional.start as usize;
                        let words = spliced_pieces(self.document.text(), start..head, &edits);
                        let head = format!("{} {}", SOURCE.address, words.collect::<String>());
                        (NewEntry { head, block: None }, true)
                    }
                    _ => (NewEntry::of(line), false),
                });
                let block: Vec<_> = block.collect();
                self.header_to_block(entry, block, lines);
            }
        }
    }

    fn header_words(
        &mut self,
        row: Option<&'static Parameter>,
        name: Word<'_>,
        old: &Address<'d>,
        fresh: Entry<'_>,
    ) {
        let address = Address::from_words(fresh.arguments()).expect("a fresh line has an address");
        self.said_words(row, name, &address_said(&SOURCE, old), &address_said(&SOURCE, &address));
    }

    /// Writes the block of a stream in the place of what stands behind its name. The comments there stay: those in front
    /// of the source behind the brace, those behind it behind its line.
    fn header_to_block(&mut self, entry: Entry<'d>, sources: Vec<(NewEntry, bool)>, lines: Vec<NewEntry>) {
        let text = self.document.text();
        let name = group_name(entry).end() as usize;
        let head = (entry.head_span().end as usize).max(name);
        let source = header_source(entry).map_or(head, |address| address.positional.start as usize);
        let semicolon = entry.end() - usize::from(entry.is_terminated());
        let stays = sources.iter().any(|(_, stays)| *stays);
        let comments = |range: std::ops::Range<usize>| {
            let gap = text[range].trim_end();
            if gap.contains('#') { gap } else { "" }
        };
        let (mut above, behind) = (comments(name..source).to_owned(), comments(head..semicolon));
        let line_end = self.around.line_end(entry.end());
        let trailing = text[entry.end()..line_end].trim_end();
        let takes_trailing = stays && trailing.trim_start().starts_with('#');
        let style = self.around.style_of(entry);
        let inner = format!("{}{}", style.indent, style.unit);
        if !stays && !behind.is_empty() {
            let joint = if above.is_empty() { "" } else { style.newline };
            above += &format!("{joint}{behind}");
        }
        let mut block = String::new();
        for (line, is_old) in &sources {
            block += &format!("{inner}{};", line.head);
            if *is_old {
                block += behind;
                if takes_trailing {
                    let joint = if behind.is_empty() { "" } else { style.newline };
                    block += &format!("{joint}{trailing}");
                }
            }
            block += style.newline;
        }
        let rest = block_lines(&lines, &style);
        let rest = rest.strip_prefix(&format!("{{{}", style.newline)).unwrap_or(&rest);
        let end = if takes_trailing { line_end } else { entry.end() };
        let range = name..end;
        self.splice(range, format!(" {{{above}{}{block}{rest}", style.newline));
    }
}

/// The words of a fresh source line.
fn source_words(line: Entry<'_>) -> String {
    line.arguments().map(|word| word.raw).collect::<Vec<_>>().join(" ")
}

fn value_of(address: &Address<'_>) -> Value {
    Value::Object(SOURCE.object(address))
}

fn value_of_line(line: Entry<'_>) -> Value {
    Address::from_words(line.arguments()).map(|address| value_of(&address)).unwrap_or_default()
}
