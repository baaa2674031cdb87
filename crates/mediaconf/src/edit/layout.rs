//! Turns operations on entries into splices of the text, with the indentation, the line ends and the
//! blank lines of the neighbouring entries.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::comments::{self, Leave};
use super::surroundings::{Style, Surroundings, count_lines};
use crate::schema::codec::group_name;
use crate::schema::{DirectiveRole, Schema};
use crate::syntax::{Document, Entry, EntryId, Splice, quoted_if_needed};

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
    /// An existing entry that moves with the comment on its line.
    Line(Entry<'d>),
    /// An existing block that moves with its own comments above.
    Block(Entry<'d>),
    /// A copy of an existing block and of its own comments above, under another name.
    Copy(Entry<'d>, String),
}

/// One change to the text.
#[derive(Debug, Clone)]
pub enum TextChange<'d> {
    /// Removes an entry with the comments that belong to it.
    Remove(Entry<'d>),
    /// Replaces bytes inside an entry.
    Splice(Splice),
    /// Inserts a new entry, or moves an existing one.
    Put {
        /// The entry whose block it is put into; `None` at top level.
        within: Option<Entry<'d>>,
        /// The place in the block.
        place: Anchor<'d>,
        /// The entry that is put there.
        content: Insertion<'d>,
        /// The number of blank lines between it and its neighbour.
        blank_lines: usize,
    },
}

impl<'d> TextChange<'d> {
    /// The entry that it takes from its place.
    fn leaves(&self) -> Option<(Entry<'d>, Leave)> {
        match *self {
            Self::Remove(entry) => Some((entry, Leave::Removed)),
            Self::Put { content: Insertion::Line(entry), .. } => Some((entry, Leave::Alone)),
            Self::Put { content: Insertion::Block(entry), .. } => Some((entry, Leave::Moved)),
            _ => None,
        }
    }

    /// The splice that it is.
    pub fn into_splice(self) -> Option<Splice> {
        if let Self::Splice(splice) = self { Some(splice) } else { None }
    }
}

/// A new entry, before it is laid out.
#[derive(Debug, Clone)]
pub struct NewEntry {
    /// Its words as they are written, the keyword first.
    pub head: String,
    /// The entries of its block, if it has one.
    pub block: Option<Vec<NewEntry>>,
}

impl NewEntry {
    /// A new entry with the words of this one, which was written for it.
    pub fn of(entry: Entry<'_>) -> Self {
        let words: Vec<&str> = entry.words().map(|word| word.raw).collect();
        let block = entry.is_block().then(|| entry.children().map(Self::of).collect());
        Self { head: words.join(" "), block }
    }

    /// The same with the keyword of another line, if there is one.
    pub fn like(entry: Entry<'_>, like: Option<Entry<'_>>) -> Self {
        let keyword = like.and_then(|like| like.words().next()).map(|word| word.raw);
        let words: Vec<&str> = keyword
            .into_iter()
            .chain(entry.words().map(|word| word.raw).skip(usize::from(keyword.is_some())))
            .collect();
        Self { head: words.join(" "), block: None }
    }

    fn keyword(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// Writes it on lines of its own, without the last line end.
    fn lines(&self, style: &Style) -> String {
        match &self.block {
            None => format!("{}{};", style.indent, self.head),
            Some(entries) => format!("{}{} {}", style.indent, self.head, block_lines(entries, style)),
        }
    }

    /// Writes it on one line.
    fn inline(&self) -> String {
        match &self.block {
            None => format!("{};", self.head),
            Some(entries) => {
                let entries: String = entries.iter().map(|entry| format!("{} ", entry.inline())).collect();
                format!("{} {{ {entries}}}", self.head)
            }
        }
    }
}

/// Writes `{ … }` with each entry on a line of its own.
pub fn block_lines(entries: &[NewEntry], style: &Style) -> String {
    let nested = Style { indent: format!("{}{}", style.indent, style.unit), ..style.clone() };
    let mut text = format!("{{{}", style.newline);
    for entry in entries {
        text.push_str(&entry.lines(&nested));
        text.push_str(style.newline);
    }
    text.push_str(&style.indent);
    text.push('}');
    text
}

/// The changes of a text.
pub struct LaidOut {
    /// The splices that carry out operations, in the order of the text.
    pub splices: Vec<Splice>,
    /// The ranges that are removed for good, with the comments in them.
    pub gone: Vec<Range<usize>>,
}

/// Carries out operations.
pub fn edits<'d>(around: &Surroundings<'d>, operations: &[TextChange<'d>]) -> LaidOut {
    let mut layout = Layout::new(around, operations);
    for operation in operations {
        if let TextChange::Splice(splice) = operation {
            layout.push(splice.range.clone(), &*splice.text);
        }
    }
    operations.iter().for_each(|operation| layout.put(operation));
    let mut gone: Vec<_> = operations.iter().filter_map(TextChange::leaves).collect();
    gone.retain(|(_, leave)| *leave == Leave::Removed);
    let gone = comments::ranges(around, &gone);
    LaidOut { splices: layout.finish(), gone }
}

struct Layout<'a, 'd> {
    document: &'d Document,
    around: &'a Surroundings<'d>,
    /// Entries that leave their place, by the offset of their first word.
    leaving: HashMap<usize, Entry<'d>>,
    removed: Vec<Range<usize>>,
    /// By the range that each replaces, then by their number.
    splices: BTreeMap<(usize, usize, usize), String>,
    /// Entries whose missing `;` was supplied.
    terminated: HashSet<EntryId>,
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

impl<'a, 'd> Layout<'a, 'd> {
    fn new(around: &'a Surroundings<'d>, operations: &[TextChange<'d>]) -> Self {
        let mut leaving: Vec<(Entry<'d>, Leave)> = operations.iter().filter_map(TextChange::leaves).collect();
        let by_start = leaving.iter().map(|(entry, _)| (entry.start(), *entry)).collect();
        // Entries that are moved out of a moving block are cut out of the moved text.
        let moving = outermost(leaving.iter().map(|(entry, _)| *entry).filter(|entry| entry.is_block()));
        let is_inside = |entry: &Entry<'_>| {
            let next = moving.partition_point(|block| block.start < entry.start());
            moving[..next].last().is_some_and(|block| entry.end() < block.end)
        };
        let inner: Vec<(Entry<'d>, Leave)> = leaving.extract_if(.., |(entry, _)| is_inside(entry)).collect();
        let (inner, removed) = (comments::ranges(around, &inner), comments::ranges(around, &leaving));
        let mut layout = Self {
            document: around.document(),
            around,
            leaving: by_start,
            removed,
            splices: BTreeMap::new(),
            terminated: HashSet::new(),
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

    fn put(&mut self, operation: &TextChange<'d>) {
        let TextChange::Put { within, place, content, blank_lines } = operation else { return };
        match *place {
            Anchor::After(anchor) => self.put_after(*within, anchor, content, *blank_lines),
            Anchor::Before(anchor) => self.put_before(*within, anchor, content),
            Anchor::BeforeComments(anchor) => {
                self.put_above(anchor, self.around.own_comments(anchor), content, *blank_lines)
            }
            Anchor::BeforeHeading(anchor) => {
                let line_start = self.around.line_start(anchor.start());
                self.put_above(anchor, self.around.attached_comments(line_start), content, *blank_lines)
            }
            Anchor::FirstIn(block) => self.put_first(block, content),
            Anchor::End => self.put_at_end(content, *blank_lines),
        }
    }

    fn put_after(
        &mut self,
        within: Option<Entry<'d>>,
        anchor: Entry<'d>,
        content: &Insertion<'d>,
        blank_lines: usize,
    ) {
        // Supplies a missing `;`.
        if !anchor.is_terminated() && self.terminated.insert(anchor.id()) {
            self.push(anchor.end()..anchor.end(), ";");
        }
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

    fn put_before(&mut self, within: Option<Entry<'d>>, anchor: Entry<'d>, content: &Insertion<'d>) {
        let style = self.style(within, Some(anchor), content);
        if self.around.begins_line(anchor.start()) {
            let offset = self.around.line_start(anchor.start());
            let text = format!("{}{}", self.lines(content, &style), style.newline);
            self.push(offset..offset, text);
        } else if matches!(content, Insertion::Line(_)) && self.needs_own_line(content) {
            // The comment on its line comes with it.
            let text = format!("{0}{1}{0}{2}", style.newline, self.lines(content, &style), style.indent);
            self.push(anchor.start()..anchor.start(), text);
        } else {
            let text = format!("{} ", self.inline(content));
            self.push(anchor.start()..anchor.start(), text);
        }
    }

    /// Puts an entry in front of the line that starts at `line`; `anchor` is that of this line, or of one below.
    fn put_above(&mut self, anchor: Entry<'d>, line: usize, content: &Insertion<'d>, blank_lines: usize) {
        let style = self.style(None, None, content);
        let text = format!("{}{}", self.lines(content, &style), style.newline.repeat(1 + blank_lines));
        let offset = if self.around.begins_line(anchor.start()) { line } else { anchor.start() };
        self.push(offset..offset, text);
    }

    fn put_first(&mut self, block: Entry<'d>, content: &Insertion<'d>) {
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
    fn put_at_end(&mut self, content: &Insertion<'d>, blank_lines: usize) {
        let text = self.document.text();
        let mut style = self.style(None, None, content);
        let end = *self.end.get_or_init(|| self.end_of_text());
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

    fn end_of_text(&self) -> EndOfText {
        let text = self.document.text();
        let end = text.trim_end_matches([' ', '\t', '\r', '\n']).len();
        let blank_lines = count_lines(&text[end..]).saturating_sub(1);
        let leaves = self.removed.last().is_some_and(|range| end <= range.end);
        let last_line = (end > self.around.text_start() && !leaves).then(|| self.around.line_end(end));
        let is_blank = end <= self.around.text_start();
        EndOfText { last_line, is_blank, is_all_removed: self.is_all_removed(), blank_lines }
    }

    fn is_all_removed(&self) -> bool {
        let mut offset = self.around.text_start();
        for range in &self.removed {
            if range.start > offset {
                break;
            }
            offset = offset.max(range.end);
        }
        offset >= self.document.text().len()
    }

    /// Returns the text that follows `anchor_end` on its line once the removed entries are gone.
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
                    Some(entry) => {
                        at = entry.end();
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

    fn style(&self, within: Option<Entry<'d>>, sibling: Option<Entry<'d>>, content: &Insertion<'d>) -> Style {
        let newline_at = sibling.or(within).map_or(self.document.text().len(), |entry| entry.start());
        let keyword = if let Insertion::New(fresh) = content { fresh.keyword() } else { "" };
        let (indent, unit) = match within {
            None => (self.top_indent(sibling, keyword).to_owned(), self.around.unit_like(keyword)),
            Some(block) => self.inner_indent(block, sibling),
        };
        Style { indent, unit: unit.to_owned(), newline: self.around.newline(newline_at) }
    }

    /// The indentation at top level: a setting is indented like the one it follows. Accounts and blocks
    /// stand at column 0, where other tools grep for accounts.
    fn top_indent(&self, sibling: Option<Entry<'d>>, keyword: &str) -> &'d str {
        let follows_setting =
            sibling.filter(|sibling| !sibling.is_block() && self.around.begins_line(sibling.start()));
        let at_column_0 = Schema::media().top().by_keyword(keyword).is_some_and(|row| {
            row.codec.facts().group.is_some() || row.role.is_some_and(DirectiveRole::is_account)
        });
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
        let unit = self.around.unit_of(block).unwrap_or_else(|| self.around.unit_like(&block.keyword()));
        let lined = block.children().filter(|entry| self.around.begins_line(entry.start())).last();
        let indent = match lined {
            Some(sibling) => self.around.indent(sibling.start()).into(),
            None => format!("{}{unit}", self.around.indent(block.start())).into(),
        };
        Inner { unit, indent }
    }

    fn lines(&self, content: &Insertion<'d>, style: &Style) -> String {
        match content {
            Insertion::New(fresh) => fresh.lines(style),
            Insertion::Line(entry) => {
                let chunk = self.line_chunk(*entry);
                let words = self.moved(chunk.start..entry.end());
                let rest = &self.document.text()[entry.end()..chunk.end];
                format!("{}{words}{}{rest}", style.indent, missing_terminator(*entry))
            }
            Insertion::Block(entry) => self.moved(comments::block_chunk(self.around, *entry)),
            Insertion::Copy(entry, name) => {
                self.renamed(comments::block_chunk(self.around, *entry), *entry, name)
            }
        }
    }

    fn inline(&self, content: &Insertion<'d>) -> String {
        match content {
            Insertion::New(fresh) => fresh.inline(),
            Insertion::Line(entry) | Insertion::Block(entry) => {
                format!("{}{}", self.moved(entry.start()..entry.end()), missing_terminator(*entry))
            }
            Insertion::Copy(entry, name) => self.renamed(entry.start()..entry.end(), *entry, name),
        }
    }

    /// A range of the text with a block in it that gets another name.
    fn renamed(&self, range: Range<usize>, block: Entry<'_>, name: &str) -> String {
        let (text, old) = (self.document.text(), group_name(block));
        let (before, behind) = (&text[range.start..old.start as usize], &text[old.end() as usize..range.end]);
        format!("{before}{}{behind}", quoted_if_needed(name))
    }

    fn needs_own_line(&self, content: &Insertion<'d>) -> bool {
        match content {
            Insertion::New(fresh) => fresh.block.as_ref().is_some_and(|entries| !entries.is_empty()),
            Insertion::Line(entry) => self.document.text()[self.line_chunk(*entry)].contains('#'),
            Insertion::Block(_) => true,
            Insertion::Copy(entry, _) => {
                comments::block_chunk(self.around, *entry) != (entry.start()..entry.end())
            }
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
        let mut offset = range.start;
        for (&(start, end, _), new) in inside {
            moved.push_str(&text[offset..start]);
            moved.push_str(new);
            offset = end;
        }
        moved.push_str(&text[offset..range.end]);
        moved
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

fn missing_terminator(entry: Entry<'_>) -> &'static str {
    if entry.is_terminated() { "" } else { ";" }
}

/// Insertions at either end of a moved range belong to the neighbours that stay.
fn changes_inside(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    let is_at_an_end = inner.is_empty() && (inner.start == outer.start || inner.end == outer.end);
    contains(outer, inner) && !is_at_an_end
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
