//! The blocks and settings of a text, for an outline. Values are not shown: they may be secrets.

use mediaconf::plumbing::syntax::{Children, Entry, one_line};
use serde_json::{Value, json};

use super::caret::Enclosing;
use super::lines::PositionEncoding;
use super::open_text::OpenText;

/// The protocol's number for a stream and other named blocks: `Object`.
const BLOCK: u8 = 19;

/// The protocol's number for a setting: `Property`.
const SETTING: u8 = 7;

/// The outline of a text: the entries of the top level, and the blocks inside them.
pub fn symbols(text: &OpenText, encoding: PositionEncoding) -> Value {
    let document = text.snapshot.document();
    let outline = Outline { text, encoding };
    outline.entries(document.entries(), &Enclosing::top(document.schema()))
}

struct Outline<'t> {
    text: &'t OpenText,
    encoding: PositionEncoding,
}

impl Outline<'_> {
    fn entries(&self, entries: Children<'_>, around: &Enclosing) -> Value {
        entries
            .filter(|entry| around.is_top() || entry.is_block())
            .map(|entry| self.entry(entry, around))
            .collect()
    }

    fn entry(&self, entry: Entry<'_>, around: &Enclosing) -> Value {
        let keyword = entry.keyword();
        let schema = entry.schema();
        let is_named =
            around.is_top() && (schema.group_of(&keyword).is_some() || schema.has_named_blocks(&keyword));
        let name = entry.arguments().next().filter(|_| is_named);
        let selected = name.or_else(|| entry.words().next()).map_or(entry.span(), |word| word.span());
        let range = |bytes: std::ops::Range<u32>| {
            self.text.lines.range(self.text.text(), bytes.start as usize..bytes.end as usize, self.encoding)
        };
        // A name is not empty in the protocol.
        let shown = name.map(|name| name.value()).filter(|name| !name.is_empty());
        let shown = shown.as_deref().unwrap_or(if keyword.is_empty() { "{" } else { &keyword });
        let mut symbol = json!({
            "name": one_line(shown),
            "kind": if entry.is_block() || is_named { BLOCK } else { SETTING },
            "range": range(entry.span()),
            "selectionRange": range(selected),
        });
        if is_named {
            symbol["detail"] = json!(keyword);
        }
        if entry.is_block() {
            let children = self.entries(entry.children(), &around.inside(&keyword, entry.count_arguments()));
            if children != json!([]) {
                symbol["children"] = children;
            }
        }
        symbol
    }
}
