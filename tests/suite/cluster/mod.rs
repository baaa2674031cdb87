//! A configuration on etcd: the model of the protocol, and what follows a real cluster.

mod clocks;
mod commands;
mod confirmed;
mod contract;
pub(crate) mod etcd;
mod garbage;
mod life;
mod link;
mod lost_answers;
mod model;
mod nodes;
mod overlays;
mod proof;
mod proxy;
mod requests;
mod restored;
mod rotated;
mod secured;
mod silent;
mod space;
mod storm;
mod walk;
mod writers;
