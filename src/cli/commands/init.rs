//! `mediactl init`

use std::fs::create_dir_all;
use std::path::{Path, PathBuf};

use crate::cli::Invocation;
use crate::cli::input::{self, is_url};
use crate::cli::local::local_user;
use crate::cli::new_account::NewAccount;
use crate::cli::ui::waiting;
use crate::engine::{ChangeOptions, ConfigService, Engine, Hooks, RequestedChange};
use crate::error::{Error, Exit};

/// Make a first configuration, with a random password
///
/// The configuration is small and has comments. Its folder is made, too, if it is missing. The login and the
/// password of the API are printed, and are not shown again. A file that exists is never overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl init
  mediactl init site.conf && mediactl --conf site.conf serve")]
pub struct InitArgs {
    /// The file to make [default: the one of --conf]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: Option<PathBuf>,
}

/// The first configuration; the login and the password go where the braces are.
const TEMPLATE: &str = include_str!("init.conf");

impl InitArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        run(self, call)
    }
}

fn run(args: &InitArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let Invocation { global, ui, .. } = call;
    let path = args.file.as_deref().unwrap_or(&global.conf);
    if global.chosen.names_server() || path.to_str().is_some_and(is_url) {
        return Err(Error::usage("`init` makes a file, so it has no server", "give a FILE, or nothing"));
    }
    if path.symlink_metadata().is_ok() {
        return Err(Error::exists(path));
    }
    make_folder(path)?;
    let account = NewAccount::random()?;
    let text = TEMPLATE.replace("{login}", account.login).replace("{password}", &account.password);
    let engine = Engine::new(input::store(path)?, Hooks::default(), waiting);
    let options = ChangeOptions { by: local_user(), ..ChangeOptions::default() };
    let outcome = engine.change(RequestedChange::Save(text.into()), &options)?;
    outcome.warnings.iter().for_each(|warning| ui.warning(warning));
    let path = path.display();
    ui.say(&format!("made {path}; this is the account of its API, which is not shown again:"));
    account.show(ui)?;
    ui.say(&format!("next: `mediactl --conf {path} serve`, or look at the file"));
    Ok(Exit::Done)
}

fn make_folder(path: &Path) -> Result<(), Error> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    create_dir_all(folder).map_err(|error| Error::not_made(folder, error))
}
