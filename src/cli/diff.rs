//! `mediactl diff`

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::error::CliError;
use super::exit::Exit;
use super::input::{self, STDIN};
use super::options::Global;
use super::text_diff::TextDiff;
use super::ui::Ui;
use crate::edit::json_diff;
use crate::engine::{EngineError, Snapshot};
use crate::model::{Lens, View, top_members};

/// Show how two configurations differ
///
/// Each side is a file, `-` for standard input, `saved` for the configuration file, or `running`
/// for what a server runs. With A alone, the configuration file is compared with A.
///
/// The exit code is 0 if they are the same and 1 if they differ.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl diff old.conf new.conf
  mediactl diff new.conf
  mediactl diff --json saved new.conf | mediactl modify -f -")]
pub struct Args {
    /// The first configuration [default: running]
    #[arg(value_name = "A", value_hint = clap::ValueHint::AnyPath)]
    first: Option<String>,

    /// The second configuration [default: saved]
    #[arg(value_name = "B", value_hint = clap::ValueHint::AnyPath)]
    second: Option<String>,

    /// Print the JSON patch (RFC 7396) that turns A into B
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
    let (first, second) = match (args.first.as_deref(), args.second.as_deref()) {
        (None, _) => ("running", "saved"),
        (Some(only), None) => ("saved", only),
        (Some(first), Some(second)) => (first, second),
    };
    if first == STDIN && second == STDIN {
        return Err(CliError::usage("standard input can't be both sides", "give a file for one of them"));
    }
    let (old, new) = (Side::load(first, global)?, Side::load(second, global)?);
    let different = if args.json { json(&old, &new, global, ui)? } else { text(&old, &new, global, ui)? };
    Ok(if different { Exit::Different } else { Exit::Done })
}

/// One of the two configurations.
struct Side {
    name: String,
    snapshot: Arc<Snapshot>,
}

impl Side {
    fn load(given: &str, global: &Global) -> Result<Self, CliError> {
        let (name, snapshot) = match given {
            "running" => return Err(EngineError::NoServer.into()),
            "saved" => (global.target(), global.reader()?.read()?),
            STDIN => ("<stdin>".to_owned(), input::snapshot(Path::new(STDIN))?),
            file => (file.to_owned(), input::snapshot(Path::new(file))?),
        };
        Ok(Self { name, snapshot })
    }

    fn view(&self) -> Result<Value, CliError> {
        if !self.snapshot.is_valid() {
            return Err(CliError::Invalid { name: self.name.clone(), snapshot: self.snapshot.clone() });
        }
        let members = top_members(self.snapshot.document());
        let lens = Lens::default();
        Ok(serde_json::to_value(View::new(&members, &lens)).expect("a view is JSON"))
    }
}

fn text(old: &Side, new: &Side, global: &Global, ui: Ui) -> Result<bool, CliError> {
    let diff = TextDiff::of_texts(old.snapshot.document(), new.snapshot.document());
    let mut out = BufWriter::new(io::stdout().lock());
    diff.print([&old.name, &new.name], global.masker(), ui, &mut out)?;
    out.flush()?;
    let (old, new) = (old.snapshot.bytes(), new.snapshot.bytes());
    if diff.is_empty() && old != new {
        ui.warning("the two differ in bytes that are not UTF-8");
    }
    Ok(old != new)
}

/// The patch is computed from the real values, then masked where a person looks at it.
fn json(old: &Side, new: &Side, global: &Global, ui: Ui) -> Result<bool, CliError> {
    let patch = json_diff::diff(&old.view()?, &new.view()?);
    let different = !patch.is_empty();
    let shown = match global.lens(ui).masker {
        Some(masker) => crate::model::redact::masked_json(&Value::Object(patch), &masker),
        None => Value::Object(patch),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, &shown).map_err(io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(different)
}
