use serde_json::{Value, json};

use crate::query::Path;
use crate::syntax::Document;

const TEXT: &str = "\
# the file

http 80;
rtmp 1935; rtsp 554;
http 8080;
# the first
# camera
stream a {
  # where from
  url udp://1;  # one
  url udp://2;
  prepush 5; auth false;
}  # a
stream \"b.c\" { url udp://3; }
file vod { path /srv; }
file old { path /old; }
live l;";

fn lines(path: &str) -> Result<&'static str, String> {
    let document = Document::parse(TEXT);
    let path = Path::parse(path).expect(path);
    document.lines_of(&path).map(|range| &TEXT[range]).map_err(|fault| fault.to_string())
}

#[test]
fn an_entry_has_its_lines_and_the_comments_above() {
    for (path, expected) in [
        ("rtmp", "rtmp 1935;"),
        ("streams.a.urls", "  # where from\n  url udp://1;  # one\n  url udp://2;\n"),
        ("streams.a.urls[1].url", "  # where from\n  url udp://1;  # one\n  url udp://2;\n"),
        ("streams.a.prepush", "  prepush 5;"),
        ("streams.a.auth.url", "auth false;\n"),
        ("streams.\"b.c\"", "stream \"b.c\" { url udp://3; }\n"),
        ("streams.\"b.c\".urls", "url udp://3;"),
        ("file.vod", "file vod { path /srv; }\n"),
        ("file", "file vod { path /srv; }\nfile old { path /old; }\n"),
        ("lives.l", "live l;"),
    ] {
        assert_eq!(lines(path), Ok(expected), "{path}");
    }
    let streams = lines("streams").expect("they stand together");
    assert!(streams.starts_with("# the first\n# camera\nstream a {") && streams.ends_with("}\n"));
    assert!(lines("streams.a").expect("it is there").ends_with("}  # a\n"));
}

#[test]
fn a_path_without_an_entry_of_its_own_is_refused() {
    for (path, expected) in [
        ("http", "`http`: it stands in several places of the text"),
        ("streams.x", "`streams.x`: there is no stream `x`"),
        ("streams.x.urls", "`streams.x.urls`: there is no stream `x`"),
        ("streams.a.dvr", "`streams.a.dvr`: `dvr` is not set"),
        ("file.new", "`file.new`: there is no `new` in `file`"),
        ("loglevel", "`loglevel`: `loglevel` is not set"),
        ("streams.*", "`streams.*`: `*` stands for several entries"),
    ] {
        assert_eq!(lines(path), Err(expected.to_owned()), "{path}");
    }
}

fn check(view: &Value, prefix: &str, expected: &[&str]) {
    let prefix = if prefix.is_empty() { Vec::new() } else { Path::parse(prefix).expect(prefix).segments };
    let lines: Vec<String> =
        Path::set_lines(view, &prefix).into_iter().map(|(path, text)| format!("{path}={text}")).collect();
    assert_eq!(lines, expected);
}

#[test]
fn words_stand_bare_where_they_read_back() {
    let view = json!({
        "http": [80, "1.2.3.4:80"],
        "root": "null",
        "auth": {"url": "false", "extra": {"a": "1", "b": "\"x\""}},
        "plugins": {},
        "lives": {"p": {"prefix": "p", "publish_enabled": true, "static": false, "position": 1}},
        "streams": {
            "bare": {"static": true, "auth": {"url_global": "x"}},
            "cam.1": {
                "name": "cam.1", "static": true, "position": 1, "urls": [{"url": "a", "k": 1}],
                "auth": {"url": false, "extra": {"a": "1", "flag": true}, "url_global": "x"}, "prepush": false,
                "url_global": "x", "number": 5, "string": "5", "lines": "a\nb", "words": ["a", 1],
                "null": "null", "open": "[x", "block": {"a": {"b": true}, "none": {}},
            },
        },
    });
    check(
        &view,
        "",
        &[
            "http=[80,\"1.2.3.4:80\"]",
            "root=\"null\"",
            "auth.url=\"false\"",
            "auth.extra.a=1",
            r#"auth.extra.b="\"x\"""#,
            "lives.p.publish_enabled=true",
            "streams.bare.static=true",
            "streams.\"cam.1\".static=true",
            "streams.\"cam.1\".urls=[{\"url\":\"a\",\"k\":1}]",
            "streams.\"cam.1\".auth.url=false",
            "streams.\"cam.1\".auth.extra={\"a\":\"1\",\"flag\":true}",
            "streams.\"cam.1\".prepush=false",
            "streams.\"cam.1\".number=5",
            "streams.\"cam.1\".string=\"5\"",
            "streams.\"cam.1\".lines=\"a\\nb\"",
            "streams.\"cam.1\".words=[\"a\",1]",
            "streams.\"cam.1\".null=\"null\"",
            "streams.\"cam.1\".open=[x",
            "streams.\"cam.1\".block.a.b=true",
            "streams.\"cam.1\".block.none={}",
        ],
    );
    check(&view["http"][1], "http[1]", &["http[1]=1.2.3.4:80"]);
    check(&json!({"prepush": "on", "cluster_key": ["a", "b"], "x": 1}), "streams.a", &["streams.a.x=1"]);
    check(&json!({"pid": 1}), "runtime.server", &[]);
    check(&json!("a"), "streams.a.name", &[]);
    check(&json!({"a": {"name": "a"}}), "plugins", &["plugins.a={}"]);
    check(&json!({"a\nb": 1, "x": 2}), "", &["x=2"]);
    check(&json!({"a\nb": {"name": "a\nb", "urls": []}}), "streams", &[r#"streams={"a\nb":{"urls":[]}}"#]);
}
