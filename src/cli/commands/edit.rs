//! `mediactl edit`

use std::ops::Range;
use std::sync::Arc;

use crate::cli::args::edit::EditArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::commands::change::ChangeCommand;
use crate::cli::editing::{Editing, Present, configuration};
use crate::cli::editor::Editor;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::report::Verb;
use crate::cli::state_home::state_home;
use crate::cli::target::{self, Target};
use crate::cli::ui::Ui;
use crate::edit::draft::lines_of;
use crate::edit::path::Path;
use crate::engine::{EngineError, ServiceError, Snapshot, Source};
use crate::store::file::{DraftFolder, DraftHead, DraftOrigin, KeptDraft};

pub fn run(args: &EditArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let path = args.path.as_deref().map(input::value_path).transpose()?;
    let change = ChangeCommand::new(&args.changing, Verb::EDIT).named("edit");
    let mut target = target::resolve(global, (&args.changing).into(), ui)?;
    // A target without a text is refused before anything is made.
    let Present { text: present, is_running } = configuration(&mut target)?;
    if !is_running {
        ui.note("what runs differs from the file; the file is edited");
    }
    let range = match &path {
        Some(_) if !present.is_valid() => return Err(EngineError::BadConfig(present).into()),
        Some(path) => Some(range_of(path, &present, &mut target)?),
        None => None,
    };
    let name = draft_name(&target);
    let folder = draft_folder(&target)?;
    let waiting = folder.waiting(&name).map_err(EngineError::from)?.into_iter().next();
    let draft = match (args.resume, waiting) {
        (true, Some(draft)) => draft,
        (true, None) => return Err(CliError::no_draft(target.service.name())),
        (false, waiting) => {
            if waiting.is_some() {
                ui.note("an earlier edit is unfinished; `mediactl edit --resume` opens it again");
            }
            let range = range.map(|range| (range.start, range.end));
            new_draft(&folder, DraftHead { target: name, range }, &present)?
        }
    };
    Editing { target, draft, editor: Editor::from_environment(), ui, change }.run()
}

/// The lines of an entry, which may be in an included file instead.
fn range_of(path: &Path, present: &Arc<Snapshot>, target: &mut Target) -> Result<Range<usize>, CliError> {
    let fault = match lines_of(present.document(), path) {
        Ok(range) => return Ok(range),
        Err(fault) => fault,
    };
    if let Some(composed) = target.composed(present, Some(Source::Saved))? {
        composed.refuse_entry(path, present).map_err(ServiceError::from)?;
    }
    Err(CliError::bad_selection(fault))
}

fn new_draft(folder: &DraftFolder, head: DraftHead, present: &Arc<Snapshot>) -> Result<KeptDraft, CliError> {
    let base = present.bytes().to_vec();
    let text = head.range.map_or(base.clone(), |(start, end)| base[start..end].to_vec());
    Ok(folder.create(DraftOrigin { head, base }, &text).map_err(EngineError::from)?)
}

/// The target of a draft: the name by which `--resume` finds it.
fn draft_name(target: &Target) -> String {
    match &target.file {
        Some(file) => file.target().display().to_string(),
        None => target.service.name().to_owned(),
    }
}

/// Where the draft is kept: in the state folder of the file; of what is on a server, or where others may
/// write the state folder, in the folder of the user.
fn draft_folder(target: &Target) -> Result<DraftFolder, CliError> {
    let beside = target.file.as_ref().map(|file| DraftFolder::of_file(file));
    match (beside, state_home()) {
        (Some(Ok(Some(folder))), _) => Ok(folder),
        (_, Some(home)) => Ok(DraftFolder::of_user(&home).map_err(EngineError::from)?),
        (Some(Err(error)), None) => Err(EngineError::from(error).into()),
        (_, None) => Err(CliError::no_state_home()),
    }
}
