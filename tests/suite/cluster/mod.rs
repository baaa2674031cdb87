//! A configuration on etcd: the model of the protocol, and what follows a real cluster.

mod commands;
mod contract;
pub(crate) mod etcd;
mod lost_answers;
mod model;
mod nodes;
mod proof;
mod proxy;
mod requests;
mod secured;
mod space;
mod writers;
