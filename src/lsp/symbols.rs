//! The blocks and settings of a text, for an outline. Values are not shown: they may be secrets.

use mediaconf::{Entry, Schema, one_line};
use serde_json::{Value, json};

use super::caret::Enclosing;
use super::workspace::SourceText;

/// The protocol's number for a stream and other named blocks: `Object`.
const BLOCK: u8 = 19;

/// The protocol's number for a setting: `Property`.
const SETTING: u8 = 7;

/// The outline of a text: the entries of the top level, and the blocks inside them.
pub fn symbols(text: &SourceText) -> Value {
    entries(text, text.document().entries(), &Enclosing::top(Schema::media()))
}

fn entries<'d>(text: &SourceText, entries: impl Iterator<Item = Entry<'d>>, around: &Enclosing) -> Value {
    let shown = entries.filter(|entry| around.is_top() || entry.is_block());
    shown.map(|entry| symbol(text, entry, around)).collect()
}

fn symbol(text: &SourceText, entry: Entry<'_>, around: &Enclosing) -> Value {
    let keyword = entry.keyword();
    let schema = Schema::media();
    let is_named =
        around.is_top() && (schema.group_of(&keyword).is_some() || schema.has_named_blocks(&keyword));
    let name = entry.arguments().next().filter(|_| is_named);
    let selected = name.or_else(|| entry.words().next()).map_or(entry.span(), |word| word.span());
    // A name is not empty in the protocol.
    let shown = name.map(|name| name.value()).filter(|name| !name.is_empty());
    let shown = shown.as_deref().unwrap_or(if keyword.is_empty() { "{" } else { &keyword });
    let mut symbol = json!({
        "name": one_line(shown),
        "kind": if entry.is_block() || is_named { BLOCK } else { SETTING },
        "range": text.range(entry.start()..entry.end()),
        "selectionRange": text.range(selected.start as usize..selected.end as usize),
    });
    if is_named {
        symbol["detail"] = json!(keyword);
    }
    if entry.is_block() {
        let inside = around.inside(&keyword, entry.count_arguments());
        symbol["children"] = entries(text, entry.children(), &inside);
    }
    symbol
}
