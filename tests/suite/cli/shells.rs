//! Completion in real shells, each in a real terminal.

use super::completion::HOSTILE;
use super::tmux::Screen;
use super::{CONF, Place, SAMPLE};
use crate::needs::needs;

/// The prompt of every shell.
const PROMPT: &str = ">>";

/// Turns completion on in zsh.
const ZSH: &str = "autoload -Uz compinit; compinit -u; PS1='>> '; source <(mediactl completion zsh)";

/// Turns completion on in fish.
const FISH: &str = "function fish_prompt; echo '>> '; end; mediactl completion fish | source";

/// A shell whose completion is on.
fn shell(place: &Place, program: &[&str], set_up: &str) -> Screen {
    let screen = Screen::of(place, 160, program);
    screen.types(set_up).presses("Enter").types("echo re''ady").presses("Enter").shows(&["\nready"]);
    clear(&screen);
    screen
}

fn place() -> Place {
    let place = Place::with(SAMPLE.replace("stream cam.2", "stream cam2"));
    place.line("modify -q --set loglevel=debug").exits(0);
    place.line("modify -q --set loglevel=info").exits(0);
    let add = ["context", "add", "prod", "--url", "https://media.example"];
    let home = place.path("").display().to_string();
    place.mediactl(add).without("MEDIACTL_CONF").env("HOME", &home).run().exits(0);
    place
}

/// Clears the line that is being typed, and the screen.
#[track_caller]
fn clear(screen: &Screen) {
    screen.presses("C-u").presses("C-l").until("an empty screen", |text| text.trim() == PROMPT);
}

/// The words that are completed alike in all shells: the typed one, and the line afterwards.
const COMPLETED: &[(&str, &str)] = &[
    // A name, as far as it is the same.
    ("mediactl modify --set streams.ca", "--set streams.cam"),
    // A key, and its last part behind a `=`.
    ("mediactl modify --set streams.cam1.prep", "--set streams.cam1.prepush="),
    // A value.
    ("mediactl modify --set streams.cam1.static=tr", "--set streams.cam1.static=true "),
    // A change, a context, a file.
    ("mediactl diff saved 1 && mediactl rollback @", "mediactl rollback @"),
    ("mediactl -x pr", "mediactl -x prod "),
    ("mediactl -x prod context rem", "mediactl -x prod context remove "),
    ("mediactl --conf media.c", "mediactl --conf media.conf "),
    ("mediactl roll", "mediactl rollback "),
];

/// The words with a list: the typed one, and the list.
const LISTED: &[(&str, &[&str])] = &[
    ("mediactl modify --set streams.cam", &["cam1.", "cam2."]),
    ("mediactl modify --set streams.cam1.static=", &["true", "false"]),
    ("mediactl history show ", &["1 ", "2 "]),
];

fn completes(screen: &Screen) {
    for (typed, expected) in COMPLETED {
        // What follows the cursor shows that a blank was written.
        screen.types(typed).presses("Tab").types("x").shows(&[&format!("{expected}x")]);
        clear(screen);
    }
    for (typed, expected) in LISTED {
        screen.types(typed).presses("Tab").presses("Tab").shows(expected);
        clear(screen);
    }
}

#[test]
fn bash_completes() {
    if !needs("tmux") || !needs("bash") {
        return;
    }
    let place = place();
    let screen = shell(&place, &["bash", "--norc", "-i"], "PS1='>> '; source <(mediactl completion bash)");
    completes(&screen);
    screen.types("mediactl read streams.cam1.urls[0].ur").presses("Tab").types("x").shows(&["urls[0].url x"]);
}

#[test]
fn zsh_completes_and_shows_documentation() {
    if !needs("tmux") || !needs("zsh") {
        return;
    }
    let place = place();
    let screen = shell(&place, &["zsh", "-f", "-i"], ZSH);
    completes(&screen);
    let documented = ["streams.cam1.title=", "-- Title that viewers see"];
    screen.types("mediactl modify --set streams.cam1.").presses("Tab").presses("Tab").shows(&documented);
}

#[test]
fn fish_completes_and_shows_documentation() {
    if !needs("tmux") || !needs("fish") {
        return;
    }
    let place = place();
    let screen = shell(&place, &["fish", "--no-config", "-i"], FISH);
    completes(&screen);
    let documented = ["cam1.title=", "(Title that viewers see)"];
    screen.types("mediactl modify --set streams.cam1.").presses("Tab").presses("Tab").shows(&documented);
}

/// Completes the name of the only stream, and runs the line: it is the name and nothing else.
fn completes_hostile_names(place: &Place, screen: &Screen) {
    for (index, name) in HOSTILE.iter().enumerate() {
        let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
        place.put(CONF, format!("stream \"{quoted}\" {{ url udp://h:{index}7; }}\n"));
        clear(screen);
        screen.types("mediactl read streams.").presses("Tab").until("a name", |text| {
            text.lines().any(|line| line.trim_end().len() > "mediactl read streams.".len() + PROMPT.len() + 1)
        });
        screen.presses("Enter").shows(&[&format!("udp://h:{index}7")]);
        assert!(!place.path("X").exists(), "{name}");
    }
}

#[test]
fn zsh_and_fish_quote_names_that_are_commands() {
    if !needs("tmux") || !needs("zsh") || !needs("fish") {
        return;
    }
    let place = Place::empty();
    completes_hostile_names(&place, &shell(&place, &["zsh", "-f", "-i"], ZSH));
    completes_hostile_names(&place, &shell(&place, &["fish", "--no-config", "-i"], FISH));
}
