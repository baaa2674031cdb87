//! The arguments of `mediactl status`.

use super::history::ListFormat;

/// Show what runs, what is saved, and what is open
///
/// Tells whether a server runs over the file, and where; which values differ between what it runs and
/// what is saved; whether the file has errors; whether a change waits to be confirmed; and the last change.
///
/// As JSON it is an object with `target`, `server` (`pid`, `version`, `addresses`, `started_at`; null without
/// one), `saved`, `differing` (paths), `edited_by_hand`, `errors` (how many the file has; null where the
/// server does not show it), `pending` (`id`, `operation`, `by`, `deadline`, `seconds_left`; null if nothing
/// is), `last_change` as `mediactl history` has it, and `last_error`.
///
/// The exit code is 1 if something is not saved or waits to be confirmed, or if the file has errors, and 0
/// if all is well.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl status
  mediactl status -o json")]
pub struct StatusArgs {
    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}
