//! What runs for long: `watch` at rest and where all streams change, and a server that takes a large patch.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::contents::configuration;
use crate::resident;

const MEDIACTL: &str = env!("CARGO_BIN_EXE_mediactl");

/// The streams that the patch adds.
const ADDED: usize = 130_000;

pub fn bench(streams: usize) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let text = configuration(streams);
    let size = text.len() as f64 / 1e6;
    let print = |name: &str, bytes: usize| {
        println!("{name:55} {:9.0} {:10.1}", bytes as f64 / 1e6, bytes as f64 / 1e6 / size);
    };
    fs::write(folder.path().join("media.conf"), &text).expect("the folder is writable");
    let mut watching = started(folder.path(), &["watch"]);
    let mut told = BufReader::new(watching.stderr.take().expect("stderr is a pipe")).lines();
    while !told.next().is_none_or(|line| line.is_ok_and(|line| line.starts_with("watching "))) {}
    print("watch, at rest", memory(&watching, "VmRSS:"));
    let changed = text.replace("prepush 5;", "prepush 6;");
    fs::write(folder.path().join("new.conf"), &changed).expect("the folder is writable");
    fs::rename(folder.path().join("new.conf"), folder.path().join("media.conf")).expect("it was made");
    let mut lines = BufReader::new(watching.stdout.take().expect("stdout is a pipe")).lines();
    // All lines of the diff: three of context on both sides of each that changes.
    let last = format!("Camera {}\"", streams - 1);
    while !lines.next().is_none_or(|line| line.is_ok_and(|line| line.contains(&last))) {}
    print("watch, all streams", memory(&watching, "VmHWM:"));
    end(watching);

    // By default a server refuses the patch (413): merging it may take more than 256 MiB.
    let serve = ["serve", "--listen", "127.0.0.1:0", "--max-body", "256"];
    let mut serving = started(folder.path(), &serve);
    let mut lines = BufReader::new(serving.stdout.take().expect("stdout is a pipe")).lines();
    let address = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| Some(line.strip_prefix("listening on http://")?.split_once('/')?.0.to_owned()));
    let address = address.expect("it says where it listens");
    print("serve, at rest", memory(&serving, "VmRSS:"));
    let mut patch = String::from(r#"{"streams":{"#);
    for number in 0..ADDED {
        let comma = if number == 0 { "" } else { "," };
        write!(patch, r#"{comma}"new{number:06}":{{"urls":[{{"url":"udp://239.0.0.1:1234"}}]}}"#)
            .expect("a string can be written to");
    }
    patch.push_str("}}");
    let status = posted(&address, &patch);
    assert!(status.starts_with("HTTP/1.1 200"), "{status}");
    print("serve, a patch of 8 MB that adds 130 000 streams", memory(&serving, "VmHWM:"));
    end(serving);
}

fn started(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(MEDIACTL);
    command.current_dir(folder).args(["--conf", "media.conf"]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

fn end(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn memory(child: &Child, name: &str) -> usize {
    resident(&fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default(), name)
}

/// Sends a patch; returns the beginning of the answer.
fn posted(address: &str, patch: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(
        stream,
        "POST /media/api/modify_config HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YWRtaW46c2VjcmV0\r\n\
         Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{patch}",
        patch.len()
    )
    .expect("it reads");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer[..answer.len().min(200)]).into_owned()
}
