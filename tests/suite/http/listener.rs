//! The listener, with a service that tells what it was asked: what clients do, and what attackers do.

mod attack;
mod crowd;
mod requests;
mod running;
mod secured;
pub(super) mod support;
