//! `mediactl explain`

use serde_json::json;

use super::Place;

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
fn a_parameter_is_explained_with_or_without_a_stream() {
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
    place.line("explain streams.cam2.prepush").exits(0).prints("value     not set\n");
    place.line("explain streams.cma1.prepush").exits(7).says("there is no stream `cma1`");
    place.line("explain lives.urls").exits(0).prints("an array of {\"url\", ...}\n");
    place.line("explain streams.urls").exits(0).prints("an array of {\"url\", ...}; always shown\n");
    place.line("explain lives.publish_enabled").exits(0).prints("default   true\n");
    place.line("explain streams.url").exits(0).prints("streams.NAME.urls\n").prints("(or `input`, `urls`)");
    place
        .line("explain cluster_key")
        .exits(0)
        .prints("at the top level, in `stream` and `ondemand`, in `live`");
}

#[test]
fn a_directive_of_other_servers_is_explained_where_it_may_stand() {
    let place = Place::with(TEXT);
    let push = place.line("explain streams.push").exits(0).prints("Address to which the stream is sent");
    push.prints("where     at the top level, in `stream`, in `ondemand`, in `live`, in `template`\n");
    // Alone it is no place, as it stands in blocks.
    place.line("explain backend").exits(0).prints("where     in `auth_backend`\n").hides("value ");
    let one = place.line("explain cache.movies.path").exits(0);
    one.prints("value     \"/srv\" (own, media.conf:14)");
    place.line("explain streams.cam1.nosuch").exits(7);
}

#[test]
fn a_value_comes_with_its_source() {
    let place = Place::with(TEXT);
    for (path, value, source, line) in [
        ("http", json!([80]), "own", json!(1)),
        ("http[0]", json!(80), "own", json!(1)),
        ("streams.cam1.prepush", json!(5), "own", json!(8)),
        ("streams.cam1.urls[1].url", json!("udp://239.0.0.2:1234"), "own", json!(7)),
        ("streams.cam1.position", json!(1), "derived", json!(5)),
        ("streams.cam1.auth.url", json!("http://backend/check"), "global", json!(3)),
        ("streams.film.urls[0].url", json!("file://film.mp4"), "own", json!(12)),
        ("lives.studio.auth", json!({"url": false}), "own", json!(13)),
        ("lives.studio.publish_enabled", json!(true), "own", json!(13)),
        ("streams.cam1.disabled", json!(false), "default", json!(null)),
        ("cache.movies.path", json!("/srv"), "own", json!(14)),
        ("edit_auth.login", json!("admin"), "own", json!(2)),
    ] {
        let found = place.run(["explain", "-o", "json", path]).exits(0).json();
        assert_eq!(
            (&found["value"], &found["source"], &found["line"]),
            (&value, &json!(source), &line),
            "{path}"
        );
    }
    let text = "template low { prepush 2; push tcp://192.0.2.9; cluster_key sword; }\ncluster_key fish;\n\
                stream a { template low; }\nstream b { template low; prepush 5; }\nstream c { template none; }\n";
    let place_of_templates = Place::with(text);
    for (path, shown) in [
        ("streams.a.prepush", "value     2 (template, media.conf:1)"),
        ("streams.a.push", "value     \"tcp://192.0.2.9\" (template, media.conf:1)"),
        ("streams.a.cluster_key", "(template, media.conf:1)"),
        ("streams.a.title", "value     not set"),
        ("streams.b.prepush", "value     5 (own, media.conf:4)"),
        ("streams.c.prepush", "value     not set"),
        ("streams.c.cluster_key", "(global, media.conf:2)"),
    ] {
        place_of_templates.run(["explain", path]).exits(0).prints(shown).hides("sword").hides("fish");
    }
    for path in ["streams.cam2.cluster_key", "streams.cam1.cluster_key", "cluster_key", "edit_auth"] {
        let run = place.run(["explain", path]).exits(0).prints("<secret:");
        run.hides("swordfish").hides("own-secret").hides("hunter2");
    }
    place
        .line("--show-secrets explain streams.cam2.cluster_key")
        .prints("\"swordfish\" (global, media.conf:4)");
}

#[test]
fn members_are_listed_and_faults_are_told() {
    let place = Place::with(TEXT);
    place.line("explain streams").exits(0).prints("\nmembers\n").prints("  prepush ");
    place.line("explain streams.cam1").exits(0).prints("One stream of the streams");
    place.line("explain edit_auth").exits(0).prints("  password  a string\n");
    place.line("explain prepush").exits(7).says("did you mean `streams.prepush` or `lives.prepush`?");
    place.line("explain dvr").exits(0).prints("Named archive at the top level");
    place.line("explain streams.dvr.disk_limit").exits(0).prints("unit      %");
    place.line("explain streams.prepsh").exits(7);
    place.line("explain rtmp.x").exits(3);
    place.line("explain streams..x").exits(3);
    place.line("--conf absent.conf explain rtmp").exits(0).says("absent.conf").prints("rtmp 1935;");
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
