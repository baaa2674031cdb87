//! Turns operations on entries into splices of the text, with the indentation, the line ends and the
//! blank lines of the neighbouring entries.

mod behind;
mod written;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::emit::{Draft, Style, block_lines};
use super::removal::{self, Leave};
use super::surroundings::{Surroundings, Units};
use crate::syntax::{Document, Entry, EntryId, Splice};

/// The place for a new or moved entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Behind this entry.
    After(EntryId),
    /// In front of this entry.
    Before(EntryId),
    /// In front of this entry and its own comments, below the heading of its group.
    BeforeComments(EntryId),
    /// In front of all comments directly above this entry.
    BeforeHeading(EntryId),
    /// At the start of the block of this entry.
    FirstIn(EntryId),
    /// At the end of the text.
    End,
}

/// The entry that is put at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Insertion {
    /// A new entry.
    New(Draft),
    /// An existing entry that moves with the comment on its line.
    Line(EntryId),
    /// An existing block that moves with its own comments above.
    Block(EntryId),
    /// A copy of an existing block and of its own comments above, under another name.
    Copy {
        /// The existing block.
        of: EntryId,
        /// The name of the copy.
        name: String,
    },
}

/// One change to the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextOperation {
    /// Removes an entry.
    Remove(EntryId),
    /// Replaces bytes inside an entry.
    Rewrite(Splice),
    /// Turns a one-line entry into a block, and removes its words from an offset on.
    Unfold {
        /// The entry.
        entry: EntryId,
        /// The offset of the first byte that is removed.
        from: usize,
        /// The entries of the block.
        block: Vec<Draft>,
    },
    /// Inserts a new entry, or moves an existing one.
    Put {
        /// The entry whose block it is put into; `None` at top level.
        within: Option<EntryId>,
        /// The place in the block.
        place: Anchor,
        /// The entry that is put there.
        content: Insertion,
        /// The number of blank lines between it and its neighbour.
        blank_lines: usize,
    },
}

/// Returns the splices that carry out `operations`, in the order of the text.
pub fn splices(document: &Document, operations: &[TextOperation]) -> Vec<Splice> {
    let mut layout = Layout::new(document, operations);
    for operation in operations {
        if let TextOperation::Rewrite(splice) = operation {
            layout.push(splice.range.clone(), &*splice.text);
        }
    }
    operations.iter().for_each(|operation| layout.unfold(operation));
    operations.iter().for_each(|operation| layout.put(operation));
    layout.finish()
}

struct Layout<'d> {
    document: &'d Document,
    around: Surroundings<'d>,
    /// Entries that leave their place, by the offset of their first word.
    leaving: HashMap<usize, EntryId>,
    removed: Vec<Range<usize>>,
    /// By the range that each replaces, then by their number.
    splices: BTreeMap<(usize, usize, usize), String>,
    /// Entries whose missing `;` was supplied.
    terminated: HashSet<EntryId>,
    units: OnceCell<Units<'d>>,
    end: OnceCell<EndOfText>,
    /// Caches for places and blocks: very many entries may be put at the same place.
    behind: RefCell<HashMap<usize, Behind>>,
    inner: RefCell<HashMap<EntryId, Inner<'d>>>,
}

/// The text that follows on a line.
#[derive(Clone, Copy)]
enum Behind {
    /// Blanks and maybe a comment; where the line ends.
    Nothing(usize),
    /// A closing brace.
    Close,
    /// Another entry.
    Entry,
}

/// The end of the text.
#[derive(Clone, Copy)]
struct EndOfText {
    /// The end of the last line that is not blank; `None` if there is none, or if it is removed.
    last_line: Option<usize>,
    /// True if all lines are blank.
    is_blank: bool,
    is_all_removed: bool,
    blank_lines: usize,
}

/// The indentation of the entries of a block.
#[derive(Clone)]
struct Inner<'d> {
    unit: &'d str,
    /// The indentation of the last entry that begins a line; else one unit more than the block.
    indent: Rc<str>,
}

impl<'d> Layout<'d> {
    fn new(document: &'d Document, operations: &[TextOperation]) -> Self {
        let around = Surroundings::new(document);
        let mut leaving: Vec<(Entry<'d>, Leave)> =
            operations.iter().filter_map(|operation| leaves(document, operation)).collect();
        let by_start = leaving.iter().map(|(entry, _)| (entry.start(), entry.id())).collect();
        // Entries that are moved out of a moving block are cut out of the moved text.
        let moving = outermost(leaving.iter().map(|(entry, _)| *entry).filter(|entry| entry.is_block()));
        let is_inside = |entry: &Entry<'_>| {
            let next = moving.partition_point(|block| block.start < entry.start());
            moving[..next].last().is_some_and(|block| entry.end() < block.end)
        };
        let inner: Vec<(Entry<'d>, Leave)> = leaving.extract_if(.., |(entry, _)| is_inside(entry)).collect();
        let (inner, removed) = (removal::ranges(&around, &inner), removal::ranges(&around, &leaving));
        let mut layout = Self {
            document,
            around,
            leaving: by_start,
            removed,
            splices: BTreeMap::new(),
            terminated: HashSet::new(),
            units: OnceCell::new(),
            end: OnceCell::new(),
            behind: RefCell::default(),
            inner: RefCell::default(),
        };
        inner.into_iter().for_each(|range| layout.push(range, ""));
        layout
    }

    fn push(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.splices.insert((range.start, range.end, self.splices.len()), text.into());
    }

    fn unit_like(&self, keyword: &str) -> &'d str {
        self.units.get_or_init(|| self.around.units()).like(keyword)
    }

    fn unfold(&mut self, operation: &TextOperation) {
        let TextOperation::Unfold { entry, from, block } = operation else { return };
        let entry = self.document.entry(*entry);
        let style = Style {
            indent: self.around.indent(entry.start()).to_owned(),
            unit: self.unit_like(&entry.keyword()).to_owned(),
            newline: self.around.newline(entry.start()),
        };
        self.push(*from..entry.end(), format!(" {}", block_lines(block, &style)));
    }

    fn put(&mut self, operation: &TextOperation) {
        let TextOperation::Put { within, place, content, blank_lines } = operation else { return };
        let within = within.map(|block| self.document.entry(block));
        match *place {
            Anchor::After(anchor) => {
                self.put_after(within, self.document.entry(anchor), content, *blank_lines)
            }
            Anchor::Before(anchor) => self.put_before(within, self.document.entry(anchor), content),
            Anchor::BeforeComments(anchor) => {
                let anchor = self.document.entry(anchor);
                self.put_above(anchor, self.around.own_comments(anchor), content, *blank_lines)
            }
            Anchor::BeforeHeading(anchor) => {
                let anchor = self.document.entry(anchor);
                let line_start = self.around.line_start(anchor.start());
                self.put_above(anchor, self.around.attached_comments(line_start), content, *blank_lines)
            }
            Anchor::FirstIn(block) => self.put_first(self.document.entry(block), content),
            Anchor::End => self.put_at_end(content, *blank_lines),
        }
    }

    fn put_after(
        &mut self,
        within: Option<Entry<'d>>,
        anchor: Entry<'d>,
        content: &Insertion,
        blank_lines: usize,
    ) {
        self.terminate(anchor);
        let style = self.style(within, Some(anchor), content);
        let one_line = within.is_some_and(|block| self.around.is_one_line(block));
        let behind = self.behind_on_line(anchor.end());
        let own_line = |layout: &Self| layout.lines(content, &style);
        match behind {
            _ if one_line => self.push(anchor.end()..anchor.end(), format!(" {}", self.inline(content))),
            Behind::Nothing(at) => {
                // The new text goes in front of the line end, and brings a line end of its own.
                let newline = self.around.newline(at);
                let text = format!("{}{}", newline.repeat(1 + blank_lines), own_line(self));
                self.push(at..at, text);
            }
            Behind::Close => {
                let text = format!("{}{}", style.newline, own_line(self));
                self.push(anchor.end()..anchor.end(), text);
            }
            Behind::Entry if self.needs_own_line(content) => {
                let text = format!("{0}{1}{0}{2}", style.newline, own_line(self), style.indent);
                self.push(anchor.end()..anchor.end(), text);
            }
            Behind::Entry => self.push(anchor.end()..anchor.end(), format!(" {}", self.inline(content))),
        }
    }

    /// Supplies the missing `;` of an entry that something is put behind.
    fn terminate(&mut self, anchor: Entry<'d>) {
        if !anchor.is_terminated() && self.terminated.insert(anchor.id()) {
            self.push(anchor.end()..anchor.end(), ";");
        }
    }

    fn put_before(&mut self, within: Option<Entry<'d>>, anchor: Entry<'d>, content: &Insertion) {
        let style = self.style(within, Some(anchor), content);
        if self.around.begins_line(anchor.start()) {
            let offset = self.around.line_start(anchor.start());
            let text = format!("{}{}", self.lines(content, &style), style.newline);
            self.push(offset..offset, text);
        } else {
            let text = format!("{} ", self.inline(content));
            self.push(anchor.start()..anchor.start(), text);
        }
    }

    /// Puts an entry in front of the line that starts at `line`; `anchor` is that of this line, or of one below.
    fn put_above(&mut self, anchor: Entry<'d>, line: usize, content: &Insertion, blank_lines: usize) {
        let style = self.style(None, None, content);
        let text = format!("{}{}", self.lines(content, &style), style.newline.repeat(1 + blank_lines));
        let offset = if self.around.begins_line(anchor.start()) { line } else { anchor.start() };
        self.push(offset..offset, text);
    }

    fn put_first(&mut self, block: Entry<'d>, content: &Insertion) {
        let body = block.body();
        let style = self.style(Some(block), None, content);
        if self.around.is_one_line(block) {
            let padding = if body.is_empty() { " " } else { "" };
            let text = format!(" {}{padding}", self.inline(content));
            return self.push(body.start..body.start, text);
        }
        let offset = match self.behind_on_line(body.start) {
            Behind::Nothing(offset) => offset,
            Behind::Close | Behind::Entry => body.start,
        };
        let text = format!("{}{}", style.newline, self.lines(content, &style));
        self.push(offset..offset, text);
    }

    /// Puts an entry behind the last line that is not blank: blank lines at the end of a file stay there.
    fn put_at_end(&mut self, content: &Insertion, blank_lines: usize) {
        let text = self.document.text();
        let mut style = self.style(None, None, content);
        let end = *self.end.get_or_init(|| self.end());
        if let Some(offset) = end.last_line {
            // The new text goes in front of the line end, and brings a line end of its own.
            style.newline = self.around.newline(offset);
            let lines = self.lines(content, &style);
            return self.push(offset..offset, format!("{}{lines}", style.newline.repeat(1 + blank_lines)));
        }
        let lines = self.lines(content, &style);
        if end.is_blank {
            let offset = self.around.text_start();
            return self.push(offset..offset, format!("{lines}{}", style.newline));
        }
        let offset = text.len();
        // Blank lines at the end of the text are counted already.
        let blank = style.newline.repeat(blank_lines.saturating_sub(end.blank_lines));
        let written = match (end.is_all_removed, text.ends_with('\n')) {
            (true, ended) if ended || offset == self.around.text_start() => {
                format!("{lines}{}", style.newline)
            }
            (true, _) => lines,
            (false, true) => format!("{blank}{lines}{}", style.newline),
            (false, false) => format!("{}{blank}{lines}", style.newline),
        };
        self.push(offset..offset, written);
    }

    fn finish(self) -> Vec<Splice> {
        let removed = self.removed;
        // Splices inside a moved range were applied to the moved text.
        let outside = |splice: &Splice| {
            let next = removed.partition_point(|range| range.end <= splice.range.start);
            removed
                .get(next)
                .is_none_or(|range| splice.range.start <= range.start && splice.range.end <= range.start)
        };
        let splices = self.splices.into_iter();
        let splices = splices.map(|((start, end, _), text)| Splice { range: start..end, text });
        let mut splices: Vec<Splice> = splices.filter(outside).collect();
        splices.extend(removed.iter().map(|range| Splice { range: range.clone(), text: "".into() }));
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        splices
    }
}

/// The ranges of the blocks that are inside no other of them, in order.
fn outermost<'d>(blocks: impl Iterator<Item = Entry<'d>>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = blocks.map(|block| block.start()..block.end()).collect();
    ranges.sort_by_key(|range| range.start);
    let mut covered = 0;
    ranges.retain(|range| {
        let is_outer = range.end > covered;
        covered = covered.max(range.end);
        is_outer
    });
    ranges
}

/// The entry that an operation takes from its place.
fn leaves<'d>(document: &'d Document, operation: &TextOperation) -> Option<(Entry<'d>, Leave)> {
    let (entry, leave) = match operation {
        TextOperation::Remove(entry) => (entry, Leave::Removed),
        TextOperation::Put { content: Insertion::Line(entry), .. } => (entry, Leave::Alone),
        TextOperation::Put { content: Insertion::Block(entry), .. } => (entry, Leave::Moved),
        _ => return None,
    };
    Some((document.entry(*entry), leave))
}
