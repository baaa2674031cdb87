//! The query parameters of the API, in one table: queries are parsed by it, and the manual page and
//! the OpenAPI document are made from it. A known parameter needs a valid value, and only one unless it is a
//! list; unknown parameters are ignored, unless a change has a misspelled one.

mod unknown;

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::engine::{COMMANDS, Expected, GUARD_NAMES, Guard, REPORT_PARTS, RefusalKind, ReportParts};
use crate::http::protocol::headers::{
    ACCEPT, ANY, ASYNC, CANARY, CANARY_TIMEOUT, COMMAND, CONFIRM, DRY_RUN, FORCE, FORMAT, FORMAT_CONF,
    FORMAT_JSON, ID, MASK_KEY, MAX_DELETE, MESSAGE, OWNER, REVISION, RUNTIME, SKIP_INCLUDED, SKIP_STREAMS,
    SOURCE, SOURCE_RUNNING, SOURCE_SAVED, STRICT, TELL, TO, WITH_INCLUDES,
};
use crate::http::protocol::masked::masked_text;
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::Route;
use crate::store::cluster::is_node_name;
use crate::store::{ChangeRef, NotAChangeRef, NotARevision, NotAnOwnerName, OwnerName};
use mediaconf::edit::Fault;

/// One row of the table.
pub struct QueryParameter {
    /// The name in a query.
    pub name: &'static str,
    /// The values that it takes, and the field for them.
    pub values: Values,
    /// The description: a sentence that follows the names of its routes.
    pub doc: &'static str,
}

/// The values that a parameter takes, and the field for them.
pub enum Values {
    /// `true`, `1`, `false` or `0`, in any case: Python writes `True`.
    Switch(fn(&mut Parameters) -> &mut bool),
    /// One of two words. The first one is the default; the field is true for the second one.
    OneOf([&'static str; 2], fn(&mut Parameters) -> &mut bool),
    /// Names of guards, separated by commas.
    Guards(fn(&mut Parameters) -> &mut Vec<Guard>),
    /// One of [`COMMANDS`].
    Command(fn(&mut Parameters) -> &mut Option<&'static str>),
    /// Revisions, separated by commas, or `*` for any.
    Revisions(fn(&mut Parameters) -> &mut Option<Expected>),
    /// 32 hex digits.
    Key(fn(&mut Parameters) -> &mut Option<u128>),
    /// Parts of the report of a change, separated by commas.
    Told(fn(&mut Parameters) -> &mut ReportParts),
    /// Names of nodes of a cluster, separated by commas, or how many.
    Nodes(fn(&mut Parameters) -> &mut Vec<String>),
    /// The name of an owner.
    Owner(fn(&mut Parameters) -> &mut Option<OwnerName>),
    /// Any text.
    Text(fn(&mut Parameters) -> &mut Option<String>),
    /// A change of the history.
    Change(fn(&mut Parameters) -> &mut Option<ChangeRef>),
    /// A whole number within bounds.
    Number(RangeInclusive<u64>, fn(&mut Parameters) -> &mut Option<u64>),
}

/// Every parameter, in the order of documentation.
pub static PARAMETERS: &[QueryParameter] = &[
    QueryParameter {
        name: SKIP_STREAMS,
        values: Values::Switch(|parameters| &mut parameters.skip_streams),
        doc: "leaves out streams that are static.",
    },
    QueryParameter {
        name: RUNTIME,
        values: Values::Switch(|parameters| &mut parameters.runtime),
        doc: "adds `runtime`, the figures of the server; see RUNTIME.",
    },
    QueryParameter {
        name: WITH_INCLUDES,
        values: Values::Switch(|parameters| &mut parameters.with_includes),
        doc: "shows what the included files add, too, and their names in `with_includes`; what has that can't be \
              written back. Only files below the folder of the configuration are followed.",
    },
    QueryParameter {
        name: SOURCE,
        values: Values::OneOf([SOURCE_RUNNING, SOURCE_SAVED], |parameters| &mut parameters.saved),
        doc: "reads the configuration in the file instead of the running one.",
    },
    QueryParameter {
        name: FORMAT,
        values: Values::OneOf([FORMAT_JSON, FORMAT_CONF], |parameters| &mut parameters.text),
        doc: "answers with the text instead of JSON.",
    },
    QueryParameter {
        name: DRY_RUN,
        values: Values::Switch(|parameters| &mut parameters.dry_run),
        doc: "rehearses the change: also runs the check command, but writes nothing, replaces nothing, and \
              does not run the reload command.",
    },
    QueryParameter {
        name: FORCE,
        values: Values::Switch(|parameters| &mut parameters.force),
        doc: "accepts all guards, and overwrites a hand edit of the file.",
    },
    QueryParameter {
        name: STRICT,
        values: Values::Switch(|parameters| &mut parameters.strict),
        doc: "refuses a change that brings warnings of `check`.",
    },
    QueryParameter {
        name: SKIP_INCLUDED,
        values: Values::Switch(|parameters| &mut parameters.skip_included),
        doc: "removes a whole group although included files have entries of it, too, which stay.",
    },
    QueryParameter {
        name: ASYNC,
        values: Values::Switch(|parameters| &mut parameters.reload_later),
        doc: "answers without waiting for the reload command. If that fails later, file and running \
              configuration are still rolled back; the failure is logged, and shown in \
              `runtime.config.last_error`.",
    },
    QueryParameter {
        name: ACCEPT,
        values: Values::Guards(|parameters| &mut parameters.accepted),
        doc: "accepts single guards: `would-remove-credentials`, `empty-replacement`, \
              `form-change` and `near-miss` are named like their problem types; `one-line` \
              accepts a text that has lost its line ends.",
    },
    QueryParameter {
        name: MESSAGE,
        values: Values::Text(|parameters| &mut parameters.message),
        doc: "the reason for the change, for the history.",
    },
    QueryParameter {
        name: COMMAND,
        values: Values::Command(|parameters| &mut parameters.command),
        doc: "the command that makes the change, for the history; without it the operation is named.",
    },
    QueryParameter {
        name: OWNER,
        values: Values::Owner(|parameters| &mut parameters.owner),
        doc: "the body is the desired state of this owner: what the owner sent before and the body lacks is \
              removed, too, and the body is kept for the next time. What the owner never sent stays.",
    },
    QueryParameter {
        name: CONFIRM,
        values: Values::Number(1..=MAX_CONFIRM, |parameters| &mut parameters.confirm),
        doc: "rolls the change back after this number of seconds, unless `confirm_config` comes first; see \
              CONFIRMATION.",
    },
    QueryParameter {
        name: CANARY,
        values: Values::Nodes(|parameters| &mut parameters.canary),
        doc: "on a node of a cluster: only these nodes take the change at first, or so many that run what they \
              should. The others follow when all of them run it; otherwise it goes back by itself. Until then \
              it is pending.",
    },
    QueryParameter {
        name: CANARY_TIMEOUT,
        values: Values::Number(1..=MAX_CONFIRM, |parameters| &mut parameters.canary_timeout),
        doc: "after this number of seconds it goes back, unless all these nodes run it; 60 without it.",
    },
    QueryParameter {
        name: TELL,
        values: Values::Told(|parameters| &mut parameters.told),
        doc: "what the answer has of the change, separated by commas: `diff`, its lines; `values`, the values that \
              differ; `configuration`, all that is there afterwards; `secrets` shows the secrets in lines.",
    },
    QueryParameter {
        name: MASK_KEY,
        values: Values::Key(|parameters| &mut parameters.told.mask_key),
        doc: "32 hex digits: the same secret has the same mask in all reports with this key.",
    },
    QueryParameter {
        name: REVISION,
        values: Values::Revisions(|parameters| &mut parameters.expected),
        doc: "makes the change only of a configuration with this revision, or with one of several, separated by \
              commas; `*` is any, unless the file was edited by hand.",
    },
    QueryParameter {
        name: MAX_DELETE,
        values: Values::Number(0..=MAX_STREAMS, |parameters| &mut parameters.max_delete),
        doc: "how many streams may be deleted; without it, more than a few are refused.",
    },
    QueryParameter {
        name: TO,
        values: Values::Change(|parameters| &mut parameters.to),
        doc: "which text: 1 is the one before the last change, `serial:`*SERIAL* the one before the change with \
              this serial number.",
    },
    QueryParameter {
        name: ID,
        values: Values::Text(|parameters| &mut parameters.id),
        doc: "which change: what the header `Mediactl-Pending` says.",
    },
];

/// More streams than any configuration has.
pub const MAX_STREAMS: u64 = u32::MAX as u64;

/// The longest time to confirm a change in, in seconds: a day.
pub const MAX_CONFIRM: u64 = 24 * 60 * 60;

/// The parsed query of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    /// `skip_streams=true`: leave out static streams.
    pub skip_streams: bool,
    /// `runtime=true`: add figures of the server.
    pub runtime: bool,
    /// `with_includes=true`: show what the included files add.
    pub with_includes: bool,
    /// `dry_run=true`: change nothing.
    pub dry_run: bool,
    /// `force=true`: accept all guards and conflicts.
    pub force: bool,
    /// `strict=true`: refuse a change that brings warnings.
    pub strict: bool,
    /// `skip_included=true`: leave entries of included files alone.
    pub skip_included: bool,
    /// `async=true`: do not wait for the reload command.
    pub reload_later: bool,
    /// `format=conf`: text instead of JSON.
    pub text: bool,
    /// `source=saved`: the file instead of the running configuration.
    pub saved: bool,
    /// `accept=NAME,…`: the accepted guards.
    pub accepted: Vec<Guard>,
    /// `message=TEXT`: why the change is made.
    pub message: Option<String>,
    /// `command=NAME`: which command makes the change.
    pub command: Option<&'static str>,
    /// `owner=NAME`: whose desired state the body is.
    pub owner: Option<OwnerName>,
    /// `confirm=SECONDS`: roll the change back unless it is confirmed by then.
    pub confirm: Option<u64>,
    /// `canary=N|NAME,…`: the nodes that take the change first.
    pub canary: Vec<String>,
    /// `canary_timeout=SECONDS`: go back unless these nodes run it by then.
    pub canary_timeout: Option<u64>,
    /// `tell=PART,…`: what the answer has of the change.
    pub told: ReportParts,
    /// `revision=REVISION,…`: the configurations that the change is made for.
    pub expected: Option<Expected>,
    /// `max_delete=N`: how many streams may be deleted.
    pub max_delete: Option<u64>,
    /// `to=N`: the change of the history to go back to.
    pub to: Option<ChangeRef>,
    /// `id=ID`: the change to confirm or to roll back.
    pub id: Option<String>,
    /// Notes about ignored names.
    pub notes: Vec<String>,
}

impl Parameters {
    /// Parses the query of a request for `route`; reports all faults.
    pub fn parse(route: &Route, query: &str) -> Result<Self, Problem> {
        let mut parameters = Self::default();
        let mut missing = route.required.to_vec();
        let mut given = HashMap::new();
        let mut faults = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            missing.retain(|required| *required != name);
            faults.extend(parameters.take(route, &name, &value));
            *given.entry(name).or_insert(0) += 1;
        }
        let repeated = PARAMETERS
            .iter()
            .filter(|known| !known.values.is_list() && given.get(known.name).is_some_and(|count| *count > 1));
        faults.extend(repeated.map(|known| fault(known.name, "it is given more than once")));
        faults.extend(missing.iter().map(|name| fault(name, "it is required")));
        let Some(first) = faults.first() else { return Ok(parameters) };
        let detail = first.message.clone();
        Err(Problem::new(RefusalKind::BadParameter, detail).with_errors(faults))
    }

    /// Takes one name with its value; returns the fault of it.
    fn take(&mut self, route: &Route, name: &str, value: &str) -> Option<Fault> {
        if let Some(known) = PARAMETERS.iter().find(|known| known.name == name) {
            if let Err(message) = known.values.put(value, self) {
                return Some(fault(name, &message));
            }
        } else if let Some(meant) = unknown::misspelled(route, name) {
            let hint = Some(format!("did you mean `{meant}`? nothing was done"));
            return Some(Fault { hint, ..fault(name, "there is no such parameter") });
        }
        if !route.parameters().any(|taken| taken == name) {
            unknown::note(&mut self.notes, name);
        }
        None
    }
}

impl Values {
    /// True if a parameter that is given again adds to what it had.
    fn is_list(&self) -> bool {
        matches!(self, Self::Guards(_) | Self::Nodes(_) | Self::Told(_))
    }

    /// Parses `value` into the field.
    fn put(&self, value: &str, parameters: &mut Parameters) -> Result<(), String> {
        match self {
            Self::Switch(field) => *field(parameters) = switch(value)?,
            Self::OneOf(words, field) => *field(parameters) = is_second(words, value)?,
            Self::Guards(field) => field(parameters).extend(guards(value)?),
            Self::Command(field) => *field(parameters) = Some(command(value)?),
            Self::Revisions(field) => *field(parameters) = Some(expected(value)?),
            Self::Key(field) => *field(parameters) = Some(key(value)?),
            Self::Told(field) => tell(value, field(parameters))?,
            Self::Nodes(field) => field(parameters).extend(nodes(value)?),
            Self::Owner(field) => {
                *field(parameters) = Some(value.parse().map_err(|error: NotAnOwnerName| error.to_string())?);
            }
            Self::Text(field) => *field(parameters) = Some(value.to_owned()),
            Self::Change(field) => {
                *field(parameters) = Some(value.parse().map_err(|error: NotAChangeRef| error.to_string())?);
            }
            Self::Number(bounds, field) => *field(parameters) = Some(number(bounds, value)?),
        }
        Ok(())
    }
}

/// The words for a switch: first those for true, then those for false.
pub const SWITCH_WORDS: [&str; 4] = ["true", "1", "false", "0"];

fn switch(value: &str) -> Result<bool, String> {
    let place = SWITCH_WORDS.iter().position(|word| word.eq_ignore_ascii_case(value));
    place.map(|place| place < 2).ok_or_else(|| "it takes `true` or `false`".to_owned())
}

fn is_second([first, second]: &[&str; 2], value: &str) -> Result<bool, String> {
    match value {
        value if value == *first => Ok(false),
        value if value == *second => Ok(true),
        _ => Err(format!("it takes `{first}` or `{second}`")),
    }
}

fn guards(value: &str) -> Result<Vec<Guard>, String> {
    let names = value.split(',').map(str::trim).filter(|guard| !guard.is_empty());
    names
        .map(|wanted| {
            let unknown = || {
                let known: Vec<&str> = GUARD_NAMES.iter().map(|(name, _)| *name).collect();
                format!("there is no guard `{}`, only {}", masked_text(wanted), known.join(", "))
            };
            Guard::named(wanted).ok_or_else(unknown)
        })
        .collect()
}

fn nodes(value: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = value.split(',').map(|name| name.trim().to_owned()).collect();
    let is_number = value.parse::<usize>().is_ok_and(|number| number > 0);
    match is_number || names.iter().all(|name| is_node_name(name) && !name.starts_with('@')) {
        true => Ok(names),
        false => Err("it takes names of nodes, separated by commas, or how many".to_owned()),
    }
}

fn expected(value: &str) -> Result<Expected, String> {
    if value == ANY {
        return Ok(Expected::Any);
    }
    let revisions = value.split(',').map(|revision| revision.trim().parse());
    let revisions = revisions.collect::<Result<_, NotARevision>>();
    revisions.map(Expected::OneOf).map_err(|error| error.to_string())
}

fn key(value: &str) -> Result<u128, String> {
    let is_key = value.len() == 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let key = u128::from_str_radix(value, 16).ok().filter(|_| is_key);
    key.ok_or_else(|| "it takes 32 hex digits".to_owned())
}

/// Adds the named parts to those of the answer.
fn tell(value: &str, told: &mut ReportParts) -> Result<(), String> {
    for name in value.split(',').map(str::trim) {
        let Some((_, part)) = REPORT_PARTS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = REPORT_PARTS.iter().map(|(known, _)| *known).collect();
            return Err(format!("it takes {}, separated by commas", known.join(", ")));
        };
        *part(told) = true;
    }
    Ok(())
}

fn command(value: &str) -> Result<&'static str, String> {
    let known = COMMANDS.iter().find(|name| **name == value);
    known.copied().ok_or_else(|| format!("it takes one of {}", COMMANDS.join(", ")))
}

fn number(bounds: &RangeInclusive<u64>, value: &str) -> Result<u64, String> {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value.parse().ok().filter(|number| is_plain && bounds.contains(number));
    number.ok_or_else(|| format!("it takes a number from {} to {}", bounds.start(), bounds.end()))
}

fn fault(name: &str, message: &str) -> Fault {
    Fault::plain(format!("`{name}`: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::protocol::routes::ApiOperation;

    fn read(query: &str) -> Result<Parameters, Problem> {
        Parameters::parse(ApiOperation::Read.route(), query)
    }

    #[test]
    fn known_values_are_read_and_others_refused() {
        let read = read("skip_streams=True&runtime=0&x=y&async=1&format=conf&message=a+b%21");
        let expected = Parameters {
            skip_streams: true,
            reload_later: true,
            text: true,
            message: Some("a b!".to_owned()),
            notes: ["x", "async", "message"].map(|name| format!("ignored-parameter {name}")).into(),
            ..Parameters::default()
        };
        assert_eq!(read.expect("the query is right"), expected);
        for (query, faults) in [
            ("dry_run=yes", 1),
            ("dry_run", 1),
            ("dry_run=&force=10&async=truE&runtime=FALSE", 2),
            ("format=xml&source=disk", 2),
            ("confirm=0&to=x", 2),
            ("dry_run=true&dry_run=false", 1),
            ("dry_run=1&dry%5Frun=1", 1),
            ("message=a&message=a&message=b&source=saved&source=running", 2),
            ("accept=near-miss&accept=form-change&canary=a&canary=b&x=1&x=2", 0),
            ("", 0),
        ] {
            let found = super::tests::read(query).map_or_else(|problem| problem.errors.len(), |_| 0);
            assert_eq!(found, faults, "{query}");
        }
        let problem = super::tests::read("force=1&force=0").expect_err("it is ambiguous");
        assert_eq!(problem.detail, "`force`: it is given more than once");
        let lists = super::tests::read("accept=near-miss&accept=form-change").expect("it is a list");
        assert_eq!(lists.accepted, [Guard::NearMiss, Guard::FormChange]);
    }

    #[test]
    fn numbers_have_bounds_and_are_plain() {
        for (value, expected) in
            [("1", Some(1)), ("86400", Some(86400)), ("007", Some(7)), ("0", None), ("86401", None)]
        {
            assert_eq!(number(&(1..=86400), value).ok(), expected, "{value}");
        }
        for value in ["", "+1", "-1", "1.0", "x", "99999999999999999999999"] {
            assert!(number(&(1..=86400), value).is_err(), "{value}");
        }
    }

    #[test]
    fn what_a_route_can_not_do_without_has_to_be_given() {
        let route = Route { required: &[MESSAGE], ..ApiOperation::Modify.route().clone() };
        assert!(Parameters::parse(&route, "message=x").is_ok());
        let problem = Parameters::parse(&route, "force=1").expect_err("it is missing");
        assert_eq!(problem.detail, "`message`: it is required");
    }
}
