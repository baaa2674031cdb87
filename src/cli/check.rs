//! `mediactl check`

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;

use super::diagnostics::{Record, Reporter};
use super::error::CliError;
use super::exit::Exit;
use super::input::{self, STDIN};
use super::options::Global;
use super::remote::Source;
use super::target::{self, Purpose};
use super::ui::Ui;
use crate::engine::Snapshot;

/// Check configuration files and show every fault
///
/// Each fault is shown with its file, line and column, the line itself and a hint. The exit code is
/// 3 if there is an error. Warnings alone give 0, unless --strict is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl check media.conf
  mediactl check --strict *.conf
  mediactl check -o json - < media.conf")]
pub struct Args {
    /// Files to check; `-` is standard input [default: the configuration file]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Treat warnings like errors
    #[arg(long)]
    strict: bool,

    /// How to print the faults
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    output: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Form {
    /// A few lines for each fault
    #[default]
    Text,
    /// An array of objects: file, line, column, severity, message, and where there are any hint and related
    Json,
}

/// Runs the command.
pub fn run(args: &Args, global: &Global, ui: Ui) -> Result<Exit, CliError> {
    let files = if args.files.is_empty() { std::slice::from_ref(&global.conf) } else { &args.files[..] };
    let mut tally = Tally::default();
    let mut out = BufWriter::new(io::stdout().lock());
    for file in files {
        let loaded = if args.files.is_empty() { configuration(global, ui) } else { given(file) };
        match loaded {
            Ok((name, snapshot)) => tally.add(args, global, ui, (&name, &snapshot), &mut out)?,
            Err(error) => {
                ui.error(&error);
                tally.unread = tally.unread.or(Some(error.exit()));
            }
        }
    }
    if args.output == Form::Json {
        serde_json::to_writer_pretty(&mut out, &tally.records).map_err(io::Error::from)?;
        writeln!(out)?;
    }
    out.flush()?;
    ui.say(&tally.summary());
    let invalid = tally.errors > 0 || args.strict && tally.warnings > 0;
    Ok(tally.unread.unwrap_or(if invalid { Exit::Invalid } else { Exit::Done }))
}

/// What `read -o conf` shows, and its name.
fn configuration(global: &Global, ui: Ui) -> Result<(String, Arc<Snapshot>), CliError> {
    let mut target = target::resolve(global, Purpose::Read, ui)?;
    let name = target.name(global);
    Ok((name, target.text(Source::Running)?))
}

fn given(file: &Path) -> Result<(String, Arc<Snapshot>), CliError> {
    let name = if file.as_os_str() == STDIN { "<stdin>".to_owned() } else { file.display().to_string() };
    Ok((name, input::snapshot(file)?))
}

/// What was found in all files.
#[derive(Default)]
struct Tally {
    files: usize,
    errors: usize,
    warnings: usize,
    records: Vec<Record>,
    /// How the first file that could not be read ends the command.
    unread: Option<Exit>,
}

impl Tally {
    fn add(
        &mut self,
        args: &Args,
        global: &Global,
        ui: Ui,
        (name, snapshot): (&str, &Snapshot),
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.files += 1;
        self.errors += snapshot.diagnostics().errors();
        self.warnings += snapshot.diagnostics().warnings();
        if snapshot.diagnostics().is_empty() {
            return Ok(());
        }
        let reporter = Reporter::new(name, snapshot, global.masker());
        match args.output {
            Form::Text => out.write_all(reporter.text(ui).as_bytes()),
            Form::Json => {
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
