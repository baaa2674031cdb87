//! What a person is asked while a change waits to be confirmed.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use colored::Color;

use crate::cli::credentials;
use crate::cli::error::CliError;
use crate::cli::interrupt::LastWords;
use crate::cli::prompts;
use crate::cli::remote::{Decision, Remote};
use crate::cli::render::notes::in_words;
use crate::cli::render::report::Report;
use crate::engine::{Content, Outcome};

use crate::cli::ui::Ui;
use crate::http::client::Credentials;

/// Between two looks at the clock.
const TICK: Duration = Duration::from_secs(1);

/// On a terminal, asks whether the change stays, as long as it waits; elsewhere says how to tell.
///
/// A yes goes over a new connection, with the login and the password that hold since the change: who
/// has locked themselves out can't confirm that.
pub fn run(
    server: &Remote,
    id: &str,
    outcome: &Outcome,
    time: Duration,
    report: &Report<'_>,
) -> Result<(), CliError> {
    let (ui, name) = (report.ui, report.target);
    if !prompts::can_ask() {
        report.note(&pending(name, time));
        return Ok(());
    }
    let deadline = Instant::now() + time;
    let changed = name.to_owned();
    let last_words = LastWords::new(ui, move || {
        let left = deadline.saturating_duration_since(Instant::now());
        format!("\n{}", pending(&changed, left))
    });
    let Some(decision) = ask(deadline, ui) else {
        return Err(CliError::NotConfirmed { target: name.to_owned() });
    };
    drop(last_words);
    let notes = server.anew(new_credentials(outcome)?).decide(id, decision)?;
    notes.iter().for_each(|note| report.note(&in_words(note, report.ui.masker().as_ref())));
    match decision {
        Decision::Keep => {
            report.say(&format!("confirmed the change of {name}"));
            Ok(())
        }
        Decision::TakeBack => Err(CliError::NotConfirmed { target: name.to_owned() }),
    }
}

/// Login and password that hold since the change; none where the server shows no text.
fn new_credentials(outcome: &Outcome) -> Result<Option<Credentials>, CliError> {
    let Some(Content::Text(after)) = outcome.after() else { return Ok(None) };
    after.account().map(|[login, password]| credentials::credentials(login, password)).transpose()
}

/// That the change waits to be confirmed, and how to end that.
fn pending(name: &str, left: Duration) -> String {
    format!(
        "in {} s the change of {name} is taken back; `mediactl confirm` keeps it, \
         `mediactl confirm --revert` takes it back now",
        left.as_secs()
    )
}

/// What becomes of the change; `None` if nobody says so in time.
fn ask(deadline: Instant, ui: Ui) -> Option<Decision> {
    let (tell, told) = mpsc::channel();
    // Reading can't be given up; the thread ends with the program.
    std::thread::spawn(move || {
        let mut line = String::new();
        while io::stdin().read_line(&mut line).is_ok_and(|count| count > 0) {
            if tell.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let _ = write!(io::stderr(), "\r{}", question(left, ui));
        match told.recv_timeout(left.min(TICK)) {
            Ok(line) => match line.trim().to_lowercase().as_str() {
                "y" | "yes" => return Some(Decision::Keep),
                "n" | "no" => return Some(Decision::TakeBack),
                _ => {}
            },
            Err(RecvTimeoutError::Timeout) if left > TICK => {}
            Err(RecvTimeoutError::Timeout) => break,
            // Without anybody to answer there is only the time to wait for.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(left.min(TICK)),
        }
        if left.is_zero() {
            break;
        }
    }
    let _ = writeln!(io::stderr());
    None
}

fn question(left: Duration, ui: Ui) -> String {
    ui.paint_err(&format!("keep the change? [y/n] {:>5} s left: ", left.as_secs()), Color::Yellow)
}
