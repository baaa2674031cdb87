//! Whole servers on real sockets: what clients really send, over plain TCP, TLS and the Unix socket.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;

use rustls::version::TLS13;

use super::handler::account;
use super::listener::secured::{issue, over_tls};
use super::listener::support::Client;
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place};
use crate::fixtures;
use crate::waiting::PATIENCE;

const TEXT: &str = "http 8080;\nedit_auth flussonic mypass123;\nstream a { url fake://fake; }\n";

trait Stream: Read + Write {}
impl<S: Read + Write> Stream for S {}

fn tcp(server: &Serving) -> Client<TcpStream> {
    let (_, rest) = server.url.split_once("://").expect("it is a URL");
    let address = rest.split('/').next().expect("it has a host");
    Client::new(TcpStream::connect(address).expect("it listens"))
}

/// What the requests of real clients come to, by the number in the name of the file.
const EXPECTED: &[(&str, u16)] =
    &[("09", 400), ("11", 401), ("17", 308), ("18", 308), ("19", 404), ("21", 400), ("22", 400), ("23", 400)];

fn requests() -> Vec<(String, Vec<u8>)> {
    let folders =
        [Some(fixtures::root().join("clients")), fixtures::shared().map(|shared| shared.join("clients"))];
    let files = folders.into_iter().flatten().flat_map(|folder| fixtures::files(&folder, "http"));
    files
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            (name, fs::read(path).expect("a fixture can be read"))
        })
        .collect()
}

#[test]
fn requests_of_real_clients_are_answered() {
    let places = [Place::with(TEXT), Place::with(TEXT)];
    let trusted = issue(&places[1].path(""));
    let plain = Serving::over(&places[0]);
    let certificate = ["--listen", "127.0.0.1:0", "--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let secure = Serving::with(&places[1], &certificate);
    let connect = |over: &str| -> Client<Box<dyn Stream>> {
        Client::over(match over {
            "plain" => Box::new(tcp(&plain).stream),
            "tls" => Box::new(over_tls(tcp(&secure).stream, &trusted, &TLS13)),
            _ => {
                let path = places[0].path(&format!(".{CONF}.mediactl/sock"));
                let stream = UnixStream::connect(path).expect("it listens");
                stream.set_read_timeout(Some(PATIENCE)).expect("a time-out can be set");
                Box::new(stream)
            }
        })
    };
    let requests = requests();
    assert!(requests.len() >= 5);
    for over in ["plain", "tls", "unix"] {
        for (name, request) in &requests {
            let mut client = connect(over);
            // Twice over one connection: the first answer must not swallow what follows it.
            for round in 0..2 {
                client.send(request);
                let mut answer = client.answer();
                while answer.status == 100 {
                    answer = client.answer();
                }
                let expected = EXPECTED.iter().find(|(number, _)| name.starts_with(number));
                let mut expected = expected.map_or(200, |(_, status)| *status);
                if expected == 401 && over == "unix" {
                    expected = 200;
                }
                let body = String::from_utf8_lossy(&answer.body);
                assert_eq!(answer.status, expected, "{name} over {over}, round {round}: {body}");
                // The rest of a connection in another protocol is no request.
                if name.starts_with("23") {
                    break;
                }
            }
        }
    }
}

/// A client learns whether a password is right when its head is looked at, so it counts then.
#[test]
fn a_wrong_password_counts_whose_request_is_never_whole() {
    let place = Place::with(TEXT);
    let server = Serving::over(&place);
    let ask = |number: usize, rest: &str| {
        let credentials = account("flussonic", &format!("wrong{number}"));
        let mut client = tcp(&server);
        let start = "POST /media/api/modify_config HTTP/1.1\r\nHost: h";
        client.send(format!("{start}\r\nAuthorization: {credentials}\r\n{rest}"));
        client.stream.shutdown(Shutdown::Write).expect("it is open");
        client.answer().status
    };
    for number in 0..5 {
        assert_eq!(ask(number, "Content-Length: 5\r\n\r\n"), 400);
        assert_eq!(ask(number + 5, "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400);
    }
    assert_eq!(ask(10, "Content-Length: 0\r\n\r\n"), 429);
}
