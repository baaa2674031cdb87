//! The service over a store: read, modify, save, update, roll back, confirm.
//!
//! A command and an HTTP endpoint make the same call here ([`ConfigService`], [`Engine`]), so a fix in
//! one is a fix in both. `transaction` has the order of work of every change; `modify` and `replace`
//! compute the changes; `local` is the engine itself.
//!
//! *Invariants.* No HTTP types and no terminals: the callers ask questions and print. Without a server,
//! the running configuration is the file.

mod change;
mod check;
mod confirm;
mod guard;
mod history;
mod hook;
mod include;
mod local;
mod modify;
mod rebase;
mod reload;
mod replace;
mod roll_back;
mod running;
mod service;
mod snapshot;
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
use reload::HookContext;
pub use replace::*;
pub use roll_back::*;
pub use running::*;
pub use service::*;
pub use snapshot::*;
use transaction::{Transaction, hand_edited_since};
