//! `url_global` belongs into `auth`: shown there, and dropped unread when it is sent back.

use serde_json::{Value, json};

use super::Place;
pub(crate) const TEXT: &str = "\
http 80;
auth http://global/ realm=tv;
cluster_key K;
edit_auth admin s3cret;
live pub;
stream own { auth http://own/ x=1; }
stream open { auth false; }
stream none {
  url udp://1; # one
}
";

#[track_caller]
pub(crate) fn shows_it_in_auth(view: &Value) {
    let global = "http://global/";
    for (path, expected) in [
        ("/streams/own/auth", json!({"url": "http://own/", "extra": {"x": "1"}, "url_global": global})),
        ("/streams/open/auth", json!({"url": false, "url_global": global})),
        ("/streams/none/auth", json!({"url_global": global})),
        ("/lives/pub/auth", json!({"url_global": global})),
        ("/auth", json!({"url": "http://global/", "extra": {"realm": "tv"}})),
    ] {
        assert_eq!(view.pointer(path), Some(&expected), "{path}");
    }
    for block in ["/streams/own", "/streams/none", "/lives/pub"] {
        let block = view.pointer(block).expect("it is there");
        assert_eq!((block.get("url_global"), &block["cluster_key_global"]), (None, &json!("K")));
    }
}

#[test]
fn url_global_stands_in_auth_of_every_stream_and_live() {
    let place = Place::with(TEXT);
    shows_it_in_auth(&place.run(["read"]).exits(0).json());
    let of_one = place.run(["read", "-r", "streams.own.auth", "streams.none.auth.url_global"]).exits(0);
    assert_eq!(
        of_one.out,
        "{\"url\":\"http://own/\",\"extra\":{\"x\":\"1\"},\"url_global\":\"http://global/\"}\nhttp://global/\n"
    );
    let open = Place::with(TEXT.replace("http://global/ realm=tv", "false"));
    let open = open.run(["read", "-o", "compact"]).exits(0);
    assert!(!open.out.contains("url_global"), "{}", open.out);
}

#[test]
fn a_whole_object_with_url_global_in_auth_is_sent_back_with_one_change() {
    let place = Place::with(TEXT);
    let mut whole = place.run(["read"]).exits(0).json();
    place.patch(&whole.to_string()).exits(0).says("nothing to change");
    whole["streams"]["none"]["prepush"] = json!(5);
    whole["streams"]["own"]["auth"]["url_global"] = json!("http://changed/");
    place.patch(&whole.to_string()).exits(0).says("1 line added, 0 lines removed");
    assert_eq!(place.text(), TEXT.replace("# one\n", "# one\n  prepush 5;\n"));
}
