//! The certificate of the server and its key. They can be loaded again at run time: new connections use
//! a renewed certificate, and an unusable one leaves the old one in use.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use rcgen::{CertificateParams, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use rustls::version::{TLS12, TLS13};
use thiserror::Error;

use crate::http::protocol::fingerprint::Fingerprint;
use crate::store::{LastWrite, certificate_expiry};

/// The only protocol behind TLS (RFC 7301).
const PROTOCOL: &[u8] = b"http/1.1";

/// A certificate, its key, and the files that they are read from.
#[derive(Debug)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    loaded: RwLock<InUse>,
}

/// What was loaded last.
#[derive(Debug, Clone)]
struct InUse {
    config: Arc<ServerConfig>,
    /// The files with the certificate and the key then.
    stamps: [Option<LastWrite>; 2],
    /// The end of the validity of the certificate.
    expiry: Option<SystemTime>,
}

/// The reason why a certificate cannot be used.
#[derive(Debug, Error)]
pub enum TlsError {
    /// The file cannot be read, or has no certificate in PEM.
    #[error("cannot read a certificate from `{}`: {_1}", .0.display())]
    Certificate(PathBuf, pem::Error),
    /// The file cannot be read, or has no private key in PEM.
    #[error("cannot read a private key from `{}`: {_1}", .0.display())]
    Key(PathBuf, pem::Error),
    /// The certificate in the first file cannot be used with the key in the second file.
    #[error("the certificate in `{}` does not work with the key in `{}`: {_2}", .0.display(), .1.display())]
    Unusable(PathBuf, PathBuf, rustls::Error),
}

impl Tls {
    /// Loads the certificate chain and the key.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let loaded = RwLock::new(InUse::read(certificate, key)?);
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), loaded })
    }

    /// Loads both again for new connections; after an error nothing changes.
    pub fn reload(&self) -> Result<(), TlsError> {
        let loaded = InUse::read(&self.certificate, &self.key)?;
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// The fingerprint of the certificate in the file.
    pub fn fingerprint(&self) -> Result<Fingerprint, TlsError> {
        let leaf = CertificateDer::from_pem_file(&self.certificate);
        let leaf = leaf.map_err(|error| TlsError::Certificate(self.certificate.clone(), error))?;
        Ok(Fingerprint::from_certificate(&leaf))
    }

    /// The configuration of a new connection. Files that were replaced are loaded; as long as they do not fit together,
    /// because only one is replaced so far, those of before stay.
    pub(super) fn config(&self) -> Arc<ServerConfig> {
        if self.loaded().stamps != stamps(&self.certificate, &self.key) {
            let _ = self.reload();
        }
        self.loaded().config
    }

    /// The end of the validity of the certificate that was loaded last.
    pub fn expiry(&self) -> Option<SystemTime> {
        self.loaded().expiry
    }

    fn loaded(&self) -> InUse {
        self.loaded.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn stamps(certificate: &Path, key: &Path) -> [Option<LastWrite>; 2] {
    [certificate, key].map(LastWrite::of)
}

impl InUse {
    fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let stamps = stamps(certificate, key);
        let chain =
            read_chain(certificate).map_err(|error| TlsError::Certificate(certificate.to_owned(), error))?;
        let expiry = chain.first().and_then(|leaf| certificate_expiry(leaf));
        Ok(Self { config: config(chain, certificate, key)?, stamps, expiry })
    }
}

fn config(
    chain: Vec<CertificateDer<'static>>,
    certificate: &Path,
    key: &Path,
) -> Result<Arc<ServerConfig>, TlsError> {
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| TlsError::Key(key.to_owned(), error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&TLS12, &TLS13])
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|error| TlsError::Unusable(certificate.to_owned(), key.to_owned(), error))?;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(Arc::new(config))
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, pem::Error> {
    let chain: Vec<_> = CertificateDer::pem_file_iter(path)?.collect::<Result<_, _>>()?;
    match chain.is_empty() {
        true => Err(pem::Error::NoItemsFound),
        false => Ok(chain),
    }
}

/// Makes a certificate for these names and addresses, and its key, both in PEM. Clients trust it by its fingerprint, so
/// it does not expire.
pub fn self_signed(names: Vec<String>) -> Result<[String; 2], rcgen::Error> {
    let key = KeyPair::generate()?;
    let common_name = names.first().cloned().unwrap_or_default();
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, common_name);
    // As its own authority, clients that check it by `--cacert` would refuse it.
    params.is_ca = IsCa::ExplicitNoCa;
    let certificate = params.self_signed(&key)?;
    Ok([certificate.pem(), key.serialize_pem()])
}
