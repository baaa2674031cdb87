//! Messages for a command line that does not parse, where more is known of the intention than clap knows.

use mediaconf::plumbing::schema::media::{KINDS, TOP};
use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind as ClapErrorKind};
use clap::{ArgMatches, Args, Command};

use crate::cli::args::global::{GlobalArgs, TargetKind};
use crate::cli::command_tree::{CommandLine, command, parse};
use crate::cli::context;
use crate::cli::error::CliError;
use crate::cli::input::{misplaced_url, snapshot};
use crate::cli::synonyms;
use crate::engine::ErrorKind;
use mediaconf::plumbing::edit::{ConfigLookup, quoted};
use mediaconf::plumbing::schema::Kind;

/// Returns the error for arguments that clap refuses; `None` if its own words say enough.
pub fn explained(error: &clap::Error, arguments: &[OsString]) -> Option<CliError> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(&**word),
        _ => None,
    };
    let unknown = context(ContextKind::InvalidSubcommand);
    let argument = context(ContextKind::InvalidArg);
    match error.kind() {
        ClapErrorKind::InvalidSubcommand => {
            unknown.and_then(|word| misplaced_url(word).or_else(|| wrong_verb(word, arguments)))
        }
        ClapErrorKind::UnknownArgument => {
            let forgotten = |word| forgotten_set(word).or_else(|| forgotten_command(word, arguments));
            argument.and_then(|word| misplaced_url(word).or_else(|| forgotten(word)))
        }
        ClapErrorKind::MissingRequiredArgument => swallowed_number(error, arguments),
        ClapErrorKind::InvalidValue if argument == Some("<KIND>") => forgotten_kind(arguments),
        ClapErrorKind::ValueValidation if argument == Some("[PATH=VALUE]...") => forgotten_sign(arguments),
        _ => argument.and_then(misplaced_url),
    }
}

/// The same error with a hint how to name a file that was given where a path of a value is taken.
pub fn with_file_meant(error: CliError, called: &ArgMatches) -> CliError {
    let is_no_value = matches!(error.kind, ErrorKind::Absent | ErrorKind::Invalid);
    let paths =
        ["path", "paths"].into_iter().filter_map(|id| called.try_get_raw(id).ok().flatten()).flatten();
    let mut files = paths.filter(|word| is_no_value && Path::new(word).is_file());
    match files.next() {
        Some(file) => {
            let option = format!("--conf {}", quoted(&file.to_string_lossy()));
            error.with_hint(format!("`{}` is a file: write `{option}` to work on it", file.to_string_lossy()))
        }
        None => error,
    }
}

/// The error for a word that is no command but has a known meaning.
fn wrong_verb(word: &str, arguments: &[OsString]) -> Option<CliError> {
    let words = typed(arguments);
    let index = place_of(word, &words)?;
    let (before, behind) = (&words[..index], &words[index + 1..]);
    let group_of = |name: &str| group_in_file(before, name);
    if let Some((path, _)) = word.split_once('=') {
        // The value may be a secret, which clap would show.
        let advice = synonyms::assignment(before, &words[index..], &group_of);
        return Some(CliError::usage(format!("`{path}` is no command"), format!("use {advice}")));
    }
    let advice = match synonyms::advice(before, word, behind, &group_of) {
        Some(advice) => format!("use {advice}"),
        // What stands behind it may be a password.
        None => {
            let key = TOP.by_keyword(word)?.key;
            format!(
                "it is a directive: `mediactl modify --set {key}=VALUE` sets it, `mediactl explain {key}` explains it"
            )
        }
    };
    Some(CliError::usage(format!("there is no command `{word}`"), advice))
}

/// The error for `add NAME URL`, which lacks the kind.
fn forgotten_kind(arguments: &[OsString]) -> Option<CliError> {
    let words = typed(arguments);
    let index = place_of("add", &words)?;
    let (before, behind) = (&words[..index], &words[index + 1..]);
    let advice = synonyms::addition(before, behind, &|name| group_in_file(before, name));
    Some(CliError::usage("`add` takes the kind of what is added first", format!("use {advice}")))
}

/// The error for `modify PATH VALUE`. The value may be a secret.
fn forgotten_sign(arguments: &[OsString]) -> Option<CliError> {
    let words = typed(arguments);
    let index = place_of("modify", &words)?;
    let (before, behind) = (&words[..index], &words[index + 1..]);
    if behind.len() < 2 || behind[0].contains('=') {
        return None;
    }
    let advice = synonyms::assignment(before, behind, &|name| group_in_file(before, name));
    Some(CliError::usage("`modify` takes PATH=VALUE, with `=` between them", format!("use {advice}")))
}

/// The words behind the name of the program.
fn typed(arguments: &[OsString]) -> Vec<String> {
    arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The group that has an entry of this name in the file that the words in front of a command name. Servers are not
/// asked for an error.
fn group_in_file(before: &[String], name: &str) -> Option<Kind> {
    let call = [&["mediactl".to_owned()], before, &["read".to_owned()]].concat();
    let call: Vec<OsString> = call.into_iter().map(OsString::from).collect();
    let matches = parse(&call).ok()?;
    let global = CommandLine::from_matches(&matches).ok()?.global;
    let is_file = match global.chosen.kind {
        TargetKind::File => true,
        TargetKind::Unnamed => matches!(context::chosen(&global), Ok(None)),
        _ => false,
    };
    let text = snapshot(&global.conf).ok().filter(|text| is_file && text.is_valid())?;
    let config = text.config();
    let current = config.lookup();
    KINDS.into_iter().find(|kind| current.contains(&[kind.key(), name]))
}

/// Returns the index of a word that is not the value of an option in front of the command.
fn place_of(word: &str, words: &[String]) -> Option<usize> {
    let options = GlobalArgs::augment_args(Command::new(""));
    let takes_value = |option: &str| {
        let is_meant = |arg: &&clap::Arg| {
            arg.get_long().is_some_and(|long| option.strip_prefix("--") == Some(long))
                || arg.get_short().is_some_and(|short| option == format!("-{short}"))
        };
        options.get_arguments().find(is_meant).is_some_and(|arg| arg.get_action().takes_values())
    };
    let mut index = 0;
    while index < words.len() {
        match () {
            () if words[index] == word => return Some(index),
            () if takes_value(&words[index]) => index += 2,
            () => index += 1,
        }
    }
    None
}

/// Returns the error for `PATH=VALUE` without `--set`. The value may be a secret, which clap would show.
fn forgotten_set(argument: &str) -> Option<CliError> {
    let (path, _) = argument.split_once('=')?;
    Some(CliError::usage(format!("unexpected argument `{path}=…`"), "use `--set PATH=VALUE` to set a value"))
}

/// Returns the error for an option of `modify` in front of which no command stands. Its value may be a secret.
fn forgotten_command(option: &str, arguments: &[OsString]) -> Option<CliError> {
    let mut tree = command();
    let is_command = |word: &OsString| word.to_str().is_some_and(|word| tree.find_subcommand(word).is_some());
    let long = option.strip_prefix("--").filter(|_| !arguments.iter().any(is_command))?;
    let modify = tree.find_subcommand_mut("modify")?;
    modify.build();
    modify.get_arguments().any(|known| known.get_long() == Some(long)).then(|| {
        let advice = format!("write the command first: `mediactl modify {option} …`");
        CliError::usage(format!("`{option}` is an option of `modify`"), advice)
    })
}

/// The error for a number of the history that a shell took for a comment: `rollback #7`.
fn swallowed_number(error: &clap::Error, arguments: &[OsString]) -> Option<CliError> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_called = |names: &[&str]| names.iter().all(|name| arguments.iter().any(|word| word == name));
    let call =
        [&["rollback"][..], &["history", "show"]].into_iter().find(|names| is_called(names))?.join(" ");
    (missing == &["<N>"]).then(|| {
        CliError::usage(
            format!("`{call}` takes the number of a change, and there is none"),
            format!(
                "`mediactl {call} 1` is the last change; a `#` begins a comment for the shell, so quote it: \
                 `mediactl {call} '#7'`"
            ),
        )
    })
}
