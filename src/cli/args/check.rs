//! The arguments of `mediactl check`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::store::Follow;

/// Check configuration files and show every fault
///
/// Each fault is shown with its file, line and column, the line itself and a hint. The exit code is
/// 3 if there is an error. Warnings alone give 0, unless --strict is given.
///
/// Without an argument the configuration file is checked, even while a server runs over it: the server
/// would find the same faults at its next start. `running` is the configuration that the server runs. With
/// --url, the saved configuration of the server is checked, or the running one if the server does not show
/// the saved text; a note says which.
///
/// Included files are checked, too, each once. Of those that are not below the folder of the configuration, or are
/// hard links to files of another user, only file and line of a fault are shown. A server does not check them.
///
/// As JSON the output is an array with an object for each fault: `file`, `line` and `column` (both count
/// from 1; the column counts characters), `severity` (`error` or `warning`), `message`, and optionally `hint`
/// and `related` (`line`, `column` and `message` of a second place). At most 100 faults of one text are
/// shown; if there are more, the last object says how many.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl check && systemctl restart media
  mediactl check running
  mediactl check --strict *.conf
  mediactl check -o json - < media.conf")]
pub struct CheckArgs {
    /// What to check: files, `-` for standard input, `running` for the running configuration
    /// [default: the configuration file]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Which included files are looked at: with `below`, one that is not below the folder of the configuration,
    /// or is a hard link to a file of another user, is an error, and is not looked at
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub includes: FollowedIncludes,

    /// Treat warnings as errors
    #[arg(long)]
    pub strict: bool,

    /// How to print the faults
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: CheckFormat,
}

/// Which included files `check` looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum FollowedIncludes {
    /// All that this user can read
    #[default]
    All,
    /// Those below the folder of the configuration, behind all links
    Below,
}

impl From<FollowedIncludes> for Follow {
    fn from(followed: FollowedIncludes) -> Self {
        match followed {
            FollowedIncludes::All => Self::ALL,
            FollowedIncludes::Below => Self::BELOW,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum CheckFormat {
    /// A few lines for each fault
    #[default]
    Text,
    /// An array with an object for each fault
    Json,
}
