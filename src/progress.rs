//! What the program waits for. Whatever may take longer than a second is a [`ProgressStep`]; only the command line shows it, and of
//! its own thread alone, so that a server has no lines.

use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// After this time a step is shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// The steps that are under way, the outermost first.
static STEPS: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());

/// A part of the work, until it is dropped.
#[must_use]
pub struct ProgressStep(Option<usize>);

/// Begins a step; one without a text hides the others, as somebody is asked meanwhile.
pub fn step(text: impl Into<String>) -> ProgressStep {
    let is_shown = thread::current().name() == Some("main");
    ProgressStep(is_shown.then(|| {
        let mut steps = STEPS.lock();
        steps.push((text.into(), Instant::now()));
        steps.len() - 1
    }))
}

impl ProgressStep {
    /// Says how far it is.
    pub fn now(&self, text: String) {
        self.0.iter().for_each(|at| STEPS.lock()[*at].0.clone_from(&text));
    }
}

impl Drop for ProgressStep {
    fn drop(&mut self) {
        self.0.iter().for_each(|at| STEPS.lock().truncate(*at));
    }
}

/// The innermost step that takes longer than a second, and for how long; `None` if there is none, or somebody is asked.
pub fn waited_for() -> Option<(String, Duration)> {
    let steps = STEPS.lock();
    let is_asked = steps.iter().any(|(text, _)| text.is_empty());
    let mut times = steps.iter().rev().map(|(text, begin)| (text, begin.elapsed()));
    let (text, time) = times.find(|(_, time)| *time >= SHOWN_AFTER).filter(|_| !is_asked)?;
    Some((text.clone(), time))
}
