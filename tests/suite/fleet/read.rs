//! What is only read, of several servers.

use serde_json::json;

use super::Edges;
use crate::cli::SAMPLE;

/// Three servers, of which the second one has another port and lacks a stream.
fn three() -> Edges {
    let other = SAMPLE.replace("rtsp 554;", "rtsp 555;").replace("ondemand film file://film.mp4;\n", "");
    Edges::of(&[SAMPLE, &other, SAMPLE], &[])
}

#[test]
fn names_patterns_and_groups_name_servers_each_once_and_in_order() {
    let edges = three();
    let rtsp = |chosen: &str| edges.run(&format!("{chosen} read -o compact rtsp")).exits(0).out;
    let all = "{\"edge-0\":554,\"edge-1\":555,\"edge-2\":554}\n";
    assert_eq!(rtsp("-x edge-*"), all);
    assert_eq!(rtsp("--group edge"), all);
    assert_eq!(rtsp("-x edge-2,edge-0,edge-2"), "{\"edge-2\":554,\"edge-0\":554}\n");
    assert_eq!(rtsp("-x edge-1"), "555\n", "one name is one server, as ever");
    let by_variable = edges.call("read -o compact rtsp").env("MEDIACTL_CONTEXT", "edge-*").run();
    assert_eq!(by_variable.exits(0).out, all);
    let run = edges.run("-x edge-1,core read").exits(7);
    run.says("there is no context `core`").says("there are the contexts edge-[0-2] (3)");
    edges.run("-x core* read").exits(7).says("there is no context `core*`");
    edges.run("-x edge-0,egde-1 read").exits(7).says("did you mean `edge-1`?");
    edges.run("--group eu read").exits(7).says("there are the groups edge");
    edges.run("--group edge -x edge-1 read").exits(2).says("`--context` and `--group`");
    edges.run("-x edge-* --jobs 17 read").exits(2);
    for empty in ["--context", "--group", "--url", "--cluster"] {
        edges.run(&format!("{empty}  read")).exits(2).says(&format!("`{empty}` has an empty value"));
    }
    for command in ["edit", "serve", "init x", "fmt --check", "check"] {
        edges.on_all(command).exits(2);
    }
    edges.run("-x edge-0,edge-2 wait rtsp=554").exits(0);
    let run = edges.on_all("--jobs 1 wait rtsp=554 --timeout 10").exits(1);
    run.says("edge-1: the time is over: ").hides("edge-0");
    edges.on_all("watch").exits(2).says("several are named");
}

#[test]
fn each_form_of_read_has_the_servers_in_it() {
    let edges = three();
    let table = edges.on_all("read -o table streams --columns name,prepush").exits(0).out;
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[..2], ["SERVER  NAME   PREPUSH", "edge-0  cam1   5"]);
    assert_eq!((lines.len(), lines[4]), (9, "edge-1  cam1   5"));
    let values = edges.on_all("read rtsp http[0]").exits(0).json();
    let value = |rtsp: u16| json!({"rtsp": rtsp, "http[0]": 80});
    assert_eq!(values, json!({"edge-0": value(554), "edge-1": value(555), "edge-2": value(554)}));
    let raw = edges.on_all("read -r streams.cam1.urls[0].url").exits(0).out;
    assert!(raw.starts_with("==> edge-0 <==\nudp://239.0.0.1:1234\n\n==> edge-1 <==\n"), "{raw}");
    let whole = edges.on_all("read -o conf --mask").exits(0);
    whole.prints("==> edge-1 <==\n# main\n").hides("hunter2");
    edges.on_all("read -o set rtsp").exits(0).prints("==> edge-1 <==\nrtsp=555\n");
    // What is there on some servers only.
    let film = edges.on_all("read -o compact streams.film.static").exits(11);
    assert_eq!(film.out, "{\"edge-0\":false,\"edge-2\":false}\n");
    film.says("edge-1").says("streams.film");
    edges.on_all("read streams.none").exits(7);
}

#[test]
fn a_server_that_does_not_answer_is_named_and_the_others_are_shown() {
    let mut edges = three();
    let status = edges.on_all("status").exits(0).out;
    assert_eq!(status.lines().next(), Some("SERVER  STATE  PENDING  LAST CHANGE"));
    assert_eq!(status.lines().nth(3), Some("edge-2  saved  -        -"));
    edges.kill(1);
    let status = edges.on_all("status").exits(11).says("`edge-1 (http://127.0.0.1:");
    status.prints("edge-1  not reached  -").prints("edge-2  saved");
    let records = edges.on_all("status -o json").exits(11).json();
    assert_eq!((&records["edge-0"]["saved"], records["edge-1"]["error"].is_string()), (&json!(true), true));
    for form in ["read rtsp", "read -o table", "read -o conf", "explain rtsp"] {
        let told = edges.on_all(form).exits(11).err;
        assert_eq!(told.matches("not reachable").count(), 1, "{told}");
    }
    edges.kill(0);
    edges.kill(2);
    edges.on_all("read").exits(7);
}

#[test]
fn diff_shows_equal_differences_once() {
    let edges = three();
    edges.on_all("diff").exits(0).prints("SERVER  DIFFERS  LINES  PATHS\nedge-0  no       -");
    edges.on_all("diff --json running saved").exits(0);
    // Contexts are compared by their names; a file of that name comes first.
    edges.run("diff edge-0 edge-2").exits(0);
    edges.run("-x edge-0 diff edge-1").exits(1);
    edges.home.put("other.conf", SAMPLE.replace("rtsp 554;", "rtsp 1936;"));
    edges.run("diff edge-0 other.conf").exits(1).prints("--- edge-0 (http://").prints("+rtsp 1936;");
    edges.run("diff edge-0 edge-77").exits(7).says("edge-77");
    edges.home.put("edge-1", SAMPLE.replace("rtsp 554;", "rtsp 1937;"));
    edges.run("diff edge-0 edge-1").exits(1).prints("+rtsp 1937;");
    for place in &edges.places {
        place.put("media.conf", place.text().replace("http 80;", "http 81;"));
    }
    let diff = edges.on_all("diff").exits(1).prints("-http 80;\n+http 81;");
    diff.prints("==> edge-[0-2] (3) <==\n--- running\n+++ saved\n").prints("edge-1  yes      +1 -1  http");
    let patches = edges.on_all("diff --json").exits(1).json();
    assert_eq!(patches["edge-2"], json!({"http": [81]}));
}

#[test]
fn history_has_the_server_in_the_first_column() {
    let edges = three();
    edges.run("-x edge-1 modify --set rtsp=556 -m why").exits(0);
    let list = edges.on_all("history").exits(0).out;
    let entries = edges.run("-x edge-1 history -o json").exits(0).json();
    let end = format!("modify  {}  why  rtsp", entries[0]["id"].as_str().expect("it has an id"));
    assert!(list.starts_with("edge-1  1  ") && list.trim_end().ends_with(&end), "{list}");
    edges.on_all("history -p").exits(0).prints("-rtsp 555;\n+rtsp 556;");
    edges.on_all("history show last").exits(11).prints("==> edge-1 <==\n# main\n").says("`edge-0");
    let blamed = edges.on_all("blame rtsp").exits(0).prints("edge-1  1  ").prints("modify: 555 → 556\n");
    blamed.says("edge-0, edge-2: `rtsp` was never changed in the recorded history");
    let lists = edges.on_all("history -o json").exits(0).json();
    assert_eq!((&lists["edge-0"], &lists["edge-1"][0]["message"]), (&json!([]), &json!("why")));
    // One row a change, with the servers that have it.
    edges.on_all("modify --set loglevel=debug --yes --change deploy-42").exits(0);
    let list = edges.on_all("history").exits(0).out;
    assert!(list.starts_with("edge-[0-2] (3)  …  ") && list.lines().count() == 2, "{list}");
    assert_eq!(list.matches("deploy-42").count(), 1, "{list}");
}

#[test]
fn a_missing_password_is_asked_for_each_server_before_any_is_reached() {
    let edges = three();
    edges.put_urls(&edges.urls()[..2], |_| "login admin;".to_owned());
    let mut terminal = edges.call("-x edge-* read -o compact rtsp").on_terminal();
    terminal.expect("password of admin for edge-0").enter_hidden("hunter2");
    terminal.expect("password of admin for edge-1").enter_hidden("wrong");
    let seen = terminal.exits(11);
    let has = ["{\"edge-0\":554}", "the login or the password is wrong"].map(|part| seen.contains(part));
    assert_eq!(has, [true; 2], "{seen}");
    edges.on_all("read").exits(4).says("are required");
}

#[test]
fn equal_password_commands_run_once_and_others_side_by_side() {
    let edges = Edges::new(4);
    let [ran, met] = ["ran", "met"].map(|name| edges.home.path(name).display().to_string());
    // Each of the two commands waits for the other one.
    let commands = ["echo first > MET; echo hunter2", "cat < MET > /dev/null; echo hunter2"]
        .map(|command| format!("echo x >> {ran}; {}", command.replace("MET", &met)));
    edges.home.put_fifo("met");
    let command = |at: usize| format!("login admin; password_command {:?};", commands[at % 2]);
    edges.put_urls(&edges.urls(), command);
    edges.on_all("read -o compact rtsp").exits(0).prints("\"edge-3\":554");
    assert_eq!(std::fs::read_to_string(&ran).ok().as_deref(), Some("x\nx\n"));
}
