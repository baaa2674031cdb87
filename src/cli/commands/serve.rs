//! `mediactl serve`

use std::io::{self, Write};
use std::net::{Ipv6Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::cli::access_log::{self, AccessLog};
use crate::cli::allocator;
use crate::cli::args::global::GlobalArgs;
use crate::cli::args::serve::ServeArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::local_user::local_user;
use crate::cli::new_account::NewAccount;
use crate::cli::node;
use crate::cli::prompts;
use crate::cli::ui::{Ui, output, waiting};
use crate::edit::request::{ChangeRequest, Edits};
use crate::engine::{Aftermath, ChangeOptions, Engine, EngineError};
use crate::http::server::handler::{Handler, HandlerSettings, Monitoring};
use crate::http::server::listener::{Deadlines, HttpServer, Limits, Listener};
use crate::http::server::runtime::Runtime;
use crate::http::server::self_signed::self_signed;
use crate::http::server::tls::Tls;
use crate::store::StoreError;
use crate::store::file::{ConfFile, ServeLock};

/// The argument of `--listen` for no TCP at all.
const NO_TCP: &str = "none";

/// Where the system tells the name of this machine.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";

/// How long the requests that were read may take when the server stops.
pub const GRACE: Duration = Duration::from_secs(10);

/// The unit of `--max-body`.
const MIB: usize = 1024 * 1024;

pub fn run(args: &ServeArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    allocator::limit();
    // Registered first, so that no signal meets its default action.
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(CliError::serve_failed)?;
    let membership = node::membership(args, global)?;
    if membership.is_none() {
        refuse_url(global)?;
    }
    let store = input::store(&global.conf)?;
    let engine = Engine::new(store.clone(), args.hooking.hooks(), waiting).keeping(args.hooking.keep);
    if let Some(membership) = &membership {
        membership.first_text(&engine, &store)?;
    }
    // A missing file ends the command before a state folder is made beside it.
    engine.read()?;
    let lock = lock(&store, ui)?;
    let engine = engine.start(access_log::log_error(args.log_format))?;
    let engine = if args.no_guards { engine.without_guards() } else { engine };
    let addresses = addresses(&args.listen)?;
    if !addresses.is_empty() && membership.is_none() {
        offer_account(&engine, global, ui)?;
    }
    if args.view_auth && engine.running().is_some_and(|running| running.view_account().is_none()) {
        ui.warning(&format!(
            "`{}` has no usable `view_auth`, so `--view-auth` lets nobody in; `view_auth LOGIN PASSWORD;` does",
            global.file_name()
        ));
    }
    let tls = tls(args, &addresses, lock.as_ref())?;
    let listeners = listeners(&addresses, lock.as_ref())?;
    let monitoring = bound(&self::addresses(&args.metrics)?)?;
    warn_of_plain_text(&listeners, tls.is_some(), ui);
    let urls = urls(&listeners, tls.is_some(), global)?;
    let metrics_urls = metrics_urls(&monitoring)?;
    let log = AccessLog::new(args.log_format);
    let node = membership.map(|membership| membership.join(&engine, store)).transpose()?;
    let handler = Handler::new(engine.clone(), settings(args, global, &log));
    let handler = Arc::new(match &node {
        Some(node) => handler.changing_by(node.clone()),
        None => handler,
    });
    let server =
        HttpServer::start(handler.clone(), listeners, tls.clone(), limits(args), Deadlines::default());
    let server = server.map_err(CliError::serve_failed)?;
    handler.runtime().watch_connections(server.connection_count());
    handler.runtime().listens_on(urls.clone());
    let monitoring = monitor(&handler, monitoring)?;
    announce_certificate(args, tls.as_deref(), ui)?;
    if let Some(node) = &node {
        node.start().map_err(CliError::serve_failed)?;
    }
    announce(urls.iter().chain(&metrics_urls))?;
    for signal in signals.forever() {
        match signal {
            SIGHUP => reload_in_background(&engine, tls.as_ref(), ui),
            _ => break,
        }
    }
    node.iter().for_each(|node| node.stop());
    server.stop(GRACE);
    monitoring.into_iter().for_each(|server| server.stop(Duration::ZERO));
    log.finish();
    if !engine.settle(GRACE) {
        ui.warning("the server ended while a reload command was still running");
    }
    if lock.is_some() {
        roll_back_unconfirmed(&engine, ui);
        keep_unsaved(&engine, ui);
    }
    Ok(Exit::Done)
}

fn refuse_url(global: &GlobalArgs) -> Result<(), CliError> {
    let refused =
        || CliError::usage("`serve` works on a file, not on a server", "give the file with `--conf`");
    if global.chosen.names_server() { Err(refused()) } else { Ok(()) }
}

/// Becomes the only server over the file; `None` on a read-only file system.
fn lock(store: &ConfFile, ui: Ui) -> Result<Option<ServeLock>, CliError> {
    match store.serve() {
        Ok(lock) => Ok(Some(lock)),
        Err(error @ StoreError::StateFolder { .. }) if !store.state_dir().exists() => {
            ui.warning(&format!("{error}: changes to the file will be refused, and there is no Unix socket"));
            Ok(None)
        }
        Err(error) => Err(EngineError::from(error).into()),
    }
}

fn addresses(given: &[String]) -> Result<Vec<SocketAddr>, CliError> {
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

/// Without an account no one could use the API over TCP: on a terminal a new one is offered.
fn offer_account(engine: &Engine, global: &GlobalArgs, ui: Ui) -> Result<(), CliError> {
    if engine.running().is_some_and(|running| running.account().is_some()) {
        return Ok(());
    }
    let name = global.file_name();
    let question = format!("`{name}` has no usable `edit_auth`: set one, with a random password?");
    if prompts::confirm(&question).map_err(CliError::prompt_failed)? != Some(true) {
        return Err(CliError::no_account(&name));
    }
    let account = NewAccount::random()?;
    let patch = json!({"edit_auth": {"login": account.login, "password": account.password}});
    let request = ChangeRequest { edits: Edits::Patch(patch), expectations: Vec::new() };
    engine.modify(&request, &ChangeOptions { by: local_user(), ..ChangeOptions::default() })?;
    ui.say("this is the account, which is not shown again:");
    account.show(ui)
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

/// The certificate that the options name, or the one that the server makes itself.
fn tls(
    args: &ServeArgs,
    addresses: &[SocketAddr],
    lock: Option<&ServeLock>,
) -> Result<Option<Arc<Tls>>, CliError> {
    let [certificate, key] = match (&args.tls_cert, &args.tls_key, lock) {
        (Some(certificate), Some(key), _) => [certificate.clone(), key.clone()],
        _ if !args.tls_self_signed => return Ok(None),
        (_, _, Some(lock)) => {
            let make = || self_signed(names(addresses)).map_err(io::Error::other);
            lock.certificate(make).map_err(EngineError::from)?
        }
        (_, _, None) => {
            let hint = "give files: `--tls-cert` and `--tls-key`";
            return Err(CliError::usage("without a state folder there is no place for a certificate", hint));
        }
    };
    let tls = Tls::load(&certificate, &key).map_err(|error| CliError::bad_certificate(error.to_string()))?;
    Ok(Some(Arc::new(tls)))
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

/// Prints the fingerprint of a certificate that nobody else vouches for.
fn announce_certificate(args: &ServeArgs, tls: Option<&Tls>, ui: Ui) -> Result<(), CliError> {
    let Some(tls) = tls.filter(|_| args.tls_self_signed) else { return Ok(()) };
    let fingerprint = tls.fingerprint().map_err(|error| CliError::bad_certificate(error.to_string()))?;
    match ui.print(|out| writeln!(out, "fingerprint {fingerprint}")) {
        // The reader of stdout is gone; the server runs all the same.
        Err(error) if error.is_closed_output() => Ok(()),
        printed => printed,
    }
}

fn listeners(addresses: &[SocketAddr], lock: Option<&ServeLock>) -> Result<Vec<Listener>, CliError> {
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

fn bound(addresses: &[SocketAddr]) -> Result<Vec<Listener>, CliError> {
    let bind = |address: &SocketAddr| match TcpListener::bind(address) {
        Ok(bound) => Ok(Listener::Tcp(bound)),
        Err(source) => Err(CliError::listen_failed(&address.to_string(), source)),
    };
    addresses.iter().map(bind).collect()
}

/// Starts the server of metrics at its own addresses; `None` without any. Its few connections are its
/// own, so nobody who needs no credentials there takes one from the API.
fn monitor(handler: &Arc<Handler>, listeners: Vec<Listener>) -> Result<Option<HttpServer>, CliError> {
    if listeners.is_empty() {
        return Ok(None);
    }
    let service = Arc::new(Monitoring(handler.clone()));
    let server = HttpServer::start(service, listeners, None, Limits::of_monitoring(), Deadlines::default());
    server.map(Some).map_err(CliError::serve_failed)
}

fn metrics_urls(listeners: &[Listener]) -> Result<Vec<String>, CliError> {
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

fn settings(args: &ServeArgs, global: &GlobalArgs, log: &AccessLog) -> HandlerSettings {
    HandlerSettings {
        prefix: global.remote.prefix(None).to_owned(),
        trusted_proxies: args.trusted_proxy.clone(),
        view_auth: args.view_auth,
        log: log.log(),
        runtime: Runtime::new(args.runtime_cmd.clone()),
        patch_memory: limits(args).patch_memory(),
    }
}

fn limits(args: &ServeArgs) -> Limits {
    let body = args.max_body * MIB;
    let limits = Limits::default();
    Limits {
        body,
        bodies: limits.bodies.max(body),
        connections: args.max_connections,
        proxies: args.trusted_proxy.clone(),
        ..limits
    }
}

/// Where the server can be reached, with the ports that the system chose for port 0.
fn urls(listeners: &[Listener], tls: bool, global: &GlobalArgs) -> Result<Vec<String>, CliError> {
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

fn warn_of_plain_text(listeners: &[Listener], tls: bool, ui: Ui) {
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

fn announce<'u>(urls: impl IntoIterator<Item = &'u String>) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let printed =
        urls.into_iter().try_for_each(|url| writeln!(out, "listening on {url}")).and_then(|()| out.flush());
    match printed {
        // The reader of stdout is gone; the server runs all the same.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => output(printed),
    }
}

/// Reloads in a thread, because hooks take time and the next signal may end the server.
fn reload_in_background(engine: &Engine, tls: Option<&Arc<Tls>>, ui: Ui) {
    let (engine, tls) = (engine.clone(), tls.cloned());
    let run = move || reload(&engine, tls.as_deref(), ui);
    if std::thread::Builder::new().spawn(run).is_err() {
        ui.warning("SIGHUP: cannot spawn a thread, so nothing was loaded");
    }
}

fn reload(engine: &Engine, tls: Option<&Tls>, ui: Ui) {
    match engine.load_again("SIGHUP") {
        Ok(change) if !change.is_change() => ui.say("SIGHUP: the file has not changed"),
        Ok(_) => ui.say("SIGHUP: the file was loaded again"),
        Err(error) => ui.warning(&format!("SIGHUP: the file was not loaded: {error}")),
    }
    if let Some(Err(error)) = tls.map(Tls::reload) {
        ui.warning(&format!("SIGHUP: the certificate was not loaded: {error}"));
    }
}

fn roll_back_unconfirmed(engine: &Engine, ui: Ui) {
    match engine.cancel_any() {
        // The engine has logged it already.
        Ok(Some(Aftermath::ChangedMeanwhile)) | Ok(None) => {}
        Ok(Some(_)) => ui.warning("a change that was not confirmed was rolled back"),
        Err(error) => {
            ui.warning(&format!("a change that was not confirmed could not be rolled back: {error}"))
        }
    }
}

fn keep_unsaved(engine: &Engine, ui: Ui) {
    match engine.keep_unsaved() {
        Ok(true) => ui.warning("the running configuration was not saved; its text is kept in the history"),
        Ok(false) => {}
        Err(error) => ui.warning(&format!(
            "the running configuration was not saved, and its text could not be kept: {error}"
        )),
    }
}
