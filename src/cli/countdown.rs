//! Asks whether a change that waits to be confirmed is kept, until its time is over.

use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use colored::Color;

use crate::cli::interrupt::LastWords;
use crate::cli::prompts::{self, typed_line};
use crate::cli::render::report::{Report, in_words};
use crate::cli::ui::Ui;
use crate::engine::{ConfigService, Decision};
use crate::error::Error;

/// The interval at which the remaining seconds are shown.
const TICK: Duration = Duration::from_secs(1);

/// On a terminal, asks whether the pending change `id` is kept; elsewhere, says how to confirm it.
pub fn run(service: &dyn ConfigService, id: &str, time: Duration, report: &Report<'_>) -> Result<(), Error> {
    let (ui, name) = (report.ui, report.target);
    if !prompts::can_ask() {
        report.note(&how_to_confirm(name, time));
        return Ok(());
    }
    let deadline = Instant::now() + time;
    let changed = name.to_owned();
    let last_words = LastWords::new(ui, move || {
        let left = deadline.saturating_duration_since(Instant::now());
        format!("\n{}", how_to_confirm(&changed, left))
    });
    let decision = ask(deadline, ui);
    drop(last_words);
    let Some(decision) = decision else { return Err(Error::not_confirmed(name)) };
    for note in service.decide(decision, Some(id), "")? {
        report.note(&in_words(&note, ui.masker().as_ref()));
    }
    match decision {
        Decision::Keep => {
            report.say(&format!("confirmed the change of {name}"));
            Ok(())
        }
        Decision::RollBack => Err(Error::not_confirmed(name)),
    }
}

/// Says how the change of `name` is decided before its time is over.
pub fn how_to_confirm(name: &str, left: Duration) -> String {
    format!(
        "in {} s the change of {name} is rolled back; `mediactl confirm` keeps it, \
         `mediactl confirm --revert` rolls it back now",
        left.as_secs()
    )
}

/// Returns the answer; `None` if there is none in time.
fn ask(deadline: Instant, ui: Ui) -> Option<Decision> {
    let (sender, lines) = mpsc::channel();
    // A read of stdin can't be cancelled; the thread ends with the program.
    std::thread::spawn(move || {
        loop {
            let Ok(line) = typed_line() else { return };
            let is_end = line.is_none();
            if sender.send(line).is_err() || is_end {
                return;
            }
        }
    });
    let decision = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let question = format!("keep the change? [y/n] {:>5} s left: ", left.as_secs());
        let _ = write!(io::stderr(), "\r{}", ui.paint_err(&question, Color::Yellow));
        match lines.recv_timeout(left.min(TICK)) {
            // The end of the input (Ctrl-D) is a no.
            Ok(None) => break Some(Decision::RollBack),
            Ok(Some(line)) => match line.trim().to_lowercase().as_str() {
                "y" | "yes" => return Some(Decision::Keep),
                "n" | "no" => return Some(Decision::RollBack),
                _ => {}
            },
            Err(RecvTimeoutError::Timeout) if left > TICK => {}
            Err(RecvTimeoutError::Timeout) => break None,
            // Stdin can't be read: the time runs out without an answer.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(left.min(TICK)),
        }
        if left.is_zero() {
            break None;
        }
    };
    let _ = writeln!(io::stderr());
    decision
}
