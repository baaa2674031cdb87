//! The options of every command, and which configuration they name.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::builder::FalseyValueParser;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};

use crate::http::client::DEFAULT_TIMEOUT;
use crate::http::protocol::headers::DEFAULT_PREFIX;

/// The configuration file, unless an option or the environment names another target.
const DEFAULT_CONF: &str = "/etc/media/media.conf";

/// The longest time that a request may be given: a day, in seconds.
const MAX_TIMEOUT: u64 = 24 * 60 * 60;

/// Options of every command.
#[derive(Debug, Clone, Args)]
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

    /// The server to work on instead, such as `https://media.example`; may contain login and password
    #[arg(long, global = true, value_name = "URL", env = "MEDIACTL_URL", hide_env_values = true)]
    pub url: Option<GivenUrl>,

    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,

    /// Show passwords and keys instead of masks
    #[arg(long, global = true)]
    pub show_secrets: bool,

    /// Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this
    #[arg(long, global = true, env = "MEDIACTL_MASK", hide_env_values = true, value_parser = FalseyValueParser::new())]
    pub mask: bool,

    #[command(flatten)]
    pub remote: RemoteArgs,

    /// Which target these options and the environment name.
    #[arg(skip)]
    pub chosen: ChosenTarget,
}

impl GlobalArgs {
    /// The name of the configuration file in messages.
    pub fn file_name(&self) -> String {
        self.conf.display().to_string()
    }

    /// The same options for a file that a command names.
    pub fn at_file(&self, file: &Path) -> Self {
        let chosen = ChosenTarget { kind: TargetKind::File, ..self.chosen };
        Self { conf: file.to_owned(), url: None, chosen, ..self.clone() }
    }
}

/// How to reach a server.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options for a server")]
pub struct RemoteArgs {
    /// The path of the API on the server
    #[arg(long, global = true, value_name = "PATH", default_value = DEFAULT_PREFIX)]
    pub api_prefix: String,

    /// The login [default: the one in the URL, else MEDIACTL_LOGIN]
    #[arg(long, global = true, value_name = "LOGIN")]
    pub user: Option<String>,

    /// A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]
    #[arg(long, global = true, value_name = "FILE")]
    pub password_file: Option<PathBuf>,

    /// Trust only the certificate authorities in this PEM file
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,

    /// Accept any certificate: the connection is then open to impostors
    #[arg(long, global = true)]
    pub insecure: bool,

    /// How many seconds a request may take in all
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

/// A URL as it was given. It may contain a password, so it is never printed.
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

/// Which target the options and the environment name.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChosenTarget {
    pub kind: TargetKind,
    /// Whether an option for whoever changes the file is on the command line.
    pub hooks: bool,
}

/// Where the URL of a server was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlSource {
    /// On the command line.
    CommandLine,
    /// In MEDIACTL_URL.
    Environment,
}

/// Which target is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TargetKind {
    #[default]
    File,
    /// The server whose URL was given there.
    Server(UrlSource),
    /// Options name both a file and a server.
    BothFlags,
    /// Variables name both, and no option decides.
    BothVariables,
}

impl ChosenTarget {
    /// Whether an option names a server.
    pub fn names_server(self) -> bool {
        matches!(self.kind, TargetKind::Server(UrlSource::CommandLine) | TargetKind::BothFlags)
    }

    /// Finds the target by where the values of the options come from.
    pub fn of(matches: &ArgMatches) -> Self {
        let given = |id| matches.value_source(id);
        let url_is_empty = matches.get_one::<GivenUrl>("url").is_none_or(|url| url.0.is_empty());
        let url = if url_is_empty { None } else { given("url") };
        let (flag, variable) = (Some(ValueSource::CommandLine), Some(ValueSource::EnvVariable));
        let kind = match (given("conf"), url) {
            (conf, url) if conf == flag && url == flag => TargetKind::BothFlags,
            (conf, url) if conf == variable && url == variable => TargetKind::BothVariables,
            (_, url) if url == flag => TargetKind::Server(UrlSource::CommandLine),
            (conf, url) if url == variable && conf != flag => TargetKind::Server(UrlSource::Environment),
            _ => TargetKind::File,
        };
        let matches = matches.subcommand().map(|(_, matches)| matches);
        let hooks = ["check_cmd", "reload_cmd", "keep"]
            .into_iter()
            .any(|id| matches.is_some_and(|m| m.try_contains_id(id).is_ok() && m.value_source(id) == flag));
        Self { kind, hooks }
    }
}
