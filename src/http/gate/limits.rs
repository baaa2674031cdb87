//! What a client may take, and for how long. Every number is a constant, so that the manual page
//! shows what holds.

use std::time::Duration;

use rustix::process::{Resource, getrlimit};

/// Bytes of a request line with its headers.
pub const HEAD: usize = 32 * 1024;

/// Headers of a request.
pub const HEADERS: usize = 64;

/// Bytes of one body.
pub const BODY: usize = 32 * 1024 * 1024;

/// Bytes of all bodies that are held at a time.
pub const BODIES: usize = 64 * 1024 * 1024;

/// Connections at a time.
pub const CONNECTIONS: usize = 64;

/// Connections at a time from one address (IPv6: from one /64) that is not the loopback.
pub const CONNECTIONS_PER_ADDRESS: usize = 32;

/// Bytes of a body that nobody wants that are read nevertheless, to keep the connection.
pub const UNREAD: usize = 64 * 1024;

/// Bytes that are still taken after the last answer, so that the client gets to read it.
pub const LINGER: usize = 256 * 1024;

/// Open files one connection needs at most: its socket, and the three of its way to the handler.
pub const FILES_PER_CONNECTION: usize = 4;

/// Open files that are left to everything else.
pub const FILES_ELSEWHERE: usize = 32;

/// From the first byte of a TLS handshake to its end.
pub const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// From the first byte of a head to its last.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// Without a request.
pub const IDLE_TIME: Duration = Duration::from_secs(15);

/// Without a request, when over half of the slots are taken.
pub const CROWDED_IDLE_TIME: Duration = Duration::from_secs(2);

/// For a body or an answer, beside what its bytes get at [`TRANSFER_RATE`].
pub const TRANSFER_TIME: Duration = Duration::from_secs(10);

/// Bytes a second that a body or an answer has to make on the whole.
pub const TRANSFER_RATE: usize = 16 * 1024;

/// For the handler to begin its answer.
pub const HANDLER_TIME: Duration = Duration::from_secs(120);

/// For a change up to its write. The rest of [`HANDLER_TIME`] is for the write and the answer, so
/// that nothing is written whose client was told that the server did not answer in time.
pub const CHANGE_TIME: Duration = Duration::from_secs(110);

/// After the last answer, for the client to read it and to close.
pub const LINGER_TIME: Duration = Duration::from_secs(1);

/// What a head or a handshake is given before it has to make room for a new connection.
pub const PATIENCE: Duration = Duration::from_secs(1);

/// How much a client may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// See [`HEAD`].
    pub head: usize,
    /// See [`HEADERS`].
    pub headers: usize,
    /// See [`BODY`].
    pub body: usize,
    /// See [`BODIES`].
    pub bodies: usize,
    /// See [`CONNECTIONS`].
    pub connections: usize,
    /// See [`CONNECTIONS_PER_ADDRESS`].
    pub per_address: usize,
    /// See [`UNREAD`].
    pub unread: usize,
    /// See [`LINGER`].
    pub linger: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: HEAD,
            headers: HEADERS,
            body: BODY,
            bodies: BODIES,
            connections: CONNECTIONS,
            per_address: CONNECTIONS_PER_ADDRESS,
            unread: UNREAD,
            linger: LINGER,
        }
    }
}

impl Limits {
    /// The same, with no more connections than the open files of this process are enough for.
    pub(super) fn within_open_files(self) -> Self {
        let files = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize);
        let enough_for = files.saturating_sub(FILES_ELSEWHERE) / FILES_PER_CONNECTION;
        Self { connections: self.connections.min(enough_for).max(1), ..self }
    }
}

/// How long a client may take.
#[derive(Debug, Clone)]
pub struct Deadlines {
    /// See [`HANDSHAKE_TIME`].
    pub handshake: Duration,
    /// See [`HEAD_TIME`].
    pub head: Duration,
    /// See [`IDLE_TIME`].
    pub idle: Duration,
    /// See [`CROWDED_IDLE_TIME`].
    pub crowded_idle: Duration,
    /// See [`TRANSFER_TIME`].
    pub transfer: Duration,
    /// See [`TRANSFER_RATE`].
    pub rate: usize,
    /// See [`HANDLER_TIME`].
    pub handler: Duration,
    /// See [`LINGER_TIME`].
    pub linger: Duration,
    /// See [`PATIENCE`].
    pub patience: Duration,
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
            linger: LINGER_TIME,
            patience: PATIENCE,
        }
    }
}
