//! What clap parses, and its errors: they suggest only names that are near to what was typed, and show no value.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser};
use strsim::jaro;

use super::args::global::{ColorChoice, GlobalArgs};
use super::commands::CommandArgs;
use super::input::misplaced_url;
use super::ui::Ui;
use crate::error::Exit;
use crate::http::client::without_userinfo;
use mediaconf::printable;

/// Read and change the configuration of media servers
///
/// Comments, order and spacing stay as they are: a change touches only the bytes that have to
/// change. Every change is checked before it is written, and it is written completely or not at all.
#[derive(Debug, Parser)]
#[command(name = "mediactl", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Options of every command, such as --conf, --url and -x: `mediactl --help`")]
#[command(after_long_help = "\
Examples:
  mediactl check media.conf
  mediactl --conf media.conf read streams.cam1
  mediactl --conf media.conf modify --set streams.cam1.prepush=5 --dry-run

`mediactl COMMAND --help` describes a command in full. The manual has mediactl(1), a page for each
command such as mediactl-read(1), and media.conf(5) for the configuration file.")]
pub struct CommandLine {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: CommandArgs,
}

impl CommandLine {
    /// The command line by the matches of the tree; an option of every command may stand behind the command.
    pub fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            global: GlobalArgs::from_matches(matches)?,
            command: CommandArgs::from_arg_matches(matches)?,
        })
    }
}

/// Returns the tree of commands and options, from which the manual pages are made, too.
pub fn command() -> Command {
    CommandLine::command().mut_subcommands(|command| command.mut_args(|option| option.hide_env_values(true)))
}

/// Where an error has words of the command line.
const GIVEN_WORDS: [ContextKind; 3] =
    [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue];

/// Prints help, versions, and faults of the command line.
pub fn print_error(mut error: clap::Error, arguments: &[OsString]) -> Exit {
    let ui = Ui::new(ColorChoice::Auto);
    let lacking = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string);
    if error.kind() == ErrorKind::MissingSubcommand && lacking.as_deref() == Some(command().get_name()) {
        ui.say(command().render_help().to_string().trim_end());
        return Exit::Usage;
    }
    let given = |error: &clap::Error, kind| {
        // Of a wrong value it is the name of the argument, such as `[PATH=VALUE]...`.
        let is_given = kind != ContextKind::InvalidArg || error.kind() == ErrorKind::UnknownArgument;
        text(error, kind).filter(|_| is_given)
    };
    if let Some(url) = GIVEN_WORDS.iter().find_map(|kind| misplaced_url(&given(&error, *kind)?)) {
        ui.error(&url);
        return Exit::Usage;
    }
    correct_suggestions(&mut error, arguments);
    for kind in GIVEN_WORDS {
        let Some(word) = given(&error, kind) else { continue };
        let shown = match word.split_once('=') {
            Some((path, _)) => format!("{path}=…"),
            None => without_userinfo(&word),
        };
        error.insert(kind, ContextValue::String(shown));
    }
    // clap shows arguments as they are: one with control characters costs the colours.
    let is_plain = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        printable(&argument) == argument
    };
    match arguments.iter().all(is_plain) {
        // A closed stdout or stderr is no error.
        true => drop(error.print()),
        false => Ui::new(ColorChoice::Never).say(error.to_string().trim_end()),
    }
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// Names that are less alike than this are no suggestion.
const NEAR: f64 = 0.8;

/// The command that a misspelled word never suggests: it removes.
const REMOVES: &str = "rm";

const LOCAL_TEXTS: &str =
    "`include local*.conf;` in the text, and a `local.conf` with what differs on a node";
const ROLES: &str = "TLS, users and roles of etcd say who may write; changes are not signed any more";

/// The commands and options of an earlier version, and what to do instead.
const GONE: [(&str, &str); 13] = [
    ("fleet", "the same command with `--change ID` finishes a change, `rollback --change ID` takes it back"),
    ("overlay", LOCAL_TEXTS),
    ("--node-group", LOCAL_TEXTS),
    ("keygen", ROLES),
    ("--sign-key", ROLES),
    ("--trust-key", ROLES),
    ("--owner", "`apply` merges, `apply --prune` is the whole state, and `null` removes"),
    ("--resume", "`edit --from FILE` goes on with the text of an edit that failed"),
    ("--discard", "remove the file whose path the failed edit printed"),
    ("--splay", "let the `--reload-cmd` wait: `sleep $((RANDOM % 30)); …`"),
    ("--skip-included", "leave it out: a pattern changes what stands in the file itself"),
    ("--canary-timeout", "`--confirm TIME` is the time in which the change has to be confirmed"),
    ("options", "`mediactl COMMAND --help` shows every option of a command"),
];

/// Suggests only names that are near to a word that clap does not know, by their own names; of what an earlier version
/// had, the way that there is now.
fn correct_suggestions(error: &mut clap::Error, arguments: &[OsString]) {
    let (given, suggested) = match error.kind() {
        ErrorKind::InvalidSubcommand => (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        ErrorKind::UnknownArgument => (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        ErrorKind::InvalidValue if error.get(ContextKind::SuggestedValue).is_some() => {
            // The near one is asked for, and no other.
            return drop(error.remove(ContextKind::ValidValue));
        }
        _ => return,
    };
    let Some(word) = text(error, given) else { return };
    let names = match error.remove(suggested) {
        Some(ContextValue::Strings(names)) => names,
        Some(ContextValue::String(name)) => vec![name],
        _ => Vec::new(),
    };
    let is_option = word.starts_with("--");
    let has_tip =
        matches!(error.get(ContextKind::Suggested), Some(ContextValue::StyledStrs(all)) if !all.is_empty());
    if is_option || !has_tip {
        // `-- --word` would make a path or a file of it.
        error.remove(ContextKind::Suggested);
    }
    if let Some((_, instead)) = GONE.iter().find(|(gone, _)| *gone == word) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(*instead)]));
    }
    let is_gone = GONE.iter().any(|(gone, _)| *gone == word);
    let near = names.iter().filter(|name| !is_gone && jaro(&word, name) >= NEAR);
    if is_option {
        match near.clone().next() {
            Some(option) => _ = error.insert(suggested, ContextValue::String(option.clone())),
            // The usage has the option that clap suggested.
            None if !names.is_empty() => _ = error.remove(ContextKind::Usage),
            None => {}
        }
        return;
    }
    let tree = command();
    let before = arguments.iter().skip(1).take_while(|argument| **argument != *word);
    let called = before.filter_map(|argument| tree.find_subcommand(argument)).next().unwrap_or(&tree);
    let own = near.filter_map(|name| Some(called.find_subcommand(name)?.get_name().to_owned()));
    let mut own: Vec<String> = own.filter(|name| name != REMOVES).collect();
    own.sort_unstable();
    own.dedup();
    if !own.is_empty() {
        error.insert(suggested, ContextValue::Strings(own));
    }
}
