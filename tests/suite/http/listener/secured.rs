//! TLS, with a certificate of our own.

use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mediactl::error::Error;
use mediactl::http::server::front::limits::Limits;
use mediactl::http::server::tls::Tls;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};
use tempfile::TempDir;

use super::support::{BIG, Client, Running, short};
use crate::waiting::eventually;

/// The first bytes of a handshake.
const BEGUN: &[u8] = b"\x16\x03\x01\x02\x00\x01";

/// Writes a new certificate and its key; the certificate.
pub fn issue(folder: &Path) -> CertificateDer<'static> {
    let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a plain name");
    std::fs::write(folder.join("cert.pem"), issued.cert.pem()).expect("the folder is ours");
    std::fs::write(folder.join("key.pem"), issued.signing_key.serialize_pem()).expect("the folder is ours");
    issued.cert.der().clone()
}

pub fn load(folder: &Path) -> Result<Tls, Error> {
    Tls::load(&folder.join("cert.pem"), &folder.join("key.pem"))
}

type TlsStream = StreamOwned<ClientConnection, TcpStream>;

pub fn over_tls(
    stream: TcpStream,
    trusted: &CertificateDer<'static>,
    version: &'static SupportedProtocolVersion,
) -> TlsStream {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).expect("it is a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[version])
        .expect("the provider knows it")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().expect("it is a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("the configuration is whole");
    StreamOwned::new(connection, stream)
}

struct Secured {
    running: Running,
    folder: TempDir,
    trusted: CertificateDer<'static>,
}

impl Secured {
    fn with(limits: Limits) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let trusted = issue(folder.path());
        let tls = Arc::new(load(folder.path()).expect("it was just written"));
        Self { running: Running::secured(Some(tls), limits), folder, trusted }
    }

    fn connect(&self, version: &'static SupportedProtocolVersion) -> Client<TlsStream> {
        Client::over(over_tls(self.running.client().stream, &self.trusted, version))
    }
}

fn is_well(client: &mut Client<TlsStream>) {
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(client.answer().text(), "GET / ");
}

#[test]
fn both_versions_carry_requests() {
    let server = Secured::with(Limits::default());
    let body = "y".repeat(200_000);
    for version in [&TLS12, &TLS13] {
        let mut client = server.connect(version);
        is_well(&mut client);
        client.send(format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n{body}"));
        assert_eq!(client.answer().text(), format!("POST / {body}"));
        client.send("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assert_eq!(client.answer().body.len(), BIG);
        assert!(client.is_closed());
    }
    let mut client = server.connect(&TLS13);
    client.send("nonsense\r\n\r\n");
    assert_eq!(client.answer().status, 400);
}

#[test]
fn a_new_certificate_is_used_without_a_restart_and_a_broken_one_is_not() {
    let mut server = Secured::with(Limits::default());
    let mut before = server.connect(&TLS13);
    is_well(&mut before);
    let folder = server.folder.path().to_owned();
    server.trusted = issue(&folder);
    is_well(&mut server.connect(&TLS13));
    is_well(&mut before);
    std::fs::write(folder.join("cert.pem"), "no certificate").expect("the folder is ours");
    is_well(&mut server.connect(&TLS13));
    let says = |words: &str| {
        let message = load(&folder).map(drop).expect_err("it can't be used").message;
        assert!(message.starts_with(words), "{message}");
    };
    says("cannot read a certificate from ");
    issue(&folder);
    std::fs::write(folder.join("key.pem"), "no key").expect("the folder is ours");
    says("cannot read a private key from ");
}

#[test]
fn handshakes_that_stall_or_fail_hold_only_themselves() {
    let server = Secured::with(Limits { connections: 12, ..short() });
    let running = &server.running;
    let mut stalled: Vec<_> = (0..10).map(|_| running.client()).collect();
    stalled.iter_mut().for_each(|client| client.send(BEGUN));
    is_well(&mut server.connect(&TLS13));
    assert!(running.refused(10).iter().all(|status| *status == 408));
    running.client().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(running.refused(11)[10], 400);
    is_well(&mut server.connect(&TLS12));
    drop(stalled);
    eventually(|| running.open_connections() == 0);
}

#[test]
fn among_handshakes_that_stall_everybody_is_served() {
    let server = Secured::with(Limits { connections: 8, ..Limits::default() });
    let mut stalled: Vec<_> = (0..60).map(|_| server.running.client()).collect();
    stalled.iter_mut().step_by(2).for_each(|client| _ = client.stream.write_all(BEGUN));
    std::thread::scope(|scope| {
        for _ in 0..24 {
            scope.spawn(|| is_well(&mut server.connect(&TLS13)));
        }
    });
}

#[test]
fn two_hundred_that_stall_or_drip_delay_an_editor_by_less_than_two_seconds() {
    let server = Secured::with(Limits::default());
    let mut stalled: Vec<_> = (0..200).map(|_| server.running.client()).collect();
    stalled.iter_mut().for_each(|client| _ = client.stream.write_all(BEGUN));
    let served_in = |_| {
        let begin = Instant::now();
        is_well(&mut server.connect(&TLS13));
        begin.elapsed()
    };
    // The machine may have other work to do.
    let least = (0..5).map(served_in).min().expect("there are five");
    assert!(least < Duration::from_secs(2), "{least:?}");
}
