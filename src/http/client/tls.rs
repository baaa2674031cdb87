//! The certificates of servers that the client trusts.

use std::sync::{Arc, LazyLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::error::TlsFault;
use crate::http::api::Fingerprint;

/// The trusted certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsTrust {
    /// Those of the authorities that this machine trusts. Another one is rejected with its fingerprint, by
    /// which the user may trust it.
    Platform,
    /// The one with this fingerprint, whatever its name and its dates are.
    Pinned(Fingerprint),
    /// Those of these authorities only (PEM).
    Authorities(Vec<u8>),
    /// All certificates: any machine can pose as the server.
    Every,
    /// None, for connections without TLS.
    None,
}

/// The authorities that this machine trusts, read once: a command may have many servers.
static PLATFORM_ROOTS: LazyLock<Arc<RootCertStore>> =
    LazyLock::new(|| Arc::new(roots(rustls_native_certs::load_native_certs().certs)));

/// Makes the TLS configuration, with the same provider as the server; `None` if no authority is known.
pub fn config(trust: &TlsTrust) -> Option<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("the provider has the cipher suites of TLS 1.2 and 1.3");
    let custom = |rule| {
        let verifier = Arc::new(Verifier { provider: Arc::clone(&provider), rule });
        builder.clone().dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()
    };
    match trust {
        TlsTrust::Every => Some(custom(Rule::Every)),
        TlsTrust::Pinned(fingerprint) => Some(custom(Rule::Pinned(*fingerprint))),
        TlsTrust::None => Some(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()),
        TlsTrust::Platform => {
            let roots = Arc::clone(&PLATFORM_ROOTS);
            let known = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
            // Without any root there is no verifier, and every certificate is unknown.
            Some(custom(Rule::Platform(known.ok())))
        }
        TlsTrust::Authorities(pem) => {
            let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>();
            let roots = roots(certificates.unwrap_or_default());
            (!roots.is_empty()).then(|| builder.with_root_certificates(roots).with_no_client_auth())
        }
    }
}

/// Authorities that can't be parsed are skipped.
fn roots(certificates: Vec<CertificateDer<'static>>) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates);
    roots
}

/// The certificates that a [`Verifier`] trusts.
#[derive(Debug)]
enum Rule {
    Every,
    Pinned(Fingerprint),
    /// Those of the authorities of this machine, if it has any.
    Platform(Option<Arc<WebPkiServerVerifier>>),
}

/// Trusts certificates by a rule of its own; the signatures of the handshake are always checked.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    rule: Rule,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let found = || Fingerprint::from_certificate(end_entity);
        match &self.rule {
            Rule::Every => Ok(ServerCertVerified::assertion()),
            Rule::Pinned(pinned) if found() == *pinned => Ok(ServerCertVerified::assertion()),
            Rule::Pinned(pinned) => Err(TlsFault::other_fingerprint(found(), *pinned).into()),
            Rule::Platform(known) => {
                let checked = match known {
                    Some(known) => {
                        known.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
                    }
                    None => Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)),
                };
                checked.map_err(|error| TlsFault::unknown(found(), &error).map_or(error, Error::from))
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
