//! The arguments of `mediactl context`.

use clap::Subcommand;

use super::history::ListFormat;

/// Name servers, and work on them by their names
///
/// A context is a server, or a cluster, with its URL, its login, and how to get its password. `mediactl -x NAME COMMAND`
/// works on it, and so does every command where MEDIACTL_CONTEXT is NAME, or after `mediactl context use NAME`
/// where no option and no variable names a target. MEDIACTL_URL, MEDIACTL_CLUSTER, MEDIACTL_LOGIN and
/// MEDIACTL_PASSWORD are ignored then.
///
/// Contexts stand in `~/.config/mediactl/contexts.conf` (or below XDG_CONFIG_HOME), in the syntax of
/// configurations. You may edit it by hand; only you may read it (mode 0600).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl context add prod --url https://media.example --user admin
  mediactl -x prod status
  mediactl context use prod")]
pub struct ContextArgs {
    #[command(subcommand)]
    pub command: ContextCommand,
}

#[derive(Debug, Subcommand)]
pub enum ContextCommand {
    /// Add a server by `--url`, or a cluster by `--cluster`; `--user`, `--cacert`, … are kept with it
    ///
    /// Kept are `--user`, `--cacert`, `--cert`, `--key`, `--fingerprint`, `--api-prefix`, `--timeout` and `--max-answer`.
    ///
    /// The password itself is better not in the URL: `--password-command` runs a password manager instead.
    Add(AddContextArgs),
    /// List all contexts; a `*` marks the one in use
    List {
        /// How to print them
        #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
        output: ListFormat,
    },
    /// Use a context wherever nothing else names a target
    Use {
        /// The context
        #[arg(value_name = "NAME", required_unless_present = "none")]
        name: Option<String>,

        /// Use none any more
        #[arg(long, conflicts_with = "name")]
        none: bool,
    },
    /// Show what a context says
    Show {
        /// The context [default: the one in use]
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Remove a context
    Remove {
        /// The context
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub struct AddContextArgs {
    /// The name, of letters, digits and `.`, `_`, `-`
    #[arg(value_name = "NAME")]
    pub name: String,

    /// Shell command that prints the password; it runs whenever the password is needed
    #[arg(long, value_name = "CMD")]
    pub password_command: Option<String>,

    /// A group that the server belongs to; several are separated by commas
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    pub group: Vec<String>,

    /// Ask before every change
    #[arg(long)]
    pub protected: bool,

    /// Change the context if it exists: what is not given stays
    #[arg(long)]
    pub replace: bool,
}
