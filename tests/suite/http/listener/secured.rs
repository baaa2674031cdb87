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

use super::support::{BIG, Client, Running, short};
use crate::waiting::eventually;

type TlsClient = Client<StreamOwned<ClientConnection, TcpStream>>;

/// Writes a new certificate and its key; the certificate.
fn issue(folder: &Path) -> CertificateDer<'static> {
    let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a plain name");
    std::fs::write(folder.join("cert.pem"), issued.cert.pem()).expect("the folder is ours");
    std::fs::write(folder.join("key.pem"), issued.signing_key.serialize_pem()).expect("the folder is ours");
    issued.cert.der().clone()
}

fn load(folder: &Path) -> Result<Tls, Error> {
    Tls::load(&folder.join("cert.pem"), &folder.join("key.pem"))
}

fn connect(
    running: &Running,
    trusted: &CertificateDer<'static>,
    version: &'static SupportedProtocolVersion,
) -> TlsClient {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).expect("it is a certificate");
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[version])
        .expect("the provider knows it")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().expect("it is a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("the configuration is whole");
    Client::over(StreamOwned::new(connection, running.client().stream))
}

fn is_well(client: &mut TlsClient) {
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(client.answer().text(), "GET / ");
}

#[test]
fn both_versions_carry_requests() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let trusted = issue(folder.path());
    let tls = Arc::new(load(folder.path()).expect("it was just written"));
    let running = Running::secured(Some(tls), Limits::default());
    for version in [&TLS12, &TLS13] {
        let mut client = connect(&running, &trusted, version);
        is_well(&mut client);
        let body = "y".repeat(200_000);
        client.send(format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n{body}"));
        assert_eq!(client.answer().text(), format!("POST / {body}"));
        client.send("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assert_eq!(client.answer().body.len(), BIG);
        assert!(client.is_closed());
    }
    let mut client = connect(&running, &trusted, &TLS13);
    client.send("nonsense\r\n\r\n");
    assert_eq!(client.answer().status, 400);
}

#[test]
fn a_new_certificate_is_used_without_a_restart_and_a_broken_one_is_not() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let old = issue(folder.path());
    let tls = Arc::new(load(folder.path()).expect("it was just written"));
    let running = Running::secured(Some(Arc::clone(&tls)), Limits::default());
    let mut before = connect(&running, &old, &TLS13);
    is_well(&mut before);
    let new = issue(folder.path());
    is_well(&mut connect(&running, &new, &TLS13));
    is_well(&mut before);
    std::fs::write(folder.path().join("cert.pem"), "no certificate").expect("the folder is ours");
    let says = |refused: Result<(), Error>, words: &str| {
        let message = refused.expect_err("it can't be used").message;
        assert!(message.starts_with(words), "{message}");
    };
    is_well(&mut connect(&running, &new, &TLS13));
    says(load(folder.path()).map(drop), "cannot read a certificate from ");
    issue(folder.path());
    std::fs::write(folder.path().join("key.pem"), "no key").expect("the folder is ours");
    says(load(folder.path()).map(drop), "cannot read a private key from ");
}

#[test]
fn handshakes_that_stall_or_fail_hold_only_themselves() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let trusted = issue(folder.path());
    let tls = Arc::new(load(folder.path()).expect("it was just written"));
    let running = Running::secured(Some(tls), Limits { connections: 12, ..short() });
    let mut stalled: Vec<_> = (0..10).map(|_| running.client()).collect();
    stalled.iter_mut().for_each(|client| client.send(b"\x16\x03\x01\x02\x00\x01"));
    is_well(&mut connect(&running, &trusted, &TLS13));
    assert!(running.refused(10).iter().all(|status| *status == 408));
    running.client().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(running.refused(11)[10], 400);
    is_well(&mut connect(&running, &trusted, &TLS12));
    drop(stalled);
    eventually(|| running.open_connections() == 0);
}

#[test]
fn among_handshakes_that_stall_everybody_is_served() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let trusted = issue(folder.path());
    let tls = Arc::new(load(folder.path()).expect("it was just written"));
    let limits = Limits { connections: 8, ..Limits::default() };
    let running = Running::secured(Some(tls), limits);
    let stalled: Vec<_> = (0..60)
        .map(|number| {
            let mut client = running.client();
            if number % 2 == 0 {
                client.send(b"\x16\x03\x01\x02\x00\x01");
            }
            client
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..24 {
            scope.spawn(|| is_well(&mut connect(&running, &trusted, &TLS13)));
        }
    });
    drop(stalled);
}

#[test]
fn two_hundred_that_stall_or_drip_delay_an_editor_by_less_than_two_seconds() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let trusted = issue(folder.path());
    let tls = Arc::new(load(folder.path()).expect("it was just written"));
    let running = Running::secured(Some(tls), Limits::default());
    let mut stalled: Vec<_> = (0..200).map(|_| running.client()).collect();
    stalled.iter_mut().for_each(|client| _ = client.stream.write_all(b"\x16\x03\x01\x02\x00\x01"));
    let begin = Instant::now();
    is_well(&mut connect(&running, &trusted, &TLS13));
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
}
