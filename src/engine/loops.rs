//! The threads of a server that go on as long as it does. One that panics begins its work again; one that
//! always does ends the server, so that none is missing unseen.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The most times that the work of a thread may begin again within a minute.
pub const RESTARTS: usize = 5;

/// The time in which the restarts of a thread are counted.
pub const WINDOW: Duration = Duration::from_secs(60);

/// The pause before the work of a thread begins again.
const PAUSE: Duration = Duration::from_millis(100);

type OnEnd = Box<dyn Fn(&str) + Send + Sync>;

/// The loops of a server.
#[derive(Clone, Default)]
pub struct Loops(Arc<Supervised>);

#[derive(Default)]
struct Supervised {
    pulses: Mutex<Vec<Arc<Pulse>>>,
    on_end: OnceLock<OnEnd>,
}

/// Returns since when a loop works at the same turn.
#[derive(Debug)]
pub struct Pulse {
    name: &'static str,
    late_after: Duration,
    /// None while it waits for work.
    working: Mutex<Option<Instant>>,
}

impl Pulse {
    /// The pulse of a loop that is late if one of its turns takes longer.
    pub fn new(name: &'static str, late_after: Duration) -> Arc<Self> {
        Arc::new(Self { name, late_after, working: Mutex::default() })
    }

    /// A turn begins.
    pub fn turn(&self) {
        *lock(&self.working) = Some(Instant::now());
    }

    /// The turn is over; the loop waits for work.
    pub fn rest(&self) {
        *lock(&self.working) = None;
    }

    fn age(&self) -> Duration {
        lock(&self.working).map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl Loops {
    /// Has the pulse shown with those of the other loops.
    pub fn add(&self, pulse: Arc<Pulse>) -> Arc<Pulse> {
        lock(&self.0.pulses).push(pulse.clone());
        pulse
    }

    /// Sets what is called with the name of a thread that fails again and again.
    pub fn end_with(&self, on_end: impl Fn(&str) + Send + Sync + 'static) {
        // Called once: a server is started once.
        let _ = self.0.on_end.set(Box::new(on_end));
    }

    /// Runs `work` in a thread until it returns; begins again after a panic.
    ///
    /// # Errors
    /// No thread can be spawned.
    pub fn spawn(
        &self,
        name: &'static str,
        work: impl Fn() + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let own = self.clone();
        thread::Builder::new().name(name.to_owned()).spawn(move || own.run(name, work))
    }

    fn run(&self, name: &str, work: impl Fn()) {
        let mut failures: Vec<Instant> = Vec::new();
        while catch_unwind(AssertUnwindSafe(&work)).is_err() {
            failures.retain(|at| at.elapsed() < WINDOW);
            failures.push(Instant::now());
            if failures.len() > RESTARTS {
                let times = failures.len();
                let told = format!("the thread `{name}` of the server failed {times} times within a minute");
                return self.0.on_end.get().into_iter().for_each(|on_end| on_end(&told));
            }
            thread::sleep(PAUSE);
        }
    }

    /// Returns the time that each loop has been at its present turn, the longest of those with one name;
    /// zero while it waits.
    pub fn ages(&self) -> Vec<(&'static str, Duration)> {
        let mut ages: Vec<(&'static str, Duration)> = Vec::new();
        for pulse in lock(&self.0.pulses).iter() {
            match ages.iter_mut().find(|(name, _)| *name == pulse.name) {
                Some((_, age)) => *age = pulse.age().max(*age),
                None => ages.push((pulse.name, pulse.age())),
            }
        }
        ages
    }

    /// True if one of the loops with these names is late.
    pub fn are_late(&self, names: &[&str]) -> bool {
        let is_late = |pulse: &Arc<Pulse>| names.contains(&pulse.name) && pulse.age() > pulse.late_after;
        lock(&self.0.pulses).iter().any(is_late)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_thread_that_panics_begins_again_and_one_that_always_does_is_told() {
        let (told, ends) = channel();
        let loops = Loops::default();
        loops.end_with(move |message| told.send(message.to_owned()).expect("it is waited for"));
        let left = Mutex::new(2);
        let once_more = move || {
            let mut left = lock(&left);
            *left -= 1;
            assert!(*left == 0, "a turn fails");
        };
        loops.spawn("short", once_more).expect("a thread").join().expect("it returns");
        assert!(ends.try_recv().is_err(), "it went on");
        loops.spawn("long", || panic!("each turn fails")).expect("a thread").join().expect("it returns");
        assert_eq!(
            ends.recv(),
            Ok("the thread `long` of the server failed 6 times within a minute".to_owned())
        );
    }

    #[test]
    fn a_loop_is_late_in_a_long_turn_and_not_while_it_waits() {
        let loops = Loops::default();
        let pulses =
            [Duration::ZERO, Duration::from_secs(60)].map(|late| loops.add(Pulse::new("follow", late)));
        assert!(!loops.are_late(&["follow"]));
        pulses[1].turn();
        while loops.ages()[0].1.is_zero() {
            thread::yield_now();
        }
        assert!(!loops.are_late(&["follow"]));
        pulses[0].turn();
        while !loops.are_late(&["follow"]) {
            thread::yield_now();
        }
        assert!(!loops.are_late(&["accept"]));
        pulses[0].rest();
        assert!(!loops.are_late(&["follow"]));
    }
}
