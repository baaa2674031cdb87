//! `mediactl check`

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use serde_json::json;

use super::check_fix::{self, RUNNING};
use crate::cli::args::global::GlobalArgs;
use crate::cli::context;
use crate::cli::fleet::answers;
use crate::cli::fleet::members::FleetMember;
use crate::cli::input::{self, STDIN};
use crate::cli::invocation::Invocation;
use crate::cli::render::diagnostics::Reporter;
use crate::cli::render::table;
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::{Ui, output};
use crate::engine::{Composed, ConfigSource, FaultRecord, Snapshot};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::Follow;
use mediaconf::Diagnostics;

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
/// Included files are checked, too, each once. Of those that are not below the folder of the configuration, or are
/// hard links to files of another user, only file and line of a fault are shown. A server does not check them.
///
/// As JSON the output is an array with an object for each fault: `file`, `line` and `column` (both count
/// from 1; the column counts characters), `end` (`line` and `column` behind its last character), `severity` (`error`
/// or `warning`), `message`, and optionally `hint`, `related` (`line`, `column`, `end` and `message` of a second place)
/// and `fix` (`range` with `start` and `end`, and `text`, which stands there afterwards). At most 100 faults of one
/// text are shown; if there are more, the last object says how many.
///
/// --fix applies the fixes of faults that can be meant in one way only: a `;` that is lost, or a word near exactly one
/// that is known in its place. It shows the diff, saves it as `mediactl edit` would, and then checks what is there.
/// A fix that would bring another fault is not applied, and included files are left alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl check && systemctl restart media
  mediactl check running
  mediactl check --strict *.conf
  mediactl check --fix
  mediactl check -o json - < media.conf")]
pub struct CheckArgs {
    /// What to check: files, `-` for standard input, `running` for the running configuration
    /// [default: the configuration file]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Which included files are looked at: with `below`, one that is not below the folder of the configuration,
    /// or is a hard link to a file of another user, is an error, and is not looked at
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub includes: FollowedIncludes,

    /// Treat warnings as errors
    #[arg(long)]
    pub strict: bool,

    /// Apply the fixes of faults that can be meant in one way only, and show the diff
    #[arg(long, conflicts_with = "output")]
    pub fix: bool,

    /// How to print the faults
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: CheckFormat,
}

/// The included files that `check` examines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum FollowedIncludes {
    /// All that this user can read
    #[default]
    All,
    /// Those below the folder of the configuration, behind all links
    Below,
}

impl From<FollowedIncludes> for Follow {
    fn from(followed: FollowedIncludes) -> Self {
        match followed {
            FollowedIncludes::All => Self::ALL,
            FollowedIncludes::Below => Self::BELOW,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum CheckFormat {
    /// A few lines for each fault
    #[default]
    Text,
    /// An array with an object for each fault
    Json,
}

pub fn run(args: &CheckArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let Invocation { global, ui, .. } = call;
    if args.fix {
        let fixed = check_fix::run(&args.files, call)?;
        if fixed != Exit::Done {
            return Ok(fixed);
        }
    }
    if context::several_chosen(global) {
        return on_servers(args, call);
    }
    let follow = args.includes.into();
    let mut totals = CheckTotals::default();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut check = |loaded: Result<CheckedText, Error>| -> io::Result<()> {
        match loaded {
            Ok(named) => totals.add(args, ui, named, &mut out),
            Err(error) => {
                ui.error(&error);
                totals.unread = totals.unread.or(Some(error.exit()));
                Ok(())
            }
        }
    };
    output(match &args.files[..] {
        [] => check(configuration(follow, global, ui)),
        files => files.iter().try_for_each(|file| check(given(file, follow, global, ui))),
    })?;
    output(out.flush())?;
    drop(out);
    if args.output == CheckFormat::Json {
        ui.print_json(&totals.records)?;
    }
    if totals.files > 0 {
        ui.say(&totals.summary());
    }
    let exit = if totals.are_faulty(args) { Exit::Invalid } else { Exit::Done };
    Ok(totals.unread.unwrap_or(exit))
}

/// Prints each fault behind the name of its server, and a table of all servers.
fn on_servers(args: &CheckArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let is_running = match &args.files[..] {
        [] => false,
        [only] if only.as_os_str() == RUNNING => true,
        _ => {
            let hint = "leave the file out, or write `running`; without `-x` and `--group` files are checked";
            return Err(Error::usage("a file is the same for all servers", hint));
        }
    };
    let read = |server: &mut FleetMember| -> Result<CheckedText, Error> {
        let (name, target) = (server.name.clone(), &mut server.target);
        let (text, source) = match is_running {
            true => (target.read_text(Some(ConfigSource::Running))?, ConfigSource::Running),
            false => saved_or_running(target)?,
        };
        let mut composed = target.composed(&text, Some(source))?;
        for file in composed.iter_mut().flat_map(|composed| &mut composed.files) {
            file.name = format!("{name}: {}", file.name);
        }
        Ok(CheckedText { name, text, composed })
    };
    let mut shown = Vec::new();
    let answers = call.ask("check", read)?.then(|_, checked| {
        let mut totals = CheckTotals::default();
        output(totals.add(args, call.ui, checked, &mut shown))?;
        Ok(totals)
    })?;
    match args.output {
        CheckFormat::Json => answers.print_json(|totals| json!(totals.records))?,
        CheckFormat::Text => {
            let row = |(server, totals): (&str, &CheckTotals)| {
                answers.row(server, [totals.errors, totals.warnings].map(|count| count.to_string()))
            };
            let headings = ["SERVER", "ERRORS", "WARNINGS"].map(str::to_owned).to_vec();
            let rows = answers::rows(answers.found().map(row).collect());
            let rows = std::iter::once(headings).chain(rows).collect();
            call.ui.print_painted(|out| {
                out.write_all(&shown)?;
                table::print(rows, call.ui.screen(), out)
            })?;
        }
    }
    let are_faulty = answers.found().any(|(_, totals)| totals.are_faulty(args));
    Ok(answers.exit_if(are_faulty, Exit::Invalid))
}

/// A text, its name in the output, and what it includes.
struct CheckedText {
    name: String,
    text: Arc<Snapshot>,
    composed: Option<Composed>,
}

/// The configuration file, even where a server runs over it: the next start of the server reads the file.
/// Of a server at a URL it is the saved text, or the running one if the server does not show that.
fn configuration(follow: Follow, global: &GlobalArgs, ui: Ui) -> Result<CheckedText, Error> {
    let mut target = target::file_or_named_server(global, ui)?;
    let (text, source) = saved_or_running(&mut target)?;
    checked(&mut target, text, source, follow, ui)
}

/// The saved text of a server, or the running one if the server does not show that.
fn saved_or_running(target: &mut Target) -> Result<(Arc<Snapshot>, ConfigSource), Error> {
    match target.read_text(Some(ConfigSource::Saved)) {
        Err(refusal) if refusal.kind == ErrorKind::NotOffered => {
            Ok((target.read_text(Some(ConfigSource::Running))?, ConfigSource::Running))
        }
        saved => Ok((saved?, ConfigSource::Saved)),
    }
}

fn given(file: &Path, follow: Follow, global: &GlobalArgs, ui: Ui) -> Result<CheckedText, Error> {
    if file.as_os_str() == RUNNING {
        let mut target = target::resolve(global, Purpose::default(), ui)?;
        let text = target.read_text(Some(ConfigSource::Running))?;
        return checked(&mut target, text, ConfigSource::Running, follow, ui);
    }
    let name = if file.as_os_str() == STDIN { "<stdin>".to_owned() } else { file.display().to_string() };
    let text = input::snapshot(file)?;
    let includes = file.as_os_str() != STDIN && !text.includes().is_empty();
    let store = includes.then(|| input::store(file).ok()).flatten();
    let composed = store.and_then(|store| Composed::compose(&name, &text, &*store, follow));
    Ok(CheckedText { name, text, composed })
}

fn checked(
    target: &mut Target,
    text: Arc<Snapshot>,
    source: ConfigSource,
    follow: Follow,
    ui: Ui,
) -> Result<CheckedText, Error> {
    let name = target.service.name().to_owned();
    let mut composed = target.following(follow, &text, Some(source))?;
    if !target.is_server {
        return Ok(CheckedText { name, text, composed });
    }
    let which = match source {
        ConfigSource::Running => RUNNING,
        ConfigSource::Saved => "saved",
    };
    ui.note(&format!("checked the {which} configuration of `{name}`"));
    let name = format!("{name} ({which})");
    composed.iter_mut().for_each(|composed| composed.files[0].name.clone_from(&name));
    Ok(CheckedText { name, text, composed })
}

/// The faults of all texts.
#[derive(Default)]
struct CheckTotals {
    files: usize,
    errors: usize,
    warnings: usize,
    records: Vec<FaultRecord>,
    /// The exit code for the first text that could not be read.
    unread: Option<Exit>,
}

impl CheckTotals {
    /// Counts the faults of a text and of what it includes, and prints them where the output is no JSON.
    fn add(
        &mut self,
        args: &CheckArgs,
        ui: Ui,
        checked: CheckedText,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let CheckedText { name, text, composed } = checked;
        let Some(composed) = composed else {
            let diagnostics = text.diagnostics();
            let reporter = || Reporter::new(&name, text.document(), diagnostics, ui.masker());
            return self.add_file(args, ui, diagnostics, reporter, out);
        };
        composed.files.iter().zip(composed.diagnostics()).try_for_each(|(file, diagnostics)| {
            let reporter = || Reporter::of_file(file, &diagnostics, ui.masker());
            self.add_file(args, ui, &diagnostics, reporter, out)
        })
    }

    /// Adds the faults of a file. Only a file with faults is indexed, which takes longer than the check.
    fn add_file<'r>(
        &mut self,
        args: &CheckArgs,
        ui: Ui,
        diagnostics: &Diagnostics,
        reporter: impl FnOnce() -> Reporter<'r>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.files += 1;
        self.errors += diagnostics.errors();
        self.warnings += diagnostics.warnings();
        if diagnostics.is_empty() {
            return Ok(());
        }
        let reporter = reporter();
        match args.output {
            CheckFormat::Text => out.write_all(reporter.text(ui).as_bytes()),
            CheckFormat::Json => {
                self.records.extend(reporter.records());
                Ok(())
            }
        }
    }

    /// True if there is an error, or a warning that counts as one.
    fn are_faulty(&self, args: &CheckArgs) -> bool {
        self.errors > 0 || args.strict && self.warnings > 0
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
