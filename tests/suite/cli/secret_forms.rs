//! Every form of a secret in every output, and what looks like one and is none.

use super::masking::masked;
use super::{CONF, Place};

/// One way to write a secret, which holds `HUSH`; each stands in a block of a stream and at the top.
const FORMS: &[&str] = &[
    "passphrase HUSH;",
    "PassPhrase HUSH;",
    "pwd HUSH;",
    "psk HUSH;",
    "pass HUSH;",
    "token HUSH;",
    "userkey HUSH;",
    "iv HUSH;",
    "license HUSH;",
    "aws_session_token HUSH;",
    "x-api-key HUSH;",
    "drm_key HUSH;",
    "smtp_password HUSH;",
    "client_secret HUSH;",
    "key { file HUSH; }",
    "allow token HUSH;",
    "allow token HUSH HUSH2;",
    "header Authorization HUSH;",
    "header \"Authorization: Basic HUSH\";",
    "input2 http://h/ passphrase=HUSH;",
    "input2 http://h/ header.Authorization=HUSH;",
    "input2 http://h/ \"password=HUSH pass HUSH\";",
    "input2 http://h/ \"header.Authorization=Basic HUSH\";",
    "input2 http://h/?pwd=HUSH&a=1;",
    "input2 http://h/?%74oken=HUSH&token%5B%5D=HUSH&token[]=HUSH;",
    "input2 http://h/?auth=HUSH&sid=HUSH;",
    "input2 srt://h:1?passphrase=HUSH&mode=caller;",
    "input2 \"srt://h:1?streamid=#!::r=live,m=publish,s=HUSH,passwd=HUSH2&x=1\";",
    "input2 mysql://u:HUSH@h/;",
    "input2 rtsp//u:HUSH@h/x;",
    "input2 rtsp:/u:HUSH@h/x;",
    "input2 //u:HUSH@h/x;",
    "input2 u:HUSH@h/x;",
    "# url u:HUSH@h/x;",
    "input2 HUSH@h;\ninput3 foo+bar://HUSH:HUSH@h/;",
    "backend securetoken://HUSH;",
    "push rtmp://h/live/HUSH;",
    "push rtmps://h/live/HUSH?a=1 retry=5;",
    "push rtmp://h/live/HUSH { retry 5; }",
    "# password HUSH;",
    "# allow token HUSH;",
    "# push rtmp://h/live/HUSH;",
];

/// The same of options of `url` and `auth`, which are ours.
const OPTIONS: &[&str] = &[
    "passphrase=HUSH",
    "pwd=HUSH",
    "token=HUSH",
    "userkey=HUSH",
    "iv=HUSH",
    "header.Authorization=HUSH",
    "mykey=\"HUSH two HUSH\"",
    "\"password=HUSH pass HUSH\"",
    "X-Api-Key=HUSH",
    "%74oken=HUSH",
    "token[]=HUSH",
    "pin=HUSH",
];

/// The texts that have to stay readable.
const NO_SECRETS: &[&str] = &[
    "region=CLEAR",
    "keyframe=CLEAR",
    "ivr=CLEAR",
    "keys=CLEAR",
    "bypass=CLEAR",
    "user=CLEAR",
    "monkey=CLEAR",
    "passive=CLEAR",
    "key_id=CLEAR",
    "sid=CLEAR",
];

/// Without the form in which a secret can't be told from a name.
fn forms() -> Vec<String> {
    let plain = FORMS.iter().map(|form| form.replace("input2 HUSH@h;\n", ""));
    let blocks: Vec<String> = plain.map(|form| format!("stream a {{\n  {form}\n}}\n{form}\n")).collect();
    let own = OPTIONS.iter().map(|option| {
        format!("auth http://b/ {option};\nstream a {{\n  url http://h/ {option};\n  auth http://b/ {option};\n}}\nstream b http://h/ {option};\n")
    });
    blocks.into_iter().chain(own).collect()
}

fn changed(text: &str) -> String {
    text.lines().map(|line| format!("{line} \n")).collect()
}

#[test]
fn every_form_of_a_secret_is_masked_in_every_output() {
    let place = Place::empty();
    let all = forms();
    for form in &all {
        let text = format!("rtmp 1;\n{form}");
        place.put(CONF, &text);
        place.put("other.conf", changed(&text));
        place.put("broken.conf", format!("{text}stream a {{ x \n"));
        for output in ["json", "compact", "set", "conf", "table"] {
            let run = masked(place.run(["--mask", "read", "-o", output]).exits(0));
            assert!(
                output == "table" || form.contains("# ") || run.out.contains("<secret:"),
                "{output} {form}"
            );
        }
        masked(place.mediactl(["read", "streams.a"]).env("MEDIACTL_MASK", "1").run().exits(0));
        masked(place.run(["diff", "other.conf"]).exits(1));
        masked(place.run(["--mask", "diff", "--json", "other.conf", CONF]));
        masked(place.run(["check", "broken.conf"]).exits(3));
        masked(place.run(["read", "-o", "conf", "--conf", "broken.conf", "--mask"]).exits(0));
        masked(place.run(["--mask", "modify", "--dry-run", "-o", "json", "--set", "rtmp=2"]).exits(0));
    }
}

#[test]
fn every_form_of_a_secret_is_masked_on_a_terminal() {
    let place = Place::with(format!("rtmp 1;\n{}", forms().join("")));
    let text = FORMS.iter().map(|form| form.replace("input2 HUSH@h;\n", "")).collect::<Vec<_>>().join("\n");
    place.put(CONF, format!("stream a {{\n{text}\n}}\n"));
    for output in ["json", "compact", "set", "conf", "table"] {
        let seen = place.mediactl(["read", "-o", output]).on_terminal().exits(0);
        assert!(!seen.contains("HUSH"), "{seen}");
    }
    let seen = place.mediactl(["--show-secrets", "read"]).env("MEDIACTL_MASK", "1").on_terminal().exits(0);
    assert!(seen.contains("HUSH") && !seen.contains("<secret:"), "{seen}");
    // A pipe gets the values, unless it is asked not to.
    place.run(["read"]).exits(0).prints("HUSH");
    place.mediactl(["read"]).env("MEDIACTL_MASK", "0").run().exits(0).prints("HUSH");
}

#[test]
fn history_blame_and_notes_mask_every_form() {
    let place = Place::empty();
    let block = FORMS.iter().map(|form| form.replace("input2 HUSH@h;\n", "")).collect::<Vec<_>>().join("\n");
    place.put(CONF, format!("stream a {{\n{block}\n}}\nrtmp 1;\n"));
    masked(place.run(["modify", "--set", "rtmp=2", "-m", "for rtsp://u:HUSH@h/ and pwd=HUSH"]).exits(0));
    masked(place.run(["history"]).exits(0));
    masked(place.run(["history", "-o", "json"]).exits(0));
    masked(place.run(["history", "show", "last"]).exits(0));
    masked(place.run(["diff", "change:last"]).exits(1));
    masked(place.run(["status"]).exits(0));
    masked(place.run(["modify", "--force", "--unset", "streams.a"]).exits(0));
    masked(place.run(["blame", "streams.a"]).exits(0));
    masked(place.run(["blame", "streams.a", "-o", "json"]).exits(0));
}

#[test]
fn words_that_are_no_secret_are_not_masked() {
    for option in NO_SECRETS {
        let text = format!("auth http://b/ {option};\nstream a {{\n  url http://h/ {option};\n}}\n");
        let place = Place::with(&text);
        place.put("other.conf", changed(&text));
        for output in ["json", "compact", "set", "conf"] {
            let run = place.run(["--mask", "read", "-o", output]).exits(0).prints("CLEAR");
            assert!(!run.out.contains("<secret:"), "{option}");
        }
        let run = place.run(["diff", "other.conf"]).exits(1).prints("CLEAR");
        assert!(!run.out.contains("<secret:"), "{option}");
    }
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
    place.run(["save", "masked.conf"]).exits(3);
    for arguments in [
        &["--set", "edit_auth.password=<secret:0123ab>"][..],
        &["--set-string", "root=<secret:0123ab>"],
        &["--set", "streams.a.urls[+]=rtsp://<secret:0123ab>@h/"],
        &["--set", "password=<secret:0123ab>"],
        &["--set", "foo=[\"a\",\"<secret:0123ab>\"]"],
    ] {
        place.run(["modify", "--create", "--force"].iter().chain(arguments)).exits(3);
    }
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
