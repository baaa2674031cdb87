//! A server in this process, on real sockets: what clients really send, over plain TCP, TLS and the
//! Unix socket.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mediactl::engine::{Engine, Hooks};
use mediactl::http::server::front::limits::Limits;
use mediactl::http::server::front::{HttpServer, Listener};
use mediactl::http::server::handler::{Handler, HandlerSettings};
use mediactl::http::server::runtime::Runtime;
use mediactl::store::file::ConfFile;
use rustls::pki_types::CertificateDer;
use rustls::version::TLS13;

use super::handler::account;
use super::listener::secured::{issue, load, over_tls};
use super::listener::support::Client;
use crate::cli::{CONF, Place};
use crate::fixtures;

const TEXT: &str = "http 8080;\nedit_auth flussonic mypass123;\nstream a { url fake://fake; }\n";

/// A stuck server fails a test instead of hanging it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A plain server and one with TLS over one configuration.
struct Live {
    servers: [HttpServer; 2],
    /// Gone with the test.
    _place: Place,
    plain: SocketAddr,
    secure: SocketAddr,
    socket: PathBuf,
    trusted: CertificateDer<'static>,
}

fn live() -> Live {
    let place = Place::with(TEXT);
    let store = Arc::new(ConfFile::resolve(&place.path(CONF)).expect("it can be found"));
    let engine = Engine::new(store.clone(), Hooks::default(), |_, _| {});
    let lock = store.serve().expect("nobody else serves it");
    let engine = engine.start(|_, _| {}).expect("it is valid");
    let settings = HandlerSettings {
        prefix: "/media/api".to_owned(),
        trusted_proxies: Vec::new(),
        view_auth: false,
        log: Box::new(|_| {}),
        runtime: Runtime::new(None),
        patch_memory: usize::MAX,
    };
    let handler = Arc::new(Handler::new(engine, settings));
    let trusted = issue(&place.path(""));
    let tls = load(&place.path("")).expect("they fit");
    let [plain, secure] = [(), ()].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port is free"));
    let addresses = [&plain, &secure].map(|bound| bound.local_addr().expect("it is bound"));
    let conf = lock.conf.clone();
    let unix = Listener::Unix {
        listener: lock.bind().expect("the socket can be bound"),
        admits: Box::new(move |peer| conf.admits(peer)),
    };
    let start = |listeners, tls| {
        HttpServer::start(handler.clone(), listeners, tls, Limits::default()).expect("it starts")
    };
    let plain = start(vec![Listener::Tcp(plain), unix], None);
    let secure = start(vec![Listener::Tcp(secure)], Some(Arc::new(tls)));
    let socket = place.path(&format!(".{CONF}.mediactl/sock"));
    std::mem::forget(lock);
    let servers = [plain, secure];
    Live { servers, _place: place, plain: addresses[0], secure: addresses[1], socket, trusted }
}

trait Stream: Read + Write {}
impl<S: Read + Write> Stream for S {}

impl Live {
    fn connect(&self, over: &str) -> Client<Box<dyn Stream>> {
        let tcp = |address| {
            let stream = TcpStream::connect(address).expect("it listens");
            stream.set_read_timeout(Some(PATIENCE)).expect("a time-out can be set");
            stream
        };
        Client::over(match over {
            "plain" => Box::new(tcp(self.plain)),
            "tls" => Box::new(over_tls(tcp(self.secure), &self.trusted, &TLS13)),
            _ => {
                let stream = UnixStream::connect(&self.socket).expect("it listens");
                stream.set_read_timeout(Some(PATIENCE)).expect("a time-out can be set");
                Box::new(stream)
            }
        })
    }

    fn stop(self) {
        self.servers.into_iter().for_each(|server| server.stop(Duration::from_secs(1)));
    }
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
    let live = live();
    let requests = requests();
    assert!(requests.len() >= 5);
    for over in ["plain", "tls", "unix"] {
        for (name, request) in &requests {
            let mut client = live.connect(over);
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
    live.stop();
}

/// A client learns whether a password is right when its head is looked at, so it counts then.
#[test]
fn a_wrong_password_counts_whose_request_is_never_whole() {
    let live = live();
    let ask = |number: usize, rest: &str| {
        let credentials = account("flussonic", &format!("wrong{number}"));
        let mut client = Client::new(TcpStream::connect(live.plain).expect("it listens"));
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
    live.stop();
}
