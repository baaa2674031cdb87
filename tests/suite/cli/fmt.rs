//! `mediactl fmt`

use super::{CONF, Place, SAMPLE};

/// A text that is not formatted, and its form.
const LOOSE: &str = "http  80;\r\nedit_auth admin hunter2;\nstream a{url udp://1 ;\n\n\n  prepush 5;# why\n}";
const FORMATTED: &str =
    "http 80;\nedit_auth admin hunter2;\nstream a {\n  url udp://1;\n\n  prepush 5; # why\n}\n";

#[test]
fn a_file_is_formatted_once_and_the_text_before_is_kept() {
    let place = Place::with(LOOSE);
    place
        .line("fmt --dry-run")
        .exits(0)
        .prints("-http  80;")
        .says("would format media.conf")
        .hides("hunter2");
    assert_eq!(place.text(), LOOSE);
    place.line("fmt -m tidy").exits(0).says("formatted media.conf");
    assert_eq!(place.text(), FORMATTED);
    assert_eq!(place.kept(), [LOOSE]);
    let before = place.written();
    place.line("fmt").exits(0).says("nothing to change");
    assert_eq!(place.written(), before);
}

#[test]
fn check_names_what_is_not_formatted() {
    let place = Place::with(LOOSE);
    place.put("good.conf", FORMATTED);
    place.put("broken.conf", "http 80");
    let run = place.line("fmt --check").exits(1);
    assert_eq!(run.out, "media.conf\n");
    assert_eq!(place.text(), LOOSE);
    place.line("fmt --check good.conf").exits(0).says_nothing();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/media.conf");
    place.run(["fmt", "--check", example]).exits(0).says_nothing();
    assert_eq!(place.run(["fmt", "--check", "good.conf", CONF]).exits(1).out, "media.conf\n");
    place.run(["fmt", "--check", CONF, "broken.conf"]).exits(3).prints(CONF).says("broken.conf:1:8");
    place.line("fmt absent.conf").exits(7);
    let run = place.run(["fmt", "--check", "absent.conf", "broken.conf", CONF]).exits(7).prints(CONF);
    run.says("absent.conf` does not exist").says("broken.conf:1:8");
    place.line("fmt --url http://127.0.0.1:1 good.conf").exits(2);
}

#[test]
fn several_files_and_standard_input() {
    let place = Place::with(SAMPLE);
    place.put("a.conf", LOOSE);
    place.put("b.conf", "rtmp\t1935 ;");
    place.line("fmt a.conf b.conf").exits(0);
    place.run(["fmt", "--check", "a.conf", "b.conf", CONF]).exits(0);
    let run = place.fed("fmt -", LOOSE).exits(0);
    assert_eq!(run.out, FORMATTED);
    place.fed("fmt --check -", LOOSE).exits(1).prints("<stdin>");
    place.fed("fmt -", "stream a {").exits(3).says("<stdin>:1:10");
}
