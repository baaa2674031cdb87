//! Limits on size, number and time. Every number is a constant, so that the manual page can show it.

use std::net::IpAddr;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};

use super::admission::Rules;
use mediaconf::plumbing::edit::patch::MEMORY_PER_BODY;

/// The bytes of a request line with its headers.
pub const HEAD: usize = 32 * 1024;

/// The number of headers of a request.
pub const HEADERS: usize = 64;

/// The bytes of one body.
pub const BODY: usize = 32 * 1024 * 1024;

/// The bytes of all bodies that are held at a time, or twice a larger limit of a body; viewers hold at most a half.
pub const BODIES: usize = 64 * 1024 * 1024;

/// The memory for the merge of a patch; more with a larger limit of a body.
pub const PATCH_MEMORY: usize = BODY * MEMORY_PER_BODY;

/// The number of connections over the network; half of them may be unauthenticated.
pub const CONNECTIONS: usize = 64;

/// The number of connections over the Unix socket, beside the others.
pub const LOCAL_CONNECTIONS: usize = 32;

/// The number of connections at an address for monitoring alone; half of them are used at a time.
pub const MONITORING_CONNECTIONS: usize = 16;

/// The number of connections that wait for a slot. Each has an open file.
pub const WAITING: usize = 256;

/// The number of waiting connections for each slot, if there are few slots: twice as many would wait
/// twice as long.
const WAITING_PER_SLOT: usize = 4;

/// The number of connections from one address (IPv6: from one /64) that is neither the loopback nor a
/// trusted proxy; half of them may be unauthenticated.
pub const CONNECTIONS_PER_ADDRESS: usize = 32;

/// The bytes of an unwanted body that are read to keep the connection.
pub const UNREAD: usize = 64 * 1024;

/// The bytes that are read after the last response, so that the client gets to read it.
pub const LINGER: usize = 256 * 1024;

/// The open files of one connection: its socket, and three of its way to the handler.
pub const FILES_PER_CONNECTION: usize = 4;

/// The open files that are left for everything else.
pub const FILES_ELSEWHERE: usize = 32;

/// The time for a TLS handshake, from its first byte.
pub const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// The time for a head, from its first byte.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// The time without a request.
pub const IDLE_TIME: Duration = Duration::from_secs(15);

/// The time without a request when over half of the slots are taken.
pub const CROWDED_IDLE_TIME: Duration = Duration::from_secs(2);

/// The base time for a body or a response; its bytes get more at [`TRANSFER_RATE`].
pub const TRANSFER_TIME: Duration = Duration::from_secs(10);

/// The bytes a second that a body or a response has to reach on average.
pub const TRANSFER_RATE: usize = 16 * 1024;

/// The time in which the handler has to begin its response.
pub const HANDLER_TIME: Duration = Duration::from_secs(120);

/// The time for a change up to its write. The rest of [`HANDLER_TIME`] is for the write and the
/// response, so that no change is written whose client was told that the server timed out.
pub const CHANGE_TIME: Duration = Duration::from_secs(110);

/// The time for which the metrics for those without a password are used again.
pub const METRICS_LIFE: Duration = Duration::from_secs(1);

/// The time that no worker may be free before the server is not well.
pub const LATE_TIME: Duration = Duration::from_secs(60);

/// The time after the last response, for the client to read it and to close.
pub const LINGER_TIME: Duration = Duration::from_secs(1);

/// The time that a connection has before its first authenticated request, and after its last one,
/// before it can be closed for a new one.
pub const GRACE: Duration = Duration::from_millis(500);

/// The time that an unauthenticated connection has in a flood of others.
pub const LEAST_GRACE: Duration = Duration::from_millis(50);

/// The longest time that a new connection waits for a slot.
pub const WAITING_TIME: Duration = Duration::from_secs(5);

/// The limits on size and number; the constants above explain each.
#[derive(Debug, Clone)]
pub struct Limits {
    pub head: usize,
    pub headers: usize,
    pub body: usize,
    pub bodies: usize,
    pub connections: usize,
    pub local: usize,
    pub waiting: usize,
    /// Proxies: their connections are those of many clients, so the limit of an address does not hold.
    pub proxies: Vec<IpAddr>,
    pub per_address: usize,
    pub unread: usize,
    pub linger: usize,
}

impl Limits {
    /// The limits at an address for monitoring alone. Half of the connections go to clients without the
    /// right password, which all of them are.
    pub fn of_monitoring() -> Self {
        Self {
            connections: MONITORING_CONNECTIONS,
            local: 1,
            waiting: MONITORING_CONNECTIONS,
            ..Self::default()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: HEAD,
            headers: HEADERS,
            body: BODY,
            bodies: BODIES,
            connections: CONNECTIONS,
            local: LOCAL_CONNECTIONS,
            waiting: WAITING,
            proxies: Vec::new(),
            per_address: CONNECTIONS_PER_ADDRESS,
            unread: UNREAD,
            linger: LINGER,
        }
    }
}

impl Limits {
    /// See [`PATCH_MEMORY`].
    pub fn patch_memory(&self) -> usize {
        PATCH_MEMORY.max(self.body.saturating_mul(MEMORY_PER_BODY))
    }

    /// The same limits, with at most as many connections as this process may open files for.
    pub(super) fn within_open_files(self) -> Self {
        let files = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize);
        self.within(files.saturating_sub(FILES_ELSEWHERE))
    }

    /// A quarter of the files is for waiting connections, a quarter of the rest for local ones.
    fn within(self, files: usize) -> Self {
        let waiting = self.waiting.min(files / 4);
        let enough_for = (files - waiting) / FILES_PER_CONNECTION;
        let local = self.local.min(enough_for / 4).max(1);
        let connections = self.connections.min(enough_for.saturating_sub(local)).max(1);
        Self { connections, local, waiting, ..self }
    }
}

/// The limits on time; the constants above explain each.
#[derive(Debug, Clone)]
pub struct Deadlines {
    pub handshake: Duration,
    pub head: Duration,
    pub idle: Duration,
    pub crowded_idle: Duration,
    pub transfer: Duration,
    pub rate: usize,
    pub handler: Duration,
    pub late: Duration,
    pub linger: Duration,
    pub grace: Duration,
    pub waiting: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            handshake: HANDSHAKE_TIME,
            head: HEAD_TIME,
            idle: IDLE_TIME,
            crowded_idle: CROWDED_IDLE_TIME,
            transfer: TRANSFER_TIME,
            rate: TRANSFER_RATE,
            handler: HANDLER_TIME,
            late: LATE_TIME,
            linger: LINGER_TIME,
            grace: GRACE,
            waiting: WAITING_TIME,
        }
    }
}

impl Deadlines {
    /// The rules for `most` slots.
    pub(super) fn rules(&self, limits: &Limits, most: usize) -> Rules {
        Rules {
            most,
            most_per_address: limits.per_address,
            most_waiting: limits.waiting.min(most * WAITING_PER_SLOT),
            waiting_time: self.waiting,
            least_grace: LEAST_GRACE.min(self.grace),
            grace: self.grace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FILES_PER_CONNECTION, Limits};

    #[test]
    fn connections_are_as_many_as_the_open_files_are_enough_for() {
        for (files, expected) in
            [(usize::MAX, (64, 32, 256)), (992, (64, 32, 248)), (32, (5, 1, 8)), (0, (1, 1, 0))]
        {
            let limits = Limits::default().within(files);
            assert_eq!((limits.connections, limits.local, limits.waiting), expected, "{files}");
            let needed = (limits.connections + limits.local) * FILES_PER_CONNECTION + limits.waiting;
            assert!(needed <= files.max(2 * FILES_PER_CONNECTION), "{files}");
        }
    }
}
