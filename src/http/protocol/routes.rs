//! The routes of the API, in one table: the server routes by it, and the client sends by it. A new endpoint is a new row here, a
//! function in `server::endpoints`, and its description in `openapi.json`, which a test compares with this table.

use crate::http::protocol::headers::{ID, PATH};

/// The operation of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ApiOperation {
    #[default]
    Read,
    Included,
    /// The figures of the server.
    Runtime,
    /// The state of the configuration.
    Status,
    /// The records of the nodes of a cluster.
    Nodes,
    /// Any change, as data.
    Change,
    Modify,
    Update,
    Save,
    /// The text of one entry.
    SaveEntry,
    History,
    /// The text before one change of the history.
    Kept,
    /// The difference of two texts.
    Diff,
    /// The changes of one value.
    Blame,
    Rollback,
    /// The faults of a text or a patch.
    Check,
    Confirm,
    Cancel,
    OpenApi,
    Metrics,
    Health,
}

impl ApiOperation {
    /// The path relative to the prefix, which is also the name in figures and messages.
    pub fn name(self) -> &'static str {
        self.route().path
    }

    pub fn route(self) -> &'static Route {
        ROUTES.iter().find(|route| route.operation == self).expect("every operation has a row")
    }
}

/// One row of the table.
#[derive(Debug, Clone)]
pub struct Route {
    pub operation: ApiOperation,
    /// The methods; documentation names the first one.
    pub methods: &'static [&'static str],
    /// The path relative to the base.
    pub path: &'static str,
    pub base: RouteBase,
    /// True if it is for everyone who can reach the server, without credentials.
    pub is_open: bool,
    /// A further segment of the path, which is a value.
    pub argument: Option<Argument>,
    /// The query parameters that have to be given.
    pub required: &'static [&'static str],
    /// The body of the request.
    pub body: Body,
}

/// The base of the path of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteBase {
    /// The prefix of the API.
    Prefix,
    /// The root of the server, where monitoring looks.
    Root,
}

/// The last segment of a path such as `history/7`.
#[derive(Debug, Clone)]
pub struct Argument {
    /// The name in documentation.
    pub name: &'static str,
}

/// The body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// No body; any is ignored.
    None,
    /// A request for a change, as JSON.
    Change,
    /// A JSON merge patch.
    Patch,
    /// The text of a whole configuration.
    Text,
    /// The text of a configuration or of an entry, or a JSON merge patch.
    Checked,
}

/// The media type of JSON.
pub const JSON: &str = "application/json";

/// The media type of the text of a configuration.
pub const TEXT: &str = "text/plain; charset=utf-8";

/// The media type of a unified diff.
pub const DIFF: &str = "text/x-diff; charset=utf-8";

/// The media type of metrics.
pub const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

const GET: &[&str] = &["GET", "HEAD"];
const POST: &[&str] = &["POST"];

/// A row of defaults: an operation and a path, and whatever differs, have to be given.
const ROUTE: Route = Route {
    operation: ApiOperation::Read,
    methods: GET,
    path: "",
    base: RouteBase::Prefix,
    is_open: false,
    argument: None,
    required: &[],
    body: Body::None,
};

/// A row of a change.
const CHANGE: Route = Route { methods: POST, ..ROUTE };

/// A row of a decision on the pending change.
const DECISION: Route = Route { methods: POST, required: &[ID], ..ROUTE };

/// Every route, in the order of documentation.
pub static ROUTES: &[Route] = &[
    Route { operation: ApiOperation::Read, path: "read_config", ..ROUTE },
    Route { operation: ApiOperation::Included, path: "included", ..ROUTE },
    Route { operation: ApiOperation::Runtime, path: "runtime", ..ROUTE },
    Route { operation: ApiOperation::Status, path: "status", ..ROUTE },
    Route { operation: ApiOperation::Nodes, path: "nodes", ..ROUTE },
    Route { operation: ApiOperation::Change, path: "change", body: Body::Change, ..CHANGE },
    Route { operation: ApiOperation::Modify, path: "modify_config", body: Body::Patch, ..CHANGE },
    Route { operation: ApiOperation::Update, path: "update_config", body: Body::Text, ..CHANGE },
    Route { operation: ApiOperation::Save, path: "save_config", body: Body::Text, ..CHANGE },
    Route {
        operation: ApiOperation::SaveEntry,
        path: "save_entry",
        required: &[PATH],
        body: Body::Text,
        ..CHANGE
    },
    Route { operation: ApiOperation::History, path: "history", ..ROUTE },
    Route {
        operation: ApiOperation::Kept,
        path: "history",
        argument: Some(Argument { name: "change" }),
        ..ROUTE
    },
    Route { operation: ApiOperation::Diff, path: "diff", ..ROUTE },
    Route { operation: ApiOperation::Blame, path: "blame", required: &["path"], ..ROUTE },
    Route { operation: ApiOperation::Rollback, path: "rollback_config", required: &["to"], ..CHANGE },
    Route {
        operation: ApiOperation::Check,
        methods: POST,
        path: "check_config",
        body: Body::Checked,
        ..ROUTE
    },
    Route { operation: ApiOperation::Confirm, path: "confirm_config", ..DECISION },
    Route { operation: ApiOperation::Cancel, path: "cancel_config", ..DECISION },
    Route { operation: ApiOperation::OpenApi, path: "openapi.json", ..ROUTE },
    Route { operation: ApiOperation::Metrics, path: "metrics", base: RouteBase::Root, ..ROUTE },
    Route { operation: ApiOperation::Health, path: "healthz", base: RouteBase::Root, is_open: true, ..ROUTE },
];

/// A route, and the argument in a path.
#[derive(Debug)]
pub struct RouteMatch<'p> {
    pub route: &'static Route,
    /// The value of the [`Argument`], not decoded; empty without one.
    pub argument: &'p str,
}

/// Returns the routes at a path, which is relative to `base`. They differ in their methods.
pub fn matching(base: RouteBase, path: &str) -> Vec<RouteMatch<'_>> {
    let routes = ROUTES.iter().filter(|route| route.base == base);
    routes.filter_map(|route| Some(RouteMatch { route, argument: route.argument_in(path)? })).collect()
}

impl Route {
    /// True if the route takes requests with this method.
    pub fn takes(&self, method: &str) -> bool {
        self.methods.contains(&method)
    }

    /// True if the route may change something.
    pub fn is_change(&self) -> bool {
        self.methods == POST && self.body != Body::Checked
    }

    /// The path below `prefix`, or below the root, with the name of the argument in braces.
    pub fn shown_below(&self, prefix: &str) -> String {
        match self.base {
            RouteBase::Prefix => format!("{}/{}", prefix.trim_end_matches('/'), self.template()),
            RouteBase::Root => format!("/{}", self.template()),
        }
    }

    /// The path, with the name of the argument in braces.
    pub fn template(&self) -> String {
        match &self.argument {
            None => self.path.to_owned(),
            Some(argument) => format!("{}/{{{}}}", self.path, argument.name),
        }
    }

    /// The argument in `path`, empty without one; `None` if the path belongs to another route.
    fn argument_in<'p>(&self, path: &'p str) -> Option<&'p str> {
        let rest = path.strip_prefix(self.path)?;
        match &self.argument {
            None => rest.is_empty().then_some(rest),
            Some(_) => {
                rest.strip_prefix('/').filter(|argument| !argument.is_empty() && !argument.contains('/'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_argument() -> Route {
        let argument = Some(Argument { name: "number" });
        Route { path: "history", argument, ..ROUTE }
    }

    #[test]
    fn a_path_leads_to_its_route_and_to_no_other() {
        for route in ROUTES.iter().filter(|route| route.argument.is_none()) {
            let found = matching(route.base, route.path);
            assert!(found.iter().any(|found| found.route.operation == route.operation), "{}", route.path);
            for wrong in [format!("{}/", route.path), format!("{}x", route.path), format!("/{}", route.path)]
            {
                assert!(matching(route.base, &wrong).is_empty(), "{wrong}");
            }
        }
    }

    #[test]
    fn an_argument_is_one_segment() {
        let route = with_argument();
        assert_eq!(route.template(), "history/{number}");
        for (path, argument) in [
            ("history/7", Some("7")),
            ("history/a%2Fb", Some("a%2Fb")),
            ("history", None),
            ("history/", None),
            ("history/7/8", None),
            ("historyx/7", None),
        ] {
            assert_eq!(route.argument_in(path), argument, "{path}");
        }
    }

    #[test]
    fn no_two_routes_take_the_same_request() {
        for (place, route) in ROUTES.iter().enumerate() {
            for other in &ROUTES[place + 1..] {
                let is_same_path = route.template() == other.template();
                let shares_a_method = route.methods.iter().any(|method| other.takes(method));
                assert!(!(is_same_path && shares_a_method), "{}", route.path);
                assert_ne!(route.operation, other.operation);
            }
        }
    }
}
