//! The reason why a request to etcd failed.

use serde::Deserialize;

use crate::store::error::StoreError;

/// The reason why a request to etcd failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GatewayFault {
    /// No endpoint answered in time.
    NoAnswer {
        /// Each endpoint, and why it gave no answer.
        tried: Vec<(String, String)>,
        /// True if the request may have been carried out.
        may_be_done: bool,
    },
    /// etcd refused the request.
    Refused(GatewayRefusal),
    /// An answer has more bytes than the user takes.
    TooLarge { most: u64 },
    /// The certificates or the key can't be used.
    Tls(&'static str),
}

/// The reason why etcd refused a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GatewayRefusal {
    /// The token is wrong, or missing.
    Unauthenticated(String),
    /// The password is wrong, or a right is missing.
    Denied(String),
    /// etcd has no users, so it gives no tokens.
    AuthDisabled,
    /// The revision that was asked for is compacted.
    Compacted,
    /// It may be over soon: there is no leader, for instance.
    Passing(String),
    /// Any other, such as a full disk.
    Other(String),
}

/// The codes of gRPC.
mod code {
    pub const CANCELLED: u64 = 1;
    pub const UNKNOWN: u64 = 2;
    pub const INVALID_ARGUMENT: u64 = 3;
    pub const DEADLINE_EXCEEDED: u64 = 4;
    pub const PERMISSION_DENIED: u64 = 7;
    pub const ABORTED: u64 = 10;
    pub const OUT_OF_RANGE: u64 = 11;
    pub const INTERNAL: u64 = 13;
    pub const UNAVAILABLE: u64 = 14;
    pub const UNAUTHENTICATED: u64 = 16;
}

#[derive(Deserialize)]
struct ErrorBody {
    code: u64,
    message: String,
}

impl GatewayRefusal {
    /// Parses the body of an error response; `None` if it is none of etcd's.
    pub fn parse(body: &str) -> Option<Self> {
        let ErrorBody { code, message } = serde_json::from_str(body).ok()?;
        let message = message.trim_start_matches("etcdserver: ").to_owned();
        Some(match code {
            _ if message.contains("revision of auth store is old") => Self::Unauthenticated(message),
            code::UNAUTHENTICATED => Self::Unauthenticated(message),
            code::PERMISSION_DENIED => Self::Denied(message),
            code::INVALID_ARGUMENT
                if message.contains("authentication failed") || message.contains("user name") =>
            {
                Self::Denied(message)
            }
            _ if message.contains("authentication is not enabled") => Self::AuthDisabled,
            code::OUT_OF_RANGE => Self::Compacted,
            code::CANCELLED
            | code::UNKNOWN
            | code::DEADLINE_EXCEEDED
            | code::ABORTED
            | code::INTERNAL
            | code::UNAVAILABLE => Self::Passing(message),
            _ => Self::Other(message),
        })
    }
}

impl GatewayFault {
    /// The error of a store with this name. `changes` says that the request was a change.
    pub(super) fn into_store_error(self, name: &str, changes: bool) -> StoreError {
        let name = name.to_owned();
        match self {
            Self::NoAnswer { tried, may_be_done } => {
                let tried: Vec<String> =
                    tried.into_iter().map(|(endpoint, why)| format!("{endpoint}: {why}")).collect();
                let reason = tried.join("; ");
                match changes && may_be_done {
                    true => StoreError::OutcomeUnknown { name, reason },
                    false => StoreError::Unreachable { name, reason },
                }
            }
            Self::TooLarge { most } if changes => {
                StoreError::OutcomeUnknown { name, reason: format!("the answer has more than {most} bytes") }
            }
            Self::TooLarge { most } => StoreError::TooLarge { name, most },
            Self::Refused(GatewayRefusal::Unauthenticated(reason) | GatewayRefusal::Denied(reason)) => {
                StoreError::Refused { name, reason }
            }
            Self::Refused(GatewayRefusal::Passing(reason) | GatewayRefusal::Other(reason)) => {
                StoreError::Remote { name, reason }
            }
            Self::Refused(GatewayRefusal::AuthDisabled) => {
                StoreError::Remote { name, reason: "authentication is not enabled".to_owned() }
            }
            Self::Refused(GatewayRefusal::Compacted) => {
                StoreError::Remote { name, reason: "the revision is compacted".to_owned() }
            }
            Self::Tls(reason) => StoreError::Remote { name, reason: reason.to_owned() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_etcd_are_told_apart() {
        for (body, refusal) in [
            (
                r#"{"error":"etcdserver: no leader","code":14,"message":"etcdserver: no leader"}"#,
                Some(GatewayRefusal::Passing("no leader".to_owned())),
            ),
            (
                r#"{"error":"x","code":16,"message":"etcdserver: invalid auth token"}"#,
                Some(GatewayRefusal::Unauthenticated("invalid auth token".to_owned())),
            ),
            (
                r#"{"code":3,"message":"etcdserver: authentication failed, invalid user ID or password"}"#,
                Some(GatewayRefusal::Denied("authentication failed, invalid user ID or password".to_owned())),
            ),
            (
                r#"{"code":9,"message":"etcdserver: authentication is not enabled"}"#,
                Some(GatewayRefusal::AuthDisabled),
            ),
            (
                r#"{"code":8,"message":"etcdserver: mvcc: database space exceeded"}"#,
                Some(GatewayRefusal::Other("mvcc: database space exceeded".to_owned())),
            ),
            (
                r#"{"code":11,"message":"etcdserver: mvcc: required revision has been compacted"}"#,
                Some(GatewayRefusal::Compacted),
            ),
            ("404 page not found", None),
        ] {
            assert_eq!(GatewayRefusal::parse(body), refusal, "{body}");
        }
    }
}
