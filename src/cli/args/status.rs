//! The arguments of `mediactl status`.

use super::history::ListFormat;

/// Show the running, the saved and the pending state of the configuration
///
/// Tells whether a server runs over the file, and where; which values differ between the running and the
/// saved configuration; whether the file has errors; whether a change waits to be confirmed; and the last
/// change.
///
/// As JSON it is an object with `target`, `server` (`pid`, `version`, `addresses`, `started_at`; null without
/// one), `saved`, `differing` (paths), `edited_by_hand`, `errors` (how many the file has; null where the
/// server does not show it), `first_error` (`file`, `line`, `column`, `message`, `text`), `pending` (`id`, `operation`, `by`, `deadline`, `seconds_left`; of a cluster
/// also `canary`, the nodes that it waits for; `is_over` if its time is over; null if none is pending),
/// `unconfirmed` (the paths of values that the file holds though they were never confirmed), `last_change` as
/// `mediactl history` has it, and `last_error`. Of a cluster it has `nodes`, too.
///
/// The exit code is 1 if the running configuration is not saved, if a change waits to be confirmed or was
/// never confirmed, or if the file has errors; otherwise it is 0.
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
