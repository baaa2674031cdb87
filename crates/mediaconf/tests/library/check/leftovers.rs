//! What stands where it means nothing, and what a copy or a tool left in a text: what is said, and the text after the fix.

use mediaconf::{Document, Fix, Splice, check};

use super::found;

/// The text has exactly these diagnostics, and the fixes of all of them make the other text.
fn check_and_fix(text: &str, expected: &[&str], fixed: &str) {
    assert_eq!(found(text), expected, "{text}");
    let diagnostics = check(text);
    let fixes = diagnostics.iter().filter_map(|found| found.fix.clone());
    let splice = |fix: Fix| Splice { range: fix.span.start as usize..fix.span.end as usize, text: fix.text };
    let document = Document::parse(text.to_owned());
    assert_eq!(document.edited(&fixes.map(splice).collect::<Vec<_>>()).text(), fixed, "{text}");
}

#[test]
fn a_known_directive_in_the_wrong_block_is_a_warning() {
    for (text, expected) in [
        ("stream a {\n url u;\n rtmp 1;\n}", "3:2: warning: `rtmp` means nothing in `stream`"),
        ("live a {\n edit_auth a b;\n}", "2:2: warning: `edit_auth` means nothing in `live`"),
        ("template a {\n http 80;\n}", "2:2: warning: `http` means nothing in `template`"),
        ("plugin a {\n live b;\n}", "2:2: warning: `live` means nothing in `plugin`"),
        ("plugin a {\n view_auth b c;\n}", "2:2: warning: `view_auth` means nothing in `plugin`"),
        ("prepush 5;\nhttp 80;", "1:1: warning: `prepush` means nothing at the top level"),
        ("stream a u;\ninput u;", "2:1: warning: `input` means nothing at the top level"),
        ("stream a {\n url u;\nstream b u;\n}", "3:1: warning: `stream` stands in `stream`"),
        ("stream a {\n url u;\nplugin b {\n}\n}", "3:1: warning: `plugin` stands in `stream`"),
    ] {
        check_and_fix(text, &[expected], text);
    }
    for text in ["plugin a {\n rtmp 1;\n url u;\n}", "dvr a {\n root /s;\n}", "prepush 5;\nurl u;"] {
        check_and_fix(text, &[], text);
    }
    let found = check("stream a {\n  url udp://1;\nstream b udp://2;\n}\n");
    let (place, note) = found.iter().next().and_then(|found| found.related.clone()).expect("a second place");
    assert_eq!((place, &*note), (25..25, "is a `}` missing here?"));
}

#[test]
fn a_sign_between_name_and_value_is_a_warning_with_a_fix() {
    for (line, sign, column, fixed) in [
        ("rtmp=1935;", "=", 5, "rtmp 1935;"),
        ("auth = http://b;", "=", 5, "auth http://b;"),
        ("edit_auth=admin s;", "=", 10, "edit_auth admin s;"),
        ("location = /x;", "=", 9, "location /x;"),
        ("rtsp: 554;", ":", 5, "rtsp 554;"),
    ] {
        let name = fixed.split(' ').next().expect("a keyword");
        let message = format!("1:{column}: warning: `{sign}` between `{name}` and its value");
        check_and_fix(line, &[&message], fixed);
    }
    let error = "1:5: error: `=` between `rtmp` and its value";
    check_and_fix("rtmp = 1935;", &[error], "rtmp 1935;");
    let warnings = ["url", "dvr"].map(|name| format!("warning: `=` between `{name}` and its value"));
    let [url, dvr] = &warnings;
    let expected = [&*format!("2:4: {url}"), &*format!("3:4: {dvr}")];
    check_and_fix("stream a {\nurl = u;\ndvr=/s 7d;\n}", &expected, "stream a {\nurl u;\ndvr /s 7d;\n}");
    for text in ["location = /x {\n}", "sometool=5;", "peer a:80;", "auth_backend a { backend = b; }"] {
        check_and_fix(text, &[], text);
    }
}

#[test]
fn a_known_directive_in_another_letter_case_is_a_warning_with_a_fix() {
    for (line, fixed) in [
        ("RTMP 1935;", "rtmp 1935;"),
        ("Auth http://b;", "auth http://b;"),
        ("STREAM a u;", "stream a u;"),
        ("Http_Proxy x;", "http_proxy x;"),
    ] {
        let name = line.split(' ').next().expect("a keyword");
        check_and_fix(line, &[&format!("1:1: warning: unknown directive `{name}`")], fixed);
    }
    check_and_fix(
        "stream a {\n  URL u;\n}",
        &["2:3: warning: unknown directive `URL`"],
        "stream a {\n  url u;\n}",
    );
}

#[test]
fn characters_that_nobody_sees_or_means_are_warnings() {
    for (text, at, message, fixed) in [
        ("http\u{a0}80;", "1:5", "a no-break space (U+00A0) in a word", "http 80;"),
        ("root /s\u{200b};", "1:8", "a zero-width space (U+200B) in a word", "root /s;"),
        ("a;\n\u{feff}rtmp 2;", "2:1", "a byte order mark (U+FEFF) in a word", "a;\nrtmp 2;"),
        (
            "root “/a b”;",
            "1:6",
            "typographic quotes do not quote: they are part of the value",
            "root \"/a b\";",
        ),
        ("root /s\u{1};", "1:8", "a control character (U+0001) in a word", "root /s\u{1};"),
        ("root \"/s\u{9b}\";", "1:9", "a control character (U+009B) in a word", "root \"/s\u{9b}\";"),
    ] {
        let mut found = found(text);
        found.retain(|line| !line.contains("wrong form"));
        assert_eq!(found, [format!("{at}: warning: {message}")], "{text}");
        let fix = check(text).iter().find_map(|found| found.fix.clone());
        let mut after = text.to_owned();
        fix.inspect(|fix| after.replace_range(fix.span.start as usize..fix.span.end as usize, &fix.text));
        assert_eq!(after, fixed, "{text}");
    }
    for text in ["# a\u{a0}b “c”\nroot \"/a\u{a0}b\";", "\u{feff}http 80;", "root «a»;", "root Zürich;"]
    {
        check_and_fix(text, &[], text);
    }
}

#[test]
fn other_encodings_are_named_with_the_command_that_converts_them() {
    let hint = |bytes: &[u8]| check(bytes).iter().next().and_then(|found| found.hint.clone());
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let hint_of_utf16 = hint(&utf16("\u{feff}http 80;\n")).expect("a hint");
    assert_eq!(hint_of_utf16, "convert it: `iconv -f UTF-16 -t UTF-8 FILE > NEW`");
    assert_eq!(check(utf16("\u{feff}http 80;\n")).count(), 1);
    let hint_of_latin = hint(b"root Z\xfcrich;").expect("a hint");
    assert!(hint_of_latin.contains("`iconv -f LATIN1 -t UTF-8 FILE > NEW`"), "{hint_of_latin}");
}

#[test]
fn conflict_markers_and_placeholders_are_warnings() {
    let mark = |line: usize| format!("{line}:1: warning: a conflict marker of a merge");
    let text = "<<<<<<< a\nrtmp 1;\n=======\nrtmp 2;\n>>>>>>> b\nrtsp 3;\n";
    assert_eq!(found(text), [mark(1), mark(3), mark(5)], "{text}");
    for (text, column) in [("root ${DIR};", 6), ("root {{ dir }};", 6), ("{% if x %}", 1)] {
        let expected = format!("1:{column}: warning: a placeholder that was not filled in");
        assert!(found(text).contains(&expected), "{text}: {:?}", found(text));
    }
    for text in ["auth \"http://h/${NAME}\";", "# ${A} {{ b }}\nrtmp 1;", "stream a{url u;}"] {
        check_and_fix(text, &[], text);
    }
}

#[test]
fn a_damaged_address_is_a_warning() {
    for (url, message, fixed) in [
        ("\"http://h/?a=1&amp;b=2\"", "`&amp;` in an address is HTML for `&`", "\"http://h/?a=1&b=2\""),
        ("undefined", "`undefined` is no address", "undefined"),
        ("null", "`null` is no address", "null"),
        ("rtsp://", "an address without a host", "rtsp://"),
        ("udp://h:1,", "an address that ends with `,`", "udp://h:1"),
        (r"rtsp:\\h", r"`\` in an address", "rtsp://h"),
        // Its `;` ended the directive: no fix reaches beyond a word.
        ("http://h/?a=1&amp;b=2", "`&amp;` in an address is HTML for `&`", "http://h/?a=1&amp;b=2"),
    ] {
        let expected = format!("1:10: warning: {message}");
        check_and_fix(&format!("stream a {url};"), &[&expected], &format!("stream a {fixed};"));
    }
}

#[test]
fn a_name_that_no_block_has_is_a_warning_with_the_near_one() {
    let text = |line: &str| {
        let defined = "template tpl {\n}\ndvr main {\n}\nauth_backend b {\n}\nstream s u;\n";
        format!("{defined}stream a {{\n  url u;\n  {line};\n}}\n")
    };
    for (line, expected, near) in [
        ("template tlp", "no `template` is called `tlp`", "did you mean `tpl`?"),
        ("dvr @mian 7d", "no `dvr` is called `mian`", "did you mean `main`?"),
        ("auth auth://c/x", "no `auth_backend` is called `c`", "make it"),
        ("on_play auth://c", "no `auth_backend` is called `c`", "make it"),
        ("backup_stream gate", "no `stream` is called `gate`", "make it"),
    ] {
        let diagnostics = check(text(line));
        let [found] = &diagnostics.iter().collect::<Vec<_>>()[..] else { panic!("{line}: {diagnostics:?}") };
        assert_eq!(found.message, expected, "{line}");
        assert!(found.hint.as_ref().is_some_and(|hint| hint.starts_with(near)), "{line}: {found:?}");
        // What is included may have it.
        let with_include = check(format!("{}include x.conf;\n", text(line)));
        assert!(with_include.iter().all(|found| found.message.contains("`include`")), "{line}");
    }
    for line in ["template tpl", "dvr @main 7d", "auth auth://b/x?a=1", "backup_stream s", "auth http://c"] {
        check_and_fix(&text(line), &[], &text(line));
    }
}

#[test]
fn a_stream_that_needs_no_source_has_none() {
    for inner in ["disabled;", "srt_publish {\n  port 1;\n}", "password x;", "on_publish http://h/x;"] {
        let text = format!("stream a {{\n  {inner}\n}}");
        check_and_fix(&text, &[], &text);
    }
}
