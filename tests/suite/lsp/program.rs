//! The program, as an editor starts it.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::cli::memory::peak;
use crate::cli::{CONF, PROGRAM, Place, Run, SAMPLE};
use crate::needs::given;

/// A session with the program.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(place: &Place) -> Self {
        let mut command = Command::new(PROGRAM);
        command.arg("lsp").current_dir(place.path(".")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program can be started");
        let output = BufReader::new(child.stdout.take().expect("it is a pipe"));
        Self { input: child.stdin.take(), output, child }
    }

    fn initialized(place: &Place) -> Self {
        let mut client = Self::start(place);
        client.send(&json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } }));
        assert_eq!(client.receive()["result"]["serverInfo"]["name"], "mediactl");
        client
    }

    fn send(&mut self, message: &Value) {
        self.send_raw(&framed(&message.to_string()));
    }

    fn send_raw(&mut self, bytes: &str) {
        self.input.as_mut().expect("it is open").write_all(bytes.as_bytes()).expect("the program reads");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("the program writes");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().expect("it is a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("the program writes all of it");
        serde_json::from_slice(&body).expect("it is JSON")
    }

    /// Opens a text, and returns the number of its faults.
    fn open(&mut self, uri: &str, text: &str) -> usize {
        let opened = json!({ "uri": uri, "version": 1, "languageId": "mediaconf", "text": text });
        self.send(&json!({ "method": "textDocument/didOpen", "params": { "textDocument": opened } }));
        self.faults()
    }

    fn faults(&mut self) -> usize {
        let message = self.receive();
        assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
        message["params"]["diagnostics"].as_array().expect("it is a list").len()
    }

    /// Closes the input, and returns the exit code.
    fn end(mut self) -> Option<i32> {
        self.input = None;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("the program writes text");
        self.child.wait().expect("the program ends").code()
    }
}

fn framed(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

fn input(place: &Place, stream: impl AsRef<[u8]>) -> Run {
    place.mediactl(["lsp"]).input(stream).run()
}

#[test]
fn a_session_is_ended_as_the_protocol_has_it() {
    let place = Place::with(SAMPLE);
    let uri = format!("file://{}", place.path(CONF).display());
    let mut client = Client::initialized(&place);
    assert_eq!(client.open(&uri, SAMPLE), 0);
    let change = json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [
        { "range": { "start": { "line": 1, "character": 7 }, "end": { "line": 1, "character": 8 } }, "text": "" }] });
    client.send(&json!({ "method": "textDocument/didChange", "params": change }));
    assert_eq!(client.faults(), 1);
    client.send(&json!({ "id": 2, "method": "shutdown" }));
    assert_eq!(client.receive()["result"], Value::Null);
    client.send(&json!({ "method": "exit" }));
    assert_eq!(client.end(), Some(0));
    assert_eq!(place.text(), SAMPLE);
}

#[test]
fn an_end_without_shutdown_is_told_by_the_exit_code() {
    let place = Place::with(SAMPLE);
    input(&place, "").exits(1).says_nothing();
    input(&place, framed(r#"{"method":"exit"}"#)).exits(1).says_nothing();
    Client::initialized(&place).child.kill().expect("it runs");
    assert_eq!(Client::initialized(&place).end(), Some(1));
}

#[test]
fn hostile_input_gets_errors_of_the_protocol() {
    let place = Place::with(SAMPLE);
    let next = framed(r#"{"id":1,"method":"shutdown"}"#);
    for (stream, code) in [
        (framed("{"), "-32700"),
        (framed("hunter2"), "-32700"),
        (framed("\u{0}"), "-32700"),
        (framed(&"[".repeat(100_000)), "-32700"),
        (framed("[]"), "-32600"),
    ] {
        // The session goes on.
        let run = input(&place, stream + &next).exits(1).hides("hunter2").prints(code);
        run.prints("-32002");
    }
    for header in [
        "garbage\r\n\r\n",
        "Content-Length: x\r\n\r\n",
        "\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n",
    ] {
        // Where the next message begins is not known.
        input(&place, format!("{header}{next}")).exits(1).prints("-32700").prints("\"id\":null");
    }
    // No memory is taken for what is only declared.
    input(&place, "Content-Length: 18446744073709551615\r\n\r\n{}").exits(1).says_nothing();
    input(&place, "Content-Length: 200000000\r\n\r\n{}").exits(1).says_nothing();
    input(&place, [0xff; 9000]).exits(1).prints("-32700");
}

/// What may come to that, for the program itself; a build for tests has parts that are large.
const OF_PROGRAM: usize = 12 << 20;

#[test]
fn a_large_text_takes_at_most_six_times_its_length() {
    let place = Place::with(SAMPLE);
    let mut text = String::new();
    for number in 0..10_000 {
        writeln!(text, "stream cam{number} {{\n  url rtsp://192.0.2.1/cam{number} priority=1;\n  prepush 5;\n  dvr /storage/cam{number} 7d;\n}}").expect("a string can be written to");
    }
    let mut client = Client::initialized(&place);
    let before = peak(client.child.id());
    assert_eq!(client.open("untitled:one", &text), 0);
    for (version, new) in [(2, "x"), (3, "")] {
        let end = if new.is_empty() { 8 } else { 7 };
        let range = json!({ "start": { "line": 25_000, "character": 7 }, "end": { "line": 25_000, "character": end } });
        let change = json!({ "textDocument": { "uri": "untitled:one", "version": version }, "contentChanges": [{ "range": range, "text": new }] });
        client.send(&json!({ "method": "textDocument/didChange", "params": change }));
        client.faults();
    }
    for method in ["documentSymbol", "foldingRange"] {
        let text = json!({ "textDocument": { "uri": "untitled:one" } });
        client.send(&json!({ "id": 2, "method": format!("textDocument/{method}"), "params": text }));
        assert_eq!(client.receive()["result"].as_array().map(Vec::len), Some(10_000));
    }
    let after = peak(client.child.id());
    if given("peak-memory", after.is_some()) {
        let grown = after.unwrap_or_default() - before.unwrap_or_default();
        let most = 6 * text.len() + OF_PROGRAM;
        assert!(grown <= most, "{grown} bytes, and not {most}, for {}", text.len());
    }
    assert_eq!(client.end(), Some(1));
}
