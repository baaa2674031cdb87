//! The output that README.md and the pages in `docs/` show, made by the running program.
//!
//! A ` ```console ` block holds commands, each behind `$ `, with their output. The blocks of a page run
//! in one shell, one after another, in a folder that holds `examples/media.conf`. In the README, the
//! block after the run command holds the output of that command.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use tempfile::TempDir;

use crate::cli::terminal::Terminal;
use crate::cli::{PROGRAM, Place, path_with, set_mode};
use crate::pages::pages;
use crate::ports::free_port;
use crate::waiting::PATIENCE;

/// Set to `1`, this environment variable has the output written instead of compared.
const BLESS: &str = "MEDIACTL_BLESS";

/// The ports that the pages name.
const PORTS: [&str; 3] = ["8090", "8443", "9180"];

/// Printed after each command, to show where its output ends.
const END: &str = "-- the command has ended --";

#[test]
fn the_output_in_the_pages_is_that_of_the_program() {
    let pages = pages();
    assert!(pages.len() > 1, "the README and the pages of docs/ are found");
    let stale: Vec<String> = std::thread::scope(|scope| {
        let checks: Vec<_> = pages.iter().map(|page| scope.spawn(|| stale_line(page))).collect();
        checks.into_iter().filter_map(|check| check.join().expect("a page is run")).collect()
    });
    assert!(stale.is_empty(), "run `{BLESS}=1 cargo test --test suite readme`:\n{}", stale.join("\n"));
}

/// Answers what a line of *Every day* asks.
fn answer(line: &str, terminal: &mut Terminal) {
    if line.starts_with("mediactl rm ") {
        terminal.expect("go on? [y/N]").enter("y");
    } else if line.starts_with("mediactl edit ") {
        terminal.expect("[y]es").enter("y");
    } else if line.contains("--set edit_auth.password ") {
        terminal.expect("edit_auth.password").enter_hidden("a-new-secret");
        terminal.expect("again").enter_hidden("a-new-secret");
    }
}

/// The lines of *Every day* that write nothing.
const READING: &[&str] = &["mediactl read ", " --dry-run ", "mediactl check "];

#[test]
fn every_line_of_every_day_works_on_the_example() {
    let readme = include_str!("../../README.md");
    let (_, day) = readme.split_once("## Every day\n\n```sh\n").expect("there is such a day");
    let (lines, _) = day.split_once("```").expect("a block ends");
    assert!(lines.lines().count() >= 10);
    let place = Place::with(include_str!("../../examples/media.conf"));
    fs::create_dir(place.path("bin")).expect("a folder can be made");
    std::os::unix::fs::symlink(PROGRAM, place.path("bin/mediactl")).expect("a link can be made");
    place.put("bin/systemctl", "#!/bin/sh\necho \"$@\" > restarted\n");
    set_mode(&place.path("bin/systemctl"), 0o755);
    let path = path_with(&place.path("bin"));
    for line in lines.lines() {
        let before = place.text();
        let call = place.call("bash", ["-c", line]).env("PATH", &path).env("PAGER", "cat");
        let call = call.env("HOME", &place.path("").display().to_string());
        let mut terminal = call.env("EDITOR", "sed -i 's/prepush.*/prepush 9;/'").on_terminal();
        answer(line, &mut terminal);
        terminal.exits(0);
        let is_reading = READING.iter().any(|part| line.contains(part));
        assert_eq!(place.text() == before, is_reading, "{line}");
    }
    assert_eq!(fs::read_to_string(place.path("restarted")).expect("it was called"), "restart media\n");
}

/// Where a page differs from what the program prints now, if it does; the page is rewritten if asked.
fn stale_line(path: &Path) -> Option<String> {
    let page = fs::read_to_string(path).expect("a page can be read");
    let made = with_output(&page);
    if std::env::var_os(BLESS).is_some_and(|value| value == "1") {
        if made != page {
            fs::write(path, &made).expect("a page can be written");
        }
        return None;
    }
    let differs = |(at, (committed, made)): (usize, (&str, &str))| {
        (committed != made).then(|| format!("{}:{}: `{committed}`, now `{made}`", path.display(), at + 1))
    };
    let stale = page.lines().zip(made.lines()).enumerate().find_map(differs);
    let is_longer = page.lines().count() != made.lines().count();
    stale.or_else(|| is_longer.then(|| format!("{}: stale at its end", path.display())))
}

/// The page with the output of its commands as it is now.
fn with_output(page: &str) -> String {
    if !page.contains("```console") {
        return page.to_owned();
    }
    let mut shell = Page::start();
    let mut made = String::new();
    let mut lines = page.lines().peekable();
    let mut after_run_command = false;
    while let Some(line) = lines.next() {
        push(&mut made, line);
        match line {
            "<!-- run command -->" => after_run_command = true,
            "```sh" if after_run_command => {
                let command = lines.next().expect("a block holds a command");
                push(&mut made, command);
                shell.printed = shell.run(&without_cargo(command), &[]);
            }
            "```diff" if after_run_command => {
                let committed: Vec<&str> =
                    std::iter::from_fn(|| lines.next_if(|line| *line != "```")).collect();
                after_run_command = false;
                let printed = std::mem::take(&mut shell.printed);
                merged(&committed, &printed).iter().for_each(|line| push(&mut made, line));
            }
            "```console" => {
                while let Some(command) = lines.next_if(|line| line.starts_with("$ ")) {
                    push(&mut made, command);
                    let mut command = command[2..].to_owned();
                    while command.ends_with('\\') {
                        let more = lines.next().expect("a command goes on");
                        push(&mut made, more);
                        command.push('\n');
                        command.push_str(more);
                    }
                    let is_output = |line: &&str| *line != "```" && !line.starts_with("$ ");
                    let committed: Vec<&str> = std::iter::from_fn(|| lines.next_if(is_output)).collect();
                    let printed = shell.run(&command, &committed);
                    merged(&committed, &printed).iter().for_each(|line| push(&mut made, line));
                }
            }
            _ => {}
        }
    }
    made
}

/// The run command with `mediactl` in the place of `cargo run … --`.
fn without_cargo(command: &str) -> String {
    let (before, run) = command.split_once("cargo run ").expect("the run command is one of cargo");
    let (_, arguments) = run.split_once("-- ").expect("options of cargo end in --");
    format!("{before}mediactl {arguments}")
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// The printed lines. Where a line differs from the committed one only in what changes from run to run,
/// the committed one stays.
fn merged(committed: &[&str], printed: &[String]) -> Vec<String> {
    let kept = |(at, line): (usize, &String)| match committed.get(at) {
        Some(old) if steady(old) == steady(line) => (*old).to_owned(),
        _ => line.clone(),
    };
    printed.iter().enumerate().map(kept).collect()
}

/// A line without what changes from run to run: times, process and user numbers, sizes of answers,
/// fingerprints of secrets and of certificates.
pub(crate) fn steady(line: &str) -> String {
    let mut steady = String::new();
    for word in line.split_whitespace() {
        let without = |word: String, mark: &str, is_varying: fn(char) -> bool| match word.split_once(mark) {
            Some((before, rest)) => format!("{before}{mark}{}", rest.trim_start_matches(is_varying)),
            None => word,
        };
        let word = without(word.to_owned(), "<secret:", char::is_alphanumeric);
        let word = without(word, "sha256:", |c| c.is_ascii_hexdigit() || c == ':');
        let has_digits = word.contains(|c: char| c.is_ascii_digit());
        let is_time = has_digits && (word.contains("20") && word.contains('T') || is_duration(&word));
        let numbered = ["uid ", "(uid ", "process ", "read_config 200 "];
        steady += match word.as_str() {
            _ if is_time => "TIME",
            word if numbered.iter().any(|before| steady.ends_with(before)) => {
                word.trim_start_matches(|c: char| c.is_ascii_digit())
            }
            word => word,
        };
        steady.push(' ');
    }
    steady
}

/// `0.7ms`, `0s`, or a number in front of `s`.
fn is_duration(word: &str) -> bool {
    let number = word.trim_end_matches("ms").trim_end_matches('s');
    number.len() < word.len() && number.parse::<f64>().is_ok()
}

/// A shell in which the commands of a page run, one after another.
struct Page {
    shell: Shell,
    ports: [String; 3],
    /// What the run command printed.
    printed: Vec<String>,
    folder: TempDir,
}

impl Page {
    fn start() -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        let ports = PORTS.map(|_| free_port().to_string());
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::create_dir_all(folder.path().join("examples")).expect("a folder can be made");
        fs::copy(checkout.join("examples/media.conf"), folder.path().join("examples/media.conf"))
            .expect("there is an example");
        put_program(folder.path(), &ports[0]);
        let mut bash = Command::new("bash");
        bash.arg("-m").current_dir(folder.path()).env_clear().stderr(Stdio::null());
        bash.env("PATH", path_with(&folder.path().join("bin")))
            .env("USER", "olga")
            .env("HOME", folder.path());
        Self { shell: Shell::start(&mut bash), ports, printed: Vec::new(), folder }
    }

    /// The output of a command. Of one that stays in the background, as many lines as are `committed`.
    fn run(&mut self, command: &str, committed: &[&str]) -> Vec<String> {
        let mut command = command.to_owned();
        for (named, port) in PORTS.iter().zip(&self.ports) {
            command = command.replace(named, port);
        }
        let (is_background, is_end_of_job) = (command.ends_with('&'), command.starts_with("kill "));
        self.put_shown_file(&command, committed);
        let wait = if is_end_of_job { "wait" } else { "" };
        let at_least = if is_background { committed.len() } else { 0 };
        let printed = self.shell.run(&format!("{command}\n{wait}"), at_least);
        printed.iter().map(|line| self.as_in_the_page(line)).collect()
    }

    /// Writes the file that a `cat` shows, unless it exists.
    fn put_shown_file(&self, command: &str, committed: &[&str]) {
        let Some(name) = command.strip_prefix("cat ") else { return };
        let path = self.folder.path().join(name);
        if !path.exists() {
            fs::write(&path, committed.join("\n") + "\n").expect("a file can be written");
            set_mode(&path, 0o755);
        }
    }

    fn as_in_the_page(&self, line: &str) -> String {
        let ports = PORTS.iter().zip(&self.ports);
        let line = ports.fold(line.to_owned(), |line, (named, port)| line.replace(port.as_str(), named));
        // The name of a change of several servers is another one each time.
        let name = line.split_once("this is change ").and_then(|(_, rest)| rest.split_once(':'));
        let name = name.map(|(name, _)| name.to_owned());
        let line = name.map_or(line.clone(), |name| line.replace(&name, "7f3a90c2"));
        // So has the file of an edit.
        let line = line.replace(&self.folder.path().display().to_string(), "/home/olga");
        match line.split_once("/draft-") {
            Some((before, rest)) => format!("{before}/draft-8kYw2x{}", rest.get(6..).unwrap_or_default()),
            None => line,
        }
    }
}

/// Puts a script `mediactl` in the path that starts the program. A server without `--listen` gets a free port.
fn put_program(folder: &Path, port: &str) {
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in\n*' --listen '*) ;;\n*' serve '*) set -- \"$@\" --listen 127.0.0.1:{port} ;;\nesac\nexec {PROGRAM} \"$@\"\n"
    );
    let path = folder.join("bin/mediactl");
    fs::create_dir_all(folder.join("bin")).expect("a folder can be made");
    fs::write(&path, script).expect("a script can be written");
    set_mode(&path, 0o755);
}

/// A shell that runs commands, one after another.
pub struct Shell {
    process: Child,
    input: ChildStdin,
    output: Receiver<String>,
}

impl Shell {
    pub fn start(bash: &mut Command) -> Self {
        let mut process =
            bash.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it can be started");
        let mut input = process.stdin.take().expect("stdin is a pipe");
        let lines = BufReader::new(process.stdout.take().expect("stdout is a pipe")).lines();
        let (sender, output) = channel();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        input.write_all(b"exec 2>&1\n").expect("a shell reads its commands");
        Self { process, input, output }
    }

    /// Returns the lines that commands print until they have ended, and as many more as are wanted at least.
    pub fn run(&mut self, commands: &str, at_least: usize) -> Vec<String> {
        writeln!(self.input, "{commands}\necho '{END}'").expect("a shell reads its commands");
        let (mut printed, mut has_ended) = (Vec::new(), false);
        while !has_ended || printed.len() < at_least {
            let line = self.output.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("`{commands}` printed {printed:#?} and did not end"));
            let last = line.strip_suffix(END);
            has_ended |= last.is_some();
            // The last line may lack its line feed.
            if last != Some("") {
                printed.push(last.unwrap_or(&line).to_owned());
            }
        }
        printed
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "kill $(jobs -p)");
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
