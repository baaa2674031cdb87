//! The client over a Unix socket.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;

use mediactl::http::client::{ApiCall, Client, ClientSettings, Endpoint, Host};
use tempfile::TempDir;

use super::server::{Reply, answer_on};

struct NoTerminal;

impl Host for NoTerminal {
    fn warning(&self, _text: &str) {}
}

#[test]
fn a_socket_is_a_server() {
    let folder = TempDir::new().expect("a folder can be made");
    let deep = folder.path().join("deep/".repeat(40));
    std::fs::create_dir_all(&deep).expect("a folder can be made");
    let held = File::open(&deep).expect("the folder is there");
    // The path itself is longer than the address of a socket may be.
    let path = format!("/proc/self/fd/{}/sock", held.as_raw_fd());
    let listener = UnixListener::bind(&path).expect("a socket can be made");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody comes");
        answer_on(&mut stream, |request| Reply::of(200, format!("{} {}", request.method, request.target)));
    });
    let client = || {
        let endpoint = Endpoint::socket(path.clone().into(), "/media/api");
        Client::new(endpoint, path.clone(), None, ClientSettings::default(), Box::new(NoTerminal))
    };
    let parameters = vec![("source", "saved".to_owned())];
    let answer = client().send(&ApiCall { parameters, ..ApiCall::default() }).expect("there is an answer");
    let body = answer.body;
    assert_eq!(body.as_deref(), Some(&b"GET /media/api/read_config?source=saved"[..]));
    std::fs::remove_file(deep.join("sock")).expect("the socket is there");
    let refused = client().send(&ApiCall::default()).expect_err("nobody is there");
    assert!(refused.message.contains("not reachable"), "{refused:?}");
}
