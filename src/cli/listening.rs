//! The sockets of `serve`: the addresses that the options name, what listens there, the URLs that lead there, and the
//! certificate, which is from files or made by the server itself.

use std::io;
use std::net::{Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;

use crate::cli::args::global::GlobalArgs;
use crate::cli::ui::Ui;
use crate::error::Error;
use crate::http::server::front::Listener;
use crate::http::server::tls::{Tls, self_signed};
use crate::store::file::ServeLock;

/// The argument of `--listen` for no TCP at all.
const NO_TCP: &str = "none";

pub fn addresses(given: &[String]) -> Result<Vec<SocketAddr>, Error> {
    let mut found = Vec::new();
    if given.len() > 1 && given.iter().any(|address| address == NO_TCP) {
        let message = format!("`--listen {NO_TCP}` stands alone");
        return Err(Error::usage(message, "leave it out, or leave the addresses out"));
    }
    for address in given.iter().filter(|address| *address != NO_TCP) {
        let resolved = with_host(address).to_socket_addrs().map_err(|error| {
            Error::usage(
                format!("`{address}` is not an address to listen on: {error}"),
                "write ADDR:PORT, or :PORT for all addresses",
            )
        })?;
        found.extend(resolved);
    }
    Ok(found)
}

pub fn listeners(addresses: &[SocketAddr], lock: Option<&ServeLock>) -> Result<Vec<Listener>, Error> {
    let mut listeners = Vec::new();
    if let Some(lock) = lock {
        let listener = lock.bind()?;
        let peers = lock.peers();
        listeners.push(Listener::Unix { listener, admits: Box::new(move |peer| peers.admit(peer)) });
    }
    listeners.extend(bound(addresses)?);
    if listeners.is_empty() {
        let hint = "without a state folder there is no Unix socket: give an address with --listen";
        return Err(Error::usage("there is nothing to listen on", hint));
    }
    Ok(listeners)
}

pub fn bound(addresses: &[SocketAddr]) -> Result<Vec<Listener>, Error> {
    let bind = |address: &SocketAddr| match TcpListener::bind(address) {
        Ok(bound) => Ok(Listener::Tcp(bound)),
        Err(source) => Err(Error::listen_failed(&address.to_string(), source)),
    };
    addresses.iter().map(bind).collect()
}

/// Returns the URLs of the server, with the ports that the system chose for port 0.
pub fn urls(listeners: &[Listener], tls: bool, global: &GlobalArgs) -> Result<Vec<String>, Error> {
    let sockets = listeners.iter().filter(|listener| matches!(listener, Listener::Unix { .. }));
    let mut urls: Vec<String> =
        sockets.map(|_| format!("the Unix socket of {}", global.file_name())).collect();
    let path = format!("/{}", global.remote.prefix(None).trim_matches('/'));
    urls.extend(tcp_urls(listeners, scheme(tls), &path)?);
    Ok(urls)
}

/// Returns the URL of this path at each TCP address, with this scheme.
pub fn tcp_urls(listeners: &[Listener], scheme: &str, path: &str) -> Result<Vec<String>, Error> {
    let addresses = listeners.iter().filter_map(|listener| match listener {
        Listener::Tcp(bound) => Some(bound.local_addr()),
        Listener::Unix { .. } => None,
    });
    let url = |address: io::Result<SocketAddr>| {
        let address = address.map_err(Error::serve_failed)?;
        Ok(format!("{scheme}://{address}{path}"))
    };
    addresses.map(url).collect()
}

pub fn scheme(tls: bool) -> &'static str {
    if tls { "https" } else { "http" }
}

pub fn warn_of_plain_text(listeners: &[Listener], tls: bool, ui: Ui) {
    let is_public = |listener: &Listener| match listener {
        Listener::Tcp(bound) => bound.local_addr().is_ok_and(|address| !address.ip().is_loopback()),
        Listener::Unix { .. } => false,
    };
    if !tls && listeners.iter().any(is_public) {
        ui.warning(
            "without TLS, passwords can be read on the network: use --tls-self-signed or --tls-cert, or a proxy that speaks TLS",
        );
    }
}

/// `:PORT` is that port of all addresses: of IPv4 alone where the system has no IPv6.
fn with_host(address: &str) -> String {
    let has_no_host = address.starts_with(':') && !address.starts_with("::");
    match has_no_host {
        true if TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0)).is_ok() => format!("[::]{address}"),
        true => format!("0.0.0.0{address}"),
        false => address.to_owned(),
    }
}

/// The file with the name of this machine.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";

/// The origin of the certificate of a server.
pub enum CertificateOrigin<'a> {
    Files { certificate: &'a Path, key: &'a Path },
    SelfSigned,
}

/// The certificate from there, if the server is to have one.
pub fn tls(
    origin: Option<CertificateOrigin<'_>>,
    addresses: &[SocketAddr],
    lock: Option<&ServeLock>,
) -> Result<Option<Arc<Tls>>, Error> {
    let [certificate, key] = match (origin, lock) {
        (None, _) => return Ok(None),
        (Some(CertificateOrigin::Files { certificate, key }), _) => [certificate.into(), key.into()],
        (Some(CertificateOrigin::SelfSigned), Some(lock)) => {
            let make = || self_signed(names(addresses)).map_err(io::Error::other);
            lock.certificate(make)?
        }
        (Some(CertificateOrigin::SelfSigned), None) => {
            let hint = "give files: `--tls-cert` and `--tls-key`";
            return Err(Error::usage("without a state folder there is no place for a certificate", hint));
        }
    };
    let tls = Tls::load(&certificate, &key)?;
    Ok(Some(Arc::new(tls)))
}

/// Prints the fingerprint of a certificate that no authority has signed.
pub fn announce(tls: &Tls, ui: Ui) -> Result<(), Error> {
    match ui.print(|out| writeln!(out, "fingerprint {}", tls.fingerprint())) {
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
