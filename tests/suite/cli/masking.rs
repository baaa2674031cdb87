//! Secrets are shown to who reads the values, and to nobody else. `crate::secrets` writes a secret in every way; here are
//! the commands and their errors, what looks like a secret and is none, masks that come back, and texts that a terminal
//! would obey.

use super::{Place, Run};
use crate::fixtures;

/// Every word with `HUSH` in it is one.
pub(crate) const PLANTED: &str = "\
# edit_auth admin OLDHUSH;
edit_auth admin HUSH1;
view_auth guest HUSH2;
cluster_key HUSH3;
auth http://u:HUSH4@b/ key=HUSH5 secret=HUSH6;
password HUSH7;
foreign a password=HUSH8 \"http://u:HUSH9@h/\";
secret \"HUSH 10\";
# see rtsp://u:HUSH11@h/ and password=HUSH12

stream cam1 { # cluster_key HUSH13
  url rtsp://u:HUSH14@h/a password=HUSH15;
  url http://h/?token=HUSH16&x=1;
  auth http://b/ token=HUSH17;
  cluster_key HUSH18;
  backup { password HUSH19; url rtsp://u:HUSH20@h/; }
}
stream cam2 rtsp://u:HUSH21@h/;
plugin p { password HUSH22; db mysql://u:HUSH23@h/d; }
rtsp 554;
";

/// All of it masked: nothing with `HUSH` is left.
#[track_caller]
pub(crate) fn masked(run: Run) -> Run {
    run.hides("HUSH")
}

/// Every line of a text changed, so that a diff shows all of it.
pub(crate) fn all_changed(text: &str) -> String {
    text.lines().map(|line| format!("{line} \n")).collect()
}

#[test]
fn show_secrets_and_a_pipe_get_the_real_values() {
    let place = Place::with(PLANTED);
    for form in ["json", "compact", "set", "conf"] {
        place.run(["read", "-o", form]).exits(0).prints("HUSH1").prints("HUSH14").prints("HUSH19");
    }
    place.line("read -r edit_auth.password").exits(0).prints("HUSH1\n");
    place.put("other.conf", all_changed(PLANTED));
    let run = place.line("--show-secrets diff other.conf").exits(1).hides("<secret:");
    run.prints("+# edit_auth admin OLDHUSH; \n").prints("+  cluster_key HUSH18; \n");
    place.put("other.conf", PLANTED.replace("HUSH18", "HUSHX"));
    place.line("diff --json other.conf").exits(1).prints("HUSHX");
    place.put("bad.conf", "edit_auth HUSH1;\n");
    place.line("check --show-secrets bad.conf").exits(3).prints("edit_auth HUSH1;");
}

#[test]
fn equal_secrets_have_equal_masks_within_one_output() {
    let place = Place::with("cluster_key HUSH1;\nstream a { cluster_key HUSH1; }\n");
    place.put("other.conf", "cluster_key HUSH2;\nstream a { cluster_key HUSH1; }\n");
    let out = masked(place.line("diff other.conf").exits(1)).out;
    let masks: Vec<_> = out.split("<secret:").skip(1).map(|rest| rest.split_once('>')).collect();
    let masks: Vec<_> = masks.into_iter().flatten().map(|(mask, _)| mask).collect();
    let [removed, added, context] = masks[..] else { panic!("{out}") };
    assert!(removed == context && removed != added, "{out}");
}

/// `every_cut_and_every_lost_byte_masks` asks `check`; here are the commands that show a text with errors.
#[test]
fn diagnostics_mask() {
    let replaced = |from: &str, to: &str| PLANTED.replace(from, to);
    for text in [
        format!("{PLANTED}stream cam1 {{ }}\nstream x {{\n"),
        replaced("HUSH1;", "HUSH1 HUSHX HUSHY;"),
        replaced("HUSH1;", "HUSH1 { x; }"),
        replaced("HUSH3;", "HUSH3 HUSHX;"),
        replaced("view_auth guest", "view_auth"),
        "edit_auth admin 'HUSH1;\ncluster_key \"HUSH2;\n".to_owned(),
        "edit_auth\n  admin\n  HUSH1\n  HUSH2;\n".to_owned(),
    ] {
        let place = Place::with(text);
        place.put("other.conf", "rtmp 1;\n");
        place.put("empty.conf", "");
        for line in [
            "check",
            "check -o json",
            "diff other.conf",
            "save other.conf --dry-run --force",
            "--conf empty.conf save media.conf --dry-run",
        ] {
            masked(place.line(line));
        }
    }
}

#[test]
fn every_cut_and_every_lost_byte_masks() {
    let text = "edit_auth admin HUSH1;\nauth http://u:HUSH2@b/ secret=HUSH3;\n\
                stream a { url rtsp://u:HUSH4@h/ password=HUSH5; cluster_key HUSH6; }\n";
    // Nothing shows that a keyword was another one before.
    let unknowable = ["edit_auth", "\nauth", "cluster_key"].map(|part| {
        let at = text.find(part).expect("it is in the text");
        at..at + part.len()
    });
    let place = Place::empty();
    let mut names = vec!["check".to_owned()];
    for at in (0..text.len()).filter(|at| !unknowable.iter().any(|range| range.contains(at))) {
        for damaged in [text[..at].to_owned(), [&text[..at], &text[at + 1..]].concat()] {
            names.push(format!("f{}", names.len()));
            place.put(&names[names.len() - 1], damaged);
        }
    }
    // The letters of a mask are chance.
    let but_masks = |line: &str| {
        let mut parts = line.split("<secret:");
        let first = parts.next().unwrap_or_default().to_owned();
        first + &parts.map(|part| part.split_once('>').map_or(part, |(_, rest)| rest)).collect::<String>()
    };
    let out = place.run(&names).out;
    let has_part = |line: &&str| ["HUS", "USH"].iter().any(|part| but_masks(line).contains(part));
    assert_eq!(out.lines().find(has_part), None);
}

#[test]
fn errors_mask() {
    let place = Place::with(PLANTED);
    fixtures::all_rows("masked_errors.txt", |line, code| {
        masked(place.line(line).exits(code.parse().expect("a number")));
        Ok(())
    });
    masked(place.run(["modify", "--dry-run", "--set", "streams.cam1.url=udp://h password=HUSHX"]));
    for patch in [
        r#"{"edit_auth":"HUSHX"}"#,
        r#"{"edit_auth":{"password":"HUSHX"#,
        r#"{"edit_auth":{"password":HUSHX}}"#,
        r#"{"edit_auth":{"password":["HUSHX"]}}"#,
        r#"{"streams":{"cam1":{"urls":["rtsp://u:HUSHX@h/"]}}}"#,
        r#"{"streams":{"cam1":{"cluster_key":5,"name":"HUSHX"}}}"#,
        r#"["HUSHX"]"#,
        "{'password':'HUSHX'}",
        r#"{"edit_auth":{"login":"a","password":"HUSHX","password":"HUSHY"}}"#,
    ] {
        masked(place.patch(patch).exits(3));
    }
    assert_eq!(place.text(), PLANTED);
}

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
    masked(place.line("history").exits(0)).prints("<secret:");
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
    place.line("diff other.conf").exits(1).prints("CLEAR").hides("<secret:");
    // The word behind `file` and each word behind `token` is a secret.
    place.put("keys.conf", "key { file HUSH; }\nallow token HUSH HUSH2;\n# allow token HUSH;\n");
    masked(place.line("--mask --conf keys.conf read -o conf").exits(0));
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
        masked(place.fed("save -", text).exits(3));
        masked(place.fed("check -", text).exits(3)).prints("error: ");
    }
    // Of another text the line is shown, and what stands behind the name of a secret is not.
    let text =
        "stream a {\n  url http://h/ region=eu password=HUSH more HUSH; key HUSH;\n  passphrase\n  HUSH\n";
    masked(place.fed("check -", text).exits(3));
}

#[test]
fn a_mask_is_refused_wherever_it_comes_in() {
    let place = Place::with("rtmp 1;\nedit_auth a geheim;\n");
    let mask = "<secret:0123ab>";
    place.put("masked.conf", format!("edit_auth a {mask};\n"));
    place.line("save masked.conf").exits(3).says("line 1: this is a mask").says("--show-secrets");
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
    place.line("read -o conf").exits(0).prints(&planted);
}
