//! A configuration on etcd: what a real cluster does.

mod commands;
mod confirmed;
mod contract;
pub(crate) mod etcd;
mod garbage;
mod life;
mod local;
mod lost_answers;
mod nodes;
mod proof;
mod restored;
mod secured;
mod space;
mod storm;
mod walk;
mod writers;
