//! `mediactl blame`

use serde_json::Value;

use crate::cli::args::blame::BlameArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::args::history::ListFormat;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::local_time;
use crate::cli::render::history::masked;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::edit::config_lookup::LocalView;
use crate::edit::path::Path;
use crate::edit::select::select;
use crate::engine::{
    Blamed, ConfigService, EngineError, Feature, ServiceError, Snapshot, Source, blame, is_edited_since,
};
use crate::model::{Lens, Masker, top_members};
use crate::store::{ChangeRef, WHOLE_HISTORY};
use crate::syntax::one_line;

/// How many entries are read at first for each change that is looked for, and how many times more each time.
const FIRST_ENTRIES: usize = 20;
const MORE_ENTRIES: usize = 8;

/// The HTTP status where the history of a server keeps no text.
const NOT_FOUND: u16 = 404;

pub fn run(args: &BlameArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let ui = ui.paged();
    let path = input::value_path(&args.path)?;
    let mut target = target::resolve(global, Purpose::default(), ui)?;
    target.service.demand(&[Feature::History])?;
    let now = target.read_text(Some(Source::Saved))?;
    if !now.is_valid() {
        return Err(EngineError::BadConfig(now).into());
    }
    let masker = ui.masker();
    let mut found = changes(args.max_count, &now, &path, masker.as_ref(), &mut *target.service, ui)?;
    if found.is_empty() {
        let members = top_members(now.document());
        // A path without a value now and in the history is misspelt.
        select(&LocalView::new(&members, &Lens::default()), &path).map_err(CliError::bad_selection)?;
    }
    for blamed in &mut found {
        blamed.entry = masked(blamed.entry.clone(), masker.as_ref());
    }
    match args.output {
        ListFormat::Json => ui.print_json(&found)?,
        ListFormat::Text if found.is_empty() => {
            ui.say(&format!("`{path}` was never changed in the recorded history"));
        }
        ListFormat::Text => {
            ui.print(|out| found.iter().try_for_each(|blamed| writeln!(out, "{}", line(blamed))))?;
        }
    }
    Ok(Exit::Done)
}

/// The last changes of the value at `path`, `most` of them. As few entries of the history are read as that takes.
fn changes(
    most: Option<usize>,
    now: &Snapshot,
    path: &Path,
    masker: Option<&Masker>,
    service: &mut dyn ConfigService,
    ui: Ui,
) -> Result<Vec<Blamed>, CliError> {
    let most = most.unwrap_or(WHOLE_HISTORY);
    let mut wanted = most.saturating_mul(FIRST_ENTRIES);
    loop {
        let entries = service.history(wanted)?;
        let mut kept = |serial| match service.kept(ChangeRef::Serial(serial)) {
            Err(error) if is_not_kept(&error) => Ok(None),
            found => found.map(Some),
        };
        let found = blame(&entries, now, &mut kept, path, masker, most)?;
        if found.len() == most || entries.len() < wanted {
            if is_edited_since(&entries, now) {
                ui.note(
                    "the file was edited by hand since the last change; the next change found that edit, \
                     and `mediactl blame` shows it from then on",
                );
            }
            return Ok(found);
        }
        wanted = wanted.saturating_mul(MORE_ENTRIES);
    }
}

/// Whether the history just has no text for a change.
fn is_not_kept(error: &ServiceError) -> bool {
    match error {
        ServiceError::Engine(EngineError::NotKept { .. }) => true,
        ServiceError::Remote(failure) => failure.status == Some(NOT_FOUND),
        ServiceError::Engine(_) | ServiceError::NotOffered { .. } => false,
    }
}

fn line(Blamed { entry, from, to }: &Blamed) -> String {
    let word = |value: &Option<Value>| {
        value.as_ref().map_or("nothing".to_owned(), |value| one_line(&value.to_string()))
    };
    let at = local_time::shown(entry.at);
    let by = one_line(entry.by.as_deref().unwrap_or("-"));
    let operation = one_line(&entry.operation);
    let number = entry.number.unwrap_or_default();
    format!("@{number}  {at}  {by}  {operation}: {} → {}", word(from), word(to))
}
