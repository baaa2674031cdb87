//! `mediactl explain`, and `read --effective`: the values that hold, with those of templates and of the top level.

use serde_json::{Value, json};

use super::{Place, has};
use crate::fixtures;

const TEXT: &str = "\
http 80;
edit_auth admin hunter2;
auth http://backend/check token=abc;
cluster_key swordfish;
stream cam1 {
  url udp://239.0.0.1:1234;
  url udp://239.0.0.2:1234;
  prepush 5;
  cluster_key own-secret;
}
stream cam2;
ondemand film file://film.mp4;
live studio { auth false; }
cache movies { path /srv; }
";

#[test]
fn what_a_path_leads_to_is_explained() {
    let place = Place::with(TEXT);
    let text = place.line("explain streams.prepush").exits(0).out;
    assert_eq!(
        text,
        "streams.NAME.prepush\n  \
           How much is buffered before playing starts; off buffers nothing\n\n\
         type      a number of seconds, or false; `off` is false\n\
         unit      s\n\
         default   none\n\
         text      `prepush`, then a number of seconds, or `off`\n\
         JSON      \"prepush\": a number of seconds, or false; `off` is false\n\
         where     in `stream` and `ondemand`, in `live`, in `template`, `source`, `file` and `vod`\n\
         example   prepush 5;\n"
    );
    let one = place.line("explain streams.cam1.prepush").exits(0).out;
    assert!(one.ends_with("example   prepush 5;\nvalue     5 (own, media.conf:8)\n"), "{one}");
    fixtures::all_rows("explained.txt", |path, told| {
        place.run(["explain", path]).exits(0).prints(told);
        Ok(())
    });
    for told in ["\nmembers\n", "  prepush "] {
        place.line("explain streams").exits(0).prints(told);
    }
    // Alone it is no place, as it stands in blocks.
    place.line("explain backend").exits(0).hides("value ");
    for (path, code, told) in [
        ("streams.cma1.prepush", 7, "there is no stream `cma1`"),
        ("prepush", 7, "did you mean `streams.prepush` or `lives.prepush`?"),
        ("streams.prepsh", 7, "error: "),
        ("streams.cam1.nosuch", 7, "error: "),
        ("rtmp.x", 3, "error: "),
        ("streams..x", 3, "error: "),
    ] {
        place.run(["explain", path]).exits(code).says(told);
    }
    place.line("--conf absent.conf explain rtmp").exits(0).says("absent.conf").prints("rtmp 1935;");
}

#[test]
fn a_value_comes_with_its_source() {
    let place = Place::with(TEXT);
    for (path, value, source, line) in [
        ("streams.cam1.auth.url", json!("http://backend/check"), "global", json!(3)),
        ("lives.studio.auth", json!({"url": false}), "own", json!(13)),
        ("streams.cam1.disabled", json!(false), "default", json!(null)),
    ] {
        let found = place.run(["explain", "-o", "json", path]).exits(0).json();
        has(&found, json!({"value": value, "source": source, "line": line}));
    }
    let text = "template low { prepush 2; url udp://t; push tcp://192.0.2.9; cluster_key sword; }\ncluster_key fish;\n\
                stream a { template low; }\nstream b { template low; prepush 5; }\nstream c { template none; }\n";
    let place_of_templates = Place::with(text);
    for (path, shown) in [
        ("streams.a.prepush", "value     2 (template, media.conf:1)"),
        ("streams.a.push", "value     \"tcp://192.0.2.9\" (template, media.conf:1)"),
        ("streams.a.cluster_key", "(template, media.conf:1)"),
        ("streams.a.urls", "value     [{\"url\":\"udp://t\"}] (template, media.conf:1)"),
        ("streams.a.title", "value     not set"),
        ("streams.b.prepush", "value     5 (own, media.conf:4)"),
        ("streams.c.prepush", "value     not set"),
        ("streams.c.cluster_key", "(global, media.conf:2)"),
    ] {
        place_of_templates.run(["explain", path]).exits(0).prints(shown).hides("sword").hides("fish");
    }
    place_of_templates.line("read --effective streams.a.urls").exits(0).prints("udp://t");
    for path in ["streams.cam2.cluster_key", "streams.cam1.cluster_key", "cluster_key", "edit_auth"] {
        let run = place.run(["explain", path]).exits(0).prints("<secret:");
        run.hides("swordfish").hides("own-secret").hides("hunter2");
    }
    place
        .line("--show-secrets explain streams.cam2.cluster_key")
        .prints("\"swordfish\" (global, media.conf:4)");
}

#[test]
fn a_value_that_is_not_known_is_not_called_unset() {
    let place = Place::empty();
    let run = place.line("explain streams.cam1.prepush").exits(0);
    run.says("explaining without values").prints("example   prepush 5;").hides("value ");
    place.put("media.conf", "stream cam1 {\n");
    place.line("explain rtsp").exits(0).says("its values are not shown").hides("value ");
    place.line("--url http://127.0.0.1:9 explain rtsp").exits(7).says("not reachable").hides("type ");
}

const INHERITED: &str = "\
http 80;
auth http://backend;
template low {
  prepush 2;
  auth false;
}
stream a {
  url udp://1;
  template low;
  prepush 5;
}
stream b {
  url udp://2;
  template low;
}
stream c udp://3;
live l;
";

fn read(place: &Place, arguments: &[&str]) -> Value {
    let arguments = [&["read", "--effective", "-o", "compact"], arguments].concat();
    serde_json::from_str(&place.run(&arguments).exits(0).out).expect("it is JSON")
}

#[test]
fn values_of_templates_and_of_the_top_level_are_shown_where_they_hold() {
    let place = Place::with(INHERITED);
    let all = read(&place, &[]);
    for (stream, prepush, url) in [
        ("a", json!(5), json!(false)),
        ("b", json!(2), json!(false)),
        ("c", Value::Null, json!("http://backend")),
    ] {
        let found = &all["streams"][stream];
        assert_eq!((&found["prepush"], &found["auth"]["url"]), (&prepush, &url), "{stream}");
    }
    assert_eq!(all["lives"]["l"]["auth"]["url"], "http://backend");
    assert_eq!(read(&place, &["streams.b.prepush"]), 2);
    let found = read(&place, &["streams.*.prepush", "--where", "prepush=2"]);
    assert_eq!(found, json!({ "streams": { "b": { "prepush": 2 } }, "effective": true }));
}

#[test]
fn a_table_says_where_each_value_comes_from() {
    let table = Place::with(INHERITED).line("read --effective -o table --columns name,auth,prepush");
    let table = table.exits(0).out;
    let rows = table.lines().skip(1).map(|line| {
        let cells = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        cells.collect::<Vec<_>>().join("|")
    });
    let expected =
        ["a|open (template low)|5", "b|open (template low)|2 (template low)", "c|http://backend (global)|-"];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

#[test]
fn what_it_shows_is_not_written_back() {
    let place = Place::with(INHERITED);
    for arguments in [&["read", "--effective"][..], &["read", "--effective", "streams.*"]] {
        place.put("read.json", &place.run(arguments).exits(0).out);
        let refused = place.line("modify -f read.json").exits(3).err.clone();
        assert!(refused.contains("the output of `read --effective`"), "{refused}");
    }
    place.line("read --effective -o set").exits(2);
    assert_eq!(place.text(), INHERITED);
}
