//! `mediactl diff`

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};

use crate::cli::args::diff::DiffArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::credentials::UrlSource;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input::is_url;
use crate::cli::input::{self, STDIN};
use crate::cli::remote::{Remote, Source};
use crate::cli::render::diff::ContentDiff;
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::edit::normalize::normalize;
use crate::edit::{guarded, json_diff};
use crate::engine::Content;
use crate::engine::{Engine, EngineError, Guard};
use crate::store::{ChangeRef, NotAChangeRef};

/// What names the configuration that a server runs.
const RUNNING: &str = "running";

/// What names the file.
const SAVED: &str = "saved";

/// Runs the command.
pub fn run(args: &DiffArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let sides = match (args.first.as_deref(), args.second.as_deref()) {
        (None, _) => [Some(RUNNING), Some(SAVED)],
        (Some(only), None) if is_past(only) => [Some(only), Some(SAVED)],
        (Some(only), None) => [None, Some(only)],
        (Some(first), Some(second)) => [Some(first), Some(second)],
    };
    if sides == [Some(STDIN), Some(STDIN)] {
        return Err(CliError::usage("standard input can't be both sides", "give a file for one of them"));
    }
    let [first, second] = sides;
    let (old, new) = (Side::load(first, global, ui)?, Side::load(second, global, ui)?);
    let different = if args.json { json(&old, &new, ui)? } else { text(&old, &new, ui)? };
    Ok(if different { Exit::Different } else { Exit::Done })
}

/// Whether it is `@N` or `serial:N`.
fn is_past(name: &str) -> bool {
    let digits = name.strip_prefix('@').or_else(|| name.strip_prefix("serial:"));
    digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// One of the two configurations.
struct Side {
    name: String,
    content: Content,
}

impl Side {
    /// A configuration by its name; without one, what `read` shows.
    fn load(given: Option<&str>, global: &GlobalArgs, ui: Ui) -> Result<Self, CliError> {
        match given.unwrap_or_default() {
            "" if given.is_none() => match target::resolve(global, Purpose::Read, ui)? {
                Target::Remote(mut server) => Self::of_server(&mut server, Source::Running),
                Target::Local(engine) => Self::of_engine(&engine, global),
            },
            RUNNING => Self::of_target(Source::Running, global, ui),
            SAVED => Self::of_target(Source::Saved, global, ui),
            url if is_url(url) => Self::of_server(
                &mut target::at_url(url, UrlSource::CommandLine, global, ui)?,
                Source::Running,
            ),
            STDIN => Self::of_file("<stdin>", STDIN),
            name if is_past(name) => Self::of_past(name, global, ui),
            file => Self::of_file(file, file),
        }
    }

    fn of_target(source: Source, global: &GlobalArgs, ui: Ui) -> Result<Self, CliError> {
        let target = target::resolve(global, Purpose::Read, ui)?;
        match (target, source) {
            (Target::Remote(mut server), source) => Self::of_server(&mut server, source),
            (Target::Local(_), Source::Running) => Err(EngineError::NoServer.into()),
            (Target::Local(engine), Source::Saved) => Self::of_engine(&engine, global),
        }
    }

    fn of_past(name: &str, global: &GlobalArgs, ui: Ui) -> Result<Self, CliError> {
        let which: ChangeRef = name.parse().map_err(|error: NotAChangeRef| {
            CliError::usage(format!("`{name}`: {error}"), "`mediactl history` shows them")
        })?;
        let mut target = target::resolve(global, Purpose::Read, ui)?;
        let name = format!("{} ({name})", target.name(global));
        Ok(Self { name, content: Content::Text(target.kept(which)?) })
    }

    fn of_engine(engine: &Engine, global: &GlobalArgs) -> Result<Self, CliError> {
        Ok(Self { name: global.file_name(), content: Content::Text(engine.read()?) })
    }

    fn of_server(server: &mut Remote, source: Source) -> Result<Self, CliError> {
        let content = server.fetch(source)?.content;
        let name = match source {
            Source::Running => server.name().to_owned(),
            Source::Saved => format!("{} ({SAVED})", server.name()),
        };
        Ok(Self { name, content })
    }

    fn of_file(name: &str, file: &str) -> Result<Self, CliError> {
        Ok(Self { name: name.to_owned(), content: Content::Text(input::snapshot(Path::new(file))?) })
    }

    /// Its JSON, which a text with errors has not.
    fn view(&self) -> Result<Value, CliError> {
        match &self.content {
            Content::Text(snapshot) if !snapshot.is_valid() => {
                Err(CliError::Invalid { name: self.name.clone(), snapshot: snapshot.clone() })
            }
            content => Ok(content.to_json()),
        }
    }
}

fn text(old: &Side, new: &Side, ui: Ui) -> Result<bool, CliError> {
    if let Some(side) = [old, new].into_iter().find(|side| matches!(side.content, Content::Json(_))) {
        ui.note(&format!("`{}` gives no text, so the diff is of the JSON", side.name));
        old.view()?;
        new.view()?;
    }
    let diff = ContentDiff::between(&old.content, &new.content, ui.masker());
    ui.print_painted(|out| diff.print([&old.name, &new.name], ui, out))?;
    let (Content::Text(old), Content::Text(new)) = (&old.content, &new.content) else {
        return Ok(!diff.is_empty());
    };
    let (old, new) = (old.bytes(), new.bytes());
    if diff.is_empty() && old != new {
        ui.warning("the two differ in bytes that are not UTF-8");
    }
    Ok(old != new)
}

/// Says which guards stand before the patch: the other file is meant, whatever form it has.
fn say_what_it_needs(old: &Value, patch: &Map<String, Value>, ui: Ui) {
    let Ok(reduced) = normalize(Value::Object(patch.clone())) else { return };
    let guards =
        guarded::in_json(old, &reduced).0.into_iter().filter_map(|fault| Guard::of_fault(fault.kind));
    let names: BTreeSet<&str> = guards.filter_map(|guard| guard.name()).collect();
    if !names.is_empty() {
        let names: Vec<&str> = names.into_iter().collect();
        ui.note(&format!("this patch needs `mediactl modify --accept {}`", names.join(",")));
    }
}

/// The patch is computed from the real values, then masked where a person looks at it.
fn json(old: &Side, new: &Side, ui: Ui) -> Result<bool, CliError> {
    let before = old.view()?;
    let patch = json_diff::diff(&before, &new.view()?);
    let different = !patch.is_empty();
    say_what_it_needs(&before, &patch, ui);
    let shown = match ui.value_masker() {
        Some(masker) => crate::model::redact::masked_json(&Value::Object(patch), &masker),
        None => Value::Object(patch),
    };
    ui.print_json(&shown)?;
    Ok(different)
}
