//! What clap suggests in the place of a word that it does not know: only names that are near to it, no other names of
//! commands, nothing that removes. For what an earlier version had, the way that there is now.

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use strsim::jaro;

/// Names that are less alike than this are no suggestion.
const NEAR: f64 = 0.8;

/// The command that a misspelled word never suggests: it removes.
const REMOVES: &str = "rm";

const LOCAL_TEXTS: &str =
    "write `include local*.conf;` into the text, and what differs on a node into a `local.conf` there";

const ROLES: &str =
    "changes of a cluster are not signed any more: TLS, users and roles of etcd say who may write";

/// The commands and options of an earlier version, and what to do instead.
const GONE: &[(&str, &str)] = &[
    (
        "fleet",
        "the same command again with `--change ID` finishes a change of several servers, `rollback --change ID` takes it back",
    ),
    ("overlay", LOCAL_TEXTS),
    ("--node-group", LOCAL_TEXTS),
    ("keygen", ROLES),
    ("--sign-key", ROLES),
    ("--trust-key", ROLES),
    (
        "--owner",
        "`apply` merges, `apply --prune` is the whole state, and `null` removes: `{\"streams\": {\"old\": null}}`",
    ),
    ("--resume", "`edit --from FILE` goes on with the text of an edit that failed"),
    ("--discard", "remove the file whose path the failed edit printed"),
    ("--splay", "let the `--reload-cmd` wait: `sleep $((RANDOM % 30)); …`"),
    ("--skip-included", "leave it out: a pattern changes what stands in the file itself"),
    ("--canary-timeout", "`--confirm TIME` is the time in which the change has to be confirmed"),
    ("options", "`mediactl COMMAND --help` shows every option of a command"),
];

/// Corrects the suggestions of an error of the command line.
pub fn correct(error: &mut clap::Error, tree: &Command) {
    let word = match error.kind() {
        ErrorKind::InvalidSubcommand => text(error, ContextKind::InvalidSubcommand),
        ErrorKind::UnknownArgument => text(error, ContextKind::InvalidArg),
        _ => None,
    };
    let Some(word) = word else { return };
    let is_option = word.starts_with("--");
    let near = if is_option { near_options(error, &word) } else { near_commands(error, &word, tree) };
    let is_empty =
        matches!(error.get(ContextKind::Suggested), Some(ContextValue::StyledStrs(all)) if all.is_empty());
    if is_option || is_empty {
        // `-- --word` would make a path or a file of it.
        error.remove(ContextKind::Suggested);
    }
    let instead = GONE.iter().find(|(gone, _)| *gone == word).map(|(_, instead)| *instead);
    if near.is_empty() || instead.is_some() {
        let suggested =
            [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg].map(|kind| error.remove(kind));
        if is_option && suggested.iter().any(Option::is_some) {
            // It has the option that clap suggested.
            error.remove(ContextKind::Usage);
        }
    } else if !is_option {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(near));
    }
    if let Some(instead) = instead {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(instead)]));
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// The suggested option, if it is near.
fn near_options(error: &clap::Error, word: &str) -> Vec<String> {
    let is_near = |option: &String| jaro(word, option) >= NEAR;
    text(error, ContextKind::SuggestedArg).into_iter().filter(is_near).collect()
}

/// The suggested commands that are near, by their own names.
fn near_commands(error: &clap::Error, word: &str, tree: &Command) -> Vec<String> {
    let suggested = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.clone(),
        Some(ContextValue::String(name)) => vec![name.clone()],
        _ => Vec::new(),
    };
    let called = called(error, tree);
    let own_name = |name: &String| {
        Some(called.find_subcommand(name)?.get_name().to_owned()).filter(|own| own != REMOVES)
    };
    let mut near: Vec<String> =
        suggested.iter().filter(|name| jaro(word, name) >= NEAR).filter_map(own_name).collect();
    near.sort_unstable();
    near.dedup();
    near
}

/// The command whose usage an error shows.
fn called<'t>(error: &clap::Error, tree: &'t Command) -> &'t Command {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let words = usage.split_whitespace().skip_while(|word| *word != tree.get_name()).skip(1);
    words
        .map_while(|word| word.chars().all(char::is_alphabetic).then_some(word))
        .fold(tree, |command, word| command.find_subcommand(word).unwrap_or(command))
}
