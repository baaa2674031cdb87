//! Options that several commands take.

use clap::ValueEnum;

use mediaconf::edit::BlockPlace;

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
