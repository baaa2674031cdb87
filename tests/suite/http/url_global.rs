//! `url_global` belongs into `auth`, also in what the API answers and takes.

use super::handler::Server;
use crate::cli::url_global::{TEXT, shows_it_in_auth};

#[test]
fn url_global_stands_in_auth_over_http_and_says_nothing_when_it_comes_back() {
    let server = Server::over(TEXT);
    let shown: serde_json::Value = serde_json::from_slice(&server.get("").body).expect("it is JSON");
    shows_it_in_auth(&shown);
    assert_eq!(server.post("modify_config", &shown.to_string()).status, 200);
    let beside = r#"{"streams":{"none":{"url_global":"x","auth":{"url_global":"y"}}},"lives":{"pub":{"url_global":1}}}"#;
    assert_eq!(server.post("modify_config", beside).status, 200);
    assert_eq!(server.place.text(), TEXT);
    let changed = r#"{"streams":{"none":{"prepush":5,"auth":{"url_global":"http://global/"}}}}"#;
    assert_eq!(server.post("modify_config", changed).status, 200);
    assert_eq!(server.place.text(), TEXT.replace("# one\n", "# one\n  prepush 5;\n"));
}
