//! The sockets of `serve`: the addresses that the options name, what listens there, and the URLs that lead there.

use std::io;
use std::net::{Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};

use crate::cli::args::global::GlobalArgs;
use crate::cli::error::CliError;
use crate::cli::ui::Ui;
use crate::engine::EngineError;
use crate::http::server::listener::Listener;
use crate::store::file::ServeLock;

/// The argument of `--listen` for no TCP at all.
const NO_TCP: &str = "none";

pub fn addresses(given: &[String]) -> Result<Vec<SocketAddr>, CliError> {
    let mut found = Vec::new();
    for address in given.iter().filter(|address| *address != NO_TCP) {
        let resolved = with_host(address).to_socket_addrs().map_err(|error| {
            CliError::usage(
                format!("`{address}` is not an address to listen on: {error}"),
                "write ADDR:PORT, or :PORT for all addresses",
            )
        })?;
        found.extend(resolved);
    }
    Ok(found)
}

pub fn listeners(addresses: &[SocketAddr], lock: Option<&ServeLock>) -> Result<Vec<Listener>, CliError> {
    let mut listeners = Vec::new();
    if let Some(lock) = lock {
        let listener = lock.bind().map_err(EngineError::from)?;
        let peers = lock.peers();
        listeners.push(Listener::Unix { listener, admits: Box::new(move |peer| peers.admit(peer)) });
    }
    listeners.extend(bound(addresses)?);
    if listeners.is_empty() {
        let hint = "without a state folder there is no Unix socket: give an address with --listen";
        return Err(CliError::usage("there is nothing to listen on", hint));
    }
    Ok(listeners)
}

pub fn bound(addresses: &[SocketAddr]) -> Result<Vec<Listener>, CliError> {
    let bind = |address: &SocketAddr| match TcpListener::bind(address) {
        Ok(bound) => Ok(Listener::Tcp(bound)),
        Err(source) => Err(CliError::listen_failed(&address.to_string(), source)),
    };
    addresses.iter().map(bind).collect()
}

/// Where the server can be reached, with the ports that the system chose for port 0.
pub fn urls(listeners: &[Listener], tls: bool, global: &GlobalArgs) -> Result<Vec<String>, CliError> {
    let scheme = if tls { "https" } else { "http" };
    let mut urls = Vec::new();
    for listener in listeners {
        match listener {
            Listener::Tcp(bound) => {
                let address = bound.local_addr().map_err(CliError::serve_failed)?;
                urls.push(format!("{scheme}://{address}/{}", global.remote.prefix(None).trim_matches('/')));
            }
            Listener::Unix { .. } => urls.push(format!("the Unix socket of {}", global.file_name())),
        }
    }
    Ok(urls)
}

pub fn metrics_urls(listeners: &[Listener]) -> Result<Vec<String>, CliError> {
    let addresses = listeners.iter().filter_map(|listener| match listener {
        Listener::Tcp(bound) => Some(bound.local_addr()),
        Listener::Unix { .. } => None,
    });
    let url = |address: io::Result<SocketAddr>| {
        let address = address.map_err(CliError::serve_failed)?;
        Ok(format!("http://{address}/metrics"))
    };
    addresses.map(url).collect()
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
