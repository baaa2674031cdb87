//! Turns changes of entries into splices of the text, with the indentation, the line ends and the
//! blank lines of the neighbouring entries.

use std::collections::BTreeMap;
use std::ops::Range;

use super::surroundings::{Style, Surroundings, chunk, counts_as_block};
use crate::syntax::{Entry, Splice, Word};

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
#[derive(Debug, Clone)]
pub enum Insertion<'d> {
    /// A new entry.
    New(NewEntry),
    /// An existing entry that moves with its own comments and the one on its line, or a copy of a block under another name.
    Old(Entry<'d>, Option<String>),
}

/// An insertion of a new entry, or the move of an existing one.
#[derive(Debug)]
pub struct Put<'d> {
    /// The entry whose block it is put into; `None` at top level.
    pub within: Option<Entry<'d>>,
    /// The place in the block.
    pub place: Anchor<'d>,
    /// The entry that is put there.
    pub content: Insertion<'d>,
    /// The number of blank lines between it and its neighbour.
    pub blank_lines: usize,
    /// True if it goes behind the new settings at the same place.
    pub is_block: bool,
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
    fn text(&self, style: Option<&Style>) -> String {
        let Some(Style { indent, unit, newline }) = style else {
            return self.0.iter().map(|(_, line)| &**line).collect::<Vec<_>>().join(" ");
        };
        let line = |(depth, line): &(usize, String)| format!("{indent}{}{line}", unit.repeat(*depth));
        self.0.iter().map(line).collect::<Vec<_>>().join(newline)
    }

    /// Writes its block, from behind the `{` on.
    pub fn inside(&self, style: &Style) -> String {
        let text = self.text(Some(style));
        text[style.indent.len() + self.0[0].1.len()..].to_owned()
    }
}

/// What the replacements at one place are, in the order in which they stand there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Edit,
    /// The `;` that an entry lacks.
    End,
    Line,
    Block,
    /// A block at the end of the text.
    LastBlock,
}

/// The replacements of a text.
pub struct Layout<'a, 'd> {
    around: &'a Surroundings<'d>,
    /// By the range that each replaces, then by their number.
    splices: BTreeMap<(usize, usize, Rank, usize), String>,
}

impl<'a, 'd> Layout<'a, 'd> {
    /// Returns the splices that make edits, cut out these ranges, and put entries at their places, in the order of the text.
    pub fn splices(
        around: &'a Surroundings<'d>,
        edits: Vec<Splice>,
        cut: Vec<Range<usize>>,
        puts: &[Put<'d>],
    ) -> Vec<Splice> {
        let mut layout = Self { around, splices: BTreeMap::new() };
        edits.into_iter().for_each(|edit| layout.push(edit.range, Rank::Edit, edit.text));
        cut.into_iter().for_each(|range| layout.push(range, Rank::Edit, ""));
        puts.iter().for_each(|put| layout.put(put));
        let splices = layout.splices.into_iter();
        splices.map(|((start, end, ..), text)| Splice { range: start..end, text }).collect()
    }

    fn push(&mut self, Range { start, end }: Range<usize>, rank: Rank, text: impl Into<String>) {
        let number = if rank == Rank::End { 0 } else { self.splices.len() };
        self.splices.insert((start, end, rank, number), text.into());
    }

    fn put(&mut self, Put { within, place, content, blank_lines, is_block }: &Put<'d>) {
        let sibling =
            if let Anchor::After(entry) | Anchor::Before(entry) = *place { Some(entry) } else { None };
        if let Anchor::After(anchor) = *place
            && !anchor.is_terminated()
        {
            self.push(anchor.end()..anchor.end(), Rank::End, ";");
        }
        let around = self.around;
        let mut style = self.style(*within, sibling);
        let newline = style.newline.to_owned();
        let one_line = within.is_some_and(|block| around.is_one_line(block));
        let needs_own_line = || self.needs_own_line(content);
        let (own_line, nothing) = (format!("{newline}{}", style.indent), String::new());
        // The place, the text in front of the entry and behind it, and whether it stands on a line with others.
        let (offset, before, behind, inline) = match *place {
            Anchor::After(anchor) if one_line => (anchor.end(), " ".to_owned(), nothing, true),
            Anchor::After(anchor) => match self.behind_on_line(anchor.end()) {
                // The new text goes in front of the line end, and brings a line end of its own.
                (at, None) => (at, around.newline(at).repeat(1 + blank_lines), nothing, false),
                (at, byte) if byte != Some(b'}') && needs_own_line() => (at, newline, own_line, false),
                (at, _) => (at, " ".to_owned(), nothing, true),
            },
            Anchor::Before(anchor) if around.begins_line(anchor.start()) => {
                (around.line_start(anchor.start()), nothing, newline, false)
            }
            // The comment on its line comes with it.
            Anchor::Before(anchor) if matches!(content, Insertion::Old(..)) && needs_own_line() => {
                (anchor.start(), newline, own_line, false)
            }
            Anchor::Before(anchor) => (anchor.start(), nothing, " ".to_owned(), true),
            Anchor::BeforeComments(anchor) | Anchor::BeforeHeading(anchor) => {
                let offset = match place {
                    _ if !around.begins_line(anchor.start()) => anchor.start(),
                    Anchor::BeforeComments(_) => around.own_comments(anchor),
                    _ => around.attached_comments(around.line_start(anchor.start())),
                };
                (offset, nothing, newline.repeat(1 + blank_lines), false)
            }
            Anchor::FirstIn(block) if one_line => {
                let behind = if block.body().is_empty() { " " } else { "" };
                (block.body().start, " ".to_owned(), behind.to_owned(), true)
            }
            Anchor::FirstIn(block) => (self.behind_on_line(block.body().start).0, newline, nothing, false),
            // Blank lines at the end of a file stay there.
            Anchor::End => match around.document.text().trim_end_matches([' ', '\t', '\r', '\n']).len() {
                end if end > around.text_start() => {
                    let offset = around.line_end(end);
                    style.newline = around.newline(offset);
                    (offset, style.newline.repeat(1 + blank_lines), nothing, false)
                }
                _ => (around.text_start(), nothing, newline, false),
            },
        };
        let text = self.text(content, Some(&style).filter(|_| !inline));
        let rank = match place {
            Anchor::End if *is_block => Rank::LastBlock,
            _ if *is_block => Rank::Block,
            _ => Rank::Line,
        };
        self.push(offset..offset, rank, format!("{before}{text}{behind}"));
    }

    /// Returns the end of the line if nothing but blanks and a comment stands behind `offset` on it; else `offset` and the
    /// byte that follows.
    fn behind_on_line(&self, offset: usize) -> (usize, Option<u8>) {
        let end = self.around.line_end(offset);
        let rest = self.around.document.text()[offset..end].trim_start_matches([' ', '\t', '\r', ';']);
        let byte = rest.bytes().next().filter(|byte| *byte != b'#');
        (if byte.is_none() { end } else { offset }, byte)
    }

    /// The style of an entry in a block; at top level it stands at column 0, where other tools grep for it.
    fn style(&self, within: Option<Entry<'d>>, sibling: Option<Entry<'d>>) -> Style {
        let around = self.around;
        let newline_at = sibling.or(within).map_or(around.document.text().len(), |entry| entry.start());
        let newline = around.newline(newline_at);
        let Some(block) = within else {
            return Style { indent: String::new(), unit: around.unit().to_owned(), newline };
        };
        let unit = around.unit_of(block).unwrap_or_else(|| around.unit()).to_owned();
        let is_inside = |entry: &Entry<'_>| around.line_start(entry.start()) > block.body().start;
        let indent = match sibling.filter(is_inside) {
            Some(sibling) => around.indent(sibling.start()).to_owned(),
            None => format!("{}{unit}", around.indent(block.start())),
        };
        Style { indent, unit, newline }
    }

    /// Writes an entry on lines of this style, or on a line with others.
    fn text(&self, content: &Insertion<'d>, style: Option<&Style>) -> String {
        match content {
            Insertion::New(fresh) => fresh.text(style),
            Insertion::Old(entry, name) => {
                let alone = entry.start()..entry.end();
                let chunk = style.map_or(alone, |_| chunk(self.around, *entry));
                let text = self.around.document.text();
                let head = match name {
                    Some(name) => {
                        let old = entry.group_name();
                        let (before, behind) = (&text[chunk.start..old.start as usize], old.end() as usize);
                        format!("{before}{}{}", Word::write(name), &text[behind..entry.end()])
                    }
                    None => text[chunk.start..entry.end()].to_owned(),
                };
                let terminator = if entry.is_terminated() { "" } else { ";" };
                let style = style.filter(|_| chunk.start == entry.start());
                let indent = style.map_or("", |style| &style.indent);
                format!("{indent}{head}{terminator}{}", &text[entry.end()..chunk.end])
            }
        }
    }

    fn needs_own_line(&self, content: &Insertion<'d>) -> bool {
        match content {
            Insertion::New(fresh) => fresh.lines() > 2,
            Insertion::Old(entry, _) => {
                let text = self.around.document.text();
                counts_as_block(*entry) || text[chunk(self.around, *entry)].contains('#')
            }
        }
    }
}
