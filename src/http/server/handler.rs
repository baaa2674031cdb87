//! From a request to its answer: authenticate, route, read the parameters, call the engine.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;

use crate::edit::request::{self as edit, Edits};
use crate::engine::{self, Engine, EngineError, Outcome, Snapshot};
use crate::http::protocol::headers::{
    API_HEADER, DEFAULT_PREFIX, NOTE_HEADER, PENDING_HEADER, REALM, api_value,
};
use crate::http::protocol::masked::masked_text;
use crate::http::protocol::openapi;
use crate::http::protocol::parameters::Parameters;
use crate::http::protocol::problem::{self, Problem, ProblemKind};
use crate::http::protocol::routes::{self, ApiOperation, Body, ROUTES, Route, RouteMatch};
use crate::http::server::auth::{Account, Authenticator, Verdict};
use crate::http::server::endpoints::{config, history};
use crate::http::server::form;
use crate::http::server::listener::limits::CHANGE_TIME;
use crate::http::server::log::{AccessRecord, Log};
use crate::http::server::message::{Head, PeerAddress, Request, Response, Service};
use crate::http::server::runtime::Runtime;

/// What stands between the sockets and the engine.
pub struct Handler {
    pub(super) engine: Engine,
    prefix: String,
    trusted_proxies: Vec<IpAddr>,
    gatekeeper: Authenticator,
    log: Log,
    pub(super) runtime: Runtime,
    /// How long a change may take up to its write.
    change_time: Duration,
    /// How much memory the merge of a patch may take.
    patch_memory: usize,
    /// Whoever looks at a patch before its turn holds it.
    looking: Mutex<()>,
    /// The OpenAPI document, once somebody has asked for it.
    description: OnceLock<Arc<Vec<u8>>>,
}

/// How a handler is to behave.
pub struct HandlerSettings {
    /// In front of the operations in a path.
    pub prefix: String,
    /// Peers whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// Where log lines go.
    pub log: Log,
    /// Where `runtime=true` gets its figures.
    pub runtime: Runtime,
    /// How much memory the merge of a patch may take.
    pub patch_memory: usize,
}

/// A refusal with the headers that belong to it.
pub(crate) struct ErrorResponse {
    problem: Box<Problem>,
    headers: Vec<(&'static str, String)>,
}

impl From<Problem> for ErrorResponse {
    fn from(problem: Problem) -> Self {
        Self::with(problem, Vec::new())
    }
}

impl ErrorResponse {
    fn with(problem: Problem, headers: Vec<(&'static str, String)>) -> Self {
        Self { problem: Box::new(problem), headers }
    }
}

/// Who asks, once that is proved.
pub(crate) struct Caller {
    /// As hooks and the history have it.
    pub by: String,
}

impl Handler {
    /// A handler over an engine that runs a configuration.
    pub fn new(engine: Engine, settings: HandlerSettings) -> Self {
        let HandlerSettings { prefix, trusted_proxies, log, runtime, patch_memory } = settings;
        let prefix = format!("/{}", prefix.trim_matches('/'));
        let (gatekeeper, description) = (Authenticator::default(), OnceLock::new());
        Self {
            engine,
            prefix,
            trusted_proxies,
            gatekeeper,
            log,
            runtime,
            change_time: CHANGE_TIME,
            patch_memory,
            looking: Mutex::new(()),
            description,
        }
    }

    /// The same, giving up a change that takes longer than this up to its write.
    pub fn giving_up_after(self, change_time: Duration) -> Self {
        Self { change_time, ..self }
    }

    /// When a change has to be written that begins now.
    pub(super) fn until(&self) -> Instant {
        Instant::now() + self.change_time
    }

    /// Where the figures of the server come from.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(super) fn running(&self) -> Arc<Snapshot> {
        self.engine.running().expect("a handler is made over an engine that runs something")
    }

    /// Merges a patch. Nonsense is refused before its turn comes; the patch is parsed again in its
    /// turn, so that waiting patches hold their text alone.
    pub(super) fn modify(
        &self,
        options: &engine::ChangeOptions,
        body: &Bytes,
    ) -> Result<Outcome, EngineError> {
        let edits = Edits::PatchText { text: body.clone(), memory: self.patch_memory };
        let request = edit::Request { edits, expectations: Vec::new() };
        {
            let _one_at_a_time = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
            request.check_text()?;
        }
        self.engine.modify(&request, options)
    }

    /// The OpenAPI document.
    pub(super) fn description(&self) -> Arc<Vec<u8>> {
        let made =
            self.description.get_or_init(|| Arc::new(openapi::document(&self.prefix).to_string().into()));
        made.clone()
    }

    fn respond(&self, request: &Request, access: &mut AccessRecord) -> Result<Response, ErrorResponse> {
        let caller = self.authenticate(&request.head, access)?;
        refuse_cross_site(&request.head)?;
        let RouteMatch { route, argument } = self.route(&request.head)?;
        self.runtime.count(route.operation);
        let parameters = Parameters::of(route, request.head.query())?;
        if route.body != Body::None {
            refuse_coding(&request.head)?;
            form::refuse(route, &request.body)?;
        }
        let answer = self.carry_out(route, argument, request, &parameters, &caller, access)?;
        Ok(noting(answer, parameters.notes))
    }

    fn carry_out(
        &self,
        route: &Route,
        argument: &str,
        request: &Request,
        parameters: &Parameters,
        caller: &Caller,
        access: &mut AccessRecord,
    ) -> Result<Response, ErrorResponse> {
        match route.operation {
            ApiOperation::Read => Ok(self.with_pending(config::read(self, &request.head, parameters)?)),
            ApiOperation::OpenApi => Ok(config::describe(self)),
            ApiOperation::History => Ok(history::changes(self)?),
            ApiOperation::Kept => Ok(history::kept(self, argument)?),
            operation @ (ApiOperation::Confirm | ApiOperation::Cancel) => {
                Ok(history::decide(self, operation, parameters, caller)?)
            }
            operation @ (ApiOperation::Modify
            | ApiOperation::Update
            | ApiOperation::Save
            | ApiOperation::Rollback) => {
                Ok(config::change(self, operation, request, parameters, caller, access)?)
            }
        }
    }

    /// Who reads has to know that what they see may not stay.
    fn with_pending(&self, mut answer: Response) -> Response {
        answer.headers.extend(self.engine.pending().map(|waiting| (PENDING_HEADER, waiting.id.clone())));
        answer
    }

    fn authenticate(&self, head: &Head, access: &mut AccessRecord) -> Result<Caller, ErrorResponse> {
        if let (PeerAddress::Uid(uid), false) = (head.peer, head.unread) {
            return Ok(Caller { by: format!("uid {uid}") });
        }
        let expected = expected(&self.running());
        let header = head.header("authorization");
        match self.gatekeeper.judge(self.address(head), header, expected.as_ref()) {
            // The body was not kept, because the password was wrong when it came.
            Verdict::Admitted { .. } if head.unread => Err(unauthorized(WRONG)),
            Verdict::Admitted { login } => {
                access.login = Some(login.clone());
                let from = self.address(head).map_or(String::new(), |address| format!(" from {address}"));
                Ok(Caller { by: format!("{login}{from}") })
            }
            Verdict::Missing => Err(unauthorized(MISSING)),
            Verdict::Wrong => Err(unauthorized(WRONG)),
            Verdict::LockedOut { retry_after } => Err(ErrorResponse::with(
                Problem::new(ProblemKind::TooManyFailures, "too many wrong passwords; wait"),
                vec![("Retry-After", retry_after.as_secs().max(1).to_string())],
            )),
        }
    }

    /// The address of the client; behind a proxy that is trusted, what the proxy says.
    fn address(&self, head: &Head) -> Option<IpAddr> {
        let PeerAddress::Address(peer) = head.peer else { return None };
        if !self.trusted_proxies.contains(&peer) {
            return Some(peer);
        }
        // Each proxy adds to the end: what stands before the last that is not trusted, anybody can write.
        let lists: Vec<&str> = head.values("x-forwarded-for").collect();
        let hops = lists.iter().rev().flat_map(|list| list.rsplit(',')).map_while(forwarded_address);
        let client = hops.into_iter().find(|hop| !self.trusted_proxies.contains(hop));
        Some(client.unwrap_or(peer))
    }

    fn route<'h>(&self, head: &'h Head) -> Result<RouteMatch<'h>, ErrorResponse> {
        let here = self.routes_at(head);
        if here.is_empty() {
            return Err(self.not_found().into());
        }
        let allowed: Vec<&str> = here.iter().flat_map(|found| found.route.methods).copied().collect();
        let first = here[0].route;
        match here.into_iter().find(|found| found.route.takes(&head.method)) {
            Some(found) => Ok(found),
            None => Err(wrong_method(first, &head.method, allowed.join(", "))),
        }
    }

    /// The routes at the path behind the prefix.
    fn routes_at<'h>(&self, head: &'h Head) -> Vec<RouteMatch<'h>> {
        // Local commands do not know what prefix a server was started with.
        let local = matches!(head.peer, PeerAddress::Uid(_)).then_some(DEFAULT_PREFIX);
        let prefixes = [Some(self.prefix.as_str()), local].into_iter().flatten();
        let behind = |prefix: &str| head.path().strip_prefix(prefix.trim_end_matches('/'))?.strip_prefix('/');
        let mut here = prefixes.filter_map(behind).map(routes::at);
        here.find(|here| !here.is_empty()).unwrap_or_default()
    }

    fn not_found(&self) -> Problem {
        let paths: Vec<String> =
            ROUTES.iter().map(|route| format!("{}/{}", self.prefix, route.template())).collect();
        let detail = format!("there is nothing here; the operations are {}", paths.join(", "));
        Problem::new(ProblemKind::NotFound, detail)
    }
}

/// The answer with further words in its header of notes.
fn noting(mut answer: Response, notes: Vec<String>) -> Response {
    if notes.is_empty() {
        return answer;
    }
    let words = notes.join("; ");
    match answer.headers.iter_mut().find(|(name, _)| *name == NOTE_HEADER) {
        Some((_, value)) => *value = format!("{value}; {words}"),
        None => answer.headers.push((NOTE_HEADER, words)),
    }
    answer
}

fn wrong_method(route: &Route, method: &str, allowed: String) -> ErrorResponse {
    let problem = Problem::new(ProblemKind::Method, format!("`{}` takes {allowed}", route.path));
    let problem = problem.hinted(form::method_hint(route, method));
    ErrorResponse::with(problem, vec![("Allow", allowed)])
}

/// An address, maybe with a port.
fn forwarded_address(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let bare = hop.trim_start_matches('[').split(']').next().unwrap_or(hop);
    let address: Option<IpAddr> =
        bare.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|with_port| with_port.ip()));
    address.map(|address| address.to_canonical())
}

fn expected(running: &Snapshot) -> Option<Account> {
    let [login, password] = running.account()?.clone();
    Some(Account { login, password })
}

/// What a request without credentials is told.
const MISSING: &str = "login and password of `edit_auth` are asked for";

/// What a request with wrong ones is told; not which of the two is wrong.
const WRONG: &str = "the login or the password is wrong";

fn unauthorized(detail: &str) -> ErrorResponse {
    ErrorResponse::with(
        Problem::new(ProblemKind::Unauthorized, detail),
        vec![("WWW-Authenticate", format!("Basic realm=\"{REALM}\""))],
    )
}

/// Pages of other sites make browsers send the password that they know: nothing of that counts.
fn refuse_cross_site(head: &Head) -> Result<(), ErrorResponse> {
    let site = head.header("sec-fetch-site");
    let is_foreign_site = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let is_foreign_origin = head.header("origin").is_some_and(|origin| {
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        !head.header("host").is_some_and(|own| own.eq_ignore_ascii_case(host))
    });
    match is_foreign_site || is_foreign_origin {
        true => {
            Err(Problem::new(ProblemKind::CrossSite, "requests of other sites' pages are not answered")
                .into())
        }
        false => Ok(()),
    }
}

/// Content codings that really are some (IANA), against those that clients send by mistake.
const CODINGS: &[&str] = &[
    "aes128gcm",
    "br",
    "compress",
    "dcb",
    "dcz",
    "deflate",
    "exi",
    "gzip",
    "pack200-gzip",
    "x-compress",
    "x-gzip",
    "zstd",
];

fn refuse_coding(head: &Head) -> Result<(), ErrorResponse> {
    let codings = head.values("content-encoding").flat_map(|value| value.split(','));
    let real =
        codings.map(|coding| coding.trim().to_ascii_lowercase()).find(|coding| CODINGS.contains(&&**coding));
    match real {
        Some(coding) => Err(Problem::new(
            ProblemKind::ContentCoding,
            format!("a body in the coding `{coding}` is not taken; send it plain"),
        )
        .into()),
        None => Ok(()),
    }
}

impl Service for Handler {
    fn admits(&self, head: &Head) -> bool {
        match head.peer {
            PeerAddress::Uid(_) => true,
            PeerAddress::Address(_) => {
                let expected = expected(&self.running());
                let header = head.header("authorization");
                let verdict = self.gatekeeper.look(self.address(head), header, expected.as_ref());
                matches!(verdict, Verdict::Admitted { .. })
            }
        }
    }

    fn answer(&self, request: &Request) -> Response {
        let start = Instant::now();
        let peer = self.address(&request.head).map_or(request.head.peer, PeerAddress::Address);
        let mut access = AccessRecord {
            at: SystemTime::now(),
            peer: Some(peer),
            login: None,
            method: request.head.method.clone(),
            path: masked_text(request.head.path()),
            status: 0,
            bytes: 0,
            took: start.elapsed(),
            revisions: None,
            detail: None,
        };
        let mut response = self.respond(request, &mut access).unwrap_or_else(|refused| {
            access.detail.get_or_insert_with(|| refused.problem.detail.clone());
            access.detail = access.detail.take().map(|detail| masked_text(&detail));
            let is_pending = refused.problem.kind() == Some(ProblemKind::Pending);
            let response = refusal(refused);
            if is_pending { self.with_pending(response) } else { response }
        });
        response.headers.push((API_HEADER, api_value()));
        response.headers.push(("Cache-Control", "no-store".to_owned()));
        self.runtime.count_status(response.status);
        access.status = response.status;
        access.bytes = if request.head.method == "HEAD" { 0 } else { response.body.len() };
        access.took = start.elapsed();
        (self.log)(&access);
        response
    }

    fn refused(&self, peer: Option<PeerAddress>, status: u16, detail: &str) {
        self.runtime.count_status(status);
        (self.log)(&AccessRecord {
            at: SystemTime::now(),
            peer,
            login: None,
            method: String::new(),
            path: String::new(),
            status,
            bytes: 0,
            took: Duration::ZERO,
            revisions: None,
            detail: Some(detail.to_owned()),
        });
    }
}

fn refusal(refused: ErrorResponse) -> Response {
    let ErrorResponse { problem, mut headers } = refused;
    headers.push(("Content-Type", problem::MEDIA_TYPE.to_owned()));
    Response { status: problem.status, headers, body: Arc::new(problem.to_json()) }
}
