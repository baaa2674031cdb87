//! Commands that work on several servers at once.
//!
//! `members` opens the services, and `parallel` works on them in threads. The commands that read are in `read`,
//! `tables`, `blame`, `explain`, `check`, `diff` and `drift`. A change goes through `plan`, `change`, `results`; with `--all-or-nothing`
//! `together` drives the `coordinator`, a state machine without effects. `journal` keeps what `resume` needs.
//!
//! *Invariants.* No thread asks a question or prints. Results stand in the order in which the servers were named,
//! whichever answers first.

pub mod blame;
mod canaries;
pub mod change;
pub mod check;
mod coordinator;
mod decide;
pub mod diff;
pub mod drift;
mod error;
pub mod explain;
mod grouped;
mod health;
mod host;
pub mod journal;
pub mod members;
pub mod observe;
mod parallel;
pub mod pending;
pub mod plan;
pub mod read;
pub mod results;
pub mod tables;
mod together;
pub mod unfinished;
mod verdict;
