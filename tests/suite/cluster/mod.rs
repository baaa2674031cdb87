//! A configuration on etcd: the model of the protocol, and what follows a real cluster.

mod model;
