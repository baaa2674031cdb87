//! The certificate of the server, and the streams of connections: a socket, or TLS over it, on which every wait has a
//! deadline. A renewed certificate is for new connections, and an unusable one leaves the old one in use.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::RwLock;
use rcgen::{CertificateParams, DnType, IsCa, KeyPair};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::error::{Error, ErrorKind};
use crate::http::api::Fingerprint;
use crate::store::LastWrite;
use crate::store::file::read_file;

/// The only protocol behind TLS (RFC 7301).
const PROTOCOL: &[u8] = b"http/1.1";

/// A certificate, its key, and the files that they are read from.
#[derive(Debug)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    loaded: RwLock<InUse>,
}

/// What was loaded last.
#[derive(Debug)]
struct InUse {
    config: Arc<ServerConfig>,
    /// The files with the certificate and the key then.
    stamps: [Option<LastWrite>; 2],
    /// That of the certificate.
    fingerprint: Fingerprint,
}

impl Tls {
    /// Loads the certificate chain and the key.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, Error> {
        let loaded = RwLock::new(InUse::read(certificate, key)?);
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), loaded })
    }

    /// The fingerprint of the certificate that was loaded last.
    pub fn fingerprint(&self) -> Fingerprint {
        self.loaded.read().fingerprint
    }

    /// The configuration of a new connection. Files that were replaced are loaded; as long as they do not fit together,
    /// because only one is replaced so far, those of before stay.
    fn config(&self) -> Arc<ServerConfig> {
        if self.loaded.read().stamps != [&self.certificate, &self.key].map(|path| LastWrite::of(path))
            && let Ok(loaded) = InUse::read(&self.certificate, &self.key)
        {
            *self.loaded.write() = loaded;
        }
        self.loaded.read().config.clone()
    }
}

impl InUse {
    fn read(certificate: &Path, key: &Path) -> Result<Self, Error> {
        let stamps = [certificate, key].map(LastWrite::of);
        let cannot = |what: &str, path: &Path, error: pem::Error| {
            let words = format!("cannot read a {what} from `{}`: {error}", path.display());
            Error::new(ErrorKind::Invalid, words)
        };
        let unusable = |error| cannot("certificate", certificate, error);
        let chain = read(certificate).and_then(|pem| CertificateDer::pem_slice_iter(&pem).collect());
        let chain: Vec<CertificateDer<'static>> = chain.map_err(unusable)?;
        let leaf = chain.first().ok_or_else(|| unusable(pem::Error::NoItemsFound))?;
        let fingerprint = Fingerprint::from_certificate(leaf);
        let secret = read(key).and_then(|pem| PrivateKeyDer::from_pem_slice(&pem));
        let secret = secret.map_err(|error| cannot("private key", key, error))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&TLS12, &TLS13])
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
            .map_err(|error| {
                let [certificate, key] = [certificate, key].map(Path::display);
                let words = format!(
                    "the certificate in `{certificate}` does not work with the key in `{key}`: {error}"
                );
                Error::new(ErrorKind::Invalid, words)
            })?;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(Self { config: Arc::new(config), stamps, fingerprint })
    }
}

/// Reads a regular file. A pipe would keep every handshake waiting until somebody writes to it.
fn read(path: &Path) -> Result<Vec<u8>, pem::Error> {
    read_file(path).map_err(pem::Error::Io)
}

/// Makes a certificate for these names and addresses, and its key, both in PEM. Clients trust it by its fingerprint, so
/// it does not expire.
pub fn self_signed(names: Vec<String>) -> Result<[String; 2], rcgen::Error> {
    let key = KeyPair::generate()?;
    let common_name = names.first().cloned().unwrap_or_default();
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, common_name);
    // As its own authority, clients that check it by `--cacert` would refuse it.
    params.is_ca = IsCa::ExplicitNoCa;
    let certificate = params.self_signed(&key)?;
    Ok([certificate.pem(), key.serialize_pem()])
}

/// The timeouts of sockets are multiples of this.
const TICK: Duration = Duration::from_millis(50);

/// A socket whose reads and writes fail after a deadline, or if nothing passes for a while, with an error of the kind
/// `TimedOut`. It is shared: another thread can shut it down while its own thread waits on it.
#[derive(Debug)]
pub struct Timed {
    socket: Arc<OwnedFd>,
    until: Instant,
    pause: Duration,
    /// The timeouts of the socket for reads and writes, as they were set last: most are set again, which takes a while.
    set: [Duration; 2],
}

impl Timed {
    /// A socket on which a wait takes at most `pause`.
    pub fn new(socket: Arc<OwnedFd>, pause: Duration) -> Self {
        Self { socket, until: Instant::now() + pause, pause, set: [Duration::ZERO; 2] }
    }

    /// Sets the deadline of reads and writes, and the longest pause between them.
    pub fn set_times(&mut self, until: Instant, pause: Duration) {
        (self.until, self.pause) = (until, pause);
    }

    fn retry(
        &mut self,
        timeout: Timeout,
        mut operation: impl FnMut(&OwnedFd) -> Result<usize, Errno>,
    ) -> io::Result<usize> {
        let (socket, known) = (&*self.socket, &mut self.set[usize::from(timeout == Timeout::Send)]);
        loop {
            let left = self.until.saturating_duration_since(Instant::now()).min(self.pause);
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let left = TICK * u32::try_from(left.as_millis() / TICK.as_millis() + 1).unwrap_or(u32::MAX);
            if *known != left {
                set_socket_timeout(socket, timeout, Some(left))?;
                *known = left;
            }
            match operation(socket) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Err(io::ErrorKind::TimedOut.into()),
                done => return Ok(done?),
            }
        }
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.retry(Timeout::Recv, |socket| {
            recv(socket, &mut *buffer, RecvFlags::empty()).map(|(read, _)| read)
        })
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.retry(Timeout::Send, |socket| send(socket, bytes, SendFlags::NOSIGNAL))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The stream of a connection: a socket, or TLS over it.
pub trait Stream: Read + Write {
    /// The socket.
    fn timed(&mut self) -> &mut Timed;

    /// Tells the client that nothing more is written. It fails if the client has ended the connection.
    fn end(&mut self);
}

impl Stream for Timed {
    fn timed(&mut self) -> &mut Timed {
        self
    }

    fn end(&mut self) {
        let _ = shutdown(&self.socket, Shutdown::Write);
    }
}

impl Stream for StreamOwned<ServerConnection, Timed> {
    fn timed(&mut self) -> &mut Timed {
        &mut self.sock
    }

    fn end(&mut self) {
        self.conn.send_close_notify();
        let _ = self.flush();
        self.sock.end();
    }
}

/// The stream of a new connection; the whole TLS handshake is made, if it is for TLS.
pub fn open(tls: Option<&Tls>, mut timed: Timed) -> io::Result<Box<dyn Stream>> {
    let Some(tls) = tls else { return Ok(Box::new(timed)) };
    let mut connection = ServerConnection::new(tls.config()).map_err(io::Error::other)?;
    connection.complete_io(&mut timed)?;
    Ok(Box::new(StreamOwned::new(connection, timed)))
}
