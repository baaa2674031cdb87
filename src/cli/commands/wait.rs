//! `mediactl wait`

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use clap::ArgMatches;
use clap::parser::ValueSource;

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::wait::WaitArgs;
use crate::cli::commands::modify::expectation;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::observed::{Observed, may_pass};
use crate::cli::ui::Ui;
use crate::edit::expect::{Expectation, unmet};
use crate::edit::misfit::PathFault;
use crate::engine::Content;

/// How long to wait at a time where there is no limit.
const LONG: Duration = Duration::from_secs(3600);

/// What is still missing, for whoever gives up.
type Missing = Arc<Mutex<Option<String>>>;

pub fn run(args: &WaitArgs, matches: &ArgMatches, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let expectations: Vec<Expectation> =
        args.expected.iter().map(|text| expectation(text)).collect::<Result<_, _>>()?;
    let most = (matches.value_source("timeout") == Some(ValueSource::CommandLine))
        .then(|| Duration::from_secs(global.remote.timeout));
    let (done, result) = channel();
    let missing = Missing::default();
    let (known, global) = (missing.clone(), global.clone());
    // In a thread, because a server may take longer to answer than there is time.
    thread::spawn(move || done.send(wait(&expectations, &known, &global, ui)));
    let ended = match most {
        Some(most) => result.recv_timeout(most).ok(),
        None => result.recv().ok(),
    };
    ended.unwrap_or_else(|| {
        let missing = missing.lock().unwrap_or_else(PoisonError::into_inner).take();
        let missing = missing.unwrap_or_else(|| "there was no answer".to_owned());
        ui.say(&format!("the time is over: {missing}"));
        Ok(Exit::Different)
    })
}

fn wait(
    expectations: &[Expectation],
    missing: &Missing,
    global: &GlobalArgs,
    ui: Ui,
) -> Result<Exit, CliError> {
    let mut observed = Observed::begin(global, ui)?;
    loop {
        let left = match observed.read() {
            Ok(Some(content)) => still_missing(&content, expectations)?,
            Ok(None) => missing.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Err(error) if may_pass(&error) => Some(error.to_string()),
            Err(error) => return Err(error.into()),
        };
        if left.is_none() {
            return Ok(Exit::Done);
        }
        *missing.lock().unwrap_or_else(PoisonError::into_inner) = left;
        observed.wait(LONG);
    }
}

/// What is not there yet, in words; a path that leads nowhere yet may do so later.
fn still_missing(content: &Content, expectations: &[Expectation]) -> Result<Option<String>, CliError> {
    if !content.is_valid() {
        return Ok(Some("the configuration has errors".to_owned()));
    }
    match unmet(&content.to_json(), expectations) {
        Ok(unmet) => {
            let words: Vec<String> = unmet.iter().map(ToString::to_string).collect();
            Ok((!words.is_empty()).then(|| words.join("; ")))
        }
        Err(faults) if faults.iter().all(|fault| fault.misfit.is_absent) => {
            let words: Vec<String> = faults.iter().map(ToString::to_string).collect();
            Ok(Some(words.join("; ")))
        }
        Err(faults) => {
            let wrong = |fault: &PathFault| !fault.misfit.is_absent;
            Err(CliError::bad_selection(faults.into_iter().find(wrong).expect("one of them is wrong")))
        }
    }
}
