//! The options of every command, and which configuration they name.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueHint::FilePath;
use clap::builder::{FalseyValueParser, RangedU64ValueParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};

use crate::http::api::{DEFAULT_PREFIX, Fingerprint};
use crate::http::client::{ByteSize, DEFAULT_TIMEOUT};

/// The configuration file, unless an option or the environment names another target.
const DEFAULT_CONF: &str = "/etc/media/media.conf";

/// The longest time that a request may be given: a day, in seconds.
const MAX_TIMEOUT: u64 = 24 * 60 * 60;

/// On how many servers a command works at the same time, at most.
const MAX_JOBS: usize = 16;

/// The variable with the name of a context.
const CONTEXT_VARIABLE: &str = "MEDIACTL_CONTEXT";

/// The heading of the options for a server.
pub const SERVER_HEADING: &str = "Options for a server";

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
#[command(mut_args(|option| option.global(true).hide_short_help(true).hide_env_values(true)))]
pub struct GlobalArgs {
    /// The configuration file to work on
    #[arg(long, value_name = "FILE", value_hint = FilePath, env = "MEDIACTL_CONF", default_value = DEFAULT_CONF)]
    pub conf: PathBuf,

    /// The server to work on instead, such as `https://media.example`; may contain login and password
    #[arg(long, value_name = "URL", env = "MEDIACTL_URL")]
    pub url: Option<GivenUrl>,

    /// The context to work on instead: a server that `mediactl context add` gave a name. Several names are
    /// separated by commas; `edge-*` names several, too
    #[arg(short = 'x', long, value_name = "NAME", env = CONTEXT_VARIABLE)]
    pub context: Option<String>,

    /// The configuration in etcd to work on instead, such as `etcd://10.0.0.1:2379,10.0.0.2:2379/media/prod`
    #[arg(long, value_name = "URL", env = "MEDIACTL_CLUSTER")]
    pub cluster: Option<GivenUrl>,

    /// Work on all contexts of this group instead; several groups are separated by commas
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    pub group: Vec<String>,

    /// A file with further contexts, such as one in a repository; of two with the same name, that of FILE is used
    #[arg(long, value_name = "FILE", value_hint = FilePath, env = "MEDIACTL_INVENTORY")]
    pub inventory: Option<PathBuf>,

    /// On how many servers to work at the same time
    #[arg(long, value_name = "N", default_value_t = MAX_JOBS, value_parser = number(1..=MAX_JOBS))]
    pub jobs: usize,

    /// The largest file that is read, as configuration, as included file or as input: 64M, 100KiB, 1G
    #[arg(long, value_name = "SIZE", env = "MEDIACTL_MAX_FILE", default_value = "64M")]
    pub max_file: ByteSize,

    /// When to use colours
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,

    /// Show passwords and keys instead of masks
    #[arg(long)]
    pub show_secrets: bool,

    /// Mask passwords and keys in a pipe or a file, too; `--show-secrets` overrides this
    #[arg(long, env = "MEDIACTL_MASK", value_parser = FalseyValueParser::new())]
    pub mask: bool,

    #[command(flatten)]
    pub remote: RemoteArgs,

    /// The target that these options and the environment name.
    #[arg(skip)]
    pub chosen: ChosenTarget,
}

/// Parses a number within a range.
pub fn number(range: RangeInclusive<usize>) -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::new().range(*range.start() as u64..=*range.end() as u64)
}

impl GlobalArgs {
    /// The options of a call, before its command and behind it.
    pub fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, given) = matches.subcommand().unwrap_or(("", matches));
        let chosen = ChosenTarget::from_matches(name, given);
        Ok(Self { chosen, ..Self::from_arg_matches(given)? })
    }

    /// The name of the configuration file in messages.
    pub fn file_name(&self) -> String {
        self.conf.display().to_string()
    }

    /// The same options for a file that a command names.
    pub fn at_file(&self, file: &Path) -> Self {
        let chosen = ChosenTarget { kind: TargetKind::File, ..self.chosen };
        Self { conf: file.to_owned(), url: None, cluster: None, chosen, ..self.clone() }
    }
}

/// How to reach a server.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = SERVER_HEADING)]
pub struct RemoteArgs {
    /// The path of the API on the server [default: the one of the context, else /media/api]
    #[arg(long, value_name = "PATH")]
    pub api_prefix: Option<String>,

    /// The login [default: the one in the URL, else MEDIACTL_LOGIN]
    #[arg(long, value_name = "LOGIN")]
    pub user: Option<String>,

    /// A file whose first line is the password [default: the one in the URL, else MEDIACTL_PASSWORD]
    #[arg(long, value_name = "FILE", value_hint = FilePath)]
    pub password_file: Option<PathBuf>,

    /// Trust only the certificate authorities in this PEM file
    #[arg(long, value_name = "FILE", value_hint = FilePath, conflicts_with = "insecure")]
    pub cacert: Option<PathBuf>,

    /// The certificate to show to etcd (PEM)
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,

    /// The private key of that certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,

    /// Trust only the certificate with this fingerprint, which `serve --tls-self-signed` prints
    #[arg(long, value_name = "SHA256", conflicts_with_all = ["cacert", "insecure"])]
    pub fingerprint: Option<Fingerprint>,

    /// Accept any certificate: the connection is then open to impostors
    #[arg(long)]
    pub insecure: bool,

    /// How many seconds a request may take in all [default: the time of the context, else 150]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT))]
    pub timeout: Option<u64>,

    /// The largest answer to accept, in bytes, or with a unit: 64M, 100KiB, 1G
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, default_value = "64M")]
    pub max_answer: ByteSize,
}

impl RemoteArgs {
    /// The path of the API: as the options say, else as the context says.
    pub fn prefix<'a>(&'a self, of_context: Option<&'a str>) -> &'a str {
        self.api_prefix.as_deref().or(of_context).unwrap_or(DEFAULT_PREFIX)
    }

    /// The time for a request: as the options say, else as the context says, in seconds.
    pub fn time(&self, of_context: Option<NonZeroU32>) -> Duration {
        self.timeout
            .or(of_context.map(|seconds| seconds.get().into()))
            .map_or(DEFAULT_TIMEOUT, Duration::from_secs)
    }
}

/// The use of colours.
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

/// The form in which a list is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ListFormat {
    /// Text for people
    #[default]
    Text,
    /// JSON
    Json,
}

/// Options of a command that makes no change of a configuration, and has a short result. Its [`Ui`](crate::cli::ui::Ui)
/// knows them.
#[derive(Debug, Clone, Copy, Args)]
pub struct ResultArgs {
    /// How to print the result
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM", global = true)]
    pub output: ListFormat,

    /// Print only results, errors and warnings
    #[arg(hide_short_help = true, short, long, global = true)]
    pub quiet: bool,
}

/// The target that the options and the environment name.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChosenTarget {
    pub kind: TargetKind,
    /// True if an option for whoever changes the file is on the command line.
    pub hooks: bool,
}

/// The place where a server is named: the command line or the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    CommandLine,
    Environment,
}

/// The kind of the target that is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TargetKind {
    /// None: it is the context in use, else the default file.
    #[default]
    Unnamed,
    File,
    /// A server by its URL.
    Server(NamedBy),
    /// A configuration in etcd by its URL.
    Cluster(NamedBy),
    /// A server by the name of its context, or several.
    Context(NamedBy),
    /// The servers of groups.
    Group,
    /// This option has no value, which a script may have meant to have one.
    EmptyOption(&'static str),
    /// These two options name two targets.
    TwoOptions([&'static str; 2]),
    /// These two variables name two targets, and no option decides.
    TwoVariables([&'static str; 2]),
}

/// An option that names a target, its variable, and the kind of the target.
type TargetOption = (&'static str, &'static str, fn(NamedBy) -> TargetKind);

/// The options that name a target.
const TARGETS: [TargetOption; 5] = [
    ("--conf", "MEDIACTL_CONF", |_| TargetKind::File),
    ("--url", "MEDIACTL_URL", TargetKind::Server),
    ("--cluster", "MEDIACTL_CLUSTER", TargetKind::Cluster),
    ("--context", CONTEXT_VARIABLE, TargetKind::Context),
    ("--group", "", |_| TargetKind::Group),
];

impl TargetKind {
    /// The kind by the ways in which a target of a command is named. A context has its own URL, so beside
    /// MEDIACTL_CONTEXT the variables MEDIACTL_URL and MEDIACTL_CLUSTER say nothing.
    fn from_matches(command: &str, matches: &ArgMatches) -> Self {
        let id = |option: &'static str| option.trim_start_matches('-');
        let is_filled = |option| {
            matches
                .get_raw(id(option))
                .and_then(|mut values| values.next())
                .is_some_and(|value| !value.is_empty())
        };
        // A new context is put into groups: they name no target.
        let is_target = |option| command != "context" || option != "--group";
        let is_by = |option, source| is_target(option) && matches.value_source(id(option)) == Some(source);
        let by = |source| TARGETS.into_iter().filter(move |(option, ..)| is_by(option, source));
        if let Some((option, ..)) = by(ValueSource::CommandLine).find(|(option, ..)| !is_filled(option)) {
            return Self::EmptyOption(option);
        }
        match by(ValueSource::CommandLine).collect::<Vec<_>>()[..] {
            [(one, ..), (other, ..), ..] => return Self::TwoOptions([one, other]),
            [(.., kind)] => return kind(NamedBy::CommandLine),
            [] => {}
        }
        let mut filled: Vec<_> =
            by(ValueSource::EnvVariable).filter(|(option, ..)| is_filled(option)).collect();
        if filled.iter().any(|(option, ..)| *option == "--context") {
            filled.retain(|(option, ..)| !["--url", "--cluster"].contains(option));
        }
        match filled[..] {
            [(_, one, _), (_, other, _), ..] => Self::TwoVariables([one, other]),
            [(.., kind)] => kind(NamedBy::Environment),
            [] => Self::Unnamed,
        }
    }
}

impl ChosenTarget {
    /// True if an option names a server.
    pub fn names_server(self) -> bool {
        use NamedBy::CommandLine;
        use TargetKind::{Cluster, Context, EmptyOption, Group, Server, TwoOptions};
        matches!(
            self.kind,
            Server(CommandLine)
                | Cluster(CommandLine)
                | Context(CommandLine)
                | Group
                | EmptyOption(_)
                | TwoOptions(_)
        )
    }

    /// Finds the target of a command by where the values of its options come from.
    fn from_matches(command: &str, matches: &ArgMatches) -> Self {
        let is_given = |id: &&str| {
            matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
        };
        let hooks = ["check_cmd", "reload_cmd", "keep"].iter().any(is_given);
        Self { kind: TargetKind::from_matches(command, matches), hooks }
    }
}
