//! The arguments of `mediactl diff`.

/// Show how two configurations differ
///
/// Each side is a file, `-` for standard input, the URL of a server, `saved` for the configuration
/// file, `running` for the configuration that a server runs, or `@N` for the text before the N-th last
/// change. `@N` alone is compared with the file. Any other A alone is the new side: it is compared with what
/// `mediactl read` shows. If a server gives no text, both sides are compared as JSON.
///
/// --where compares only those streams that meet the condition on either side: `PATH=VALUE`, `PATH!=VALUE`,
/// `PATH~TEXT` (contains), `PATH=~REGEX`, `PATH exists` or `PATH missing`, where PATH begins below the stream, such
/// as `urls.url~10.0.3.`. If no stream meets the conditions, the exit code is 7.
///
/// Of several servers (`-x 'edge-*'`, `--group`) the two sides of each are compared, and equal differences are shown
/// once. With --across the servers are compared with each other.
///
/// The exit code is 0 if the two are the same and 1 if they differ.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl diff old.conf new.conf
  mediactl diff new.conf
  mediactl diff @1
  mediactl diff @1 --where 'urls.url~10.0.3.'
  mediactl diff --json saved new.conf | mediactl modify -f -")]
pub struct DiffArgs {
    /// The first configuration [default: running]
    #[arg(value_name = "A")]
    pub first: Option<String>,

    /// The second configuration [default: saved]
    #[arg(value_name = "B")]
    pub second: Option<String>,

    /// Compare only the streams that meet this condition; if it is given several times, all of them
    #[arg(long = "where", value_name = "CONDITION")]
    pub conditions: Vec<String>,

    /// Accept a key in --where that no entry has and that looks misspelt
    #[arg(long, value_name = "NAME", requires = "conditions", value_parser = ["near-miss"])]
    pub accept: Option<String>,

    /// Show which values differ between several servers, grouped by equal values; A says which
    /// configuration: `running` or `saved`
    #[arg(long, conflicts_with = "second")]
    pub across: bool,

    /// Print the JSON patch (RFC 7396) that turns A into B
    #[arg(long)]
    pub json: bool,
}
