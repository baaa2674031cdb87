//! Merges a change of a text (`base` to `mine`) with what others made of the same text meanwhile (`theirs`).
//!
//! The result has the values of the other text, and those that the change set. It is made of the merged lines, because
//! they have the comments and the order, too; where lines clash, the values of the change are set in the other text.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::draft::merge::{Merged, decided_for_theirs, first_marker, merge as merge_lines};
use super::put_back::put_back;
use super::schema_path::{Place, own_value};
use super::{FaultKind, json_diff, modify};
use crate::model::{Config, has_errors};
use crate::schema::{Kind, Object};
use crate::syntax::{Document, Entry, TokenKind, tokens};

/// Two changes of the same lines, in which more than values differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinesClash {
    /// The first of these lines in the merged text, from 1.
    pub line: Option<usize>,
}

/// Returns the patch from the values of one text to those of another; neither has errors.
pub fn patch_between(from: &Document, to: &Document) -> Object {
    let [from, to] = [from, to].map(Config::own);
    json_diff::diff(&from.lookup(), &to.lookup())
}

/// Returns `theirs`, which others made of `base`, with the change that `mine` makes of `base`, whose values are `patch`.
/// Where both changed the same value, each in its own way, `mine` wins. Without a patch, as of a base with errors, only
/// lines are merged. Neither of the changed texts has errors.
///
/// # Errors
/// Both changed the same lines, and a comment or a new order of `mine` would be lost, or a value can't be set alone.
pub fn rebase(
    base: &Document,
    mine: &Document,
    theirs: &Document,
    patch: Option<Object>,
) -> Result<Vec<u8>, LinesClash> {
    let (lines, clash) = merged_lines(base, mine, theirs);
    let clash = LinesClash { line: clash };
    let lines = lines.map(Document::from_bytes).filter(|lines| !has_errors(lines));
    let is_clean = clash.line.is_none();
    let Some(patch) = patch else {
        let whole = lines.filter(|_| is_clean).ok_or(clash)?;
        return Ok(whole.bytes().to_vec());
    };
    let moved = Moved::between(base, mine, theirs);
    let has_order = |whole: &Document| moved.as_ref().is_none_or(|moved| moved.is_kept_in(whole));
    if let Some(lines) = lines.as_ref().filter(|_| is_clean)
        && has_order(lines)
        && patch_between(theirs, lines) == patch
    {
        return Ok(lines.bytes().to_vec());
    }
    let by_values = match modify(theirs, Value::Object(patch), FaultKind::DOUBTS) {
        Ok(Some(edit)) => edit.document,
        // They made the same change.
        Ok(None) => Document::from_bytes(theirs.bytes().to_vec()),
        Err(_) => return Err(clash),
    };
    let values = own_view(&by_values);
    if let Some(lines) = lines.as_ref().filter(|lines| is_clean && has_order(lines))
        && own_view(lines) == values
    {
        // Others made a part of the change, too.
        return Ok(lines.bytes().to_vec());
    }
    let made = lines.iter().chain([theirs]).filter_map(|text| with_values(text, mine, &values));
    let comments = comments_of([(mine, 1), (theirs, 1), (base, -1)]);
    let mut whole =
        made.chain([by_values]).filter(|whole| comments_of([(whole, 1)]) == comments && has_order(whole));
    whole.next().map(|whole| whole.bytes().to_vec()).ok_or(clash)
}

/// Returns the merged lines, where they clash those of `theirs`, and then the number of the first one. There are none
/// where it is unknown which lines are markers.
fn merged_lines(base: &Document, mine: &Document, theirs: &Document) -> (Option<Vec<u8>>, Option<usize>) {
    match merge_lines(base.bytes(), mine.bytes(), theirs.bytes()) {
        Merged::Clean(lines) => (Some(lines), None),
        Merged::Clash(marked) => {
            let is_known = first_marker(theirs.bytes()).is_none();
            (is_known.then(|| decided_for_theirs(&marked)), first_marker(&marked))
        }
    }
}

/// A text with these values: as it is, else with the lines that blocks had in `old`; `None` if it can't
/// have them.
fn with_values(text: &Document, old: &Document, values: &Value) -> Option<Document> {
    let present = own_view(text);
    if present == *values {
        return Some(Document::from_bytes(text.bytes().to_vec()));
    }
    let values_of_old = own_view(old);
    let is_as_before = |kind: Kind, name: &str| {
        let [before, wanted] = [&values_of_old, values].map(|view| view[kind.key()].get(name));
        before.is_some() && before == wanted
    };
    let whole = put_back(text, old, is_as_before);
    let present = (!has_errors(&whole)).then(|| own_view(&whole))?;
    let result = changed(&whole, &present, values).unwrap_or(whole);
    (!has_errors(&result) && own_view(&result) == *values).then_some(result)
}

/// Returns the own view of a document, as JSON.
fn own_view(document: &Document) -> Value {
    let view = Config::new(document).to_json();
    own_value(Place::Root, &view).unwrap_or_else(|| json!({}))
}

/// The document with the wanted values; `None` if these can't be set, or are there.
fn changed(document: &Document, present: &Value, wanted: &Value) -> Option<Document> {
    let patch = json_diff::diff(present, wanted);
    let edit = modify(document, Value::Object(patch), FaultKind::DOUBTS).ok()??;
    Some(edit.document)
}

/// Counts each comment over several texts, each with its own factor.
fn comments_of<'d>(texts: impl IntoIterator<Item = (&'d Document, isize)>) -> HashMap<&'d str, isize> {
    let mut counts = HashMap::new();
    for (document, times) in texts {
        for comment in tokens(document.text()).filter(|token| token.kind == TokenKind::Comment) {
            *counts.entry(comment.raw).or_default() += times;
        }
    }
    counts.retain(|_, count| *count != 0);
    counts
}

/// A change that moves entries or comments: the names in its text, and in the two others.
struct Moved {
    base: OrderedNames,
    mine: OrderedNames,
    theirs: OrderedNames,
}

impl Moved {
    /// `None` if `mine` has what it has of `base` in the order of that.
    fn between(base: &Document, mine: &Document, theirs: &Document) -> Option<Self> {
        let [base, mine] = [base, mine].map(OrderedNames::of);
        let is_moved = base.order(&[&mine]) != mine.order(&[&base]);
        is_moved.then(|| Self { base, mine, theirs: OrderedNames::of(theirs) })
    }

    /// True if a text has what was moved in its new order, and none of it twice.
    fn is_kept_in(&self, whole: &Document) -> bool {
        let Self { base, mine, theirs } = self;
        let whole = OrderedNames::of(whole);
        let is_once = |(name, found): (&String, &usize)| {
            base.count(name) + found <= mine.count(name) + theirs.count(name)
        };
        whole.counts.iter().all(is_once) && mine.order(&[base, &whole]) == whole.order(&[base, mine])
    }
}

/// The names of the entries and comments of a text in their order, and how often it has each.
struct OrderedNames {
    all: Vec<String>,
    counts: HashMap<String, usize>,
}

impl OrderedNames {
    fn of(document: &Document) -> Self {
        let (all, mut counts) = (names_of(document), HashMap::new());
        all.iter().for_each(|name| *counts.entry(name.clone()).or_default() += 1);
        Self { all, counts }
    }

    fn count(&self, name: &str) -> usize {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// Those that are in the other texts, too, and in each of them once.
    fn order(&self, others: &[&Self]) -> Vec<&str> {
        let is_once =
            |name: &&str| self.count(name) == 1 && others.iter().all(|other| other.count(name) == 1);
        self.all.iter().map(String::as_str).filter(is_once).collect()
    }
}

/// The comments, and each entry by its keyword alone and with its first word, behind the names of those around it.
fn names_of(document: &Document) -> Vec<String> {
    let comments = tokens(document.text()).filter(|token| token.kind == TokenKind::Comment);
    let mut names: Vec<_> = comments.map(|token| (token.start, token.raw.to_owned())).collect();
    document.entries().for_each(|entry| add_names(entry, "", &mut names));
    names.sort_by_key(|(place, _)| *place);
    names.into_iter().map(|(_, name)| name).collect()
}

fn add_names(entry: Entry<'_>, around: &str, names: &mut Vec<(usize, String)>) {
    let mut words = entry.words();
    let keyword = words.next().map_or(String::new(), |word| format!("{around}/{}", word.value()));
    let name = words.next().map_or(keyword.clone(), |word| format!("{keyword} {}", word.value()));
    entry.children().for_each(|child| add_names(child, &name, names));
    let place = entry.start();
    let named = (name != keyword).then_some((place, name));
    names.extend([(place, keyword)].into_iter().chain(named));
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "# top\nrtmp 1;\nhttp 80;\nrtsp 2;\n\nstream a {\n  url udp://a;\n  title A;\n}\n";

    fn made(mine: &[[&str; 2]], theirs: &[[&str; 2]]) -> Result<String, LinesClash> {
        let replaced = |changes: &[[&str; 2]]| {
            let text = changes.iter().fold(BASE.to_owned(), |text, [from, to]| {
                assert!(text.contains(from), "{text} {from}");
                text.replace(from, to)
            });
            Document::parse(text)
        };
        let (base, mine) = (Document::parse(BASE), replaced(mine));
        let whole = rebase(&base, &mine, &replaced(theirs), Some(patch_between(&base, &mine)))?;
        Ok(String::from_utf8(whole).expect("it is text"))
    }

    #[track_caller]
    fn check(mine: &[[&str; 2]], theirs: &[[&str; 2]]) {
        let both = [theirs, mine].concat();
        let expected = both.iter().fold(BASE.to_owned(), |text, [from, to]| text.replace(from, to));
        assert_eq!(made(mine, theirs), Ok(expected), "{mine:?} {theirs:?}");
    }

    #[test]
    fn both_changes_are_in() {
        check(&[["rtmp 1", "rtmp 3"]], &[["title A", "title B"]]);
        check(&[["# top", "# new"]], &[["title A", "title B"]]);
        check(&[["rtmp 1", "rtmp 3"]], &[]);
        check(&[], &[["rtmp 1", "rtmp 3"]]);
        // Lines that stand side by side.
        check(&[["rtmp 1", "rtmp 3"]], &[["http 80", "http 81"]]);
        check(&[["rtmp 1;\n", ""]], &[["http 80", "http 81"]]);
        check(&[["\n}", "\n  prepush 3;\n}"]], &[["title A", "title B"]]);
        check(&[["udp://a", "udp://b"]], &[["\n  title A;", "\n  prepush 3;\n  title A;"]]);
        // The same change.
        check(&[["rtmp 1", "rtmp 3"]], &[["rtmp 1", "rtmp 3"], ["http 80", "http 81"]]);
        check(&[["# top", "# new"]], &[["# top", "# new"], ["http 80", "http 81"]]);
        check(
            &[["# top", "# new"], ["rtmp 1", "rtmp 3"]],
            &[["# top", "# new"], ["rtmp 1", "rtmp 3"], ["rtsp 2", "rtsp 4"]],
        );
        // A comment on a line that others changed, in the other's way.
        check(&[["# top", "# new"], ["rtsp 2", "rtsp 4"]], &[["http 80", "http 81"]]);
    }

    #[test]
    fn of_one_value_mine_wins() {
        let whole = made(&[["rtmp 1", "rtmp 3"]], &[["rtmp 1", "rtmp 4"], ["title A", "title B"]]);
        assert_eq!(whole, Ok(BASE.replace("rtmp 1", "rtmp 3").replace("title A", "title B")));
    }

    #[test]
    fn a_new_order_is_in_or_is_a_clash() {
        let moved = [["# top\nrtmp 1;", "rtmp 1;\n# top"]];
        assert!(made(&moved, &[["rtmp 1", "rtmp 5"]]).is_err());
        let swapped = [["rtmp 1;\nhttp 80;", "http 80;\nrtmp 1;"]];
        assert!(made(&swapped, &[["http 80", "http 81"]]).is_err());
        check(&swapped, &[["title A", "title B"]]);
        check(&[["rtmp 1", "rtmp 3"]], &[["http 80;\nrtsp 2;", "rtsp 2;\nhttp 80;"]]);
    }

    #[test]
    fn a_comment_that_would_be_lost_is_a_clash() {
        let clash = Err(LinesClash { line: Some(2) });
        assert_eq!(made(&[["rtmp 1;", "rtmp 1; # mine"]], &[["rtmp 1;", "rtmp 1; # theirs"]]), clash);
        assert_eq!(made(&[["http 80", "# one\nhttp 80"]], &[["rtmp 1;", "rtmp 1; # theirs"]]), clash);
    }
}
