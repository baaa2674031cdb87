//! The form of an entry at its new place: its indentation, its line ends, and the text that moves with
//! it.

use std::ops::Range;

use super::{Inner, Insertion, Layout};
use crate::edit::emit::Style;
use crate::edit::removal;
use crate::model::shape::group_name;
use crate::schema::{DirectiveRole, Schema};
use crate::syntax::{Entry, quoted_if_needed};

impl<'d> Layout<'d> {
    pub(super) fn style(
        &self,
        within: Option<Entry<'d>>,
        sibling: Option<Entry<'d>>,
        content: &Insertion,
    ) -> Style {
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
        let unit = self.around.unit_of(block).unwrap_or_else(|| self.unit_like(&block.keyword()));
        let lined = block.children().filter(|entry| self.around.begins_line(entry.start())).last();
        let indent = match lined {
            Some(sibling) => self.around.indent(sibling.start()).into(),
            None => format!("{}{unit}", self.around.indent(block.start())).into(),
        };
        Inner { unit, indent }
    }

    pub(super) fn lines(&self, content: &Insertion, style: &Style) -> String {
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

    pub(super) fn inline(&self, content: &Insertion) -> String {
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

    pub(super) fn needs_own_line(&self, content: &Insertion) -> bool {
        match content {
            Insertion::New(draft) => draft.block.as_ref().is_some_and(|entries| !entries.is_empty()),
            Insertion::Line(entry) => {
                self.document.text()[self.line_chunk(self.document.entry(*entry))].contains('#')
            }
            Insertion::Block(_) => true,
            Insertion::Copy { of, .. } => {
                let entry = self.document.entry(*of);
                removal::block_chunk(&self.around, entry) != (entry.start()..entry.end())
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
