//! `mediactl check`

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use crate::cli::args::check::{CheckArgs, CheckFormat};
use crate::cli::args::global::GlobalArgs;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input::{self, STDIN};
use crate::cli::remote::{Remote, Source};
use crate::cli::render::diagnostics::{DiagnosticRecord, Reporter};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::{Ui, output};
use crate::engine::{EngineError, Snapshot};
use crate::http::protocol::headers::Feature;

/// What names the configuration that a server runs.
const RUNNING: &str = "running";

/// What output calls the configuration that a server has saved.
const SAVED: &str = "saved";

/// Runs the command.
pub fn run(args: &CheckArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let mut tally = CheckTotals::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut check = |loaded: Result<Named, CliError>| -> io::Result<()> {
        match loaded {
            Ok(named) => tally.add(args, ui, named, &mut out),
            Err(error) => {
                ui.error(&error);
                tally.unread = tally.unread.or(Some(error.exit()));
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
        ui.print_json(&tally.records)?;
    }
    if tally.files > 0 {
        ui.say(&tally.summary());
    }
    let invalid = tally.errors > 0 || args.strict && tally.warnings > 0;
    Ok(tally.unread.unwrap_or(if invalid { Exit::Invalid } else { Exit::Done }))
}

/// A text to check, and what output calls it.
type Named = (String, Arc<Snapshot>);

/// The file, never what a server over it runs: a restart reads the file. Of a server at a URL, its
/// saved text.
fn configuration(global: &GlobalArgs, ui: Ui) -> Result<Named, CliError> {
    match target::named_server(global, ui)? {
        None => {
            let loaded = input::store(&global.conf)?.load().map_err(EngineError::from)?;
            Ok((global.file_name(), Arc::new(Snapshot::of(loaded.bytes))))
        }
        Some(mut server) => match of_server(&mut server, Source::Saved, ui) {
            Err(CliError::NotOffered { feature: Feature::Saved, .. }) => {
                of_server(&mut server, Source::Running, ui)
            }
            saved => saved,
        },
    }
}

fn given(file: &Path, global: &GlobalArgs, ui: Ui) -> Result<Named, CliError> {
    if file.as_os_str() == RUNNING {
        return running(global, ui);
    }
    let name = if file.as_os_str() == STDIN { "<stdin>".to_owned() } else { file.display().to_string() };
    Ok((name, input::snapshot(file)?))
}

fn running(global: &GlobalArgs, ui: Ui) -> Result<Named, CliError> {
    match target::resolve(global, Purpose::Read, ui)? {
        Target::Remote(mut server) => of_server(&mut server, Source::Running, ui),
        Target::Local(_) => Err(EngineError::NoServer.into()),
    }
}

fn of_server(server: &mut Remote, source: Source, ui: Ui) -> Result<Named, CliError> {
    let which = match source {
        Source::Running => RUNNING,
        Source::Saved => SAVED,
    };
    let snapshot = server.text(source)?;
    ui.note(&format!("this is the {which} configuration of `{}`", server.name()));
    Ok((format!("{} ({which})", server.name()), snapshot))
}

/// What was found in all files.
#[derive(Default)]
struct CheckTotals {
    files: usize,
    errors: usize,
    warnings: usize,
    records: Vec<DiagnosticRecord>,
    /// How the first file that could not be read ends the command.
    unread: Option<Exit>,
}

impl CheckTotals {
    fn add(
        &mut self,
        args: &CheckArgs,
        ui: Ui,
        (name, snapshot): Named,
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
