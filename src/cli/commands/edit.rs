//! `mediactl edit`

use std::ops::Range;
use std::sync::Arc;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::editing::{Editing, Present, configuration};
use crate::cli::editor::Editor;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::local_user::state_home;
use crate::cli::prompts;
use crate::cli::render::report::{Verb, lines};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::{ConfigSource, ContentDiff, Refusal, Snapshot};
use crate::store::bounded_time;
use crate::store::file::{DraftFolder, DraftHead, DraftOrigin, KeptDraft};
use mediaconf::plumbing::edit::Path;
use mediaconf::plumbing::edit::draft::{lines_of, without_comments};

/// Edit the configuration, or one entry of it, in a text editor
///
/// The editor is $VISUAL, else $EDITOR, else vi. When it ends, the text is checked, the change is shown, and
/// after a question it is made. A text with faults is opened again at the first of them. What you wrote is
/// kept until it is in the configuration: --resume opens it again, --discard ends it. If the configuration was
/// changed meanwhile, both changes are merged. An editor that fails and leaves the text as it was (`:cq`) changes
/// nothing; with --yes that is an error.
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

pub fn run(args: &EditArgs, call: Invocation<'_>) -> Result<Exit, CliError> {
    let Invocation { global, ui, .. } = call;
    if args.discard {
        return discard(args, global, ui);
    }
    let path = args.path.as_deref().map(input::value_path).transpose()?;
    let change = ChangeCommand::new(&args.changing, Verb::EDIT).named("edit");
    let mut target = target::resolve(global, (&args.changing).into(), ui)?;
    // A target without a text is refused before anything is made.
    let Present { text: present, is_running } = configuration(&mut target)?;
    if !is_running {
        ui.note("what runs differs from the file; the file is edited");
    }
    let range = match &path {
        Some(_) if !present.is_valid() => return Err(Refusal::bad_config(present).into()),
        Some(path) => Some(range_of(path, &present, &mut target)?),
        None => None,
    };
    let name = draft_name(&target);
    let folder = draft_folder(&target)?;
    let waiting = folder.waiting(&name).map_err(Refusal::from)?.into_iter().next();
    let draft = match (args.resume, waiting) {
        (true, Some(draft)) => {
            offer_rescues(&draft, ui)?;
            draft
        }
        (true, None) => return Err(CliError::no_draft(target.service.name())),
        (false, waiting) => {
            if waiting.is_some() {
                ui.note(
                    "an earlier edit is unfinished; `mediactl edit --resume` opens it again, \
                     `mediactl edit --discard` ends it",
                );
            }
            let range = range.map(|range| (range.start, range.end));
            let path = path.map(|path| path.to_string());
            new_draft(&folder, DraftHead { target: name, range, path }, &present)?
        }
    };
    drop(present);
    Editing { target, draft, editor: Editor::from_environment(), ui, change }.run()
}

/// Ends the edits that were not finished, and names them.
fn discard(args: &EditArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let target = target::resolve(global, Purpose::default(), ui)?;
    if target.file.as_ref().is_some_and(|file| !file.has_state_folder()) {
        return Err(CliError::no_draft(target.service.name()));
    }
    let name = draft_name(&target);
    let drafts = draft_folder(&target)?.waiting(&name).map_err(Refusal::from)?;
    if drafts.is_empty() {
        return Err(CliError::no_draft(target.service.name()));
    }
    for draft in drafts {
        let words = in_words(&draft);
        draft.discard();
        if !args.changing.quiet {
            ui.say(&format!("discarded {words}"));
        }
    }
    Ok(Exit::Done)
}

/// Describes a draft: its subject, the time of its last write, and the size of its change.
fn in_words(draft: &KeptDraft) -> String {
    let of = draft.origin.head.path.as_ref().map_or(String::new(), |path| format!(" of `{path}`"));
    let time =
        draft.written().map_or(String::new(), |written| format!(" of {}", bounded_time::rfc3339(written)));
    let lines = draft.read().map_or(String::new(), |text| {
        let [old, new] = [draft.origin.base.clone(), draft.origin.spliced(without_comments(text))];
        let [old, new] = [old, new].map(|text| Arc::new(Snapshot::from_bytes(text)));
        let diff = ContentDiff::between_texts([&old, &new], None);
        let [added, removed] = diff.added_and_removed().map(lines);
        format!(": {added} added, {removed} removed")
    });
    format!("the edit{of}{time}{lines}")
}

/// Offers the texts that the editor rescued, and names the files that it alone can read.
fn offer_rescues(draft: &KeptDraft, ui: Ui) -> Result<(), CliError> {
    for rescue in draft.rescues() {
        let path = rescue.path.display();
        let question = format!("the editor left `{path}`, a rescue of the text: go on with it?");
        let answer = if rescue.is_text { prompts::confirm(&question) } else { Ok(None) };
        match answer.map_err(CliError::prompt_failed)? {
            Some(true) => draft.take(&rescue).map_err(Refusal::from)?,
            _ => ui.note(&format!("the editor left `{path}`, a rescue of the text")),
        }
    }
    Ok(())
}

/// The lines of an entry, which may be in an included file instead.
fn range_of(path: &Path, present: &Arc<Snapshot>, target: &mut Target) -> Result<Range<usize>, CliError> {
    let fault = match lines_of(present.document(), path) {
        Ok(range) => return Ok(range),
        Err(fault) => fault,
    };
    if let Some(composed) = target.composed(present, Some(ConfigSource::Saved))? {
        composed.refuse_entry(path)?;
    }
    Err(CliError::bad_selection(fault))
}

fn new_draft(folder: &DraftFolder, head: DraftHead, present: &Arc<Snapshot>) -> Result<KeptDraft, CliError> {
    let base = present.shared_bytes().clone();
    let text = head.range.map_or(base.clone(), |(start, end)| base.slice(start..end));
    Ok(folder.create(DraftOrigin { head, base }, &text).map_err(Refusal::from)?)
}

/// The target of a draft: the name by which `--resume` finds it.
fn draft_name(target: &Target) -> String {
    match &target.file {
        Some(file) => file.target().display().to_string(),
        None => target.service.name().to_owned(),
    }
}

/// Returns the folder of the draft: the state folder of the file; of what is on a server, or where others
/// may write the state folder, the folder of the user.
fn draft_folder(target: &Target) -> Result<DraftFolder, CliError> {
    let beside = target.file.as_ref().map(|file| DraftFolder::of_file(file));
    match (beside, state_home()) {
        (Some(Ok(Some(folder))), _) => Ok(folder),
        (_, Some(home)) => Ok(DraftFolder::of_user(&home).map_err(Refusal::from)?),
        (Some(Err(error)), None) => Err(Refusal::from(error).into()),
        (_, None) => Err(CliError::no_state_home()),
    }
}
