//! A real terminal: tmux shows the screen of a program, and types into it.

use std::process::{Command, Output};

use tempfile::TempDir;

use super::{PROGRAM, Place};
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
        let own = std::path::Path::new(PROGRAM).parent().expect("the program is in a folder").display();
        let path = format!("PATH={own}:{}", std::env::var("PATH").unwrap_or_default());
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
