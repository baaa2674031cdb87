//! `mediactl watch`

use std::convert::Infallible;
use std::time::{Duration, SystemTime};

use colored::Color;

use crate::cli::input;
use crate::cli::invocation::Invocation;
use crate::cli::local_time;
use crate::cli::observed::{Observed, may_pass, observe};
use crate::cli::render::texts::{differ, masked_entry, paths_and_more, print_difference};
use crate::cli::ui::Ui;
use crate::engine::Snapshot;
use crate::error::{Error, Exit};
use mediaconf::{Masker, Path, one_line};

/// Print each change as it happens
///
/// Prints a line with the time and, as far as the history tells, who made the change, and then the diff. The running
/// configuration of a server is asked for once a second, and sent only if it changed; a file is watched. With PATH,
/// only changes of the value there are printed; of a stream the diff shows the lines, of other values the JSON.
///
/// Runs until it is interrupted. Passwords and keys are masked, unless --show-secrets is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl watch
  mediactl watch streams.cam1
  mediactl --url https://media.example watch 'streams.*.urls'")]
pub struct WatchArgs {
    /// Where to look [default: everywhere]
    #[arg(value_name = "PATH")]
    pub path: Option<String>,
}

/// The longest time of one wait; the configuration is checked more often.
const LONG: Duration = Duration::from_secs(3600);

pub fn run(args: &WatchArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let (path, ui) = (args.path.as_deref().map(input::value_path).transpose()?, call.ui);
    // An error is printed when it comes: the other servers may be watched for days.
    let watched = observe(call, |error| ui.error(error), |begin| watch(begin()?, path.as_ref(), ui))?;
    Ok(watched.exit())
}

/// Prints each change, until the configuration can't be read any more.
fn watch(mut observed: Observed, path: Option<&Path>, ui: Ui) -> Result<Infallible, Error> {
    let masker = ui.masker();
    let mut last = match observed.read()? {
        Some(content) => content,
        None => return Err(Error::no_server()),
    };
    ui.say(&format!("watching {}", observed.target.service.name()));
    let mut trouble: Option<String> = None;
    loop {
        observed.wait(LONG);
        let found = match observed.read() {
            // A text with errors has no values.
            Ok(Some(text)) if path.is_some() && !text.is_valid() => {
                observed.forget();
                Err(Error::bad_config(text))
            }
            found => found,
        };
        let found = match found {
            Ok(found) => found,
            Err(error) if may_pass(&error) || error.broken.is_some() => {
                let error = error.to_string();
                if trouble.as_ref() != Some(&error) {
                    ui.warning(&format!("{error}; still watching"));
                    trouble = Some(error);
                }
                continue;
            }
            Err(error) => return Err(error),
        };
        if trouble.take().is_some() {
            ui.say("the configuration can be read again");
        }
        let Some(new) = found else { continue };
        let is_same_text = new.known_revision().is_some_and(|new| last.known_revision() == Some(new));
        if is_same_text && path.is_none() {
            // What differs on single nodes was changed.
            let (heading, paths) = heading(&mut observed, &new, masker.as_ref());
            let line = ui.paint(&ui.sanitized(&format!("{heading}  {paths}")), Color::Yellow);
            ui.print_painted(|out| writeln!(out, "{line}"))?;
        } else if differ(&last, &new, path) {
            let (heading, _) = heading(&mut observed, &new, masker.as_ref());
            let name = observed.target.service.name().to_owned();
            ui.print_painted(|out| {
                writeln!(out, "{}", ui.paint(&ui.sanitized(&heading), Color::Yellow))?;
                print_difference([&last, &new], path, [&name, &name], masker.clone(), ui, out)
            })?;
        }
        last = new;
    }
}

/// The time and the change that made this configuration, and the paths that its record names.
fn heading(observed: &mut Observed, text: &Snapshot, masker: Option<&Masker>) -> (String, String) {
    let time = local_time::shown(SystemTime::now());
    let revision = text.known_revision();
    // The history only adds to what is seen; a server without one is watched all the same.
    let entry = observed.target.service.status().ok().and_then(|status| status.last_change);
    match entry.filter(|entry| revision.is_some() && entry.after == revision) {
        None => (time, String::new()),
        Some(entry) => {
            let entry = masked_entry(entry, masker);
            let paths = entry.paths.map(|paths| paths_and_more(paths.first.into_iter(), paths.count));
            let words = [Some(entry.operation), entry.by.map(|by| format!("by {by}")), entry.message];
            let words: Vec<String> = words.into_iter().flatten().map(|word| one_line(&word)).collect();
            let serial = if entry.serial == 0 { String::new() } else { format!("#{} ", entry.serial) };
            (format!("{time}  {serial}{}", words.join(" ")), paths.unwrap_or_default())
        }
    }
}
