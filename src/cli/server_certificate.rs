//! The certificate of `serve`: from files, or made by the server itself.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use crate::cli::error::CliError;
use crate::cli::ui::Ui;
use crate::engine::EngineError;
use crate::http::server::self_signed::self_signed;
use crate::http::server::tls::Tls;
use crate::store::file::ServeLock;

/// Where the system tells the name of this machine.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";

/// Where the certificate of a server is from.
pub enum CertificateOrigin<'a> {
    Files { certificate: &'a Path, key: &'a Path },
    SelfSigned,
}

/// The certificate from there, if the server is to have one.
pub fn tls(
    origin: Option<CertificateOrigin<'_>>,
    addresses: &[SocketAddr],
    lock: Option<&ServeLock>,
) -> Result<Option<Arc<Tls>>, CliError> {
    let [certificate, key] = match (origin, lock) {
        (None, _) => return Ok(None),
        (Some(CertificateOrigin::Files { certificate, key }), _) => [certificate.into(), key.into()],
        (Some(CertificateOrigin::SelfSigned), Some(lock)) => {
            let make = || self_signed(names(addresses)).map_err(io::Error::other);
            lock.certificate(make).map_err(EngineError::from)?
        }
        (Some(CertificateOrigin::SelfSigned), None) => {
            let hint = "give files: `--tls-cert` and `--tls-key`";
            return Err(CliError::usage("without a state folder there is no place for a certificate", hint));
        }
    };
    let tls = Tls::load(&certificate, &key).map_err(|error| CliError::bad_certificate(error.to_string()))?;
    Ok(Some(Arc::new(tls)))
}

/// Prints the fingerprint of a certificate that no authority has signed.
pub fn announce(tls: &Tls, ui: Ui) -> Result<(), CliError> {
    let fingerprint = tls.fingerprint().map_err(|error| CliError::bad_certificate(error.to_string()))?;
    match ui.print(|out| writeln!(out, "fingerprint {fingerprint}")) {
        // The reader of stdout is gone; the server runs all the same.
        Err(error) if error.is_closed_output() => Ok(()),
        printed => printed,
    }
}

/// The names and addresses by which clients reach this server: a certificate is for them.
fn names(addresses: &[SocketAddr]) -> Vec<String> {
    let host = std::fs::read_to_string(HOST_NAME).unwrap_or_default();
    let host = Some(host.trim().to_owned()).filter(|host| !host.is_empty() && host.is_ascii());
    let given = addresses.iter().map(SocketAddr::ip).filter(|address| !address.is_unspecified());
    let local = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let mut names: Vec<String> = host.into_iter().chain(local).collect();
    for address in given.map(|address| address.to_string()) {
        if !names.contains(&address) {
            names.push(address);
        }
    }
    names
}
