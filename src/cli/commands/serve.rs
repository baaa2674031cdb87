//! `mediactl serve`

use std::io::{self, Write};
use std::net::IpAddr;
use std::panic;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::ValueHint::FilePath;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::cli::access_log::{self, LogFormat};
use crate::cli::args::Invocation;
use crate::cli::args::changing::HookArgs;
use crate::cli::args::global::{GlobalArgs, TargetKind, number};
use crate::cli::input;
use crate::cli::listening::{self, limit_memory, serve_failed, tell_manager};
use crate::cli::render::diagnostics::{first_error, in_one_line};
use crate::cli::target;
use crate::cli::ui::{Ui, output, waiting};
use crate::engine::{ConfigService, Engine, Hooks, LogLevel, Snapshot};
use crate::error::{Error, ErrorKind, Exit};
use crate::http::console::Console;
use crate::http::server::front::HttpServer;
use crate::http::server::front::limits::Limits;
use crate::http::server::handler::{Handler, HandlerSettings};
use crate::http::server::runtime::{Listening, Runtime};
use crate::node::{Node, first_text};
use crate::store::etcd::ClusterStore;
use crate::store::file::{ConfFile, ServeLock};
use mediaconf::Path;

/// The default address: only this machine can connect.
const DEFAULT_LISTEN: &str = "127.0.0.1:8090";

/// Serve the HTTP API over the configuration file
///
/// While the server runs, other commands on the same file go through it, over a Unix socket beside the
/// file. So the running configuration, the file, and the output of the commands never disagree. Over TCP the
/// server asks for the login and the password of `edit_auth`; without them it does not listen on TCP.
///
/// SIGHUP loads the file again; a certificate whose files are replaced is used for the next connection. SIGTERM
/// and SIGINT end the server as soon as the requests that it has read are answered, after 10 seconds at the latest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl --conf media.conf serve
  mediactl serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem
  mediactl serve --listen :8443 --tls-self-signed
  mediactl serve --listen 127.0.0.1:0 --reload-cmd 'systemctl reload media'")]
pub struct ServeArgs {
    /// Address and port to listen on, or `:PORT` for all addresses; `none` means only the Unix socket, port 0
    /// means any free port; may be given several times
    #[arg(long, value_name = "ADDR:PORT", default_value = DEFAULT_LISTEN)]
    pub listen: Vec<String>,

    /// Let the account of `view_auth` look at the configuration, its history and the metrics, all with masked
    /// secrets; it can change nothing
    #[arg(long)]
    pub view_auth: bool,

    /// Show the configuration in a browser: `/` and the files of that page are answered without credentials, and the page asks
    /// for the login
    #[arg(long)]
    pub console: bool,

    /// Certificate chain in PEM, leaf certificate first; TCP then speaks only HTTPS
    #[arg(long, value_name = "FILE", value_hint = FilePath, requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", value_hint = FilePath, requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Make a certificate, keep it in the state folder, and print its fingerprint; TCP then speaks only HTTPS
    #[arg(long, conflicts_with = "tls_cert")]
    pub tls_self_signed: bool,

    /// Largest request body, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = number(1..=1024))]
    pub max_body: usize,

    /// Maximum number of TCP connections at a time; fewer if the limit of open files is too low
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = number(1..=4096))]
    pub max_connections: usize,

    /// IP address of a proxy whose X-Forwarded-For header is trusted, and to which the limit of connections
    /// from one address does not apply; may be given several times
    #[arg(long, value_name = "ADDR")]
    pub trusted_proxy: Vec<IpAddr>,

    /// Shell command that prints figures of the media server as a JSON object, which `runtime=true` then
    /// shows, too
    #[arg(long, value_name = "CMD")]
    pub runtime_cmd: Option<String>,

    /// Be the node of this name of the cluster that `--cluster` names: follow its configuration in the file
    #[arg(long, value_name = "NAME", value_parser = node_name)]
    pub node: Option<String>,

    /// Shell command that fails while the node is not healthy: it is run after each reload, and every 5 s while the node
    /// takes a change before the others; MEDIACTL_NODE is the name of the node
    #[arg(long, value_name = "CMD", requires = "node")]
    pub health_cmd: Option<String>,

    /// Form of the line that is logged on stderr for each request
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub log_format: LogFormat,

    #[command(flatten)]
    pub hooking: HookArgs,
}

/// Parses the name of a node: a part of a key in etcd.
fn node_name(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("a name has letters, digits, `-`, `_` and `.`".to_owned()),
    }
}

/// The longest time for the requests that were read when the server stops.
pub const GRACE: Duration = Duration::from_secs(10);

/// The unit of `--max-body`.
const MIB: usize = 1024 * 1024;

impl ServeArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let ended = self.serve(call);
        access_log::flush();
        ended
    }

    fn serve(&self, Invocation { global, ui, .. }: Invocation<'_>) -> Result<Exit, Error> {
        limit_memory();
        // Registered first, so that no signal meets its default action.
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(serve_failed)?;
        let (log, name) = (self.log_format, global.file_name());
        let texts = self.cluster(global)?.map(Arc::new);
        let (store, lock, engine) = self.start(global, texts.as_ref())?;
        let addresses = listening::addresses(&self.listen)?;
        if let Some(running) = engine.running() {
            let needs_account = !addresses.is_empty() && texts.is_none();
            self.check_accounts(&running, needs_account, &name, ui)?;
        }
        let files = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        let tls = listening::tls(files, self.tls_self_signed, &addresses, &lock)?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let listeners = listening::listeners(&addresses, &lock)?;
        listening::warn_of_plain_text(&listeners, tls.is_some(), ui);
        let path = format!("/{}", global.remote.prefix(None).trim_matches('/'));
        let mut urls = vec![format!("the Unix socket of {name}")];
        urls.extend(listening::urls(&listeners, scheme, &path)?);
        let console_urls = listening::urls(&listeners, scheme, "/")?.into_iter().filter(|_| self.console);
        let node = texts.map(|texts| self.node(texts, &engine, store)).transpose()?;
        let limits = Limits {
            connections: self.max_connections,
            proxies: self.trusted_proxy.clone(),
            ..Limits::default()
        };
        let limits = limits.with_body(self.max_body * MIB);
        let mut handler = self.handler(engine.clone(), path, limits.patch_memory());
        if let Some(node) = &node {
            handler.service = node.clone();
        }
        let handler = Arc::new(handler);
        end_with_a_panic(log);
        let server = HttpServer::start(handler.clone(), listeners, tls.clone(), limits);
        let server = server.map_err(serve_failed)?;
        let connections = Box::new(server.connection_count());
        let _ = handler.settings.runtime.listening.set(Listening { addresses: urls.clone(), connections });
        tell_manager("READY=1");
        node.as_ref().map_or(Ok(()), Node::start).map_err(serve_failed)?;
        let own =
            tls.filter(|_| self.tls_self_signed).map(|tls| format!("fingerprint {}", tls.fingerprint()));
        let urls = urls.iter().map(|url| format!("listening on {url}"));
        let console_urls = console_urls.map(|url| format!("the console is at {url}"));
        announce(own.into_iter().chain(urls).chain(console_urls))?;
        load_at_signals(&mut signals, &engine, node.as_deref(), ui, log);
        tell_manager("STOPPING=1");
        node.iter().for_each(|node| node.stop());
        server.stop(GRACE);
        leave(&engine, log);
        Ok(Exit::Done)
    }

    /// The file, its lock, and the engine that runs its text; a node brings the text from its cluster first, if it has none.
    fn start(
        &self,
        global: &GlobalArgs,
        texts: Option<&Arc<ClusterStore>>,
    ) -> Result<(Arc<ConfFile>, ServeLock, Engine), Error> {
        let (store, log) = (input::store(&global.conf)?, self.log_format);
        let engine = Engine::new(store.clone(), self.hooking.hooks(), waiting).keeping(self.hooking.keep);
        if let (Some(name), Some(texts)) = (&self.node, texts) {
            first_text(name, texts, (&engine, &store))?;
        }
        // A missing file ends the command before a state folder is made beside it.
        engine.read()?;
        let lock = store.serve()?;
        let engine = engine.start(move |level, words| log.log(level, words))?;
        tell_faults(&engine, log);
        Ok((store, lock, engine))
    }

    /// The node that follows a cluster in the file.
    fn node(
        &self,
        texts: Arc<ClusterStore>,
        engine: &Engine,
        store: Arc<ConfFile>,
    ) -> Result<Arc<Node>, Error> {
        let node = (self.node.clone().unwrap_or_default(), self.health_cmd.clone());
        let cluster = Engine::new(texts.clone(), Hooks::default(), waiting);
        Node::new(node, engine.clone(), store, (cluster, texts))
    }

    /// Refuses to serve over TCP without an account; warns of viewers who have none.
    fn check_accounts(
        &self,
        running: &Snapshot,
        needs_account: bool,
        name: &str,
        ui: Ui,
    ) -> Result<(), Error> {
        if needs_account && running.account().is_none() {
            let message =
                format!("`{name}` has no usable `edit_auth`, without which no one could use the API");
            let set = "modify --set edit_auth.login=admin --set edit_auth.password";
            let hint = format!("`mediactl --conf {} {set}` sets one", Path::in_shell_quotes(name));
            return Err(Error::new(ErrorKind::Invalid, message).hint(hint));
        }
        if self.view_auth && running.view_account().is_none() {
            let why = "has no usable `view_auth`, so `--view-auth` lets nobody in";
            ui.warning(&format!("`{name}` {why}; `view_auth LOGIN PASSWORD;` does"));
        }
        Ok(())
    }

    /// What answers the requests below `prefix`.
    fn handler(&self, engine: Engine, prefix: String, patch_memory: usize) -> Handler {
        let console = self.console.then(|| Console::new(&prefix));
        let settings = HandlerSettings {
            prefix,
            trusted_proxies: self.trusted_proxy.clone(),
            view_auth: self.view_auth,
            log: access_log::log_requests(self.log_format),
            runtime: Runtime::new(self.runtime_cmd.clone()),
            patch_memory,
        };
        let mut handler = Handler::new(engine, settings);
        (handler.max_connections, handler.console) = (self.max_connections, console);
        handler
    }

    /// The configuration that a node follows, which options or the context in use name beside the file; `None` for a
    /// server of its own, which works on a file alone.
    fn cluster(&self, global: &GlobalArgs) -> Result<Option<ClusterStore>, Error> {
        let chosen = global.chosen;
        let (message, hint) = match chosen.kind {
            _ if self.node.is_some() => match target::followed_cluster(global)? {
                None => ("`--node` needs a cluster", "give the URL of the configuration: `--cluster URL`"),
                followed => return Ok(followed),
            },
            TargetKind::Cluster(_) | TargetKind::TwoOptions(["--conf", "--cluster"]) => {
                ("a server of a cluster needs a name", "give it with `--node NAME`")
            }
            _ if chosen.names_server() => {
                ("`serve` works on a file, not on a server", "give the file with `--conf`")
            }
            _ => return Ok(None),
        };
        Err(Error::usage(message, hint))
    }
}

/// Ends the process when one of its threads panics, with a line of the log: no thread is missing unseen, and the service
/// manager starts the server again. What is pending is rolled back then.
fn end_with_a_panic(log: LogFormat) {
    panic::set_hook(Box::new(move |panic| {
        let current = thread::current();
        let thread = current.name().unwrap_or("?");
        log.log(LogLevel::Error, &format!("the thread `{thread}` failed: {panic}"));
        access_log::flush();
        std::process::exit(Exit::Broken as i32);
    }));
}

/// Reports the errors that the running configuration has together with what it includes. They do not keep
/// the server from starting: it may be needed to mend them.
fn tell_faults(engine: &Engine, log: LogFormat) {
    let Some(composed) = engine.running().and_then(|running| engine.composed(&running)) else { return };
    let faults = composed.told_faults();
    if let Some(first) = faults.first() {
        log.warn(&format!("{first}; `mediactl check` shows all {} faults", faults.len()));
    }
}

fn announce(mut lines: impl Iterator<Item = String>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match lines.try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush()) {
        // The reader of stdout is gone; the server runs all the same.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => output(printed),
    }
}

/// Loads the file again at each SIGHUP, until another signal comes.
fn load_at_signals(signals: &mut Signals, engine: &Engine, node: Option<&Node>, ui: Ui, log: LogFormat) {
    for _ in signals.forever().take_while(|signal| *signal == SIGHUP) {
        node.iter().for_each(|node| _ = node.try_again());
        // In a thread, because hooks take time and the next signal may end the server.
        let engine = engine.clone();
        if thread::Builder::new().spawn(move || reload(&engine, ui, log)).is_err() {
            log.warn("SIGHUP: cannot spawn a thread, so nothing was loaded");
        }
    }
}

fn reload(engine: &Engine, ui: Ui, log: LogFormat) {
    match engine.load_again("SIGHUP") {
        Ok(change) => {
            let what = if change.changed { "was loaded again" } else { "has not changed" };
            log.log(LogLevel::Note, &format!("SIGHUP: the file {what}"));
            tell_faults(engine, log);
        }
        Err(error) => {
            let broken = error.broken.as_ref();
            let fault = broken.and_then(|broken| first_error(engine.name(), &broken.snapshot, ui.masker));
            let fault = fault.map_or(String::new(), |fault| format!("; {}", in_one_line(&fault)));
            log.warn(&format!("SIGHUP: the file was not loaded: {error}{fault}"));
        }
    }
}

/// Waits for a reload command, and rolls back what was not confirmed when the server ends.
fn leave(engine: &Engine, log: LogFormat) {
    if !engine.settle(GRACE) {
        log.warn("the server ended while a reload command was still running");
    }
    match engine.cancel_any() {
        // The engine has logged an edit by hand already.
        Ok(aftermath) if aftermath.as_ref().is_none_or(|aftermath| aftermath.is_hand_edit()) => {}
        Ok(_) => log.warn("a change that was not confirmed was rolled back"),
        Err(error) => {
            log.warn(&format!("a change that was not confirmed could not be rolled back: {error}"));
        }
    }
    if engine.state().is_some_and(|state| !state.is_saved()) {
        log.warn("the running configuration was not saved");
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use serde_json::Value;

    use super::*;

    /// Set in the process that the test starts, and which ends.
    const ENDS: &str = "MEDIACTL_TEST_ENDS";

    #[test]
    fn a_thread_that_panics_ends_the_process_with_a_code_of_its_own() {
        if std::env::var_os(ENDS).is_some() {
            end_with_a_panic(LogFormat::Json);
            let thread = thread::Builder::new().name("accept".to_owned());
            let spawned = thread.spawn(|| panic!("as the test asks")).expect("a thread can be spawned");
            return spawned.join().expect("it does not come to this");
        }
        let name = "cli::commands::serve::tests::\
                    a_thread_that_panics_ends_the_process_with_a_code_of_its_own";
        let mut again = Command::new(std::env::current_exe().expect("it runs"));
        let ended = again.args(["--exact", name, "--nocapture"]).env(ENDS, "1").output().expect("it runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(12), "{said}");
        let line: Value = serde_json::from_str(said.trim_end()).expect(&said);
        let told = line["error"].as_str().unwrap_or_default();
        assert!(told.contains("`accept` failed: ") && told.contains("as the test asks"), "{said}");
    }
}
