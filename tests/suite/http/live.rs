//! A server in this process, on real sockets: what clients really send, over plain TCP, TLS and the
//! Unix socket.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mediactl::engine::{Engine, Hooks};
use mediactl::http::server::front::limits::Limits;
use mediactl::http::server::front::{HttpServer, Listener};
use mediactl::http::server::handler::{Handler, HandlerSettings};
use mediactl::http::server::runtime::Runtime;
use mediactl::http::server::tls::Tls;
use mediactl::store::file::ConfFile;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::cli::{CONF, Place};
use crate::fixtures;

const TEXT: &str = "http 8080;\nedit_auth flussonic mypass123;\nstream a { url fake://fake; }\n";

/// A stuck server fails a test instead of hanging it.
const PATIENCE: Duration = Duration::from_secs(20);

struct Live {
    server: HttpServer,
    /// Gone with the test.
    _place: Place,
    plain: SocketAddr,
    secure: SocketAddr,
    socket: PathBuf,
    roots: RootCertStore,
}

/// A plain server and one with TLS over one configuration.
fn live() -> (Live, HttpServer) {
    let place = Place::with(TEXT);
    let store = Arc::new(ConfFile::resolve(&place.path(CONF)).expect("it can be found"));
    let engine = Engine::new(store.clone(), Hooks::default(), |_, _| {});
    let lock = store.serve().expect("nobody else serves it");
    let engine = engine.start(|_| {}).expect("it is valid");
    let settings = HandlerSettings {
        prefix: "/media/api".to_owned(),
        trusted_proxies: Vec::new(),
        view_auth: false,
        log: Box::new(|_| {}),
        runtime: Runtime::new(None),
        patch_memory: usize::MAX,
    };
    let handler = Arc::new(Handler::new(engine, settings));
    let (tls, roots) = certificate(&place);
    let [plain, secure] = [(), ()].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port is free"));
    let addresses = [&plain, &secure].map(|bound| bound.local_addr().expect("it is bound"));
    let conf = lock.conf().clone();
    let unix = Listener::Unix {
        listener: lock.bind().expect("the socket can be bound"),
        admits: Box::new(move |peer| conf.admits(peer)),
    };
    let start = |listeners, tls| {
        HttpServer::start(handler.clone(), listeners, tls, Limits::default()).expect("it starts")
    };
    let server = start(vec![Listener::Tcp(plain), unix], None);
    let with_tls = start(vec![Listener::Tcp(secure)], Some(tls));
    let socket = place.path(&format!(".{CONF}.mediactl/sock"));
    std::mem::forget(lock);
    (Live { server, _place: place, plain: addresses[0], secure: addresses[1], socket, roots }, with_tls)
}

fn certificate(place: &Place) -> (Arc<Tls>, RootCertStore) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    place.put("cert.pem", made.cert.pem());
    place.put("key.pem", made.signing_key.serialize_pem());
    let tls = Tls::load(&place.path("cert.pem"), &place.path("key.pem")).expect("they fit");
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).expect("it is a certificate");
    (Arc::new(tls), roots)
}

trait Stream: Read + Write {}
impl<S: Read + Write> Stream for S {}

impl Live {
    fn connect(&self, over: &str) -> Box<dyn Stream> {
        let tcp = |address| {
            let stream = TcpStream::connect(address).expect("it listens");
            stream.set_read_timeout(Some(PATIENCE)).expect("a time-out can be set");
            stream
        };
        match over {
            "plain" => Box::new(tcp(self.plain)),
            "tls" => {
                let provider = Arc::new(rustls::crypto::ring::default_provider());
                let config = ClientConfig::builder_with_provider(provider)
                    .with_safe_default_protocol_versions()
                    .expect("ring has them")
                    .with_root_certificates(self.roots.clone())
                    .with_no_client_auth();
                let name = ServerName::try_from("localhost").expect("it is a name");
                let session = ClientConnection::new(Arc::new(config), name).expect("it can be set up");
                Box::new(StreamOwned::new(session, tcp(self.secure)))
            }
            _ => {
                let stream = UnixStream::connect(&self.socket).expect("it listens");
                stream.set_read_timeout(Some(PATIENCE)).expect("a time-out can be set");
                Box::new(stream)
            }
        }
    }
}

/// Status and body of the final answer.
fn answer(stream: &mut dyn Stream) -> (u16, Vec<u8>) {
    let answer = receive(stream).expect("an answer comes whole");
    (answer.status, answer.body)
}

/// The final answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The status line and the headers.
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// Reads the final answer, of a server that may die meanwhile.
pub(crate) fn receive(stream: &mut (impl Read + ?Sized)) -> io::Result<Answer> {
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).expect("a head is text");
        let status = head[9..12].parse().expect("a status has three digits");
        if status == 100 {
            continue;
        }
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a length is a number"))];
        stream.read_exact(&mut body)?;
        return Ok(Answer { status, head, body });
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
    let (live, with_tls) = live();
    let requests = requests();
    assert!(requests.len() >= 5);
    for over in ["plain", "tls", "unix"] {
        for (name, request) in &requests {
            let mut stream = live.connect(over);
            // Twice over one connection: the first answer must not swallow what follows it.
            for round in 0..2 {
                stream.write_all(request).expect("it is read");
                let (status, body) = answer(&mut *stream);
                let expected = EXPECTED.iter().find(|(number, _)| name.starts_with(number));
                let mut expected = expected.map_or(200, |(_, status)| *status);
                if expected == 401 && over == "unix" {
                    expected = 200;
                }
                let body = String::from_utf8_lossy(&body);
                assert_eq!(status, expected, "{name} over {over}, round {round}: {body}");
                // The rest of a connection in another protocol is no request.
                if name.starts_with("23") {
                    break;
                }
            }
        }
    }
    with_tls.stop(Duration::from_secs(1));
    live.server.stop(Duration::from_secs(1));
}

/// The answer to a large change is written as it is sent.
#[test]
fn the_answer_to_a_large_change_is_the_configuration() {
    let (live, with_tls) = live();
    let titles = (0..40).map(|number| format!(r#""s{number}":{{"title":"{}"}}"#, "x".repeat(30_000)));
    let patch = format!(r#"{{"streams":{{{}}}}}"#, titles.collect::<Vec<_>>().join(","));
    let asked = |over: &str, start: &str, head: &str, body: &str| {
        let mut stream = live.connect(over);
        let credentials = "Authorization: Basic Zmx1c3NvbmljOm15cGFzczEyMw==\r\n";
        let length = body.len();
        write!(stream, "{start}\r\nHost: h\r\n{credentials}{head}Content-Length: {length}\r\n\r\n{body}")
            .expect("it is read");
        receive(&mut *stream).expect("an answer comes whole")
    };
    for (over, fill) in [("plain", "y"), ("tls", "z"), ("unix", "u")] {
        let changed = asked(
            over,
            "POST /media/api/modify_config HTTP/1.1",
            "Content-Type: application/json\r\n",
            &patch.replace('x', fill),
        );
        assert_eq!(changed.status, 200);
        let read = asked(over, "GET /media/api/read_config HTTP/1.1", "", "").body;
        assert!(changed.body.len() > 40 * 30_000 && changed.body == read, "{over}");
    }
    with_tls.stop(Duration::from_secs(1));
    live.server.stop(Duration::from_secs(1));
}

/// A client learns whether a password is right when its head is looked at, so it counts then.
#[test]
fn a_wrong_password_counts_whose_request_is_never_whole() {
    let (live, with_tls) = live();
    let ask = |number: usize, rest: &str| {
        let password = STANDARD.encode(format!("flussonic:wrong{number}"));
        let mut stream = TcpStream::connect(live.plain).expect("it listens");
        let start = "POST /media/api/modify_config HTTP/1.1\r\nHost: h";
        write!(stream, "{start}\r\nAuthorization: Basic {password}\r\n{rest}").expect("it is read");
        stream.shutdown(Shutdown::Write).expect("it is open");
        answer(&mut stream).0
    };
    for number in 0..5 {
        assert_eq!(ask(number, "Content-Length: 5\r\n\r\n"), 400);
        assert_eq!(ask(number + 5, "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), 400);
    }
    assert_eq!(ask(10, "Content-Length: 0\r\n\r\n"), 429);
    with_tls.stop(Duration::from_secs(1));
    live.server.stop(Duration::from_secs(1));
}
