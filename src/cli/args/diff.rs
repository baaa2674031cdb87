//! The arguments of `mediactl diff`.

/// Show how two configurations differ
///
/// Each side is a file, `-` for standard input, the URL of a server, `saved` for the configuration
/// file, `running` for what a server runs, or `@N` for the text before the N-th last change. With `@N`
/// alone it is compared with the file; with another A alone, what `mediactl read` shows is compared
/// with A. Of a server that gives no text the JSON is compared.
///
/// The exit code is 0 if they are the same and 1 if they differ.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl diff old.conf new.conf
  mediactl diff new.conf
  mediactl diff @1
  mediactl diff --json saved new.conf | mediactl modify -f -")]
pub struct DiffArgs {
    /// The first configuration [default: running]
    #[arg(value_name = "A", value_hint = clap::ValueHint::AnyPath)]
    pub first: Option<String>,

    /// The second configuration [default: saved]
    #[arg(value_name = "B", value_hint = clap::ValueHint::AnyPath)]
    pub second: Option<String>,

    /// Print the JSON patch (RFC 7396) that turns A into B
    #[arg(long)]
    pub json: bool,
}
