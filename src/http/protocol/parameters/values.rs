//! What a query holds, and the kinds of its values: how each is parsed into its field.

use mediaconf::Path;
use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::engine::{COMMANDS, ChangeOptions, GUARD_NAMES, Guard};
use crate::http::protocol::headers::revision_in;
use crate::http::protocol::masked::masked_text;
use crate::store::etcd::is_node_name;
use crate::store::{ChangeId, ChangeRef, NotAChangeId, NotAChangeRef, Revision};

/// The parsed query of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    /// `skip_streams=true`: leave out static streams.
    pub skip_streams: bool,
    /// `runtime=true`: add figures of the server.
    pub runtime: bool,
    /// `with_includes=true`: show what the included files add.
    pub with_includes: bool,
    /// `format=conf`: text instead of JSON.
    pub text: bool,
    /// `source=saved`: the file instead of the running configuration.
    pub saved: bool,
    /// The options of a change.
    pub change: ChangeOptions,
    /// `to=N`: the change of the history to go back to.
    pub to: Option<ChangeRef>,
    /// `path=P`: the entry that it is about.
    pub path: Option<Path>,
    /// `secrets=masked`, `secrets=shown`, and `secrets=keep` of a change.
    pub secrets: Option<&'static str>,
    /// `format=diff`, and the others of `modify_config`.
    pub format: Option<&'static str>,
    /// `from` and `to` of `diff`.
    pub from: Option<String>,
    pub until: Option<String>,
    /// `wait=SECONDS`: answer when the status is another one.
    pub wait: Option<Duration>,
    /// `columns=utf16`: columns are counted in units of UTF-16.
    pub utf16: bool,
    /// `limit=N`: the most changes.
    pub limit: Option<usize>,
    /// `id=ID`: the change to confirm or to roll back.
    pub id: Option<String>,
    /// Notes about ignored names.
    pub notes: Vec<String>,
}

/// The values that a parameter takes, and the field for them.
pub enum Values {
    /// `true`, `1`, `false` or `0`, in any case: Python writes `True`.
    Switch(fn(&mut Parameters) -> &mut bool),
    /// One of two words. The first one is the default; the field is true for the second one.
    OneOf([&'static str; 2], fn(&mut Parameters) -> &mut bool),
    /// One of several words; without a default.
    Words(&'static [&'static str], fn(&mut Parameters) -> &mut Option<&'static str>),
    /// Names of guards, separated by commas.
    Guards(fn(&mut Parameters) -> &mut Vec<Guard>),
    /// One of [`COMMANDS`].
    Command(fn(&mut Parameters) -> &mut Option<Cow<'static, str>>),
    /// One revision, or an `ETag`.
    Base(fn(&mut Parameters) -> &mut Option<Revision>),
    /// Names of nodes of a cluster, separated by commas, or how many.
    Nodes(fn(&mut Parameters) -> &mut Vec<String>),
    /// The id of a change.
    Id(fn(&mut Parameters) -> &mut Option<ChangeId>),
    /// Any text.
    Text(fn(&mut Parameters) -> &mut Option<String>),
    /// A path to a value.
    Path(fn(&mut Parameters) -> &mut Option<Path>),
    /// A change of the history.
    Change(fn(&mut Parameters) -> &mut Option<ChangeRef>),
    /// A whole number within bounds.
    Number(RangeInclusive<u64>, fn(&mut Parameters) -> &mut Option<usize>),
    /// A time within bounds, in seconds.
    Seconds(RangeInclusive<u64>, fn(&mut Parameters) -> &mut Option<Duration>),
}

impl Values {
    /// True if a parameter that is given again adds to what it had.
    pub(super) fn is_list(&self) -> bool {
        matches!(self, Self::Guards(_) | Self::Nodes(_))
    }

    /// Parses `value` into the field.
    pub(super) fn put(&self, value: &str, parameters: &mut Parameters) -> Result<(), String> {
        match self {
            Self::Switch(field) => *field(parameters) = switch(value)?,
            Self::OneOf(words, field) => *field(parameters) = is_second(words, value)?,
            Self::Words(words, field) => *field(parameters) = Some(one_of(words, value)?),
            Self::Guards(field) => field(parameters).extend(guards(value)?),
            Self::Command(field) => *field(parameters) = Some(command(value)?.into()),
            Self::Base(field) => *field(parameters) = Some(base(value)?),
            Self::Nodes(field) => field(parameters).extend(nodes(value)?),
            Self::Id(field) => {
                *field(parameters) = Some(value.parse().map_err(|error: NotAChangeId| error.to_string())?);
            }
            Self::Text(field) => *field(parameters) = Some(value.to_owned()),
            Self::Path(field) => {
                *field(parameters) = Some(Path::parse(value).map_err(|fault| fault.to_string())?);
            }
            Self::Change(field) => {
                *field(parameters) = Some(value.parse().map_err(|error: NotAChangeRef| error.to_string())?);
            }
            Self::Number(bounds, field) => *field(parameters) = usize::try_from(number(bounds, value)?).ok(),
            Self::Seconds(bounds, field) => {
                *field(parameters) = Some(Duration::from_secs(number(bounds, value)?));
            }
        }
        Ok(())
    }
}

/// The words for a switch: first those for true, then those for false.
const SWITCH_WORDS: [&str; 4] = ["true", "1", "false", "0"];

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

fn one_of(words: &'static [&'static str], value: &str) -> Result<&'static str, String> {
    let known = words.iter().find(|word| **word == value).copied();
    known.ok_or_else(|| format!("it takes `{}`", words.join("` or `")))
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
    match is_number || names.iter().all(|name| is_node_name(name)) {
        true => Ok(names),
        false => Err("it takes names of nodes, separated by commas, or how many".to_owned()),
    }
}

fn base(value: &str) -> Result<Revision, String> {
    let tag = value.strip_prefix("W/").unwrap_or(value);
    let revision = revision_in(tag).map_or_else(|| value.parse(), Ok);
    revision.map_err(|error| format!("{error}, and an `ETag` of a configuration begins with one"))
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
