//! The program as it is run: arguments and files in, exit code, output and files out.

mod accept;
mod apply;
mod as_json;
mod bad_input;
mod blocks;
pub(crate) mod bounded;
mod change_id;
mod check;
mod completion;
mod diff;
mod edit;
mod explain;
mod fmt;
mod help;
mod history;
pub(crate) mod hooks;
mod includes;
mod interrupted;
pub(crate) mod masking;
mod modify;
mod read;
mod reviewed;
mod selectors;
pub(crate) mod serve;
mod shells;
mod table;
pub(crate) mod terminal;
mod unset;
mod waited;
pub mod watch;

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use mediactl::store::file::ConfFile;
use mediactl::store::{Store, WHOLE_HISTORY};
use serde_json::Value;
use tempfile::TempDir;

/// The name of the configuration in every place.
pub const CONF: &str = "media.conf";

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_mediactl");

/// How long a lock is waited for that nobody holds: a child that another test has just started holds
/// every lock of this process until it runs its own program.
pub const UNTIL_FREE: Duration = Duration::from_secs(10);

/// A configuration with something of everything.
pub const SAMPLE: &str = "\
# main
http 80;
rtsp 554;
edit_auth admin hunter2;

stream cam1 {
  url udp://239.0.0.1:1234 priority=1;
  prepush 5; # seconds
}
stream cam.2 {
  url udp://239.0.0.2:1234;
}
ondemand film file://film.mp4;
live studio {
  publish_enabled true;
}
";

/// The sample with another port.
pub fn with_rtsp(port: &str) -> String {
    SAMPLE.replace("rtsp 554;", &format!("rtsp {port};"))
}

/// A fresh folder with a configuration in it.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn empty() -> Self {
        Self { folder: TempDir::new().expect("a folder can be made") }
    }

    pub fn with(text: impl AsRef<[u8]>) -> Self {
        let place = Self::empty();
        place.put(CONF, text);
        place
    }

    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a file can be written");
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn put_fifo(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.path(name)).status();
        assert!(made.expect("mkfifo is part of every Unix").success());
    }

    /// Lets a hook go on that waits at the pipe `gate`.
    pub fn open_gate(&self) {
        fs::write(self.path("gate"), "go").expect("the hook reads it");
    }

    /// True if a change waits to be confirmed.
    pub fn is_pending(&self) -> bool {
        self.path(&format!(".{CONF}.mediactl/pending")).exists()
    }

    pub fn bytes(&self) -> Vec<u8> {
        fs::read(self.path(CONF)).expect("the configuration is there")
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.bytes()).expect("the configuration is UTF-8")
    }

    pub fn written(&self) -> SystemTime {
        let found = fs::metadata(self.path(CONF)).expect("the configuration is there");
        found.modified().expect("files have a time")
    }

    /// The program with these arguments, in the folder, with no environment of ours.
    pub fn mediactl<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Call {
        self.call(PROGRAM, arguments)
    }

    /// The same with another program, one that runs ours for instance.
    pub fn call<S: AsRef<OsStr>>(&self, program: &str, arguments: impl IntoIterator<Item = S>) -> Call {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder.path()).env_clear().env("MEDIACTL_CONF", CONF);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        Call { command, input: Vec::new() }
    }

    /// The program with the account of the sample, for a server at a URL; it knows of no file.
    pub fn remote(&self, url: &str, arguments: &[&str]) -> Call {
        let call = self.mediactl(["--url", url].iter().chain(arguments));
        call.without("MEDIACTL_CONF").by_admin()
    }

    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        self.mediactl(arguments).run()
    }

    /// The same with the words of a line, which are parted by blanks.
    pub fn line(&self, line: &str) -> Run {
        self.run(line.split(' '))
    }

    /// The same with an input.
    pub fn fed(&self, line: &str, input: impl AsRef<[u8]>) -> Run {
        self.mediactl(line.split(' ')).input(input).run()
    }

    /// `modify` with one `--set` for each assignment.
    pub fn set(&self, assignments: &[&str]) -> Run {
        self.run(["modify"].into_iter().chain(assignments.iter().flat_map(|text| ["--set", *text])))
    }

    /// `modify -f -` of this patch.
    pub fn patch(&self, patch: &str) -> Run {
        self.fed("modify -f -", patch)
    }

    /// The texts that the history keeps of its entries, the oldest first.
    pub fn kept(&self) -> Vec<String> {
        let conf = ConfFile::resolve(&self.path(CONF)).expect("its folder is there");
        let entries = conf.history(WHOLE_HISTORY).expect("it can be read");
        let text = |serial| conf.kept(serial).expect("it can be read").map(String::from_utf8);
        let texts = entries.iter().rev().filter_map(|entry| text(entry.number));
        texts.map(|text| text.expect("it is text")).collect()
    }

    /// The names of all files below the folder but the lock and what the history keeps.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        collect(self.folder.path(), self.folder.path(), &mut names);
        names.sort();
        names.retain(|name| {
            let is_usual = ["/lock", "/.gitignore"].iter().any(|usual| name.ends_with(usual));
            !name.contains(".mediactl/") || !(is_usual || name.contains("/history/"))
        });
        names
    }
}

/// The search path of programs, with a folder in front.
pub fn path_with(folder: &Path) -> String {
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default())
}

/// The same with the folder of the program under test.
pub fn own_path() -> String {
    path_with(Path::new(PROGRAM).parent().expect("the program is in a folder"))
}

pub fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it is there").mode() & 0o7777
}

pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("the file is ours");
}

fn collect(root: &Path, folder: &Path, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, names);
        } else {
            names.push(path.strip_prefix(root).expect("it is below").display().to_string());
        }
    }
}

/// Copies a folder for its owner alone.
pub fn copy(from: &Path, to: &Path) {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder can be listed") {
        let from = entry.expect("an entry can be read").path();
        let to = to.join(from.file_name().expect("it has a name"));
        if let Ok(target) = fs::read_link(&from) {
            symlink(target, &to).expect("the name is free");
        } else if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("there is room");
            set_mode(&to, 0o600);
        }
    }
}

/// The program before it is run.
pub struct Call {
    command: Command,
    input: Vec<u8>,
}

impl Call {
    pub fn input(mut self, input: impl AsRef<[u8]>) -> Self {
        self.input = input.as_ref().to_vec();
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Logs in with this account where a server asks for one.
    pub fn account(self, login: &str, password: &str) -> Self {
        self.env("MEDIACTL_LOGIN", login).env("MEDIACTL_PASSWORD", password)
    }

    /// The same with the account of the sample.
    pub fn by_admin(self) -> Self {
        self.account("admin", "hunter2")
    }

    /// With this folder of a place as the home of the user.
    pub fn at_home(self, place: &Place, folder: &str) -> Self {
        self.env("HOME", &place.path(folder).display().to_string())
    }

    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub fn run(mut self) -> Run {
        let mut child = self
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        feed(&mut child, &self.input);
        Run::of(child.wait_with_output().expect("the program ends"))
    }

    /// The same, running until it is killed or ends by itself.
    pub fn start(mut self) -> std::process::Child {
        let piped = self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().expect("the program can be started")
    }

    /// The same with its results sent to `stdout`.
    pub fn run_into(mut self, stdout: impl Into<Stdio>) -> Run {
        let child = self.command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped()).spawn();
        Run::of(child.and_then(|child| child.wait_with_output()).expect("the program runs"))
    }
}

fn feed(child: &mut std::process::Child, input: &[u8]) {
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    // A program that refuses before it reads closes the pipe.
    let _ = stdin.write_all(input);
}

/// Checks some members of an object.
#[track_caller]
pub fn has(found: &Value, members: Value) {
    for (key, member) in members.as_object().expect("an object") {
        assert_eq!(found[key], *member, "{key} of {found}");
    }
}

/// The result of a run of the program.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    #[track_caller]
    pub fn prints(self, text: &str) -> Self {
        assert!(self.out.contains(text), "{text:?} is not in the output of {self:#?}");
        self
    }

    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.err.contains(text), "{text:?} is not on stderr of {self:#?}");
        self
    }

    #[track_caller]
    pub fn says_nothing(self) -> Self {
        assert!(self.out.is_empty() && self.err.is_empty(), "{self:#?}");
        self
    }

    #[track_caller]
    pub fn hides(self, secret: &str) -> Self {
        assert!(!self.out.contains(secret) && !self.err.contains(secret), "{secret} is shown: {self:#?}");
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}
