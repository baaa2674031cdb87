//! The memory of commands, which run in a folder with a configuration and other texts of it.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::contents::configuration;

/// The commands that run one after the other in a folder with `media.conf` and other texts of it; the last one is
/// measured.
pub type Row = &'static [&'static [&'static str]];

pub const ROWS: &[Row] = &[
    &[&["check"]],
    &[&["read"]],
    &[&["read", "-o", "compact"]],
    &[&["read", "-o", "conf"]],
    &[&["read", "-o", "set"]],
    &[&["read", "-o", "table"]],
    &[&["read", "streams.*.title", "--where", "title~7"]],
    &[&["explain", "streams.cam000007.prepush"]],
    &[&["status"]],
    &[&["diff", "media.conf", "one.conf"]],
    &[&["diff", "media.conf", "all.conf"]],
    &[&["fmt"]],
    &[&["save", "wide.conf"], &["fmt"]],
    &[&["modify", "--set", "streams.cam000007.prepush=7"]],
    &[&["modify", "--set", "streams.*.prepush=7"]],
    &[&["apply", "one.conf"]],
    &[&["apply", "all.conf"]],
    &[&["apply", "renamed.conf", "--prune"]],
    &[&["save", "one.conf"]],
    &[&["save", "all.conf"]],
    &[&["edit", "--yes"]],
    &[&["add", "stream", "gate", "udp://239.0.0.1:1234"]],
    &[&["mv", "streams.cam000007", "streams.gate"]],
    &[&["cp", "streams.cam000007", "streams.gate"]],
    &[&["rm", "streams.cam000007", "--yes"]],
    &[&["save", "all.conf"], &["history"]],
    &[&["save", "one.conf"], &["history", "-p"]],
    &[&["save", "all.conf"], &["blame", "streams.cam000007.prepush"]],
    &[&["save", "all.conf"], &["rollback", "last"]],
];

const MEDIACTL: &str = env!("CARGO_BIN_EXE_mediactl");

/// How often a process is looked at.
const TICK: Duration = Duration::from_micros(200);

pub struct Texts {
    folder: TempDir,
    text: String,
}

impl Texts {
    pub fn new(streams: usize) -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
        let text = configuration(streams);
        for (name, text) in [
            ("all.conf", text.replace("prepush 5;", "prepush 6;")),
            ("one.conf", text.replacen("\"Camera 5\"", "\"Gate\"", 1)),
            ("renamed.conf", text.replacen("stream cam000005 ", "stream gate ", 1)),
            ("wide.conf", text.replace("\n  ", "\n      ")),
        ] {
            fs::write(folder.path().join(name), text).expect("the folder is writable");
        }
        Self { folder, text }
    }

    /// Runs the commands of a row on the configuration as it was; returns the most bytes of memory that the last one
    /// has.
    pub fn peak(&self, row: Row) -> usize {
        let folder = self.folder.path();
        let _ = fs::remove_dir_all(folder.join(".media.conf.mediactl"));
        fs::write(folder.join("media.conf"), &self.text).expect("the folder is writable");
        row.iter().fold(0, |_, arguments| peak_of(folder, arguments))
    }
}

fn peak_of(folder: &Path, arguments: &[&str]) -> usize {
    let mut command = Command::new(MEDIACTL);
    command.current_dir(folder).env("EDITOR", "sed -i 's/Camera 7\"/Gate\"/'").env_remove("VISUAL");
    command.args(["--conf", "media.conf"]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let mut peak = 0;
    let status = loop {
        peak = resident(&child).map_or(peak, |now| now.max(peak));
        match child.try_wait().expect("it is ours") {
            Some(status) => break status,
            None => thread::sleep(TICK),
        }
    };
    assert!(matches!(status.code(), Some(0 | 1)), "{arguments:?}: {status}");
    peak
}

/// The memory of a process that is not part of a file, in bytes.
fn resident(child: &Child) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<usize>().ok()? * 1024)
}
