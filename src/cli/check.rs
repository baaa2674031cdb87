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
use super::remote::{Remote, Source};
use super::target::{self, Purpose, Target};
use super::ui::{Ui, output, waiting};
use crate::engine::{Engine, EngineError, Hooks, Snapshot};
use crate::http::protocol::headers::Feature;

/// What names the configuration that a server runs.
const RUNNING: &str = "running";

/// What output calls the configuration that a server has saved.
const SAVED: &str = "saved";

/// Check configuration files and show every fault
///
/// Each fault is shown with its file, line and column, the line itself and a hint. The exit code is
/// 3 if there is an error. Warnings alone give 0, unless --strict is given.
///
/// Without an argument the configuration file is checked, also while a server runs over it: what is
/// found is what the server would find at its next start. `running` is the configuration that the
/// server runs. With --url, what the server has saved is checked, or what it runs if it does not show
/// the saved text; a note says which.
///
/// As JSON the output is an array with an object for each fault: `file`, `line` and `column` (from 1;
/// the column in characters), `severity` (`error` or `warning`), `message`, and where there are any
/// `hint` and `related` (`line`, `column`, `message` of a second place). Of one text, at most 100
/// faults are shown; if there are more, the last object says how many.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl check && systemctl restart media
  mediactl check running
  mediactl check --strict *.conf
  mediactl check -o json - < media.conf")]
pub struct Args {
    /// What to check: files, `-` for standard input, `running` for what a server runs [default: the
    /// configuration file]
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
    let mut tally = Tally::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut check = |loaded: Result<Named, CliError>| -> io::Result<()> {
        match loaded {
            Ok(named) => tally.add(args, global, ui, named, &mut out),
            Err(error) => {
                ui.error(&error, global.masker().as_ref());
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
    if args.output == Form::Json {
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
fn configuration(global: &Global, ui: Ui) -> Result<Named, CliError> {
    match target::named_server(global, ui)? {
        None => {
            let engine = Engine::open(&global.conf, Hooks::default(), waiting)?;
            Ok((global.file_name(), engine.read()?))
        }
        Some(mut server) => match of_server(&mut server, Source::Saved, ui) {
            Err(CliError::NotOffered { feature: Feature::Saved, .. }) => {
                of_server(&mut server, Source::Running, ui)
            }
            saved => saved,
        },
    }
}

fn given(file: &Path, global: &Global, ui: Ui) -> Result<Named, CliError> {
    if file.as_os_str() == RUNNING {
        return running(global, ui);
    }
    let name = if file.as_os_str() == STDIN { "<stdin>".to_owned() } else { file.display().to_string() };
    Ok((name, input::snapshot(file)?))
}

fn running(global: &Global, ui: Ui) -> Result<Named, CliError> {
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
    ui.note_line(&format!("this is the {which} configuration of `{}`", server.name()));
    Ok((format!("{} ({which})", server.name()), snapshot))
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
        (name, snapshot): Named,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.files += 1;
        self.errors += snapshot.diagnostics().errors();
        self.warnings += snapshot.diagnostics().warnings();
        if snapshot.diagnostics().is_empty() {
            return Ok(());
        }
        let reporter = Reporter::new(&name, &snapshot, global.masker());
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
