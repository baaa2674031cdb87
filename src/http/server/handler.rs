//! From a request to its response: authenticates, finds the route, reads the parameters, and calls
//! the endpoint.

use std::hash::RandomState;
use std::net::IpAddr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;

use crate::engine::{ConfigService, Engine, KnownPaths, without_secrets};
use crate::error::ErrorKind;
use crate::http::console::{self, Console};
use crate::http::protocol::headers::{DEFAULT_PREFIX, PENDING_HEADER, REALM, on_every_response};
use crate::http::protocol::masked::masked_text;
use crate::http::protocol::parameters::Parameters;
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::{self, Body, ROUTES, Route, RouteBase, RouteMatch};
use crate::http::protocol::sudo::{SUDO_HEADER, by_sudo, is_name};
use crate::http::server::auth::{Account, Accounts, Authenticator, Role, Verdict};
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::endpoints::endpoint;
use crate::http::server::form;
use crate::http::server::fresh::Fresh;
use crate::http::server::front::limits::{CHANGE_TIME, CONNECTIONS, METRICS_LIFE};
use crate::http::server::log::{AccessRecord, Log};
use crate::http::server::message::{Head, HttpRequest, PeerAddress, Rank, Response, Service, client_address};
use crate::http::server::request_checks::{
    canonical, refuse_coding, refuse_cross_site, refuse_foreign_use, to_canonical,
};
use crate::http::server::runtime::Runtime;
use crate::http::server::waiting::WaitingRoom;
use mediaconf::Masker;

/// Answers the requests for one engine.
pub struct Handler {
    context: Context,
    trusted_proxies: Vec<IpAddr>,
    view_auth: bool,
    /// The files for a browser, if the server answers them.
    console: Option<Console>,
    log: Log,
}

/// The settings of a handler.
pub struct HandlerSettings {
    pub prefix: String,
    /// Peers whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// True if `view_auth` lets its account look.
    pub view_auth: bool,
    /// The destination of log lines.
    pub log: Log,
    /// The source of the figures for `runtime=true`.
    pub runtime: Runtime,
    /// The most bytes of memory for the merge of a patch.
    pub patch_memory: usize,
}

/// A problem with the headers that belong to it.
struct ErrorResponse {
    problem: Box<Problem>,
    headers: Vec<(&'static str, String)>,
}

impl From<Problem> for ErrorResponse {
    fn from(problem: Problem) -> Self {
        Self::with_headers(problem, Vec::new())
    }
}

impl ErrorResponse {
    fn with_headers(problem: Problem, headers: Vec<(&'static str, String)>) -> Self {
        Self { problem: Box::new(problem), headers }
    }

    /// 401 for missing or wrong credentials.
    fn unauthorized(detail: &str) -> Self {
        let challenge = vec![("WWW-Authenticate", format!("Basic realm=\"{REALM}\", charset=\"UTF-8\""))];
        Self::with_headers(Problem::new(ErrorKind::Unauthorized, detail), challenge)
    }
}

impl ErrorResponse {
    /// 429 for credentials that were not looked at.
    fn locked_out(retry_after: Duration) -> Self {
        let detail = "too many wrong passwords; this one was not looked at, send it again";
        let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
        let headers = vec![("Retry-After", seconds.max(1).to_string())];
        Self::with_headers(Problem::new(ErrorKind::TooManyFailures, detail), headers)
    }
}

/// The detail of a request with wrong credentials; it does not say which of the two is wrong.
const WRONG: &str = "the login or the password is wrong";

impl Handler {
    /// A handler over an engine that runs a configuration.
    pub fn new(engine: Engine, settings: HandlerSettings) -> Self {
        let HandlerSettings { prefix, trusted_proxies, view_auth, log, runtime, patch_memory } = settings;
        let context = Context {
            service: Arc::new(engine.clone()),
            engine,
            runtime,
            authenticator: Authenticator::default(),
            revision_key: RandomState::new(),
            masker: Masker::default(),
            prefix: format!("/{}", prefix.trim_matches('/')),
            change_time: CHANGE_TIME,
            patch_memory,
            checking_patch: Mutex::new(()),
            last_masked: Mutex::default(),
            last_hidden: Mutex::default(),
            maskings: AtomicU64::new(0),
            open_metrics: Fresh::for_time(METRICS_LIFE),
            changed_paths: Mutex::new(KnownPaths::new()),
            waiting: WaitingRoom::for_connections(CONNECTIONS),
            nodes: Fresh::for_time(METRICS_LIFE),
            openapi: OnceLock::new(),
        };
        Self { context, trusted_proxies, view_auth, console: None, log }
    }

    /// The same handler with another limit on the time that a change may take up to its write.
    pub fn giving_up_after(mut self, change_time: Duration) -> Self {
        self.context.change_time = change_time;
        self
    }

    /// The same handler for so many connections, of which a quarter may wait for a change.
    pub fn with_connections(mut self, connections: usize) -> Self {
        self.context.waiting = WaitingRoom::for_connections(connections);
        self
    }

    /// The same handler, which answers the files of the console.
    pub fn with_console(mut self) -> Self {
        self.console = Some(Console::new(&self.context.prefix));
        self
    }

    /// The same handler over the service that the engine is a part of.
    pub fn serving(mut self, service: Arc<dyn ConfigService>) -> Self {
        self.context.service = service;
        self
    }

    pub fn runtime(&self) -> &Runtime {
        &self.context.runtime
    }

    fn respond(
        &self,
        head: &Head,
        body: Bytes,
        record: &mut AccessRecord,
    ) -> Result<Response, ErrorResponse> {
        if let Some(file) = self.console_file(head) {
            refuse_foreign_use(head)?;
            return Ok(file);
        }
        let by = match is_open(head) {
            true => (String::new(), Role::View),
            false => self.authenticate(head, record)?,
        };
        refuse_cross_site(head)?;
        if let Some(redirect) = to_canonical(head, |path| self.has_route(path, head.peer)) {
            return Ok(redirect);
        }
        self.respond_on(self.route(head)?, (&by.0, by.1), (head, body), record)
    }

    /// The console, if the request is for one of its files.
    fn console_of(&self, head: &Head) -> Option<&Console> {
        let is_read = matches!(&*head.method, "GET" | "HEAD");
        self.console.as_ref().filter(|console| is_read && console.has(head.path()))
    }

    /// The file of the console at the path, which needs no credentials.
    fn console_file(&self, head: &Head) -> Option<Response> {
        let (media_type, body) = self.console_of(head)?.file(head.path())?;
        let headers = console::HEADERS.map(|(name, value)| (name, value.to_owned()));
        let mut response = Response::ok(media_type, body);
        response.headers.extend(headers);
        Some(response)
    }

    /// Answers requests for metrics without credentials; has no other operation.
    fn respond_to_monitoring(
        &self,
        head: &Head,
        body: Bytes,
        record: &mut AccessRecord,
    ) -> Result<Response, ErrorResponse> {
        refuse_cross_site(head)?;
        if let Some(redirect) = to_canonical(head, |path| !at_root(path).is_empty()) {
            return Ok(redirect);
        }
        let routes = at_root(head.path());
        if routes.is_empty() {
            let detail = "unknown path; here are only /metrics and /healthz";
            return Err(Problem::new(ErrorKind::NotFound, detail).into());
        }
        self.respond_on(taking(routes, head)?, ("", Role::View), (head, body), record)
    }

    /// Calls the endpoint of a route.
    fn respond_on(
        &self,
        RouteMatch { route, argument }: RouteMatch<'_>,
        (by, role): (&str, Role),
        (head, body): (&Head, Bytes),
        record: &mut AccessRecord,
    ) -> Result<Response, ErrorResponse> {
        record.operation = Some(route.operation);
        if route.is_change() && role == Role::View {
            let detail = "`view_auth` may look, and change nothing; changes need `edit_auth`";
            return Err(Problem::new(ErrorKind::ViewOnly, detail).into());
        }
        let parameters = Parameters::parse(route, head.query())?;
        if route.body != Body::None {
            refuse_coding(head)?;
            form::refuse(route.body, &body)?;
        }
        let mut call = EndpointCall { head, body, argument, parameters: &parameters, by, role, record };
        let response = endpoint(route.operation)(&self.context, &mut call)?;
        Ok(response.noted(&parameters.notes))
    }

    /// Returns the author of the request, for hooks and the history, and its role.
    fn authenticate(&self, head: &Head, record: &mut AccessRecord) -> Result<(String, Role), ErrorResponse> {
        if let (PeerAddress::Uid(uid), false) = (head.peer, head.unread) {
            let sudo =
                head.header(&SUDO_HEADER.to_ascii_lowercase()).filter(|user| uid == 0 && is_name(user));
            return Ok((sudo.map_or_else(|| format!("uid {uid}"), by_sudo), Role::Edit));
        }
        let address = client_address(head, &self.trusted_proxies);
        match self.context.authenticator.check_and_count(
            address,
            head.header("authorization"),
            &self.accounts(),
        ) {
            // The body was dropped because the password was wrong, or not looked at, when the head came.
            Verdict::Admitted { role: Role::Edit, .. } if head.unread => {
                Err(ErrorResponse::locked_out(Duration::ZERO))
            }
            Verdict::Admitted { login, role } => {
                record.login = Some(login.clone());
                Ok((address.map_or(login.clone(), |address| format!("{login} from {address}")), role))
            }
            Verdict::Missing => {
                Err(ErrorResponse::unauthorized("the login and the password of `edit_auth` are required"))
            }
            Verdict::Wrong => Err(ErrorResponse::unauthorized(WRONG)),
            Verdict::LockedOut { retry_after } => Err(ErrorResponse::locked_out(retry_after)),
        }
    }

    /// The accounts that may use the API.
    fn accounts(&self) -> Accounts {
        let running = self.context.running();
        let account = |both: &[String; 2]| {
            let [login, password] = both.clone();
            Account { login, password }
        };
        let view = if self.view_auth { running.view_account() } else { None };
        Accounts { edit: running.account().map(account), view: view.map(account) }
    }

    fn route<'h>(&self, head: &'h Head) -> Result<RouteMatch<'h>, ErrorResponse> {
        let routes = self.routes_at(head.path(), head.peer);
        if routes.is_empty() { Err(self.not_found().into()) } else { taking(routes, head) }
    }

    /// The routes at the path behind the prefix, or at the root.
    fn routes_at<'h>(&self, path: &'h str, peer: PeerAddress) -> Vec<RouteMatch<'h>> {
        // Local commands do not know the prefix of the server, and use the default.
        let local = matches!(peer, PeerAddress::Uid(_)).then_some(DEFAULT_PREFIX);
        let prefixes = [Some(self.context.prefix.as_str()), local].into_iter().flatten();
        let behind = |prefix: &str| path.strip_prefix(prefix.trim_end_matches('/'))?.strip_prefix('/');
        let mut routes = prefixes.filter_map(behind).map(|path| routes::matching(RouteBase::Prefix, path));
        routes.find(|routes| !routes.is_empty()).unwrap_or_else(|| at_root(path))
    }

    /// True if a request changes nothing, whatever it is about.
    fn is_reading(&self, head: &Head) -> bool {
        let path = canonical(head.path());
        let mut routes = self.routes_at(&path, head.peer).into_iter().map(|found| found.route);
        matches!(&*head.method, "GET" | "HEAD")
            || routes.any(|route| route.takes(&head.method) && !route.is_change())
    }

    fn has_route(&self, path: &str, peer: PeerAddress) -> bool {
        !self.routes_at(path, peer).is_empty()
    }

    fn not_found(&self) -> Problem {
        let paths: Vec<String> = ROUTES.iter().map(|route| route.shown_below(&self.context.prefix)).collect();
        let detail = format!("unknown path; the operations are {}", paths.join(", "));
        Problem::new(ErrorKind::NotFound, detail)
    }

    fn error_response(&self, error: ErrorResponse, record: &mut AccessRecord) -> Response {
        let ErrorResponse { problem, headers } = error;
        record.detail = Some(masked_text(record.detail.as_ref().unwrap_or(&problem.detail)));
        let mut response = Response::error(&problem);
        response.headers.extend(headers);
        if problem.kind() == Some(ErrorKind::Pending) {
            response.headers.extend(self.context.pending().map(|pending| (PENDING_HEADER, pending.id)));
        }
        response
    }

    fn log(&self, record: &AccessRecord) {
        self.context.runtime.requests.count(record.operation, record.status);
        (self.log)(record);
    }
}

/// True if a request needs no credentials, however its path is spelled. Any that it has are not looked
/// at, so nobody learns here whether they are right.
fn is_open(head: &Head) -> bool {
    at_root(&canonical(head.path()))
        .iter()
        .any(|found| found.route.is_open && found.route.takes(&head.method))
}

fn at_root(path: &str) -> Vec<RouteMatch<'_>> {
    path.strip_prefix('/').map(|path| routes::matching(RouteBase::Root, path)).unwrap_or_default()
}

/// The one of the routes at a path that takes the method.
fn taking<'h>(routes: Vec<RouteMatch<'h>>, head: &Head) -> Result<RouteMatch<'h>, ErrorResponse> {
    let first = routes.first().map(|found| found.route);
    let allowed: Vec<&str> = routes.iter().flat_map(|found| found.route.methods).copied().collect();
    let taken = routes.into_iter().find(|found| found.route.takes(&head.method));
    let first = first.expect("there is a route at the path");
    taken.ok_or_else(|| wrong_method(first, allowed.join(", ")))
}

fn wrong_method(route: &Route, allowed: String) -> ErrorResponse {
    let problem = Problem::new(ErrorKind::Method, format!("`{}` takes {allowed}", route.path));
    let problem = problem.hinted(format!("use {}", route.methods[0]));
    ErrorResponse::with_headers(problem, vec![("Allow", allowed)])
}

impl Service for Handler {
    fn rank(&self, head: &Head) -> Rank {
        if matches!(head.peer, PeerAddress::Uid(_)) {
            return Rank::Editor;
        }
        if is_open(head) || self.console_of(head).is_some() {
            return Rank::Stranger;
        }
        let (address, header) = (client_address(head, &self.trusted_proxies), head.header("authorization"));
        match self.context.authenticator.check_and_count(address, header, &self.accounts()) {
            Verdict::Admitted { role: Role::Edit, .. } => Rank::Editor,
            // The body of a change that is refused is not kept.
            Verdict::Admitted { role: Role::View, .. } if self.is_reading(head) => Rank::Viewer,
            _ => Rank::Stranger,
        }
    }

    fn answer(&self, HttpRequest { head, body }: HttpRequest) -> Response {
        self.answer_by(&head, |record| self.respond(&head, body, record))
    }

    fn stop_waiting(&self) {
        self.context.waiting.close();
    }

    fn refused(&self, peer: Option<PeerAddress>, status: u16, detail: &str) {
        let detail = Some(detail.to_owned());
        self.log(&AccessRecord { status, detail, ..AccessRecord::new(SystemTime::now(), peer) });
    }
}

impl Handler {
    fn answer_by(
        &self,
        head: &Head,
        respond: impl FnOnce(&mut AccessRecord) -> Result<Response, ErrorResponse>,
    ) -> Response {
        let start = Instant::now();
        let peer = client_address(head, &self.trusted_proxies).map_or(head.peer, PeerAddress::Address);
        let mut record = AccessRecord {
            method: head.method.clone(),
            path: masked_text(head.path()),
            ..AccessRecord::new(SystemTime::now(), Some(peer))
        };
        let result = respond(&mut record);
        let mut response = result.unwrap_or_else(|error| self.error_response(error, &mut record));
        response.headers.extend(on_every_response());
        // A stranger is not worth the look at the whole text, and has come to no operation.
        if let Some(detail) = record.detail.take_if(|_| record.operation.is_some()) {
            record.detail = Some(without_secrets(&detail, [&self.context.running()]));
        }
        record.status = response.status;
        record.bytes = if head.method == "HEAD" { 0 } else { response.body.len() };
        record.took = start.elapsed();
        self.log(&record);
        response
    }
}

/// The same server for monitoring alone, at an address of its own: it needs no credentials there.
pub struct Monitoring(pub Arc<Handler>);

impl Service for Monitoring {
    fn rank(&self, _: &Head) -> Rank {
        Rank::Stranger
    }

    fn answer(&self, HttpRequest { head, body }: HttpRequest) -> Response {
        self.0.answer_by(&head, |record| self.0.respond_to_monitoring(&head, body, record))
    }

    fn refused(&self, peer: Option<PeerAddress>, status: u16, detail: &str) {
        self.0.refused(peer, status, detail);
    }
}
