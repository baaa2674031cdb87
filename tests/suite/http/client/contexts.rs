//! Servers by their names.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::bare::{AS_ADMIN, bare};
use super::place;
use crate::cli::{Call, Place, Run};

const CONTEXTS: &str = ".config/mediactl/contexts.conf";

/// A place whose user has contexts.
struct Home(Place);

impl Home {
    fn new() -> Self {
        Self(place())
    }

    /// The program; no variable names a target.
    fn call(&self, arguments: &[&str]) -> Call {
        self.0.mediactl(arguments).without("MEDIACTL_CONF").at_home(&self.0, "")
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.call(arguments).run()
    }

    #[track_caller]
    fn does(&self, command: &str, code: i32) -> Run {
        self.run(&command.split(' ').collect::<Vec<_>>()).exits(code)
    }

    fn add(&self, name: &str, url: &str, more: &[&str]) -> Run {
        self.run(&[&["context", "add", name, "--url", url], more].concat())
    }

    fn text(&self) -> String {
        fs::read_to_string(self.0.path(CONTEXTS)).expect("there are contexts")
    }

    fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.0.path(path), fs::Permissions::from_mode(mode)).expect("it is ours");
    }
}

#[test]
fn a_context_reaches_its_server_with_its_credentials_and_no_other_one() {
    let (server, other, home) = (bare(), bare(), Home::new());
    let url = server.url();
    home.add("prod", &url, &["--user", "admin", "--password-command", "echo hunter2; echo more"]).exits(0);
    home.does("-x prod read rtsp", 0).prints("554");
    home.does("--context prod read rtsp", 0).prints("554");
    // The other variables say nothing then: neither what the target is, nor how to log in.
    let call = home.call(&["modify", "--set", "rtsp=555"]).env("MEDIACTL_CONTEXT", "prod");
    let call = call.env("MEDIACTL_URL", "http://127.0.0.1:1").env("MEDIACTL_LOGIN", "x");
    let changed = call.env("MEDIACTL_PASSWORD", "gu3ss").run().exits(0);
    changed.says(&format!("changed prod ({url}): 1 line added"));
    home.does("read rtsp", 7);
    home.does("context use prod", 0);
    home.does("read rtsp", 0).prints("555");
    home.call(&["read", "http"]).env("MEDIACTL_CONF", "media.conf").run().exits(0).prints("1");
    home.0.put(CONTEXTS, home.text().replace("current prod;\n", ""));
    home.does("read rtsp", 7);
    assert!(server.requests().iter().all(|request| request.headers.contains_key("authorization")));
    for (url, code) in [(&url, 0), (&other.url(), 4)] {
        let call = home.call(&["-x", "prod", "diff", "running", url]);
        call.by_admin().run().exits(code);
    }
    assert!(other.requests().iter().all(|request| !request.headers.contains_key("authorization")));
}

#[test]
fn a_context_has_its_api_prefix_and_its_time() {
    let (server, home) = (bare(), Home::new());
    let as_admin = server.url_as(AS_ADMIN);
    home.add("prod", &as_admin, &["--api-prefix", "/elsewhere", "--timeout", "7"]).exits(0);
    assert!(home.text().contains("  api_prefix /elsewhere;\n  timeout 7;\n"), "{}", home.text());
    let list = home.does("context list -o json", 0).json();
    assert_eq!((&list[0]["api_prefix"], &list[0]["timeout"]), (&"/elsewhere".into(), &7.into()));
    home.does("-x prod read rtsp", 7).says("--api-prefix");
    home.does("-x prod --api-prefix /media/api read rtsp", 0).prints("554");
    // The prefix may stand in the URL, too.
    home.add("other", &format!("{as_admin}/media"), &["--api-prefix", "api"]).exits(0);
    home.add("whole", &format!("{as_admin}/media/api/"), &[]).exits(0);
    home.does("-x other read rtsp", 0).prints("554");
    home.does("-x whole read rtsp", 0).prints("554");
    // It takes connections, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let url = format!("http://{}", silent.local_addr().expect("it is bound"));
    home.add("slow", &url, &["--timeout", "1"]).exits(0);
    home.does("-x slow read rtsp", 7);
    home.add("never", &url, &["--timeout", "0"]).exits(2);
}

#[test]
fn a_password_command_that_fails_ends_the_command() {
    let (server, home) = (bare(), Home::new());
    for (command, why) in [("echo no >&2; exit 3", "exit status: 3"), ("true", "it printed nothing")] {
        home.run(&["context", "remove", "prod"]);
        home.add("prod", &server.url(), &["--user", "admin", "--password-command", command]).exits(0);
        let run = home.does("-x prod read", 4);
        run.says(&format!("the password command of context `prod` failed: {why}"));
    }
    assert!(server.requests().is_empty());
    // A password that is given needs no command.
    home.0.put("right", "hunter2\n");
    home.does("-x prod --password-file right read rtsp", 0);
    home.does("-x prod --user other read rtsp", 4).says("it answers 401");
}

#[test]
fn contexts_are_kept_in_a_file_of_the_user_with_its_comments() {
    let home = Home::new();
    home.does("context list", 0).says("there are no contexts");
    home.add("prod", "https://media.example", &["--user", "7", "--group", "edge,eu", "--cacert", "ca.pem"]);
    let mode = |path| fs::metadata(home.0.path(path)).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(CONTEXTS), mode(".config/mediactl")), (0o600, 0o700));
    let ca = home.0.path("").canonicalize().expect("it is there").join("ca.pem");
    let prod = format!(
        "context prod {{\n  url https://media.example;\n  login \"7\";\n  cacert {};\n  group edge eu;\n}}\n",
        ca.display()
    );
    assert_eq!(home.text(), prod);
    let test = "\n# to try things\ncontext test { url http://a:hunter2@h; } # soon gone\n";
    home.0.put(CONTEXTS, format!("# mine\n{prod}{test}"));
    home.does("context use test", 0);
    let list = home.does("context list", 0).hides("hunter2");
    list.prints("*  test  http://h").prints("prod  https://media.example  7      edge eu");
    let list = home.does("context list -o json", 0).json();
    assert_eq!((&list[0]["groups"][1], &list[1]["current"]), (&"eu".into(), &true.into()));
    home.does("context remove test", 0);
    assert_eq!(home.text(), format!("# mine\n{prod}"));
    home.add("a b", "http://h", &[]).exits(2);
    home.add("grouped", "http://h", &["--group", "eu,"]).exits(2);
    let two = "`--url` and `--cluster` are two different targets";
    for (command, code, said) in [
        ("context add prod --url https://media.example", 2, "there is a context `prod` already"),
        ("-x prd read", 7, "there is no context `prd`\nhint: did you mean `prod`?"),
        ("context remove test", 7, ""),
        ("context use test", 7, ""),
        ("context add a --url h", 2, ""),
        ("context add a", 2, "--url"),
        ("--url http://h --cluster etcd://h/p context add a", 2, two),
    ] {
        home.does(command, code).says(said);
    }
}

#[test]
fn a_file_that_others_may_have_written_is_refused() {
    let home = Home::new();
    home.add("prod", "http://h", &[]).exits(0);
    for mode in [0o640, 0o602] {
        home.set_mode(CONTEXTS, mode);
        home.does("-x prod read", 4).says("other users may read or write").says("chmod 600");
        home.does("context use prod", 4);
    }
    home.set_mode(CONTEXTS, 0o600);
    home.0.put(CONTEXTS, "context prod { url http://h;\n  passwrd x; }\n");
    home.does("-x prod read", 3).says("context `prod`: unknown field `passwrd`");
    home.0.put(CONTEXTS, "context prod {");
    home.does("-x prod read", 3).says("has 1 error");
}

#[test]
fn an_inventory_has_further_contexts_and_holds_for_names_in_both() {
    let home = Home::new();
    home.add("a", "http://own-a", &[]).exits(0);
    home.add("b", "http://own-b", &[]).exits(0);
    home.0.put("servers.conf", "# ours\ncontext b { url http://theirs-b; }\ncontext c { url http://c; }\n");
    let list = home.does("--inventory servers.conf context list", 0);
    list.prints("http://own-a").prints("http://theirs-b").prints("http://c").hides("own-b");
    home.does("--inventory servers.conf context use c", 0);
    home.does("read", 7).says("there is no context `c`, which is in use");
    let call = home.call(&["context", "list"]).env("MEDIACTL_INVENTORY", "servers.conf");
    call.run().exits(0).prints("*  c");
    home.does("--inventory servers.conf context add d --url http://d", 0).says("to `servers.conf`");
    home.does("--inventory servers.conf context remove b", 0);
    let text = fs::read_to_string(home.0.path("servers.conf")).expect("it is there");
    assert!(text.starts_with("# ours\ncontext c {") && text.contains("url http://d;"), "{text}");
    home.0.put_fifo("pipe.conf");
    for command in ["context list", "-x c read", "context add e --url http://e"] {
        home.does(&format!("--inventory pipe.conf {command}"), 7).says("`pipe.conf` is not a regular file");
    }
    home.does("--inventory none.conf context list", 7).says("cannot read `none.conf`");
    for folder in ["shared", "links"] {
        fs::create_dir(home.0.path(folder)).expect("a folder can be made");
    }
    let context = "context e { url http://127.0.0.1:1; login a; password_command \"exit 1\"; }\n";
    home.0.put("shared/servers.conf", context);
    symlink("../shared/servers.conf", home.0.path("links/one.conf")).expect("a link can be made");
    home.set_mode("links", 0o777);
    home.does("--inventory links/one.conf -x e read", 4).says("/links'`").hides("exit status");
    for (path, open, shut) in [("shared", 0o777, 0o755), ("shared/servers.conf", 0o664, 0o644)] {
        home.set_mode(path, open);
        let run = home.does("--inventory shared/servers.conf -x e read", 4).says("hint: `chmod go-w '");
        run.says(&format!("/{path}'`")).hides("exit status");
        home.does("--inventory shared/servers.conf context list", 0);
        home.set_mode(path, shut);
    }
    home.does("--inventory shared/servers.conf -x e read", 4).says("failed: exit status: 1");
    home.0.put("servers.conf", "current a;\n");
    home.does("--inventory servers.conf context list", 3).says("take its line `current` out");
}
