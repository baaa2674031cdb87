//! The laws of changes that are rolled back, over every fixture and the corpus: the bytes return.

use mediaconf::model::member::{Member, Members, key_of};
use mediaconf::model::schema::{Kind, Scope, by_keyword, is_flag};
use mediaconf::model::shape::OptionWord;
use mediaconf::model::top_members;
use mediaconf::syntax::{Document, Entry, quoted_word};
use serde_json::{Value, json};

use crate::fixtures;
use crate::law::{is_valid, patched, view};
use crate::laws::{caught, comes_back, texts};

fn hold_for_every_valid_text(
    texts: Vec<(String, String)>,
    law: impl Fn(&Document) + Sync + std::panic::RefUnwindSafe,
) {
    let documents = texts.into_iter().map(|(name, text)| (name, Document::parse(text)));
    let valid: Vec<_> = documents.filter(|(_, document)| is_valid(document)).collect();
    fixtures::all(valid, |(name, _)| name.clone(), |(_, document)| caught(|| law(document)));
}

/// Blank lines that a file may end with.
const BLANK_ENDS: &[&str] = &["", "\n", "\n\n\n", "\r\n\r\n", "\n  "];

#[test]
fn adding_and_removing_a_block_restores_the_bytes_also_where_the_file_ends_in_blank_lines() {
    let ended = |(name, text): (String, String)| {
        BLANK_ENDS.iter().map(move |end| (format!("{name} {end:?}"), format!("{text}{end}")))
    };
    hold_for_every_valid_text(texts().into_iter().flat_map(ended).collect(), blocks_come_and_go);
}

fn blocks_come_and_go(document: &Document) {
    for (group, block) in [
        ("streams", json!({})),
        ("streams", json!({"urls": [{"url": "udp://1"}], "brand_new": {"x": 1}})),
        ("lives", json!({})),
        ("lives", json!({"publish_enabled": false})),
        ("plugins", json!({"brand_new": true})),
    ] {
        let pair = (json!({group: {"brand new": block}}), json!({group: {"brand new": null}}));
        comes_back(document, &pair);
    }
}

/// Two come at once, and go at once.
#[test]
fn adding_and_removing_several_blocks_restores_the_bytes() {
    hold_for_every_valid_text(texts(), |document| {
        for group in ["streams", "lives", "plugins"] {
            let pair =
                (json!({group: {"new 1": {}, "new 2": {}}}), json!({group: {"new 1": null, "new 2": null}}));
            comes_back(document, &pair);
        }
    });
}

/// Neighbours come one after the other, and go together or one by one: then the bytes are those of a text to
/// which only the others were added.
#[test]
fn removing_neighbours_leaves_what_adding_the_others_makes() {
    let patch = |group: &str, names: &[&str], block: &Value| {
        let members = names.iter().map(|name| ((*name).to_owned(), block.clone()));
        json!({group: members.collect::<serde_json::Map<_, _>>()})
    };
    let block = json!({"x": {"y": 1}});
    let added = |document: &Document, group: &str, names: &[&str]| {
        names.iter().fold(document.clone(), |document, name| {
            patched(&document, &patch(group, &[name], &block)).expect("it can be added")
        })
    };
    let names = ["n1", "n2", "n3"];
    let ways: [&[&[&str]]; 2] = [&[&["n1", "n2"], &["n3"]], &[&["n2"], &["n1", "n3"]]];
    hold_for_every_valid_text(texts(), |document| {
        for group in ["streams", "lives", "plugins"] {
            for way in ways {
                let (mut now, mut left) = (added(document, group, &names), names.to_vec());
                for gone in way {
                    let full = now.text().to_owned();
                    now = patched(&now, &patch(group, gone, &Value::Null)).expect("they can be removed");
                    left.retain(|name| !gone.contains(name));
                    let expected = added(document, group, &left);
                    let is_empty = document.text().trim_start_matches('\u{feff}').is_empty();
                    assert!(
                        now.text() == expected.text() || is_empty,
                        "{group} without {gone:?}\n{full:?}\n{:?}\n{:?}",
                        now.text(),
                        expected.text()
                    );
                }
            }
        }
    });
}

#[test]
fn a_bare_flag_set_false_and_then_true_is_a_bare_flag_again() {
    hold_for_every_valid_text(texts(), |document| {
        let members = top_members(document);
        for flag in members.foreign().iter().filter_map(|member| flag(member, Scope::Top)) {
            comes_back(document, &(json!({&*flag: false}), json!({&*flag: true})));
        }
        for entry in members.own_by_key("streams") {
            let name = mediaconf::model::shape::group_name(*entry).value();
            let scope = Kind::Stream.scope();
            let inner = Members::group(scope, entry.children());
            for flag in inner.foreign().iter().filter_map(|member| flag(member, scope)) {
                let patch = |value| json!({"streams": {&*name: {&*flag: value}}});
                comes_back(document, &(patch(false), patch(true)));
            }
        }
    });
}

/// The JSON key of an unknown directive that is one bare flag, and that false does not take away.
fn flag(member: &Member<'_>, scope: Scope) -> Option<String> {
    let is_unknown = |entry: Entry<'_>| by_keyword(scope, &*entry.keyword()).is_none();
    match member.entries[..] {
        [entry]
            if is_unknown(entry)
                && !is_flag(&entry.keyword())
                && !entry.is_block()
                && entry.is_terminated()
                && entry.arguments().next().is_none() =>
        {
            Some(key_of(scope, &member.keyword).into_owned())
        }
        _ => None,
    }
}

#[test]
fn a_quoted_option_that_is_changed_and_changed_back_keeps_its_quotes() {
    hold_for_every_valid_text(texts(), |document| {
        let own = view(document, true);
        for entry in top_members(document).own_by_key("streams").iter().filter(|entry| entry.is_block()) {
            let name = mediaconf::model::shape::group_name(*entry).value();
            let sources: Vec<Entry<'_>> = entry.children().filter(|child| child.keyword() == "url").collect();
            let urls = &own["streams"][&*name]["urls"];
            if urls.as_array().is_none_or(|urls| urls.len() != sources.len()) {
                continue;
            }
            for (index, source) in sources.iter().enumerate() {
                for key in
                    source.arguments().skip(1).filter_map(|word| quoted_option(OptionWord::split(word)))
                {
                    if urls[index].get(&key).is_some_and(Value::is_string) {
                        let mut changed = urls.clone();
                        changed[index][&key] = json!("x");
                        let patch = |urls: &Value| json!({"streams": {&*name: {"urls": urls}}});
                        comes_back(document, &(patch(&changed), patch(urls)));
                    }
                }
            }
        }
    });
}

/// The key of an option whose value stands in quotes as we would write them.
fn quoted_option(option: OptionWord<'_>) -> Option<String> {
    let value = option.value.filter(|value| value.raw == quoted_word(&value.value()))?;
    (value.value() != "x").then(|| option.key.value().into_owned())
}
