//! `mediactl blame`

use serde::Serialize;
use serde_json::Value;

use crate::cli::args::blame::BlameArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::args::history::ListFormat;
use crate::cli::commands::history::masked;
use crate::cli::commands::read;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::remote::Source;
use crate::cli::render::sanitize::one_line;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::edit::config_lookup::LocalView;
use crate::edit::select::select;
use crate::engine::{Blamed, EngineError, Snapshot, blame, is_edited_since};
use crate::model::{Lens, top_members};
use crate::store::{ChangeRef, HistoryEntry};

/// An element of the JSON array.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    entry: HistoryEntry,
    /// The value before; null if there was none.
    from: Option<Value>,
    /// The value afterwards; null if there is none.
    to: Option<Value>,
}

/// Runs the command.
pub fn run(args: &BlameArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let path = read::parse(&args.path)?;
    let mut target = target::resolve(global, Purpose::Read, ui)?;
    let entries = target.history()?;
    let now = target.text(Source::Saved)?;
    refuse_invalid(&now)?;
    if is_edited_since(&entries, &now) {
        ui.note_line(
            "the file was edited by hand since the last change; what that did is told after the next one",
        );
    }
    let mut kept = |serial| match target.kept(ChangeRef::Serial(serial)) {
        Err(error) if error.is_not_kept() => Ok(None),
        found => found.map(Some),
    };
    let found = blame(&entries, &now, &mut kept, &path, global.masker().as_ref())?;
    if found.is_empty() {
        let members = top_members(now.document());
        // Of what is not there and never was, the name is wrong.
        select(&LocalView::new(&members, &Lens::default()), &path).map_err(CliError::Select)?;
        if args.output == ListFormat::Text {
            ui.say(&format!("no change of `{path}` is known"));
            return Ok(Exit::Done);
        }
    }
    let shown = found.into_iter().map(|Blamed { entry, from, to }| {
        let entry = masked(entry, global.masker().as_ref());
        Shown { entry, from, to }
    });
    print(&shown.collect::<Vec<_>>(), args.output, ui)
}

fn refuse_invalid(now: &std::sync::Arc<Snapshot>) -> Result<(), CliError> {
    if now.is_valid() { Ok(()) } else { Err(EngineError::BadConfig(now.clone()).into()) }
}

fn print(found: &[Shown], form: ListFormat, ui: Ui) -> Result<Exit, CliError> {
    match form {
        ListFormat::Json => ui.print_json(&found)?,
        ListFormat::Text => {
            ui.print(|out| found.iter().try_for_each(|shown| writeln!(out, "{}", line(shown))))?
        }
    }
    Ok(Exit::Done)
}

fn line(Shown { entry, from, to }: &Shown) -> String {
    let word = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
    let at = humantime::format_rfc3339_seconds(entry.at);
    let by = one_line(entry.by.as_deref().unwrap_or("-"));
    let what = one_line(&entry.operation);
    let number = entry.number.unwrap_or_default();
    format!("@{number}  {at}  {by}  {what}: {} → {}", one_line(&word(from)), one_line(&word(to)))
}
