//! The screens of an operator fit the terminal, a narrow one and a wide one.

use super::{PROGRAM, Place, SAMPLE};

/// What is run one after the other, behind the help of each command.
const LINES: &[&str] = &[
    "-h",
    "help modify",
    "context add prod --url https://media.example/with/a/long/path/of/its/own --group edge,eu,asia",
    "context list",
    "read -o table",
    "read -o table --columns name,auth.url,urls,title,comment",
    "explain streams.dvr",
    "explain streams.cam1.prepush",
    "explain lives",
    "add stream hall udp://239.0.0.7:1234 -m 'a camera for the hall, as asked for in ticket 231'",
    "cp streams.cam1 streams.cam9 -m 'one more camera at the gate, as asked for in ticket 232'",
    "mv streams.cam9 streams.lobby",
    "rm streams.hall",
    "history",
    "blame streams.cam1.prepush",
    "status",
    "fmt --check",
    "fmt",
    "init new.conf",
    "apply new.conf --dry-run",
    "wait rtsp=554 --timeout 9",
];

#[test]
fn help_and_tables_fit_the_terminal() {
    let commands = mediactl::cli::command();
    let helps: Vec<_> =
        commands.get_subcommands().map(|command| format!("{} -h", command.get_name())).collect();
    for columns in [80, 200] {
        let place = Place::with(SAMPLE);
        for line in helps.iter().map(String::as_str).chain(LINES.iter().copied()) {
            let call = place.call("sh", ["-c", &format!("exec {PROGRAM} {line}")]).at_home(&place, "");
            let seen = call.on_terminal_of(50, columns).exits(0);
            let wide: Vec<_> = seen.lines().filter(|line| line.chars().count() > columns.into()).collect();
            assert!(!seen.is_empty() && wide.is_empty(), "{line}:\n{wide:#?}");
        }
    }
}
