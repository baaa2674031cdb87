//! `mediactl blame`

use serde::Serialize;
use serde_json::Value;

use super::error::CliError;
use super::exit::Exit;
use super::history::{Form, masked};
use super::options::Global;
use super::read;
use super::remote::Source;
use super::target::{self, Purpose};
use super::terminal::one_line;
use super::ui::Ui;
use crate::edit::current::LocalView;
use crate::edit::select::select;
use crate::engine::{Blamed, EngineError, Snapshot, blame, is_edited_since};
use crate::model::{Lens, top_members};
use crate::store::{ChangeRef, HistoryEntry};

/// Show which changes made a value what it is
///
/// One line a change of the value, the last one first: when, who, what it was, what it became. Only
/// texts that are still kept are looked at.
///
/// As JSON it is an array of what `mediactl history` shows of each change, with `from` and `to`.
///
/// Passwords and keys are always masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl blame streams.cam1.prepush
  mediactl blame 'streams.cam1.urls[0].url' -o json")]
pub struct Args {
    /// Which value, such as `streams.cam1.prepush`
    #[arg(value_name = "PATH")]
    path: String,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    output: Form,
}

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
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
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
        if args.output == Form::Text {
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

fn print(found: &[Shown], form: Form, ui: Ui) -> Result<Exit, CliError> {
    match form {
        Form::Json => ui.print_json(&found)?,
        Form::Text => ui.print(|out| found.iter().try_for_each(|shown| writeln!(out, "{}", line(shown))))?,
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
