//! Turns changes of entries into splices of the text, with the indentation, the line ends and the
//! blank lines of the neighbouring entries.

use std::collections::BTreeMap;
use std::ops::Range;

use foldhash::HashSet;

use super::surroundings::{Leave, Style, Surroundings, chunk, counts_as_block, end_with_stray};
use crate::syntax::{Entry, EntryId, Splice, WHITE, Word, spliced};

/// The place for a new or moved entry.
#[derive(Debug, Clone, Copy)]
pub enum Anchor<'d> {
    /// Behind this entry.
    After(Entry<'d>),
    /// In front of this entry.
    Before(Entry<'d>),
    /// In front of this entry and its own comments, below the heading of its group.
    BeforeComments(Entry<'d>),
    /// In front of all comments directly above this entry.
    BeforeHeading(Entry<'d>),
    /// At the start of the block of this entry.
    FirstIn(Entry<'d>),
    /// At the end of the text.
    End,
}

/// The entry that is put at a place.
pub enum Insertion<'d> {
    /// A new entry.
    New(NewEntry),
    /// An existing entry that moves with its own comments and the one on its line, or a copy of a block under another name.
    Old(Entry<'d>, Option<String>),
}

/// An insertion of a new entry, or the move of an existing one.
pub struct Put<'d> {
    /// The entry whose block it is put into; `None` at top level.
    pub within: Option<Entry<'d>>,
    /// The place in the block.
    pub place: Anchor<'d>,
    /// The entry that is put there.
    pub content: Insertion<'d>,
    /// The number of blank lines between it and its neighbour.
    pub blank_lines: usize,
}

/// A new entry, before it is laid out: its lines, each with the number of blocks of it around the line. The first one has
/// its words as they are written, the keyword first.
#[derive(Debug, Clone, Default)]
pub struct NewEntry(Vec<(usize, String)>);

impl NewEntry {
    /// A new entry with the words of this one, which was written for it.
    pub fn of(entry: Entry<'_>) -> Self {
        Self::like(entry, None)
    }

    /// The same with the keyword of another line, if there is one.
    pub fn like(entry: Entry<'_>, like: Option<Entry<'_>>) -> Self {
        let mut new = Self::default();
        new.add(0, entry, like.unwrap_or(entry));
        new
    }

    fn add(&mut self, depth: usize, entry: Entry<'_>, like: Entry<'_>) {
        let words = like.words().take(1).chain(entry.arguments()).map(|word| word.raw);
        let end = if entry.is_block() { " {" } else { ";" };
        self.0.push((depth, words.collect::<Vec<_>>().join(" ") + end));
        entry.children().for_each(|inner| self.add(depth + 1, inner, inner));
        self.0.extend(entry.is_block().then(|| (depth, "}".to_owned())));
    }

    /// The number of its lines; more than one for a block.
    pub fn lines(&self) -> usize {
        self.0.len()
    }

    /// Writes it on lines of this style, without the last line end, or on one line.
    fn text(&self, style: Option<&Style<'_>>) -> String {
        let Some(Style { indent, unit, newline }) = style else {
            return self.0.iter().map(|(_, line)| &**line).collect::<Vec<_>>().join(" ");
        };
        let line = |(depth, line): &(usize, String)| format!("{indent}{}{line}", unit.repeat(*depth));
        self.0.iter().map(line).collect::<Vec<_>>().join(newline)
    }

    /// Writes its block, from behind the `{` on.
    pub fn inside(&self, style: &Style<'_>) -> String {
        let text = self.text(Some(style));
        text[style.indent.len() + self.0[0].1.len()..].to_owned()
    }
}

/// The changes of a text, and where they are made.
pub struct Layout<'a, 'd> {
    around: &'a Surroundings<'d>,
    removed: Vec<Range<usize>>,
    /// What is removed inside blocks that move.
    removed_inside: Vec<Range<usize>>,
    /// By the range that each replaces, then by their number.
    splices: BTreeMap<(usize, usize, usize), String>,
    /// Entries whose missing `;` was supplied.
    terminated: HashSet<EntryId>,
}

impl<'a, 'd> Layout<'a, 'd> {
    /// Carries out changes. Returns the splices in the order of the text, and the ranges that are removed for good, with
    /// the comments in them.
    pub fn edits(
        around: &'a Surroundings<'d>,
        leaving: BTreeMap<EntryId, (Entry<'d>, Leave)>,
        splices: Vec<Splice>,
        puts: &[Put<'d>],
    ) -> (Vec<Splice>, Vec<Range<usize>>) {
        let (mut gone, mut outer_end) = (Vec::new(), 0);
        // Entries that are moved out of a moving block are cut out of the moved text.
        let (inner, leaving): (Vec<_>, Vec<_>) = leaving.into_values().partition(|(entry, _)| {
            let is_inside = entry.end() < outer_end;
            outer_end = if entry.is_block() { outer_end.max(entry.end()) } else { outer_end };
            is_inside
        });
        let mut layout = Self {
            around,
            removed: around.ranges(&leaving, &mut gone),
            removed_inside: around.ranges(&inner, &mut gone),
            splices: BTreeMap::new(),
            terminated: HashSet::default(),
        };
        layout.removed_inside.clone().into_iter().for_each(|range| layout.push(range, ""));
        splices.into_iter().for_each(|splice| layout.push(splice.range, splice.text));
        puts.iter().for_each(|put| layout.put(put));
        let removed = std::mem::take(&mut layout.removed);
        // Splices inside a moved range were applied to the moved text.
        layout.splices.retain(|&(start, end, _), _| {
            let next = removed.get(removed.partition_point(|range| range.end <= start));
            next.is_none_or(|next| end <= next.start)
        });
        removed.into_iter().for_each(|range| layout.push(range, ""));
        let made = layout.splices.into_iter();
        (made.map(|((start, end, _), text)| Splice { range: start..end, text }).collect(), gone)
    }

    fn push(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.splices.insert((range.start, range.end, self.splices.len()), text.into());
    }

    fn put(&mut self, Put { within, place, content, blank_lines }: &Put<'d>) {
        let sibling =
            if let Anchor::After(entry) | Anchor::Before(entry) = *place { Some(entry) } else { None };
        if let Anchor::After(anchor) = *place
            && !anchor.is_terminated()
            && self.terminated.insert(anchor.id())
        {
            self.push(anchor.end()..anchor.end(), ";");
        }
        let (around, text) = (self.around, self.around.text());
        let mut style = self.style(*within, sibling);
        let newline = style.newline.to_owned();
        let one_line = within.is_some_and(|block| around.is_one_line(block));
        let needs_own_line = || match content {
            _ if one_line => false,
            Insertion::New(fresh) => fresh.lines() > 2,
            Insertion::Old(entry, _) => counts_as_block(*entry) || text[chunk(around, *entry)].contains('#'),
        };
        let (own_line, nothing) = (format!("{newline}{}", style.indent), String::new());
        // The place, the text in front of the entry and behind it, and whether it stands on a line with others.
        let (offset, before, behind, inline) = match *place {
            Anchor::After(anchor) => match self.behind_on_line(anchor.end()) {
                // The new text goes in front of the line end, and brings a line end of its own.
                (at, None) => (at, around.newline(at).repeat(1 + blank_lines), nothing, false),
                (at, byte) if needs_own_line() => {
                    // A `}` is no part of what the block holds.
                    let around_it = within.filter(|_| byte == Some(b'}'));
                    let close = |block: Entry<'_>| format!("{newline}{}", around.indent(block.start()));
                    let behind = around_it.map_or(own_line, close);
                    (at, newline, behind, false)
                }
                (at, _) => (end_with_stray(text, at), " ".to_owned(), nothing, true),
            },
            Anchor::Before(anchor) if !around.begins_line(anchor.start()) => match content {
                // The comment on its line comes with it.
                Insertion::Old(..) if needs_own_line() => (anchor.start(), newline, own_line, false),
                _ => (anchor.start(), nothing, " ".to_owned(), true),
            },
            Anchor::BeforeComments(anchor) if !around.begins_line(anchor.start()) => {
                (anchor.start(), newline, own_line, false)
            }
            Anchor::Before(anchor) | Anchor::BeforeComments(anchor) | Anchor::BeforeHeading(anchor) => {
                let line_start = around.line_start(anchor.start());
                let offset = match place {
                    _ if !around.begins_line(anchor.start()) => anchor.start(),
                    Anchor::BeforeComments(_) => around.own_comments(anchor),
                    Anchor::BeforeHeading(_) => around.attached_comments(line_start),
                    _ => line_start,
                };
                (offset, nothing, newline.repeat(1 + blank_lines), false)
            }
            Anchor::FirstIn(block) if one_line => {
                let behind = if block.body().is_empty() { " " } else { "" };
                (block.body().start, " ".to_owned(), behind.to_owned(), true)
            }
            Anchor::FirstIn(block) => (self.behind_on_line(block.body().start).0, newline, nothing, false),
            Anchor::End => match self.end_of_content() {
                Some(offset) => {
                    style.newline = around.newline(offset);
                    (offset, style.newline.repeat(1 + blank_lines), nothing, false)
                }
                None => {
                    let ends_line = self.removed.is_empty() || text.ends_with('\n');
                    (around.text_start(), nothing, if ends_line { newline } else { String::new() }, false)
                }
            },
        };
        let text = self.text(content, Some(&style).filter(|_| !inline));
        self.push(offset..offset, format!("{before}{text}{behind}"));
    }

    /// The end of the last line that stays and is not blank: blank lines at the end of a file stay there.
    fn end_of_content(&self) -> Option<usize> {
        let text = self.around.text();
        let content = |end: usize| text[..end].trim_end_matches(WHITE).len();
        let mut end = content(text.len());
        for range in self.removed.iter().rev() {
            if range.end < end {
                break;
            }
            end = end.min(content(range.start));
        }
        // What was removed may end on another line.
        (end > self.around.text_start()).then(|| self.behind_on_line(end).0)
    }

    /// Returns the byte that follows `anchor_end` on its line once the removed entries are gone, but for blanks and a
    /// comment, and its own place; without one the end of the line.
    fn behind_on_line(&self, anchor_end: usize) -> (usize, Option<u8>) {
        let (mut at, mut rest) = (anchor_end, anchor_end);
        loop {
            let next_end = |removed: &[Range<usize>]| {
                let next = removed.get(removed.partition_point(|range| range.end <= at))?;
                (anchor_end..=at).contains(&next.start).then_some(next.end)
            };
            if let Some(end) = next_end(&self.removed).or_else(|| next_end(&self.removed_inside)) {
                (at, rest) = (end, end);
                continue;
            }
            match self.around.text().as_bytes().get(at) {
                None | Some(b'\n' | b'#') => return (self.around.line_end(rest), None),
                Some(b' ' | b'\t' | b'\r' | b';') => at += 1,
                Some(byte) => return (anchor_end, Some(*byte)),
            }
        }
    }

    /// The style of an entry in a block; at top level it stands at column 0, where other tools grep for it.
    fn style(&self, within: Option<Entry<'d>>, sibling: Option<Entry<'d>>) -> Style<'d> {
        let around = self.around;
        let newline_at = sibling.or(within).map_or(around.text().len(), |entry| entry.start());
        let unit = within.and_then(|block| around.unit_of(block)).unwrap_or_else(|| around.unit());
        let is_on_line_in =
            |block: Entry<'_>, entry: Entry<'_>| around.line_start(entry.start()) > block.body().start;
        let indent = match (within, sibling) {
            (None, _) => String::new(),
            (Some(block), Some(entry)) if is_on_line_in(block, entry) => around.indent(entry.start()).into(),
            (Some(block), _) => format!("{}{unit}", around.indent(block.start())),
        };
        Style { indent, unit, newline: around.newline(newline_at) }
    }

    /// Writes an entry on lines of this style, or on a line with others.
    fn text(&self, content: &Insertion<'d>, style: Option<&Style<'_>>) -> String {
        match content {
            Insertion::New(fresh) => fresh.text(style),
            Insertion::Old(entry, name) => {
                let alone = entry.start()..entry.end();
                let chunk = style.map_or(alone, |_| chunk(self.around, *entry));
                let text = self.moved(chunk.start..entry.end(), *entry, name.as_deref());
                let terminator = if entry.is_terminated() { "" } else { ";" };
                let style = style.filter(|_| chunk.start == entry.start());
                let indent = style.map_or("", |style| &style.indent);
                format!("{indent}{text}{terminator}{}", &self.around.text()[entry.end()..chunk.end])
            }
        }
    }

    /// A range of the text, with the splices inside it applied, or the block in it under another name.
    fn moved(&self, range: Range<usize>, block: Entry<'_>, name: Option<&str>) -> String {
        let text = self.around.text();
        if let Some(name) = name {
            let old = block.group_name();
            let (before, behind) = (range.start..old.start as usize, old.end() as usize..range.end);
            return format!("{}{}{}", &text[before], Word::write(name), &text[behind]);
        }
        let near = self.splices.range((range.start, 0, 0)..=(range.end, usize::MAX, usize::MAX));
        // Insertions at either end of a moved range belong to the neighbours that stay.
        let is_inside = |start, end| start < end || range.start < start && end < range.end;
        let inside = near.filter(|&(&(start, end, _), _)| end <= range.end && is_inside(start, end));
        let splices = inside.map(|(&(start, end, _), text)| Splice { range: start..end, text: text.clone() });
        spliced(text, range.clone(), &splices.collect::<Vec<_>>()).collect()
    }
}
