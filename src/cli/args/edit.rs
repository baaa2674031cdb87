//! The arguments of `mediactl edit`.

use super::changing::ChangeArgs;

/// Edit the configuration, or one entry of it, in a text editor
///
/// The editor is $VISUAL, else $EDITOR, else vi. When it ends, the text is checked, the change is shown, and
/// after a question it is made. A text with faults is opened again at the first of them. What you wrote is
/// kept until it is in the configuration: --resume opens it again, --discard ends it. If the configuration was
/// changed meanwhile, both changes are merged. An editor that fails and leaves the text as it was (`:cq`) changes
/// nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl edit
  mediactl edit streams.cam1
  mediactl edit --resume
  mediactl edit --discard
  mediactl --url https://media.example edit --confirm 60s")]
pub struct EditArgs {
    /// The entry to edit, such as `streams.cam1` [default: the whole text]
    #[arg(value_name = "PATH", conflicts_with_all = ["resume", "discard"])]
    pub path: Option<String>,

    /// Go on with the last edit that was not finished
    #[arg(long)]
    pub resume: bool,

    /// End all edits that were not finished, and say what they were
    #[arg(long, conflicts_with_all = ["resume", "dry_run"])]
    pub discard: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}
