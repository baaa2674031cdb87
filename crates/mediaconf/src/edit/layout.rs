//! Turns changes of entries into splices of the text, with the indentation, the line ends and the
//! blank lines of the neighbouring entries.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::comments::{self, Leave};
use super::surroundings::{Style, Surroundings};
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
}

/// The changes of a text.
#[derive(Debug, Default)]
pub struct TextChanges<'d> {
    /// The entries that leave their place, in the order of the text.
    pub leaving: BTreeMap<EntryId, (Entry<'d>, Leave)>,
    /// Replacements inside entries.
    pub splices: Vec<Splice>,
    /// Insertions, in the order in which those at one place stand there.
    pub puts: Vec<Put<'d>>,
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
        Self::like(entry, None)
    }

    /// The same with the keyword of another line, if there is one.
    pub fn like(entry: Entry<'_>, like: Option<Entry<'_>>) -> Self {
        let mut words: Vec<&str> = entry.words().map(|word| word.raw).collect();
        if let Some(keyword) = like.and_then(|like| like.words().next()) {
            words[0] = keyword.raw;
        }
        let block = entry.is_block().then(|| entry.children().map(Self::of).collect());
        Self { head: words.join(" "), block }
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

/// Carries out changes. Returns the splices in the order of the text, and the ranges that are removed for good, with the
/// comments in them.
pub fn edits<'d>(around: &Surroundings<'d>, changes: &TextChanges<'d>) -> (Vec<Splice>, Vec<Range<usize>>) {
    let mut gone = Vec::new();
    let mut layout = Layout::new(around, changes.leaving.values().copied().collect(), &mut gone);
    changes.splices.iter().for_each(|splice| layout.push(splice.range.clone(), &*splice.text));
    changes.puts.iter().for_each(|put| layout.put(put));
    (layout.finish(), gone)
}

struct Layout<'a, 'd> {
    document: &'d Document,
    around: &'a Surroundings<'d>,
    removed: Vec<Range<usize>>,
    /// What is removed inside blocks that move.
    removed_inside: Vec<Range<usize>>,
    /// By the range that each replaces, then by their number.
    splices: BTreeMap<(usize, usize, usize), String>,
    /// Entries whose missing `;` was supplied.
    terminated: HashSet<EntryId>,
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

/// The indentation of the entries of a block.
#[derive(Clone)]
struct Inner<'d> {
    unit: &'d str,
    /// The indentation of the last entry that begins a line; else one unit more than the block.
    indent: Rc<str>,
}

/// A place for a new or moved entry.
struct InsertionPoint {
    offset: usize,
    /// The text in front of it, and behind it.
    beside: [String; 2],
    /// True if it stands on a line with others.
    inline: bool,
}

impl<'a, 'd> Layout<'a, 'd> {
    fn new(
        around: &'a Surroundings<'d>,
        mut leaving: Vec<(Entry<'d>, Leave)>,
        gone: &mut Vec<Range<usize>>,
    ) -> Self {
        // Entries that are moved out of a moving block are cut out of the moved text.
        let moving = outermost(leaving.iter().map(|(entry, _)| *entry).filter(|entry| entry.is_block()));
        let is_inside = |entry: &Entry<'_>| {
            let next = moving.partition_point(|block| block.start < entry.start());
            moving[..next].last().is_some_and(|block| entry.end() < block.end)
        };
        let inner: Vec<(Entry<'d>, Leave)> = leaving.extract_if(.., |(entry, _)| is_inside(entry)).collect();
        let mut layout = Self {
            document: around.document(),
            around,
            removed: comments::ranges(around, &leaving, gone),
            removed_inside: comments::ranges(around, &inner, gone),
            splices: BTreeMap::new(),
            terminated: HashSet::new(),
            behind: RefCell::default(),
            inner: RefCell::default(),
        };
        layout.removed_inside.clone().into_iter().for_each(|range| layout.push(range, ""));
        layout
    }

    fn push(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.splices.insert((range.start, range.end, self.splices.len()), text.into());
    }

    fn put(&mut self, put: &Put<'d>) {
        let Put { within, place, content, blank_lines } = put;
        if let Anchor::After(anchor) = *place
            && !anchor.is_terminated()
            && self.terminated.insert(anchor.id())
        {
            self.push(anchor.end()..anchor.end(), ";");
        }
        let sibling = match *place {
            Anchor::After(entry) | Anchor::Before(entry) => Some(entry),
            _ => None,
        };
        let mut style = self.style(*within, sibling, content);
        let spot = self.spot(*within, *place, content, *blank_lines, &mut style);
        let text = if spot.inline { self.inline(content) } else { self.lines(content, &style) };
        let [before, behind] = spot.beside;
        self.push(spot.offset..spot.offset, format!("{before}{text}{behind}"));
    }

    fn spot(
        &self,
        within: Option<Entry<'d>>,
        place: Anchor<'d>,
        content: &Insertion<'d>,
        blank_lines: usize,
        style: &mut Style,
    ) -> InsertionPoint {
        let newline = style.newline;
        let own = |offset, before: String, behind: String| InsertionPoint {
            offset,
            beside: [before, behind],
            inline: false,
        };
        let inline = |offset, before: &str, behind: &str| InsertionPoint {
            offset,
            beside: [before, behind].map(str::to_owned),
            inline: true,
        };
        let one_line = within.is_some_and(|block| self.around.is_one_line(block));
        let around = self.around;
        match place {
            Anchor::After(anchor) if one_line => inline(anchor.end(), " ", ""),
            Anchor::After(anchor) => match self.behind_on_line(anchor.end()) {
                // The new text goes in front of the line end, and brings a line end of its own.
                Behind::Nothing(at) => own(at, around.newline(at).repeat(1 + blank_lines), String::new()),
                Behind::Close => own(anchor.end(), newline.to_owned(), String::new()),
                Behind::Entry if self.needs_own_line(content) => {
                    own(anchor.end(), newline.to_owned(), format!("{newline}{}", style.indent))
                }
                Behind::Entry => inline(anchor.end(), " ", ""),
            },
            Anchor::Before(anchor) if around.begins_line(anchor.start()) => {
                own(around.line_start(anchor.start()), String::new(), newline.to_owned())
            }
            // The comment on its line comes with it.
            Anchor::Before(anchor)
                if matches!(content, Insertion::Line(_)) && self.needs_own_line(content) =>
            {
                own(anchor.start(), newline.to_owned(), format!("{newline}{}", style.indent))
            }
            Anchor::Before(anchor) => inline(anchor.start(), "", " "),
            Anchor::BeforeComments(anchor) | Anchor::BeforeHeading(anchor) => {
                let line = match place {
                    Anchor::BeforeComments(_) => around.own_comments(anchor),
                    _ => around.attached_comments(around.line_start(anchor.start())),
                };
                let offset = if around.begins_line(anchor.start()) { line } else { anchor.start() };
                own(offset, String::new(), newline.repeat(1 + blank_lines))
            }
            Anchor::FirstIn(block) if one_line => {
                inline(block.body().start, " ", if block.body().is_empty() { " " } else { "" })
            }
            Anchor::FirstIn(block) => match self.behind_on_line(block.body().start) {
                Behind::Nothing(offset) => own(offset, newline.to_owned(), String::new()),
                Behind::Close | Behind::Entry => own(block.body().start, newline.to_owned(), String::new()),
            },
            // Behind the last line that stays and is not blank: blank lines at the end of a file stay there.
            Anchor::End => {
                let text = self.document.text();
                let content = |end: usize| text[..end].trim_end_matches([' ', '\t', '\r', '\n']).len();
                let mut end = content(text.len());
                for range in self.removed.iter().rev() {
                    if range.end < end {
                        break;
                    }
                    end = end.min(content(range.start));
                }
                if end > around.text_start() {
                    // What was removed may end on another line.
                    let behind = self.behind_on_line(end);
                    let offset = if let Behind::Nothing(line_end) = behind { line_end } else { end };
                    style.newline = around.newline(offset);
                    return own(offset, style.newline.repeat(1 + blank_lines), String::new());
                }
                let ends_line = self.removed.is_empty() || text.ends_with('\n');
                let newline = if ends_line { newline } else { "" };
                own(around.text_start(), String::new(), newline.to_owned())
            }
        }
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

    /// Returns the text that follows `anchor_end` on its line once the removed entries are gone.
    fn behind_on_line(&self, anchor_end: usize) -> Behind {
        *self.behind.borrow_mut().entry(anchor_end).or_insert_with(|| {
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
                match self.document.text().as_bytes().get(at) {
                    None | Some(b'\n' | b'#') => return Behind::Nothing(self.around.line_end(rest)),
                    Some(b' ' | b'\t' | b'\r' | b';') => at += 1,
                    Some(b'}') => return Behind::Close,
                    Some(_) => return Behind::Entry,
                }
            }
        })
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
                let rest = &self.document.text()[entry.end()..self.chunk(content).end];
                format!("{}{}{rest}", style.indent, self.inline(content))
            }
            Insertion::Block(_) => self.moved(self.chunk(content)),
            Insertion::Copy(entry, name) => self.renamed(self.chunk(content), *entry, name),
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
            Insertion::Line(_) => self.document.text()[self.chunk(content)].contains('#'),
            Insertion::Block(_) => true,
            Insertion::Copy(entry, _) => self.chunk(content) != (entry.start()..entry.end()),
        }
    }

    /// The bytes of an existing entry and of what goes with it: a block with its own comments, a line to its end, if it is
    /// the last there and no other stays.
    fn chunk(&self, content: &Insertion<'d>) -> Range<usize> {
        match content {
            Insertion::New(_) => 0..0,
            Insertion::Block(entry) | Insertion::Copy(entry, _) => comments::block_chunk(self.around, *entry),
            Insertion::Line(entry) => {
                let line = self.around.line_start(entry.start())..self.around.line_end(entry.end());
                let rest = &self.document.text()[entry.end()..line.end];
                let rest = rest.trim_start_matches([' ', '\t', '\r', ';']);
                let is_last = rest.is_empty() || rest.starts_with('#');
                let is_only = self.around.begins_line(entry.start()) || self.is_removed(&line);
                entry.start()..if is_last && is_only { line.end } else { entry.end() }
            }
        }
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
