//! TLS: whom the client believes.

use std::sync::Arc;

use mediactl::http::api::Fingerprint;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::bare::{operate, view};
use super::place;
use super::server::Server;
use crate::cli::SAMPLE;

fn encrypted(is_ca: IsCa) -> (Server, String) {
    let key = KeyPair::generate().expect("there is randomness");
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).expect("it is an address");
    params.is_ca = is_ca;
    let certificate = params.self_signed(&key).expect("it is whole");
    let der = PrivateKeyDer::try_from(key.serialize_der()).expect("it is a key");
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider knows them")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], der);
    let config = Arc::new(config.expect("the two fit"));
    let wrap = move |stream| {
        let connection = ServerConnection::new(Arc::clone(&config)).expect("the configuration is whole");
        StreamOwned::new(connection, stream)
    };
    let mut running = view(SAMPLE);
    (Server::over(wrap, move |request| operate(request, &mut running)), certificate.pem())
}

#[test]
fn only_trusted_servers_get_a_request() {
    let (server, certificate) = encrypted(IsCa::ExplicitNoCa);
    let place = place();
    place.put("right.pem", &certificate);
    place.put("wrong.pem", encrypted(IsCa::NoCa).1);
    place.put("both.pem", format!("{}{certificate}", encrypted(IsCa::NoCa).1));
    place.put("empty.pem", "");
    let url = server.url().replace("http:", "https:");
    let read = |flags: &[&str]| place.run(["--url", &url, "read", "http"].iter().chain(flags));
    for trusting in [&["--cacert", "right.pem"][..], &["--cacert", "both.pem"], &["--insecure"]] {
        assert_eq!(read(trusting).exits(0).err, "");
    }
    assert_eq!(server.requests().len(), 3);
    for distrusting in [&[][..], &["--cacert", "wrong.pem"]] {
        let run = read(distrusting).exits(7).says(&format!("error: `{url}`: no encrypted connection: "));
        run.says("its certificate is from an authority that is not trusted");
    }
    let empty = read(&["--cacert", "empty.pem"]).exits(7);
    empty.says("no certificate authority to check its certificate against");
    read(&["--cacert", "missing.pem"]).exits(7).says("missing.pem");
    read(&["--cacert", "right.pem", "--insecure"]).exits(2);
    let named = url.replace("127.0.0.1", "localhost");
    let run = place.run(["--url", &named, "--cacert", "right.pem", "read"]).exits(7);
    run.says("no encrypted connection: its certificate is for another host");
    assert_eq!(server.requests().len(), 3);
    // The certificate that `openssl req -x509` makes by default.
    let (server, certificate) = encrypted(IsCa::Ca(BasicConstraints::Unconstrained));
    place.put("ca.pem", certificate);
    let url = server.url().replace("http:", "https:");
    let run = place.run(["--url", &url, "--cacert", "ca.pem", "read"]).exits(7);
    run.says("its certificate is for an authority, not for a server\n").says("basicConstraints=CA:FALSE");
}

#[test]
fn a_fingerprint_is_trusted_whatever_the_certificate_says() {
    let place = place();
    let fingerprint = |certificate: &str| {
        let der = CertificateDer::from_pem_slice(certificate.as_bytes()).expect("it is a certificate");
        Fingerprint::from_certificate(&der).to_string()
    };
    for is_ca in [IsCa::ExplicitNoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
        let (server, certificate) = encrypted(is_ca);
        let (right, wrong) = (fingerprint(&certificate), fingerprint(&encrypted(IsCa::NoCa).1));
        let url = server.url().replace("http:", "https:");
        // The name in the certificate does not matter.
        let named = url.replace("127.0.0.1", "localhost");
        for url in [&url, &named] {
            place.run(["--url", url, "--fingerprint", &right, "read", "http"]).exits(0);
        }
        let seen = server.requests().len();
        let refused = place.run(["--url", &url, "--fingerprint", &wrong, "read"]).exits(7).says("pose as");
        refused.says(&format!("its certificate has the fingerprint {right}, and not {wrong}"));
        let unknown = place.run(["--url", &url, "modify", "--set", "http=[1]"]).exits(7);
        let unknown = unknown.says(&format!("its fingerprint is {right}"));
        unknown.says(&format!("trust it with `--fingerprint {right}`"));
        assert_eq!(server.requests().len(), seen);
        for flags in [["--cacert", "x.pem"], ["--fingerprint", "sha256:12"]] {
            place.run(["--url", &url, "--fingerprint", &right, flags[0], flags[1], "read"]).exits(2);
        }
        let plain = place.run(["--url", &server.url(), "--fingerprint", &right, "read"]);
        plain.exits(2).says("has no certificate");
    }
}
