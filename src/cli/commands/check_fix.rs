//! `mediactl check --fix`

use std::path::{Path, PathBuf};

use super::change::ChangeCommand;
use crate::cli::args::changing::ChangeArgs;
use crate::cli::input::STDIN;
use crate::cli::invocation::Invocation;
use crate::cli::render::report::Verb;
use crate::cli::target;
use crate::engine::{ConfigSource, RequestedChange};
use crate::error::{Error, Exit};
use mediaconf::mended;

/// The argument for the running configuration.
pub const RUNNING: &str = "running";

/// The reason in the history.
const REASON: &str = "the fixes of `check`";

/// Applies the fixes of each text that is named; the exit code of the first one that can't be saved ends it.
pub fn run(files: &[PathBuf], call: Invocation<'_>) -> Result<Exit, Error> {
    if files.is_empty() {
        return fix(call);
    }
    for file in files {
        refuse_unsaved(file)?;
        let at_file = call.global.at_file(file);
        let exit = fix(Invocation { global: &at_file, ..call })?;
        if exit != Exit::Done {
            return Ok(exit);
        }
    }
    Ok(Exit::Done)
}

fn refuse_unsaved(file: &Path) -> Result<(), Error> {
    match file.as_os_str() == STDIN || file.as_os_str() == RUNNING {
        true => Err(Error::usage("`--fix` saves a file", "name the file, or leave it out")),
        false => Ok(()),
    }
}

/// Fixes the configuration, and shows the diff. A text that still has errors then is refused.
fn fix(call: Invocation<'_>) -> Result<Exit, Error> {
    let mut target = target::file_or_named_server(call.global, call.ui)?;
    let text = target.read_text(Some(ConfigSource::Saved))?;
    let is_text = text.bytes() == text.document().text().as_bytes();
    let mended = is_text.then(|| mended(text.document().text())).flatten();
    let Some(mended) = mended else {
        let name = target.service.name();
        call.ui.note(&format!("`{name}` has no fault with a fix that brings no other fault"));
        return Ok(Exit::Done);
    };
    let args = ChangeArgs::default();
    let mut command = ChangeCommand::new(&args, Verb::EDIT).named("edit");
    command.options.message = Some(REASON.to_owned());
    command.options.base = Some(text.revision());
    command.run(call, RequestedChange::Save(mended.text.into_bytes().into()))
}
