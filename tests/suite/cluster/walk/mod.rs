//! `docs/cluster.md`, carried out to the letter: three members of etcd with TLS, logins and roles, and nodes that come,
//! get other names and go; a back-up, its restore, and `cluster adopt`.
//!
//! The blocks of commands run in one shell, in an empty folder. Only what `machines.rs` states is not as in the page: an
//! address is one of the loopback interface, a machine is a folder, and what is of another machine (`ssh`, `scp`), of
//! systemd or of another user is a script in `stand_ins`.

mod machines;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use machines::Machines;

use crate::cli::PROGRAM;
use crate::needs::needs;
use crate::readme::Shell;
use crate::waiting::{look, until};

/// Between these headings the page is carried out.
const WALK: [&str; 2] = ["\n## Install: three members, TLS and roles\n", "\n## Reference\n"];

/// The blocks that are carried out, in the order of the page.
fn blocks() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cluster.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let [begin, end] = WALK;
    let (_, walk) = page.split_once(begin).expect("the walk begins");
    let (walk, _) = walk.split_once(end).expect("the walk ends");
    let commands = |rest: &str| rest.split_once("```").expect("a block ends").0.to_owned();
    walk.split("```sh\n").skip(1).map(commands).collect()
}

/// The machines, and the shell of the operator, in which one block of commands runs after another.
struct Walk {
    machines: Machines,
    shell: Shell,
    blocks: std::vec::IntoIter<String>,
}

impl Walk {
    fn start() -> Self {
        let machines = Machines::new();
        let first = include_str!("../../../../examples/media.conf");
        let file = machines.media_conf("edge1");
        fs::create_dir(file.parent().expect("it is in a folder")).expect("a folder can be made");
        fs::write(file, first).expect("a file can be written");
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
        let stand_ins = checkout.join("tests/suite/cluster/walk/stand_ins");
        let program = Path::new(PROGRAM).parent().expect("it is in a folder").to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([stand_ins, program].into_iter().chain(std::env::split_paths(&path)));
        let mut bash = Command::new("bash");
        bash.current_dir(machines.path("operator")).env_clear().stderr(Stdio::inherit());
        bash.env("PATH", path.expect("folders have no colon")).env("HOME", machines.path("operator"));
        bash.env("USER", "olga").env("MACHINES", machines.path("machines"));
        bash.env("UNITS", checkout.join("packaging")).env("PROGRAM", PROGRAM);
        let mut shell = Shell::start(&mut bash);
        // A command that fails is told. `diff` ends so if there are differences.
        let told = r#"case $BASH_COMMAND in *" diff "*) ;; *) echo "FAILED: $BASH_COMMAND" ;; esac"#;
        shell.run(&format!("set -E; trap '{told}' ERR"), 0);
        Self { machines, shell, blocks: blocks().into_iter() }
    }

    fn run(&mut self, commands: &str) -> String {
        self.shell.run(&self.machines.here(commands), 0).join("\n")
    }

    /// Carries out the blocks up to the one that has these words.
    fn go_to(&mut self, words: &str) {
        loop {
            let commands = self.blocks.next().unwrap_or_else(|| panic!("no block has `{words}`"));
            let printed = self.run(&commands);
            let failed = printed.lines().find(|line| line.starts_with("FAILED: "));
            assert_eq!(failed, None, "{commands}\n{printed}");
            if commands.contains(words) {
                return;
            }
        }
    }

    /// Waits until the file of a media server has a line.
    fn has(&self, machine: &str, line: &str) {
        let file = self.machines.media_conf(machine);
        let has_it = || fs::read_to_string(&file).is_ok_and(|text| text.contains(line));
        until(&format!("{machine} lacks `{line}`"), || has_it().then_some(()));
    }

    /// Waits until the row of a node in the table has a state, and what it runs.
    fn is(&mut self, node: &str, runs: &str, state: &str) {
        let mut status = String::new();
        let is_it = look(|| {
            status = self.run("mediactl -x prod status");
            let rows = status.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            let mut rows = rows.filter(|row| row.first() == Some(&node));
            rows.any(|row| row.get(1) == Some(&runs) && row.contains(&state)).then_some(())
        });
        assert!(is_it.is_some(), "{node} is not {state} with {runs}:\n{status}");
    }
}

#[test]
fn the_page_is_carried_out_to_the_letter() {
    if !["etcd", "etcdctl", "openssl", "bash"].into_iter().all(needs) {
        return;
    }
    let mut walk = Walk::start();
    walk.go_to("mediactl -x prod status");
    for node in ["edge1", "edge2"] {
        walk.is(node, "2", "running");
        walk.has(node, "prepush 2;");
    }
    a_follower_writes_its_own_keys_only(&mut walk);

    walk.go_to("remove_node edge2");
    for node in ["edge1", "edge3", "edge4"] {
        walk.is(node, "3", "running");
    }
    let local = fs::read_to_string(walk.machines.media_conf("edge3").with_file_name("local.conf"));
    assert_eq!(local.expect("it stays"), "http 8081;\n");
    assert!(!walk.run("mediactl -x prod status").contains("edge2"));
    walk.go_to("remove_node edge3");
    assert!(!walk.run("mediactl -x prod status").contains("edge3"));
    walk.has("edge3", "prepush 2;");

    walk.go_to("snapshot save");
    walk.run("mediactl -x prod modify --set streams.cam1.prepush=7");
    walk.go_to("snapshot restore");
    walk.is("edge1", "4", "held");
    walk.has("edge1", "prepush 7;");
    walk.go_to("cluster adopt");
    walk.has("edge1", "prepush 2;");
    walk.has("edge4", "prepush 2;");
    assert!(walk.blocks.next().is_none(), "all blocks are carried out");

    walk.machines.kill("10.0.0.1", "etcd");
    let made = walk.run("mediactl -x prod modify --set streams.cam1.prepush=8");
    assert!(!made.contains("FAILED"), "{made}");
    walk.has("edge4", "prepush 8;");
}

/// With the login of a node, etcd refuses what is of others.
fn a_follower_writes_its_own_keys_only(walk: &mut Walk) {
    let mut put = |key: &str| {
        let login = "ETCDCTL_USER=edge1 ETCDCTL_PASSWORD=$(cat edge1.password)";
        walk.run(&format!("{login} etcdctl put /media/prod/{key} garbage"))
    };
    for key in ["head", "pending", "text/1/x/0000", "change/1", "node/edge2", "member/edge2"] {
        let refused = put(key);
        assert!(refused.contains("permission denied") && refused.contains("FAILED"), "{key}: {refused}");
    }
    assert_eq!(put("member/edge1"), "OK");
    let change = "mediactl -x prod --user edge1 --password-file edge1.password modify --set rtsp=555";
    assert!(walk.run(change).contains("permission denied"));
}
