//! Blocks that others use by their names: `mv` renames what refers to them, and they are not removed by mistake.

use super::Place;

const TEXT: &str = "\
http 80;
template low {
  prepush 5;
}
dvr main {
  root /s;
}
auth_backend b {
}
stream a {
  url udp://1;
  template low; # shared
  dvr @main 7d;
  auth auth://b/x?y=1;
}
stream c {
  url udp://2;
  template low;
  backup_stream a;
}
";

#[test]
fn mv_renames_what_refers_to_a_block_and_says_how_many() {
    for (from, to, changed, count) in [
        (
            "streams.a",
            "streams.z",
            [("stream a {", "stream z {"), ("backup_stream a;", "backup_stream z;")],
            1,
        ),
        (
            "template.low",
            "template.high",
            [("template low {", "template high {"), ("template low;", "template high;")],
            2,
        ),
        ("dvr.main", "dvr.disk", [("dvr main {", "dvr disk {"), ("@main 7d", "@disk 7d")], 1),
        (
            "auth_backend.b",
            "auth_backend.q",
            [("auth_backend b {", "auth_backend q {"), ("//b/x?y", "//q/x?y")],
            1,
        ),
    ] {
        let place = Place::with(TEXT);
        let told = place.run(["mv", from, to]).exits(0).err;
        let expected = changed.iter().fold(TEXT.to_owned(), |text, (old, new)| text.replace(old, new));
        assert_eq!(place.text(), expected, "{from}");
        let places = if count == 1 { "1 place that refers" } else { "2 places that refer" };
        assert!(told.contains(&format!("{places} to it")), "{from}: {told}");
    }
}

#[test]
fn many_names_change_at_once_with_what_refers_to_them() {
    let place = Place::with(TEXT);
    place.line("mv template.* --replace s/low/lower/").exits(0);
    assert_eq!(place.text().matches("template lower").count(), 3);
    place.line("mv streams.* --replace s/a/gate/").exits(0);
    assert!(place.text().contains("backup_stream gate;"), "{}", place.text());
}

#[test]
fn a_name_that_cant_stand_in_all_places_is_refused() {
    let place = Place::with(TEXT);
    place.run(["mv", "dvr.main", "dvr.\"a b\""]).exits(3);
    place.line("mv template.low template.low").exits(0);
    place.line("mv template.low dvr.low").exits(3);
    place.line("mv template.nope template.x").exits(7);
    assert_eq!(place.text(), TEXT);
}

#[test]
fn a_block_that_others_use_is_not_removed_unless_that_is_accepted() {
    for (path, told) in [
        ("streams.a", "1 block uses `streams.a`, which the change removes: `streams.c`"),
        ("template.low", "2 blocks use `template.low`, which the change removes: `streams.a`, `streams.c`"),
        ("dvr.main", "1 block uses `dvr.main`, which the change removes: `streams.a`"),
    ] {
        let place = Place::with(TEXT);
        for command in [&["modify", "--unset", path][..], &["modify", "--set", &format!("{path}=null")]] {
            let refused = place.run(command).exits(6).err;
            assert!(refused.contains(told) && refused.contains("--accept dangling"), "{refused}");
        }
        assert_eq!(place.text(), TEXT);
        place.run(["modify", "--unset", path, "--accept", "dangling"]).exits(0);
    }
    // A whole text, too; one that takes the users along is no surprise.
    let place = Place::with(TEXT);
    place.put("new.conf", TEXT.replace("template low {\n  prepush 5;\n}\n", ""));
    place.line("save new.conf").exits(6);
    place.line("modify --unset streams.a --unset streams.c --unset template.low").exits(0);
    place.line("rollback last").exits(0);
    let many: String = (0..9).map(|n| format!("stream s{n} {{\n  template low;\n}}\n")).collect();
    place.put("media.conf", format!("{TEXT}{many}"));
    let refused = place.line("modify --unset template.low").exits(6).err;
    assert!(refused.contains("11 blocks use `template.low`, which the change removes: `streams.a`, `streams.c`, `streams.s0`, …"), "{refused}");
}

#[test]
fn streams_inside_another_one_are_counted_with_it() {
    let place = Place::with(
        "http 80;\nstream a {\n  url udp://1;\nstream b {\n  url udp://2;\n}\nstream c udp://3;\n}\n",
    );
    let refused = place.line("modify --unset streams.a --max-delete 2").exits(6).err;
    assert!(refused.contains("3 of 3 streams would be deleted"), "{refused}");
    let told = place.line("modify --unset streams.a").exits(0).err;
    assert!(told.contains("2 stood inside another one: is a `}` missing?"), "{told}");
}

#[test]
fn a_change_that_brings_a_sign_in_front_of_a_value_is_refused() {
    let place = Place::with("http 80;\nstream a {\n  url udp://1;\n}\n");
    for (patch, told) in [
        (r#"{"streams":{"a":{"backup_stream":["=","x"]}}}"#, "between `backup_stream` and its value"),
        (r#"{"access_log":["=","/var/log/x"]}"#, "between `access_log` and its value"),
    ] {
        place.put("patch.json", patch);
        let refused = place.line("modify -f patch.json").exits(3).err;
        assert!(refused.contains(told) && refused.contains("--accept near-miss"), "{refused}");
    }
    // A whole text is taken with the warning.
    place.put("new.conf", "http 80;\nauth = http://b;\nstream a udp://1;\n");
    assert!(place.line("save new.conf").exits(0).err.contains("`=` between `auth` and its value"));
}
