//! etcd with TLS, and with users and roles; passwords, certificates and keys that are replaced while nodes are at work.

use std::fs;
use std::path::Path;

use mediactl::store::ReplaceableFile;
use mediactl::store::etcd::GatewaySettings;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    IsCa, KeyPair,
};
use serde_json::{Value, json};

use super::etcd::{Etcd, PASSWORD, Right, add_users};
use super::nodes::{PREFIX, TestNode, ask, with_sample};
use crate::cli::serve::Serving;
use crate::cli::{Place, SAMPLE, with_rtsp};
use crate::needs::needs;
use crate::waiting::{eventually, until};

const NAMED: &str = "named";

/// Makes an authority, and a certificate of it, as `NAME.pem` and `NAME.key`.
fn certificates(folder: &Path, names: &[&str]) {
    let mut params = CertificateParams::new(Vec::new()).expect("there are no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    // A certificate whose issuer has its own name passes for self-signed.
    params.distinguished_name.push(DnType::CommonName, "authority");
    let key = KeyPair::generate().expect("a key can be made");
    let authority = CertifiedIssuer::self_signed(params, key).expect("it can be signed");
    fs::write(folder.join("ca.pem"), authority.pem()).expect("a file can be written");
    for name in names {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("it is a name");
        params.distinguished_name = DistinguishedName::new();
        if *name == NAMED {
            params.distinguished_name.push(DnType::CommonName, NAMED);
        }
        // The gateway is a client of its own member.
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.signed_by(&key, &authority).expect("it can be signed");
        fs::write(folder.join(format!("{name}.pem")), certificate.pem()).expect("a file can be written");
        fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).expect("a file can be written");
    }
}

/// Starts etcd that asks for a certificate: it has that of `server`, and clients that of `olga`.
fn start_with_tls(place: &Place) -> Option<Etcd> {
    let files = [("cert-file", "server.pem"), ("key-file", "server.key"), ("trusted-ca-file", "ca.pem")];
    let option = |(option, name)| format!("--{option}={}", place.path(name).display());
    let options = files.map(option).into_iter().chain(["--client-cert-auth".to_owned()]);
    let etcd = Etcd::start_with("https", 1, options.collect())?;
    etcd.wait_until_ready_for(tls_of_olga(place));
    Some(etcd)
}

fn tls_of_olga(place: &Place) -> GatewaySettings {
    let read = |path: &Path| fs::read(path);
    let pem = |name: &str| ReplaceableFile::read(&place.path(name), read).expect("it is there");
    let identity = Some((pem("olga.pem"), pem("olga.key")));
    GatewaySettings { authorities: Some(pem("ca.pem")), identity, ..GatewaySettings::default() }
}

/// The page of the cluster, which a test carries out, has three members that ask for a certificate and a login.
#[test]
fn etcd_may_ask_for_a_certificate() {
    let place = Place::with(SAMPLE);
    certificates(&place.path(""), &["server", "olga", NAMED]);
    let Some(etcd) = start_with_tls(&place) else { return };
    let call = |options: &str| etcd.line(&place, "/p", &format!("--cacert {options}"));
    let save = |options: &str| call(&format!("{options} save media.conf -q")).run();
    save("ca.pem --cert olga.pem --key olga.key").exits(0);
    save("ca.pem").exits(7).says("cannot reach");
    save("olga.key").exits(9).says("the file of `--cacert` has no certificate");
    let no_key = save("ca.pem --cert olga.pem --key olga.pem").exits(9);
    no_key.says("the files of `--cert` and `--key` are no certificate and its key");
    let unknown = etcd.line(&place, "/p", "--cert olga.pem --key olga.key read");
    unknown.run().exits(7).says("cannot reach");
    let plain = place.mediactl(["--cluster", &etcd.url("/p").replace("etcds", "etcd"), "read"]);
    let plain = plain.without("MEDIACTL_CONF").run().exits(7);
    plain.says("the URL has to begin with `etcds://` if etcd speaks TLS");
    if !needs("curl") {
        return;
    }
    let ask = |path: &str, body: Value| {
        let (body, url) = (body.to_string(), format!("https://{}/v3/{path}", etcd.address(0)));
        let identity = ["--cacert", "ca.pem", "--cert", "olga.pem", "--key", "olga.key"];
        let fails = ["--silent", "--show-error", "--fail", "--noproxy", "*", "--data", &body, &url];
        place.call("curl", identity.iter().chain(&fails)).run().exits(0);
    };
    add_users(&ask, &USERS);
    let run = |identity: &str, user: &str, line: &str| {
        let call = call(&format!("ca.pem --cert {identity}.pem --key {identity}.key {line}"));
        call.account(user, PASSWORD).run().hides("hunter")
    };
    run("olga", "olga", "save media.conf -q").exits(0);
    run("olga", "guest", "modify --set rtsp=555").exits(4).says("permission denied");
    run(NAMED, "olga", "read").exits(4).says("has a common name (CN)");
}

/// The users `olga`, who may write below `/p/`, and `guest`, who may read there.
const USERS: [(&str, &[Right<'_>]); 2] =
    [("olga", &[("READWRITE", "/p/", true)]), ("guest", &[("READ", "/p/", true)])];

#[test]
fn etcd_may_ask_for_a_login_that_has_rights() {
    let Some(etcd) = Etcd::start(1) else { return };
    etcd.add_users(&USERS);
    let place = Place::with(SAMPLE);
    let encrypted = etcd.url("/p").replace("etcd://", "etcds://");
    let with = place.mediactl(["--cluster", &encrypted, "read"]).without("MEDIACTL_CONF");
    with.run().exits(7).says("if etcd speaks TLS, else with `etcd://`");
    let run = |user: &str, password: &str, prefix: &str, line: &str| {
        etcd.line(&place, prefix, line).account(user, password).run().hides("hunter")
    };
    run("olga", "hunter2", "/p", "save media.conf -q").exits(0);
    run("olga", "hunter2", "/p", "modify --set title=x --confirm 60 -q").exits(0);
    run("olga", "hunter2", "/p", "confirm").exits(0);
    // `by` is the login, whoever the writer says that it is.
    let history = run("olga", "hunter2", "/p", "history -o json").exits(0).json();
    let by = history[0]["by"].as_str().expect("it has an author");
    assert!(by.starts_with("olga (says ") || by.starts_with("olga (uid "), "{by}");
    run("guest", "hunter2", "/p", "read title").exits(0).prints("x");
    run("guest", "hunter2", "/p", "status").exits(0);
    run("guest", "hunter2", "/p", "modify --set title=y").exits(4).says("permission denied");
    run("olga", "hunter2", "/q", "save media.conf").exits(4).says("permission denied");
    run("olga", "hunter3", "/p", "read").exits(4).says("authentication failed");
    etcd.line(&place, "/p", "read").run().exits(4).says("`etcd://127.0.0.1").says("refuses this");
}

#[test]
fn a_node_logs_in_once_and_once_more_after_a_restart_of_all_members_and_takes_a_new_password() {
    const NODES: usize = 5;
    let Some(mut etcd) = with_sample(1) else { return };
    etcd.add_users(&[("olga", &[("READWRITE", &format!("{PREFIX}/"), true)])]);
    let start = |number: usize| {
        let name = format!("n{number}");
        TestNode::logged_in(&etcd, Place::with(SAMPLE), (&name, "olga"), PASSWORD)
    };
    let nodes: Vec<TestNode> = (0..NODES).map(start).collect();
    nodes.iter().for_each(|node| drop(node.until_well()));
    let logins = etcd.logins(0);
    assert!((NODES..=2 * NODES).contains(&logins), "{logins}");
    etcd.kill(0);
    etcd.run(0);
    eventually(|| nodes[0].run("modify --set rtsp=555").code == Some(0));
    nodes.iter().for_each(|node| node.until_port("555"));
    // A login that etcd had not written when it was killed is done again at its start, and its token holds.
    let logins = etcd.logins(0);
    assert!((1..=3 * NODES).contains(&logins), "{logins}");
    // A password is replaced: the node and whoever asks it for changes use the old one, until the file has the new one.
    etcd.ask_as_root("auth/user/changepw", &json!({"name": "olga", "password": "other"}));
    etcd.kill(0);
    etcd.run(0);
    nodes[0].until_state("denied");
    nodes[0].place.put("password.new", "other\n");
    fs::rename(nodes[0].place.path("password.new"), nodes[0].place.path("password")).expect("it is there");
    nodes[0].until_well();
    nodes[0].run("modify --set rtsp=556").exits(0);
    assert_eq!(nodes[0].place.text(), with_rtsp("556"));
}

#[test]
fn certificates_and_keys_are_replaced_without_a_restart() {
    let place = Place::empty();
    certificates(&place.path(""), &["server", "olga"]);
    let Some(mut etcd) = start_with_tls(&place) else { return };
    place.put("first.conf", SAMPLE);
    let identity = "--cacert ca.pem --cert olga.pem --key olga.key";
    let change = |etcd: &Etcd, line: &str| {
        etcd.line(&place, PREFIX, &format!("{identity} {line}")).run().exits(0);
    };
    change(&etcd, "save first.conf -q");
    let own = "serve --listen 127.0.0.1:0 --node a --tls-cert server.pem --tls-key server.key";
    let serve = format!("{identity} --cluster {} {own}", etcd.url(PREFIX));
    let node = Serving::of(place.mediactl(serve.split(' ')), true);
    let has = |text: &str| until("it has another text", || Some(()).filter(|()| place.text() == text));
    has(SAMPLE);
    let reads = || place.remote(&node.url, &["--cacert", "ca.pem", "read", "rtsp"]).run();
    reads().exits(0).prints("554");
    // As the metrics of `docs/server.md` are on a node with certificates.
    for name in [
        "mediactl_node_state{state=\"running\"} 1",
        "mediactl_node_state{state=\"denied\"} 0",
        "mediactl_node_serial 1",
        "mediactl_cluster_serial 1",
        "mediactl_cluster_last_contact_seconds ",
    ] {
        until(name, || {
            let (status, metrics) = ask(&place, "GET /metrics", "");
            Some(()).filter(|()| status == 200 && metrics.contains(&format!("\n{name}")))
        });
    }
    // Another authority: all that was signed before is worth nothing now.
    certificates(&place.path(""), &["server", "olga"]);
    etcd.kill(0);
    etcd.run(0);
    etcd.wait_until_ready_for(tls_of_olga(&place));
    change(&etcd, "modify -q --set rtsp=555");
    has(&with_rtsp("555"));
    eventually(|| reads().out.contains("555"));
    node.stop().exits(0);
}
