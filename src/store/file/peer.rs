//! The process at the other end of a Unix socket.
//!
//! The permissions of the socket are not enough: a change through a server is a change of the file, so
//! only users who may write the file may use the socket. The kernel says which user is at the other
//! end, and `/proc` says the groups of that process.

use std::fs;
use std::io;
use std::os::fd::AsFd;

use rustix::net::sockopt::socket_peercred;
use rustix::process::Pid;

use super::access::AccessRights;
use super::target::ConfFile;

/// A process at the other end of a Unix socket.
#[derive(Clone, Copy, Debug)]
pub struct SocketPeer {
    pub user: u32,
    group: u32,
    process: Pid,
}

impl SocketPeer {
    /// The process at the other end of `socket`: the one that connected, or the one that listens.
    ///
    /// # Errors
    /// The error of the system.
    pub fn from_socket(socket: impl AsFd) -> io::Result<Self> {
        let found = socket_peercred(socket)?;
        Ok(Self { user: found.uid.as_raw(), group: found.gid.as_raw(), process: found.pid })
    }

    /// All its groups. Supplementary groups are known only where `/proc` shows the process.
    fn groups(&self) -> Vec<u32> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.as_raw_nonzero()));
        let more = status.ok().and_then(|status| groups_in(&status, self.user)).unwrap_or_default();
        [self.group].into_iter().chain(more).collect()
    }
}

/// The groups in a `/proc/PID/status`; none unless all users in it are `user`: the process may have
/// ended and its id been reused, or it may now run a program of another user.
fn groups_in(status: &str, user: u32) -> Option<Vec<u32>> {
    let numbers = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_ascii_whitespace().map(|number| number.parse().ok()).collect::<Option<Vec<u32>>>()
    };
    let is_same = numbers("Uid:")?.iter().all(|found| *found == user);
    if is_same { numbers("Groups:") } else { None }
}

/// The users who may use the socket of a configuration: those who may write the file, root, and the user
/// of this process.
#[derive(Clone, Debug)]
pub struct AllowedPeers {
    conf: ConfFile,
    us: u32,
}

impl AllowedPeers {
    pub(super) fn for_conf(conf: &ConfFile) -> Self {
        Self { conf: conf.clone(), us: rustix::process::geteuid().as_raw() }
    }

    /// True if this process may use the socket, by the present rights of the file.
    pub fn admit(&self, peer: &SocketPeer) -> bool {
        let is_known = [0, self.us].contains(&peer.user);
        is_known
            || AccessRights::read(self.conf.target())
                .is_ok_and(|access| access.may_write(peer.user, &peer.groups()))
    }
}

#[cfg(test)]
mod tests {
    use super::groups_in;

    #[test]
    fn groups_are_those_of_a_process_of_that_user_alone() {
        let status = "Name:\tcat\nUid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\nGroups:\t8 20 30 \n";
        assert_eq!(groups_in(status, 7), Some(vec![8, 20, 30]));
        assert_eq!(groups_in(status, 9), None);
        assert_eq!(
            groups_in(&status.replacen("\t7", "\t0", 1), 7),
            None,
            "it runs a program of another user"
        );
        assert_eq!(groups_in("", 7), None);
    }
}
