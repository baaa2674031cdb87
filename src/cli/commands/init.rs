//! `mediactl init`

use std::fs::create_dir_all;
use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom, SystemRandom};
use serde_json::json;

use crate::cli::args::Invocation;
use crate::cli::args::global::ResultArgs;
use crate::cli::input::{self, is_url};
use crate::cli::local::local_user;
use crate::cli::ui::waiting;
use crate::engine::{ChangeOptions, ConfigService, Engine, Hooks, RequestedChange};
use crate::error::{Error, ErrorKind, Exit};
use mediaconf::Path as ValuePath;

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

    #[command(flatten)]
    pub result: ResultArgs,
}

/// The first configuration; the login and the password go where the braces are.
const TEMPLATE: &str = include_str!("init.conf");

impl InitArgs {
    pub fn run(&self, Invocation { global, ui, .. }: Invocation<'_>) -> Result<Exit, Error> {
        let path = self.file.as_deref().unwrap_or(&global.conf);
        let name = path.display();
        if global.chosen.names_server() || path.to_str().is_some_and(is_url) {
            return Err(Error::usage("`init` makes a file, so it has no server", "give a FILE, or nothing"));
        }
        if path.symlink_metadata().is_ok() {
            return Err(Error::new(ErrorKind::Guarded, format!("`{name}` exists already"))
                .hint("nothing was changed; `mediactl modify` and `mediactl save` change it"));
        }
        if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
            create_dir_all(folder).map_err(|error| Error::not_made(folder, error))?;
        }
        let password = random_password()?;
        let text = TEMPLATE.replace("{login}", LOGIN).replace("{password}", &password);
        let engine = Engine::new(input::store(path)?, Hooks::default(), waiting);
        let options = ChangeOptions { by: local_user(), ..ChangeOptions::default() };
        let outcome = engine.change(RequestedChange::Save(text.into()), &options)?;
        outcome.warnings.iter().for_each(|warning| ui.warning(warning));
        if ui.json {
            ui.print_json(&json!({ "file": path, "login": LOGIN, "password": password }))?;
            return Ok(Exit::Done);
        }
        ui.say(&format!("made {name}; this is the account of its API, which is not shown again:"));
        ui.print(|out| writeln!(out, "login {LOGIN}\npassword {password}"))?;
        let quoted = ValuePath::in_shell_quotes(&path.to_string_lossy()).into_owned();
        ui.say(&format!("next: `mediactl --conf {quoted} serve`, or look at the file"));
        Ok(Exit::Done)
    }
}

/// The login of a new account.
const LOGIN: &str = "admin";

/// The letters of a password: 32 of them, none of which looks like another, so that each carries five
/// bits.
const LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz23456789R";

/// The length of a password: 24 letters of five bits are 120 bits.
const LENGTH: usize = 24;

/// A new random password.
fn random_password() -> Result<String, Error> {
    let mut bytes = [0; LENGTH];
    let failed = |_| Error::new(ErrorKind::Failed, "cannot make a random password");
    SystemRandom::new().fill(&mut bytes).map_err(failed)?;
    Ok(bytes.map(|byte| char::from(LETTERS[usize::from(byte) % LETTERS.len()])).iter().collect())
}
