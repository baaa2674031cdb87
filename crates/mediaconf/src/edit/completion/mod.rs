//! The completions of a path that is being typed: names, keys with their documentation, and behind a `=`
//! the values that are known. They come from the schema and the configuration; a secret is never among
//! them.

mod members;
mod partial;
mod values;

#[cfg(test)]
mod tests;

use super::config_lookup::ConfigLookup;
use super::path::{Path, Segment};
use super::schema_path::Place;
use partial::Partial;

/// A candidate: what the typed text may go on as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The whole text, from its first character.
    pub text: String,
    /// One line of documentation; empty where the text says it all.
    pub help: String,
    /// True if nothing has to follow.
    pub is_whole: bool,
}

/// The purpose of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    /// It names a present value.
    Present,
    /// A value is set, or expected, behind a `=`.
    Settable,
    /// It is explained: the name of a stream may be left out.
    Explained,
    /// It begins a condition.
    Condition,
    /// It names a whole stream, live or plugin.
    Block,
}

/// Completes paths in a configuration.
pub struct Completion<'c> {
    /// The configuration in which paths lead to values.
    pub current: &'c dyn ConfigLookup,
    /// The path at which it begins; empty for the whole configuration.
    pub base: &'c [Segment],
    /// The purpose of the path.
    pub path_use: PathUse,
}

/// The form of the value at a path, and of the paths below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Object,
    List,
    Leaf,
}

/// A candidate, and the sign that leads to what is in it; `None` if there is none.
struct Step {
    candidate: Proposal,
    deeper: Option<&'static str>,
}

/// The operators of conditions, each with its meaning.
const OPERATORS: &[(&str, &str)] = &[
    ("=", "is"),
    ("!=", "is not"),
    ("~", "contains"),
    ("=~", "matches a regular expression"),
    (" exists", "is there"),
    (" missing", "is not there"),
];

impl Completion<'_> {
    /// The candidates for a text, in the order in which they are shown. The only one that goes on is
    /// entered, so that what follows need not be asked for.
    pub fn candidates(&self, typed: &str) -> Vec<Proposal> {
        let mut found = self.step(typed);
        if self.names_what_is_there() && typed.ends_with(']') && Path::parse(typed).is_ok() {
            // The entry itself, and not only its members.
            let candidate =
                Proposal { text: typed.to_owned(), help: String::new(), is_whole: found.is_empty() };
            found.insert(0, Step { candidate, deeper: None });
        }
        let [Step { candidate: only, deeper: Some(sign) }] = &found[..] else {
            return found.into_iter().map(|found| found.candidate).collect();
        };
        let mut inside = match (self.path_use, *sign) {
            (PathUse::Condition, "") => operators(&only.text),
            _ => self.candidates(&format!("{}{sign}", only.text)),
        };
        // The only value is not entered: it would stand there before it was looked at.
        let is_guess = only.text.ends_with('=') && inside.len() == 1;
        if inside.is_empty() || is_guess {
            return vec![only.clone()];
        }
        if self.names_what_is_there() {
            inside.insert(0, only.clone());
        }
        inside
    }

    fn step(&self, typed: &str) -> Vec<Step> {
        match Partial::parse(typed) {
            Some(Partial::Name { above, head, start }) => self.members(&above, &head, start),
            Some(Partial::Entry { above, head, start }) => self.entries(&above, head, start),
            Some(Partial::Value { path, head, start, is_equal }) if self.takes_value() && is_equal => {
                self.values(&path, head, start)
            }
            _ => Vec::new(),
        }
    }

    /// True if an object or a list may be meant as a whole.
    fn names_what_is_there(&self) -> bool {
        matches!(self.path_use, PathUse::Present | PathUse::Explained)
    }

    fn takes_value(&self) -> bool {
        matches!(self.path_use, PathUse::Settable | PathUse::Condition)
    }

    /// The segments from the root.
    fn whole(&self, below: &[Segment]) -> Path {
        Path { segments: [self.base, below].concat() }
    }

    /// The candidate for a place.
    fn found(&self, text: String, help: String, form: Form) -> Step {
        let (sign, deeper) = match (self.path_use, form) {
            (PathUse::Settable | PathUse::Block, Form::Object) => (".", Some("")),
            (PathUse::Settable | PathUse::Block, Form::List) => ("[", Some("")),
            (PathUse::Settable, Form::Leaf) => ("=", Some("")),
            (PathUse::Condition, Form::Leaf) => ("", Some("")),
            (PathUse::Condition, Form::List) | (_, Form::Object) => ("", Some(".")),
            (_, Form::List) => ("", Some("[")),
            (_, Form::Leaf) => ("", None),
        };
        Step { candidate: Proposal { text: text + sign, help, is_whole: deeper.is_none() }, deeper }
    }
}

fn operators(path: &str) -> Vec<Proposal> {
    let one = |(operator, help): &(&str, &str)| Proposal {
        text: format!("{path}{operator}"),
        help: (*help).to_owned(),
        is_whole: operator.starts_with(' '),
    };
    OPERATORS.iter().map(one).collect()
}

/// The place of a path in which patterns stand for any of the names or entries that they match.
fn place(segments: &[Segment]) -> Option<Place> {
    Place::Root.through_lists(segments).ok()
}
