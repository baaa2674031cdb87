//! The progress of work, as a bar on a terminal.

use std::io::{self, IsTerminal, Write};

use rustix::termios::tcgetwinsize;

/// The width of the bar itself, in cells.
const CELLS: usize = 30;

/// A bar on stderr, hidden where that is no terminal. It goes away when it is dropped.
pub struct ProgressBar {
    what: &'static str,
    whole: usize,
    done: usize,
    is_hidden: bool,
}

impl ProgressBar {
    /// Shows a bar for work that has `whole` steps.
    pub fn new(whole: usize, what: &'static str) -> Self {
        let bar = Self { what, whole, done: 0, is_hidden: !io::stderr().is_terminal() };
        bar.draw();
        bar
    }

    pub fn hidden() -> Self {
        Self { what: "", whole: 0, done: 0, is_hidden: true }
    }

    pub fn is_hidden(&self) -> bool {
        self.is_hidden
    }

    /// Shows that one more step is done.
    pub fn advance(&mut self) {
        self.set(self.done + 1);
    }

    /// Shows how many steps are done.
    pub fn set(&mut self, done: usize) {
        if done != self.done {
            self.done = done;
            self.draw();
        }
    }

    fn draw(&self) {
        let columns = tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_col));
        self.write(&line(self.what, self.done, self.whole, columns));
    }

    /// Replaces the line on the terminal. A closed stderr is no error.
    fn write(&self, line: &str) {
        if !self.is_hidden {
            let _ = io::stderr().write_all(format!("\r{line}\x1b[K").as_bytes());
        }
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.write("");
    }
}

/// The line for a terminal of so many columns, 0 if their number is unknown. A longer line would leave its beginning
/// on the terminal.
fn line(what: &str, done: usize, whole: usize, columns: usize) -> String {
    let full = CELLS * done.min(whole) / whole.max(1);
    let line = format!("{what} {}{} {done} of {whole}", "█".repeat(full), "░".repeat(CELLS - full));
    line.chars().take(columns.checked_sub(1).unwrap_or(usize::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_what_is_done_and_fits_the_terminal() {
        for (done, whole, full) in [(0, 7, 0), (3, 7, 12), (7, 7, 30), (9, 7, 30), (0, 0, 0)] {
            let line = line("ask:", done, whole, 0);
            assert_eq!(line.matches('█').count(), full, "{line}");
            assert!(line.starts_with("ask: ") && line.ends_with(&format!(" {done} of {whole}")), "{line}");
        }
        assert_eq!(line("ask:", 7, 7, 8), "ask: ██");
    }
}
