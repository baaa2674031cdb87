//! The nodes of a cluster that take a change first.

use crate::error::{Error, ErrorKind};
use crate::store::{NodeRecord, NodeState};

/// The reason why a change can't begin on some nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CanaryFault {
    /// Fewer nodes than wanted run what they should.
    TooFew { wanted: usize, found: usize },
    /// It would begin on no node.
    None,
    /// There is no node of this name.
    Unknown(String),
    /// Nobody is to confirm the change, so no node has to wait.
    Unconfirmed,
    /// The server follows no cluster.
    NoCluster,
    /// The change concerns this node alone.
    OneNode,
}

/// The names of the nodes that a change begins on: `given` are names, or one number of nodes, which are
/// chosen among those that run what they should.
///
/// # Errors
/// `None`, `TooFew`, `Unknown`.
pub fn canary_nodes(given: &[String], nodes: &[NodeRecord]) -> Result<Vec<String>, CanaryFault> {
    if let [only] = given
        && let Ok(wanted) = only.parse::<usize>()
    {
        if wanted == 0 {
            return Err(CanaryFault::None);
        }
        let healthy = nodes.iter().filter(|node| node.state == NodeState::Running);
        let first: Vec<String> = healthy.map(|node| node.node.clone()).take(wanted).collect();
        let found = first.len();
        return if found < wanted { Err(CanaryFault::TooFew { wanted, found }) } else { Ok(first) };
    }
    let unknown = given.iter().find(|name| !nodes.iter().any(|node| node.node == **name));
    unknown.map_or_else(|| Ok(given.to_vec()), |name| Err(CanaryFault::Unknown(name.clone())))
}

impl CanaryFault {
    /// The fault in words, where the nodes are given as `canary`.
    pub fn message(&self, canary: &str) -> String {
        match self {
            Self::TooFew { wanted, found } => {
                let nodes =
                    if *found == 1 { "node runs what it should" } else { "nodes run what they should" };
                format!("`{canary} {wanted}`: only {found} {nodes}")
            }
            Self::None => format!("`{canary} 0`: a change begins on one node at least"),
            Self::Unknown(name) => format!("`{canary} {name}`: there is no node of this name"),
            Self::Unconfirmed => format!("`{canary}`: the other nodes wait until the change is confirmed"),
            Self::NoCluster => format!("`{canary}`: this server is no node of a cluster"),
            Self::OneNode => format!("`{canary}`: an update changes this node alone"),
        }
    }

    /// Returns the advice for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::TooFew { .. } | Self::Unknown(_) => "`mediactl --cluster URL status` shows the nodes",
            Self::Unconfirmed => "add `confirm=SECONDS`, the time for that",
            Self::None | Self::OneNode => "leave it out",
            Self::NoCluster => "send the change to a node, or leave it out",
        }
    }
}

/// As a request over HTTP names the parameters.
impl From<CanaryFault> for Error {
    fn from(fault: CanaryFault) -> Self {
        Self::new(ErrorKind::Usage, fault.message("canary")).hint(fault.hint())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_begins_on_one_node_at_least() {
        let node =
            |name: &str| NodeRecord { node: name.to_owned(), ..NodeRecord::absent(NodeState::Running) };
        let found = |given: &str| canary_nodes(&[given.to_owned()], &[node("a"), node("b")]);
        assert_eq!(found("1"), Ok(vec!["a".to_owned()]));
        assert_eq!(found("b"), Ok(vec!["b".to_owned()]));
        assert_eq!(found("0"), Err(CanaryFault::None));
        assert_eq!(found("3"), Err(CanaryFault::TooFew { wanted: 3, found: 2 }));
        assert_eq!(found("c"), Err(CanaryFault::Unknown("c".to_owned())));
    }
}
