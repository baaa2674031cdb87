//! A running server: its threads, from start to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::accept;
use super::budget::Budget;
use super::connection_table::ConnectionTable;
use super::limits::{Deadlines, Limits};
use super::shared::{Listener, Shared};
use super::tally::ClosedCount;
use crate::http::server::bridge::Bridge;
use crate::http::server::message::Service;
use crate::http::server::tls::Tls;

/// The longest time that the end waits for threads whose connections it closed.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// A running server. It runs until [`Self::stop`], or until the process ends.
pub struct HttpServer {
    shared: Arc<Shared>,
    listeners: Vec<Arc<Listener>>,
    threads: Vec<JoinHandle<()>>,
}

impl HttpServer {
    /// Starts to answer on all these sockets.
    ///
    /// # Errors
    /// No folder for the private socket of tiny_http, or no thread.
    pub fn start(
        service: Arc<dyn Service>,
        listeners: Vec<Listener>,
        tls: Option<Arc<Tls>>,
        limits: Limits,
        deadlines: Deadlines,
    ) -> io::Result<Self> {
        let limits = limits.within_open_files();
        let shared = Arc::new(Shared {
            bridge: Bridge::start(Arc::clone(&service), limits.connections + limits.local)?,
            slots: Arc::new(ConnectionTable::new(
                deadlines.rules(&limits, limits.connections),
                limits.proxies.clone(),
            )),
            local: Arc::new(ConnectionTable::new(deadlines.rules(&limits, limits.local), Vec::new())),
            tally: ClosedCount::default(),
            bodies: Budget::new(limits.bodies),
            turning_away: AtomicUsize::new(0),
            service,
            tls,
            limits,
            deadlines,
        });
        let mut server = Self { shared, listeners: Vec::new(), threads: Vec::new() };
        let started = listeners.into_iter().try_for_each(|listen| server.listen(Arc::new(listen)));
        if let Err(error) = started.and_then(|()| server.admit()) {
            server.stop(Duration::ZERO);
            return Err(error);
        }
        Ok(server)
    }

    fn listen(&mut self, listen: Arc<Listener>) -> io::Result<()> {
        listen.lengthen_queue();
        let (shared, own) = (Arc::clone(&self.shared), Arc::clone(&listen));
        self.spawn("accept", move || accept::accept(&shared, &own))?;
        self.listeners.push(listen);
        Ok(())
    }

    fn admit(&mut self) -> io::Result<()> {
        for slots in self.shared.all_slots().map(Arc::clone) {
            let shared = Arc::clone(&self.shared);
            self.spawn("admission", move || accept::admit(&shared, &slots))?;
        }
        Ok(())
    }

    fn spawn(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.threads.push(thread::Builder::new().name(name.to_owned()).spawn(run)?);
        Ok(())
    }

    /// Tells whether no worker has been free for [`Deadlines::late`], for callers that outlive the server.
    pub fn lateness(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let (bridge, late) = (Arc::clone(&self.shared.bridge), self.shared.deadlines.late);
        move || bridge.is_busy_for(late)
    }

    /// The number of open connections.
    pub fn open_connections(&self) -> usize {
        self.connection_count()()
    }

    /// The number of open connections, for callers that outlive the server.
    pub fn connection_count(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let slots = self.shared.all_slots().map(Arc::clone);
        move || slots.iter().map(|slots| slots.alive()).sum()
    }

    /// Stops accepting, closes idle and waiting connections, finishes requests that were read, and closes
    /// everything after `grace` at the latest.
    pub fn stop(self, grace: Duration) {
        let until = Instant::now() + grace;
        self.shared.service.stop_waiting();
        let slots = self.shared.all_slots();
        slots.iter().for_each(|slots| slots.stop());
        self.listeners.iter().for_each(|listen| listen.shut());
        self.threads.into_iter().for_each(|thread| drop(thread.join()));
        let left = || until.saturating_duration_since(Instant::now());
        slots.iter().for_each(|slots| slots.wait_for_all(left()));
        slots.iter().for_each(|slots| slots.shut_all());
        slots.iter().for_each(|slots| slots.wait_for_all(CLOSING_TIME));
        self.shared.bridge.stop();
    }
}
