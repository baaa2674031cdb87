//! The authorities that are trusted for etcd, and the certificate that is shown to it.

use std::sync::Arc;
use std::time::SystemTime;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::store::certificate::certificate_expiry;
use crate::store::replaceable_file::ReplaceableFile;

/// The files that TLS needs, all in PEM.
#[derive(Clone, Default)]
pub struct ClusterTls {
    /// The authorities that are trusted; `None` for those that this machine trusts.
    pub authorities: Option<ReplaceableFile>,
    /// The certificate that is shown to etcd, and its key.
    pub identity: Option<(ReplaceableFile, ReplaceableFile)>,
}

/// Login and password, and the files that TLS needs.
#[derive(Clone, Default)]
pub struct ClusterAccess {
    /// Login and password, where etcd asks for them. The password is the first line.
    pub login: Option<(String, ReplaceableFile)>,
    pub tls: ClusterTls,
}

impl ClusterAccess {
    fn files(&self) -> impl Iterator<Item = &ReplaceableFile> {
        let identity = self.tls.identity.iter().flat_map(|(certificate, key)| [certificate, key]);
        self.login.iter().map(|(_, password)| password).chain(&self.tls.authorities).chain(identity)
    }

    /// True if one of its files was replaced.
    pub(super) fn is_replaced(&self) -> bool {
        self.files().any(ReplaceableFile::is_replaced)
    }

    /// The same with its files as they are now.
    pub(super) fn again(&self) -> Self {
        let identity =
            self.tls.identity.as_ref().map(|(certificate, key)| (certificate.again(), key.again()));
        Self {
            login: self.login.as_ref().map(|(login, password)| (login.clone(), password.again())),
            tls: ClusterTls {
                authorities: self.tls.authorities.as_ref().map(ReplaceableFile::again),
                identity,
            },
        }
    }

    /// The end of the validity of the certificate that is shown to etcd.
    pub(super) fn certificate_expiry(&self) -> Option<SystemTime> {
        let (certificate, _) = self.tls.identity.as_ref()?;
        certificate_expiry(certificates(certificate.content()).first()?)
    }
}

impl ClusterTls {
    /// Makes the TLS configuration; the error says what can't be used.
    pub(super) fn config(&self) -> Result<ClientConfig, &'static str> {
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the provider has the cipher suites of TLS 1.2 and 1.3");
        let mut roots = RootCertStore::empty();
        match &self.authorities {
            Some(pem) => {
                roots.add_parsable_certificates(certificates(pem.content()));
                if roots.is_empty() {
                    return Err("the file of `--cacert` has no certificate");
                }
            }
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        let builder = builder.with_root_certificates(roots);
        let Some((certificate, key)) = &self.identity else { return Ok(builder.with_no_client_auth()) };
        let key = PrivateKeyDer::from_pem_slice(key.content())
            .map_err(|_| "the file of `--key` has no private key")?;
        let chain = certificates(certificate.content());
        if chain.is_empty() {
            return Err("the file of `--cert` has no certificate");
        }
        builder.with_client_auth_cert(chain, key).map_err(|_| "the key of `--key` is not that of `--cert`")
    }

    /// A configuration for connections without TLS.
    pub(super) fn unused() -> ClientConfig {
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the provider has the cipher suites of TLS 1.2 and 1.3")
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth()
    }
}

fn certificates(pem: &[u8]) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem).flatten().collect()
}
