//! From a request to its response: authenticates, finds the route, and calls the endpoint. An endpoint is a function that
//! answers a [`Call`] or returns an [`Error`], which becomes a problem document here.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};

use super::auth::{Authenticator, LOOK_INTERVAL, Role, Verdict};
use super::front::limits::{CHANGE_TIME, CONNECTIONS};
use super::message::{
    AccessRecord, Head, HttpRequest, Log, MAX_DETAIL, MAX_PATH, PeerAddress, Response, Service,
    client_address,
};
use super::query::{Query, refuse_body, refuse_cross_site, refuse_foreign_use, to_canonical};
use super::runtime::Runtime;
use super::{change, metrics, read, status};
use crate::engine::{ConfigService, Engine, Snapshot, without_secrets};
use crate::error::{Error, ErrorKind};
use crate::http::api::{
    ApiOperation, Body, DEFAULT_PREFIX, PENDING_HEADER, ROUTES, Route, SUDO_HEADER, by_sudo, masked_text,
    on_every_response, shortened,
};
use crate::http::console::{Console, HEADERS};
use crate::http::problem::Problem;
use crate::store::{PendingInfo, Revision};
use mediaconf::Masker;

/// The settings of a handler.
pub struct HandlerSettings {
    /// The prefix of all paths.
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

/// Answers the requests for one engine.
pub struct Handler {
    /// The service that reads and changes: the engine, or the node that it is a part of.
    pub service: Arc<dyn ConfigService>,
    /// The running configuration, and the counts of this server, for accounts, figures and metrics.
    pub(super) engine: Engine,
    pub settings: HandlerSettings,
    /// It is locked until a value counts: no two are looked at as the last one that is allowed.
    pub(super) authenticator: Mutex<Authenticator>,
    /// Hides revisions from those who may not see secrets: with the rest of a text known, a hash of it
    /// would let them try passwords.
    pub(super) revision_key: RandomState,
    /// Makes the masks of secrets for those who may see them, and asked for masks.
    pub(super) masker: Masker,
    /// The longest time for a change up to its write.
    pub change_time: Duration,
    /// Held while a patch is checked before its turn, so that only one of the waiting patches is parsed
    /// at a time.
    pub(super) checking_patch: Mutex<()>,
    /// Held while a read that takes long is answered to a viewer.
    costly_read: Mutex<()>,
    /// The permits of viewers that wait for such a read.
    costly: Arc<()>,
    /// The last masked configurations, by revision and by who sees them: each page of the console begins with one.
    masked: Mutex<Vec<(Revision, Role, Arc<Snapshot>)>>,
    /// Shared by the requests that wait for a change.
    pub(super) waiting: Arc<()>,
    /// The most connections over the network; a quarter of them may wait for a change.
    pub max_connections: usize,
    /// True if the server stops.
    pub(super) is_stopping: AtomicBool,
    /// The files for a browser, if the server answers them.
    pub console: Option<Console>,
}

/// One authenticated request for an endpoint.
pub struct Call<'r> {
    pub head: &'r Head,
    /// The body; whoever takes it frees it.
    pub body: Bytes,
    /// The last segment of the path, for routes that have one.
    pub argument: &'r str,
    pub query: Query,
    /// The author of the request, for hooks and the history; empty where no credentials are needed.
    pub by: String,
    pub role: Role,
    /// The log line of the request.
    pub record: &'r mut AccessRecord,
}

/// The number of masked configurations that are kept.
const MOST_MASKED: usize = 8;

/// Takes one of `most` permits, so that slots of the front stay for others; `None` if all are taken. A permit is a share of
/// `all` until it is dropped.
pub fn take_permit(all: &Arc<()>, most: usize) -> Option<Arc<()>> {
    let permit = Arc::clone(all);
    (Arc::strong_count(all) <= most + 1).then_some(permit)
}

/// The number of viewers whose costly reads wait for one another; others are told to come again.
const COSTLY_READS: usize = 8;

/// The permit and the turn of a read that takes long.
type CostlyRead<'h> = (Arc<()>, MutexGuard<'h, ()>);

impl Handler {
    /// A handler over an engine that runs a configuration.
    pub fn new(engine: Engine, settings: HandlerSettings) -> Self {
        let prefix = format!("/{}", settings.prefix.trim_matches('/'));
        Self {
            service: Arc::new(engine.clone()),
            engine,
            settings: HandlerSettings { prefix, ..settings },
            authenticator: Mutex::default(),
            revision_key: RandomState::new(),
            masker: Masker::default(),
            change_time: CHANGE_TIME,
            checking_patch: Mutex::default(),
            costly_read: Mutex::default(),
            costly: Arc::default(),
            masked: Mutex::default(),
            waiting: Arc::default(),
            max_connections: CONNECTIONS,
            is_stopping: AtomicBool::new(false),
            console: None,
        }
    }

    pub(super) fn running(&self) -> Arc<Snapshot> {
        self.engine.running().expect("a handler is made over an engine that runs a configuration")
    }

    /// The change that has to be confirmed, as far as that is known.
    pub(super) fn pending(&self) -> Option<PendingInfo> {
        self.service.pending().ok().flatten()
    }

    /// The time by which a change that begins now has to be written.
    pub(super) fn until(&self) -> Instant {
        Instant::now() + self.change_time
    }

    /// The turn of a read that takes long: viewers have one at a time.
    ///
    /// # Errors
    /// `Full`: too many viewers wait.
    pub(super) fn turn(&self, role: Role) -> Result<Option<CostlyRead<'_>>, Error> {
        if role == Role::Edit {
            return Ok(None);
        }
        let full = "too many slow requests of `view_auth` are waiting; send it again";
        let permit =
            take_permit(&self.costly, COSTLY_READS).ok_or_else(|| Error::new(ErrorKind::Full, full))?;
        Ok(Some((permit, self.costly_read.lock())))
    }

    /// A configuration with masks for this role, made for the first who asks. One is made at a time: that takes many times
    /// the memory of the text.
    pub(super) fn masked(&self, snapshot: &Arc<Snapshot>, role: Role) -> Arc<Snapshot> {
        let mut last = self.masked.lock();
        let revision = snapshot.revision();
        let is_it = |(known, by, _): &&(Revision, Role, _)| (*known, *by) == (revision, role);
        if let Some((.., masked)) = last.iter().find(is_it) {
            return masked.clone();
        }
        let masked = snapshot.masked(self.masker_for(role));
        last.insert(0, (revision, role, masked.clone()));
        last.truncate(MOST_MASKED);
        masked
    }

    /// The maker of masks for this role. Viewers see the same mask for all secrets, so that they do not learn which are equal.
    pub(super) fn masker_for(&self, role: Role) -> Masker {
        if role == Role::View { Masker::Opaque } else { self.masker }
    }

    /// The revision of a text as this role sees it: for viewers that of what they see, so that nothing tells of secrets.
    pub(super) fn shown_revision(&self, snapshot: &Arc<Snapshot>, role: Role) -> Revision {
        match role {
            Role::Edit => snapshot.revision(),
            Role::View => self.hidden_revision(self.masked(snapshot, role).revision()),
        }
    }

    /// What stands for something in the place of a revision, for viewers.
    pub(super) fn hidden_revision(&self, of: impl std::hash::Hash) -> Revision {
        Revision::from_text(&self.revision_key.hash_one(of).to_be_bytes())
    }

    /// Answers a request.
    fn respond(&self, head: &Head, body: Bytes, record: &mut AccessRecord) -> Result<Response, Error> {
        if let Some(file) = self.console_file(head) {
            refuse_foreign_use(head)?;
            return Ok(file);
        }
        let (by, role) =
            if is_open(head) { (String::new(), Role::View) } else { self.authenticate(head, record)? };
        refuse_cross_site(head)?;
        if let Some(redirect) = to_canonical(head, |path| self.route_at(path, head.peer).is_some()) {
            return Ok(redirect);
        }
        let found = self.route_at(head.path(), head.peer);
        let (route, argument) = found.ok_or_else(|| {
            let detail = "unknown path; `openapi.json` behind the prefix of the API describes the operations";
            Error::new(ErrorKind::NotFound, detail)
        })?;
        if !route.methods.contains(&&*head.method) {
            let words = format!("`{}` takes {}", route.path, route.methods.join(", "));
            return Err(Error::new(ErrorKind::Method, words).hint(format!("use {}", route.methods[0])));
        }
        record.operation = Some(route.operation);
        if route.is_change() && role == Role::View {
            let detail = "`view_auth` may only read; changes need `edit_auth`";
            return Err(Error::new(ErrorKind::ViewOnly, detail));
        }
        if route.body != Body::None {
            refuse_body(head, route.body, &body)?;
        }
        let query = Query::new(route, head.query());
        let mut call = Call { head, body, argument, query, by, role, record };
        let response = self.call(route.operation, &mut call)?;
        call.query.finish()?;
        Ok(response)
    }

    /// Calls the endpoint of an operation.
    fn call(&self, operation: ApiOperation, call: &mut Call<'_>) -> Result<Response, Error> {
        match operation {
            ApiOperation::Read => read::read(self, call),
            ApiOperation::Included => read::included(self, call),
            ApiOperation::Runtime => Ok(read::runtime(self, call)),
            ApiOperation::Status => status::status(self, call),
            ApiOperation::Nodes => status::nodes(self),
            ApiOperation::Change
            | ApiOperation::Modify
            | ApiOperation::Update
            | ApiOperation::Save
            | ApiOperation::Rollback => change::change(self, call, operation),
            ApiOperation::History => read::history(self, call),
            ApiOperation::Kept => read::kept(self, call),
            ApiOperation::Blame => read::blame(self, call),
            ApiOperation::Check => read::check(self, call),
            ApiOperation::Diff => read::diff(self, call),
            ApiOperation::Confirm | ApiOperation::Cancel => change::decide(self, call, operation),
            ApiOperation::OpenApi => Ok(metrics::openapi(self)),
            ApiOperation::Metrics => Ok(metrics::metrics(self)),
            ApiOperation::Health => Ok(metrics::health()),
        }
    }

    /// Returns the author of the request, for hooks and the history, and its role.
    fn authenticate(&self, head: &Head, record: &mut AccessRecord) -> Result<(String, Role), Error> {
        if let (PeerAddress::Uid(uid), false) = (head.peer, head.unread) {
            let by = head.header(&SUDO_HEADER.to_ascii_lowercase()).filter(|_| uid == 0).and_then(by_sudo);
            return Ok((by.unwrap_or_else(|| format!("uid {uid}")), Role::Edit));
        }
        let (kind, detail) = match self.check_password(head) {
            // The body was dropped because the password was wrong, or not looked at, when the head came.
            Verdict::Admitted { role, login } if role == Role::View || !head.unread => {
                record.login = Some(login.clone());
                let address = client_address(head, &self.settings.trusted_proxies);
                return Ok((
                    address.map_or(login.clone(), |address| format!("{login} from {address}")),
                    role,
                ));
            }
            Verdict::Admitted { .. } | Verdict::LockedOut => (
                ErrorKind::TooManyFailures,
                "too many wrong passwords; this one was not looked at, send it again",
            ),
            Verdict::Missing => {
                (ErrorKind::Unauthorized, "the login and the password of `edit_auth` are required")
            }
            // It does not say which of the two is wrong.
            Verdict::Wrong => (ErrorKind::Unauthorized, "the login or the password is wrong"),
        };
        Err(Error::new(kind, detail))
    }

    /// Checks the password of a request against the accounts that may use the API.
    fn check_password(&self, head: &Head) -> Verdict {
        let running = self.running();
        let view = if self.settings.view_auth { running.view_account() } else { None };
        let named = [(running.account(), Role::Edit), (view, Role::View)];
        let accounts = named.into_iter().filter_map(|(account, role)| Some((account?.clone(), role)));
        let address = client_address(head, &self.settings.trusted_proxies);
        let header = head.header("authorization");
        self.authenticator.lock().check_and_count(address, header, &accounts.collect::<Vec<_>>())
    }

    /// The file of the console, which needs no credentials, if the request is for one.
    fn console_file(&self, head: &Head) -> Option<Response> {
        let (media_type, file) = self.console.as_ref().filter(|_| is_read(head))?.file(head.path())?;
        let mut response = Response::ok(media_type, file);
        response.headers.extend(HEADERS.map(|(name, value)| (name, value.to_owned())));
        Some(response)
    }

    /// The route at the path behind the prefix that this peer uses, or at the root, with the value of the last segment.
    fn route_at<'p>(&self, path: &'p str, peer: PeerAddress) -> Option<(&'static Route, &'p str)> {
        // Local commands do not know the prefix of the server, and use the default.
        let local = matches!(peer, PeerAddress::Uid(_)).then_some(DEFAULT_PREFIX);
        let own = Some(self.settings.prefix.trim_end_matches('/'));
        [(own, false), (local, false), (Some(""), true)].into_iter().find_map(|(prefix, is_at_root)| {
            let path = path.strip_prefix(prefix?)?.strip_prefix('/')?;
            let mut routes = ROUTES.iter().filter(|route| route.is_at_root == is_at_root);
            routes.find_map(|route| Some((route, route.argument_in(path)?)))
        })
    }

    /// Makes the response to a request that was refused.
    fn refusal(&self, error: &Error, head: &Head, record: &mut AccessRecord) -> Response {
        // Anybody may send a long path, and a log line has a part of it.
        record.detail = Some(masked_text(&shortened(error.brief(), 4 * MAX_DETAIL)));
        let is_change = record.operation == Some(ApiOperation::Change);
        let problem = if is_change { Problem::with_refusal(error) } else { Problem::from(error) };
        let header = match (problem.status, error.kind) {
            (401, _) => Some(("WWW-Authenticate", "Basic realm=\"media\", charset=\"UTF-8\"".to_owned())),
            (405, _) => {
                self.route_at(head.path(), head.peer).map(|(route, _)| ("Allow", route.methods.join(", ")))
            }
            (429, _) => Some(("Retry-After", LOOK_INTERVAL.as_secs().to_string())),
            (_, ErrorKind::Full) => Some(("Retry-After", "1".to_owned())),
            (_, ErrorKind::Pending) => self.pending().map(|pending| (PENDING_HEADER, pending.id)),
            _ => None,
        };
        let mut response = Response::error(&problem);
        response.headers.extend(header);
        response
    }
}

/// True if a request needs no credentials. Any that it has are not looked at, so nobody learns here whether they are right.
fn is_open(head: &Head) -> bool {
    head.path() == "/healthz" && is_read(head)
}

fn is_read(head: &Head) -> bool {
    matches!(&*head.method, "GET" | "HEAD")
}

impl Service for Handler {
    fn role_of(&self, head: &Head) -> Option<Role> {
        if matches!(head.peer, PeerAddress::Uid(_)) {
            return Some(Role::Edit);
        }
        if is_open(head) || self.console_file(head).is_some() {
            return None;
        }
        let Verdict::Admitted { role, .. } = self.check_password(head) else { return None };
        // The body of a change that is refused is not kept.
        let takes = |(route, _): (&Route, _)| route.methods.contains(&&*head.method) && !route.is_change();
        let may_send = || is_read(head) || self.route_at(head.path(), head.peer).is_some_and(takes);
        (role == Role::Edit || may_send()).then_some(role)
    }

    fn answer(&self, HttpRequest { head, body }: HttpRequest) -> Response {
        let start = Instant::now();
        let client = client_address(&head, &self.settings.trusted_proxies);
        let mut record = AccessRecord {
            method: head.method.clone(),
            path: masked_text(&shortened(head.path(), 4 * MAX_PATH)),
            peer: Some(client.map_or(head.peer, PeerAddress::Address)),
            ..AccessRecord::default()
        };
        let answered = self.respond(&head, body, &mut record);
        let mut response = answered.unwrap_or_else(|error| self.refusal(&error, &head, &mut record));
        response.headers.extend(on_every_response());
        // A stranger is not worth the look at the whole text, and has come to no operation.
        if let Some(detail) = record.detail.take_if(|_| record.operation.is_some()) {
            record.detail = Some(without_secrets(&detail, [&self.running()]));
        }
        record.status = response.status;
        record.bytes = if head.method == "HEAD" { 0 } else { response.body.len() };
        record.took = start.elapsed();
        (self.settings.log)(&record);
        response
    }

    fn stop_waiting(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
    }

    fn refused(&self, peer: Option<PeerAddress>, status: u16, detail: &str) {
        let detail = Some(detail.to_owned());
        (self.settings.log)(&AccessRecord { peer, status, detail, ..AccessRecord::default() });
    }
}
