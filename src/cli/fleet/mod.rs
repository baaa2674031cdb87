//! Commands that work on several servers at once.
//!
//! `members` opens the services and works on them in threads. `answers` are the results, of one server or of several. A
//! change goes through `plan` and `change`. `names` shows many names as ranges.
//!
//! *Invariants.* No thread asks a question, or prints anything but the progress. Results stand in the order in which the
//! servers were named, whichever answers first.

pub mod answers;
pub mod change;
pub mod members;
pub mod names;
pub mod plan;
