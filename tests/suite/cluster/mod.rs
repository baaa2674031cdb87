//! A configuration on etcd: what a real cluster does.

mod commands;
mod confirmed;
mod contract;
pub(crate) mod etcd;
mod garbage;
mod life;
mod lost_answers;
mod nodes;
mod restored;
mod secured;
mod storm;
mod walk;
