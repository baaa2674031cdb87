//! The network or user that a connection counts for.

use std::net::IpAddr;

use crate::http::server::message::{PeerAddress, counted_address};

/// The network or the user that a connection counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectionOrigin {
    client: ClientId,
    /// True if all connections of this origin together have the limit of one address.
    pub limited: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ClientId {
    Address(IpAddr),
    User(u32),
}

impl ConnectionOrigin {
    /// The origin of a peer. Users of this machine and proxies are many clients behind one address, so
    /// the limit of one address does not hold for them.
    pub fn from_peer(peer: PeerAddress, proxies: &[IpAddr]) -> Self {
        match peer {
            PeerAddress::Uid(uid) => Self { client: ClientId::User(uid), limited: false },
            PeerAddress::Address(address) => {
                let address = address.to_canonical();
                let limited = !address.is_loopback() && !proxies.contains(&address);
                Self { client: ClientId::Address(counted_address(address)), limited }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ConnectionOrigin;
    use crate::http::server::message::PeerAddress;

    fn origin(peer: &str) -> ConnectionOrigin {
        let proxy = "192.0.2.7".parse().expect("it is an address");
        ConnectionOrigin::from_peer(PeerAddress::parse(peer).expect("the tests name peers"), &[proxy])
    }

    #[test]
    fn an_address_counts_by_64_bits_of_ipv6_and_mapped_ipv4_as_ipv4() {
        assert_eq!(origin("2001:db8::1"), origin("2001:db8::ffff:2"));
        assert_ne!(origin("2001:db8::1"), origin("2001:db8:0:1::1"));
        assert_eq!(origin("192.0.2.1"), origin("::ffff:192.0.2.1"));
        assert_ne!(origin("192.0.2.1"), origin("192.0.2.2"));
    }

    #[test]
    fn proxies_and_users_of_this_machine_have_no_limit_of_an_address() {
        for (peer, limited) in [
            ("192.0.2.1", true),
            ("2001:db8::1", true),
            ("192.0.2.7", false),
            ("::ffff:192.0.2.7", false),
            ("127.0.0.1", false),
            ("::ffff:127.0.0.1", false),
            ("::1", false),
            ("uid:1000", false),
        ] {
            assert_eq!(origin(peer).limited, limited, "{peer}");
        }
    }
}
