//! The options of every command that changes a configuration.

use std::time::{Duration, Instant};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Command, FromArgMatches, ValueEnum};

use crate::cli::args::global::number;
use crate::cli::local::local_user;
use crate::engine::{ChangeOptions, DEFAULT_HOOK_TIMEOUT, Expected, GUARD_NAMES, Guard, Hooks, MAX_CONFIRM};
use crate::error::Error;
use crate::store::{ChangeId, Revision};

/// The largest value of `--hook-timeout`: a day, in seconds.
const MAX_HOOK_TIMEOUT: u64 = 24 * 60 * 60;

/// The largest value of `--keep`.
const MAX_KEEP: usize = 100_000;

/// Options of every command that changes something.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every change")]
pub struct ChangeArgs {
    /// Show the change, but neither write it nor run the reload command
    #[arg(long)]
    pub dry_run: bool,

    /// Make the change only if the text has this revision, which a dry run reports as `before`
    #[arg(hide_short_help = true, long, value_name = "REVISION", value_delimiter = ',')]
    pub only_if: Vec<Revision>,

    /// Make the change even if it looks like a mistake; implies --yes and every --accept
    #[arg(long)]
    pub force: bool,

    /// Refuse a change that brings warnings of `check`
    #[arg(hide_short_help = true, long)]
    pub strict: bool,

    /// Accept what this guard would refuse or ask about; several names are separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = guard_names())]
    pub accept: Vec<Guard>,

    /// Answer yes to a question about the change as a whole; this accepts no guard
    #[arg(short, long)]
    pub yes: bool,

    /// Print only errors and warnings, and what `-o json` or `-o summary` prints
    #[arg(hide_short_help = true, short, long)]
    pub quiet: bool,

    /// How to print the change
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ChangeFormat,

    /// Exit with code 10 if something changed, or would change in a dry run
    #[arg(hide_short_help = true, long)]
    pub exit_code: bool,

    /// The id of the change, so that it is made once
    ///
    /// It is a word of your own. Given again with the same ID, the command makes the change where the history has none
    /// with it, and confirms it where it waits. A change that was not confirmed in time is made again, one that was rolled
    /// back later is not. Without it, a change of several servers names the one that it made up. Of `revert`
    /// it is the change to undo.
    #[arg(long, value_name = "ID")]
    pub change: Option<ChangeId>,

    /// The reason for the change, for the history
    #[arg(short, long, value_name = "TEXT", value_parser = reason)]
    pub message: Option<String>,

    /// Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]
    #[arg(hide_short_help = true, long, value_name = "N")]
    pub max_delete: Option<usize>,

    /// Roll the change back unless it is confirmed within this time, such as `60s` or `5m`
    #[arg(long, value_name = "TIME", value_parser = confirm_time)]
    pub confirm: Option<Duration>,

    /// Wait up to this time for another change to be confirmed, in place of exit code 5
    #[arg(hide_short_help = true, long, value_name = "TIME", value_parser = confirm_time)]
    pub wait_pending: Option<Duration>,

    /// Change some servers, or nodes of a cluster, first, in waves: names, numbers, percentages, as in `edge1,10%,50%`
    ///
    /// Consecutive names are one wave; a number, or a percentage of all, is a wave of its own. Each wave includes those before
    /// it. Once it has run the change for the time of --soak, the next wave follows, and at last all others; then the command
    /// confirms the change. If anything fails before, or the time of --confirm is over, the change goes back everywhere.
    /// Without --confirm that time is all soaks and a minute.
    #[arg(hide_short_help = true, long, value_name = "N|N%|NAME", value_delimiter = ',')]
    pub canary: Vec<String>,

    /// Change all of these servers or none: each waits to be confirmed until all have made the change
    #[arg(hide_short_help = true, long)]
    pub all_or_nothing: bool,

    /// How long each wave of --canary has to stay healthy before the next one follows [default: 10s]
    #[arg(hide_short_help = true, long, value_name = "TIME", value_parser = confirm_time, requires = "canary")]
    pub soak: Option<Duration>,

    #[command(flatten)]
    pub hooking: HookArgs,
}

impl ChangeArgs {
    /// The options of the change.
    pub fn options(&self) -> ChangeOptions {
        ChangeOptions {
            dry_run: self.dry_run,
            force: self.force,
            strict: self.strict,
            accepted: self.accept.clone(),
            max_delete: self.max_delete,
            by: local_user(),
            id: self.change.clone(),
            expected: (!self.only_if.is_empty()).then(|| Expected::OneOf(self.only_if.clone())),
            message: self.message.clone(),
            confirm: self.confirm,
            ..ChangeOptions::default()
        }
    }

    /// Until when another change may wait to be confirmed; `None` if it refuses this one.
    pub fn waits_until(&self) -> Option<Instant> {
        self.wait_pending.filter(|_| !self.dry_run).map(|time| Instant::now() + time)
    }

    /// True if nothing is asked about the change as a whole.
    pub fn is_agreed(&self) -> bool {
        self.yes || self.force || self.dry_run
    }

    /// True if all servers have to make the change before any keeps it.
    pub fn is_together(&self) -> bool {
        self.all_or_nothing || !self.canary.is_empty()
    }

    /// The time to confirm a change that some servers or nodes take first, and the time for which each wave of these has to
    /// stay healthy; `None` if each server keeps it by itself.
    pub fn canary_times(&self) -> Result<Option<[Duration; 2]>, Error> {
        let soak = self.soak.unwrap_or(if self.canary.is_empty() { Duration::ZERO } else { DEFAULT_SOAK });
        let names_one = |word: &String| word.trim().trim_end_matches('%').parse::<usize>().is_err();
        let waves = self.canary.chunk_by(|word, next| names_one(word) && names_one(next)).count();
        let soaks = soak * u32::try_from(waves).unwrap_or(u32::MAX);
        let time =
            self.confirm.unwrap_or_else(|| (soaks + DEFAULT_CONFIRM).min(Duration::from_secs(MAX_CONFIRM)));
        match self.is_together() {
            false => Ok(None),
            true if time > soaks => Ok(Some([time, soak])),
            true => {
                let hint = "`--confirm` limits all waves together: a day at most; if left out, all soaks and a minute";
                let what = match waves {
                    0 | 1 => "`--soak` has to be less than `--confirm`".to_owned(),
                    _ => format!("{waves} times `--soak` has to be less than `--confirm`"),
                };
                Err(Error::usage(what, hint))
            }
        }
    }
}

/// The time for which the first servers or nodes have to stay healthy by default.
const DEFAULT_SOAK: Duration = Duration::from_secs(10);

/// The time to confirm such a change by default, beside that.
const DEFAULT_CONFIRM: Duration = Duration::from_secs(60);

impl Default for ChangeArgs {
    /// Those of a command that is given none of them.
    fn default() -> Self {
        let given = Self::augment_args(Command::new("change")).get_matches_from(["change"]);
        Self::from_arg_matches(&given).expect("none of them is required")
    }
}

/// The form in which a change, or a difference, is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ChangeFormat {
    /// The lines that differ
    #[default]
    #[value(alias = "text")]
    Diff,
    /// One line for each entry that differs, such as `~ cam1 prepush 5 → 2`, and their number
    Summary,
    /// JSON for programs
    #[value(alias = "change-json")]
    Json,
}

impl ChangeFormat {
    /// The form in which a question shows it.
    pub fn for_people(self) -> Self {
        if self == Self::Json { Self::Diff } else { self }
    }
}

/// Options for whoever changes the file: the commands of the media server, and the size of the history.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of hooks")]
pub struct HookArgs {
    /// Shell command that checks the new configuration before it is written; if it fails, nothing is written
    #[arg(hide_short_help = true, long, value_name = "CMD", env = "MEDIACTL_CHECK_CMD")]
    pub check_cmd: Option<String>,

    /// Shell command that makes the media server load the change; if it fails, the change is rolled back
    #[arg(hide_short_help = true, long, value_name = "CMD", env = "MEDIACTL_RELOAD_CMD")]
    pub reload_cmd: Option<String>,

    /// How many seconds each of these two commands may take
    #[arg(hide_short_help = true, long, value_name = "SECONDS", default_value_t = DEFAULT_HOOK_TIMEOUT.as_secs())]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_HOOK_TIMEOUT))]
    pub hook_timeout: u64,

    /// How many earlier texts the history keeps from now on [default: as set last, else 100]
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = number(1..=MAX_KEEP))]
    pub keep: Option<usize>,
}

impl HookArgs {
    /// The commands to run.
    pub fn hooks(&self) -> Hooks {
        let command = |given: &Option<String>| given.clone().filter(|command| !command.trim().is_empty());
        Hooks {
            check: command(&self.check_cmd),
            reload: command(&self.reload_cmd),
            timeout: Duration::from_secs(self.hook_timeout),
            ..Hooks::default()
        }
    }
}

/// Parses the names that `--accept` takes.
fn guard_names() -> impl TypedValueParser<Value = Guard> {
    let names = PossibleValuesParser::new(GUARD_NAMES.iter().map(|(name, _)| *name));
    names.map(|name| Guard::named(&name).expect("the parser lets only names in the table through"))
}

/// The most bytes of the reason for a change: written in a URL, each may take three, and the head of a request has 32 KiB.
const LONGEST_REASON: usize = 8 * 1024;

/// Parses the reason for a change.
fn reason(text: &str) -> Result<String, &'static str> {
    match text.len() > LONGEST_REASON {
        true => Err("it is longer than 8 KiB: keep the rest elsewhere, and name the place"),
        false => Ok(text.to_owned()),
    }
}

/// Parses a time such as `60s`, or a number of seconds, which has to be a second at least.
pub fn confirm_time(text: &str) -> Result<Duration, String> {
    let seconds = match text.parse() {
        Ok(seconds) => seconds,
        Err(_) => humantime::parse_duration(text).map_err(|error| error.to_string())?.as_secs(),
    };
    match (1..=MAX_CONFIRM).contains(&seconds) {
        true => Ok(Duration::from_secs(seconds)),
        false => Err(format!("the time has to be from 1 to {MAX_CONFIRM} seconds")),
    }
}
