//! etcd with TLS, and with users and roles.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use mediactl::store::StoreError;
use mediactl::store::cluster::{ClusterTls, GatewaySettings};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use serde_json::json;

use super::etcd::Etcd;
use crate::cli::{CONF, Place, SAMPLE};

/// Makes an authority, and a certificate of it, as `NAME.pem` and `NAME.key`.
fn certificates(folder: &Path, names: &[&str]) {
    let mut params = CertificateParams::new(Vec::new()).expect("there are no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key can be made");
    let authority = CertifiedIssuer::self_signed(params, key).expect("it can be signed");
    fs::write(folder.join("ca.pem"), authority.pem()).expect("a file can be written");
    for name in names {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("it is a name");
        // The gateway is a client of its own member.
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate().expect("a key can be made");
        let certificate = params.signed_by(&key, &authority).expect("it can be signed");
        fs::write(folder.join(format!("{name}.pem")), certificate.pem()).expect("a file can be written");
        fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).expect("a file can be written");
    }
}

#[test]
fn etcd_may_ask_for_a_certificate() {
    let place = Place::with(SAMPLE);
    certificates(&place.path(""), &["server", "olga"]);
    let file = |name: &str| place.path(name).display().to_string();
    let options = [
        ["--cert-file", &file("server.pem")],
        ["--key-file", &file("server.key")],
        ["--trusted-ca-file", &file("ca.pem")],
    ];
    let options: Vec<String> = options.concat().into_iter().map(str::to_owned).collect();
    let options = [options, vec!["--client-cert-auth".to_owned()]].concat();
    let Some(etcd) = Etcd::start_with("https", 1, |_| options) else { return };
    let pem = |name: &str| fs::read(place.path(name)).expect("it is there");
    let tls =
        ClusterTls { authorities: Some(pem("ca.pem")), identity: Some((pem("olga.pem"), pem("olga.key"))) };
    etcd.wait_until_ready_for(GatewaySettings { tls, ..GatewaySettings::default() });
    let run = |options: &[&str]| {
        let arguments = [options, &["save", CONF, "-q"]].concat();
        etcd.mediactl(&place, "/p", &arguments).run()
    };
    let (authority, certificate, key) = (file("ca.pem"), file("olga.pem"), file("olga.key"));
    let identity = ["--cert", &certificate, "--key", &key];
    run(&[&["--cacert", &authority][..], &identity].concat()).exits(0);
    run(&["--cacert", &authority]).exits(7).says("cannot reach");
    run(&identity).exits(7).says("cannot reach");
    run(&["--cacert", &key]).exits(9).says("the file of `--cacert` has no certificate");
    let swapped = ["--cacert", &authority, "--cert", &key, "--key", &certificate];
    run(&swapped).exits(9).says("the file of `--key` has no private key");
}

#[test]
fn etcd_may_ask_for_a_login_that_has_rights() {
    let Some(mut etcd) = Etcd::start(1) else { return };
    let ask = |path: &str, body: serde_json::Value| {
        let answer = etcd.ask(0, &format!("auth/{path}"), &body);
        assert!(answer["header"].is_object(), "{path}: {answer}");
    };
    let base64 = |text: &str| {
        use base64::Engine as _;
        base64::prelude::BASE64_STANDARD.encode(text)
    };
    for (user, rights) in [("root", None), ("olga", Some("READWRITE")), ("guest", Some("READ"))] {
        ask("user/add", json!({"name": user, "password": "hunter2"}));
        ask("role/add", json!({"name": user}));
        ask("user/grant", json!({"user": user, "role": user}));
        if let Some(rights) = rights {
            let below = json!({"permType": rights, "key": base64("/p/"), "range_end": base64("/p0")});
            ask("role/grant", json!({"name": user, "perm": below}));
        }
    }
    ask("enable", json!({}));
    let place = Place::with(SAMPLE);
    let run = |user: &str, password: &str, prefix: &str, arguments: &[&str]| {
        let call = etcd.mediactl(&place, prefix, arguments);
        call.env("MEDIACTL_LOGIN", user).env("MEDIACTL_PASSWORD", password).run().hides("hunter")
    };
    run("olga", "hunter2", "/p", &["save", CONF, "-q"]).exits(0);
    run("olga", "hunter2", "/p", &["modify", "--set", "title=x", "--confirm", "60", "-q"]).exits(0);
    run("olga", "hunter2", "/p", &["confirm"]).exits(0);
    run("guest", "hunter2", "/p", &["read", "title"]).exits(0).prints("x");
    run("guest", "hunter2", "/p", &["status"]).exits(0);
    run("guest", "hunter2", "/p", &["modify", "--set", "title=y"]).exits(4).says("permission denied");
    run("olga", "hunter2", "/q", &["save", CONF]).exits(4).says("permission denied");
    run("olga", "hunter3", "/p", &["read"]).exits(4).says("authentication failed");
    etcd.mediactl(&place, "/p", &["read"]).run().exits(4).says("`etcd://127.0.0.1").says("refuses this");
    // A token that is not known any more is asked for anew.
    let login = Some(("olga".to_owned(), "hunter2".to_owned()));
    let store = etcd.store("/p", GatewaySettings { login, ..GatewaySettings::default() });
    store.seen().expect("it may read");
    etcd.kill(0);
    etcd.run(0);
    let until = Instant::now() + Duration::from_secs(30);
    while let Err(error) = store.seen() {
        assert!(matches!(error, StoreError::Unreachable { .. }) && Instant::now() < until, "{error:?}");
    }
}
