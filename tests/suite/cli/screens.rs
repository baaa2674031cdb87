//! The screens of an operator in a real terminal, a narrow one and a wide one: whole lines, colours and
//! questions.

use super::tmux::Screen;
use super::{Place, SAMPLE};
use crate::needs::needs;

/// The widths of the terminals.
const WIDTHS: [usize; 2] = [80, 200];

/// A line that the shell prints behind a command.
const END: &str = "-- it has ended --";

/// An interactive shell in the place.
fn shell(place: &Place, columns: usize) -> Screen {
    let screen = Screen::of(place, columns, &["sh", "-i"]);
    screen.types("PS1='>> '; export EDITOR=\"sed -i s/prepush.5/prepush\\ 6/\"").presses("Enter");
    screen
}

/// Runs a command; everything that it shows, in lines as it wrote them.
#[track_caller]
fn runs(screen: &Screen, command: &str) -> String {
    starts(screen, &format!("{command}; echo {}", END.replace("has", "h''as")));
    screen.shows(&[END]);
    screen.whole_lines()
}

/// Types a command on an empty screen.
fn starts(screen: &Screen, command: &str) {
    screen.forgets().types(command).presses("Enter");
}

/// The lines that are wider than the terminal, but for the one with the command.
fn too_wide(shown: &str, columns: usize) -> Vec<&str> {
    shown.lines().filter(|line| line.chars().count() > columns && !line.contains("; echo ")).collect()
}

#[test]
fn help_and_tables_fit_the_terminal() {
    if !needs("tmux") {
        return;
    }
    let commands = mediactl::cli::command();
    let helps = commands.get_subcommands().map(|command| format!("mediactl {} -h", command.get_name()));
    let helps: Vec<String> = helps.collect();
    let shown = [
        "mediactl -h",
        "mediactl help modify",
        "mediactl context add prod --url https://media.example/with/a/long/path/of/its/own --group edge,eu,asia",
        "mediactl context list",
        "mediactl read -o table",
        "mediactl read -o table --columns name,auth.url,urls,title,comment",
        "mediactl explain streams.dvr",
        "mediactl explain streams.cam1.prepush",
        "mediactl explain lives",
        "mediactl add stream hall udp://239.0.0.7:1234 -m 'a camera for the hall, as asked for in ticket 231'",
        "mediactl cp streams.cam1 streams.cam9 -m 'one more camera at the gate, as asked for in ticket 232'",
        "mediactl mv streams.cam9 streams.lobby",
        "mediactl rm streams.hall",
        "mediactl history",
        "mediactl blame streams.cam1.prepush",
        "mediactl status",
        "mediactl fmt --check",
        "mediactl fmt",
        "mediactl init new.conf",
        "mediactl apply new.conf --dry-run",
        "mediactl wait rtsp=554 --timeout 9",
    ];
    for columns in WIDTHS {
        let place = Place::with(SAMPLE);
        let screen = shell(&place, columns);
        for command in helps.iter().map(String::as_str).chain(shown) {
            let shown = runs(&screen, command);
            assert!(too_wide(&shown, columns).is_empty(), "{command}:\n{:#?}", too_wide(&shown, columns));
        }
    }
}
