//! Options that several commands take.

use clap::ValueEnum;

use mediaconf::BlockPlace;

/// The form in which a list is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ListFormat {
    /// One line for each entry
    #[default]
    Text,
    /// JSON
    Json,
}

/// The options for the place of a new block among those of its kind.
#[derive(Debug, clap::Args)]
pub struct PlaceArgs {
    /// Put it directly behind the one of this name
    #[arg(long, value_name = "NAME", conflicts_with = "before")]
    pub after: Option<String>,

    /// Put it directly in front of the one of this name
    #[arg(long, value_name = "NAME")]
    pub before: Option<String>,
}

impl From<&PlaceArgs> for BlockPlace {
    fn from(args: &PlaceArgs) -> Self {
        match (&args.after, &args.before) {
            (Some(name), _) => Self::After(name.clone()),
            (None, Some(name)) => Self::Before(name.clone()),
            (None, None) => Self::Usual,
        }
    }
}

/// The most bytes of the reason for a change: written in a URL, each may take three, and the head of a request has 32 KiB.
const LONGEST_REASON: usize = 8 * 1024;

/// Parses the reason for a change.
pub fn reason(text: &str) -> Result<String, &'static str> {
    match text.len() > LONGEST_REASON {
        true => Err("it is longer than 8 KiB: keep the rest elsewhere, and name the place"),
        false => Ok(text.to_owned()),
    }
}
