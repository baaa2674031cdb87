//! The arguments of `mediactl overlay`.

use clap::Subcommand;

use super::history::ListFormat;

/// Show and set what differs on one node of a cluster, or on a group of nodes
///
/// An overlay is a patch (RFC 7396) that a node merges into the configuration of the cluster before it runs it:
/// ports, addresses and keys that are its own. The overlay of its group, whose name starts with `@`, comes
/// first, then that of the node. The configuration itself stays as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl --cluster etcd://10.0.0.1/prod overlay set edge7 --set 'http=[8087]'
  mediactl overlay set @edge --set streams.cam1.prepush=5 --unset rtsp
  mediactl overlay show edge7
  mediactl overlay remove edge7 http
  mediactl overlay list")]
pub struct OverlayArgs {
    #[command(subcommand)]
    pub command: OverlayCommand,
}

#[derive(Debug, Subcommand)]
pub enum OverlayCommand {
    /// List all overlays, with the paths of their values
    List {
        /// How to print them
        #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
        output: ListFormat,
    },
    /// Show an overlay as JSON; null stands for what is removed
    Show {
        /// The node, or the group behind an `@`
        #[arg(value_name = "NODE")]
        node: String,
    },
    /// Set values on a node, or remove them there
    Set(SetOverlayArgs),
    /// Remove an overlay, or some values of it: the node has those of the cluster again
    Remove {
        /// The node, or the group behind an `@`
        #[arg(value_name = "NODE")]
        node: String,

        /// The values, such as `http` or `streams.cam1` [default: all]
        #[arg(value_name = "PATH")]
        paths: Vec<String>,

        /// Agree to the change of a protected context
        #[arg(short, long)]
        yes: bool,
    },
}

impl OverlayCommand {
    /// Whether the user agrees to a change already; none if nothing changes.
    pub fn agreement(&self) -> Option<bool> {
        match self {
            Self::Set(SetOverlayArgs { yes, .. }) | Self::Remove { yes, .. } => Some(*yes),
            Self::List { .. } | Self::Show { .. } => None,
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(override_usage = "mediactl overlay set [OPTIONS] <--set|--set-string|--unset>... <NODE>")]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["set", "set_string", "unset"]))]
pub struct SetOverlayArgs {
    /// The node, or the group behind an `@`
    #[arg(value_name = "NODE")]
    pub node: String,

    /// Set a value, such as `http=[8087]`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Set a string, even if it looks like a number or JSON
    #[arg(long, value_name = "PATH=TEXT")]
    pub set_string: Vec<String>,

    /// Leave a value of the cluster out; may be given several times
    #[arg(long, value_name = "PATH")]
    pub unset: Vec<String>,

    /// Accept a keyword that looks misspelt, and new blocks
    #[arg(long)]
    pub create: bool,

    /// Agree to the change of a protected context
    #[arg(short, long)]
    pub yes: bool,
}
