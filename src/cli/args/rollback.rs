//! The arguments of `mediactl rollback`.

use super::changing::ChangeArgs;
use crate::store::ChangeRef;

/// Make an earlier text the configuration again
///
/// A rollback is a new change like any other: it is checked first, and can be rolled back itself. 1 is the
/// text before the last change, so `mediactl rollback 1` undoes the last change.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl history
  mediactl rollback 1 --dry-run
  mediactl rollback 1")]
pub struct RollbackArgs {
    /// Which text: counted back from the last change, or `serial:` and the `#` number of a change;
    /// `mediactl history` shows both
    #[arg(value_name = "N")]
    pub which: ChangeRef,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
