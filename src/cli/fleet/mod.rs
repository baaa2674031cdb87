//! Commands that work on several servers at once.
//!
//! `members` opens the services, and `parallel` works on them in threads. `answers` are the results, of
//! one server or of several. A change goes through `plan`, `change`, `results`; with `--all-or-nothing`
//! `all_or_nothing` drives the `coordinator`, a state machine without effects.
//!
//! *Invariants.* No thread asks a question or prints. Results stand in the order in which the servers were named,
//! whichever answers first.

mod all_or_nothing;
pub mod answers;
pub mod batches;
mod canaries;
pub mod change;
mod coordinator;
mod decide;
mod error;
pub mod grouped;
mod health;
mod host;
pub mod members;
pub mod names;
mod parallel;
pub mod plan;
mod progress;
pub mod results;
mod time_to_confirm;
