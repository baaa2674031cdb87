//! Which server certificates the client trusts.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::error::ClientError;

/// The trusted certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsTrust {
    /// Those of the authorities that this machine trusts.
    Platform,
    /// Those of these authorities only (PEM).
    Authorities(Vec<u8>),
    /// All certificates: any machine can pose as the server.
    Anybody,
    /// None, for connections without TLS.
    Nobody,
}

/// Makes the TLS configuration, with the same provider as the server.
pub fn config(trust: &TlsTrust) -> Result<ClientConfig, ClientError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("the provider has the cipher suites of TLS 1.2 and 1.3");
    let certificates = match trust {
        TlsTrust::Anybody => {
            let verifier = Arc::new(NoVerifier(provider));
            return Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth());
        }
        TlsTrust::Nobody => Vec::new(),
        TlsTrust::Platform => rustls_native_certs::load_native_certs().certs,
        TlsTrust::Authorities(pem) => {
            CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().unwrap_or_default()
        }
    };
    let mut roots = RootCertStore::empty();
    // Authorities that can't be parsed are skipped.
    roots.add_parsable_certificates(certificates);
    match roots.is_empty() && *trust != TlsTrust::Nobody {
        true => Err(ClientError::NoAuthorities),
        false => Ok(builder.with_root_certificates(roots).with_no_client_auth()),
    }
}

/// Trusts every certificate; the signatures of the handshake are still checked.
#[derive(Debug)]
struct NoVerifier(Arc<CryptoProvider>);

impl ServerCertVerifier for NoVerifier {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
