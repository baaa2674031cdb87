//! The arguments of `mediactl serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::RangedU64ValueParser;

use super::changing::HookArgs;
use crate::node::OnDrift;

/// The default address: only this machine can connect.
const DEFAULT_LISTEN: &str = "127.0.0.1:8090";

/// Serve the HTTP API over the configuration file
///
/// While the server runs, other commands on the same file go through it, over a Unix socket beside the
/// file. So the running configuration, the file, and the output of the commands never disagree. Over TCP the
/// server asks for the login and the password of `edit_auth`; without them it does not listen on TCP.
///
/// SIGHUP loads the file and the certificate again. SIGTERM and SIGINT end the server as soon as the
/// requests that it has read are answered, after 10 seconds at the latest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl --conf media.conf serve
  mediactl serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem
  mediactl serve --listen :8443 --tls-self-signed
  mediactl serve --listen none
  mediactl serve --listen 127.0.0.1:0 --reload-cmd 'systemctl reload media'")]
pub struct ServeArgs {
    /// Address and port to listen on, or `:PORT` for all addresses; `none` means only the Unix socket, port 0
    /// means any free port; may be given several times
    #[arg(long, value_name = "ADDR:PORT", default_value = DEFAULT_LISTEN)]
    pub listen: Vec<String>,

    /// Address and port where `/metrics` and `/healthz` are served without credentials and without TLS, and
    /// nothing else; may be given several times
    #[arg(long, value_name = "ADDR:PORT")]
    pub metrics: Vec<String>,

    /// Let the account of `view_auth` look at the configuration, its history and the metrics, all with masked
    /// secrets; it can change nothing
    #[arg(long)]
    pub view_auth: bool,

    /// Certificate chain in PEM, leaf certificate first; TCP then speaks only HTTPS
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Make a certificate, keep it in the state folder, and print its fingerprint; TCP then speaks only HTTPS
    #[arg(long, conflicts_with = "tls_cert")]
    pub tls_self_signed: bool,

    /// Largest request body, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub max_body: usize,

    /// Maximum number of TCP connections at a time; fewer if the limit of open files is too low
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = RangedU64ValueParser::<usize>::new().range(1..=4096))]
    pub max_connections: usize,

    /// IP address of a proxy whose X-Forwarded-For header is trusted, and to which the limit of connections
    /// from one address does not apply; may be given several times
    #[arg(long, value_name = "ADDR")]
    pub trusted_proxy: Vec<IpAddr>,

    /// Shell command that prints figures of the media server as a JSON object, which `runtime=true` then
    /// shows, too
    #[arg(long, value_name = "CMD")]
    pub runtime_cmd: Option<String>,

    /// Be the node of this name of the cluster that `--cluster` names: follow its configuration in the file
    #[arg(long, value_name = "NAME", value_parser = node_name)]
    pub node: Option<String>,

    /// The group of the node, whose own values (overlay `@GROUP`) come before those of the node
    #[arg(long, value_name = "GROUP", requires = "node", value_parser = node_name)]
    pub node_group: Option<String>,

    /// What becomes of an edit of the file by hand when the cluster has a new text
    #[arg(long, value_enum, default_value_t, value_name = "WHAT", requires = "node")]
    pub on_drift: DriftChoice,

    /// Make every requested change, even one that removes all access to the API
    #[arg(long)]
    pub no_guards: bool,

    /// Form of the line that is logged on stderr for each request
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub log_format: LogFormat,

    #[command(flatten)]
    pub hooking: HookArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LogFormat {
    /// Fields separated by blanks
    #[default]
    Text,
    /// A JSON object
    Json,
}

/// What becomes of an edit by hand on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum DriftChoice {
    /// The next text of the cluster overwrites it; the history keeps it
    #[default]
    Overwrite,
    /// It stays, and the node takes no text until it is gone
    Keep,
}

impl From<DriftChoice> for OnDrift {
    fn from(choice: DriftChoice) -> Self {
        match choice {
            DriftChoice::Overwrite => Self::Overwrite,
            DriftChoice::Keep => Self::Keep,
        }
    }
}

/// Parses the name of a node or a group: a part of a key in etcd.
fn node_name(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("a name has letters, digits, `-`, `_` and `.`".to_owned()),
    }
}
