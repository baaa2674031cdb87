//! `mediactl blame`

use serde_json::{Value, json};

use crate::cli::args::shared::ListFormat;
use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::render::table::wrapped;
use crate::cli::render::table::{self, Screen};
use crate::cli::render::texts::masked_entry;
use crate::cli::ui::Ui;
use crate::engine::{Blamed, ValueHistory, value_history};
use crate::error::{Error, Exit};
use mediaconf::one_line;

/// Show which changes set a value
///
/// Shows one line for each change of the value, the last one first: when, by whom, the old and the new
/// value. Only changes whose texts are still in the history are found.
///
/// As JSON the output is an array of the entries that `mediactl history` shows, with `from` and `to`.
///
/// Passwords and keys are always masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl blame streams.cam1.prepush
  mediactl blame streams.cam1.prepush -n 1
  mediactl blame 'streams.cam1.urls[0].url' -o json")]
pub struct BlameArgs {
    /// Which value, such as `streams.cam1.prepush`
    #[arg(value_name = "PATH")]
    pub path: String,

    /// Show at most this many changes
    #[arg(short = 'n', long, value_name = "N")]
    pub max_count: Option<usize>,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

/// Stands in front of a line that continues another one.
const INDENT: &str = "    ";

/// Said where a hand edit is not in the history yet.
const HAND_EDIT: &str = "the file was edited by hand since the last change; the next change found that edit, and \
                             `mediactl blame` shows it from then on";

pub fn run(args: &BlameArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let (call, masker) = (call.paged(), call.ui.masker());
    let ui = call.ui;
    let path = input::value_path(&args.path)?;
    let answers = call.ask("read", |server| {
        let found =
            value_history(&*server.target.service, &path, args.max_count, masker.as_ref(), &|| false)?;
        let changes = found.changes.into_iter();
        let changes = changes
            .map(|blamed| Blamed { entry: masked_entry(blamed.entry, masker.as_ref()), ..blamed })
            .collect();
        Ok::<_, Error>(ValueHistory { changes, ..found })
    })?;
    let edited = |found: &ValueHistory| found.is_edited.then(|| HAND_EDIT.to_owned());
    answers.once(edited).iter().for_each(|text| ui.note(text));
    if args.output == ListFormat::Json {
        answers.print_json(|found| json!(found.changes))?;
        return Ok(answers.exit());
    }
    let none = |found: &ValueHistory| match found.is_cut {
        true => format!("no change of `{path}` is known: a text of the history is not kept, or has errors"),
        false => format!("`{path}` was never changed in the recorded history"),
    };
    answers.once(|found| found.changes.is_empty().then(|| none(found))).iter().for_each(|text| ui.say(text));
    let width = ui.screen().width.map(|width| width.saturating_sub(answers.width_of_names()));
    let rows: Vec<Vec<String>> = answers
        .found()
        .flat_map(|(server, found)| {
            lines(&found.changes, width, ui).into_iter().map(|line| answers.row(server, [line]))
        })
        .collect();
    if !rows.is_empty() {
        ui.print(|out| table::aligned(&rows).try_for_each(|line| writeln!(out, "{line}")))?;
    }
    Ok(answers.exit())
}

/// Each change in one line, or in as many as fit a width; what continues one is indented.
fn lines(changes: &[Blamed], width: Option<usize>, ui: Ui) -> Vec<String> {
    let width = width.map(|width| width.saturating_sub(INDENT.len()).max(1));
    let broken = |blamed: &Blamed| wrapped(&line(blamed, ui), width.unwrap_or(usize::MAX));
    let broken: Vec<Vec<String>> = changes.iter().map(broken).collect();
    // A word that is too long for a line is cut, so that different ones stay different.
    let mut rows: Vec<Vec<String>> = broken.iter().flatten().map(|line| vec![line.clone()]).collect();
    table::fit(&mut rows, Screen { width, page: None });
    let indents =
        broken.iter().flat_map(|lines| (0..lines.len()).map(|at| if at == 0 { "" } else { INDENT }));
    indents.zip(rows).map(|(indent, row)| format!("{indent}{}", row.concat())).collect()
}

/// A change in one line.
fn line(Blamed { entry, from, to }: &Blamed, ui: Ui) -> String {
    let word = |value: &Option<Value>| {
        value.as_ref().map_or("nothing".to_owned(), |value| one_line(&value.to_string()))
    };
    let at = ui.time(entry.at);
    let by = one_line(entry.by.as_deref().unwrap_or("-"));
    let operation = one_line(&entry.operation);
    let number = entry.number.unwrap_or_default();
    let change = match (from, to) {
        (Some(Value::Object(from)), Some(Value::Object(to))) => {
            let keys = from.keys().chain(to.keys().filter(|key| !from.contains_key(*key)));
            let member = |key: &String| {
                let [from, to] = [from, to].map(|members| word(&members.get(key).cloned()));
                format!("{}: {from} → {to}", one_line(key))
            };
            keys.map(member).collect::<Vec<_>>().join(", ")
        }
        (from, to) => format!("{} → {}", word(from), word(to)),
    };
    format!("@{number}  {at}  {by}  {operation}: {change}")
}
