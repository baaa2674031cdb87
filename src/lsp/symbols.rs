//! The blocks and settings of a text, for an outline. Values are not shown: they may be secrets.

use std::ops::Range;

use mediaconf::plumbing::schema::Schema;
use mediaconf::plumbing::syntax::{Entry, one_line};
use serde::Serialize;

use super::caret::Enclosing;
use super::lines::PositionEncoding;
use super::open_text::OpenText;
use super::protocol::{RequestFault, TextRange, list_in_json};

/// The protocol's number for a stream and other named blocks: `Object`.
const BLOCK: u8 = 19;

/// The protocol's number for a setting: `Property`.
const SETTING: u8 = 7;

/// An entry of the outline.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Symbol {
    name: String,
    kind: u8,
    range: TextRange,
    selection_range: TextRange,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Symbol>,
}

/// The outline of a text as JSON: the entries of the top level, and the blocks inside them.
///
/// # Errors
/// Of [`list_in_json`].
pub fn symbols(text: &OpenText, encoding: PositionEncoding) -> Result<String, RequestFault> {
    let document = text.snapshot.document();
    let outline = Outline { text, encoding };
    list_in_json(outline.entries(document.entries(), &Enclosing::top(Schema::media())))
}

struct Outline<'t> {
    text: &'t OpenText,
    encoding: PositionEncoding,
}

impl Outline<'_> {
    fn entries<'d>(
        &self,
        entries: impl Iterator<Item = Entry<'d>>,
        around: &Enclosing,
    ) -> impl Iterator<Item = Symbol> {
        entries.filter(|entry| around.is_top() || entry.is_block()).map(|entry| self.entry(entry, around))
    }

    fn entry(&self, entry: Entry<'_>, around: &Enclosing) -> Symbol {
        let keyword = entry.keyword();
        let schema = Schema::media();
        let is_named =
            around.is_top() && (schema.group_of(&keyword).is_some() || schema.has_named_blocks(&keyword));
        let name = entry.arguments().next().filter(|_| is_named);
        let selected = name.or_else(|| entry.words().next()).map_or(entry.span(), |word| word.span());
        let range = |bytes: Range<u32>| {
            self.text.lines.range(self.text.text(), bytes.start as usize..bytes.end as usize, self.encoding)
        };
        // A name is not empty in the protocol.
        let shown = name.map(|name| name.value()).filter(|name| !name.is_empty());
        let shown = shown.as_deref().unwrap_or(if keyword.is_empty() { "{" } else { &keyword });
        let inside = || {
            let inside = around.inside(&keyword, entry.count_arguments());
            self.entries(entry.children(), &inside).collect()
        };
        Symbol {
            name: one_line(shown),
            kind: if entry.is_block() || is_named { BLOCK } else { SETTING },
            range: range(entry.span()),
            selection_range: range(selected),
            detail: is_named.then(|| keyword.clone().into_owned()),
            children: if entry.is_block() { inside() } else { Vec::new() },
        }
    }
}
