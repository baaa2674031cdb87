//! The certificate of `serve`: from files, or made by the server itself.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::cli::args::serve::ServeArgs;
use crate::cli::error::CliError;
use crate::cli::ui::Ui;
use crate::engine::EngineError;
use crate::http::server::self_signed::self_signed;
use crate::http::server::tls::Tls;
use crate::store::file::ServeLock;

/// Where the system tells the name of this machine.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";

/// The certificate that the options name, or the one that the server makes itself.
pub fn tls(
    args: &ServeArgs,
    addresses: &[SocketAddr],
    lock: Option<&ServeLock>,
) -> Result<Option<Arc<Tls>>, CliError> {
    let [certificate, key] = match (&args.tls_cert, &args.tls_key, lock) {
        (Some(certificate), Some(key), _) => [certificate.clone(), key.clone()],
        _ if !args.tls_self_signed => return Ok(None),
        (_, _, Some(lock)) => {
            let make = || self_signed(names(addresses)).map_err(io::Error::other);
            lock.certificate(make).map_err(EngineError::from)?
        }
        (_, _, None) => {
            let hint = "give files: `--tls-cert` and `--tls-key`";
            return Err(CliError::usage("without a state folder there is no place for a certificate", hint));
        }
    };
    let tls = Tls::load(&certificate, &key).map_err(|error| CliError::bad_certificate(error.to_string()))?;
    Ok(Some(Arc::new(tls)))
}

/// Prints the fingerprint of a certificate that no authority has signed.
pub fn announce_certificate(args: &ServeArgs, tls: Option<&Tls>, ui: Ui) -> Result<(), CliError> {
    let Some(tls) = tls.filter(|_| args.tls_self_signed) else { return Ok(()) };
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
