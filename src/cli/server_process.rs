//! The process of a server that runs for long: its messages to systemd (`sd_notify(3)`), and its memory.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use std::{env, io, thread};

use crate::engine::ALLOCATOR_SETTINGS;

/// The socket of a service manager.
pub struct ServiceManager {
    socket: UnixDatagram,
    address: SocketAddr,
}

impl ServiceManager {
    /// The one that started this process; `None` without one.
    pub fn found() -> Option<Arc<Self>> {
        let name = env::var_os("NOTIFY_SOCKET")?;
        let address = match name.as_bytes() {
            [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
            _ => SocketAddr::from_pathname(&name),
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
