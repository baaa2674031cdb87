//! The arguments of `mediactl read`.

use clap::ValueEnum;

/// Show the configuration, or single values of it
///
/// Without a PATH the whole configuration is shown. With several PATHs each value is one line of JSON, in
/// the order of the PATHs. A PATH with a `*` gives one object that maps each path to its value. If nothing
/// is at a PATH, the exit code is 7.
///
/// In a PATH, `*` stands for any characters of a name (`streams.*`, `streams.cam*`), unless the name is in
/// double quotes. `[*]` stands for every entry of a list, `[-1]` for the last one. A name behind a list is
/// looked for in every entry: `streams.cam1.urls.url` gives a list.
///
/// --where shows only those streams, lives or plugins of the PATH that meet the condition: `PATH=VALUE`,
/// `PATH!=VALUE`, `PATH~TEXT` (contains), `PATH=~REGEX`, `PATH exists` or `PATH missing`. This PATH begins below
/// the entry and goes through lists: `urls.url~10.0.3.` holds if any source has that text. If no entry meets
/// the conditions, the exit code is 7.
///
/// Passwords and keys are masked on a terminal, and in a table always, unless --show-secrets is given. Of other
/// forms a pipe or a file gets the real ones, unless `--mask` is given or MEDIACTL_MASK is 1. On a terminal a long output goes through a pager, as git's does: MEDIACTL_PAGER, PAGER, or `less`; `cat`
/// is none.
///
/// A table fits the terminal: the credentials and the query of a URL are cut first, then the middle. A pager repeats the headings. Without a
/// PATH it is of all streams, lives and plugins; a PATH is `streams`, `lives`, `plugins`, or names such as
/// `streams.cam*`. With --columns or --sort it is one table. They take the headings, and paths of values below an entry, such as
/// `title` or `dvr.root`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl read streams.cam1
  mediactl read -r 'streams.cam1.urls[0].url'
  mediactl read 'streams.*.auth.url'
  mediactl read 'streams.cam*.urls[*].url'
  mediactl read 'streams.*.title' --where 'urls.url~10.0.3.'
  mediactl read -o table
  mediactl read -o table lives
  mediactl read -o table --columns name,title,prepush --sort=-prepush")]
pub struct ReadArgs {
    /// What to show, such as `streams.cam1.prepush`; `*` stands for every name [default: everything, with
    /// --where all streams]
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,

    /// Show only the entries that meet this condition; if it is given several times, all of them
    #[arg(long = "where", value_name = "CONDITION")]
    pub conditions: Vec<String>,

    /// Accept a key in --where that no entry has and that looks misspelt
    #[arg(long, value_name = "NAME", requires = "conditions", value_parser = ["near-miss"])]
    pub accept: Option<String>,

    /// Show the saved file, even if a server runs another configuration
    #[arg(long)]
    pub saved: bool,

    /// Show what the included files add, too; this is for looking only and can't be written back
    #[arg(long)]
    pub with_includes: bool,

    /// Leave out static streams
    #[arg(long)]
    pub skip_streams: bool,

    /// Add the figures of the server, as `runtime`
    #[arg(long)]
    pub runtime: bool,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ReadFormat,

    /// The columns of the table, separated by commas [default: those of the group]
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub columns: Vec<String>,

    /// Sort the table by this column; with a `-` in front in descending order
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub sort: Option<String>,

    /// Print a string at a PATH as it is, without quotes
    #[arg(short, long)]
    pub raw: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReadFormat {
    /// JSON, indented
    #[default]
    Json,
    /// JSON on one line
    Compact,
    /// The text of the file, or of the entries at PATH
    Conf,
    /// One line for each value, as `modify --set` takes it
    Set,
    /// One line for each stream, live and plugin, with the authorization that applies to it
    Table,
}
