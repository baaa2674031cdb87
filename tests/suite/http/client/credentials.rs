//! Where login and password come from, and that they go nowhere.

use super::bare::{AS_ADMIN, bare};
use super::place;

#[test]
fn credentials_come_from_flags_environment_and_url() {
    let (server, place) = (bare(), place());
    place.put("right", "hunter2\n");
    place.put("wrong", "gu3ss");
    let (login, other) = (("MEDIACTL_LOGIN", "admin"), ("MEDIACTL_LOGIN", "x"));
    let (right, wrong) = (("MEDIACTL_PASSWORD", "hunter2"), ("MEDIACTL_PASSWORD", "gu3ss"));
    let (unsaid, rejected) = ("it answers 401", "the login or the password is wrong");
    for (userinfo, flags, environment, code, said) in [
        ("", "", &[][..], 4, unsaid),
        ("", "--user admin --password-file right", &[], 0, ""),
        ("", "--user admin --password-file right", &[other, wrong], 0, ""),
        ("", "--user admin --password-file wrong", &[login, right], 4, rejected),
        ("", "", &[login, right], 0, ""),
        ("", "", &[login, wrong], 4, rejected),
        ("", "--user admin", &[right], 0, ""),
        ("", "--user admin", &[], 4, unsaid),
        ("", "", &[login], 4, unsaid),
        ("", "--password-file right", &[login], 0, ""),
        ("", "--user a:b", &[right], 2, ""),
        ("", "--password-file missing", &[login], 7, ""),
        (AS_ADMIN, "", &[], 0, ""),
        ("%61dmin:h%75nter2", "", &[], 0, ""),
        ("admin", "", &[right], 0, ""),
        ("admin:gu3ss", "", &[], 4, rejected),
        // What stands in a URL that was typed beats the environment.
        ("admin:gu3ss", "", &[right], 4, rejected),
        (AS_ADMIN, "", &[other, wrong], 0, ""),
        ("other:hunter2", "", &[login], 4, rejected),
        ("other", "", &[login, right], 4, unsaid),
        (":hunter2", "", &[], 4, ""),
    ] {
        let url = if userinfo.is_empty() { server.url() } else { server.url_as(userinfo) };
        let call =
            place.mediactl(["--url", &url, "read", "rtsp"].into_iter().chain(flags.split_whitespace()));
        let call = environment.iter().fold(call, |call, (name, value)| call.env(name, value));
        let run = call.run().exits(code).hides("unter2").hides("gu3ss").says(said);
        match said {
            _ if said == unsaid => drop(run.says("hint: give `--user` and `--password-file`")),
            _ if said == rejected => drop(run.says("hint: use the login and password of `edit_auth`")),
            _ => {}
        }
    }
}

#[test]
fn credentials_of_the_environment_go_only_to_its_server() {
    let (server, other, place) = (bare(), bare(), place());
    let run = |flags: &[&str], variable: &str| {
        let call = place.mediactl(flags.iter().copied().chain(["read", "rtsp"])).without("MEDIACTL_CONF");
        call.by_admin().env("MEDIACTL_URL", variable).run().hides("hunter2")
    };
    run(&[], &server.url()).exits(0);
    run(&["--url", &format!("{}/media/api", server.url())], &server.url()).exits(0);
    run(&["--url", &server.url()], "").exits(0);
    for variable in [server.url(), "https://media.example".to_owned(), "no url".to_owned()] {
        run(&["--url", &other.url()], &variable).exits(4);
    }
    let seen = other.requests();
    assert!(seen.iter().all(|request| !request.headers.contains_key("authorization")), "{seen:#?}");
    run(&["--url", &other.url_as(AS_ADMIN)], &server.url()).exits(0);
    // The variables beat the URL of the environment, which may be set once for all.
    run(&[], &server.url_as("admin:gu3ss")).exits(0);
}

#[test]
fn a_wrong_password_is_asked_for_again_three_times_on_a_terminal() {
    let (server, place) = (bare(), place());
    let url = server.url();
    let call = |flags: &[&str]| place.mediactl(flags.iter().chain(&["--url", &url, "read", "rtsp"]));
    let mut terminal = call(&["--user", "admin"]).on_terminal();
    let refused = format!("`{url}` does not accept this login and password");
    let prompt = format!("password of admin for {url}: ");
    terminal.expect(&prompt).enter_hidden("wrong");
    terminal.expect(&refused).expect(&prompt).enter_hidden("hunter2");
    terminal.expect("554");
    let seen = terminal.exits(0);
    assert!(!seen.contains("hunter2"), "{seen}");

    let mut terminal = call(&["--user", "admin"]).env("MEDIACTL_PASSWORD", "wrong").on_terminal();
    for _ in 0..3 {
        terminal.expect(&refused).expect(&prompt).enter_hidden("wrong");
    }
    let seen = terminal.exits(4);
    assert_eq!(seen.matches(&refused).count(), 3, "{seen}");
}

#[test]
fn a_target_is_said_once() {
    let (server, place) = (bare(), place());
    let url = server.url_as(AS_ADMIN);
    for (variable, command, code, said) in [
        ("", "--conf media.conf --url URL read", 2, "two different targets"),
        ("", "--conf media.conf read --url URL", 2, ""),
        (&*url, "read", 2, "MEDIACTL_CONF and MEDIACTL_URL"),
        (&url, "--conf media.conf read http", 0, "[\n  1\n]"),
        (&url, "--url URL read http", 0, "[\n  80\n]"),
        (&url, "diff media.conf media.conf", 0, ""),
        ("", "read http", 0, "[\n  1\n]"),
        ("", "--url read", 2, ""),
        ("", "read --timeout 0", 2, ""),
        ("", "-x prod --conf media.conf read", 2, "`--conf` and `--context` are two different targets"),
        ("", "-x prod --url http://h read", 2, "`--url` and `--context` are two different targets"),
        ("", "-x prod serve", 2, "`serve` works on a file"),
        ("", "--conf media.conf --cluster ETCD read", 2, "`--conf` and `--cluster` are two different"),
        ("", "--url http://h --cluster ETCD read", 2, "`--url` and `--cluster` are two different"),
        ("", "-x prod --cluster ETCD read", 2, "`--cluster` and `--context` are two different"),
        ("", "--cluster ETCD --insecure read", 2, "`--insecure` and `--fingerprint` are for servers"),
        ("", "--cluster ETCD --cert a.pem read", 2, "--key"),
        ("", "--cluster etcd://olga:hunter2@h read", 2, "`etcd://h/` is not the URL of a configuration"),
    ] {
        let command = command.replace("URL", &url).replace("ETCD", "etcd://127.0.0.1:1/p");
        let run = place.mediactl(command.split(' ')).env("MEDIACTL_URL", variable).run().exits(code);
        assert!(run.out.contains(said) || run.err.contains(said), "{command} {run:#?}");
        run.hides("hunter2");
    }
    let alone = place.mediactl(["read", "http"]).without("MEDIACTL_CONF").env("MEDIACTL_URL", &url).run();
    alone.exits(0).prints("[\n  80\n]").hides("hunter2");
    for (name, value) in [("CONTEXT", "prod"), ("CLUSTER", "etcd://127.0.0.1:1/p")] {
        let run = place.mediactl(["read"]).env(&format!("MEDIACTL_{name}"), value).run().exits(2);
        run.says(&format!("MEDIACTL_CONF and MEDIACTL_{name} are two different targets"));
    }
    for bad in ["h:8090", "ftp://admin:hunter2@h", "http://admin:hunter2@h/?x", "http://admin:hunter2@h:x"] {
        place.run(["--url", bad, "read"]).exits(2).hides("hunter2").says("is not the URL of a server");
    }
    for misplaced in ["URL", "read URL", "check URL", "save URL", "update x URL"] {
        let run = place.run(misplaced.replace("URL", &url).split(' ')).exits(2).hides("hunter2");
        run.says(&format!("error: unexpected URL `{}`\nhint: ", server.url()));
    }
    assert_eq!(server.posts(), []);
}

#[test]
fn credentials_without_encryption_are_warned_of() {
    let (server, place) = (bare(), place());
    let url = server.url_as(AS_ADMIN);
    assert_eq!(place.run(["--url", &url, "read", "http"]).exits(0).err, "");
    // An address for documentation (RFC 5737): nothing is there.
    let url = "http://admin:hunter2@192.0.2.1:9";
    let run = place.run(["--timeout", "1", "--url", url, "read"]).exits(7).hides("hunter2");
    run.says("warning: login and password go to `http://192.0.2.1:9` without encryption");
}
