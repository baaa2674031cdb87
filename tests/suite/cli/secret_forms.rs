//! Secrets on a terminal and in messages, what looks like a secret and is none, masks that come back, and texts that a
//! terminal would obey.

use super::Place;
use super::masking::{PLANTED, masked};

#[test]
fn secrets_are_masked_on_a_terminal() {
    let place = Place::with(PLANTED);
    for output in ["json", "compact", "set", "conf", "table"] {
        let seen = place.mediactl(["read", "-o", output]).on_terminal().exits(0);
        assert!(!seen.contains("HUSH"), "{seen}");
    }
    let seen = place.mediactl(["--show-secrets", "read"]).env("MEDIACTL_MASK", "1").on_terminal().exits(0);
    assert!(seen.contains("HUSH") && !seen.contains("<secret:"), "{seen}");
    // A pipe gets the values, unless it is asked not to.
    masked(place.mediactl(["read", "streams.cam1"]).env("MEDIACTL_MASK", "1").run().exits(0));
    place.mediactl(["read"]).env("MEDIACTL_MASK", "0").run().exits(0).prints("HUSH");
    masked(place.run(["modify", "--set", "rtmp=2", "-m", "for rtsp://u:HUSH@h/ and pwd=HUSH"]).exits(0));
    masked(place.run(["history"]).exits(0)).prints("<secret:");
}

#[test]
fn words_that_are_no_secret_are_not_masked() {
    let names = "region keyframe ivr keys bypass user monkey passive key_id sid";
    let options: String = names.split(' ').map(|name| format!(" {name}=CLEAR")).collect();
    let text = format!("auth http://b/{options};\nstream a {{\n  url http://h/{options};\n}}\n");
    let place = Place::with(&text);
    place.put("other.conf", text.replace(';', " ;"));
    for output in ["json", "compact", "set", "conf"] {
        place.run(["--mask", "read", "-o", output]).exits(0).prints("CLEAR").hides("<secret:");
    }
    place.run(["diff", "other.conf"]).exits(1).prints("CLEAR").hides("<secret:");
    // The word behind `file` and each word behind `token` is a secret.
    place.put("keys.conf", "key { file HUSH; }\nallow token HUSH HUSH2;\n# allow token HUSH;\n");
    masked(place.run(["--mask", "--conf", "keys.conf", "read", "-o", "conf"]).exits(0));
}

#[test]
fn no_line_of_json_or_xml_is_quoted() {
    let place = Place::with("rtmp 1;\n");
    for text in [
        "{\"edit_auth\":{\"login\":\"admin\",\"password\":\"HUSH\"},\"x\":\"HUSH\"}",
        "\n  {\"x\":\n\"HUSH\"}",
        "[\"HUSH\"]",
        "<config><x>HUSH</x></config>",
    ] {
        masked(place.mediactl(["save", "-"]).input(text).run().exits(3));
        masked(place.mediactl(["check", "-"]).input(text).run().exits(3)).prints("error: ");
    }
    // Of another text the line is shown, and what stands behind the name of a secret is not.
    let text =
        "stream a {\n  url http://h/ region=eu password=HUSH more HUSH; key HUSH;\n  passphrase\n  HUSH\n";
    masked(place.mediactl(["check", "-"]).input(text).run().exits(3));
}

#[test]
fn a_mask_is_refused_wherever_it_comes_in() {
    let place = Place::with("rtmp 1;\nedit_auth a geheim;\n");
    let mask = "<secret:0123ab>";
    place.put("masked.conf", format!("edit_auth a {mask};\n"));
    place.run(["save", "masked.conf"]).exits(3).says("line 1: this is a mask").says("--show-secrets");
    for assignment in [
        "edit_auth.password=<secret:0123ab>",
        "streams.a.urls[+]=rtsp://<secret:0123ab>@h/",
        "foo=[\"a\",\"<secret:0123ab>\"]",
    ] {
        place.run(["modify", "--create", "--force", "--set", assignment]).exits(3);
    }
    place.run(["add", "stream", mask, "udp://1"]).exits(3);
    place.patch(&format!("{{\"foo\":{{\"{mask}\":{{\"a\":\"b\"}}}}}}")).exits(3);
    assert!(!place.text().contains(mask));
}

#[test]
fn control_characters_reach_no_terminal() {
    let obeyed = ['\u{1b}', '\u{7}', '\u{7f}', '\u{9b}', '\u{202e}', '\u{2066}'];
    let planted: String = obeyed.iter().map(|c| format!("x{c}y")).collect();
    let text = format!("# {planted}\nstream \"n{planted}\" {{\n  url \"http://h/{planted}\";\n}}\n");
    let place = Place::with(&text);
    place.put("other.conf", text.replace("http", "https"));
    place.put("broken.conf", format!("{text}stream \"n{planted}\" {{ }}\nhttp \"{planted}\";\n"));
    let clean = |arguments: &[&str], code: i32| {
        let seen = place.mediactl(["--color", "never"].iter().chain(arguments)).on_terminal().exits(code);
        assert!(!seen.contains(obeyed), "{arguments:?} {seen:?}");
    };
    for output in ["json", "compact", "set", "conf", "table"] {
        clean(&["read", "-o", output], 0);
    }
    clean(&["diff", "other.conf"], 1);
    clean(&["diff", "--json", "other.conf"], 1);
    clean(&["check", "broken.conf"], 3);
    clean(&["modify", "--set", "rtmp=1", "-m", &planted], 0);
    clean(&["history"], 0);
    clean(&["history", "show", "last"], 0);
    clean(&["status"], 0);
    clean(&["modify", "--set", &format!("streams.{planted}.prepush=1")], 3);
    clean(&["modify", "--set", "rtmp=2", "--check-cmd", "printf 'a\\033]0;x\\007b\\233' >&2; false"], 3);
    // The words of the command line itself come back in its faults.
    for wrong in
        [&[planted.as_str()][..], &[&format!("--{planted}")], &["read", "-o", &planted], &["help", &planted]]
    {
        clean(wrong, 2);
    }
    // A pipe gets the bytes.
    place.run(["read", "-o", "conf"]).exits(0).prints(&planted);
}
