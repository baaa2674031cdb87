//! What the API has: one table of routes. Requests are routed by it, and the manual page and the
//! OpenAPI document are made from it. A new operation is a new row, and an arm where the handler
//! calls it.

use crate::http::protocol::headers::{
    ACCEPT, ASYNC, CONFIRM, DRY_RUN, FORCE, FORMAT, ID, MESSAGE, RUNTIME, SKIP_STREAMS, SOURCE, TO,
};
use crate::http::protocol::problem::ProblemKind;

/// What a request can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApiOperation {
    /// `GET read_config`
    Read,
    /// `POST modify_config`
    Modify,
    /// `POST update_config`
    Update,
    /// `POST save_config`
    Save,
    /// `GET history`
    History,
    /// `GET history/N`
    Kept,
    /// `POST rollback_config`
    Rollback,
    /// `POST confirm_config`
    Confirm,
    /// `POST cancel_config`
    Cancel,
    /// `GET openapi.json`
    OpenApi,
}

impl ApiOperation {
    /// Its path, relative to the prefix; what figures and messages call it.
    pub fn name(self) -> &'static str {
        self.route().path
    }

    /// Its row.
    pub fn route(self) -> &'static Route {
        ROUTES.iter().find(|route| route.operation == self).expect("every operation has a row")
    }
}

/// One row of the table.
#[derive(Debug, Clone)]
pub struct Route {
    /// What it asks for.
    pub operation: ApiOperation,
    /// The methods it takes; documentation names the first.
    pub methods: &'static [&'static str],
    /// Relative to the prefix.
    pub path: &'static str,
    /// A further segment of the path, with a value of its own.
    pub argument: Option<Argument>,
    /// What it does, in a paragraph of a manual page.
    pub summary: &'static str,
    /// The query parameters that mean something here.
    pub parameters: &'static [&'static str],
    /// Those without which it does not know what to do.
    pub required: &'static [&'static str],
    /// What it is sent.
    pub body: Body,
    /// What it answers when all went well.
    pub answers: &'static [SuccessResponse],
    /// What else it may answer, beside what every route may.
    pub problems: &'static [&'static [ProblemKind]],
}

/// The last segment of a path such as `history/7`.
#[derive(Debug, Clone)]
pub struct Argument {
    /// What it is called in documentation.
    pub name: &'static str,
    /// What it is.
    pub doc: &'static str,
}

/// The body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// It is ignored.
    None,
    /// A JSON merge patch.
    Patch,
    /// The text of a whole configuration.
    Text,
}

/// The answer to a request that did what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuccessResponse {
    /// A configuration as JSON.
    Configuration,
    /// The text of a configuration.
    Text,
    /// `true`
    True,
    /// The changes of the history, as a JSON array.
    Changes,
    /// No body: what the client has is right.
    Unchanged,
    /// Other JSON.
    Document,
}

/// The media type of JSON.
pub const JSON: &str = "application/json";

/// The media type of the text of a configuration.
pub const TEXT: &str = "text/plain; charset=utf-8";

impl SuccessResponse {
    /// The status it is sent with.
    pub fn status(self) -> u16 {
        match self {
            Self::Configuration | Self::Text | Self::True | Self::Changes | Self::Document => 200,
            Self::Unchanged => 304,
        }
    }

    /// The media type of its body; `None` if it has none.
    pub fn media_type(self) -> Option<&'static str> {
        match self {
            Self::Configuration | Self::True | Self::Changes | Self::Document => Some(JSON),
            Self::Text => Some(TEXT),
            Self::Unchanged => None,
        }
    }
}

/// What every route may answer: who asks is not let in, the request is none, the server has no room.
pub const EVERYWHERE: &[ProblemKind] = &[
    ProblemKind::BadRequest,
    ProblemKind::BadParameter,
    ProblemKind::Unauthorized,
    ProblemKind::CrossSite,
    ProblemKind::Method,
    ProblemKind::TooSlow,
    ProblemKind::TooLarge,
    ProblemKind::TooManyFailures,
    ProblemKind::EngineFailed,
    ProblemKind::Full,
];

/// Of a route that reads the file.
const READING: &[ProblemKind] =
    &[ProblemKind::BadConfig, ProblemKind::NotFound, ProblemKind::Conflict, ProblemKind::WriteFailed];

/// Of a route that changes something.
const CHANGING: &[ProblemKind] = &[
    ProblemKind::BadConfig,
    ProblemKind::NotFound,
    ProblemKind::Conflict,
    ProblemKind::Pending,
    ProblemKind::Stale,
    ProblemKind::ContentCoding,
    ProblemKind::MaskedValue,
    ProblemKind::RejectedByCheck,
    ProblemKind::WouldRemoveCredentials,
    ProblemKind::EmptyReplacement,
    ProblemKind::WriteFailed,
    ProblemKind::ReloadFailed,
    ProblemKind::Busy,
];

/// Of a route that decides on a change that waits.
const DECIDING: &[ProblemKind] =
    &[ProblemKind::NotFound, ProblemKind::Pending, ProblemKind::WriteFailed, ProblemKind::Busy];

/// Of a route that merges a patch.
const MERGING: &[ProblemKind] = &[
    ProblemKind::NotJson,
    ProblemKind::WrongType,
    ProblemKind::ReadOnly,
    ProblemKind::NearMiss,
    ProblemKind::FormChange,
];

const GET: &[&str] = &["GET", "HEAD"];
const POST: &[&str] = &["POST"];

/// Every route, in the order of documentation.
pub static ROUTES: &[Route] = &[
    Route {
        operation: ApiOperation::Read,
        methods: GET,
        path: "read_config",
        argument: None,
        summary: "Answers with the running configuration. `HEAD` is taken, too.",
        parameters: &[SKIP_STREAMS, RUNTIME, SOURCE, FORMAT],
        required: &[],
        body: Body::None,
        answers: &[SuccessResponse::Configuration, SuccessResponse::Text, SuccessResponse::Unchanged],
        problems: &[READING],
    },
    Route {
        operation: ApiOperation::Modify,
        methods: POST,
        path: "modify_config",
        argument: None,
        summary: "Merges the JSON object in the body into the running configuration, and saves the result to \
                  the file. Answers with the new configuration. `media.conf`(5) has the rules.",
        parameters: &[FORMAT, DRY_RUN, FORCE, ASYNC, ACCEPT, MESSAGE, CONFIRM],
        required: &[],
        body: Body::Patch,
        answers: &[SuccessResponse::Configuration, SuccessResponse::Text],
        problems: &[CHANGING, MERGING],
    },
    Route {
        operation: ApiOperation::Update,
        methods: POST,
        path: "update_config",
        argument: None,
        summary: "The body is the text of a whole configuration. It becomes the running configuration; \
                  the file stays as it is. Answers `true`.",
        parameters: &[DRY_RUN, FORCE, ASYNC, ACCEPT, MESSAGE, CONFIRM],
        required: &[],
        body: Body::Text,
        answers: &[SuccessResponse::True],
        problems: &[CHANGING],
    },
    Route {
        operation: ApiOperation::Save,
        methods: POST,
        path: "save_config",
        argument: None,
        summary: "The body is the text of a whole configuration. It becomes the running configuration, and \
                  the file gets exactly these bytes. Answers `true`.",
        parameters: &[DRY_RUN, FORCE, ASYNC, ACCEPT, MESSAGE, CONFIRM],
        required: &[],
        body: Body::Text,
        answers: &[SuccessResponse::True],
        problems: &[CHANGING],
    },
    Route {
        operation: ApiOperation::History,
        methods: GET,
        path: "history",
        argument: None,
        summary: "Answers with the changes of the file, the last one first: an array of objects with `number` \
                  (1 is the last one, null for what stands aside), `serial`, `at`, `operation`, `by`, `message`, the revisions `before` and \
                  `after`, and `aside`, which is true of a text that was not in the sequence of texts of the file.",
        parameters: &[],
        required: &[],
        body: Body::None,
        answers: &[SuccessResponse::Changes],
        problems: &[&[ProblemKind::Conflict, ProblemKind::WriteFailed]],
    },
    Route {
        operation: ApiOperation::Kept,
        methods: GET,
        path: "history",
        argument: Some(Argument {
            name: "change",
            doc: "which one: 1 for the last one, or `serial:` and its serial number",
        }),
        summary: "Answers with the text before a change.",
        parameters: &[],
        required: &[],
        body: Body::None,
        answers: &[SuccessResponse::Text],
        problems: &[&[ProblemKind::NotFound, ProblemKind::Conflict, ProblemKind::WriteFailed]],
    },
    Route {
        operation: ApiOperation::Rollback,
        methods: POST,
        path: "rollback_config",
        argument: None,
        summary: "Makes the text before a change the configuration again, as `save_config` would, which is a \
                  new change. Answers `true`.",
        parameters: &[TO, DRY_RUN, FORCE, ASYNC, ACCEPT, MESSAGE, CONFIRM],
        required: &[TO],
        body: Body::None,
        answers: &[SuccessResponse::True],
        problems: &[CHANGING],
    },
    Route {
        operation: ApiOperation::Confirm,
        methods: POST,
        path: "confirm_config",
        argument: None,
        summary: "Makes the change that waits to be confirmed one that stays. Answers `true`.",
        parameters: &[ID],
        required: &[ID],
        body: Body::None,
        answers: &[SuccessResponse::True],
        problems: &[DECIDING],
    },
    Route {
        operation: ApiOperation::Cancel,
        methods: POST,
        path: "cancel_config",
        argument: None,
        summary: "Takes the change back that waits to be confirmed. Answers `true`.",
        parameters: &[ID],
        required: &[ID],
        body: Body::None,
        answers: &[SuccessResponse::True],
        problems: &[DECIDING],
    },
    Route {
        operation: ApiOperation::OpenApi,
        methods: GET,
        path: "openapi.json",
        argument: None,
        summary: "Answers with a description of all this for programs: an OpenAPI 3.1 document. It holds nothing \
                  of the configuration.",
        parameters: &[],
        required: &[],
        body: Body::None,
        answers: &[SuccessResponse::Document],
        problems: &[],
    },
];

/// A route, and what stands in its path.
#[derive(Debug)]
pub struct RouteMatch<'p> {
    /// The row.
    pub route: &'static Route,
    /// The value of its [`Argument`], as it was sent; empty if it has none.
    pub argument: &'p str,
}

/// The routes at a path, which is relative to the prefix. Where there are several, they differ in
/// their methods.
pub fn at(path: &str) -> Vec<RouteMatch<'_>> {
    let found =
        ROUTES.iter().filter_map(|route| Some(RouteMatch { route, argument: route.argument_in(path)? }));
    found.collect()
}

impl Route {
    /// Whether the route is for requests with this method.
    pub fn takes(&self, method: &str) -> bool {
        self.methods.contains(&method)
    }

    /// Whether it may change something.
    pub fn is_change(&self) -> bool {
        self.methods == POST
    }

    /// Its path, with the name of its argument in braces.
    pub fn template(&self) -> String {
        match &self.argument {
            None => self.path.to_owned(),
            Some(argument) => format!("{}/{{{}}}", self.path, argument.name),
        }
    }

    /// Everything that can be refused or fail, in the order of the manual page.
    pub fn problems(&self) -> impl Iterator<Item = ProblemKind> {
        let own = |kind: &ProblemKind| self.problems.iter().any(|kinds| kinds.contains(kind));
        crate::http::protocol::problem::KINDS
            .iter()
            .copied()
            .filter(move |kind| EVERYWHERE.contains(kind) || own(kind))
    }

    /// The argument in `path`, empty without one; `None` if the path is another one.
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
    use crate::http::protocol::parameters::PARAMETERS;

    fn with_argument() -> Route {
        let argument = Some(Argument { name: "number", doc: "which one" });
        Route { path: "history", argument, operation: ApiOperation::Read, ..row() }
    }

    fn row() -> Route {
        Route {
            operation: ApiOperation::Read,
            methods: GET,
            path: "",
            argument: None,
            summary: "",
            parameters: &[],
            required: &[],
            body: Body::None,
            answers: &[],
            problems: &[],
        }
    }

    #[test]
    fn a_path_leads_to_its_route_and_to_no_other() {
        for route in ROUTES.iter().filter(|route| route.argument.is_none()) {
            let found = at(route.path);
            assert!(found.iter().any(|found| found.route.operation == route.operation), "{}", route.path);
            for wrong in [format!("{}/", route.path), format!("{}x", route.path), format!("/{}", route.path)]
            {
                assert!(at(&wrong).is_empty(), "{wrong}");
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
    fn rows_name_parameters_that_are_there_and_every_parameter_is_named() {
        let named: Vec<&str> = ROUTES.iter().flat_map(|route| route.parameters).copied().collect();
        for name in &named {
            assert!(PARAMETERS.iter().any(|parameter| parameter.name == *name), "{name}");
        }
        for parameter in PARAMETERS {
            assert!(named.contains(&parameter.name), "{}", parameter.name);
        }
        for route in ROUTES {
            assert!(route.required.iter().all(|name| route.parameters.contains(name)), "{}", route.path);
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
