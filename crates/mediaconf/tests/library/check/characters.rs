//! Characters that no file of texts shows, other encodings, and a text that is long.

use mediaconf::check;

use super::findings::fixed;
use super::found;

#[test]
fn characters_that_nobody_sees_or_means_are_warnings() {
    for (text, at, message, after) in [
        ("http\u{a0}80;", "1:5", "a no-break space (U+00A0) in a word", "http 80;"),
        ("root /s\u{200b};", "1:8", "a zero-width space (U+200B) in a word", "root /s;"),
        ("a;\n\u{feff}rtmp 2;", "2:1", "a byte order mark (U+FEFF) in a word", "a;\nrtmp 2;"),
        ("root /s\u{1};", "1:8", "a control character (U+0001) in a word", "root /s\u{1};"),
        ("root \"/s\u{9b}\";", "1:9", "a control character (U+009B) in a word", "root \"/s\u{9b}\";"),
    ] {
        let mut found = found(text);
        found.retain(|line| !line.contains("wrong form"));
        assert_eq!(found, [format!("{at}: warning: {message}")], "{text}");
        assert_eq!(fixed(text), after);
    }
    for text in ["# a\u{a0}b\nroot \"/a\u{a0}b\";", "\u{feff}http 80;"] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn other_encodings_are_named_with_the_command_that_converts_them() {
    let utf16: Vec<u8> = "\u{feff}http 80;\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (text, encoding) in [(&*utf16, "UTF-16"), (b"root Z\xfcrich;", "LATIN1")] {
        let found = check(text);
        let hint = found.iter().next().and_then(|found| found.hint.as_ref()).expect("it has a hint");
        assert!(hint.contains(&format!("`iconv -f {encoding} -t UTF-8 FILE > NEW`")), "{hint}");
    }
    assert_eq!(check(utf16).count(), 1);
}

#[test]
fn a_second_listener_behind_a_long_comment_is_found_at_its_place() {
    let text = format!("http 80;\n# {}\nhttp 80;\n", "-".repeat(2 << 20));
    assert_eq!(found(&text), ["3:6: warning: `http 80` listens where `http` does"]);
}
