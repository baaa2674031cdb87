//! The address of a client behind proxies (`X-Forwarded-For`).

use std::net::{IpAddr, SocketAddr};

use crate::http::server::message::{Head, PeerAddress};

/// The address of the client; behind a trusted proxy, the one that the proxy names. `None` for a user
/// of the Unix socket.
pub fn client_address(head: &Head, trusted_proxies: &[IpAddr]) -> Option<IpAddr> {
    let PeerAddress::Address(peer) = head.peer else { return None };
    if !trusted_proxies.contains(&peer) {
        return Some(peer);
    }
    // Each proxy appends an address, so clients can forge those before the last untrusted one.
    let lists: Vec<&str> = head.values("x-forwarded-for").collect();
    let mut hops = lists.iter().rev().flat_map(|list| list.rsplit(',')).map_while(parse);
    Some(hops.find(|hop| !trusted_proxies.contains(hop)).unwrap_or(peer))
}

/// Parses an address with or without a port.
fn parse(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let bare = hop.trim_start_matches('[').split(']').next().unwrap_or(hop);
    let address: Option<IpAddr> =
        bare.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|with_port| with_port.ip()));
    address.map(|address| address.to_canonical())
}
