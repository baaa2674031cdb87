//! The network by which a client is counted: an IPv4 address, or an IPv6 /64, which a single host can
//! have for itself. Wider IPv6 networks belong to one customer (/48) or one provider (/32).

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// A network by which clients are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    first: IpAddr,
    length: u8,
}

/// The prefix length of an IPv4 address.
const IPV4: u8 = 32;

/// The prefix lengths of counted IPv6 networks, the narrowest first.
const IPV6: [u8; 3] = [64, 48, 32];

impl Network {
    /// The narrowest network of an address. An IPv4-mapped IPv6 address counts as the IPv4 address.
    pub fn from_address(address: IpAddr) -> Self {
        match address.to_canonical() {
            address @ IpAddr::V4(_) => Self { first: address, length: IPV4 },
            IpAddr::V6(address) => Self::ipv6(address, IPV6[0]),
        }
    }

    /// This network and the wider networks around it.
    pub fn with_wider(self) -> impl Iterator<Item = Self> {
        let wider = IPV6.iter().skip(1).filter_map(move |length| match self.first {
            IpAddr::V4(_) => None,
            IpAddr::V6(first) => Some(Self::ipv6(first, *length)),
        });
        std::iter::once(self).chain(wider)
    }

    /// The index among the networks of one address: 0 is the narrowest.
    pub fn level(self) -> usize {
        match self.first {
            IpAddr::V4(_) => 0,
            IpAddr::V6(_) => IPV6.iter().position(|length| *length == self.length).unwrap_or_default(),
        }
    }

    fn ipv6(address: Ipv6Addr, length: u8) -> Self {
        let mask = u128::MAX << (128 - u32::from(length));
        Self { first: Ipv6Addr::from(u128::from(address) & mask).into(), length }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first {
            IpAddr::V4(address) => address.fmt(f),
            IpAddr::V6(address) => write!(f, "{address}/{}", self.length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_counted_by_64_bits_and_wider() {
        for (address, expected) in [
            ("192.0.2.1", vec!["192.0.2.1"]),
            ("::ffff:192.0.2.1", vec!["192.0.2.1"]),
            ("2001:db8:1:2:3:4:5:6", vec!["2001:db8:1:2::/64", "2001:db8:1::/48", "2001:db8::/32"]),
        ] {
            let narrowest = Network::from_address(address.parse().expect("it is an address"));
            let all: Vec<Network> = narrowest.with_wider().collect();
            assert_eq!(all.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
            assert!(all.iter().enumerate().all(|(level, network)| network.level() == level), "{address}");
        }
    }
}
