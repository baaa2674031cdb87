//! Options that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{FalseyValueParser, PossibleValuesParser, TypedValueParser};

use super::error::CliError;
use super::target::{Chosen, GivenUrl, Purpose, RemoteOptions};
use super::ui::{ColorChoice, Ui};
use crate::engine::{ChangeOptions, DEFAULT_HOOK_TIMEOUT, GUARD_NAMES, Guard, Hooks};
use crate::http::protocol::parameters::MAX_CONFIRM;
use crate::model::Masker;

/// Where the configuration is, unless somebody says otherwise.
pub const DEFAULT_CONF: &str = "/etc/media/media.conf";

/// The longest time that a hook may be given: a day, in seconds.
const MAX_HOOK_TIMEOUT: u64 = 24 * 60 * 60;

/// The most texts that a history may be told to keep.
const MAX_KEEP: u64 = 100_000;

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// The configuration file to work on
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "MEDIACTL_CONF",
        hide_env_values = true,
        default_value = DEFAULT_CONF
    )]
    pub conf: PathBuf,

    /// The server to work on instead, such as `https://media.example`; may hold login and password
    #[arg(long, global = true, value_name = "URL", env = "MEDIACTL_URL", hide_env_values = true)]
    pub url: Option<GivenUrl>,

    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,

    /// Show passwords and keys instead of masks
    #[arg(long, global = true)]
    pub show_secrets: bool,

    /// Mask passwords and keys in a pipe or a file, too; `--show-secrets` is stronger
    #[arg(long, global = true, env = "MEDIACTL_MASK", hide_env_values = true, value_parser = FalseyValueParser::new())]
    pub mask: bool,

    /// How to reach a server.
    #[command(flatten)]
    pub remote: RemoteOptions,

    /// Which of the file and the server is meant.
    #[arg(skip)]
    pub chosen: Chosen,
}

impl Global {
    /// Masks for text that people look at: always, unless secrets are asked for.
    pub fn masker(&self) -> Option<Masker> {
        (!self.show_secrets).then(Masker::default)
    }

    /// Masks for values that another program may want: on a terminal, and where they are asked for.
    pub fn masker_of_values(&self, ui: Ui) -> Option<Masker> {
        self.masker().filter(|_| self.mask || ui.is_terminal())
    }

    /// What the summary line calls the file.
    pub fn file_name(&self) -> String {
        self.conf.display().to_string()
    }
}

/// Options of every command that changes something.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every change")]
pub struct Changing {
    /// Show the change, but neither write it nor run the reload command
    #[arg(long)]
    pub dry_run: bool,

    /// Make the change without asking, even if it looks like a mistake: implies --yes and every --accept
    #[arg(long)]
    pub force: bool,

    /// Pass this guard, which would refuse the change or ask; may be a list with commas, or given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = guard_names())]
    pub accept: Vec<Guard>,

    /// Answer yes to a question about the change as a whole; this passes no guard
    #[arg(short, long)]
    pub yes: bool,

    /// Print errors and warnings only
    #[arg(short, long)]
    pub quiet: bool,

    /// Why the change is made, for the history
    #[arg(short, long, value_name = "TEXT")]
    pub message: Option<String>,

    /// Delete up to N streams without asking [default: 4, or a tenth of all up to 20 if that is more]
    #[arg(long, value_name = "N")]
    pub max_delete: Option<usize>,

    /// Take the change back unless it is confirmed within this time, such as `60s` or `5m`
    #[arg(long, value_name = "TIME", value_parser = confirm_time)]
    pub confirm: Option<Duration>,

    #[command(flatten)]
    pub hooking: Hooking,
}

/// Options of where the file is changed: what ties changes to a real media server, and the history.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of hooks")]
pub struct Hooking {
    /// Shell command that looks at the new configuration first; if it fails, nothing is written
    #[arg(long, value_name = "CMD", env = "MEDIACTL_CHECK_CMD", hide_env_values = true)]
    pub check_cmd: Option<String>,

    /// Shell command that makes the server load the change; if it fails, the change is taken back
    #[arg(long, value_name = "CMD", env = "MEDIACTL_RELOAD_CMD", hide_env_values = true)]
    pub reload_cmd: Option<String>,

    /// How many seconds each of these two commands may take
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = DEFAULT_HOOK_TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=MAX_HOOK_TIMEOUT)
    )]
    pub hook_timeout: u64,

    /// How many texts the history keeps from now on [default: as many as were said last, else 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_KEEP))]
    pub keep: Option<u64>,
}

impl Hooking {
    /// How many texts the history keeps from now on.
    pub fn keep(&self) -> Option<usize> {
        self.keep.and_then(|keep| usize::try_from(keep).ok())
    }

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

impl Changing {
    /// What is to be known where the file is changed.
    pub fn purpose(&self) -> Purpose {
        Purpose::Change { hooks: self.hooking.hooks(), keep: self.hooking.keep() }
    }

    /// Only a server is there when the time is over.
    pub fn refuse_confirm(&self) -> Result<(), CliError> {
        match self.confirm {
            None => Ok(()),
            Some(_) => Err(CliError::usage(
                "`--confirm` needs a server, which takes the change back if nobody confirms it",
                "start `mediactl serve` over the file, or leave it out",
            )),
        }
    }

    /// What goes along with the change.
    pub fn request(&self) -> ChangeOptions {
        ChangeOptions {
            dry_run: self.dry_run,
            force: self.force,
            accepted: self.accept.clone(),
            max_delete: self.max_delete,
            by: local_user(),
            message: self.message.clone(),
            confirm: self.confirm,
            ..ChangeOptions::default()
        }
    }
}

/// The names that `--accept` takes.
fn guard_names() -> impl TypedValueParser<Value = Guard> {
    let names = PossibleValuesParser::new(GUARD_NAMES.iter().map(|(name, _)| *name));
    names.map(|name| Guard::named(&name).expect("only names in the table are let through"))
}

/// A time such as `60s`, or a number of seconds.
fn confirm_time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map(Duration::from_secs).ok();
    let time =
        seconds.map_or_else(|| humantime::parse_duration(text).map_err(|error| error.to_string()), Ok)?;
    match (1..=MAX_CONFIRM).contains(&time.as_secs()) {
        true => Ok(Duration::from_secs(time.as_secs())),
        false => Err(format!("it takes from 1 to {MAX_CONFIRM} seconds")),
    }
}

/// Who runs this program, for hooks and the history.
fn local_user() -> String {
    let uid = rustix::process::getuid().as_raw();
    match std::env::var("USER") {
        Ok(user) if !user.is_empty() => format!("{user} (uid {uid})"),
        _ => format!("uid {uid}"),
    }
}
