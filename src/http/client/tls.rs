//! The certificates of servers that the client trusts, and why it does not trust one.

use std::fmt;
use std::sync::{Arc, LazyLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};

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
    LazyLock::new(|| roots(rustls_native_certs::load_native_certs().certs));

/// Makes the TLS configuration, with the same provider as the server; `None` if no authority is known.
pub fn config(trust: &TlsTrust) -> Option<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let roots = match trust {
        TlsTrust::Platform => Arc::clone(&PLATFORM_ROOTS),
        TlsTrust::Authorities(pem) => {
            let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>();
            Some(roots(certificates.unwrap_or_default())).filter(|roots| !roots.is_empty())?
        }
        _ => roots(Vec::new()),
    };
    // Without any root there is no verifier, and every certificate is unknown.
    let known = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build().ok();
    let verifier = Verifier { provider: Arc::clone(&provider), known, trust: trust.clone() };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the cipher suites of TLS 1.2 and 1.3");
    Some(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

/// Authorities that can't be parsed are skipped.
fn roots(certificates: Vec<CertificateDer<'static>>) -> Arc<RootCertStore> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates);
    Arc::new(roots)
}

/// Trusts certificates by the choice of the user; the signatures of the handshake are always checked.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    /// Checks by the known authorities, if there are any.
    known: Option<Arc<WebPkiServerVerifier>>,
    trust: TlsTrust,
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
        let found = Fingerprint::from_certificate(end_entity);
        match &self.trust {
            TlsTrust::Every => return Ok(ServerCertVerified::assertion()),
            TlsTrust::Pinned(pinned) if found == *pinned => return Ok(ServerCertVerified::assertion()),
            TlsTrust::Pinned(pinned) => {
                let why = format!("its certificate has the fingerprint {found}, and not {pinned}");
                return Err(TlsFault { why, hint: OTHER_FINGERPRINT.to_owned() }.into());
            }
            _ => {}
        }
        let checked = match &self.known {
            Some(known) => {
                known.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
            }
            None => Err(CertificateError::UnknownIssuer.into()),
        };
        checked.map_err(|error| {
            let TlsFault { why, .. } = TlsFault::from(&error);
            let is_unknown = [UNKNOWN_AUTHORITY, AUTHORITY_AS_SERVER].contains(&&*why);
            if self.trust != TlsTrust::Platform || !is_unknown {
                return error;
            }
            let hint = format!(
                "if the server shows the same one, trust it with `--fingerprint {found}`; \
                 `--cacert FILE` names an authority instead"
            );
            TlsFault { why: format!("{why}; its fingerprint is {found}"), hint }.into()
        })
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

const UNKNOWN_AUTHORITY: &str = "its certificate is from an authority that is not trusted";
const AUTHORITY_AS_SERVER: &str = "its certificate is for an authority, not for a server";
const OTHER_FINGERPRINT: &str = "another machine may pose as the server; if the server has a new certificate, \
                                 compare its fingerprint there, and pin that one";

/// Advice where no trusted authority issued the certificate.
pub(super) const AUTHORITY: &str =
    "`--cacert FILE` names the authority that issued the certificate of the server";

/// The reason why an encrypted connection failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFault {
    pub why: String,
    /// The advice for the user.
    pub hint: String,
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for TlsFault {}

/// The verifier rejected a certificate; the library carries the reason through the handshake.
impl From<TlsFault> for Error {
    fn from(fault: TlsFault) -> Self {
        CertificateError::Other(OtherError(Arc::new(fault))).into()
    }
}

impl From<&Error> for TlsFault {
    fn from(error: &Error) -> Self {
        use CertificateError as Fault;
        let other = error.to_string().to_lowercase();
        let (why, hint) = match error {
            Error::InvalidMessage(_) => ("it does not speak TLS", "is it `http://` instead of `https://`?"),
            Error::InvalidCertificate(fault) => match fault {
                // A bad signature was made by another authority of the same name.
                Fault::UnknownIssuer | Fault::BadSignature => (UNKNOWN_AUTHORITY, AUTHORITY),
                Fault::NotValidForName | Fault::NotValidForNameContext { .. } => (
                    "its certificate is for another host",
                    "the host in the URL has to be a name in the certificate",
                ),
                Fault::Expired
                | Fault::ExpiredContext { .. }
                | Fault::NotValidYet
                | Fault::NotValidYetContext { .. } => (
                    "its certificate has expired, or is not valid yet",
                    "the server needs a new certificate, or a clock is wrong",
                ),
                Fault::Other(OtherError(own)) if own.is::<Self>() => {
                    return own.downcast_ref::<Self>().cloned().expect("it is one");
                }
                // The type of this error is private to the library. `openssl req -x509` makes such a certificate.
                Fault::Other(private) if format!("{private:?}").contains("CaUsedAsEndEntity") => {
                    let hint = "create a self-signed certificate with `-addext basicConstraints=CA:FALSE`";
                    (AUTHORITY_AS_SERVER, hint)
                }
                _ => (&*other, AUTHORITY),
            },
            _ => (&*other, AUTHORITY),
        };
        Self { why: why.to_owned(), hint: hint.to_owned() }
    }
}
