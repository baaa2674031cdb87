//! The two output streams: results go to stdout, everything else goes to stderr.
//!
//! [`Ui`] knows whether the streams are terminals, whether colours are on, and whether secrets may be
//! shown.
//!
//! Names, comments, messages of servers and the output of hooks may hold any character, and a terminal obeys some of
//! them: it moves the cursor, changes its title, or reverses the order of letters. So all that is printed to a terminal
//! is sanitized on its way. A pipe gets the bytes as they are.
//!
//! A long output goes through a pager, as git has one: `MEDIACTL_PAGER`, `PAGER`, or `less`. A pager can run commands;
//! under sudo that would be a shell of the other user. So there is none there.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use colored::{Color, Colorize};
use parking_lot::Mutex;
use rustix::process::{geteuid, getuid};
use rustix::termios::tcgetwinsize;
use serde::Serialize;
use serde_json::Value;
use signal_hook::consts::SIGINT;

use crate::cli::args::global::{ColorChoice, GlobalArgs};
use crate::cli::error::equal_lines;
use crate::cli::local;
use crate::cli::render::more_like_it;
use crate::error::{Error, ErrorKind};
use crate::http::client::without_userinfo;
use crate::progress;
use mediaconf::{Diagnostics, Masker, Path as ValuePath, printable};

/// The number of lines of one error that are shown: the message about the whole, then one for each fault.
const MAX_ERROR_LINES: usize = Diagnostics::MAX + 1;

/// The size of the buffer in front of stdout. Larger pieces, such as the JSON of a large configuration,
/// bypass it.
const OUTPUT_BUFFER: usize = 64 * 1024;

/// The options of `less` unless LESS says otherwise: it ends by itself if the output fits the screen (F),
/// keeps colours (R), and leaves the output on the screen (X).
const LESS: &str = "FRX";

/// The variables that `sudo` and `doas` set.
const OF_ANOTHER_USER: [&str; 2] = ["SUDO_USER", "DOAS_USER"];

/// Characters that only a shell understands.
const OF_A_SHELL: &str = "|&;<>()$`\\\"'*?[#~=%\n";

/// The values of `-o` that stand for JSON.
const JSON_FORMS: [&str; 2] = ["json", "change-json"];

/// The same on the command line.
const ASKS_FOR_JSON: [&str; 5] = [" -o json", " -ojson", " -o=json", " --output json", " --output=json"];

/// How a command begins in a message.
const COMMAND: &str = "`mediactl ";

/// How one goes on that names its target itself, or needs none.
const NEEDS_NO_TARGET: [&str; 3] = ["-", "context ", "COMMAND"];

/// The options of every command that say nothing of its target.
const OF_NO_TARGET: [&str; 5] = ["color", "jobs", "max_file", "show_secrets", "mask"];

/// The other ones of the call, for the commands that messages name.
static TARGET: Mutex<String> = Mutex::new(String::new());

/// Commands in messages are about this file from now on.
pub fn name_target(file: &Path) {
    *TARGET.lock() = format!("--conf {} ", ValuePath::in_shell_quotes(&file.to_string_lossy()));
}

/// Turns the failure of a write to stdout into an error of the command.
pub fn output<T>(written: io::Result<T>) -> Result<T, Error> {
    written.map_err(|error| {
        let is_closed = error.kind() == io::ErrorKind::BrokenPipe;
        let kind = if is_closed { ErrorKind::OutputClosed } else { ErrorKind::Failed };
        Error::of_system(kind, "cannot write the output", &error)
    })
}

/// The settings of the two output streams.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ui {
    color_out: bool,
    color_err: bool,
    /// True if a person sees the results at once.
    pub terminal_out: bool,
    /// True if a pager may stand between stdout and the terminal.
    pages: bool,
    /// The masker for text that people read.
    pub masker: Masker,
    mask_values: bool,
    /// True if the results, and a refusal, are JSON (`-o json`).
    pub json: bool,
    /// True if neither notes nor waits are told (`-q`).
    pub quiet: bool,
}

impl Ui {
    /// Looks at the streams once. Secrets are masked.
    pub fn new(choice: ColorChoice) -> Self {
        colored::control::set_override(true);
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let wants_color = |terminal: bool| match choice {
            ColorChoice::Auto => terminal && !no_color,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        };
        let (terminal_out, terminal_err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let (color_out, color_err) = (wants_color(terminal_out), wants_color(terminal_err));
        Self { color_out, color_err, terminal_out, ..Self::default() }
    }

    /// Looks at the streams once, for a command with these options of its own.
    pub fn from_options(global: &GlobalArgs, mut matches: &ArgMatches) -> Self {
        while let Some((_, called)) = matches.subcommand() {
            matches = called;
        }
        let known = GlobalArgs::augment_args(clap::Command::new(""));
        *TARGET.lock() =
            known.get_arguments().filter_map(|option| of_target(matches, option.get_id())).collect();
        let form = matches.try_get_raw("output").ok().flatten().and_then(Iterator::last);
        let is_given = form.is_some() && matches.value_source("output") == Some(ValueSource::CommandLine);
        let json = form.is_some_and(|form| is_given && JSON_FORMS.iter().any(|json| form == *json));
        let quiet = matches.try_get_one::<bool>("quiet").ok().flatten().is_some_and(|quiet| *quiet);
        let masker = if global.show_secrets { Masker::Off } else { Masker::default() };
        Self { json, quiet, masker, mask_values: global.mask, ..Self::new(global.color) }
    }

    /// The same for a fault of the command line itself, which may ask for JSON.
    pub fn of_faulty(self, arguments: &[OsString]) -> Self {
        let line = arguments.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        let json = ASKS_FOR_JSON.iter().any(|words| line.contains(words));
        Self { json, ..self }
    }

    /// The same for what has to be told also by a quiet command.
    pub fn loud(self) -> Self {
        Self { quiet: false, ..self }
    }

    /// The same for a command that only shows something: a long output goes through a pager.
    pub fn paged(self) -> Self {
        Self { pages: self.terminal_out, ..self }
    }

    /// The number of characters on a line that a table has to fit: that of the terminal.
    pub fn width(self) -> usize {
        let size = tcgetwinsize(io::stdout()).ok().filter(|size| self.terminal_out && size.ws_col > 0);
        size.map_or(usize::MAX, |size| size.ws_col.into())
    }

    /// A time for people: short on a terminal, and with everything elsewhere.
    pub fn time(self, time: SystemTime) -> String {
        if self.terminal_out { local::short(time) } else { local::shown(time) }
    }

    /// Returns the masker for values, which another program may need: they are masked on a terminal, and
    /// elsewhere only with `--mask`.
    pub fn value_masker(self) -> Masker {
        if self.mask_values || self.terminal_out { self.masker } else { Masker::Off }
    }

    /// Prints results without colours: a pipe or a file gets the bytes as they are, a terminal gets them sanitized.
    pub fn results(self, write: impl FnOnce(&mut dyn Write) -> Result<(), Error>) -> Result<(), Error> {
        if !self.terminal_out {
            return self.to_stdout(write);
        }
        let mut all = Vec::new();
        let written = write(&mut all);
        self.print_painted(|out| out.write_all(printable(&String::from_utf8_lossy(&all)).as_bytes()))?;
        written
    }

    /// Writes to stdout, as it is or through a pager, behind a buffer.
    fn to_stdout(self, write: impl FnOnce(&mut dyn Write) -> Result<(), Error>) -> Result<(), Error> {
        end_progress();
        let mut pager = self.pages.then(|| chosen()?.stdin(Stdio::piped()).spawn().ok()).flatten();
        let out: Box<dyn Write> = match pager.as_mut().and_then(|pager| pager.stdin.take()) {
            Some(input) => {
                // Ctrl-C is for the pager, which may search or follow just then; without a handler it would end
                // this process, and leave the pager alone with the terminal.
                let _ = signal_hook::flag::register(SIGINT, Arc::default());
                Box::new(input)
            }
            // Unlike the stdout of std, a file does not search everything for line feeds.
            None => Box::new(File::from(output(io::stdout().as_fd().try_clone_to_owned())?)),
        };
        let mut out = BufWriter::with_capacity(OUTPUT_BUFFER, out);
        let written = write(&mut out).and_then(|()| output(out.flush()));
        drop(out);
        pager.map(|mut pager| pager.wait());
        written
    }

    /// Prints results without colours.
    pub fn print(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
        self.results(|out| output(write(out)))
    }

    /// Prints a value as indented JSON.
    pub fn print_json(self, value: &impl Serialize) -> Result<(), Error> {
        self.print(|out| {
            serde_json::to_writer_pretty(&mut *out, value)?;
            writeln!(out)
        })
    }

    /// Prints lines that are coloured and sanitized already.
    pub fn print_painted(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
        self.to_stdout(|out| output(write(out)))
    }

    /// Text that is painted for stderr instead of stdout.
    pub fn on_stderr(self) -> Self {
        Self { color_out: self.color_err, terminal_out: io::stderr().is_terminal(), ..self }
    }

    /// Colours a piece of output, if colours are on.
    pub fn paint(self, text: &str, color: Color) -> Cow<'_, str> {
        if self.color_out { text.color(color).to_string().into() } else { text.into() }
    }

    /// Sanitizes a text for stdout if that is a terminal.
    pub fn sanitized(self, text: &str) -> Cow<'_, str> {
        if self.terminal_out { printable(text) } else { Cow::Borrowed(text) }
    }

    /// Prints what a command did: as JSON on stdout, or in words on stderr.
    pub fn done(self, words: &str, record: &Value) -> Result<(), Error> {
        if self.json {
            return self.print_json(record);
        }
        self.say(words);
        Ok(())
    }

    /// Prints `error: …` and its hint for each line of an error, and how many lines were left out; or one line of JSON.
    /// Words with the form of a secret are masked.
    pub fn error(self, error: &Error) {
        if self.json {
            return self.say_painted(&error.problem(self.masker).to_string());
        }
        let lines = error.lines();
        let groups = equal_lines(&lines);
        for lines in groups.iter().take(MAX_ERROR_LINES) {
            let line = lines[0];
            self.labelled("error:", Color::Red, &self.masker.prose(&line.message));
            if let Some(hint) = &line.hint {
                self.labelled("hint:", Color::Cyan, hint);
            }
            let places: Vec<&str> = lines.iter().map(|line| line.place()).collect();
            if let Some(more) = more_like_it(&places) {
                self.say(&more);
            }
        }
        let left: usize = groups.iter().skip(MAX_ERROR_LINES).map(Vec::len).sum();
        if left > 0 {
            self.say(&format!("and {left} more"));
        }
    }

    /// Prints `warning: …`.
    pub fn warning(self, warning: &str) {
        self.labelled("warning:", Color::Yellow, warning);
    }

    /// Prints `note: …`, unless the command is quiet.
    pub fn note(self, note: &str) {
        if !self.quiet {
            self.labelled("note:", Color::Cyan, note);
        }
    }

    /// Prints a line to stderr, unless the command is quiet.
    pub fn say(self, line: &str) {
        if !self.quiet {
            self.say_painted(&printable(&as_typed(line)));
        }
    }

    /// Prints lines to stderr that are coloured and sanitized already.
    pub fn say_painted(self, lines: &str) {
        end_progress();
        // One write, so that the lines of two processes don't mix. A closed stderr is no error.
        let _ = io::stderr().write_all(format!("{lines}\n").as_bytes());
    }

    fn labelled(self, label: &str, color: Color, text: &str) {
        let label = if self.color_err { label.color(color).bold().to_string() } else { label.to_owned() };
        self.say_painted(&format!("{label} {}", printable(&as_typed(text))));
    }
}

/// An option of every command, if it is on this command line and says which target is meant, with a blank behind it. A URL has
/// no password then, and neither has a login that was given as `LOGIN:PASSWORD`.
fn of_target(matches: &ArgMatches, id: &clap::Id) -> Option<String> {
    let (id, source) = (id.as_str(), matches.value_source(id.as_str()));
    let is_given = source == Some(ValueSource::CommandLine) && !OF_NO_TARGET.contains(&id);
    let values: Vec<_> = matches.get_raw(id).filter(|_| is_given)?.map(OsStr::to_string_lossy).collect();
    let value = values.join(",");
    let shown = match value.split_once(':') {
        Some((login, _)) if id == "user" => login.to_owned(),
        _ if value.contains("://") => without_userinfo(&value),
        _ => value,
    };
    let option = if id == "context" { "-x ".into() } else { format!("--{} ", id.replace('_', "-")) };
    Some(if id == "insecure" { option } else { format!("{option}{} ", ValuePath::in_shell_quotes(&shown)) })
}

/// A message whose commands have the options of the call, so that they can be typed as they stand.
pub fn as_typed(message: &str) -> String {
    let typed = format!("{COMMAND}{}", TARGET.lock());
    NEEDS_NO_TARGET.iter().fold(message.replace(COMMAND, &typed), |text, word| {
        text.replace(&format!("{typed}{word}"), &format!("{COMMAND}{word}"))
    })
}

/// The line about what is waited for that is on the terminal.
static PROGRESS: Mutex<String> = Mutex::new(String::new());

/// The pause between two looks at what is waited for.
const LOOK: Duration = Duration::from_millis(100);

/// Shows on a terminal what is waited for and since when, in one line that goes away.
pub fn show_progress() {
    if io::stderr().is_terminal() {
        thread::spawn(|| {
            loop {
                thread::sleep(LOOK);
                draw_progress(|| progress::waited_for().map(|(text, time)| progress_line(&text, time)));
            }
        });
    }
}

/// Takes that line away.
pub fn end_progress() {
    draw_progress(|| None);
}

fn progress_line(text: &str, time: Duration) -> String {
    let since = local::short(SystemTime::now() - time);
    let line = format!("{}, since {since} ({} s)", printable(text), time.as_secs());
    let width = tcgetwinsize(io::stderr()).map_or(0, |size| usize::from(size.ws_col));
    line.chars().take(if width > 1 { width - 1 } else { usize::MAX }).collect()
}

/// Draws the line that is known under the lock, so that none comes back after it was taken away.
fn draw_progress(line: impl FnOnce() -> Option<String>) {
    let mut shown = PROGRESS.lock();
    let line = line().unwrap_or_default();
    if *shown != line {
        // A closed stderr is no error.
        let _ = io::stderr().write_all(format!("\r{line}\x1b[K").as_bytes());
        *shown = line;
    }
}

/// Prints which process holds the lock that the command waits for.
pub fn waiting(words: &str) {
    end_progress();
    let _ = writeln!(io::stderr(), "{words}");
}

/// The pager; `None` if it is empty or `cat`, for a user who works as another one, and on a terminal that can't do
/// anything.
fn chosen() -> Option<Command> {
    let variable = |name| std::env::var(name).ok();
    if is_another_user() || matches!(variable("TERM").as_deref(), None | Some("" | "dumb")) {
        return None;
    }
    let wanted = variable("MEDIACTL_PAGER").or_else(|| variable("PAGER")).unwrap_or("less".to_owned());
    let words: Vec<&str> = wanted.split_whitespace().collect();
    if matches!(words[..], [] | ["cat"]) {
        return None;
    }
    let is_for_shell = wanted.contains(|c| OF_A_SHELL.contains(c));
    let words = if is_for_shell { vec!["sh", "-c", &wanted] } else { words };
    let mut pager = Command::new(words[0]);
    pager.args(&words[1..]);
    if variable("LESS").is_none() {
        pager.env("LESS", LESS);
    }
    Some(pager)
}

/// True if this process runs as another user than the one who logged in.
fn is_another_user() -> bool {
    let user = geteuid();
    // The kernel keeps the user of the login where auditing is on; all bits are set where it is not known.
    let login = std::fs::read_to_string("/proc/self/loginuid").ok().and_then(|id| id.trim().parse().ok());
    let has_changed = login.is_some_and(|login: u32| login != u32::MAX && login != user.as_raw());
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    has_changed || user != getuid() || OF_ANOTHER_USER.iter().any(is_set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_reaches_a_terminal() {
        for (text, shown) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("a\u{1b}]0;x\u{7}b", "a\u{fffd}]0;x\u{fffd}b"),
            ("\u{7f}\u{9b}31m\r", "\u{fffd}\u{fffd}31m\u{fffd}"),
            ("one\r\ntwo\r\n\u{1b}", "one\ntwo\n\u{fffd}"),
            ("\u{202e}abc\u{2066}\u{200f}\u{61c}", "\u{fffd}abc\u{fffd}\u{fffd}\u{fffd}"),
            ("größe 日本 👍🏽", "größe 日本 👍🏽"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
