//! The laws of changes that are rolled back, over every fixture and the corpus: the bytes return.

use mediaconf::{
    AssignOptions, BlockContent, BlockRequest, Document, Entry, Kind, Path, Schema, Scope, Segment,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fixtures;
use crate::law::{is_valid, patched, view};
use crate::laws::{caught, comes_back, texts};

fn hold_for_every_valid_text(texts: Vec<(String, String)>, law: impl Fn(&Document)) {
    fixtures::all_texts(texts, |text| {
        let document = Document::parse(text);
        // No patch can write a placeholder.
        if is_valid(&document) && !text.contains("${") { caught(|| law(&document)) } else { Ok(()) }
    });
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
        // Two come at once, and go at once.
        let pair =
            (json!({group: {"new 1": block, "new 2": {}}}), json!({group: {"new 1": null, "new 2": null}}));
        comes_back(document, &pair);
    }
}

#[test]
fn adding_a_block_in_front_of_the_first_and_removing_it_restores_the_bytes() {
    hold_for_every_valid_text(texts(), |document| {
        let lined = lined_blocks(document);
        for kind in Kind::ALL {
            let members = document.members();
            let Some(first) = members.own_by_key(kind.key()).first() else { continue };
            let above = document.text()[..first.start()].trim_start_matches('\u{feff}');
            let is_apart = above.is_empty() || above.ends_with("\n\n") || above.ends_with("\r\n\r\n");
            if is_apart && lined.iter().any(|(_, entry)| entry.id() == first.id()) {
                let patch = |value| json!({kind.key(): {"brand new": value}});
                comes_back(document, &(patch(json!({"position": 1})), patch(Value::Null)));
            }
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
                    let (now, expected) = (now.text(), expected.text());
                    let told = || format!("{group} without {gone:?}\n{full:?}\n{now:?}\n{expected:?}");
                    assert!(now == expected || is_empty, "{}", told());
                }
            }
        }
    });
}

/// A copy of each block comes and goes.
fn copies_come_and_go(document: &Document) {
    for (kind, entry) in lined_blocks(document) {
        let name = entry.group_name().value().into_owned();
        let path = |name: &str| Path {
            segments: [kind.key(), name].map(|key| Segment::Key(key.to_owned())).to_vec(),
        };
        let request = BlockRequest {
            content: BlockContent::Copied(path(&name)),
            to: path("a copy"),
            assignments: Vec::new(),
            options: AssignOptions::default(),
        };
        let copied = document.edit(&request.into()).expect("it can be copied").document;
        let back = patched(&copied, &json!({kind.key(): {"a copy": null}})).expect("it can be removed");
        let (old, new) = (document.text(), back.text());
        assert!(new == old, "{name}\n{old:?}\n{:?}\n{new:?}", copied.text());
    }
}

/// Blocks that stand together go to each other's place and back.
fn neighbours_move_there_and_back(document: &Document) {
    for kind in Kind::ALL {
        let members = document.members();
        let entries = members.own_by_key(kind.key());
        let mut first = 0;
        for paragraph in entries.chunk_by(|a, b| stand_together(document.text(), *a, *b)) {
            let places = first..first + paragraph.len();
            first = places.end;
            if !is_headed_or_bare(document.text(), paragraph) {
                continue;
            }
            for (from, to) in places.clone().flat_map(|from| places.clone().map(move |to| (from, to))) {
                let name = entries[from].group_name().value();
                let position = |place: usize| json!({kind.key(): {&*name: {"position": place + 1}}});
                comes_back(document, &(position(to), position(from)));
            }
        }
    }
}

/// A block that is removed, and made again of its JSON, reads as it did.
fn blocks_are_made_again(document: &Document) {
    let own = view(document, true);
    for (kind, entry) in lined_blocks(document) {
        let name = entry.group_name().value();
        let patch = |value: &Value| json!({kind.key(): {&*name: value}});
        let gone = patched(document, &patch(&Value::Null)).expect("it can be removed");
        let back = patched(&gone, &patch(&own[kind.key()][&*name])).expect("it can be made again");
        assert_eq!(view(&back, true), own, "{name}\n{}\n{}", document.text(), back.text());
    }
}

/// The streams, lives and plugins that share no line with others.
fn lined_blocks(document: &Document) -> Vec<(Kind, Entry<'_>)> {
    let members = document.members();
    let of_kind = |kind: Kind| members.own_by_key(kind.key()).iter().map(move |entry| (kind, *entry));
    let is_lined = |(_, entry): &(Kind, Entry<'_>)| {
        let (above, below) = (&document.text()[..entry.start()], &document.text()[entry.end()..]);
        let before = above.rsplit('\n').next().unwrap_or(above).trim_start_matches('\u{feff}').trim();
        let behind = below.lines().next().unwrap_or(below).trim();
        entry.is_terminated() && before.is_empty() && (behind.is_empty() || behind.starts_with('#'))
    };
    Kind::ALL.into_iter().flat_map(of_kind).filter(is_lined).collect()
}

/// True if nothing but comments that are no headings stands between the lines of two blocks.
fn stand_together(text: &str, a: Entry<'_>, b: Entry<'_>) -> bool {
    let (behind, between) = text[a.end()..b.start()].split_once('\n').unwrap_or(("x", ""));
    let mut between = between.lines();
    let is_free = |line: &str| line.trim().is_empty() || line.trim().starts_with('#');
    let is_comment =
        |line: &str| line.trim().starts_with('#') && line.trim().ends_with(char::is_alphanumeric);
    a.is_terminated() && is_free(behind) && between.all(is_comment)
}

/// True if a comment stands above these blocks, or none between them: one that comes to the top of a paragraph is
/// a heading from then on.
fn is_headed_or_bare(text: &str, paragraph: &[Entry<'_>]) -> bool {
    let [first, .., last] = paragraph else { return true };
    let above = text[..first.start()].trim_end_matches([' ', '\t']);
    let above = above.strip_suffix('\n').unwrap_or(above);
    let is_headed = above.rsplit('\n').next().is_some_and(|line| line.trim().starts_with('#'));
    is_headed || !text[first.start()..last.start()].lines().any(|line| line.starts_with('#'))
}

#[test]
fn a_copy_that_is_removed_restores_the_bytes() {
    hold_for_every_valid_text(texts(), copies_come_and_go);
}

#[test]
fn blocks_that_stand_together_move_there_and_back() {
    hold_for_every_valid_text(texts(), neighbours_move_there_and_back);
}

#[test]
fn a_block_that_is_made_again_of_its_json_reads_as_it_did() {
    hold_for_every_valid_text(texts(), blocks_are_made_again);
}

/// A section: its heading, the number of blank lines above, and between its blocks, and the comment of each block.
type Section = (&'static str, usize, usize, Vec<&'static str>);

fn section() -> impl Strategy<Value = Section> {
    let heading = prop::sample::select(vec!["# --- heading ---\n", "# Heading:\n"]);
    let comments = prop::collection::vec(prop::sample::select(vec!["", "", "# of its own\n"]), 1..5);
    (heading, 1..3_usize, 0..3_usize, comments)
}

/// The text of sections, and the names of the blocks of each.
fn of_sections(sections: &[Section]) -> (String, Vec<Vec<String>>) {
    let (mut text, mut names) = ("http 80;\n".to_owned(), Vec::new());
    for (number, (heading, above, between, comments)) in sections.iter().enumerate() {
        text += &"\n".repeat(*above);
        text += heading;
        let blocks = comments
            .iter()
            .enumerate()
            .map(|(at, comment)| format!("{comment}stream s{number}_{at} {{\n}}\n"));
        text += &blocks.collect::<Vec<_>>().join(&"\n".repeat(*between));
        names.push((0..comments.len()).map(|at| format!("s{number}_{at}")).collect());
    }
    (text, names)
}

/// Texts of blocks, blank lines, headings and other comments, where `NAME` stands for a name.
const LINES: &[&str] = &[
    "\n",
    "\n",
    "# of its own\n",
    "# Heading:\n",
    "# --- heading ---\n",
    "stream NAME {\n  url udp://1;\n}\n",
    "stream NAME {\n  url udp://1;\n}\n",
    "stream NAME; # here\n",
    "ondemand NAME {\n} # there\n",
    "live NAME {\n}\n",
    "plugin NAME;\n",
    "template NAME {\n  prepush 5;\n}\n",
    "rtsp 554;\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn comments_return_in_any_text(lines in prop::collection::vec(prop::sample::select(LINES), 0..12)) {
        let named = lines.iter().enumerate().map(|(at, line)| line.replace("NAME", &format!("n{at}")));
        let document = Document::parse(named.collect::<String>());
        copies_come_and_go(&document);
        neighbours_move_there_and_back(&document);
        blocks_are_made_again(&document);
    }

    #[test]
    fn blocks_below_a_heading_move_there_and_back(sections in prop::collection::vec(section(), 1..4)) {
        let (text, names) = of_sections(&sections);
        let document = Document::parse(text);
        let mut first = 1;
        for names in &names {
            let positions = first..first + names.len();
            first = positions.end;
            for (from, name) in positions.clone().zip(names) {
                for to in positions.clone() {
                    let position = |at: usize| json!({"streams": {name: {"position": at}}});
                    comes_back(&document, &(position(to), position(from)));
                }
            }
        }
    }
}

#[test]
fn a_bare_flag_set_false_and_then_true_is_a_bare_flag_again() {
    hold_for_every_valid_text(texts(), |document| {
        let members = document.members();
        for flag in flags(document.entries().collect(), Scope::Top) {
            comes_back(document, &(json!({&*flag: false}), json!({&*flag: true})));
        }
        for entry in members.own_by_key("streams") {
            let name = entry.group_name().value();
            let scope = Kind::Streams.scope();
            for flag in flags(entry.children().collect(), scope) {
                let patch = |value| json!({"streams": {&*name: {&*flag: value}}});
                comes_back(document, &(patch(false), patch(true)));
            }
        }
    });
}

/// The JSON keys of unknown directives that are one bare flag each, and that false does not take away.
fn flags(entries: Vec<Entry<'_>>, scope: Scope) -> Vec<String> {
    let is_flag = |entry: &&Entry<'_>| {
        let keyword = entry.keyword();
        scope.by_keyword(&keyword).is_none()
            && !Schema::is_flag(&keyword)
            && !entry.is_block()
            && entry.is_terminated()
            && entry.arguments().next().is_none()
            && entries.iter().filter(|other| other.keyword() == keyword).count() == 1
    };
    let key = |entry: &Entry<'_>| scope.key_of(&entry.keyword()).into_owned();
    entries.iter().filter(is_flag).map(key).collect()
}
