//! The examples of `examples/`, run as an operator would run them.

use std::fs;
use std::io::{BufRead, BufReader};

use crate::cli::serve::Serving;
use crate::cli::{CONF, Call, Place, SAMPLE, own_path};
use crate::cluster::etcd::Etcd;
use crate::fleet::Edges;
use crate::needs::needs;
use crate::ports::free_ports;
use crate::waiting::eventually;

fn example(name: &str) -> String {
    format!("{}/examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A command in the folder of a place, with an environment of its own.
fn call(place: &Place, program: &str, arguments: &[&str]) -> Call {
    let call = place.call(program, arguments).env("PATH", &own_path()).env("LC_ALL", "C.UTF-8");
    call.at_home(place, "home").env("MEDIACTL_CONF", &place.path(CONF).display().to_string())
}

/// A repository, with a work tree where texts are changed and a clone that is followed.
struct Repository<'p>(&'p Place);

impl<'p> Repository<'p> {
    fn new(place: &'p Place) -> Self {
        let repository = Self(place);
        repository.git("init --quiet --bare --initial-branch=main origin.git");
        repository.git("clone --quiet origin.git work");
        repository
    }

    fn git(&self, line: &str) {
        let line = format!("-c user.name=olga -c user.email=olga@example.com {line}");
        call(self.0, "git", &line.split(' ').collect::<Vec<_>>()).run().exits(0);
    }

    fn commit(&self, file: &str, text: &str) {
        self.0.put(&format!("work/{file}"), text);
        self.git(&format!("-C work add {file}"));
        self.git("-C work commit --quiet -m ticket-231");
        self.git("-C work push --quiet origin HEAD:main");
    }

    fn clone(&self) {
        self.git("clone --quiet --branch=main origin.git clone");
    }

    /// The script that follows the clone.
    fn script(&self) -> Call {
        call(self.0, &example("gitops/mediactl-gitops"), &["clone", "site.conf"])
    }
}

#[test]
fn the_cron_script_follows_a_git_repository() {
    if !needs("git") {
        return;
    }
    let place = Place::with(SAMPLE);
    let repository = Repository::new(&place);
    let commit = |text: &str| repository.commit("site.conf", text);
    let cam1 = "stream cam1 { url udp://239.0.0.1:1234 priority=1; prepush 6; auth false; }\n";
    commit(cam1);
    repository.clone();
    let follow = || repository.script().run();
    let first = follow().exits(0).prints("ticket-231").prints("applied to").hides("hunter2");
    first.prints("applied as its streams, lives and plugins: --prune\n").prints("+  prepush 6; # seconds");
    let applied = place.text();
    assert!(!applied.contains("cam.2") && applied.contains("hunter2"), "{applied}");
    follow().exits(0).says_nothing();
    assert_eq!(place.text(), applied);
    commit(&cam1.replace(" auth false;", "").replace('6', "7"));
    follow().exits(0).prints("+  prepush 7; # seconds").prints("-  auth false;");
    commit("stream cam1 { prepush 8;\n");
    follow().exits(3).says("unclosed");
    assert_eq!(place.text(), applied.replace("prepush 6", "prepush 7").replace("  auth false;\n", ""));
    let whole = format!("http 81;\nedit_auth admin hunter2;\n{cam1}");
    commit(&whole);
    follow().exits(0).prints("applied as a whole configuration: --prune=all\n").prints("-rtsp 554;");
    commit(&whole.replace(" auth false;", ""));
    follow().exits(0).prints("-  auth false;");
    let wanted = whole.replace(" auth false;", "");
    assert_eq!(place.line("read").exits(0).out, Place::with(wanted).line("read").exits(0).out);
    commit(cam1);
    let all = repository.script().env("MEDIACTL_APPLY", "--prune=all").run().exits(6);
    all.says("site.conf is applied with: --prune=all\n");
    let applied = place.text();
    for emptied in ["", "# nothing\n", "http 81;\n"] {
        commit(emptied);
        follow().exits(6).says("no stream, live or plugin at all");
    }
    assert_eq!(place.text(), applied);
    place.line("history").exits(0).prints("git ").prints("ticket-231");
}

#[test]
fn the_cron_script_brings_a_cluster_and_several_servers_to_a_git_repository() {
    if !needs("git") {
        return;
    }
    let (place, mut edges) = (Place::empty(), Edges::new(2));
    let repository = Repository::new(&place);
    let cam1 = "stream cam1 { url udp://239.0.0.1:1234; prepush 6; }\n";
    repository.commit("site.conf", cam1);
    let server = |(name, server): (&str, &Option<Serving>)| {
        let url = &server.as_ref().expect("it runs").url;
        format!("context {name} {{ url {url}; login admin; password_command \"echo hunter2\"; }}\n")
    };
    repository
        .commit("servers.conf", &["a", "b"].into_iter().zip(&edges.servers).map(server).collect::<String>());
    repository.clone();
    let script = || repository.script().without("MEDIACTL_CONF");
    let follow =
        || script().env("MEDIACTL_CONTEXT", "a,b").env("MEDIACTL_INVENTORY", "clone/servers.conf").run();
    follow().exits(0).prints("==> a, b <==").prints("+  prepush 6;").hides("hunter2");
    assert!(edges.texts().iter().all(|text| text.contains("prepush 6;") && !text.contains("cam2")));
    follow().exits(0).says_nothing();
    edges.kill(1);
    repository.commit("site.conf", &cam1.replace('6', "7"));
    follow().exits(11).says("+  prepush 7;").says("b (http");
    let Some(etcd) = Etcd::start(1) else { return };
    etcd.line(&place, "/prod", "save -").input(SAMPLE).run().exits(0);
    let follow = || script().env("MEDIACTL_CLUSTER", &etcd.url("/prod")).run();
    follow().exits(0).prints("+  prepush 7;");
    follow().exits(0).says_nothing();
    etcd.line(&place, "/prod", "history").run().exits(0).prints("ticket-231");
}

#[test]
fn a_day_of_work_runs_as_a_script() {
    if !needs("git") || !needs("curl") {
        return;
    }
    let place = Place::empty();
    fs::create_dir(place.path("home")).expect("a folder can be made");
    let day = call(&place, "sh", &[&example("day/day.sh")]).without("MEDIACTL_CONF").run().exits(0);
    let password = fs::read_to_string(place.path("password")).expect("the account was kept");
    day.prints("\ndone\n").hides(password.trim());
}

#[test]
fn the_ansible_role_changes_what_differs_and_then_nothing() {
    if !needs("ansible-playbook") {
        return;
    }
    let place = Place::with(SAMPLE);
    let local =
        "localhost ansible_connection=local ansible_python_interpreter='{{ ansible_playbook_python }}'";
    place.put("inventory", format!("[media]\n{local}\n"));
    place.put("bad.conf", "stream x {\n");
    fs::create_dir(place.path("home")).expect("a folder can be made");
    let (inventory, role) = (place.path("inventory").display().to_string(), example("ansible/site.yml"));
    let conf = format!("mediactl_conf={}", place.path(CONF).display());
    let play = |more: &[&str]| {
        let own = ["-i", &inventory, &role, "-e", &conf];
        let call = call(&place, "ansible-playbook", &[&own, more].concat()).env("ANSIBLE_NOCOLOR", "1");
        call.env("ANSIBLE_LOCAL_TEMP", &place.path("ansible").display().to_string()).run().hides("hunter2")
    };
    play(&["--check"]).exits(0).prints("changed=1").prints("/streams/cam1/");
    assert_eq!(place.text(), SAMPLE);
    play(&[]).exits(0).prints("changed=1").prints("failed=0");
    let applied = place.text();
    assert!(applied.contains("rtmp 1935;") && applied.contains("stream cam2 {"), "{applied}");
    play(&[]).exits(0).prints("changed=0").prints("failed=0");
    assert_eq!(place.text(), applied);
    let bad = place.path("bad.conf").display().to_string();
    let lookup = format!("mediactl_state={{{{ lookup('ansible.builtin.file', '{bad}') }}}}");
    play(&["-e", &lookup]).exits(2).prints("unclosed");
    let pruned = r#"{"mediactl_prune": true, "mediactl_state": "{\"streams\": {\"cam1\": {}}}"}"#;
    play(&["-e", pruned]).exits(0).prints("changed=1");
    assert_eq!(place.text().matches("\nstream ").count(), 1, "{}", place.text());
    let all = r#"{"mediactl_prune": "all", "mediactl_state": "edit_auth a b;\nlive pub;\n"}"#;
    play(&["-e", all]).exits(0).prints("changed=1");
    assert_eq!(place.text(), "# main\nedit_auth a b;\n\nlive pub;\n");
    assert!(fs::metadata(place.path(".media.conf.mediactl")).is_ok());
}

#[test]
fn the_cluster_to_try_out_starts_and_ends() {
    if !needs("etcd") {
        return;
    }
    let place = Place::with(SAMPLE);
    let script = call(&place, &example("cluster/try-cluster"), &["try", &free_ports(6).to_string()]);
    let mut script = script.start();
    let mut lines = BufReader::new(script.stdout.take().expect("stdout is a pipe")).lines();
    let ready = lines.next().expect("it says when it is ready").expect("it is text");
    let url = ready.strip_prefix("ready ").expect("it says the URL").to_owned();
    let modify = ["--cluster", &url, "modify", "-q", "--set", "rtsp=555", "--canary", "node2"];
    place.mediactl(modify).without("MEDIACTL_CONF").run().exits(0);
    let followed = |node: usize| {
        let file = place.path(&format!("try/node{node}/media.conf"));
        fs::read_to_string(file).is_ok_and(|text| text.contains("rtsp 555"))
    };
    eventually(|| (1..=5).all(followed));
    let pid = rustix::process::Pid::from_child(&script);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
    assert_eq!(script.wait().expect("it ends").code(), Some(143));
    let left = place.mediactl(["--cluster", &url, "--timeout", "1", "read", "rtsp"]);
    left.without("MEDIACTL_CONF").run().exits(7);
}
