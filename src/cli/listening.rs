//! The process of a server: the addresses that the options name, what listens there, the URLs that lead there, the
//! certificate, which is from files or made by the server itself, messages to systemd (`sd_notify(3)`), and memory.

use std::collections::HashSet;
use std::net::{Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{self, UnixDatagram};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::{env, io};

use crate::cli::ui::Ui;
use crate::engine::ALLOCATOR_SETTINGS;
use crate::error::{Error, ErrorKind};
use crate::http::server::front::Listener;
use crate::http::server::tls::{Tls, self_signed};
use crate::store::file::ServeLock;

/// The argument of `--listen` for no TCP at all.
const NO_TCP: &str = "none";

pub fn addresses(given: &[String]) -> Result<Vec<SocketAddr>, Error> {
    let mut found = Vec::new();
    for address in given.iter().filter(|address| *address != NO_TCP) {
        found.extend(with_host(address).to_socket_addrs().map_err(|error| {
            let message = format!("`{address}` is not an address to listen on: {error}");
            Error::usage(message, "write ADDR:PORT, or :PORT for all addresses")
        })?);
    }
    Ok(found)
}

pub fn listeners(addresses: &[SocketAddr], lock: &ServeLock) -> Result<Vec<Listener>, Error> {
    let bind = |address: &SocketAddr| {
        TcpListener::bind(address).map(Listener::Tcp).map_err(|source| {
            Error::of_system(ErrorKind::Failed, format!("cannot listen on `{address}`"), &source)
                .hint("choose another with --listen ADDR:PORT; port 0 is any free one")
        })
    };
    let mut listeners = addresses.iter().map(bind).collect::<Result<Vec<_>, _>>()?;
    let (listener, conf) = (lock.bind()?, lock.conf.clone());
    listeners.push(Listener::Unix { listener, admits: Box::new(move |peer| conf.admits(peer)) });
    Ok(listeners)
}

/// Returns the URL of this path at each TCP address, with the ports that the system chose for port 0.
pub fn urls(listeners: &[Listener], scheme: &str, path: &str) -> Result<Vec<String>, Error> {
    let url = |address: io::Result<_>| Ok(format!("{scheme}://{}{path}", address.map_err(serve_failed)?));
    bound_to(listeners).map(url).collect()
}

fn bound_to(listeners: &[Listener]) -> impl Iterator<Item = io::Result<SocketAddr>> {
    listeners.iter().filter_map(|listener| match listener {
        Listener::Tcp(bound) => Some(bound.local_addr()),
        Listener::Unix { .. } => None,
    })
}

/// A server could not be started.
pub fn serve_failed(source: io::Error) -> Error {
    Error::of_system(ErrorKind::Failed, "cannot start the server", &source)
}

pub fn warn_of_plain_text(listeners: &[Listener], tls: bool, ui: Ui) {
    let is_public = |address: SocketAddr| !address.ip().is_loopback();
    if !tls && bound_to(listeners).any(|address| address.is_ok_and(is_public)) {
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

/// The certificate of these files with its key, or one of its own, if the server is to have one.
pub fn tls(
    files: Option<(&Path, &Path)>,
    is_self_signed: bool,
    addresses: &[SocketAddr],
    lock: &ServeLock,
) -> Result<Option<Arc<Tls>>, Error> {
    let [certificate, key] = match files {
        Some((certificate, key)) => [certificate.into(), key.into()],
        None if !is_self_signed => return Ok(None),
        None => lock.certificate(|| self_signed(names(addresses)).map_err(io::Error::other))?,
    };
    Tls::load(&certificate, &key).map(|tls| Some(Arc::new(tls)))
}

/// The names and addresses by which clients reach this server: a certificate is for them.
fn names(addresses: &[SocketAddr]) -> Vec<String> {
    let host = std::fs::read_to_string(HOST_NAME).unwrap_or_default();
    let host = Some(host.trim()).filter(|host| !host.is_empty() && host.is_ascii());
    let mut names: Vec<String> =
        host.into_iter().chain(["localhost", "127.0.0.1", "::1"]).map(str::to_owned).collect();
    let given = addresses.iter().map(SocketAddr::ip).filter(|address| !address.is_unspecified());
    names.extend(given.map(|address| address.to_string()));
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Sends a state such as `READY=1` to the service manager that started this process. It is no error if there is none, or if it
/// does not read.
pub fn tell_manager(state: &str) {
    let Some(name) = env::var_os("NOTIFY_SOCKET") else { return };
    let address = match name.as_bytes() {
        [b'@', name @ ..] => net::SocketAddr::from_abstract_name(name),
        _ => net::SocketAddr::from_pathname(&name),
    };
    if let (Ok(socket), Ok(address)) = (UnixDatagram::unbound(), address) {
        let _ = socket.set_nonblocking(true).and_then(|()| socket.send_to_addr(state.as_bytes(), &address));
    }
}

/// Two pools for all threads; what takes 4 MiB or more goes back to the system when it is freed, and so
/// do the ends of the pools over 16 MiB. Smaller blocks stay, such as the text of 10 000 streams and its JSON: a change
/// that got them from the system would take twice the time of the kernel.
const SETTINGS: &str =
    "glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=4194304:glibc.malloc.trim_threshold=16777216";

/// Limits the freed memory that the allocator of the GNU C library keeps: much for each thread, and more
/// after larger blocks. The allocator reads its settings from the environment before `main` begins. Safe
/// code can't change them later.
///
/// Starts this program again in its process, with the settings in its environment, unless the environment
/// has settings. If that fails, the server takes more memory; nothing else changes.
pub fn limit_memory() {
    if cfg!(target_env = "gnu") && env::var_os(ALLOCATOR_SETTINGS).is_none() {
        let mut arguments = env::args_os();
        if let (Ok(program), Some(name)) = (env::current_exe(), arguments.next()) {
            let mut again = Command::new(program);
            // It returns only with an error.
            let _ = again.arg0(name).args(arguments).env(ALLOCATOR_SETTINGS, SETTINGS).exec();
        }
    }
}
