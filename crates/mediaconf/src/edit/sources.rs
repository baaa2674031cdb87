//! Sources that share a directive: with the name of their stream in its header, or with each other in a `urls A B;` line.
//! Before a stream is edited, each gets a line of its own where the edit needs it. That changes no value and no comment.

use std::cell::LazyCell;

use serde_json::Value;

use super::order::{sources_of, switched};
use super::surroundings::Surroundings;
use crate::schema::codec::{group_name, header_address, is_plural, write_members};
use crate::schema::fault::Faults;
use crate::schema::json_pointer::Pointer;
use crate::schema::members::Members;
use crate::schema::{Object, SOURCE, Schema};
use crate::syntax::{Document, Entry, Splice};

/// Returns the changes that give sources their own lines where this patch needs it.
pub(super) fn spread(document: &Document, members: &Members<'_>, patch: &Object) -> Vec<Splice> {
    let around = LazyCell::new(|| Surroundings::new(document));
    let mut splices = Vec::new();
    for kind in Schema::media().kinds {
        let Some(Value::Object(blocks)) = patch.get(kind.key()) else { continue };
        for &entry in members.own_by_key(kind.key()) {
            let Some(Value::Object(patch)) = blocks.get(&*group_name(entry).value()) else { continue };
            let plural: Vec<Entry<'_>> =
                entry.children().filter(|&line| kind.has_sources() && is_plural(line)).collect();
            if entry.is_block() && plural.is_empty() {
                continue;
            }
            let (current, inside) = (kind.read(entry), Members::group(kind.scope(), entry.children()));
            let (root, mut faults) = (Pointer::root(), Faults::default());
            let patch = switched(&current, patch, &root, &mut faults);
            let Ok(mut target) = kind.merge(Some((&current, &inside)), &patch, &root) else { continue };
            let list = |value: Option<Value>| match value {
                Some(Value::Array(sources)) => sources,
                _ => Vec::new(),
            };
            let key = sources_of(kind).map_or("", |row| row.key);
            let (old, new) = (list(current.get(key).cloned()), list(target.shift_remove(key)));
            if entry.is_block() {
                if !new.is_empty() && !new.starts_with(&old) {
                    plural.into_iter().for_each(|line| split(&around, line, &mut splices));
                }
            } else if new.len() > old.len()
                || new.len() > 1
                || !write_members(kind.scope(), &target).is_empty()
            {
                splices.push(opened(&around, entry, !new.is_empty()));
            }
        }
    }
    splices
}

/// Makes a line of each word of a `urls A B;` line.
fn split(around: &Surroundings<'_>, line: Entry<'_>, splices: &mut Vec<Splice>) {
    let next_line = format!("{}{}", around.newline(line.start()), around.indent(line.start()));
    let words: Vec<_> = line.words().map(|word| word.start as usize..word.end() as usize).collect();
    splices.push(Splice { range: words[0].clone(), text: SOURCE.address.to_owned() });
    for pair in words[1..].windows(2) {
        let range = pair[0].end..pair[1].start;
        let comments = comments(&around.document().text()[range.clone()]);
        let shares_line = comments.is_empty() && !around.begins_line(line.start());
        let joint = if shares_line { " " } else { &next_line };
        splices.push(Splice { range, text: format!(";{comments}{joint}{} ", SOURCE.address) });
    }
}

/// Gives a stream, live or plugin a block in the place of what stands behind its name. The comments in front of the
/// source stay behind the brace; those behind it stay there, and the one behind the `;` if the source `stays`.
fn opened(around: &Surroundings<'_>, entry: Entry<'_>, stays: bool) -> Splice {
    let text = around.document().text();
    let name = group_name(entry).end() as usize;
    let head = (entry.head_span().end as usize).max(name);
    let semicolon = entry.end() - usize::from(entry.is_terminated());
    let line_end = around.line_end(entry.end());
    let trailing = text[entry.end()..line_end].trim_end();
    let style = around.style_of(entry);
    let newline = style.newline;
    let behind = comments(&text[head..semicolon]);
    let joint = |above: &str| if above.is_empty() { "" } else { newline };
    let (inside, end) = match header_address(entry).map(|address| address.positional.start as usize) {
        Some(source) => {
            let takes_trailing = stays && trailing.trim_start().starts_with('#');
            let trailing = if takes_trailing { trailing } else { "" };
            let below = if trailing.is_empty() { "" } else { joint(behind) };
            let (above, source) = (comments(&text[name..source]), &text[source..head]);
            let line = format!("{}{}{} {source};", style.indent, style.unit, SOURCE.address);
            let inside = format!("{above}{newline}{line}{behind}{below}{trailing}");
            (inside, if takes_trailing { line_end } else { entry.end() })
        }
        None => (behind.to_owned(), entry.end()),
    };
    Splice { range: name..end, text: format!(" {{{inside}{newline}{}}}", style.indent) }
}

/// What stands between two words, if there are comments.
fn comments(gap: &str) -> &str {
    if gap.contains('#') { gap.trim_end() } else { "" }
}
