//! `mediactl explain`

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::args::Invocation;
use crate::cli::args::global::ListFormat;
use crate::cli::fleet::members::FleetMember;
use crate::cli::input;
use crate::cli::render::diagnostics;
use crate::cli::render::table::wrapped;
use crate::cli::ui::Ui;
use crate::engine::{Composed, Snapshot};
use crate::error::{Error, ErrorKind, Exit};
use mediaconf::{Config, Explanation, FoundValue, LineIndex, Path, one_line};

/// Explain a parameter, and show its value and where that comes from
///
/// Shows what the parameter is for, its type, unit and default, how it is written in the text and in JSON, where
/// it may stand, and an example. `streams.prepush` is the parameter of any stream, `streams.cam1.prepush`
/// that of one: then the value that holds there is shown, too, with the file and the line where it is set.
/// The value is its own, that of the template that the stream names, that of the top level (`global`), derived from
/// the text around it, or the default.
/// The members of an object are listed.
///
/// A keyword of the text, such as `streams.url`, stands for its key in JSON. Passwords and keys are always
/// masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl explain streams
  mediactl explain streams.prepush
  mediactl explain edit_auth.password -o json")]
pub struct ExplainArgs {
    /// What to explain, such as `streams.prepush` or `streams.cam1.prepush`
    pub path: String,

    /// How to print it
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

/// An explanation, with the place where the value is set.
#[derive(Serialize)]
struct Explained {
    #[serde(flatten)]
    explanation: Explanation,
    file: Option<String>,
    /// From 1.
    line: Option<usize>,
}

impl ExplainArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let call = call.paged();
        let ui = call.ui;
        let path = input::value_path(&self.path)?;
        let read = |server: &mut FleetMember| match server.target.service.read(None) {
            // There may be no configuration yet: the schema is known without one.
            Err(error) if server.is_only_server() && error.kind == ErrorKind::NoConfiguration => {
                ui.warning(&format!("{error}: explaining without values"));
                Ok(None)
            }
            read => {
                let text = read?;
                let composed = if text.is_valid() { server.target.composed(&text, &text)? } else { None };
                Ok(Some((text, composed)))
            }
        };
        let answers = call.ask("read", read)?.then(|server, read| explained(&path, read, server, ui))?;
        answers.show(|explained| json!(explained), |explained, out| print(explained, ui.width(), out))
    }
}

/// Explains the value at a path of a configuration with this name, as far as one is known.
fn explained(
    path: &Path,
    read: Option<(Arc<Snapshot>, Option<Composed>)>,
    name: &str,
    ui: Ui,
) -> Result<Explained, Error> {
    let has_errors = read.as_ref().is_some_and(|(text, _)| !text.is_valid());
    if has_errors {
        ui.warning(&format!("`{name}` has errors, so its values are not shown"));
    }
    let Some((text, composed)) = read.filter(|_| !has_errors) else {
        let explanation = Config::from(&json!({})).explain(path)?;
        let explanation = Explanation { is_certain: false, ..explanation };
        return Ok(Explained { explanation, file: None, line: None });
    };
    let composed = composed.map(|all| diagnostics::valid(all, ui)).transpose()?;
    let text = composed.as_ref().map_or(&text, |composed| &composed.text);
    let explanation = text.masked(ui.masker).config().explain(path)?;
    let found = explanation.found.as_ref().filter(|_| !text.is_of_values);
    let set_at = found.and_then(|found| {
        text.config().entry_at(&found.set_at.as_ref()?.segments).map(|entry| entry.span().start)
    });
    let (file, line) = set_at
        .map(|at| match &composed {
            Some(composed) => composed.line(at),
            None => (name, LineIndex::new(text.document().text()).position(at).line),
        })
        .unzip();
    let file = file.map(str::to_owned);
    Ok(Explained { explanation, file, line })
}

/// Prints an explanation, with the value, on a screen of this width.
fn print(explained: &Explained, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let (explanation, value) = (&explained.explanation, value(explained));
    writeln!(out, "{}", one_line(&explanation.path))?;
    let hanging = |text: &str, indent: usize| {
        wrapped(text, screen.saturating_sub(indent)).join(&format!("\n{}", " ".repeat(indent)))
    };
    writeln!(out, "  {}\n", hanging(&explanation.documentation, 2))?;
    let places = explanation.places.join(", ");
    let lines = [
        ("type", Some(&*explanation.value_type)),
        ("unit", explanation.unit),
        ("default", explanation.default.or(Some("none"))),
        ("text", explanation.text.as_deref()),
        ("JSON", Some(&*explanation.json)),
        ("where", Some(&*places).filter(|places| !places.is_empty())),
        ("example", explanation.example),
        ("secret", explanation.secret.then_some("yes, or a part of it: it is masked")),
        ("value", value.as_deref()),
    ];
    for (label, text) in lines.into_iter().filter_map(|(label, text)| Some((label, text?))) {
        writeln!(out, "{label:<9} {}", hanging(text, 10))?;
    }
    let members = &explanation.members;
    if !members.is_empty() {
        writeln!(out, "\nmembers")?;
    }
    let width = members.iter().map(|(key, _)| key.len()).max().unwrap_or_default();
    let mut members = members.iter();
    members.try_for_each(|(key, text)| writeln!(out, "  {key:<width$}  {}", hanging(text, width + 4)))
}

/// The value in words, and its origin, where the path leads to one place of a configuration that is known.
fn value(Explained { explanation, file, line }: &Explained) -> Option<String> {
    let certain = explanation.is_certain.then_some(&explanation.found)?;
    let Some(FoundValue { value, source, .. }) = certain else { return Some("not set".to_owned()) };
    let place = file.as_ref().zip(*line).map_or(String::new(), |(file, line)| format!(", {file}:{line}"));
    let value = match value {
        Value::Object(members) if members.len() > MAX_SHOWN => format!("{} members", members.len()),
        Value::Array(elements) if elements.len() > MAX_SHOWN => format!("{} elements", elements.len()),
        value => value.to_string(),
    };
    let source = json!(source);
    Some(format!("{} ({}{})", one_line(&value), source.as_str().unwrap_or_default(), one_line(&place)))
}

/// A larger object or list is counted, not shown.
const MAX_SHOWN: usize = 20;
