//! `mediactl explain`

use std::io::{self, Write};
use std::sync::Arc;

use colored::Color;
use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::args::Invocation;
use crate::cli::args::global::ListFormat;
use crate::cli::fleet::answers::heading;
use crate::cli::fleet::members::FleetMember;
use crate::cli::input;
use crate::cli::render::table::wrapped;
use crate::cli::render::{diagnostics, table};
use crate::cli::target::Target;
use crate::cli::ui::{Ui, output};
use crate::engine::{Composed, Snapshot};
use crate::error::{Error, ErrorKind, Exit};
use mediaconf::{Config, Explanation, LineIndex, Path, ValueSource, one_line};

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
  mediactl explain streams.cam1.auth
  mediactl explain edit_auth.password -o json")]
pub struct ExplainArgs {
    /// What to explain, such as `streams.prepush` or `streams.cam1.prepush`
    #[arg(value_name = "PATH")]
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
        let read = |server: &mut FleetMember| match Explained::read(&mut server.target) {
            // There may be no configuration yet: the schema is known without one.
            Err(error) if server.is_alone() && error.kind == ErrorKind::NoConfiguration => {
                ui.warning(&format!("{error}: explaining without values"));
                Ok(None)
            }
            read => Ok(Some(read?)),
        };
        let answers = call.ask("read", read)?.then(|server, read| match read {
            Some(read) => Explained::explain(&path, read, server, ui),
            None => Explained::without_values(&path),
        })?;
        if self.output == ListFormat::Json {
            answers.print_json(|explained| json!(explained))?;
            return Ok(answers.exit());
        }
        if let Some((_, explained)) = answers.one() {
            let value = explained.value_or_not_set();
            ui.print_painted(|out| print(explained, value.as_deref(), ui, out))?;
            return Ok(answers.exit());
        }
        // Equal explanations are shown once, and the values in a table.
        let mut texts: Vec<(Vec<u8>, Vec<String>)> = Vec::new();
        let mut rows = vec![["SERVER", "VALUE"].map(str::to_owned).to_vec()];
        for (server, explained) in answers.found() {
            let mut text = Vec::new();
            output(print(explained, None, ui, &mut text))?;
            match texts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, servers)) => servers.push(server.to_owned()),
                None => texts.push((text, vec![server.to_owned()])),
            }
            rows.extend(explained.value_or_not_set().map(|value| answers.row(server, [value])));
        }
        ui.print_painted(|out| {
            for (index, (text, servers)) in texts.iter().enumerate() {
                writeln!(out, "{}", heading(index, servers))?;
                out.write_all(text)?;
            }
            if rows.len() > 1 {
                writeln!(out)?;
                table::print(rows, ui.width(), out)?;
            }
            Ok(())
        })?;
        Ok(answers.exit())
    }
}

impl Explained {
    /// Reads a configuration, with what it includes.
    fn read(target: &mut Target) -> Result<(Arc<Snapshot>, Option<Composed>), Error> {
        let text = target.service.read(None)?;
        let composed = if text.is_valid() { target.composed(&text, None)? } else { None };
        Ok((text, composed))
    }

    /// Explains the value at a path of a configuration with this name.
    fn explain(
        path: &Path,
        (text, composed): (Arc<Snapshot>, Option<Composed>),
        name: &str,
        ui: Ui,
    ) -> Result<Self, Error> {
        if !text.is_valid() {
            ui.warning(&format!("`{name}` has errors, so its values are not shown"));
            return Self::without_values(path);
        }
        let composed = composed.map(|all| diagnostics::valid(all, ui)).transpose()?;
        let text = composed.as_ref().map_or(&text, |composed| &composed.text);
        let config = text.config();
        let masked = ui.masker().map(|masker| text.masked(&masker));
        let mut explained = looked_up(&masked.as_ref().unwrap_or(text).config(), path)?;
        let found = explained.explanation.found.as_ref().filter(|_| !text.is_of_values());
        let set_at = found.and_then(|found| found.set_at.as_ref());
        if let Some(entry) = set_at.and_then(|path| config.entry_at(&path.segments)) {
            let at = entry.span().start;
            let (file, line) = match &composed {
                Some(composed) => composed.line(at),
                None => (name, LineIndex::new(text.document().text()).position(at).line),
            };
            (explained.file, explained.line) = (Some(file.to_owned()), Some(line));
        }
        Ok(explained)
    }

    /// Explains a path where no configuration is known.
    fn without_values(path: &Path) -> Result<Self, Error> {
        let explained = looked_up(&Config::from(&json!({})), path)?;
        Ok(Self { explanation: Explanation { is_certain: false, ..explained.explanation }, ..explained })
    }

    /// The value in words, where the path leads to one place of a configuration that is known.
    fn value_or_not_set(&self) -> Option<String> {
        self.explanation.is_certain.then(|| value(self).unwrap_or("not set".to_owned()))
    }
}

fn looked_up(current: &Config<'_>, path: &Path) -> Result<Explained, Error> {
    let explanation = current.explain(path).map_err(Error::from)?;
    Ok(Explained { explanation, file: None, line: None })
}

/// Prints an explanation, with this value.
fn print(explained: &Explained, value: Option<&str>, ui: Ui, out: &mut dyn Write) -> io::Result<()> {
    let Explanation { path, documentation, value_type, unit, default, text, json, .. } =
        &explained.explanation;
    writeln!(out, "{}", ui.paint(&one_line(path), Color::Yellow))?;
    let screen = ui.width();
    let hanging = |text: &str, indent: usize| {
        wrapped(text, screen.saturating_sub(indent)).join(&format!("\n{}", " ".repeat(indent)))
    };
    writeln!(out, "  {}\n", hanging(documentation, 2))?;
    let mut line = |label: &str, text: &str| writeln!(out, "{label:<9} {}", hanging(text, 10));
    line("type", value_type)?;
    unit.map_or(Ok(()), |unit| line("unit", unit))?;
    line("default", default.unwrap_or("none"))?;
    text.as_ref().map_or(Ok(()), |text| line("text", text))?;
    line("JSON", json)?;
    let Explanation { places, example, secret, members, .. } = &explained.explanation;
    if !places.is_empty() {
        line("where", &places.join(", "))?;
    }
    example.map_or(Ok(()), |example| line("example", example))?;
    if *secret {
        line("secret", "yes, or a part of it: it is masked")?;
    }
    value.map_or(Ok(()), |value| line("value", value))?;
    if !members.is_empty() {
        writeln!(out, "\nmembers")?;
        let width = members.iter().map(|(key, _)| key.len()).max().unwrap_or_default();
        members
            .iter()
            .try_for_each(|(key, text)| writeln!(out, "  {key:<width$}  {}", hanging(text, width + 4)))?;
    }
    Ok(())
}

/// The value, and its origin.
fn value(explained: &Explained) -> Option<String> {
    let Some(found) = &explained.explanation.found else {
        return None;
    };
    let source = match found.source {
        ValueSource::Own => "own",
        ValueSource::Template => "template",
        ValueSource::Global => "global",
        ValueSource::Derived => "derived",
        ValueSource::Default => "default",
    };
    let place = match (&explained.file, explained.line) {
        (Some(file), Some(line)) => format!(", {file}:{line}"),
        _ => String::new(),
    };
    let value = match &found.value {
        Value::Object(members) if members.len() > MAX_SHOWN => format!("{} members", members.len()),
        Value::Array(elements) if elements.len() > MAX_SHOWN => format!("{} elements", elements.len()),
        value => value.to_string(),
    };
    Some(format!("{} ({source}{})", one_line(&value), one_line(&place)))
}

/// A larger object or list is counted, not shown.
const MAX_SHOWN: usize = 20;
