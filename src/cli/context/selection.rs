//! Several contexts at once: names, patterns of names, and groups.

use super::contexts::{Contexts, ServerContext};
use super::file::ContextsFile;
use crate::cli::args::global::{GlobalArgs, TargetKind};
use crate::cli::error::CliError;
use mediaconf::edit::path::glob_matches;

/// The contexts that a command works on, if it names several: each once, in the order of the names, and
/// those of a pattern or a group in the order of the file. `None` where it names one target at most.
///
/// # Errors
/// `Usage` for a name that is none, and for a pattern or a group without contexts.
pub fn several(global: &GlobalArgs) -> Result<Option<Vec<ServerContext>>, CliError> {
    let find: fn(&Contexts, &str) -> Result<Vec<ServerContext>, CliError> = match global.chosen.kind {
        TargetKind::Group => of_group,
        TargetKind::Context(_) if several_chosen(global) => by_name,
        _ => return Ok(None),
    };
    let contexts = ContextsFile::of_user_or_error()?.load()?;
    let words: Vec<&str> = match global.chosen.kind {
        TargetKind::Group => global.group.iter().map(String::as_str).collect(),
        _ => global.context.iter().flat_map(|names| names.split(',')).collect(),
    };
    let mut chosen: Vec<ServerContext> = Vec::new();
    for word in words.into_iter().map(str::trim).filter(|word| !word.is_empty()) {
        for context in find(&contexts, word)? {
            if chosen.iter().all(|known| known.name != context.name) {
                chosen.push(context);
            }
        }
    }
    match chosen.is_empty() {
        true => Err(CliError::usage("no context is named", names(&contexts))),
        false => Ok(Some(chosen)),
    }
}

/// Whether the options and the environment name several contexts.
pub fn several_chosen(global: &GlobalArgs) -> bool {
    match global.chosen.kind {
        TargetKind::Group => true,
        TargetKind::Context(_) => global.context.as_ref().is_some_and(|names| names.contains([',', '*'])),
        _ => false,
    }
}

fn by_name(contexts: &Contexts, pattern: &str) -> Result<Vec<ServerContext>, CliError> {
    let found = contexts.list.iter().filter(|context| glob_matches(pattern, &context.name));
    not_empty(found, || (format!("no context has the name `{pattern}`"), names(contexts)))
}

fn of_group(contexts: &Contexts, group: &str) -> Result<Vec<ServerContext>, CliError> {
    let found = contexts.list.iter().filter(|context| context.groups.iter().any(|name| name == group));
    not_empty(found, || {
        let mut groups: Vec<&str> =
            contexts.list.iter().flat_map(|c| &c.groups).map(String::as_str).collect();
        groups.sort_unstable();
        groups.dedup();
        (format!("no context is in the group `{group}`"), there_are("groups", &groups))
    })
}

fn not_empty<'c>(
    found: impl Iterator<Item = &'c ServerContext>,
    fault: impl FnOnce() -> (String, String),
) -> Result<Vec<ServerContext>, CliError> {
    let found: Vec<ServerContext> = found.cloned().collect();
    if found.is_empty() {
        let (message, hint) = fault();
        return Err(CliError::usage(message, hint));
    }
    Ok(found)
}

fn names(contexts: &Contexts) -> String {
    there_are("contexts", &contexts.list.iter().map(|context| &*context.name).collect::<Vec<_>>())
}

fn there_are(what: &str, names: &[&str]) -> String {
    match names {
        [] => format!("there are no {what}; `mediactl context add` adds a context"),
        names => format!("there are the {what} {}", names.join(", ")),
    }
}
