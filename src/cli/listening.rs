//! The process of a server: the addresses that the options name, what listens there, the URLs that lead there, the
//! certificate, which is from files or made by the server itself, messages to systemd (`sd_notify(3)`), and memory.

use std::net::{Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{self, UnixDatagram};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use std::{env, io, thread};

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
        let conf = lock.conf().clone();
        listeners.push(Listener::Unix { listener, admits: Box::new(move |peer| conf.admits(peer)) });
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
        Err(source) => {
            let what = format!("cannot listen on `{address}`");
            Err(Error::of_system(ErrorKind::Failed, what, &source)
                .hint("choose another with --listen ADDR:PORT; port 0 is any free one"))
        }
    };
    addresses.iter().map(bind).collect()
}

/// Returns the URL of this path at each TCP address, with the ports that the system chose for port 0.
pub fn urls(listeners: &[Listener], scheme: &str, path: &str) -> Result<Vec<String>, Error> {
    let addresses = listeners.iter().filter_map(|listener| match listener {
        Listener::Tcp(bound) => Some(bound.local_addr()),
        Listener::Unix { .. } => None,
    });
    addresses.map(|address| Ok(format!("{scheme}://{}{path}", address.map_err(serve_failed)?))).collect()
}

/// A server could not be started.
pub fn serve_failed(source: io::Error) -> Error {
    Error::of_system(ErrorKind::Failed, "cannot start the server", &source)
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

/// The certificate of these files with its key, or one of its own, if the server is to have one.
pub fn tls(
    files: Option<(&Path, &Path)>,
    is_self_signed: bool,
    addresses: &[SocketAddr],
    lock: Option<&ServeLock>,
) -> Result<Option<Arc<Tls>>, Error> {
    let [certificate, key] = match (files, lock) {
        (Some((certificate, key)), _) => [certificate.into(), key.into()],
        (None, _) if !is_self_signed => return Ok(None),
        (None, Some(lock)) => lock.certificate(|| self_signed(names(addresses)).map_err(io::Error::other))?,
        (None, None) => {
            let hint = "give files: `--tls-cert` and `--tls-key`";
            return Err(Error::usage("without a state folder there is no place for a certificate", hint));
        }
    };
    Tls::load(&certificate, &key).map(|tls| Some(Arc::new(tls)))
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

/// The socket of a service manager.
pub struct ServiceManager {
    socket: UnixDatagram,
    address: net::SocketAddr,
}

impl ServiceManager {
    /// The one that started this process; `None` without one.
    pub fn found() -> Option<Arc<Self>> {
        let name = env::var_os("NOTIFY_SOCKET")?;
        let address = match name.as_bytes() {
            [b'@', name @ ..] => net::SocketAddr::from_abstract_name(name),
            _ => net::SocketAddr::from_pathname(&name),
        };
        let socket = UnixDatagram::unbound().ok()?;
        socket.set_nonblocking(true).ok()?;
        Some(Arc::new(Self { socket, address: address.ok()? }))
    }

    /// Sends a state such as `READY=1`. A manager that is gone, or does not read, is no error.
    pub fn tell(&self, state: &str) {
        let _ = self.socket.send_to_addr(state.as_bytes(), &self.address);
    }

    /// Asks for more time to start, which may take as long as `time` from now on.
    pub fn keep_starting(&self, time: Duration) {
        self.tell(&format!("EXTEND_TIMEOUT_USEC={}", time.as_micros()));
    }

    /// Reports at intervals that the server is alive, unless it is late with its answers.
    pub fn keep_watch(self: &Arc<Self>, is_late: impl Fn() -> bool + Send + 'static) -> io::Result<()> {
        let Some(pause) = watchdog_time().map(|time| time / 2) else { return Ok(()) };
        let own = self.clone();
        let watch = move || {
            loop {
                own.tell_that_it_lives(is_late());
                thread::sleep(pause);
            }
        };
        thread::Builder::new().name("watchdog".to_owned()).spawn(watch).map(drop)
    }

    fn tell_that_it_lives(&self, is_late: bool) {
        if !is_late {
            self.tell("WATCHDOG=1");
        }
    }
}

/// The time without a sign of life after which the manager ends this process; `None` if it does not.
fn watchdog_time() -> Option<Duration> {
    let number = |name| env::var(name).ok()?.parse::<u64>().ok();
    let is_meant =
        env::var_os("WATCHDOG_PID").is_none() || number("WATCHDOG_PID") == Some(std::process::id().into());
    number("WATCHDOG_USEC").filter(|time| is_meant && *time > 0).map(Duration::from_micros)
}

/// Two pools for all threads; what takes 1 MiB or more goes back to the system when it is freed, and so
/// do the ends of the pools over 16 MiB. Smaller blocks stay: a change that got them from the system
/// would take longer.
const SETTINGS: &str =
    "glibc.malloc.arena_max=2:glibc.malloc.mmap_threshold=1048576:glibc.malloc.trim_threshold=16777216";

/// Limits the freed memory that the allocator of the GNU C library keeps: it keeps it for each thread
/// apart, and more of it for larger blocks. It reads its settings from the environment before `main`
/// begins, and safe code has no other way to it.
///
/// Starts this program again in its process, with the settings in its environment, unless they or others
/// are there. Where that fails, the server takes more memory, and all else is the same.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_lives_while_a_worker_is_free() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let told = UnixDatagram::bind(folder.path().join("notify")).expect("it can be bound");
        told.set_nonblocking(true).expect("it is a socket");
        let socket = UnixDatagram::unbound().expect("a socket can be made");
        let address = told.local_addr().expect("it is bound");
        let manager = ServiceManager { socket, address };
        for is_late in [false, true, false] {
            manager.tell_that_it_lives(is_late);
            let mut message = [0; 64];
            let lives = told.recv(&mut message).is_ok_and(|length| &message[..length] == b"WATCHDOG=1");
            assert_eq!(lives, !is_late);
        }
    }
}
