use serde_json::json;

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
        ("streams.a.prepush", "  prepush 5;"),
        ("streams.a.auth", "auth false;\n"),
        ("streams.\"b.c\"", "stream \"b.c\" { url udp://3; }\n"),
        ("streams.\"b.c\".urls", "url udp://3;"),
        ("file.vod", "file vod { path /srv; }\n"),
        ("lives.l", "live l;"),
    ] {
        assert_eq!(lines(path), Ok(expected), "{path}");
    }
    let stream = lines("streams.a").expect("it is there");
    assert!(stream.starts_with("# the first\n# camera\nstream a {") && stream.ends_with("}  # a\n"));
}

#[test]
fn a_path_without_an_entry_of_its_own_is_refused() {
    for (path, expected) in [
        ("http", "`http`: it is not one entry of the text"),
        ("streams", "`streams`: it is not one entry of the text"),
        ("file", "`file`: it is not one entry of the text"),
        ("streams.a.urls", "`streams.a.urls`: it is not one entry of the text"),
        ("streams.a.urls[1].url", "`streams.a.urls[1].url`: it is not one entry of the text"),
        ("streams.x", "`streams.x`: there is no stream `x`"),
        ("streams.x.urls", "`streams.x.urls`: there is no stream `x`"),
        ("streams.a.dvr", "`streams.a.dvr`: `dvr` is not set"),
        ("file.new", "`file.new`: there is no `new` in `file`"),
        ("loglevel", "`loglevel`: `loglevel` is not set"),
        ("streams.*", "`streams.*`: it is not one entry of the text"),
    ] {
        assert_eq!(lines(path), Err(expected.to_owned()), "{path}");
    }
}

#[test]
fn words_stand_bare_where_they_read_back() {
    for (path, value, expected) in [
        (
            "",
            json!({"http": [80, "h:80"], "root": "null", "plugins": {}}),
            r#"http=[80,"h:80"] & root="null""#,
        ),
        ("auth", json!({"url": "false", "extra": {"a": "1"}}), r#"auth.url="false" & auth.extra.a=1"#),
        ("auth.extra", json!({"b": "\"x\""}), r#"auth.extra.b="\"x\"""#),
        (
            "lives.p",
            json!({"prefix": "p", "publish_enabled": true, "position": 1}),
            "lives.p.publish_enabled=true",
        ),
        ("streams", json!({"a": {"static": true, "auth": {"url_global": "x"}}}), "streams.a.static=true"),
        ("streams", json!({"a.b": {"name": "a.b", "x": 1, "url_global": "x"}}), r#"streams."a.b".x=1"#),
        ("streams.a", json!({"urls": [{"url": "a", "k": 1}]}), r#"streams.a.urls=[{"url":"a","k":1}]"#),
        ("lives.p", json!({"auth": {"url": false, "url_global": "x"}}), "lives.p.auth.url=false"),
        ("lives.p.auth", json!({"extra": {"a": "1", "f": true}}), r#"lives.p.auth.extra={"a":"1","f":true}"#),
        ("streams.a", json!({"prepush": false, "number": 5}), "streams.a.prepush=false & streams.a.number=5"),
        ("streams.a", json!({"x": "5", "y": "a\nb"}), r#"streams.a.x="5" & streams.a.y="a\nb""#),
        ("streams.a", json!({"x": ["a", 1], "y": "null"}), r#"streams.a.x=["a",1] & streams.a.y="null""#),
        ("streams.a", json!({"open": "[x", "none": {}}), "streams.a.open=[x & streams.a.none={}"),
        ("streams.a.block", json!({"a": {"b": true}}), "streams.a.block.a.b=true"),
        ("http[1]", json!("1.2.3.4:80"), "http[1]=1.2.3.4:80"),
        ("streams.a", json!({"prepush": "on", "cluster_key": ["a", "b"], "x": 1}), "streams.a.x=1"),
        ("runtime.server", json!({"pid": 1}), ""),
        ("streams.a.name", json!("a"), ""),
        ("plugins", json!({"a": {"name": "a"}}), "plugins.a={}"),
        ("", json!({"a\nb": 1, "x": 2}), "x=2"),
        ("streams", json!({"a\nb": {"name": "a\nb", "urls": []}}), r#"streams={"a\nb":{"urls":[]}}"#),
    ] {
        let above = if path.is_empty() { Vec::new() } else { Path::parse(path).expect(path).segments };
        let lines = Path::set_lines(&value, &above).into_iter().map(|(path, text)| format!("{path}={text}"));
        assert_eq!(lines.collect::<Vec<_>>().join(" & "), expected);
    }
}
