//! The options of every command, and which configuration they name.

use std::fmt;
use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};

use crate::http::client::DEFAULT_TIMEOUT;
use crate::http::protocol::headers::DEFAULT_PREFIX;

/// Where the configuration is, unless somebody says otherwise.
const DEFAULT_CONF: &str = "/etc/media/media.conf";

/// The longest time that a request may be given: a day, in seconds.
const MAX_TIMEOUT: u64 = 24 * 60 * 60;

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct GlobalArgs {
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
    pub remote: RemoteArgs,

    /// Which of the file and the server is meant.
    #[arg(skip)]
    pub chosen: ChosenTarget,
}

impl GlobalArgs {
    /// What the summary line calls the file.
    pub fn file_name(&self) -> String {
        self.conf.display().to_string()
    }
}

/// Options that say how to reach a server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options for a server")]
pub struct RemoteArgs {
    /// What stands in front of the operations in the path of the URL
    #[arg(long, global = true, value_name = "PATH", default_value = DEFAULT_PREFIX)]
    pub api_prefix: String,

    /// The login [default: that of the URL, else that of MEDIACTL_LOGIN]
    #[arg(long, global = true, value_name = "LOGIN")]
    pub user: Option<String>,

    /// A file that holds the password [default: that of the URL, else that of MEDIACTL_PASSWORD]
    #[arg(long, global = true, value_name = "FILE")]
    pub password_file: Option<PathBuf>,

    /// Trust only the authorities of this file, in PEM
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,

    /// Trust every certificate: anybody can pose as the server
    #[arg(long, global = true)]
    pub insecure: bool,

    /// How many seconds a whole request may take
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = DEFAULT_TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT)
    )]
    pub timeout: u64,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A URL as it was given; there may be a password in it.
#[derive(Clone)]
pub struct GivenUrl(pub String);

impl From<String> for GivenUrl {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for GivenUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GivenUrl(…)")
    }
}

/// Which of the two places is meant.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChosenTarget {
    pub kind: TargetKind,
    /// Whether the server is named on the command line, not in the environment.
    pub by_option: bool,
    /// Whether an option of where the file is changed stands on the command line.
    pub hooks: bool,
}

/// Which target is given, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TargetKind {
    #[default]
    File,
    Server,
    /// Both are given as options.
    BothFlags,
    /// Both are given in the environment.
    BothVariables,
}

impl ChosenTarget {
    /// Whether a server is named by an option.
    pub fn names_server(self) -> bool {
        matches!(self.kind, TargetKind::Server | TargetKind::BothFlags) && self.by_option
    }

    /// Looks at where the values of the options come from.
    pub fn of(matches: &ArgMatches) -> Self {
        let given = |id| matches.value_source(id);
        let url_is_empty = matches.get_one::<GivenUrl>("url").is_none_or(|url| url.0.is_empty());
        let url = if url_is_empty { None } else { given("url") };
        let (flag, variable) = (Some(ValueSource::CommandLine), Some(ValueSource::EnvVariable));
        let kind = match (given("conf"), url) {
            (conf, url) if conf == flag && url == flag => TargetKind::BothFlags,
            (conf, url) if conf == variable && url == variable => TargetKind::BothVariables,
            (conf, url) if url == flag || url == variable && conf != flag => TargetKind::Server,
            _ => TargetKind::File,
        };
        let matches = matches.subcommand().map(|(_, matches)| matches);
        let hooks = ["check_cmd", "reload_cmd", "keep"]
            .into_iter()
            .any(|id| matches.is_some_and(|m| m.try_contains_id(id).is_ok() && m.value_source(id) == flag));
        Self { kind, by_option: url == flag, hooks }
    }
}
