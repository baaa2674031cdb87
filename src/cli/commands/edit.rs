//! `mediactl edit`

use std::ops::Range;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::{GlobalArgs, NamedBy, TargetKind};
use crate::cli::commands::change::ChangeCommand;
use crate::cli::editing::{Editing, Present, configuration};
use crate::cli::editor::Editor;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::local_user::state_home;
use crate::cli::render::report::Verb;
use crate::cli::target::{self, Target};
use crate::engine::{ConfigSource, Snapshot};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::file::{DraftHead, DraftOrigin, KeptDraft, text_of_base};
use mediaconf::{Path, quoted};

/// Edit the configuration, or one entry of it, in a text editor
///
/// The editor is $VISUAL, else $EDITOR, else vi. When it ends, the text is checked, the change is shown, and
/// after a question it is made. A text with faults is opened again at the first of them. What you wrote is in a file
/// until it is in the configuration; if the edit fails, the file stays, and the command that goes on with it is printed. If the
/// configuration was changed meanwhile, both changes are merged. An editor that fails and leaves the text as it was (`:cq`)
/// changes nothing; with --yes that is an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl edit
  mediactl edit streams.cam1
  mediactl edit --from ~/.local/state/mediactl/draft-8kYw2x.conf
  mediactl --url https://media.example edit --confirm 60s")]
pub struct EditArgs {
    /// The entry to edit, such as `streams.cam1` [default: the whole text]
    #[arg(value_name = "PATH", conflicts_with = "from")]
    pub path: Option<String>,

    /// Go on with the text of an edit that failed
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub from: Option<PathBuf>,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

pub fn run(args: &EditArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let Invocation { global, ui, .. } = call;
    let path = args.path.as_deref().map(input::value_path).transpose()?;
    let change = ChangeCommand::new(&args.changing, Verb::EDIT).named("edit");
    let mut target = target::resolve(global, (&args.changing).into(), ui)?;
    // A target without a text is refused before anything is made.
    let Present { text: present, is_running } = configuration(&mut target)?;
    if !is_running {
        ui.note("what runs differs from the file; the file is edited");
    }
    let draft = match &args.from {
        Some(file) => earlier_draft(file, &target)?,
        None => new_draft(path.as_ref(), &present, &mut target)?,
    };
    drop(present);
    let of = target_option(global, &target);
    let file = draft.path().display().to_string();
    let kept =
        format!("what you wrote is kept: `mediactl {of}edit --from {}` goes on with it", quoted(&file));
    Editing { target, draft, kept, editor: Editor::from_environment(), ui, change }.run()
}

/// The text of an edit that failed.
fn earlier_draft(file: &FilePath, target: &Target) -> Result<KeptDraft, Error> {
    // The printed command works in every folder.
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    if let Some(text) = text_of_base(&file) {
        return Err(Error::base_of_draft(&file, &text));
    }
    let draft = KeptDraft::open(file.clone()).map_err(|error| match () {
        _ if error.kind != ErrorKind::NoConfiguration => error,
        _ if file.exists() => Error::draft_without_base(&file, &error),
        _ => Error::no_draft(&file),
    })?;
    match &draft.origin.head.target {
        other if *other != draft_name(target) => Err(Error::draft_of_another(&file, other)),
        _ => Ok(draft),
    }
}

fn new_draft(path: Option<&Path>, present: &Arc<Snapshot>, target: &mut Target) -> Result<KeptDraft, Error> {
    let range = match path {
        Some(_) if !present.is_valid() => return Err(Error::bad_config(present.clone())),
        Some(path) => Some(range_of(path, present, target)?),
        None => None,
    };
    let range = range.map(|range| (range.start, range.end));
    let head = DraftHead { target: draft_name(target), range, path: path.map(Path::to_string) };
    let home = state_home().ok_or_else(Error::no_state_home)?;
    let origin = DraftOrigin { head, base: present.shared_bytes().clone() };
    KeptDraft::create(&home, origin)
}

/// The option that names the same target again, with a blank behind it; empty where the context in use or a variable names
/// a server.
fn target_option(global: &GlobalArgs, target: &Target) -> String {
    let (option, value) = match global.chosen.kind {
        TargetKind::File => ("--conf", global.file_name()),
        // Without the password that the URL may have.
        TargetKind::Server(NamedBy::CommandLine) => ("--url", target.service.name().to_owned()),
        TargetKind::Cluster(NamedBy::CommandLine) => ("--cluster", target.service.name().to_owned()),
        TargetKind::Context(NamedBy::CommandLine) => ("-x", global.context.clone().unwrap_or_default()),
        _ => return String::new(),
    };
    format!("{option} {} ", quoted(&value))
}

/// The lines of an entry, which may be in an included file instead.
fn range_of(path: &Path, present: &Arc<Snapshot>, target: &mut Target) -> Result<Range<usize>, Error> {
    let fault = match present.document().lines_of(path) {
        Ok(range) => return Ok(range),
        Err(fault) => fault,
    };
    if let Some(composed) = target.composed(present, Some(ConfigSource::Saved))? {
        composed.refuse_entry(path)?;
    }
    Err(Error::from(fault))
}

/// The name of the target in a draft.
fn draft_name(target: &Target) -> String {
    match &target.file {
        Some(file) => file.target().display().to_string(),
        None => target.service.name().to_owned(),
    }
}
