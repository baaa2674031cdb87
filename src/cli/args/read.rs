//! The arguments of `mediactl read`.

use clap::ValueEnum;

/// Show the configuration, or single values of it
///
/// Without a PATH all of it is shown. With several PATHs each value is one line of JSON, in the
/// order in which they are given. A PATH with a `*` gives one object, from path to value. If there
/// is nothing at a PATH, the exit code is 7.
///
/// Passwords and keys are masked on a terminal. A pipe or a file gets the real ones, unless `--mask` is
/// given or MEDIACTL_MASK is 1; a pager reads from a pipe, so `mediactl read --mask | less` is the way.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl read streams.cam1
  mediactl read -r 'streams.cam1.urls[0].url'
  mediactl read 'streams.*.auth.url'
  mediactl read -o table")]
pub struct ReadArgs {
    /// What to show, such as `streams.cam1.prepush`; `*` stands for every name [default: everything]
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,

    /// Show the saved file, even if a server runs another configuration
    #[arg(long)]
    pub saved: bool,

    /// Leave out the streams that are `static`
    #[arg(long)]
    pub skip_streams: bool,

    /// Show what the server says of itself, too, as `runtime`
    #[arg(long)]
    pub runtime: bool,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ReadFormat,

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
    /// The text of the file
    Conf,
    /// One line a value, as `modify --set` takes it
    Set,
    /// One line a stream, with the authorization that counts for it
    Table,
}
