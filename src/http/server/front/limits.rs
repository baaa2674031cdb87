//! Limits on size, number and time, whose defaults the manual page shows.

use std::net::IpAddr;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};

use mediaconf::Schema;

/// The bytes of a request line with its headers.
pub const HEAD: usize = 32 * 1024;

/// The number of headers of a request.
pub const HEADERS: usize = 64;

/// The bytes of one body.
pub const BODY: usize = 32 * 1024 * 1024;

/// The bytes of one body of a viewer.
pub const VIEWER_BODY: usize = 1024 * 1024;

/// The bytes of a body that always finds room: the number of connections limits these. So much of an unwanted body is read to
/// keep the connection.
pub const SMALL_BODY: usize = 64 * 1024;

/// The bytes of all larger bodies of editors that are held at a time, or twice a larger limit of a body; the same again
/// for users of the Unix socket.
pub const BODIES: usize = 64 * 1024 * 1024;

/// The bytes of all larger bodies of viewers that are held at a time.
pub const VIEWER_BODIES: usize = 16 * 1024 * 1024;

/// The memory for the merge of a patch; more with a larger limit of a body.
pub const PATCH_MEMORY: usize = BODY * Schema::MEMORY_PER_BODY;

/// The number of connections over the network.
pub const CONNECTIONS: usize = 64;

/// The number of connections over the Unix socket, beside the others.
pub const LOCAL_CONNECTIONS: usize = 32;

/// The number of connections from one address (IPv6: from one /64) that is neither the loopback nor a trusted proxy.
pub const CONNECTIONS_PER_ADDRESS: usize = 32;

/// The bytes that are read after the last response, so that the client gets to read it.
pub const LINGER: usize = 256 * 1024;

/// The open files of one connection: its socket, and three of its link to tiny_http.
pub const FILES_PER_CONNECTION: usize = 4;

/// The open files that are left for everything else.
pub const FILES_ELSEWHERE: usize = 32;

/// The time for a TLS handshake, and for a head, from the first byte.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// The time for a whole request, from its first byte to the last one of its body; in proportion more with a larger limit
/// of a body.
pub const REQUEST_TIME: Duration = Duration::from_secs(60);

/// The time without a request.
pub const IDLE_TIME: Duration = Duration::from_secs(15);

/// The bytes of a response that get a second more than [`REQUEST_TIME`].
pub const TRANSFER_RATE: usize = 16 * 1024;

/// The time for a change up to its write.
pub const CHANGE_TIME: Duration = Duration::from_secs(110);

/// The time after the last response, for the client to read it and to close.
pub const LINGER_TIME: Duration = Duration::from_secs(1);

/// The longest time that a new connection, or a request of a viewer, waits for its turn.
pub const WAITING_TIME: Duration = Duration::from_secs(5);

/// The limits that options change, or tests; the constants above explain most.
#[derive(Debug, Clone)]
pub struct Limits {
    pub body: usize,
    pub viewer_bodies: usize,
    pub bodies: usize,
    pub connections: usize,
    pub local: usize,
    /// Proxies: their connections are those of many clients, so the limit of an address does not hold.
    pub proxies: Vec<IpAddr>,
    pub per_address: usize,
    pub head_time: Duration,
    pub request_time: Duration,
    /// The time in which the next byte of a body or a response has to pass.
    pub transfer_time: Duration,
    /// The time before a connection that has not logged in, or is idle, can be closed for a new one. It begins again after a
    /// TLS handshake.
    pub grace: Duration,
    pub waiting_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: BODY,
            viewer_bodies: VIEWER_BODIES,
            bodies: BODIES,
            connections: CONNECTIONS,
            local: LOCAL_CONNECTIONS,
            proxies: Vec::new(),
            per_address: CONNECTIONS_PER_ADDRESS,
            head_time: HEAD_TIME,
            request_time: REQUEST_TIME,
            transfer_time: Duration::from_secs(10),
            grace: Duration::from_millis(250),
            waiting_time: WAITING_TIME,
        }
    }
}

impl Limits {
    /// The same limits with bodies of up to so many bytes.
    pub fn with_body(self, body: usize) -> Self {
        let request_time = REQUEST_TIME * u32::try_from(body.div_ceil(BODY)).unwrap_or(u32::MAX);
        Self { body, bodies: BODIES.max(2 * body), request_time, ..self }
    }

    /// See [`PATCH_MEMORY`].
    pub fn patch_memory(&self) -> usize {
        PATCH_MEMORY.max(self.body.saturating_mul(Schema::MEMORY_PER_BODY))
    }

    /// The same limits, with at most as many connections as this process may open files for: at most a quarter of them is for
    /// users of the Unix socket.
    pub(super) fn within_open_files(self) -> Self {
        let files = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize);
        let enough_for = files.saturating_sub(FILES_ELSEWHERE) / FILES_PER_CONNECTION;
        let local = self.local.min(enough_for / 4).max(1);
        let connections = self.connections.min(enough_for.saturating_sub(local)).max(1);
        Self { connections, local, ..self }
    }
}
