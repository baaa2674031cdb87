//! A configuration in etcd, which many machines share.
//!
//! The keys below the prefix of the URL:
//!
//! | key                          | what it is                                                             |
//! |------------------------------|------------------------------------------------------------------------|
//! | `head`                       | the last change, and which text is the configuration ([`HeadRecord`])   |
//! | `text/9999999999 - SERIAL/ID/CHUNK` | a text, compressed, in chunks that fit into one request; the newest first |
//! | `change/SERIAL`              | the record of each change in the history, as `head` was                 |
//! | `pending`                    | on a lease: there while the last change may still be confirmed          |
//! | `node/NODE`                  | on a lease: what a node runs ([`NodeRecord`](super::NodeRecord))         |
//! | `retry/NODE`                 | on a lease: asks a node to try again what it did not take                |
//!
//! *Invariants.* A change is one transaction that compares the version of `head` with the one that was
//! read, so no lock is held, and a writer that was overtaken knows it ([`StoreError::Overtaken`]). The
//! chunks of a text that is too large for one transaction are put before the `head` that names them, under
//! the id of the change, which no other change has. Each transaction may be sent twice, as its compares
//! let it happen once: when a connection breaks, it is sent again, and the id in the record tells whether
//! the first one was carried out.
//!
//! `gateway` speaks to etcd, and knows only keys and values.
//!
//! [`StoreError::Overtaken`]: super::StoreError::Overtaken

mod base64_text;
mod canary;
mod cluster_store;
mod cluster_url;
mod cluster_writer;
mod commit;
mod compression;
mod gateway;
mod gateway_fault;
mod head_record;
mod history;
mod key_watch;
mod keys;
mod lease;
mod login;
mod messages;
mod node_records;
mod tls;
mod unconfirmed;

pub use cluster_store::{ClusterStore, Seen};
pub use cluster_url::{BadClusterUrl, ClusterUrl};
pub use commit::MIN_RECORDS;
pub use gateway::{DEFAULT_REQUEST_TIME, Gateway, GatewaySettings};
pub use gateway_fault::{GatewayFault, GatewayRefusal};
pub use head_record::{ADOPT, HeadRecord, TextRef, Unconfirmed};
pub use key_watch::KeyWatch;
pub use keys::{Keys, is_node_name};
pub use messages::{Compare, KeyOperation, KeyRange, KeyValue, Txn, TxnReply};
pub use node_records::{ForgottenNode, MemberRecord, put_records};
pub use tls::{ClusterAccess, ClusterTls};
