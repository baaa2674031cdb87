//! A running server: its threads, from start to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::accept;
use super::budget::Budget;
use super::connection_table::ConnectionTable;
use super::limits::{Deadlines, Limits};
use super::shared::{Listener, Shared};
use super::tally::ClosedCount;
use crate::engine::{Loops, Pulse};
use crate::http::server::bridge::{Bridge, BridgeFault, WorkerPool};
use crate::http::server::message::Service;
use crate::http::server::tls::Tls;

/// The longest time that the end waits for threads whose connections it closed.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// A running server. It runs until [`Self::stop`], or until the process ends.
pub struct HttpServer {
    shared: Arc<Shared>,
    listeners: Vec<Arc<Listener>>,
    threads: Vec<JoinHandle<()>>,
    loops: Loops,
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
        Self::start_with(None, service, listeners, tls, limits, deadlines)
    }

    /// The same, with a fault that a test can cause in tiny_http.
    #[doc(hidden)]
    pub fn start_with(
        fault: Option<Arc<BridgeFault>>,
        service: Arc<dyn Service>,
        listeners: Vec<Listener>,
        tls: Option<Arc<Tls>>,
        limits: Limits,
        deadlines: Deadlines,
    ) -> io::Result<Self> {
        let (limits, loops) = (limits.within_open_files(), Loops::default());
        let workers = loops.add(Pulse::new("workers", deadlines.late));
        let shared = Arc::new(Shared {
            bridge: Bridge::start(
                Arc::clone(&service),
                WorkerPool::new(limits.connections + limits.local, workers),
                loops.clone(),
                fault,
            )?,
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
        let mut server = Self { shared, listeners: Vec::new(), threads: Vec::new(), loops };
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
        let pulse = self.pulse("accept");
        self.spawn("accept", move || accept::accept(&shared, &own, &pulse))?;
        self.listeners.push(listen);
        Ok(())
    }

    fn admit(&mut self) -> io::Result<()> {
        for slots in self.shared.all_slots().map(Arc::clone) {
            let shared = Arc::clone(&self.shared);
            let pulse = self.pulse("admission");
            self.spawn("admission", move || accept::admit(&shared, &slots, &pulse))?;
        }
        Ok(())
    }

    fn pulse(&self, name: &'static str) -> Arc<Pulse> {
        self.loops.add(Pulse::new(name, self.shared.deadlines.late))
    }

    fn spawn(&mut self, name: &'static str, run: impl Fn() + Send + 'static) -> io::Result<()> {
        self.threads.push(self.loops.spawn(name, run)?);
        Ok(())
    }

    /// The threads that accept connections and answer.
    pub fn loops(&self) -> &Loops {
        &self.loops
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
