//! The query parameters of the API, in one table: servers parse queries by it, and a test compares `openapi.json` with it. A known parameter needs a valid value, and only one unless it is a
//! list; parameters that a route does not take have no effect, and some are refused, as a misspelled one of a change is.

mod unknown;
mod values;

pub use values::{Parameters, Values};

use std::collections::HashMap;

use crate::engine::MAX_CONFIRM;
use crate::error::ErrorKind;
use crate::http::protocol::headers::{
    FORMAT, FORMAT_CONF, FORMAT_DIFF, FORMAT_JSON, FROM, ID, PATH, RUNTIME, SECRETS, SECRETS_MASKED,
    SECRETS_SHOWN, SKIP_STREAMS, SOURCE, SOURCE_RUNNING, SOURCE_SAVED, TO, WAIT, WITH_INCLUDES,
};
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::{ApiOperation, Route};
use mediaconf::Fault;

/// One row of the table.
pub struct QueryParameter {
    /// The name in a query.
    pub name: &'static str,
    /// The operations that take it; others ignore it.
    pub taken_by: &'static [ApiOperation],
    /// The values that it takes, and the field for them.
    pub values: Values,
}

const BASE: &str = "base";

const CHANGE: &str = "change";

const BLAME: &[ApiOperation] = &[ApiOperation::Blame];

/// The operations whose answers may show values.
const SHOWING: &[ApiOperation] = &[
    ApiOperation::Read,
    ApiOperation::Kept,
    ApiOperation::Diff,
    ApiOperation::Rollback,
    ApiOperation::Blame,
    ApiOperation::Change,
    ApiOperation::Modify,
    ApiOperation::Update,
    ApiOperation::Save,
    ApiOperation::SaveEntry,
];

const READ: &[ApiOperation] = &[ApiOperation::Read];

/// The changes that bring something new, where a rollback brings back what was there.
const NEW: &[ApiOperation] =
    &[ApiOperation::Modify, ApiOperation::Update, ApiOperation::Save, ApiOperation::SaveEntry];

const CHANGES: &[ApiOperation] = &[
    ApiOperation::Modify,
    ApiOperation::Update,
    ApiOperation::Save,
    ApiOperation::SaveEntry,
    ApiOperation::Rollback,
];

/// The changes that the history has.
const RECORDED: &[ApiOperation] =
    &[ApiOperation::Modify, ApiOperation::Save, ApiOperation::SaveEntry, ApiOperation::Rollback];

/// Every parameter, in the order of documentation.
pub static PARAMETERS: &[QueryParameter] = &[
    QueryParameter {
        name: SKIP_STREAMS,
        taken_by: READ,
        values: Values::Switch(|parameters| &mut parameters.skip_streams),
    },
    QueryParameter {
        name: RUNTIME,
        taken_by: READ,
        values: Values::Switch(|parameters| &mut parameters.runtime),
    },
    QueryParameter {
        name: WITH_INCLUDES,
        taken_by: READ,
        values: Values::Switch(|parameters| &mut parameters.with_includes),
    },
    QueryParameter {
        name: SOURCE,
        taken_by: &[ApiOperation::Read, ApiOperation::Included],
        values: Values::OneOf([SOURCE_RUNNING, SOURCE_SAVED], |parameters| &mut parameters.saved),
    },
    QueryParameter {
        name: FORMAT,
        taken_by: READ,
        values: Values::OneOf([FORMAT_JSON, FORMAT_CONF], |parameters| &mut parameters.text),
    },
    QueryParameter {
        name: FORMAT,
        taken_by: &[ApiOperation::Modify],
        values: Values::Words(&[FORMAT_JSON, FORMAT_CONF, FORMAT_DIFF], |parameters| &mut parameters.format),
    },
    QueryParameter {
        name: FORMAT,
        taken_by: &[
            ApiOperation::Change,
            ApiOperation::Update,
            ApiOperation::Save,
            ApiOperation::SaveEntry,
            ApiOperation::Rollback,
            ApiOperation::Kept,
        ],
        values: Values::Words(&[FORMAT_DIFF], |parameters| &mut parameters.format),
    },
    QueryParameter {
        name: FROM,
        taken_by: &[ApiOperation::Diff],
        values: Values::Text(|parameters| &mut parameters.from),
    },
    QueryParameter {
        name: TO,
        taken_by: &[ApiOperation::Diff],
        values: Values::Text(|parameters| &mut parameters.until),
    },
    QueryParameter {
        name: PATH,
        taken_by: &[ApiOperation::Read, ApiOperation::SaveEntry, ApiOperation::Blame, ApiOperation::Check],
        values: Values::Path(|parameters| &mut parameters.path),
    },
    QueryParameter {
        name: SECRETS,
        taken_by: SHOWING,
        values: Values::Words(&[SECRETS_MASKED, SECRETS_SHOWN], |parameters| &mut parameters.secrets),
    },
    QueryParameter {
        name: WAIT,
        taken_by: &[ApiOperation::Status],
        values: Values::Seconds(0..=MAX_WAIT, |parameters| &mut parameters.wait),
    },
    QueryParameter {
        name: "columns",
        taken_by: &[ApiOperation::Check],
        values: Values::OneOf(["characters", "utf16"], |parameters| &mut parameters.utf16),
    },
    QueryParameter {
        name: BASE,
        taken_by: NEW,
        values: Values::Base(|parameters| &mut parameters.change.base),
    },
    QueryParameter {
        name: "dry_run",
        taken_by: CHANGES,
        values: Values::Switch(|parameters| &mut parameters.change.dry_run),
    },
    QueryParameter {
        name: "force",
        taken_by: CHANGES,
        values: Values::Switch(|parameters| &mut parameters.change.force),
    },
    QueryParameter {
        name: "strict",
        taken_by: CHANGES,
        values: Values::Switch(|parameters| &mut parameters.change.strict),
    },
    QueryParameter {
        name: "async",
        taken_by: CHANGES,
        values: Values::Switch(|parameters| &mut parameters.change.reload_later),
    },
    QueryParameter {
        name: "accept",
        taken_by: CHANGES,
        values: Values::Guards(|parameters| &mut parameters.change.accepted),
    },
    QueryParameter {
        name: "message",
        taken_by: CHANGES,
        values: Values::Text(|parameters| &mut parameters.change.message),
    },
    QueryParameter {
        name: "command",
        taken_by: CHANGES,
        values: Values::Command(|parameters| &mut parameters.change.command),
    },
    QueryParameter {
        name: CHANGE,
        taken_by: RECORDED,
        values: Values::Id(|parameters| &mut parameters.change.id),
    },
    QueryParameter {
        name: "confirm",
        taken_by: CHANGES,
        values: Values::Seconds(1..=MAX_CONFIRM, |parameters| &mut parameters.change.confirm),
    },
    QueryParameter {
        name: "canary",
        taken_by: CHANGES,
        values: Values::Nodes(|parameters| &mut parameters.change.canary),
    },
    QueryParameter {
        name: "canary_time",
        taken_by: CHANGES,
        values: Values::Seconds(1..=MAX_CONFIRM, |parameters| &mut parameters.change.soak),
    },
    QueryParameter {
        name: "to",
        taken_by: &[ApiOperation::Rollback],
        values: Values::Change(|parameters| &mut parameters.to),
    },
    QueryParameter {
        name: "limit",
        taken_by: BLAME,
        values: Values::Number(1..=MAX_ENTRIES, |parameters| &mut parameters.limit),
    },
    QueryParameter {
        name: ID,
        taken_by: &[ApiOperation::Confirm, ApiOperation::Cancel],
        values: Values::Text(|parameters| &mut parameters.id),
    },
];

/// The parameters that name the text of a change, or say whether secrets are shown. A request to a route that does not
/// take one of them is refused: ignoring it would do or answer something else than was asked for.
const NEVER_IGNORED: [&str; 4] = [BASE, CHANGE, "revision", SECRETS];

/// The parameters that changes took once, and what to do instead: without them the change would be another one.
const GONE: [(&str, &str); 3] = [
    ("owner", "a patch merges; send `null` for what has to go, such as `{\"streams\": {\"old\": null}}`"),
    ("canary_timeout", "`confirm=SECONDS` is the time in which the change has to be confirmed"),
    ("skip_included", "leave it out: a pattern changes what stands in the file itself"),
];

/// More changes than any history has.
const MAX_ENTRIES: u64 = u32::MAX as u64;

/// The longest time to wait for another status, in seconds.
pub const MAX_WAIT: u64 = 60;

/// The parameters that a route takes.
pub fn taken_by(route: &Route) -> impl Iterator<Item = &'static QueryParameter> {
    PARAMETERS.iter().filter(|parameter| parameter.taken_by.contains(&route.operation))
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
        let is_first = |place: usize, known: &QueryParameter| {
            PARAMETERS[..place].iter().all(|before| before.name != known.name)
        };
        let named = PARAMETERS.iter().enumerate().filter(|(place, known)| is_first(*place, known));
        let repeated = named
            .map(|(_, known)| known)
            .filter(|known| !known.values.is_list() && given.get(known.name).is_some_and(|count| *count > 1));
        faults.extend(repeated.map(|known| fault(known.name, "it is given more than once")));
        faults.extend(missing.iter().map(|name| fault(name, "it is required")));
        let Some(first) = faults.first() else { return Ok(parameters) };
        let detail = first.message.clone();
        Err(Problem::new(ErrorKind::BadParameter, detail).with_errors(faults))
    }

    /// Takes one name with its value; returns the fault of it.
    fn take(&mut self, route: &Route, name: &str, value: &str) -> Option<Fault> {
        let named = |known: &&QueryParameter| known.name == name;
        // One name may stand for two parameters, of different routes.
        if let Some(known) = taken_by(route).find(named) {
            return known.values.put(value, self).err().map(|message| fault(name, &message));
        }
        if route.operation == ApiOperation::Change {
            let hint =
                Some("the options of a change stand in the body, in `options`; nothing was done".to_owned());
            return Some(Fault { hint, ..fault(name, "`change` does not take it") });
        }
        if NEVER_IGNORED.contains(&name) {
            return Some(fault(name, &format!("`{}` does not take it", route.path)));
        }
        if let Some((_, instead)) = GONE.iter().find(|(gone, _)| route.is_change() && *gone == name) {
            let hint = Some(format!("{instead}; nothing was done"));
            return Some(Fault { hint, ..fault(name, "there is no such parameter any more") });
        }
        let values = PARAMETERS.iter().filter(named).map(|known| &known.values);
        let refused = match values.map(|values| values.put(value, &mut Self::default())).reduce(Result::or) {
            Some(taken) => taken.err().map(|message| fault(name, &message)),
            None => unknown::misspelled(route, taken_by(route).map(|known| known.name), name).map(|meant| {
                let hint = Some(format!("did you mean `{meant}`? nothing was done"));
                Fault { hint, ..fault(name, "there is no such parameter") }
            }),
        };
        if refused.is_none() {
            unknown::note(&mut self.notes, name);
        }
        refused
    }
}

fn fault(name: &str, message: &str) -> Fault {
    Fault::plain(format!("`{name}`: {message}"))
}

#[cfg(test)]
mod tests;
