//! What the commands that change something share: questions of guards, the report, and the
//! countdown of a change that has to be confirmed.

use std::path::Path;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::countdown;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::prompts;
use crate::cli::remote::{self, Replacement};
use crate::cli::render::report::{Report, Verb};
use crate::cli::target::{self, Target};
use crate::cli::ui::Ui;
use crate::engine::{ChangeOptions, Engine, EngineError, Outcome};

/// Runs a command that replaces the whole text with that of `file`.
pub fn replace(
    file: &Path,
    changing: &ChangeArgs,
    global: &GlobalArgs,
    ui: Ui,
    what: Replacement,
) -> Result<Exit, CliError> {
    let text = input::read(file)?;
    let target = target::resolve(global, changing.into(), ui)?;
    let (operation, verb): (fn(&Engine, &[u8], &ChangeOptions) -> _, _) = match what {
        Replacement::Save => (Engine::save, Verb::SAVE),
        Replacement::Update => (Engine::update, Verb::UPDATE),
    };
    let name = target.name(global);
    let report = report(changing, verb, &name, ui);
    change(target, changing.options(), changing, &report, |target, options| match target {
        Target::Local(engine) => Ok(operation(engine, &text, options)?),
        Target::Remote(server) => remote::replace(server, what, &text, options),
    })
}

/// How a change by these options is reported.
pub fn report<'a>(changing: &ChangeArgs, verb: Verb, target: &'a str, ui: Ui) -> Report<'a> {
    let (quiet, dry_run) = (changing.quiet, changing.dry_run);
    Report { ui, target, verb, as_json: false, quiet, dry_run }
}

/// Makes a change: asks what its guards ask, reports its outcome, and waits for its confirmation.
pub fn change(
    mut target: Target,
    options: ChangeOptions,
    changing: &ChangeArgs,
    report: &Report<'_>,
    mut operation: impl FnMut(&mut Target, &ChangeOptions) -> Result<Outcome, CliError>,
) -> Result<Exit, CliError> {
    if let Target::Local(_) = target {
        changing.refuse_confirm()?;
    }
    let outcome = with_guards(options, |options| operation(&mut target, options))?;
    report.print(&outcome)?;
    if let (Target::Remote(server), Some(pending)) = (&target, &outcome.pending) {
        let time = changing.confirm.unwrap_or_default();
        countdown::run(server, &pending.id, &outcome, time, report)?;
    }
    Ok(Exit::Done)
}

/// Runs an operation. On a terminal, a guard that refuses it becomes a question.
fn with_guards<T>(
    mut request: ChangeOptions,
    mut operation: impl FnMut(&ChangeOptions) -> Result<T, CliError>,
) -> Result<T, CliError> {
    loop {
        match operation(&request) {
            Err(CliError::Engine(EngineError::Guarded(guard))) if guard.is_question() => {
                match prompts::confirm(&format!("{guard}: go on?"))? {
                    Some(true) => request.accepted.push(guard),
                    Some(false) | None => return Err(EngineError::Guarded(guard).into()),
                }
            }
            result => return result,
        }
    }
}

impl ChangeArgs {
    /// Only a server can roll back when the time is over.
    fn refuse_confirm(&self) -> Result<(), CliError> {
        match self.confirm {
            None => Ok(()),
            Some(_) => Err(CliError::usage(
                "`--confirm` needs a server, which takes the change back if nobody confirms it",
                "start `mediactl serve` over the file, or leave it out",
            )),
        }
    }

    /// The options of the change.
    pub fn options(&self) -> ChangeOptions {
        ChangeOptions {
            dry_run: self.dry_run,
            force: self.force,
            accepted: self.accept.clone(),
            max_delete: self.max_delete,
            by: local_user(),
            message: self.message.clone(),
            confirm: self.confirm,
            ..ChangeOptions::default()
        }
    }
}

/// Who runs this program, for hooks and the history.
fn local_user() -> String {
    let uid = rustix::process::getuid().as_raw();
    match std::env::var("USER") {
        Ok(user) if !user.is_empty() => format!("{user} (uid {uid})"),
        _ => format!("uid {uid}"),
    }
}
