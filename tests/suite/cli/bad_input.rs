//! Input that no program should get, and gets.

use std::fs;

use super::{CONF, Place, Run, SAMPLE, set_mode};

/// Every command that reads or writes the file, all ending alike, and the file as it was.
#[track_caller]
fn all_refuse(place: &Place, code: i32, says: &str) {
    place.put("new", "rtmp 1;\n");
    let before = place.names();
    for line in ["read", "read -o conf", "modify --set rtmp=1", "check", "diff new", "save new"] {
        place.line(line).exits(code).says(says);
    }
    assert_eq!(place.names(), before);
}

/// A text with errors: it can be looked at and replaced, and nothing else.
#[track_caller]
fn is_invalid(text: impl AsRef<[u8]>, says: &str) {
    let place = Place::with(&text);
    place.put("new", "rtmp 1;\n");
    place.line("check").exits(3).prints(says);
    place.line("read -o conf").exits(0);
    for line in ["read", "modify --set rtmp=1", "--conf new save media.conf"] {
        place.line(line).exits(3).says(says);
    }
    assert_eq!(place.bytes(), text.as_ref());
    assert_eq!(place.names(), [CONF, "new"]);
}

#[test]
fn an_empty_file_is_a_valid_configuration() {
    let place = Place::with("");
    place.line("check").exits(0);
    assert_eq!(place.line("read -o conf").exits(0).out, "");
    assert_eq!(place.line("read -o set").exits(0).out, "http=[]\n");
    place.set(&["rtmp=1"]).exits(0);
    assert_eq!(place.text(), "rtmp 1;\n");
}

#[test]
fn bytes_and_braces() {
    is_invalid("http 80;\0\n", ":1:9: error: a NUL byte");
    is_invalid(b"http 80;\nroot caf\xe9;\n", ":2:9: error: invalid UTF-8 at byte 17");
    is_invalid("{".repeat(2_000), "nest deeper than 64");
    is_invalid("}".repeat(2_000), ":1:1: error: stray `}`");
    is_invalid("http \"80;\n", "error: unclosed");
    is_invalid("{http, 8080}.\n% old\n", "3.x");
    is_invalid([0xff, 0xfe].repeat(500), "invalid UTF-8");
}

#[test]
fn a_long_line_is_shown_in_part() {
    let long = "x".repeat(2 << 20);
    let run = Place::with(format!("root {long}; http {long};\n")).line("check").exits(3);
    assert!(run.out.len() < 2000, "{} bytes", run.out.len());
}

#[test]
fn folders_and_pipes_are_refused() {
    let place = Place::empty();
    fs::create_dir(place.path(CONF)).expect("a folder can be made");
    all_refuse(&place, 7, "/media.conf` is not a regular file");
    let place = Place::empty();
    place.put_fifo(CONF);
    all_refuse(&place, 7, "/media.conf` is not a regular file");
    for line in ["--conf /dev/null read", "--conf / read"] {
        place.line(line).exits(7).says("is not a regular file");
    }
}

/// What is larger than `--max-file` is refused before it is read; where a size says nothing, the bytes are counted.
#[test]
fn files_that_are_too_large_are_refused() {
    let place = Place::with("rtmp 1935;\ninclude other.conf;\n");
    let sparse = |name: &str, size| {
        fs::File::create(place.path(name)).and_then(|file| file.set_len(size)).expect("it can be made");
    };
    sparse("large.conf", 2 << 30);
    sparse("other.conf", 65 << 20);
    place.line("--conf large.conf read").exits(3).says("hint: if it is the right file: `--max-file 2048M`\n");
    let told = place.line("check").exits(3).out;
    assert_eq!(told.matches("other.conf` has more than 67108864 bytes").count(), 1);
    place.line("--max-file 100M read").exits(0);
    place.put("other.conf", "http 80;\n");
    place.line("--max-file 1K check").exits(0);
    place.line("--max-file 8 read").exits(3).says("media.conf` has more than 8 bytes");
    place.mediactl(["read"]).env("MEDIACTL_MAX_FILE", "8").run().exits(3);
    place.line("save --dry-run large.conf").exits(3).says("large.conf` has more than");
    place.line("modify -f /dev/zero").exits(3).says("`/dev/zero` has more than");
    let piped = place.fed("--max-file 8 save --dry-run -", "rtmp 1936;\n");
    piped.exits(3).says("`<stdin>` has more");
    sparse("huge.conf", 17 << 30);
    place.line("--conf huge.conf read").exits(3).says("hint: if it is the right file: `--max-file 16384M`");
    place.put_fifo("pipe.conf");
    for (included, code, words) in [
        ("/proc/self/pagemap", 0, "`/proc/self/pagemap` is not opened"),
        ("/dev/zero", 0, "`/dev/zero` is not opened"),
        ("pipe.conf", 3, "pipe.conf` is not a regular file"),
    ] {
        place.put(CONF, format!("include {included};\n"));
        place.line("check").exits(code).prints(words);
    }
}

#[test]
fn read_only() {
    let place = Place::with(SAMPLE);
    // Root may write everything.
    let denied = [0, 0o444].map(|mode| {
        set_mode(&place.path(CONF), mode);
        let denied = fs::OpenOptions::new().append(true).open(place.path(CONF)).is_err();
        if denied {
            place.set(&["rtsp=1"]).exits(4).says("cannot write").says("permission denied");
            place.line("save /dev/null --force").exits(4);
        }
        denied
    });
    set_mode(&place.path(CONF), 0o644);
    if denied == [true, true] {
        set_mode(&place.path(""), 0o555);
        place.set(&["rtsp=1"]).exits(4).says("state folder").says("hint: ");
        place.line("modify --dry-run --set rtsp=1").exits(0);
        set_mode(&place.path(""), 0o755);
    }
    assert_eq!(place.text(), SAMPLE);
    assert_eq!(place.names(), [CONF]);
}

#[test]
fn patches_that_make_no_sense() {
    let place = Place::with(SAMPLE);
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
    for (patch, says) in [
        (deep("{\"a\":", "}"), "nests deeper than 64"),
        ("[".repeat(100_000), "error: "),
        ("{\"rtmp\":1,\"rtmp\":2}".to_owned(), "error: `rtmp`: the key `rtmp` is given more than once"),
        (String::new(), "not JSON"),
        ("{'a':1}".to_owned(), "line 1 column 2"),
        ("[1]".to_owned(), "a patch must be an object"),
    ] {
        let run: Run = place.patch(&patch).exits(3);
        assert!(run.err.len() < 1000 && run.out.is_empty(), "{run:#?}");
        run.says(says);
    }
    place.fed("modify -f -", b"{\"a\":\"\xe9\"}").exits(3).says("error: ");
    place.line("modify -f missing").exits(7).says("cannot read `missing`");
    assert_eq!(place.text(), SAMPLE);
    assert_eq!(place.names(), [CONF]);
}
