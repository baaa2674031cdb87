//! The query parameters of the API. Unknown ones are ignored; a known one has to make sense.

use std::time::Duration;

use super::problem::{Fault, Kind, Problem};
use super::refusal::guard_kind;
use crate::engine::Guard;

/// What was asked for beside the operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    /// `skip_streams=true`: leave out streams that are static.
    pub skip_streams: bool,
    /// `runtime=true`: add figures of the server.
    pub runtime: bool,
    /// `dry_run=true`: change nothing.
    pub dry_run: bool,
    /// `force=true`: answer guards and conflicts with yes.
    pub force: bool,
    /// `async=true`: don't wait for the reload command.
    pub reload_later: bool,
    /// `format=conf`: text instead of JSON.
    pub text: bool,
    /// `source=saved`: the file instead of the running configuration.
    pub saved: bool,
    /// `accept=NAME,…`: the guards that are answered with yes, by the names of their problem types.
    pub accepted: Vec<Guard>,
    /// `confirm=SECONDS`: take the change back unless it is confirmed within this time.
    pub confirm: Option<Duration>,
    /// `message=TEXT`: why the change is made.
    pub message: Option<String>,
}

/// The longest time that a change may wait to be confirmed: a day, in seconds.
pub const MAX_CONFIRM: u64 = 24 * 60 * 60;

impl Parameters {
    /// Reads a query; all faults at once.
    pub fn of(query: &str) -> Result<Self, Problem> {
        let mut parameters = Self::default();
        let mut faults = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if let Err(message) = parameters.set(&name, &value) {
                faults.push(Fault { message, ..Fault::default() });
            }
        }
        match faults.is_empty() {
            true => Ok(parameters),
            false => {
                let detail = faults[0].message.clone();
                Err(Problem::new(Kind::BadParameter, detail).with_errors(faults))
            }
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "skip_streams" => self.skip_streams = switch(name, value)?,
            "runtime" => self.runtime = switch(name, value)?,
            "dry_run" => self.dry_run = switch(name, value)?,
            "force" => self.force = switch(name, value)?,
            "async" => self.reload_later = switch(name, value)?,
            "format" => self.text = choice(name, value, "json", "conf")?,
            "source" => self.saved = choice(name, value, "running", "saved")?,
            "accept" => self.accepted = guards(name, value)?,
            "message" => self.message = Some(value.to_owned()),
            "confirm" => self.confirm = Some(confirm(name, value)?),
            _ => {}
        }
        Ok(())
    }
}

fn switch(name: &str, value: &str) -> Result<bool, String> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(fault(name, "it takes `true` or `false`")),
    }
}

/// Whether it is the second of two.
fn choice(name: &str, value: &str, first: &str, second: &str) -> Result<bool, String> {
    match value {
        value if value == first => Ok(false),
        value if value == second => Ok(true),
        _ => Err(fault(name, &format!("it takes `{first}` or `{second}`"))),
    }
}

fn confirm(name: &str, value: &str) -> Result<Duration, String> {
    let seconds = value.parse().ok().filter(|seconds| (1..=MAX_CONFIRM).contains(seconds));
    let seconds = seconds.ok_or_else(|| fault(name, &format!("it takes 1 to {MAX_CONFIRM} seconds")))?;
    Ok(Duration::from_secs(seconds))
}

fn guards(name: &str, value: &str) -> Result<Vec<Guard>, String> {
    let known = [Guard::WouldRemoveCredentials, Guard::EmptyReplacement];
    let names = value.split(',').map(str::trim).filter(|guard| !guard.is_empty());
    names
        .map(|wanted| {
            let guard = known.iter().find(|guard| guard_kind(guard).name() == wanted);
            guard.cloned().ok_or_else(|| fault(name, &format!("there is no guard `{wanted}`")))
        })
        .collect()
}

fn fault(name: &str, message: &str) -> String {
    format!("`{name}`: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_read_and_others_refused() {
        let read = Parameters::of("skip_streams=true&runtime=0&x=y&async=1&format=conf&message=a+b%21");
        let expected = Parameters {
            skip_streams: true,
            reload_later: true,
            text: true,
            message: Some("a b!".to_owned()),
            ..Parameters::default()
        };
        assert_eq!(read, Ok(expected));
        for (query, faults) in
            [("dry_run=yes", 1), ("dry_run", 1), ("format=xml&source=disk", 2), ("confirm=0", 1), ("", 0)]
        {
            let found = Parameters::of(query).map_or_else(|problem| problem.errors.len(), |_| 0);
            assert_eq!(found, faults, "{query}");
        }
    }
}
