//! The messages for a first-time user.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::serve::Serving;
use super::{CONF, Place};
use crate::needs::needs;

/// The lines and the columns of a small terminal.
const SCREEN: [usize; 2] = [40, 80];

/// The instructions of a call, in millions.
fn millions(arguments: &[&str]) -> f64 {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_mediactl")]);
    let done = valgrind.args(arguments).output().expect("valgrind can be started");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    let count = told.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse::<f64>().ok());
    count.unwrap_or_else(|| panic!("{told}")) / 1e6
}

/// The limits are those of a program that is not optimized, which takes three to ten times as many: to make the options
/// of all commands would break each.
#[test]
fn a_start_makes_no_more_options_than_it_needs() {
    if !needs("valgrind") {
        return;
    }
    for (arguments, most) in [
        (&["--version"][..], 4.0),
        (&["raed"], 12.0),
        (&["read", "--help"], 20.0),
        (&["read", "-h"], 12.0),
        (&["-h"], 40.0),
    ] {
        let found = millions(arguments);
        assert!(found < most, "{arguments:?} takes {found} million instructions");
    }
}

#[test]
fn init_makes_a_valid_configuration_with_a_password_of_its_own() {
    let place = Place::empty();
    let made = place.run(["init"]).exits(0).prints("login admin\npassword ").says("not shown again");
    let password = made.out.lines().find_map(|line| line.strip_prefix("password ")).expect("it is shown");
    assert_eq!(password.len(), 24);
    place.run(["check", "--strict"]).exits(0).says("no errors, no warnings");
    assert!(place.text().contains(&format!("edit_auth admin {password};\n")));
    let mode = fs::metadata(place.path(CONF)).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    let before = place.bytes();
    place.run(["init"]).exits(6).says("`media.conf` exists already").says("nothing was changed");
    assert_eq!(place.bytes(), before);
    let other = place.run(["init", "new/folder/site.conf"]).exits(0);
    assert!(!other.out.contains(password), "two configurations have two passwords");
    place.run(["check", "new/folder/site.conf"]).exits(0);
    place.run(["--url", "http://h", "init"]).exits(2);
    // The account works.
    let server = Serving::over(&place);
    place.put("password", password);
    let url = server.url.clone();
    let call =
        place.mediactl(["--url", &url, "--user", "admin", "--password-file", "password", "read", "rtmp"]);
    call.without("MEDIACTL_CONF").run().exits(0).prints("1935");
}

#[test]
fn a_missing_configuration_is_told_with_what_to_do() {
    let place = Place::empty();
    for command in [&["read"][..], &["status"], &["modify", "--set", "rtmp=1"], &["serve"]] {
        let run = place.run(command).exits(7).says("does not exist\nhint: `mediactl init` makes a first");
        run.says("`--conf FILE`, `--url URL` or `--context NAME`");
    }
}

#[test]
fn serve_offers_an_account_where_there_is_none() {
    let place = Place::with("http 80;\n");
    let serve = || place.mediactl(["serve", "--listen", "127.0.0.1:0"]);
    serve().run().exits(3).says("no usable `edit_auth`");
    let question = "`media.conf` has no usable `edit_auth`: set one, with a random password? [y/N]";
    serve().on_terminal().expect(question).enter("n").exits(3);
    assert_eq!(place.text(), "http 80;\n");
    let mut terminal = serve().on_terminal();
    terminal.expect(question).enter("y").expect("login admin\npassword ").expect("listening on http");
    terminal.signal(rustix::process::Signal::TERM).exits(0);
    assert!(place.text().starts_with("http 80;\nedit_auth admin "), "{}", place.text());
    assert_eq!(place.kept(), ["http 80;\n"]);
}

#[test]
fn a_port_alone_listens_on_all_addresses() {
    let place = Place::with("edit_auth admin hunter2;\n");
    let server = Serving::with(&place, &["--listen", ":0"]);
    let port = server.url.rsplit(':').next().and_then(|rest| rest.split('/').next()).expect("it has a port");
    let port: u16 = port.parse().expect("it is a number");
    std::net::TcpStream::connect(("127.0.0.1", port)).expect("it listens on IPv4");
    drop(server);
    place.run(["serve", "--listen", ":x"]).exits(2).says(":PORT for all addresses");
}

#[test]
fn the_short_help_fits_one_screen() {
    let place = Place::empty();
    let overview = place.run(["-h"]).exits(0).prints("  modify ").prints("`mediactl help COMMAND`");
    let commands = overview.out.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 15, "{commands:?}");
    for command in
        commands.iter().map(|name| vec![*name, "-h"]).chain([vec!["-h"], vec!["context", "add", "-h"]])
    {
        let help = place.run(&command).exits(0).out;
        let lines: usize = help.lines().map(|line| line.chars().count().div_ceil(SCREEN[1]).max(1)).sum();
        assert!(lines <= SCREEN[0], "{lines} lines: {help}");
        let general: Vec<&str> =
            help.lines().filter(|line| line.starts_with("Options of every command")).collect();
        assert_eq!(general.len(), 1, "{help}");
        assert!(general[0].contains("--conf, --url, -x"), "{help}");
    }
    place.run(["modify", "--help"]).exits(0).prints("--api-prefix").prints("Examples:");
}

#[test]
fn the_long_help_fits_two_screens_and_names_the_options_of_all() {
    let place = Place::empty();
    let tree = mediactl::cli::command();
    let mut calls: Vec<Vec<&str>> = vec![vec!["help"]];
    for command in tree.get_subcommands() {
        calls.push(vec!["help", command.get_name()]);
        let below = command.get_subcommands();
        calls.extend(below.map(|inner| vec!["help", command.get_name(), inner.get_name()]));
    }
    for call in calls {
        let help = place.run(&call).exits(0).prints("`mediactl help options`").prints("--api-prefix").out;
        let lines: usize = help.lines().map(|line| line.chars().count().div_ceil(SCREEN[1]).max(1)).sum();
        assert!(lines <= 2 * SCREEN[0], "{lines} lines: {help}");
        assert!(!help.contains("Trust only the certificate"), "{help}");
    }
    let options = place.run(["help", "options"]).exits(0);
    let options = options.prints("Trust only the certificate").prints("Options of hooks:");
    options.prints("--dry-run ").prints("[env: MEDIACTL_CONF]").prints("[default: auto]");
}

#[test]
fn help_explains_commands_and_the_options_of_all() {
    let place = Place::empty();
    let long = |command: &[&str]| place.run(command).exits(0).out;
    assert_eq!(long(&["help", "modify"]), long(&["modify", "--help"]));
    assert_eq!(long(&["help", "context", "add"]), long(&["context", "add", "--help"]));
    assert_eq!(long(&["help"]), long(&["--help"]));
    let options = place.run(["help", "options"]).exits(0).prints("--conf <FILE>").prints("--cacert <FILE>");
    assert!(!options.out.contains("Usage:"));
    place.run(["help", "modfy"]).exits(2).says("there is no command `modfy`");
}
