//! Completion in real shells, each in a real terminal: tmux shows the screen of a program, and types into it.

use std::process::{Command, Output};

use tempfile::TempDir;

use super::completion::HOSTILE;
use super::{CONF, Place, SAMPLE, own_path};
use crate::needs::needs;
use crate::waiting::look;

/// A terminal with a program in it. It ends when this is dropped.
pub struct Screen {
    /// Holds the socket of the server of tmux.
    folder: TempDir,
    columns: usize,
}

impl Screen {
    /// Starts a program in the folder of a place, with the program under test on the search path.
    pub fn of(place: &Place, columns: usize, program: &[&str]) -> Self {
        let screen = Self { folder: TempDir::new().expect("a folder can be made"), columns };
        let path = format!("PATH={}", own_path());
        let home = format!("HOME={}", place.path("").display());
        let folder = place.path("").display().to_string();
        let (width, height) = (columns.to_string(), "50");
        let start = ["-f", "/dev/null", "new-session", "-d", "-x", &width, "-y", height, "-c", &folder];
        let clean =
            ["env", "-i", &path, &home, "LC_ALL=C.UTF-8", "TERM=screen-256color", "MEDIACTL_CONF=media.conf"];
        let started = screen.tmux(&[&start[..], &clean, program].concat());
        assert!(started.status.success(), "{started:?}");
        screen
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(self.folder.path().join("socket")).env("LC_ALL", "C.UTF-8").env_remove("TMUX");
        tmux.args(arguments).output().expect("tmux can be started")
    }

    /// Types a text.
    pub fn types(&self, text: &str) -> &Self {
        self.tmux(&["send-keys", "-l", "--", text]);
        self
    }

    /// Presses a key by its name.
    pub fn presses(&self, key: &str) -> &Self {
        self.tmux(&["send-keys", key]);
        self
    }

    /// Returns the text on the screen.
    pub fn text(&self) -> String {
        let captured = self.tmux(&["capture-pane", "-p"]);
        String::from_utf8_lossy(&captured.stdout).trim_end().to_owned()
    }

    /// Waits until the screen shows each of these texts.
    #[track_caller]
    pub fn shows(&self, texts: &[&str]) -> &Self {
        self.until(&format!("{texts:?}"), |screen| texts.iter().all(|text| screen.contains(text)))
    }

    /// Waits until the screen is as it is wanted.
    #[track_caller]
    pub fn until(&self, wanted: &str, is_there: impl Fn(&str) -> bool) -> &Self {
        let found = look(|| is_there(&self.text()).then_some(self));
        let did_not_come =
            || panic!("{wanted} did not come on a screen of {} columns:\n{}", self.columns, self.text());
        found.unwrap_or_else(did_not_come)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

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
