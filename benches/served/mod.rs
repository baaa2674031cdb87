//! The start of the benchmarks of a server: a folder, a configuration of many streams, and a server over
//! it.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// The program.
pub const MEDIACTL: &str = env!("CARGO_BIN_EXE_mediactl");

/// A configuration without a stream.
pub const HEAD: &str = "http 80;\nedit_auth admin secret;\n";

/// The account of [`HEAD`].
pub const AUTHORIZATION: &str = "Authorization: Basic YWRtaW46c2VjcmV0\r\n";

pub const READ: &str = "/media/api/read_config";
pub const MODIFY: &str = "/media/api/modify_config";

/// A server or a peer; killed when it is dropped.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// True if to measure: `cargo test --all-targets` runs benchmarks, too, to see that they build.
pub fn is_bench() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// A folder of its own: a server that another run left behind holds its file.
pub fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made")
}

/// A configuration that begins with `head`.
pub fn configuration(head: &str, streams: usize) -> String {
    let mut text = String::from(head);
    for number in 0..streams {
        write!(
            text,
            "stream cam{number:06} {{\n  url rtsp://10.0.0.1:554/h264 priority=1;\n  title \"Camera {number}\";\n  \
             transcoder vb=1024k ab=64k size=1280x720;\n  prepush 5;\n}}\n"
        )
        .expect("a string can be written to");
    }
    text
}

/// A server over `text` in `folder`, and its address. Where there is a `view_auth`, it is let in.
pub fn serve(folder: &Path, text: &str) -> (Running, String) {
    let (running, [address]) = serve_with(folder, text, &[]);
    (running, address)
}

/// The same with more options, and the `N` addresses that it announces.
pub fn serve_with<const N: usize>(folder: &Path, text: &str, options: &[&str]) -> (Running, [String; N]) {
    serve_by(Command::new(MEDIACTL), folder, text, options)
}

/// The same by a command that becomes the server.
pub fn serve_by<const N: usize>(
    mut command: Command,
    folder: &Path,
    text: &str,
    options: &[&str],
) -> (Running, [String; N]) {
    let file = folder.join("media.conf");
    fs::write(&file, text).expect("a file can be written");
    let log = fs::File::create(folder.join("log")).expect("a file can be made");
    let mut child = command
        .arg("--conf")
        .arg(&file)
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(options)
        .args(text.contains("\nview_auth ").then_some("--view-auth"))
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("stdout is a pipe")).lines();
    let mut addresses = lines
        .map_while(Result::ok)
        .filter_map(|line| Some(line.strip_prefix("listening on http://")?.split_once('/')?.0.to_owned()));
    let addresses = std::array::from_fn(|_| addresses.next().expect("it says where it listens"));
    (Running(child), addresses)
}

/// A line of the status of a server: `VmRSS`, `Threads`.
pub fn status_of(server: &Running, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{}/status", server.0.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or("?").trim().to_owned()
}
