//! The routes of the API, in one table: the server routes by it, the client sends by it, and the manual
//! page is made from it. A new endpoint is a new row here, a function in `server::endpoints`, and its description in
//! `openapi.json`, which a test compares with this table.

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
    /// The description, as a paragraph of a manual page.
    pub summary: &'static str,
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
    pub doc: &'static str,
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
    summary: "",
    required: &[],
    body: Body::None,
};

/// A row of a change.
const CHANGE: Route = Route { methods: POST, ..ROUTE };

/// A row of a decision on the pending change.
const DECISION: Route = Route { methods: POST, required: &[ID], ..ROUTE };

/// Every route, in the order of documentation.
pub static ROUTES: &[Route] = &[
    Route {
        operation: ApiOperation::Read,
        path: "read_config",
        summary: "Answers with the running configuration. `HEAD` works, too.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Included,
        path: "included",
        summary: "Answers with the files that the configuration includes: an object with a member for each pattern, \
                  which is an array of objects with `name` and `text`. Only files below the folder of the \
                  configuration are followed.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Runtime,
        path: "runtime",
        summary: "Answers with an object that has only the member `runtime`, as `read_config` has it with \
                  `runtime=true`; see RUNTIME.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Status,
        path: "status",
        summary: "Answers with the state of the configuration, in at most 4 KiB: `role` (`edit` or `view`), `login`, the \
                  `revisions` of what runs (`running`) and of the `file`, `state` (a list of `unsaved-update`, \
                  `edited-by-hand` and `broken`), `pending`, `last_change`, `last_reload`, `counts` and `versions`; on a \
                  node `nodes`, with the first 20 that do not run what is wanted. With `wait` and `If-None-Match` it \
                  answers when something changes. At most a quarter of the connections wait; others are answered at \
                  once, with `Retry-After`.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Nodes,
        path: "nodes",
        summary: "Answers with the records of all nodes of the cluster; an empty array without one.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Change,
        path: "change",
        summary: "The body is a JSON object with an `operation` and its `options`. The operation is an object with one \
                  member: `modify` with `edits` and `expectations`, `save` or `update` with a text, `format` with an \
                  empty object, `entries` with the new `texts` of entries, each with its `path`, and then a change of \
                  values, `rollback` with a change of the history, or `take-back` with the id of a change. It is \
                  evaluated on the configuration that it changes. Answers with what it did.",
        body: Body::Change,
        ..CHANGE
    },
    Route {
        operation: ApiOperation::Modify,
        path: "modify_config",
        summary: "Merges the JSON object in the body into the running configuration, and saves the result to \
                  the file. Answers with the new configuration. `media.conf`(5) has the rules.",
        body: Body::Patch,
        ..CHANGE
    },
    Route {
        operation: ApiOperation::Update,
        path: "update_config",
        summary: "The body is the text of a whole configuration. It becomes the running configuration; \
                  the file stays as it is. Answers `true`.",
        body: Body::Text,
        ..CHANGE
    },
    Route {
        operation: ApiOperation::Save,
        path: "save_config",
        summary: "The body is the text of a whole configuration. It becomes the running configuration, and \
                  the file gets exactly these bytes. Answers `true`.",
        body: Body::Text,
        ..CHANGE
    },
    Route {
        operation: ApiOperation::SaveEntry,
        path: "save_entry",
        summary: "The body is the new text of the entry at `path`, from its keyword to its `;` or `}`. All else of the \
                  running configuration stays, byte for byte, and the result is saved. Answers `true`.",
        required: &[PATH],
        body: Body::Text,
        ..CHANGE
    },
    Route {
        operation: ApiOperation::History,
        path: "history",
        summary: "Answers with the changes of the file, the last one first: an array of objects with `number` \
                  (1 is the last change; null if `aside` is true), `serial`, `at`, `operation`, `by`, `message`, \
                  the revisions `before` and `after`, `aside`, which is true for a text that is kept \
                  although it is not one of the numbered texts of the file, and `paths` with the `first` 20 that it \
                  changed and their `count`, as far as the texts are kept.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Kept,
        path: "history",
        argument: Some(Argument {
            name: "change",
            doc: "the change: 1 for the last one, or `serial:` and its serial number",
        }),
        summary: "Answers with the text before a change.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Diff,
        path: "diff",
        summary: "Answers with the lines that differ between two texts, as a unified diff: `from` and `to` are `running`, \
                  `saved`, or the serial number of a change, which stands for the text before it.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Blame,
        path: "blame",
        summary: "Answers with the changes of one value, the last one first: the entries of `history` with the value \
                  before and after, `from` and `to`, which are null for none. Of an object, only the members that \
                  changed are there.",
        required: &["path"],
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Rollback,
        path: "rollback_config",
        summary: "Makes the text before a change the configuration again, as `save_config` would, which is a \
                  new change. Answers `true`.",
        required: &["to"],
        ..CHANGE
    },
    Route {
        operation: ApiOperation::Check,
        methods: POST,
        path: "check_config",
        summary: "The body is the text of a whole configuration, or JSON that `modify_config` would merge; with `path` \
                  it is the text of that entry. Answers with its `faults`, always with 200, also while a change is \
                  pending: no command runs, and nothing is changed. `view_auth` may send the text of a whole \
                  configuration, of which no included files are read.",
        body: Body::Checked,
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Confirm,
        path: "confirm_config",
        summary: "Confirms the pending change: it stays. Answers `true`.",
        ..DECISION
    },
    Route {
        operation: ApiOperation::Cancel,
        path: "cancel_config",
        summary: "Rolls the pending change back. Answers `true`.",
        ..DECISION
    },
    Route {
        operation: ApiOperation::OpenApi,
        path: "openapi.json",
        summary: "Answers with a description of this API for programs: an OpenAPI 3.1 document. It holds nothing \
                  of the configuration.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Metrics,
        path: "metrics",
        base: RouteBase::Root,
        summary: "Answers with metrics of the server in the text format of Prometheus. They hold no secret. The path \
                  has no prefix; `--metrics` offers it without credentials at another address.",
        ..ROUTE
    },
    Route {
        operation: ApiOperation::Health,
        path: "healthz",
        base: RouteBase::Root,
        is_open: true,
        summary: "Answers `ok` while the server answers at all, and says nothing else. Needs no credentials. The path \
                  has no prefix.",
        ..ROUTE
    },
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
        let argument = Some(Argument { name: "number", doc: "which one" });
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
