//! The terminal: colours, warnings, questions. Results go to stdout, everything else to stderr.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;

use colored::{Color, Colorize};
use dialoguer::{Input, Password};
use serde::Serialize;

use crate::cli::args::global::ColorChoice;
use crate::cli::error::CliError;
use crate::cli::render::masked::masked_text;
use crate::cli::render::sanitize::{Printable, printable};
use crate::edit::{Note, text_diff::PrintedKind};
use crate::model::Masker;
use crate::store::LockHolder;
use crate::syntax::MAX_DIAGNOSTICS;

/// How many faults of one error are shown: what a server says of them all, then each.
const MOST_FAULTS: usize = MAX_DIAGNOSTICS + 1;

/// Where results go; on a terminal without what it would obey.
#[derive(Debug)]
pub enum Results {
    /// Stdout, without the look for line feeds that the one of std takes at all that is written.
    Pipe(File),
    /// A person looks at it.
    Terminal(Printable<File>),
}

impl Write for Results {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        match self {
            Self::Pipe(out) => out.write(piece),
            Self::Terminal(out) => out.write(piece),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Pipe(out) => out.flush(),
            Self::Terminal(out) => out.flush(),
        }
    }
}

/// Bytes that are written at once. What comes in larger pieces, as the JSON of a large configuration
/// does, is written from where it is.
pub const OUTPUT_BUFFER: usize = 64 * 1024;

/// Names the failure of a write to stdout.
pub fn output<T>(written: io::Result<T>) -> Result<T, CliError> {
    written.map_err(CliError::Output)
}

fn flushed(mut out: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    write(&mut out)?;
    out.flush()
}

/// What is known of the two output streams.
#[derive(Debug, Clone, Copy)]
pub struct Ui {
    color_out: bool,
    color_err: bool,
    terminal_out: bool,
}

impl Ui {
    /// Looks at the streams once.
    pub fn new(choice: ColorChoice) -> Self {
        colored::control::set_override(true);
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let wants = |terminal: bool| match choice {
            ColorChoice::Auto => terminal && !no_color,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        };
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Self { color_out: wants(out), color_err: wants(err), terminal_out: out }
    }

    /// Stdout for results that are not painted.
    ///
    /// # Errors
    /// Where it can't be duplicated.
    pub fn results(self) -> io::Result<Results> {
        let out = io::stdout().as_fd().try_clone_to_owned().map(File::from)?;
        Ok(if self.terminal_out { Results::Terminal(Printable::new(out)) } else { Results::Pipe(out) })
    }

    /// Prints results that are not painted: `write` gets a buffer in front of stdout.
    pub fn print(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
        let buffered = |results| BufWriter::with_capacity(OUTPUT_BUFFER, results);
        output(self.results().and_then(|results| flushed(buffered(results), write)))
    }

    /// Prints a value as indented JSON.
    pub fn print_json(self, value: &impl Serialize) -> Result<(), CliError> {
        self.print(|out| {
            serde_json::to_writer_pretty(&mut *out, value)?;
            writeln!(out)
        })
    }

    /// Prints lines that are painted, and hold nothing that a terminal would obey.
    pub fn print_painted(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
        output(flushed(BufWriter::new(io::stdout().lock()), write))
    }

    /// Whether results are looked at by a person.
    pub fn is_terminal(self) -> bool {
        self.terminal_out
    }

    /// The same, for text that goes to stderr.
    pub fn on_stderr(self) -> Self {
        Self { color_out: self.color_err, ..self }
    }

    /// A piece of output, in colour if colours are on.
    pub fn paint(self, text: &str, color: Color) -> String {
        if self.color_out { text.color(color).to_string() } else { text.to_owned() }
    }

    fn paint_err(self, text: &str, color: Color) -> String {
        if self.color_err { text.color(color).bold().to_string() } else { text.to_owned() }
    }

    /// A line of a diff in its colour.
    pub fn diff_line(self, tag: PrintedKind, line: &str) -> String {
        let line = &*if self.terminal_out { printable(line) } else { Cow::Borrowed(line) };
        match tag {
            PrintedKind::Removed => self.paint(line, Color::Red),
            PrintedKind::Added => self.paint(line, Color::Green),
            PrintedKind::Hunk => self.paint(line, Color::Cyan),
            PrintedKind::File | PrintedKind::Context | PrintedKind::NoNewline => line.to_owned(),
        }
    }

    /// `error: …` and its hint, for each fault; of many the first, and how many more there are. What has the
    /// form of a secret is masked.
    pub fn error(self, error: &CliError, masker: Option<&Masker>) {
        let mut faults = error.faults().into_iter();
        for (message, hint) in faults.by_ref().take(MOST_FAULTS) {
            let shown = masker.map_or(Cow::Borrowed(&*message), |masker| masker.prose(&message));
            self.tell("error:", Color::Red, &shown);
            if let Some(hint) = hint {
                self.hint(&hint);
            }
        }
        if faults.len() > 0 {
            self.say(&format!("and {} more", faults.len()));
        }
    }

    /// `hint: …`
    pub fn hint(self, hint: &str) {
        self.tell("hint:", Color::Cyan, hint);
    }

    /// `warning: …`
    pub fn warning(self, warning: &str) {
        self.tell("warning:", Color::Yellow, warning);
    }

    /// A line about what was done.
    pub fn say(self, line: &str) {
        self.say_painted(&printable(line));
    }

    /// Lines that are painted already, and hold nothing that a terminal would obey beside that.
    pub fn say_painted(self, lines: &str) {
        // In one write, so that the lines of two processes don't mix; a closed stderr is nobody's loss.
        let _ = io::stderr().write_all(format!("{lines}\n").as_bytes());
    }

    fn tell(self, label: &str, color: Color, text: &str) {
        self.say_painted(&format!("{} {}", self.paint_err(label, color), printable(text)));
    }

    /// What an edit did that its patch does not show.
    pub fn note(self, note: &Note, masker: Option<Masker>) {
        let text = match note {
            Note::ExtrasDropped { at, keys } => {
                format!("{at}: the extra parameters went too: {}", keys.join(", "))
            }
            Note::CommentsKept { above, lines } => {
                let above = masker.map_or_else(|| above.clone(), |masker| masked_directive(above, &masker));
                match lines {
                    1 => format!("the comment line above `{above}` stays"),
                    _ => format!("the {lines} comment lines above `{above}` stay"),
                }
            }
            Note::PortOptionsDropped { port } => format!("the block of `http {port}` goes with its port"),
        };
        self.note_line(&text);
    }

    /// `note: …`
    pub fn note_line(self, note: &str) {
        self.tell("note:", Color::Cyan, note);
    }

    /// Whether somebody is there to be asked.
    pub fn can_ask(self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// A question that is shown again and again.
    pub fn paint_question(self, question: &str) -> String {
        self.paint_err(question, Color::Yellow)
    }

    /// A guard's question; `None` where nobody can be asked.
    pub fn confirm(self, question: &str) -> Result<Option<bool>, CliError> {
        if !self.can_ask() {
            return Ok(None);
        }
        // `Confirm` hides the cursor, and an interrupt leaves it hidden.
        let prompt =
            Input::<String>::new().with_prompt(format!("{} [y/N]", printable(question))).allow_empty(true);
        let answer = prompt.interact().map_err(prompt_failed)?;
        Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
    }

    /// A line that is no secret; `None` where nobody can be asked.
    pub fn line(self, what: &str) -> Result<Option<String>, CliError> {
        if !self.can_ask() {
            return Ok(None);
        }
        let prompt = Input::<String>::new().with_prompt(what).allow_empty(true);
        prompt.interact().map(Some).map_err(prompt_failed)
    }

    /// A secret that is known to somebody else; `None` where nobody can be asked.
    pub fn secret(self, what: &str) -> Result<Option<String>, CliError> {
        if !self.can_ask() {
            return Ok(None);
        }
        Password::new()
            .with_prompt(what)
            .allow_empty_password(true)
            .interact()
            .map(Some)
            .map_err(prompt_failed)
    }

    /// A secret, typed twice; `None` where nobody can be asked.
    pub fn new_secret(self, what: &str) -> Result<Option<String>, CliError> {
        if !self.can_ask() {
            return Ok(None);
        }
        let prompt = Password::new().with_prompt(what).with_confirmation("again", "the two differ");
        prompt.interact().map(Some).map_err(prompt_failed)
    }
}

/// The first words of a directive as they are shown.
fn masked_directive(words: &str, masker: &Masker) -> String {
    let shown = masked_text(&format!("{words};"), masker);
    shown.trim_end_matches(';').to_owned()
}

fn prompt_failed(error: dialoguer::Error) -> CliError {
    let dialoguer::Error::IO(error) = error;
    CliError::Prompt(error)
}

/// Tells for whom the lock is waited for.
pub fn waiting(file: &Path, holder: &LockHolder) {
    let _ = writeln!(io::stderr(), "waiting for {holder}, which is changing `{}`", file.display());
}
