//! A node of a cluster: a server whose file follows a configuration in etcd.
//!
//! ```text
//! woken up → look → take back → check hook → file → reload hook → report
//! ```
//!
//! Whatever woke it up (a watch, the time, a change of its own), a node looks at the newest `head` and goes
//! there, so nothing is missed and a burst is one reload. The text that runs is that of an engine over the
//! local file, whose hooks, history and crash safety are those of every server. A second engine, over the
//! store in etcd, makes the changes that clients ask this node for. Neither knows of the other.
//!
//! Three threads belong to a node: one follows, one watches etcd, one keeps the lease of its record.

mod first_text;
mod follow;
mod health;
mod held;
mod keep;
mod local_text;
mod member;
mod not_taken;
mod report;
mod requests;
mod runs;
mod standing;
mod take;
mod wake;
mod watch;
mod way_back;

pub use first_text::first_text;
pub use held::why_held;
pub use member::{Node, NodeSettings, OnDrift};
pub use runs::{Contact, Runs, runs};
