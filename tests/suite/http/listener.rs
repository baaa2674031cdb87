//! The listener, with a service that tells what it was asked: what clients do, and what attackers do.

mod attack;
mod crowd;
mod requests;
pub(super) mod secured;
pub(crate) mod support;
