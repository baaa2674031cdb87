//! The laws, over every fixture and its mutations: each prefix, each deleted byte, CRLF, BOM.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mediaconf::{Document, FaultKind, check};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixtures;
use crate::law::{
    an_empty_patch_is_the_identity, changes_only_what_it_says, is_valid, parsing_changes_nothing, patched,
    view,
};

/// Every text there is: fixtures, worked cases, corpus.
pub fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for kind in ["edit", "view", "refuse", "check"] {
        texts.extend(fixtures::cases(kind).iter().map(|case| (case.name(), case.lossy("in.conf"))));
    }
    texts.extend(fixtures::cases("edit").iter().map(|case| (case.name(), case.text("out.conf"))));
    let files = ["valid", "invalid"].into_iter().flat_map(fixtures::whole_files);
    texts.extend(files.map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned())));
    texts
}

/// A plain run examines one of this many prefixes, and one of this many texts with a deleted character.
pub const SAMPLE: usize = 32;

/// The same where every mutation is meant. Fixtures that are alike but for their names, of which
/// there are many, have the others in their turn.
const EVERY: usize = 4;

/// The mutations of the text with this number: those of the whole, and one in `stride` of the
/// others, from another place in each text.
pub fn mutations(number: usize, text: &str, stride: usize) -> impl Iterator<Item = String> + '_ {
    let places = move || text.char_indices().skip(number % stride).step_by(stride);
    let prefixes = places().map(|(at, _)| text[..at].to_owned());
    let deletions = places().map(|(at, c)| format!("{}{}", &text[..at], &text[at + c.len_utf8()..]));
    let whole =
        [text.to_owned(), text.replace('\n', "\r\n"), format!("\u{feff}{text}"), text.trim_end().to_owned()];
    prefixes.chain(deletions).chain(whole)
}

/// Mutations that differ in one character only are alike: each is given one of so many parts of the patches.
const TURNS: usize = 3;

fn looks_at_everything(text: &str) {
    looks_at(text, 0, 1);
}

/// Gives a text to the laws, with one in `turns` of the patches.
fn looks_at(text: &str, turn: usize, turns: usize) {
    let document = parsing_changes_nothing(text);
    if !is_valid(&document) {
        return;
    }
    an_empty_patch_is_the_identity(&document);
    for patch in some_patches(&document).into_iter().skip(turn % turns).step_by(turns) {
        changes_only_what_it_says(&document, &patch);
    }
}

/// Patches that touch what is there, and what is not.
fn some_patches(document: &Document) -> Vec<Value> {
    let mut patches = vec![
        json!({"rtmp": 1936, "brand_new": {"x": ["a", {"b": 1}]}}),
        json!({"auth": {"url": "http://new/", "extra": {"n": "1"}}}),
        json!({"http": [81, "127.0.0.1:82"], "streams": {"brand new": {"urls": [{"url": "udp://9", "p": 1}], "prepush": 3}}}),
        json!({"brand_new": [["a"], ["b", {"c": true}]], "lives": {"zz": {"publish_enabled": false}}, "plugins": {"pp": {}}}),
        json!({"streams": null, "edit_auth": {"login": "l", "password": "p w"}}),
    ];
    let own = view(document, true);
    for (name, stream) in own["streams"].as_object().into_iter().flatten().take(2) {
        patches.push(
            json!({"streams": {name: {"prepush": 7, "transcoder": [["vb", 5000], ["x"]], "note": "a b"}}}),
        );
        patches.push(
            json!({"streams": {name: {"urls": [{"url": "udp://8", "q": "1"}], "auth": {"url": false}}}}),
        );
        let mut urls = stream["urls"].as_array().cloned().unwrap_or_default();
        urls.reverse();
        urls.push(json!({"url": "udp://last"}));
        patches.push(json!({"streams": {name: {"urls": urls, "static": false, "position": 1}}}));
        patches.push(json!({"streams": {name: null}}));
    }
    for key in own.as_object().into_iter().flatten().map(|(key, _)| key).filter(|key| *key != "http_options")
    {
        patches.push(json!({ key: null }));
    }
    patches
}

pub fn caught<T>(test: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(test)).map_err(|panic| {
        panic.downcast::<String>().map_or_else(|_| "panicked".to_owned(), |message| *message)
    })
}

#[test]
fn laws_hold_for_every_fixture() {
    fixtures::all_texts(texts(), |text| caught(|| looks_at_everything(text)));
}

#[test]
fn laws_hold_for_a_sample_of_mutations() {
    laws_hold_for_mutations(SAMPLE);
}

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the proofs"]
fn laws_hold_for_every_mutation() {
    laws_hold_for_mutations(EVERY);
}

/// Of about every second short text; longer ones, and the other half, are looked at whole alone. The name of a text
/// says which of its mutations are examined, so that a new fixture changes nothing for the others.
fn laws_hold_for_mutations(stride: usize) {
    let number = |name: &str| name.bytes().map(usize::from).sum::<usize>();
    let is_meant = |name: &str, text: &str| text.len() < 700 && number(name) % 2 == 0;
    fixtures::all(
        texts().into_iter().filter(|(name, text)| is_meant(name, text)),
        |(name, _)| name.clone(),
        |(name, text)| {
            let number = number(name) / 2;
            for (turn, mutation) in mutations(number, text, stride).enumerate() {
                caught(|| looks_at(&mutation, number + turn, TURNS))
                    .map_err(|error| format!("{mutation:?}\n{error}"))?;
            }
            Ok(())
        },
    );
}

#[test]
fn a_set_followed_by_its_unset_restores_the_bytes() {
    fixtures::all_texts(texts(), |text| caught(|| restores(&Document::parse(text))));
}

/// `;` that were supplied and one-line forms that became blocks stay so; the fixtures say how.
fn restores(document: &Document) {
    if !is_valid(document) {
        return;
    }
    let own = view(document, true);
    let mut pairs = vec![(json!({"brand_new": "x"}), json!({"brand_new": null}))];
    if own.get("rtmp").is_none() {
        pairs.push((json!({"rtmp": 1}), json!({"rtmp": null})));
    }
    for entry in document.members().own_by_key("streams") {
        let unterminated = entry.children().any(|child| !child.is_terminated());
        let braces_touch = entry.is_block() && document.text()[entry.body()].is_empty();
        if entry.is_block() && !unterminated && !braces_touch {
            let name = entry.group_name().value();
            pairs.push((
                json!({"streams": {&*name: {"brand_new": "x"}}}),
                json!({"streams": {&*name: {"brand_new": null}}}),
            ));
        }
    }
    pairs.iter().for_each(|pair| comes_back(document, pair));
}

/// Setting and unsetting restores the bytes; an empty text gets a line end that stays.
pub fn comes_back(document: &Document, (set, unset): &(Value, Value)) {
    let text = document.text();
    let after = patched(document, set).expect("it can be set");
    let back = patched(&after, unset).expect("it can be unset");
    let is_empty = text.trim_start_matches('\u{feff}').is_empty();
    assert!(back.text() == text || is_empty, "{set}\n{text:?}\n{:?}\n{:?}", after.text(), back.text());
}

#[test]
fn a_patch_of_one_stream_changes_only_its_lines() {
    for case in fixtures::cases("edit") {
        let document = Document::parse(case.text("in.conf"));
        if !is_valid(&document) {
            continue;
        }
        for entry in document.members().own_by_key("streams") {
            let name = entry.group_name().value();
            let patch = json!({"streams": {&*name: {"prepush": 31, "marker": ["a", "b"]}}});
            let edit = document
                .modify(patch, FaultKind::DOUBTS)
                .expect("it is a fine patch")
                .expect("it changes something");
            let (old, new) = (document.text(), edit.document.text());
            // The comment behind a one-line form goes with its source.
            let below = old[entry.end()..].find(['\r', '\n']).map_or("", |at| &old[entry.end() + at..]);
            assert!(new.starts_with(&old[..entry.start()]) && new.ends_with(below), "{}", case.name());
        }
    }
}

fn word() -> impl Strategy<Value = String> {
    let odd = r#"true false -0 007 9007199254740992 "" "5" a"b"c "\\\"" 'q' @at a#b"#;
    let odd: Vec<String> = odd.split(' ').map(str::to_owned).chain(["\"a b\"".to_owned()]).collect();
    prop_oneof!["[a-z]{1,4}", "[0-9]{1,3}", prop::sample::select(odd)]
}

pub fn entries(depth: u32) -> BoxedStrategy<String> {
    let words = prop::collection::vec(word(), 0..3).prop_map(|words| words.join(" ")).boxed();
    let keyword = prop_oneof![
        "k[ab]",
        "[a-c]",
        Just("name".to_owned()),
        Just("\"q k\"".to_owned()),
        Just("@k".to_owned())
    ];
    let directive =
        (keyword.clone(), words.clone()).prop_map(|(keyword, words)| format!("{keyword} {words};"));
    let entry = if depth == 0 {
        directive.boxed()
    } else {
        let block = (keyword, words, entries(depth - 1))
            .prop_map(|(keyword, words, inner)| format!("{keyword} {words} {{ {inner} }}"));
        prop_oneof![2 => directive, 1 => block].boxed()
    };
    prop::collection::vec(entry, 0..5).prop_map(|entries| entries.join("\n")).boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// The general rule is total and can be undone: a text's view, written into an empty file,
    /// reads back as the same view.
    #[test]
    fn the_general_rule_is_reversible(text in entries(2), in_stream in any::<bool>()) {
        let text = if in_stream { format!("stream s {{\n{text}\n}}\n") } else { text };
        let document = Document::parse(text);
        prop_assume!(is_valid(&document));
        let own = view(&document, true);
        let empty = Document::parse(String::new());
        if let Some(written) = patched(&empty, &own) {
            prop_assert_eq!(&view(&written, true), &own, "{}\n{}", document.text(), written.text());
        } else {
            prop_assert!(false, "refused: {}", own);
        }
    }

    #[test]
    fn no_text_makes_anything_panic(text in "[a-z \t\r\n;{}\"\\\\'#@=:0-9]{0,60}") {
        looks_at_everything(&text);
    }
}

const PIECES: &str = r#"stream ondemand live plugin template http rtmp auth edit_auth url urls prepush transcoder title
    disabled dvr include push steam a cam1 "cam1" "a_b" 80 70000 udp://239.0.0.1:1234 htp://x false 90% 5d vb=1024k k=v k=w
    'q \ "\x" "\"" " é ~!| a_word_of_over_sixteen_bytes"#;
/// Separated by `§`; blanks are the most frequent ones.
const GAPS: &str =
    " § § §\n§\n  §\t§\r\n§;§;\n§;\n  § {\n  §{§}§}\n§; }\n§ # c\n§# k v;\n§# c\r x\n§ \\\n§\u{feff}§\0§";

fn random_texts_are_checked_as_they_are_read(cases: u32) {
    let (pieces, gaps): (Vec<_>, Vec<_>) = (PIECES.split_whitespace().collect(), GAPS.split('§').collect());
    let piece = (prop::sample::select(pieces), prop::sample::select(gaps));
    let texts = prop::collection::vec(piece.prop_map(|(word, gap)| format!("{word}{gap}")), 0..40);
    proptest!(ProptestConfig { cases, ..ProptestConfig::default() }, |(pieces in texts)| {
        parsing_changes_nothing(&pieces.concat());
    });
}

#[test]
fn some_random_texts_are_checked_as_they_are_read() {
    random_texts_are_checked_as_they_are_read(2_000);
}

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the proofs"]
fn many_random_texts_are_checked_as_they_are_read() {
    random_texts_are_checked_as_they_are_read(30_000);
}

proptest! {
    #[test]
    fn parsing_arbitrary_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
        Document::from_bytes(bytes);
    }
}

#[test]
fn depth_and_length_are_bounded() {
    for text in [
        "{".repeat(20_000),
        "a {".repeat(20_000),
        "\"".repeat(20_001),
        format!("k {};", "x ".repeat(200_000)),
        // A quote that is never closed is looked for to the end of the text once, not in each line.
        "a \\\"\n".repeat(200_000),
        format!("a \"\n{}", "\\\"\"\"\n".repeat(200_000)),
        // Each of these is reported, without a second search for the start of its line.
        format!("#{}", "\r".repeat(500_000)),
    ] {
        check(&text);
        Document::parse(text);
    }
    let deep = format!("{}{}", "a {".repeat(64), "}".repeat(64));
    assert!(is_valid(&Document::parse(deep.clone())));
    assert!(!is_valid(&Document::parse(format!("a {{{deep}}}"))));
}
