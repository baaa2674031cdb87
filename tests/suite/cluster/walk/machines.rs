//! The machines of the page: what stands for each.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The machines of the page, and the last part of the address that each has here; 10.0.0.1 is the first one's.
const MACHINES: [(&str, u8); 6] =
    [("m1", 1), ("m2", 2), ("m3", 3), ("edge1", 11), ("edge2", 12), ("edge3", 13)];

const RENAMED: (&str, &str) = ("edge2", "edge4");

/// The address of the first member in the page, without its last part.
const NETWORK: &str = "10.0.0.";

/// The folder of the examples in the package.
const EXAMPLES: &str = "/usr/share/doc/mediactl/examples";

/// Folders that stand for the machines. What was started there ends with them.
pub struct Machines {
    folder: TempDir,
    /// The loopback network in which each machine has an address, with the ports of the page.
    network: String,
}

impl Machines {
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        let machines = Self { folder, network: free_network() };
        for (name, last) in MACHINES {
            let address = format!("{}{last}", machines.network);
            let folder = if name.starts_with('m') { &address } else { name };
            let machine = machines.path("machines").join(folder);
            for below in ["root", "run", "var/lib/etcd", "etc/default", "etc/systemd/system"] {
                fs::create_dir_all(machine.join(below)).expect("a folder can be made");
            }
            fs::write(machine.join("address"), &address).expect("a file can be written");
            let server = format!("MEDIACTL_SERVE_OPTIONS='--listen {address}:8090'\n");
            fs::write(machine.join("etc/default/mediactl"), server).expect("a file can be written");
        }
        let (name, new_name) = RENAMED;
        symlink(name, machines.path("machines").join(new_name)).expect("a link can be made");
        fs::create_dir(machines.path("operator")).expect("a folder can be made");
        machines
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub fn media_conf(&self, machine: &str) -> PathBuf {
        self.path("machines").join(machine).join("etc/media/media.conf")
    }

    /// Commands of the page as they are carried out.
    pub fn here(&self, commands: &str) -> String {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        commands.replace(NETWORK, &self.network).replace(EXAMPLES, &examples.display().to_string())
    }

    /// Kills what a unit of a machine has started.
    pub fn kill(&self, machine: &str, unit: &str) {
        kill(&self.path("machines").join(self.here(machine)).join(format!("run/{unit}.pid")));
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        let machines = fs::read_dir(self.path("machines")).into_iter().flatten().flatten();
        for run in machines.filter_map(|machine| fs::read_dir(machine.path().join("run")).ok()) {
            run.flatten().for_each(|entry| kill(&entry.path()));
        }
    }
}

fn kill(file: &Path) {
    let is_named = file.extension().is_some_and(|extension| extension == "pid");
    let number = fs::read_to_string(file).ok().filter(|_| is_named).and_then(|text| text.trim().parse().ok());
    if let Some(pid) = number.and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
        let _ = fs::remove_file(file);
    }
}

/// A network of the loopback interface in which nobody listens on etcd's port, such as `127.77.12.`.
fn free_network() -> String {
    let own = std::process::id();
    let networks = (0..u8::MAX).map(|more| (64 + (own >> 8) as u8 % 128, (own as u8).wrapping_add(more)));
    let is_free = |(second, third): &(u8, u8)| {
        TcpListener::bind((Ipv4Addr::new(127, *second, *third, 1), 2379)).is_ok()
    };
    let (second, third) = networks.into_iter().find(is_free).expect("a network is free");
    format!("127.{second}.{third}.")
}
