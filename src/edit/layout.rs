//! Turns operations on entries into splices of the text, with the indentation, the line ends and the
//! blank lines of the neighbouring entries.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::emit::{Draft, Style, block_lines};
use super::removal;
use super::surroundings::{Surroundings, Units};
use crate::model::schema::{ACCOUNT, Scope, Shape, by_keyword};
use crate::model::shape::group_name;
use crate::syntax::{Document, Entry, EntryId, Splice, quoted_if_needed};

/// The place for a new or moved entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Behind this entry.
    After(EntryId),
    /// In front of this entry.
    Before(EntryId),
    /// In front of the comments directly above this entry.
    BeforeComments(EntryId),
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
    /// An existing block that moves with the comment lines above it.
    Block(EntryId),
    /// A copy of an existing block and of the comment lines above it, under another name.
    Copy { of: EntryId, name: String },
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
            layout.push(splice.range.clone(), splice.text.clone());
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

/// The end of the text.
#[derive(Clone, Copy)]
struct EndOfText {
    /// The end of the last line that is not blank; `None` if there is none, or if it is removed.
    last_line: Option<usize>,
    /// Whether all lines are blank.
    is_blank: bool,
    is_all_removed: bool,
    blank_lines: usize,
}

/// How the entries of a block are indented.
#[derive(Clone)]
struct Inner<'d> {
    unit: &'d str,
    /// The indentation of the last entry that begins a line; else one unit more than the block.
    indent: Rc<str>,
}

impl<'d> Layout<'d> {
    fn new(document: &'d Document, operations: &[TextOperation]) -> Self {
        let around = Surroundings::of(document);
        let mut leaving: Vec<(Entry<'d>, bool)> =
            operations.iter().filter_map(|operation| leaves(document, operation)).collect();
        let by_start = leaving.iter().map(|(entry, _)| (entry.start(), entry.id())).collect();
        // Entries that are moved out of a moving block are cut out of the moved text.
        let moving = outermost(leaving.iter().map(|(entry, _)| *entry).filter(|entry| entry.is_block()));
        let is_inside = |entry: &Entry<'_>| {
            let next = moving.partition_point(|block| block.start < entry.start());
            moving[..next].last().is_some_and(|block| entry.end() < block.end)
        };
        let inner: Vec<(Entry<'d>, bool)> = leaving.extract_if(.., |(entry, _)| is_inside(entry)).collect();
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
                self.put_above(self.document.entry(anchor), content, *blank_lines)
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
            let at = self.around.line_start(anchor.start());
            let text = format!("{}{}", self.lines(content, &style), style.newline);
            self.push(at..at, text);
        } else {
            let text = format!("{} ", self.inline(content));
            self.push(anchor.start()..anchor.start(), text);
        }
    }

    fn put_above(&mut self, anchor: Entry<'d>, content: &Insertion, blank_lines: usize) {
        let style = self.style(None, None, content);
        let text = format!("{}{}", self.lines(content, &style), style.newline.repeat(1 + blank_lines));
        let at = match self.around.begins_line(anchor.start()) {
            true => self.around.attached_comments(self.around.line_start(anchor.start())),
            false => anchor.start(),
        };
        self.push(at..at, text);
    }

    fn put_first(&mut self, block: Entry<'d>, content: &Insertion) {
        let body = block.body();
        let style = self.style(Some(block), None, content);
        if self.around.is_one_line(block) {
            let padding = if body.is_empty() { " " } else { "" };
            let text = format!(" {}{padding}", self.inline(content));
            return self.push(body.start..body.start, text);
        }
        let at = match self.behind_on_line(body.start) {
            Behind::Nothing(at) => at,
            Behind::Close | Behind::Entry => body.start,
        };
        let text = format!("{}{}", style.newline, self.lines(content, &style));
        self.push(at..at, text);
    }

    /// Puts an entry behind the last line that is not blank: blank lines at the end of a file stay there.
    fn put_at_end(&mut self, content: &Insertion, blank_lines: usize) {
        let text = self.document.text();
        let mut style = self.style(None, None, content);
        let end = *self.end.get_or_init(|| self.end());
        if let Some(at) = end.last_line {
            // The new text goes in front of the line end, and brings a line end of its own.
            style.newline = self.around.newline(at);
            let lines = self.lines(content, &style);
            return self.push(at..at, format!("{}{lines}", style.newline.repeat(1 + blank_lines)));
        }
        let lines = self.lines(content, &style);
        if end.is_blank {
            let at = self.around.text_start();
            return self.push(at..at, format!("{lines}{}", style.newline));
        }
        let at = text.len();
        // Blank lines at the end of the text are counted already.
        let blank = style.newline.repeat(blank_lines.saturating_sub(end.blank_lines));
        let written = match (end.is_all_removed, text.ends_with('\n')) {
            (true, ended) if ended || at == self.around.text_start() => format!("{lines}{}", style.newline),
            (true, _) => lines,
            (false, true) => format!("{blank}{lines}{}", style.newline),
            (false, false) => format!("{}{blank}{lines}", style.newline),
        };
        self.push(at..at, written);
    }

    fn end(&self) -> EndOfText {
        let text = self.document.text();
        let end = text.trim_end_matches([' ', '\t', '\r', '\n']).len();
        let blank_lines = super::surroundings::count_lines(&text[end..]).saturating_sub(1);
        let leaves = self.removed.last().is_some_and(|range| end <= range.end);
        let last_line = (end > self.around.text_start() && !leaves).then(|| self.around.line_end(end));
        let is_blank = end <= self.around.text_start();
        EndOfText { last_line, is_blank, is_all_removed: self.is_all_removed(), blank_lines }
    }

    fn is_all_removed(&self) -> bool {
        let mut at = self.around.text_start();
        for range in &self.removed {
            if range.start > at {
                break;
            }
            at = at.max(range.end);
        }
        at >= self.document.text().len()
    }

    /// What follows `anchor_end` on its line once the removed entries are gone.
    fn behind_on_line(&self, anchor_end: usize) -> Behind {
        *self.behind.borrow_mut().entry(anchor_end).or_insert_with(|| self.text_behind(anchor_end))
    }

    fn text_behind(&self, anchor_end: usize) -> Behind {
        let text = self.document.text().as_bytes();
        let (mut at, mut start_of_rest) = (anchor_end, anchor_end);
        loop {
            match text.get(at) {
                None | Some(b'\n' | b'#') => {
                    return Behind::Nothing(self.end_of_remaining_line(anchor_end, start_of_rest));
                }
                Some(b' ' | b'\t' | b'\r' | b';') => at += 1,
                Some(b'}') => return Behind::Close,
                Some(_) => match self.leaving.get(&at) {
                    Some(&id) => {
                        at = self.document.entry(id).end();
                        start_of_rest = at;
                    }
                    None => return Behind::Entry,
                },
            }
        }
    }

    /// The end of the line that holds `rest`. If the entries behind `anchor_end` are removed and leave
    /// the text without a final line end, that line end is removed with them: then the start of the
    /// removed range.
    fn end_of_remaining_line(&self, anchor_end: usize, rest: usize) -> usize {
        let line_end = self.around.line_end(rest);
        let next = self.removed.partition_point(|range| range.end <= line_end);
        let removed = self.removed.get(next).map(|range| range.start);
        removed.filter(|start| (anchor_end..line_end).contains(start)).unwrap_or(line_end)
    }

    fn style(&self, within: Option<Entry<'d>>, sibling: Option<Entry<'d>>, content: &Insertion) -> Style {
        let newline_at = sibling.or(within).map_or(self.document.text().len(), |entry| entry.start());
        let keyword = match content {
            Insertion::New(draft) => draft.head.split(' ').next().unwrap_or_default(),
            _ => "",
        };
        let unit = || self.unit_like(keyword);
        let (indent, unit) = match within {
            None => (self.top_indent(sibling, keyword).to_owned(), unit()),
            Some(block) => self.inner_indent(block, sibling),
        };
        Style { indent, unit: unit.to_owned(), newline: self.around.newline(newline_at) }
    }

    /// The indentation at top level: a setting is indented like the one it follows. Accounts and blocks
    /// stand at column 0, where other tools grep for accounts.
    fn top_indent(&self, sibling: Option<Entry<'d>>, keyword: &str) -> &'d str {
        let follows_setting =
            sibling.filter(|sibling| !sibling.is_block() && self.around.begins_line(sibling.start()));
        let at_column_0 = by_keyword(Scope::Top, keyword)
            .is_some_and(|row| matches!(row.shape, Shape::Group(_)) || row.shape == Shape::Object(&ACCOUNT));
        follows_setting.filter(|_| !at_column_0).map_or("", |sibling| self.around.indent(sibling.start()))
    }

    fn inner_indent(&self, block: Entry<'d>, sibling: Option<Entry<'d>>) -> (String, &'d str) {
        let Inner { unit, indent } =
            self.inner.borrow_mut().entry(block.id()).or_insert_with(|| self.inner_of(block)).clone();
        let sibling = sibling.filter(|sibling| self.around.begins_line(sibling.start()));
        let indent = sibling.map_or(&*indent, |sibling| self.around.indent(sibling.start()));
        (indent.to_owned(), unit)
    }

    fn inner_of(&self, block: Entry<'d>) -> Inner<'d> {
        let unit = self.around.unit_of(block).unwrap_or_else(|| self.unit_like(&block.keyword()));
        let lined = block.children().filter(|entry| self.around.begins_line(entry.start())).last();
        let indent = match lined {
            Some(sibling) => self.around.indent(sibling.start()).into(),
            None => format!("{}{unit}", self.around.indent(block.start())).into(),
        };
        Inner { unit, indent }
    }

    fn lines(&self, content: &Insertion, style: &Style) -> String {
        match content {
            Insertion::New(draft) => draft.lines(style),
            Insertion::Line(entry) => {
                let entry = self.document.entry(*entry);
                let (chunk, terminator) = (self.line_chunk(entry), missing_terminator(entry));
                let (words, rest) =
                    (self.moved(chunk.start..entry.end()), &self.document.text()[entry.end()..chunk.end]);
                format!("{}{words}{terminator}{rest}", style.indent)
            }
            Insertion::Block(entry) => {
                self.moved(removal::block_chunk(&self.around, self.document.entry(*entry)))
            }
            Insertion::Copy { of, name } => {
                let entry = self.document.entry(*of);
                self.renamed(removal::block_chunk(&self.around, entry), entry, name)
            }
        }
    }

    fn inline(&self, content: &Insertion) -> String {
        match content {
            Insertion::New(draft) => draft.inline(),
            Insertion::Line(entry) | Insertion::Block(entry) => {
                let entry = self.document.entry(*entry);
                format!("{}{}", self.moved(entry.start()..entry.end()), missing_terminator(entry))
            }
            Insertion::Copy { of, name } => {
                let entry = self.document.entry(*of);
                self.renamed(entry.start()..entry.end(), entry, name)
            }
        }
    }

    /// A range of the text with a block in it that gets another name.
    fn renamed(&self, range: Range<usize>, block: Entry<'_>, name: &str) -> String {
        let (text, old) = (self.document.text(), group_name(block));
        let (before, behind) = (&text[range.start..old.start as usize], &text[old.end() as usize..range.end]);
        format!("{before}{}{behind}", quoted_if_needed(name))
    }

    fn needs_own_line(&self, content: &Insertion) -> bool {
        match content {
            Insertion::New(draft) => draft.block.as_ref().is_some_and(|entries| !entries.is_empty()),
            Insertion::Line(entry) => {
                self.document.text()[self.line_chunk(self.document.entry(*entry))].contains('#')
            }
            Insertion::Block(_) | Insertion::Copy { .. } => true,
        }
    }

    /// The bytes from an entry to the end of its line, if it is the last there and no other stays.
    fn line_chunk(&self, entry: Entry<'d>) -> Range<usize> {
        let line = self.around.line_start(entry.start())..self.around.line_end(entry.end());
        let rest = self.document.text()[entry.end()..line.end].trim_start_matches([' ', '\t', '\r', ';']);
        let is_last = rest.is_empty() || rest.starts_with('#');
        let is_only = self.around.begins_line(entry.start()) || self.is_removed(&line);
        entry.start()..if is_last && is_only { line.end } else { entry.end() }
    }

    fn is_removed(&self, line: &Range<usize>) -> bool {
        let next = self.removed.partition_point(|range| range.end < line.end);
        self.removed.get(next).is_some_and(|range| contains(range, line))
    }

    /// A range of the text, with the splices inside it applied.
    fn moved(&self, range: Range<usize>) -> String {
        let text = self.document.text();
        let near = self.splices.range((range.start, 0, 0)..=(range.end, usize::MAX, usize::MAX));
        let inside = near.filter(|&(&(start, end, _), _)| changes_inside(&range, &(start..end)));
        let mut moved = String::new();
        let mut at = range.start;
        for (&(start, end, _), new) in inside {
            moved.push_str(&text[at..start]);
            moved.push_str(new);
            at = end;
        }
        moved.push_str(&text[at..range.end]);
        moved
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
        splices.extend(removed.iter().map(|range| Splice { range: range.clone(), text: String::new() }));
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

/// The entry that an operation takes from its place, and whether its comments go along.
fn leaves<'d>(document: &'d Document, operation: &TextOperation) -> Option<(Entry<'d>, bool)> {
    match operation {
        TextOperation::Remove(entry) | TextOperation::Put { content: Insertion::Line(entry), .. } => {
            Some((document.entry(*entry), false))
        }
        TextOperation::Put { content: Insertion::Block(entry), .. } => Some((document.entry(*entry), true)),
        _ => None,
    }
}

fn missing_terminator(entry: Entry<'_>) -> &'static str {
    if entry.is_terminated() { "" } else { ";" }
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

/// Insertions at either end of a moved range belong to the neighbours that stay.
fn changes_inside(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    let is_at_an_end = inner.is_empty() && (inner.start == outer.start || inner.end == outer.end);
    contains(outer, inner) && !is_at_an_end
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
