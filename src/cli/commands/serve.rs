//! `mediactl serve`

use std::io::{self, Write};
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
use crate::cli::listening;
use crate::cli::local_user::local_user;
use crate::cli::new_account::NewAccount;
use crate::cli::node;
use crate::cli::prompts;
use crate::cli::render::diagnostics::{composed_error, first_error, in_one_line};
use crate::cli::server_certificate;
use crate::cli::service_manager::ServiceManager;
use crate::cli::ui::{Ui, output, waiting};
use crate::engine::{ChangeOptions, ConfigService, Engine, EngineError};
use crate::http::server::handler::{Handler, HandlerSettings, Monitoring};
use crate::http::server::listener::{Deadlines, HttpServer, Limits, Listener};
use crate::http::server::runtime::Runtime;
use crate::http::server::tls::Tls;
use crate::store::file::{ConfFile, ServeLock};
use crate::store::{Follow, StoreError};
use mediaconf::edit::request::{ChangeRequest, Edits};

/// How long the requests that were read may take when the server stops.
pub const GRACE: Duration = Duration::from_secs(10);

/// How many errors of included files a server tells of when it starts.
const MAX_TOLD: usize = 10;

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
    tell_faults(&engine, ui);
    let engine = if args.no_guards { engine.without_guards() } else { engine };
    let addresses = listening::addresses(&args.listen)?;
    if !addresses.is_empty() && membership.is_none() {
        offer_account(&engine, global, ui)?;
    }
    warn_of_no_view_account(args, &engine, global, ui);
    let tls = server_certificate::tls(args, &addresses, lock.as_ref())?;
    let listeners = listening::listeners(&addresses, lock.as_ref())?;
    let monitoring = listening::bound(&listening::addresses(&args.metrics)?)?;
    listening::warn_of_plain_text(&listeners, tls.is_some(), ui);
    let urls = listening::urls(&listeners, tls.is_some(), global)?;
    let metrics_urls = listening::metrics_urls(&monitoring)?;
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
    let loops = server.loops().clone();
    loops.end_with(move |message| end_broken(message, ui));
    handler.runtime().watch_loops(loops.clone());
    handler.runtime().watch_connections(server.connection_count());
    handler.runtime().listens_on(urls.clone());
    let monitoring = monitor(&handler, monitoring)?;
    monitoring.iter().for_each(|server| server.loops().end_with(move |message| end_broken(message, ui)));
    let manager = ServiceManager::found();
    if let Some(manager) = &manager {
        manager.tell("READY=1");
        manager.keep_watch(&loops).map_err(CliError::serve_failed)?;
    }
    server_certificate::announce_certificate(args, tls.as_deref(), ui)?;
    if let Some(node) = &node {
        node.start(&loops).map_err(CliError::serve_failed)?;
    }
    announce(urls.iter().chain(&metrics_urls))?;
    signals
        .forever()
        .take_while(|signal| *signal == SIGHUP)
        .for_each(|_| reload_in_background(&engine, tls.as_ref(), ui));
    manager.iter().for_each(|manager| manager.tell("STOPPING=1"));
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

/// Ends the process when one of its threads can't go on. What is pending is rolled back at the next start.
fn end_broken(message: &str, ui: Ui) {
    ui.say(&format!("error: {message}"));
    std::process::exit(Exit::Broken as i32);
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

/// Tells of the errors that the running configuration has together with what it includes. They keep no
/// server down: whoever mends them may need it.
fn tell_faults(engine: &Engine, ui: Ui) {
    let Some(composed) = engine.running().and_then(|running| engine.composed(&running, Follow::ALL)) else {
        return;
    };
    let faults = composed.told_faults();
    for (at, fault) in faults.iter().take(MAX_TOLD).enumerate() {
        let shown = if at == 0 { composed_error(&composed, fault, ui.masker()) } else { None };
        ui.warning(&shown.map_or_else(|| fault.to_string(), |shown| in_one_line(&shown)));
    }
    if faults.len() > MAX_TOLD {
        ui.warning(&format!("and {} more; `mediactl check` shows them", faults.len() - MAX_TOLD));
    }
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

/// Starts the server of metrics at its own addresses; `None` without any. Its few connections are its
/// own, so a client without credentials takes none from the API.
fn monitor(handler: &Arc<Handler>, listeners: Vec<Listener>) -> Result<Option<HttpServer>, CliError> {
    if listeners.is_empty() {
        return Ok(None);
    }
    let service = Arc::new(Monitoring(handler.clone()));
    let server = HttpServer::start(service, listeners, None, Limits::of_monitoring(), Deadlines::default());
    server.map(Some).map_err(CliError::serve_failed)
}

fn warn_of_no_view_account(args: &ServeArgs, engine: &Engine, global: &GlobalArgs, ui: Ui) {
    if args.view_auth && engine.running().is_some_and(|running| running.view_account().is_none()) {
        ui.warning(&format!(
            "`{}` has no usable `view_auth`, so `--view-auth` lets nobody in; `view_auth LOGIN PASSWORD;` does",
            global.file_name()
        ));
    }
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
        Ok(change) => {
            let includes = change.texts().any(|text| !text.includes().is_empty());
            let what = match (change.is_change(), includes) {
                (true, _) => "the file was loaded again",
                (false, true) => "the file has not changed, nor has what it includes",
                (false, false) => "the file has not changed",
            };
            ui.say(&format!("SIGHUP: {what}"));
            tell_faults(engine, ui);
        }
        Err(error) => {
            let fault = match &error {
                EngineError::BadText(text) => first_error(engine.name(), text, ui.masker()),
                EngineError::BadIncludes(faults) => {
                    let composed = engine.read().ok().and_then(|text| engine.composed(&text, Follow::ALL));
                    composed.and_then(|composed| composed_error(&composed, faults.first()?, ui.masker()))
                }
                _ => None,
            };
            let fault = fault.map_or(String::new(), |fault| format!("; {}", in_one_line(&fault)));
            ui.warning(&format!("SIGHUP: the file was not loaded: {error}{fault}"));
        }
    }
    if let Some(Err(error)) = tls.map(Tls::reload) {
        ui.warning(&format!("SIGHUP: the certificate was not loaded: {error}"));
    }
}

fn roll_back_unconfirmed(engine: &Engine, ui: Ui) {
    match engine.cancel_any() {
        // The engine has logged it already.
        Ok(Some(aftermath)) if aftermath.is_hand_edit() => {}
        Ok(None) => {}
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
