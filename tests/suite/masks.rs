//! The masks in real files: each stands behind a name that `tests/fixtures/masked_names.txt` lists by hand.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use mediaconf::plumbing::edit::ChangeRequest;
use mediaconf::plumbing::model::{Masker, masked_document, masked_json};
use mediaconf::plumbing::syntax::Document;
use mediactl::engine::{ChangeOptions, Engine, Hooks, NewText, Refusal};
use mediactl::store::file::ConfFile;
use serde_json::{Value, json};

use crate::cli::{CONF, Place};
use crate::law::is_valid;
use crate::{fixtures, laws};

const MASK: &str = "<secret:000000>";

#[test]
fn every_mask_in_a_real_file_stands_behind_a_name_that_is_listed() {
    let path = fixtures::root().join("masked_names.txt");
    let listed = fs::read_to_string(&path).expect("the list is there");
    let listed: BTreeSet<&str> = listed.lines().filter(|line| !line.starts_with('#')).collect();
    let texts = texts();
    let mut unlisted = BTreeSet::new();
    for (name, text) in texts {
        let masked = masked_document(&Document::parse(text), &Masker::opaque());
        for line in masked.lines() {
            let names = line.match_indices(MASK).map(|(at, _)| name_before(&line[..at]));
            unlisted.extend(
                names.filter(|found| !listed.contains(found)).map(|found| format!("{name}: {found}: {line}")),
            );
        }
    }
    let unlisted: Vec<String> = unlisted.into_iter().collect();
    assert!(unlisted.is_empty(), "{}", unlisted.join("\n"));
}

/// Texts in which secrets stand in odd places.
fn odd_texts() -> Vec<(String, String)> {
    let names = [
        "password",
        "pin",
        "api_key",
        "cluster_key",
        "edit_auth",
        "auth",
        "url",
        "weird",
        "title",
        "header.token",
        "http",
        "secret password",
        "auth http://h",
        "url rtsp://u:p4ss@h/x",
    ];
    let values = [
        "",
        "x",
        "\"x y\"",
        "5",
        "007",
        "1.50",
        "1e9",
        "true",
        "null",
        "\"\"",
        "a b c",
        "token=abc",
        "token abc",
        "\"token=a b\"",
        "password=p4ss key=k3y",
        "rtsp://u:p4ss@h/x?token=t1",
        "\"rtsp://u:p%40w@h/a b\" aac=true",
        "x { password y; token z; }",
        "{ password y; pin 5; token a b; }",
        "{ inner { key k; } }",
        "a { header.token \"a;b\"; token t; }",
        "x # password old",
        "a=\"b c\" password=\"d e\"",
        "x; password y; password z",
        "q\\\"1",
        "\"q\\\"1\"",
        "admin:pw",
        "user:pass@host",
        "Bearer abc.def",
    ];
    let line = |name: &str, value: &str| match value {
        block if block.ends_with('}') => format!("{name} {block}\n"),
        comment if comment.contains('#') => format!("{name} {comment}\n;\n"),
        _ => format!("{name} {value};\n"),
    };
    let is_known = |text: &String| is_valid(&Document::parse(text.clone()));
    let mut texts = Vec::new();
    for name in names {
        let lines = values.map(|value| line(name, value));
        texts.extend(
            lines.iter().filter(|_| ["cluster_key", "edit_auth", "auth", "http"].contains(&name)).cloned(),
        );
        for block in ["stream", "live", "template"] {
            let blocks = lines.iter().enumerate().map(|(at, line)| format!("{block} b{at} {{\n  {line}}}\n"));
            texts.push(blocks.filter(is_known).collect());
        }
    }
    texts.into_iter().filter(is_known).map(|text| (text.clone(), text)).collect()
}

/// Whoever reads with masks and sends back what was read, as JSON or as text, changes nothing.
#[test]
fn what_was_read_with_masks_can_be_sent_back() {
    let mut valid: Vec<_> =
        laws::texts().into_iter().filter(|(_, text)| is_valid(&Document::parse(text.clone()))).collect();
    valid.extend(odd_texts());
    valid.sort_by(|(_, one), (_, other)| one.cmp(other));
    valid.dedup_by(|(_, one), (_, other)| one == other);
    let place = Place::empty();
    fixtures::all(
        valid,
        |(name, _)| name.clone(),
        |(_, text)| {
            place.put(CONF, text);
            let store = ConfFile::resolve(&place.path(CONF)).expect("the file is there");
            let engine = Engine::new(Arc::new(store), Hooks::default(), |_, _| {});
            let read = engine.read().map_err(|refusal| refusal.to_string())?;
            let masker = Masker::default();
            let options = ChangeOptions {
                base: Some(read.revision()),
                masks: Some(masker.clone()),
                ..ChangeOptions::default()
            };
            let json = masked_json(&read.config().to_json(), &masker);
            let masked = masked_document(read.document(), &masker);
            let request = ChangeRequest::from(json.clone());
            let told = |refusal: Refusal| format!("{refusal} {:?}\n{text}\n{json}", refusal.faults);
            let by_json = engine.modify(&request, &options).map_err(told)?;
            let by_text = engine.save(&NewText::Whole(masked.into()), &options).map_err(told)?;
            // Beside another change, and each stream under another name.
            let whole = read.config().to_json();
            let names = whole["streams"].as_object().into_iter().flat_map(|streams| streams.keys());
            let moved = names.take(1).map(|name| {
                [&whole, &json].map(|view| {
                    let group = json!({ name: null, "another name": view["streams"][name] });
                    json!({ "streams": group })
                })
            });
            let [mut more, mut masked_more] = [whole.clone(), json.clone()];
            for view in [&mut more, &mut masked_more] {
                view["streams"]["one more"] = json!({ "urls": [{ "url": "udp://239.9.9.9:9" }] });
            }
            for [open, masked] in moved.chain([[more, masked_more]]) {
                let made = |patch: &Value, options: &ChangeOptions| {
                    let options = ChangeOptions { dry_run: true, force: true, ..options.clone() };
                    engine.modify(&ChangeRequest::from(patch.clone()), &options).map(|outcome| {
                        let after = outcome.after().and_then(|after| after.snapshot());
                        after.map(|after| String::from_utf8_lossy(after.bytes()).into_owned())
                    })
                };
                let (open, sent) = (made(&open, &ChangeOptions::default()), made(&masked, &options));
                match (open, sent) {
                    (Ok(open), Ok(sent)) if open == sent => {}
                    (Err(_), Err(_)) => {}
                    (open, sent) => return Err(format!("{masked}\n{open:?}\n{sent:?}")),
                }
            }
            match !by_json.is_change() && !by_text.is_change() && place.text() == *text {
                true => Ok(()),
                false => Err(format!("{text}\n{}", place.text())),
            }
        },
    );
}

/// The valid files of the repository, its worked edits, and the corpus where it is there.
fn texts() -> Vec<(String, String)> {
    let edits = fixtures::cases("edit").into_iter();
    let edits = edits.filter_map(|case| Some((case.name(), String::from_utf8(case.bytes("in.conf")).ok()?)));
    edits.chain(fixtures::valid_texts()).collect()
}

/// What a mask behind `before`, the start of its line, stands behind: `://` in a URL, the name before `=` or `:`, or
/// the keyword of the line.
fn name_before(before: &str) -> &str {
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if before.ends_with("://") {
        return "://";
    }
    match before.trim_end().strip_suffix(['=', ':']) {
        Some(name) => name.rsplit(|c| !is_in_name(c)).next().unwrap_or(name),
        None => before.trim_start_matches(['#', ' ', '\t']).split([' ', '\t']).next().unwrap_or(before),
    }
}
