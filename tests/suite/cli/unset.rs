//! `--unset` of what is not there is exit 7, and `--ignore-missing` makes it a no-op; a plain value
//! with blanks does not replace several words.

use super::{Place, SAMPLE};
use crate::fixtures;

/// The sample with a backend, so that `auth` shows it in every stream.
fn text() -> String {
    format!("auth http://b/ realm=tv;\n{SAMPLE}stream none {{\n  title x;\n}}\n")
        .replace("  prepush 5;", "  title x;\n  prepush 5;")
}

#[test]
fn unset_of_what_is_not_there_is_exit_7_with_the_nearest_names() {
    let place = Place::with(text());
    fixtures::all_rows("missing.txt", |path, said| {
        let run = place.run(["modify", "--unset", path]).exits(7).says("error: `").says(said);
        assert_eq!(run.out, "", "{path}");
        Ok(())
    });
    place.line("modify --unset auth.extra.realm.x").exits(3).says("nothing below a plain value");
    place.line("modify --unset rtmp --unset rtsp").exits(7).says("`rtmp` is not set");
    place.line("modify --unset rtmp --set rtsp=x").exits(3);
    assert_eq!(place.text(), text());
}

#[test]
fn ignore_missing_takes_what_is_not_there_for_removed() {
    let place = Place::with(text());
    let before = place.written();
    fixtures::all_rows("missing.txt", |path, _| {
        place.run(["modify", "--ignore-missing", "--unset", path]).exits(0).says("nothing to change");
        Ok(())
    });
    assert_eq!((place.text(), place.written()), (text(), before));
    place.line("modify --ignore-missing --unset rtmp --unset rtsp").exits(0).prints("-rtsp 554;");
    place.line("modify --ignore-missing --unset a..b").exits(3);
    place.line("modify --ignore-missing -f -").exits(2);
}

#[test]
fn unset_of_some_of_many_and_null_in_a_patch_are_no_error() {
    let place = Place::with(text());
    place.line("modify --unset streams.*.prepush").exits(0).prints("-  prepush 5;");
    place.line("modify --unset streams.*.prepush").exits(7);
    place.patch(r#"{"rtmp":null,"streams":{"cam9":null,"cam1":{"prepush":null}}}"#).exits(0);
    place.set(&["rtmp=null", "streams.cam1.urls[url=udp://x]=null"]).exits(0).says("nothing to change");
    place.line("modify --set streams.cam1.urls[+]=udp://2 --unset streams.cam1.urls[1]").exits(0);
}

const SEVERAL: &str = "stream cam1 {\n  archive /storage/cam0 7d;\n  push a;\n  push b c;\n  title x;\n}\n";

#[test]
fn a_value_with_blanks_is_words_where_a_directive_takes_several() {
    let place = Place::with(SEVERAL);
    let sets = |edit: &str, line: &str| {
        place.run(["modify", "--dry-run", "--set", edit]).exits(0).prints(line);
    };
    sets("streams.cam1.archive=/storage/cam1 14d", "+  archive /storage/cam1 14d;");
    sets("streams.cam1.protocols=-mss -rtmp", "+  protocols -mss -rtmp;");
    sets("streams.cam1.push[+]=rtmp://q retry=5", "+  push rtmp://q retry=5;");
    sets("streams.cam1.push[1]=b \"d e\"", "+  push b \"d e\";");
    sets("peer=a retry=b", "+peer a retry=b;");
    sets("streams.cam1.title=two words", "+  title \"two words\";");
    sets("streams.cam1.note=two words", "+  note \"two words\";");
    sets("streams.cam1.stream_key=two words", "+  stream_key <secret");
    sets("streams.cam1.what=two words", "+  what \"two words\";");
    sets("streams.cam1.urls=udp://1 user_agent=a", "+  url udp://1 user_agent=a;");
    place.set(&["streams.*.archive=a {b"]).exits(3).says("expected words").says("`--set-string`");
    place.set(&["streams.cam1.push=b d"]).exits(3).says("there are 2 elements");
    let string = |edit: &str| place.run(["modify", "--dry-run", "--set-string", edit]);
    string("streams.cam1.protocols=-mss -rtmp").exits(0).prints("+  protocols \"-mss -rtmp\";");
    string("streams.cam1.push[+]=a b").exits(0).prints("+  push \"a b\";");
    string("streams.cam1.archive=a b").exits(3).says("one quoted word");
    let refused = place.set(&["streams.cam1.urls[+].url=rtsp://x/1 tracks=2"]).exits(3);
    refused.says("`--set 'streams.cam1.urls[+]=rtsp://x/1 tracks=2'`");
    assert_eq!(place.text(), SEVERAL);
    for edit in ["streams.cam1.archive=/b 14d", "streams.cam1.protocols=-mss -rtmp", "peer=a retry=b"] {
        place.set(&[edit]).exits(0);
        place.set(&[edit]).exits(0).says("nothing to change");
        place.run(["modify", "--expect", edit, "--set", "rtmp=1", "--dry-run"]).exits(0);
    }
    place.run(["read", "streams.*.name", "--where", "archive=/b 14d"]).exits(0).prints("cam1");
    place.run(["modify", "--set-string", "streams.cam1.protocols=a b", "--accept", "form-change"]).exits(0);
    place.line("read -o set").exits(0).prints("protocols=\"a b\"");
}

#[test]
fn null_is_refused_where_unset_is_and_for_a_name_that_looks_misspelt() {
    let place = Place::with(text());
    for (removal, code, said) in [
        ("edit_auth.password=null", 3, "the password can't be removed alone"),
        ("streams.cam1.urls[0].url=null", 3, "a source without a url"),
        ("streams.cam9.title=null", 7, "did you mean `cam1`"),
        ("streams.*.titel=null", 3, "did you mean `title`?"),
    ] {
        place.set(&[removal]).exits(code).says(said);
    }
    place.line("modify --accept near-miss --set streams.*.titel=null").exits(0);
    assert_eq!(place.text(), text());
}

#[test]
fn empty_values_and_names_are_refused_where_they_mean_nothing() {
    let text = "edit_auth admin s;\nstream cam1 {\n  url udp://1;\n}\n";
    let place = Place::with(text);
    let empty = place.set(&["streams.cam1.title="]).exits(3).says("the value is empty");
    empty.says(
        "`--set streams.cam1.title=null` removes it, `--set-string streams.cam1.title=` sets the empty word",
    );
    for path in ["cluster_key", "streams.cam1.auth.url", "streams.cam1.prepush", "rtmp"] {
        place.set(&[&format!("{path}=")]).exits(3).says("the value is empty").says("=null` removes it");
    }
    for patch in [
        r#"{"auth":{"url":""}}"#,
        r#"{"cluster_key":""}"#,
        r#"{"loglevel":""}"#,
        r#"{"root":""}"#,
        r#"{"edit_auth":{"login":""}}"#,
        r#"{"view_auth":{"login":"a","password":""}}"#,
        r#"{"streams":{"cam1":{"urls":[{"url":""}]}}}"#,
        r#"{"streams":{"cam1":{"dvr":{"root":""}}}}"#,
    ] {
        place.patch(patch).exits(3).says("empty").says("--accept near-miss");
    }
    for patch in [r#"{"streams":{"":{}}}"#, r#"{"lives":{"":{}}}"#, r#"{"template":{"":{"prepush":1}}}"#] {
        place.patch(patch).exits(3).says("the name is empty");
    }
    place.run(["add", "stream", "", "udp://2"]).exits(3).says("an empty name");
    place.run(["cp", "streams.cam1", "streams.\"\""]).exits(3).says("an empty name");
    assert_eq!(place.text(), text);
    // A whole text may have them; `apply` merges one.
    let whole = "edit_auth admin s;\nauth \"\";\nstream cam1 {\n  url udp://1;\n  push \"\";\n}\n";
    for line in ["save --dry-run -", "apply --accept near-miss --dry-run -"] {
        place.fed(line, whole).exits(0).says("the address is empty");
    }
    let set = place.line("modify --dry-run --set-string streams.cam1.title=").exits(0);
    set.prints("+  title \"\";");
}

#[test]
fn empty_values_that_are_there_stay_and_are_warned_of() {
    let text = "cluster_key \"\";\nloglevel \"\";\nauth \"\";\nview_auth \"\" p;\nstream \"\" {\n  url \"\";\n  \
                push \"\";\n  password \"\";\n}\nlive \"\";\n";
    let place = Place::with(text);
    let check = place.line("check");
    assert!(check.err.contains("9 warnings") || check.out.contains("9 warnings"), "{check:?}");
    let shown = place.line("read --show-secrets").exits(0).out;
    place.patch(&shown).exits(0).says("nothing to change");
}
