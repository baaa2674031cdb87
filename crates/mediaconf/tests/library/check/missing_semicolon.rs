//! A missing `;` before another directive is seen in nine of ten real places; its signs, and words that are no such sign.

use mediaconf::{Document, Entry, check};

use super::found;
use crate::fixtures;

/// The most places of one file that are tried, evenly apart.
const MOST_OF_A_FILE: usize = 40;

/// The places of the `;` in a text behind which another entry follows.
fn places(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let (mut all, document) = (Vec::new(), Document::parse(text.to_owned()));
    let mut left: Vec<Entry<'_>> = document.entries().collect();
    while let Some(entry) = left.pop() {
        let end = entry.end() - 1;
        if !entry.is_block() && bytes[end] == b';' && starts_entry(&text[end + 1..]) {
            all.push(end);
        }
        left.extend(entry.children());
    }
    all.sort_unstable();
    let step = all.len().div_ceil(MOST_OF_A_FILE).max(1);
    all.into_iter().step_by(step).collect()
}

/// True if behind white space and comments there is a word.
fn starts_entry(mut rest: &str) -> bool {
    loop {
        rest = rest.trim_start();
        match rest.strip_prefix('#') {
            Some(comment) => rest = comment.find('\n').map_or("", |end| &comment[end..]),
            None => return !rest.is_empty() && !rest.starts_with(['}', ';', '{']),
        }
    }
}

fn messages(text: &str) -> Vec<String> {
    check(text).iter().map(|found| found.message.clone()).collect()
}

#[test]
fn a_missing_semicolon_before_another_directive_is_seen_in_nine_of_ten_places() {
    let (mut seen, mut unseen) = (0, Vec::new());
    for (name, text) in fixtures::valid_texts() {
        let before = messages(&text);
        for at in places(&text) {
            let broken = format!("{}{}", &text[..at], &text[at + 1..]);
            if messages(&broken).iter().any(|message| !before.contains(message)) {
                seen += 1;
            } else {
                let line = text[..at].rsplit('\n').next().unwrap_or_default();
                unseen.push(format!("{name}: `{line}` and what follows"));
            }
        }
    }
    let all = seen + unseen.len();
    println!("seen {seen} of {all}");
    assert!(all > 80, "there are places to try");
    assert!(seen * 10 >= all * 9, "{seen} of {all} are seen, but not\n{}", unseen.join("\n"));
}

#[test]
fn a_keyword_that_starts_a_line_of_another_directive_is_a_sign_of_a_missing_semicolon() {
    for (text, line) in [
        ("pulsedb /var/lib/media\nhttp 80;\n", 2),
        ("session_log /var/log # of sessions\n\nstream a {\n}\n", 3),
        ("session_log /var/log\n  edit_auth admin pw;\n", 2),
        ("stream a {\n  url udp://239.0.0.1:1\n  dvr /storage 7d;\n}\n", 3),
        ("stream a { url udp://239.0.0.1:1\n  prepush 5;\n}\n", 2),
        ("template t {\n\tprefix t\n\turl publish://;\n}\n", 3),
        ("server api {\n  listen 80\n  location / {\n    root /x;\n  }\n}\n", 3),
        ("stream a {\n  thumbnails\n  publish_enabled;\n}\n", 3),
        ("stream a {\n  newest 5\n  latest_of 6;\n}\n", 3),
        ("stream a { url udp://239.0.0.1:1 prepush 5; }\n", 1),
        ("stream a { url udp://239.0.0.1:1 tcp dvr /storage 7d; }\n", 1),
        ("session_log /var/log http 80; stream a;\n", 1),
        ("stream a { transcoder vb=1k dvr /storage 7d; }\n", 1),
        ("stream a { title \"A 1\" url udp://239.0.0.1:1; }\n", 1),
    ] {
        let found = found(text);
        let is_seen = found.iter().any(|found| {
            found.starts_with(&format!("{line}:")) && found.contains("inside another directive")
        });
        assert!(is_seen, "{text}\n{found:#?}");
    }
}

#[test]
fn keywords_that_are_values_are_no_sign_of_a_missing_semicolon() {
    for text in [
        "stream auth {\n  url udp://1;\n}\nstream http {\n  url auth;\n}\nlive live;\nplugin stream;\n",
        "stream a {\n  url rtsp://x/root http=1 rtmp;\n}\n",
        "file http http://storage/prefix;\nfile stream {\n}\nserver root {\n}\n",
        "stream a {\n  protocols hls dash\n    rtmp\n    http;\n}\n",
        "stream a {\n  rtp udp;\n  only live stream auth;\n  meta title live;\n}\n",
        "auth_backend x {\n  allow token auth;\n  allow ip 10.0.0.0/8;\n}\n",
        "stream a {\n  transcoder vb=1024k\n    preset=fast\n    ab=64k;\n}\n",
        "stream a {\n  url udp://239.1.1.1:5000\n      priority=1 # first\n      timeout=5;\n}\n",
        "auth a.lua\nk=1\nroot=2;\n",
        "stream a\n{\n  url udp://239.0.0.1:1;\n}\n",
        "domains a.example\nhttp.example\n\"live\";\n",
        "dvr main root /storage limits 7d;\n",
        "newest a\nlatest;\nnewest a\n5 6;\nnewest a\n  latest 6;\n",
        "stream live udp://239.0.0.1:1 input;\nondemand root file://auth/live.mp4;\n",
    ] {
        let mut found = found(text);
        found.retain(|line| !line.ends_with("the stream has no source"));
        assert_eq!(found, [""; 0], "{text}");
    }
}

#[test]
fn many_missing_semicolons_cost_what_the_text_is_long() {
    let text = "session_log\nhttp\n".repeat(40_000);
    let found = check(text);
    assert_eq!((found.warnings(), found.errors()), (79_999, 1));
    assert_eq!(found.iter().count() + found.dropped(), 80_000);
}
