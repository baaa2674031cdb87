//! `mediactl check`

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use crate::cli::args::check::{CheckArgs, CheckFormat};
use crate::cli::args::global::GlobalArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input::{self, STDIN};
use crate::cli::render::diagnostics::{DiagnosticRecord, Reporter};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::{Ui, output};
use crate::engine::{Feature, ServiceError, Snapshot, Source};

/// The argument for the running configuration.
const RUNNING: &str = "running";

pub fn run(args: &CheckArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let mut totals = CheckTotals::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut check = |loaded: Result<NamedText, CliError>| -> io::Result<()> {
        match loaded {
            Ok(named) => totals.add(args, ui, named, &mut out),
            Err(error) => {
                ui.error(&error);
                totals.unread = totals.unread.or(Some(error.kind.into()));
                Ok(())
            }
        }
    };
    output(match &args.files[..] {
        [] => check(configuration(global, ui)),
        files => files.iter().try_for_each(|file| check(given(file, global, ui))),
    })?;
    output(out.flush())?;
    drop(out);
    if args.output == CheckFormat::Json {
        ui.print_json(&totals.records)?;
    }
    if totals.files > 0 {
        ui.say(&totals.summary());
    }
    let invalid = totals.errors > 0 || args.strict && totals.warnings > 0;
    Ok(totals.unread.unwrap_or(if invalid { Exit::Invalid } else { Exit::Done }))
}

/// The name of a text in the output, and the text.
type NamedText = (String, Arc<Snapshot>);

/// The configuration file, even where a server runs over it: the next start of the server reads the file.
/// Of a server at a URL it is the saved text, or the running one if the server does not show that.
fn configuration(global: &GlobalArgs, ui: Ui) -> Result<NamedText, CliError> {
    let mut target = target::file_or_named_server(global, ui)?;
    match read(&mut target, Source::Saved, ui) {
        Err(ServiceError::NotOffered { feature: Feature::Saved, .. }) => {
            Ok(read(&mut target, Source::Running, ui)?)
        }
        saved => Ok(saved?),
    }
}

fn given(file: &Path, global: &GlobalArgs, ui: Ui) -> Result<NamedText, CliError> {
    if file.as_os_str() == RUNNING {
        let mut target = target::resolve(global, Purpose::default(), ui)?;
        return Ok(read(&mut target, Source::Running, ui)?);
    }
    let name = if file.as_os_str() == STDIN { "<stdin>".to_owned() } else { file.display().to_string() };
    Ok((name, input::snapshot(file)?))
}

fn read(target: &mut Target, source: Source, ui: Ui) -> Result<NamedText, ServiceError> {
    let snapshot = target.read_text(Some(source))?;
    let name = target.service.name().to_owned();
    if !target.is_server {
        return Ok((name, snapshot));
    }
    let which = match source {
        Source::Running => RUNNING,
        Source::Saved => "saved",
    };
    ui.note(&format!("checked the {which} configuration of `{name}`"));
    Ok((format!("{name} ({which})"), snapshot))
}

/// The faults of all texts.
#[derive(Default)]
struct CheckTotals {
    files: usize,
    errors: usize,
    warnings: usize,
    records: Vec<DiagnosticRecord>,
    /// The exit code for the first text that could not be read.
    unread: Option<Exit>,
}

impl CheckTotals {
    fn add(
        &mut self,
        args: &CheckArgs,
        ui: Ui,
        (name, snapshot): NamedText,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.files += 1;
        self.errors += snapshot.diagnostics().errors();
        self.warnings += snapshot.diagnostics().warnings();
        if snapshot.diagnostics().is_empty() {
            return Ok(());
        }
        let reporter = Reporter::new(&name, &snapshot, ui.masker());
        match args.output {
            CheckFormat::Text => out.write_all(reporter.text(ui).as_bytes()),
            CheckFormat::Json => {
                self.records.extend(reporter.records());
                Ok(())
            }
        }
    }

    fn summary(&self) -> String {
        let count = |number: usize, noun: &str| match number {
            0 => format!("no {noun}s"),
            1 => format!("1 {noun}"),
            _ => format!("{number} {noun}s"),
        };
        format!(
            "{} checked: {}, {}",
            count(self.files, "file"),
            count(self.errors, "error"),
            count(self.warnings, "warning")
        )
    }
}
