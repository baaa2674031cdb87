//! The arguments of `mediactl serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::ValueEnum;

use super::changing::HookArgs;

/// Where TCP is listened on, unless somebody says otherwise: this machine alone.
const DEFAULT_LISTEN: &str = "127.0.0.1:8090";

/// Serve the HTTP API over the configuration file
///
/// While it runs, other commands over the same file go through it, by a Unix socket beside the file.
/// So what it runs, what is in the file, and what the commands show never disagree. Over TCP the
/// server asks for the login and the password of `edit_auth`; it does not start on TCP without them.
///
/// SIGHUP loads the file and the certificate again. SIGTERM and SIGINT end the server when the
/// requests that it has read are answered, after 10 seconds at the latest.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl --conf media.conf serve
  mediactl serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem
  mediactl serve --listen none
  mediactl serve --listen 127.0.0.1:0 --reload-cmd 'systemctl reload media'")]
pub struct ServeArgs {
    /// Address and port to listen on; `none` for the Unix socket alone, port 0 for any free one; may be
    /// given several times
    #[arg(long, value_name = "ADDR:PORT", default_value = DEFAULT_LISTEN)]
    pub listen: Vec<String>,

    /// Certificate chain in PEM, the own one first; TCP then speaks HTTPS only
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// Private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// Largest request body, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub max_body: u64,

    /// Most connections over TCP at a time; fewer where the limit of open files is too low for so many
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub max_connections: u64,

    /// IP address of a proxy whose X-Forwarded-For header is believed, and whose connections are not
    /// limited as those of one address; may be given several times
    #[arg(long, value_name = "ADDR")]
    pub trusted_proxy: Vec<IpAddr>,

    /// Shell command that prints the media server's own figures as a JSON object; they are added to
    /// what `runtime=true` shows
    #[arg(long, value_name = "CMD")]
    pub runtime_cmd: Option<String>,

    /// Make every change that is asked for, even one that ends all access to the API
    #[arg(long)]
    pub no_guards: bool,

    /// How to write the line that is logged on stderr for each request
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub log_format: LogFormat,

    #[command(flatten)]
    pub hooking: HookArgs,
}

/// The form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum LogFormat {
    /// Fields, with blanks between them
    #[default]
    Text,
    /// A JSON object
    Json,
}
