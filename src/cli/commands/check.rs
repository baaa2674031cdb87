//! `mediactl check`

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use super::diff::{RUNNING, SAVED};
use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::ListFormat;
use crate::cli::change::ChangeCommand;
use crate::cli::context;
use crate::cli::input::{self, STDIN};
use crate::cli::render::diagnostics::Reporter;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::{Ui, name_target, output};
use crate::engine::{Composed, ConfigSource, FaultRecord, RequestedChange, Snapshot};
use crate::error::{Error, ErrorKind, Exit};
use mediaconf::Document;

/// Check configuration files and show every fault
///
/// Each fault is shown with its file, line and column, the line itself and a hint. The exit code is
/// 3 if there is an error. Warnings alone give 0, unless --strict is given.
///
/// Without an argument the configuration file is checked, even while a server runs over it: the server
/// would find the same faults at its next start. `running` is the configuration that the server runs. With
/// --url, the saved configuration of the server is checked, or the running one if the server does not show
/// the saved text; a note says which.
///
/// Included files are checked, too, each once. One outside of the folder of the configuration, or a hard link to a file
/// of another user, is not opened, and a warning says so.
///
/// As JSON the output is an array with an object for each fault: `file`, `line` and `column` (both count
/// from 1; the column counts characters), `end` (`line` and `column` behind its last character), `severity` (`error`
/// or `warning`), `message`, and optionally `hint`, `related` (`line`, `column`, `end` and `message` of a second place)
/// and `fix` (`range` with `start` and `end`, and `text`, which stands there afterwards). At most 100 faults of one
/// text are shown; if there are more, the last object says how many.
///
/// --fix corrects faults that have one possible fix: a lost `;`, or a misspelt word that is near exactly one known
/// word. It shows the diff, saves it as `mediactl edit` would, and then checks what is there. A fix that would bring
/// another fault is not applied, and included files are left alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl check && systemctl restart media
  mediactl check running
  mediactl check --fix
  mediactl check -o json - < media.conf")]
pub struct CheckArgs {
    /// What to check: files, `-` for standard input, `running` for the running configuration
    /// [default: the configuration file]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Treat warnings as errors
    #[arg(long)]
    pub strict: bool,

    /// Correct the faults that have one possible fix, and show the diff
    #[arg(long, conflicts_with = "output")]
    pub fix: bool,

    /// How to print the faults
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: ListFormat,
}

impl CheckArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        if self.fix {
            let fixed = self.fix(call)?;
            if fixed != Exit::Done {
                return Ok(fixed);
            }
        }
        if context::several_chosen(call.global) {
            return Err(Error::several_servers());
        }
        let (ui, mut totals, mut unread) = (call.ui, CheckTotals::default(), None);
        let mut out = BufWriter::new(io::stdout().lock());
        let files = self.files.iter().map(|file| Some(file.as_path()));
        for file in files.chain(self.files.is_empty().then_some(None)) {
            match self.load(file, call) {
                Ok(checked) => output(totals.add(self, ui, checked, &mut out))?,
                Err(error) => {
                    ui.error(&error);
                    unread = unread.or(Some(error.exit()));
                }
            }
        }
        output(out.flush())?;
        drop(out);
        if ui.json {
            ui.print_json(&totals.records)?;
        }
        if totals.files > 0 {
            ui.say(&totals.summary());
        }
        // With `--strict` a warning counts as an error.
        let is_faulty = totals.errors > 0 || self.strict && totals.warnings > 0;
        Ok(unread.unwrap_or(if is_faulty { Exit::Invalid } else { Exit::Done }))
    }

    /// Loads a file, or the configuration of the target: the file even where a server runs over it, since the next start
    /// of the server reads the file.
    fn load(&self, file: Option<&Path>, call: Invocation<'_>) -> Result<CheckedText, Error> {
        let Invocation { global, ui, .. } = call;
        let is_running = file.is_some_and(|file| file.as_os_str() == RUNNING);
        if let Some(file) = file.filter(|_| !is_running) {
            let (name, text) = (input::name(file), input::snapshot(file)?);
            let may_include = file.as_os_str() != STDIN && !text.includes().is_empty();
            let store = may_include.then(|| input::store(file).ok()).flatten();
            let composed = store.and_then(|store| Composed::compose(&name, &text, &*store));
            return Ok(CheckedText { name, text, composed });
        }
        let mut target = match is_running {
            true => target::resolve(global, Purpose::default(), ui)?,
            false => target::file_or_named_server(global, ui)?,
        };
        // The running one, too, if a server does not show what is saved.
        let (text, which) = match (!is_running).then(|| target.read_text(Some(ConfigSource::Saved))) {
            Some(Ok(text)) => (text, SAVED),
            Some(Err(refusal)) if refusal.kind != ErrorKind::NotOffered => return Err(refusal),
            _ => (target.read_text(Some(ConfigSource::Running))?, RUNNING),
        };
        let (mut name, mut composed) = (target.service.name().to_owned(), target.composed(&text, &text)?);
        if target.is_server {
            ui.note(&format!("checked the {which} configuration of `{name}`"));
            name += &format!(" ({which})");
            composed.iter_mut().for_each(|composed| composed.files[0].name.clone_from(&name));
        }
        Ok(CheckedText { name, text, composed })
    }

    /// Applies the fixes of each text that is named; the exit code of the first one that can't be saved ends it.
    fn fix(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        if self.files.is_empty() {
            return fix(call);
        }
        for file in &self.files {
            if [STDIN, RUNNING].iter().any(|word| file.as_os_str() == *word) {
                return Err(Error::usage("`--fix` saves a file", "name the file, or leave it out"));
            }
            name_target(file);
            let exit = fix(Invocation { global: &call.global.at_file(file), ..call })?;
            if exit != Exit::Done {
                return Ok(exit);
            }
        }
        Ok(Exit::Done)
    }
}

/// Fixes the configuration, and shows the diff. A text that still has errors then is refused.
fn fix(call: Invocation<'_>) -> Result<Exit, Error> {
    let mut target = target::file_or_named_server(call.global, call.ui)?;
    let text = target.read_text(Some(ConfigSource::Saved))?;
    let is_text = text.bytes() == text.document().text().as_bytes();
    let Some(mended) = is_text.then(|| Document::mended(text.document().text())).flatten() else {
        let name = target.service.name();
        call.ui.note(&format!("`{name}` has no fault that `--fix` can correct"));
        return Ok(Exit::Done);
    };
    let args = ChangeArgs::default();
    let mut command = ChangeCommand::new(&args, "edit");
    command.options.message = Some("the fixes of `check`".to_owned());
    command.options.base = Some(text.revision());
    command.run(call, RequestedChange::Save(mended.into_bytes().into()))
}

/// A text, its name in the output, and what it includes.
struct CheckedText {
    name: String,
    text: Arc<Snapshot>,
    composed: Option<Composed>,
}

/// The faults of all texts.
#[derive(Default)]
struct CheckTotals {
    files: usize,
    errors: usize,
    warnings: usize,
    records: Vec<FaultRecord>,
}

impl CheckTotals {
    /// Counts the faults of a text and of what it includes, and prints them where the output is no JSON. Only a file with
    /// faults is indexed, which takes longer than the check.
    fn add(
        &mut self,
        args: &CheckArgs,
        ui: Ui,
        CheckedText { name, text, composed }: CheckedText,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let together = composed.as_ref().map(Composed::diagnostics);
        let of_files = together.as_deref().unwrap_or_else(|| slice::from_ref(text.diagnostics()));
        for (at, diagnostics) in of_files.iter().enumerate() {
            self.files += 1;
            self.errors += diagnostics.errors();
            self.warnings += diagnostics.warnings();
            if diagnostics.is_empty() {
                continue;
            }
            let file = composed.as_ref().map(|composed| &composed.files[at]);
            let (name, text) = file.map_or((&name, &text), |file| (&file.name, &file.text));
            let reporter = Reporter::new(name, text, diagnostics, ui.masker);
            match args.output {
                ListFormat::Text => out.write_all(reporter.text(ui).as_bytes())?,
                ListFormat::Json => self.records.extend(reporter.records()),
            }
        }
        Ok(())
    }

    fn summary(&self) -> String {
        let count = |number: usize, noun: &str| match number {
            0 => format!("no {noun}s"),
            1 => format!("1 {noun}"),
            _ => format!("{number} {noun}s"),
        };
        let [errors, warnings] = [count(self.errors, "error"), count(self.warnings, "warning")];
        format!("{} checked: {errors}, {warnings}", count(self.files, "file"))
    }
}
