//! The service over a store: read, modify, save, update, roll back, confirm.
//!
//! A command and an HTTP endpoint make the same call here ([`ConfigService`], [`Engine`]), so a fix in
//! one is a fix in both. `transaction` has the order of work of every change; `modify` and `replace`
//! compute the changes; `local` is the engine itself.
//!
//! *Invariants.* No HTTP types and no terminals: the callers ask questions and print. Without a server,
//! the running configuration is the file.

#[allow(clippy::disallowed_methods, reason = "a request has a time until which it may write")]
mod change;
mod check;
#[allow(clippy::disallowed_methods, reason = "a change has to be confirmed within a time")]
mod confirm;
mod guard;
#[allow(clippy::disallowed_methods, reason = "a hand edit has the time at which it is seen")]
mod history;
#[allow(clippy::disallowed_methods, reason = "a hook is a program that is waited for")]
mod hook;
mod include;
mod local;
mod modify;
mod rebase;
#[allow(clippy::disallowed_methods, reason = "the time that the reload command takes is told")]
mod reload;
mod replace;
mod roll_back;
#[allow(clippy::disallowed_methods, reason = "a writer waits for its turn; a reload has a time")]
mod running;
mod service;
mod snapshot;
#[allow(clippy::disallowed_methods, reason = "a change is recorded with its time")]
mod transaction;

pub use change::*;
pub use check::*;
pub use confirm::*;
pub use guard::*;
pub use history::*;
pub use hook::*;
pub use include::*;
pub use local::*;
pub use rebase::*;
use reload::Occasion;
pub use replace::*;
pub use roll_back::*;
pub use running::*;
pub use service::*;
pub use snapshot::*;
use transaction::{Transaction, hand_edited_since};
