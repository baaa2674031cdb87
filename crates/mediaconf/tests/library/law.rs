//! The laws themselves: what holds of any text, and of any patch on it. The tests of `laws` put
//! every fixture and its mutations to them; the fuzz targets, which include this file, whatever a
//! fuzzer finds.

use mediaconf::{
    ChangedValue, Config, Document, EditError, Effects, Entry, FaultKind, LineIndex, Schema, Scope, Token,
    check,
};
use serde_json::{Value, json};

use crate::oracle;

pub fn is_valid(document: &Document) -> bool {
    !document.has_errors()
}

pub fn view(document: &Document, own_only: bool) -> Value {
    let config = if own_only { Config::own(document) } else { Config::new(document) };
    serde_json::to_value(config).expect("a view is JSON")
}

/// True if a block has a parameter both in its form and in another one, of which no patch can make the other only.
pub fn holds_misshapen(view: &Value) -> bool {
    match view {
        Value::Object(members) => {
            let is_both = |key: &String| key.strip_prefix('@').is_some_and(|key| members.contains_key(key));
            members.keys().any(is_both) || members.values().any(holds_misshapen)
        }
        _ => false,
    }
}

/// The document after a patch; the same one if nothing changes, `None` if the patch is refused.
pub fn patched(document: &Document, patch: &Value) -> Option<Document> {
    match document.modify(patch.clone(), FaultKind::DOUBTS) {
        Ok(Some(edit)) => Some(edit.document),
        Ok(None) => Some(document.clone()),
        Err(EditError::Faults(_)) => None,
        Err(EditError::Unproved(at)) => panic!("not proved at {at}\n{}\n{patch}", document.text()),
    }
}

/// Reads a text, and finds what is wrong with it, and where.
pub fn parsing_changes_nothing(text: &str) -> Document {
    let document = Document::parse(text.to_owned());
    assert_eq!(document.text(), text, "parsing changes no text");
    let lines = LineIndex::new(text);
    let found = check(text);
    assert_eq!(document.has_errors(), found.errors() > 0, "both see the same errors\n{text}");
    for diagnostic in found.iter() {
        let related = diagnostic.related.iter().map(|(span, _)| span);
        for span in std::iter::once(&diagnostic.span).chain(related) {
            assert!(text.get(span.start as usize..span.end as usize).is_some(), "{text:?}\n{diagnostic:?}");
            lines.line_range(lines.position(span.start).line);
        }
    }
    document.secret_spans();
    document
}

/// Formatting keeps words, comments, their order and the JSON, and formats a formatted text no further.
pub fn formatting_changes_white_space_only(text: &str) {
    let document = Document::parse(text);
    if !is_valid(&document) {
        return;
    }
    let after = document.formatted().expect("it is proved").unwrap_or_else(|| document.clone());
    let new = after.text();
    assert!(is_valid(&after), "{text:?}\n{new:?}");
    assert_eq!(view(&document, false), view(&after, false), "{text:?}\n{new:?}");
    let raw = |text: &str| Token::all(text).map(|token| token.raw.to_owned()).collect::<Vec<_>>();
    assert_eq!(raw(text), raw(new));
    assert!(after.formatted().expect("it is proved").is_none(), "{text:?}\n{new:?}");
}

/// What asks for nothing, or for what is there already, changes nothing.
pub fn an_empty_patch_is_the_identity(document: &Document) {
    let nothing = document.modify(json!({}), &[]).expect("an empty patch is fine");
    assert!(nothing.is_none(), "an empty patch is the identity");
    let view = view(document, false);
    // The depth of patches is bounded as that of texts is, and a text that is nearly as deep as it
    // may be is deeper as JSON, where a block has a level for its name, too.
    if depth(&view) > Document::MAX_DEPTH {
        return;
    }
    let full = Schema::parse_patch(view.to_string().as_bytes()).expect("a view is a patch");
    let sent_back = document.modify(full, FaultKind::DOUBTS).map_err(|error| format!("{error:?}"));
    assert!(matches!(sent_back, Ok(None)), "the view sent back changes nothing: {sent_back:?}");
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// An edit does what its patch says, and nothing else; one that is refused does nothing.
pub fn changes_only_what_it_says(document: &Document, patch: &Value) {
    let Some(after) = patched(document, patch) else { return };
    let (old, new) = (document.text(), after.text());
    assert!(is_valid(&after), "an edit makes no errors\n{old}\n{patch}\n{new}");
    let twice = patched(&after, patch).unwrap_or_else(|| panic!("a patch is taken twice\n{new}\n{patch}"));
    let is_once = twice.text() == new || patch.to_string().contains("position");
    assert!(is_once, "edit twice is edit once\n{patch}\n{new}\n{}", twice.text());
    let reduced = Schema::normalize(patch.clone()).expect("what is done can be asked for");
    says_what_was_asked_for(document, &reduced, &after);
    leaves_alone_what_is_not_named(document, &reduced, &after);
    keeps_the_last_line_end(old, new);
    counts_the_effects_on_all(document, &after);
}

/// The effects of an edit, for which streams with the same text are passed over, are those of a comparison of all.
fn counts_the_effects_on_all(document: &Document, after: &Document) {
    let views = [document, after].map(|document| view(document, false));
    let between = |[old, new]: [&Config<'_>; 2]| Effects::of(&ChangedValue::between(old, new), [old, new]);
    let of_all = between([&Config::from(&views[0]), &Config::from(&views[1])]);
    let effects = between([&Config::new(document), &Config::new(after)]);
    assert_eq!(effects, of_all, "\n{}\n{}", document.text(), after.text());
}

fn says_what_was_asked_for(document: &Document, reduced: &Value, after: &Document) {
    let expected = oracle::merge(&view(document, true), reduced);
    let [found, expected] =
        [oracle::canon(&view(after, true)), expected].map(|value| oracle::without_emptied(value, reduced));
    let texts = || format!("{}\n{reduced}\n{}", document.text(), after.text());
    assert_eq!(found, expected, "own(new) = canon(merge(own(old), Schema::normalize(patch)))\n{}", texts());
    // `==` of objects does not look at the order of their keys.
    let extras = |value: &Value| value["auth"]["extra"].to_string();
    assert_eq!(extras(&found), extras(&expected), "extras in order\n{}", texts());
    for group in ["streams", "lives", "plugins"] {
        let names =
            |value: &Value| value[group].as_object().map(|group| group.keys().cloned().collect::<Vec<_>>());
        let is_moved = |block: &Value| block.get("position").is_some();
        if !reduced[group].as_object().is_some_and(|patch| patch.values().any(is_moved)) {
            assert_eq!(names(&found), names(&expected), "{group} in order\n{}", texts());
        }
        for (name, block) in found[group].as_object().into_iter().flatten() {
            let expected = extras(&expected[group][name]);
            assert_eq!(extras(block), expected, "extras of {name} in order\n{}", texts());
        }
    }
}

/// What a patch does not name keeps its bytes: settings, and streams, lives and plugins one by one.
fn leaves_alone_what_is_not_named(document: &Document, reduced: &Value, after: &Document) {
    let [old, new] = [document, after].map(|of| not_named(of, reduced));
    assert_eq!(old, new, "only what is named changes\n{reduced}\n{}\n{}", document.text(), after.text());
}

/// The texts of all entries that a patch does not name, with their keys.
fn not_named(document: &Document, reduced: &Value) -> Vec<(String, String)> {
    let members = document.members();
    let mut texts = Vec::new();
    for parameter in Scope::Top.rows() {
        for entry in members.own(parameter) {
            let is_named = match (parameter.codec.facts().group, &reduced[parameter.key]) {
                (_, Value::Null) => reduced.get(parameter.key).is_some(),
                (Some(_), group) => group.get(&*entry.group_name().value()).is_some(),
                _ => true,
            };
            let is_port_with_options =
                parameter.codec.facts().list.is_some_and(|list| reduced.get(list.blocks).is_some());
            if !is_named && !is_port_with_options {
                texts.push((parameter.key.to_owned(), text_of(entry)));
            }
        }
    }
    for (keyword, entries) in &members.foreign {
        let key = Scope::Top.key_of(keyword).into_owned();
        if reduced.get(&key).is_none() {
            texts.extend(entries.iter().map(|entry| (key.clone(), text_of(entry))));
        }
    }
    // Blocks may have moved.
    texts.sort();
    texts
}

fn text_of(entry: &Entry<'_>) -> String {
    entry.document().text()[entry.start()..entry.end()].to_owned()
}

/// The file ends with a newline iff it did before; an empty one gets one, and a text of which
/// nothing is left has none to lose.
fn keeps_the_last_line_end(before: &str, after: &str) {
    let is_empty = |text: &str| text.trim_start_matches('\u{feff}').is_empty();
    if !is_empty(after) {
        let ends = is_empty(before) || before.ends_with('\n');
        assert_eq!(after.ends_with('\n'), ends, "{before:?}\n{after:?}");
    }
}
