use serde_json::{Value, json};

use super::{Completion, PathUse};
use crate::query::{Config, Path};

fn configuration() -> Value {
    json!({
        "http": [80, "127.0.0.1:8080"], "rtmp": 1935, "cluster_key": "geheim",
        "edit_auth": {"login": "admin", "password": "geheim"}, "dvr": {"main": {"root": "/d"}}, "odd": {"a b": 1},
        "streams": {
            "cam1": {
                "name": "cam1", "static": true, "position": 1, "title": "Gate",
                "urls": [{"url": "rtsp://u:geheim@h/1", "priority": 1}, {"url": "udp://239.0.0.1:1234"}],
                "prepush": 5, "auth": {"url": "http://a", "extra": {"k": "v"}, "url_global": "http://g"},
            },
            "cam.2": {"name": "cam.2", "static": false, "position": 2, "urls": []},
            "news": {"name": "news", "static": true, "position": 3, "urls": []},
        },
        "lives": {"studio": {"prefix": "studio", "publish_enabled": true}},
        "plugins": {},
    })
}

const KEYS_OF_NEWS: &str = "streams.news.static=|streams.news.position=|streams.news.urls[|streams.news.auth.|\
     streams.news.cluster_key=|streams.news.prepush=|streams.news.transcoder[|streams.news.dvr.|\
     streams.news.title=|streams.news.comment=|streams.news.disabled=";

/// The texts of the candidates.
fn candidates(path_use: PathUse, base: &str, typed: &str) -> Vec<String> {
    let json = configuration();
    let current = Config::from(&json);
    let base = if base.is_empty() { Vec::new() } else { Path::parse(base).expect("a path").segments };
    let found = Completion { current: &current, base: &base, path_use }.candidates(typed);
    assert!(found.iter().all(|found| !found.text.contains("geheim") && !found.help.contains("geheim")));
    found.into_iter().map(|candidate| candidate.text).collect()
}

#[test]
fn a_path_goes_on_with_what_its_use_allows() {
    use PathUse::{Block, Explained, Present, Settable};
    for (path_use, typed, expected) in [
        // Names, quoted where the grammar wants it; the bare ones are preferred.
        (Settable, "streams.", "streams.cam1.|streams.\"cam.2\".|streams.news."),
        (Settable, "streams.\"cam.2\".pos", "streams.\"cam.2\".position="),
        (Settable, "odd.", "odd.a b="),
        // The only one is entered.
        (Settable, "streams.ne", KEYS_OF_NEWS),
        (Settable, "streams.cam1.pr", "streams.cam1.prepush=|streams.cam1.prepush=off"),
        (Settable, "streams.cam1.auth.", "streams.cam1.auth.url=|streams.cam1.auth.extra."),
        (Settable, "streams.cam1.tran", "streams.cam1.transcoder["),
        (Settable, "streams.cam1.auth.u", "streams.cam1.auth.url=|streams.cam1.auth.url=false"),
        // Those of other servers come behind the known ones, where they may stand, when a letter is typed.
        (Settable, "streams.cam1.pus", "streams.cam1.push="),
        (Settable, "streams.cam1.aud", "streams.cam1.audio="),
        (Settable, "lives.studio.pos", "lives.studio.position="),
        (Settable, "auth_b", "auth_backend."),
        (Settable, "lives.studio.backen", ""),
        (Explained, "streams.on_pl", "streams.on_play"),
        (Present, "streams.cam1.pus", ""),
        // Lists.
        (Settable, "http", "http[|http_options.|https[|https_options.|http_proxy="),
        (Settable, "streams.cam1.urls", "streams.cam1.urls["),
        (Settable, "streams.cam1.urls[0]", "streams.cam1.urls[0].url=|streams.cam1.urls[0].priority="),
        // Patterns.
        (Settable, "streams.*.stat", "streams.*.static=|streams.*.static=true|streams.*.static=false"),
        (Settable, "streams.c*.prep", "streams.c*.prepush=|streams.c*.prepush=off"),
        (Present, "streams.*.ti", "streams.*.title"),
        // Values.
        (Settable, "streams.cam1.prepush=", "streams.cam1.prepush=off"),
        (Settable, "streams.cam1.static=f", "streams.cam1.static=false"),
        (Settable, "lives.studio.disabled=", "lives.studio.disabled=true|lives.studio.disabled=false"),
        (Settable, "streams.cam1.auth.url=", "streams.cam1.auth.url=false"),
        (Settable, "streams.cam1.dvr.reference=", "streams.cam1.dvr.reference=main"),
        (
            Settable,
            "streams.news.backup_stream=c",
            "streams.news.backup_stream=cam1|streams.news.backup_stream=cam.2",
        ),
        (Settable, "streams.news.template=", ""),
        (Settable, "edit_auth.login=", ""),
        (Settable, "loglevel=in", "loglevel=info"),
        // Secrets are no values.
        (Settable, "cluster_key=", ""),
        (Settable, "edit_auth.password=", ""),
        (Settable, "streams.cam1.urls[0].url=", ""),
        // What is there.
        (Present, "", "http|rtmp|cluster_key|edit_auth|dvr|odd|streams|lives|plugins"),
        (
            Present,
            "streams.n",
            "streams.news|streams.news.name|streams.news.static|streams.news.position|streams.news.urls",
        ),
        (Present, "streams.cam1.urls[1]", "streams.cam1.urls[1].url"),
        (Present, "streams.cam1.urls.", "streams.cam1.urls.url|streams.cam1.urls.priority"),
        (Present, "streams.cam1.urls.pr", "streams.cam1.urls.priority"),
        (Settable, "streams.cam1.urls.u", ""),
        (Present, "streams.cam1.prepush=", ""),
        (Present, "streams.cam1.nothing", ""),
        (Present, "streams.cam1.prepush.", ""),
        // What can be explained: the name may be left out.
        (Explained, "streams.pre", "streams.prepush"),
        (
            Explained,
            "streams.cam1.auth",
            "streams.cam1.auth|streams.cam1.auth.url|streams.cam1.auth.extra|streams.cam1.auth.url_global",
        ),
        // Whole streams, lives and plugins.
        (Block, "", "plugins.|lives.|streams."),
        (Block, "liv", "lives.studio"),
        (Block, "streams.cam", "streams.cam1"),
        (Block, "streams.cam1.", ""),
        // Nonsense is no reason to fail.
        (Settable, "..", ""),
        (Settable, "a[0]b.", ""),
        (Settable, "=", ""),
        (Settable, "a.[", ""),
        (Settable, "a!", ""),
        (Settable, "'a.b", ""),
        (Present, "x..a]", ""),
        (Settable, "é\"", ""),
    ] {
        let found = candidates(path_use, "", typed).join("|");
        assert_eq!(found, expected, "{path_use:?} {typed}");
    }
}
