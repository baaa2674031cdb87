//! What the command line says before the word that is typed.

use std::ffi::OsString;

use clap::{ArgMatches, Command};

use super::lookup::Lookup;
use crate::cli::args::global::GlobalArgs;
use mediaconf::edit::path::{Path, Segment};
use mediaconf::edit::schema_path::Place;
use mediaconf::model::Kind;

/// The words before the one that is typed, as the options and arguments that they are.
pub struct TypedLine {
    /// The values of the called command; none where it is not known yet.
    matches: Option<ArgMatches>,
    pub lookup: Lookup,
}

impl TypedLine {
    /// Parses the words, as far as they can be parsed.
    pub fn of(words: &[OsString], tree: Command) -> Self {
        let matches = tree.ignore_errors(true).try_get_matches_from(words).ok();
        let global = matches.as_ref().and_then(|matches| GlobalArgs::of(matches).ok());
        let matches = matches.and_then(|matches| Some(matches.subcommand()?.1.clone()));
        Self { matches, lookup: Lookup::new(global) }
    }

    /// The words of an argument of the called command.
    pub fn words(&self, argument: &str) -> Vec<String> {
        let given = self.matches.as_ref().and_then(|matches| matches.try_get_raw(argument).ok().flatten());
        given.into_iter().flatten().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// The stream, live or plugin whose values are meant: the one that `cp` copies, that `add` adds, or any of those
    /// that a path of the command names.
    pub fn block(&self) -> Vec<Segment> {
        if let Some(from) = self.words("from").first().and_then(|from| Path::parse(from).ok()) {
            return from.segments;
        }
        let added = self.words("kind").first().map(|kind| format!("{kind}s"));
        let paths = ["paths", "path", "set", "unset", "replace"].into_iter().flat_map(|id| self.words(id));
        let kind = added.into_iter().chain(paths).find_map(|path| group(&path)).unwrap_or(Kind::Stream);
        [kind.key(), "NAME"].map(|key| Segment::Key(key.to_owned())).to_vec()
    }
}

/// The group in which a path begins.
fn group(path: &str) -> Option<Kind> {
    let first = path.split(['.', '=']).next()?;
    match Place::Root.member(first).ok()? {
        Place::Group(kind) => Some(kind),
        _ => None,
    }
}
