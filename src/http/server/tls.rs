//! The certificate and its key, read anew at run time: a certificate that was renewed is used from
//! the next connection on, and one that does not fit leaves the old one in use.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use rustls::version::{TLS12, TLS13};

/// The only protocol behind TLS (RFC 7301).
const PROTOCOL: &[u8] = b"http/1.1";

/// A certificate, its key, and the files that they are read from.
#[derive(Debug)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    config: RwLock<Arc<ServerConfig>>,
}

/// Why TLS cannot be spoken.
#[derive(Debug)]
pub enum TlsError {
    /// This file holds no certificates in PEM, or cannot be read.
    Certificate(PathBuf, pem::Error),
    /// This file holds no key in PEM, or cannot be read.
    Key(PathBuf, pem::Error),
    /// The certificate of the first file cannot be used with the key of the second.
    Unusable(PathBuf, PathBuf, rustls::Error),
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Certificate(path, error) => {
                write!(f, "`{}` has no certificate to read: {error}", path.display())
            }
            Self::Key(path, error) => write!(f, "`{}` has no private key to read: {error}", path.display()),
            Self::Unusable(certificate, key, error) => {
                let (certificate, key) = (certificate.display(), key.display());
                write!(f, "the certificate in `{certificate}` is of no use with the key in `{key}`: {error}")
            }
        }
    }
}

impl Error for TlsError {}

impl Tls {
    /// Reads certificate chain and key.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let config = RwLock::new(read(certificate, key)?);
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), config })
    }

    /// Reads them again, for the connections that come from now on; after an error nothing changes.
    pub fn reload(&self) -> Result<(), TlsError> {
        let config = read(&self.certificate, &self.key)?;
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = config;
        Ok(())
    }

    pub(super) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let chain =
        read_chain(certificate).map_err(|error| TlsError::Certificate(certificate.to_owned(), error))?;
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
