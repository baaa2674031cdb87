//! The edits of a command line, one a line: `PATH=VALUE` as behind `--set`, `string PATH=VALUE`,
//! `file PATH=VALUE`, and `PATH` alone as behind `--unset`; `create` as the first line is `--create`.
//!
//! What is asserted beside that nothing panics: a path that is printed is read back as the same; a
//! document at hand and its JSON from a server give the same patch, the same faults and the same
//! values; a patch that is computed is one that can be asked for; and its edit keeps the laws of
//! `crates/mediaconf/tests/library/law.rs`.
#![no_main]

#[allow(dead_code, reason = "the fixed text is known to be fine")]
#[path = "../../crates/mediaconf/tests/library/law.rs"]
mod law;
#[path = "../../crates/mediaconf/tests/library/oracle.rs"]
mod oracle;

use libfuzzer_sys::{Corpus, fuzz_target};
use mediaconf::{AssignOptions, AssignedValue, Assignment, Config, Document, Path, Schema};

/// Every shape there is, at least once.
const TEXT: &str = "\
http 80; http 127.0.0.1:8080 { api false; } rtmp 1935;
edit_auth admin pw; auth http://backend/ a=1 flag; cluster_key k;
stream a { url udp://1 priority=1; url udp://2; url udp://2; auth x y=z; transcoder vb=1024k size=hd;
  dvr /storage 5d; push a b; push c; iptv; meta title; rule { x { y 1; } } }
stream b { url udp://3; prepush 5; }
stream cam.1 { url udp://4; }
stream one udp://6 q=1;
ondemand later { url udp://5; }
live pub; live priv { publish_enabled false; }
plugin iptv { database sqlite; }
file vod { path /srv; }
";

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(lines) = str::from_utf8(bytes) else { return Corpus::Reject };
    let (create, lines) = match lines.strip_prefix("create\n") {
        Some(lines) => (true, lines),
        None => (false, lines),
    };
    let assignments: Vec<Assignment> = lines.lines().filter_map(assignment).collect();
    let document = Document::parse(TEXT.to_owned());
    let config = Config::new(&document);
    let json = config.to_json();
    let remote = Config::from(&json);
    for Assignment { path, .. } in &assignments {
        assert_eq!(config.select(path), remote.select(path), "{path}");
    }
    let options = AssignOptions { create, ..AssignOptions::default() };
    let computed = config.to_patch(&assignments, &[], options);
    assert_eq!(computed, remote.to_patch(&assignments, &[], options));
    match computed {
        Ok(patch) => {
            assert!(Schema::normalize(patch.clone()).is_ok(), "what is computed can be asked for: {patch}");
            law::changes_only_what_it_says(&document, &patch);
        }
        Err(faults) => assert!(!faults.is_empty(), "what is refused is refused for a reason"),
    }
    Corpus::Keep
});

/// None where the path is none.
fn assignment(line: &str) -> Option<Assignment> {
    let (text, change): (&str, fn(String) -> AssignedValue) = match line.split_once(' ') {
        Some(("string", text)) => (text, AssignedValue::Text),
        _ => (line, AssignedValue::Typed),
    };
    let (path, value) = Path::split_assignment(text).ok()?;
    assert_eq!(Path::parse(&path.to_string()).as_ref(), Ok(&path), "a path that is printed is the same path");
    assert_eq!(value.is_none(), Path::parse(text).is_ok(), "a path alone has no value");
    Some(Assignment { path, value: value.map_or(AssignedValue::Remove, |value| change(value.to_owned())) })
}
