//! The program, as an editor starts it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::cli::bounded::peak;
use crate::cli::{CONF, PROGRAM, Place, Run, SAMPLE};
use crate::needs::given;

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
        let input = self.input.as_mut().expect("it is open");
        input.write_all(framed(&message.to_string()).as_bytes()).expect("the program reads");
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

    fn end(mut self) -> Option<i32> {
        self.input = None;
        self.output.read_to_string(&mut String::new()).expect("the program writes text");
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
    let text = SAMPLE.replacen("http 80;", "http 80", 1);
    let change =
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] });
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
    for body in ["{", "hunter2", "\u{0}", &"[".repeat(100_000)] {
        let run = input(&place, framed(body) + &next).exits(1).hides("hunter2").prints("-32700");
        run.hides("\"id\":1");
    }
    // The session goes on.
    input(&place, framed("[]") + &next).exits(0).prints("-32600").prints("\"id\":1");
    for header in [
        "garbage\r\n\r\n",
        "Content-Length: x\r\n\r\n",
        "\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n",
        "Content-Length: 18446744073709551615\r\n\r\n",
        "Content-Length: 268435457\r\n\r\n",
    ] {
        // Where the next message begins is not known.
        input(&place, format!("{header}{next}")).exits(1).prints("-32700").prints("\"id\":null");
    }
    // No memory is taken for what is only declared.
    input(&place, "Content-Length: 200000000\r\n\r\n{}").exits(1).says_nothing();
    input(&place, [0xff; 9000]).exits(1).prints("-32700");
}

/// The most memory, in bytes.
const MOST: usize = 100 << 20;

/// The line of the first stream of a text in [`streams`].
const FIRST: usize = 3;

/// 10 000 streams that have one archive, each line in need of formatting.
fn streams() -> String {
    let stream = |number| {
        let url = format!("url rtsp://192.0.2.1/cam{number} priority=1;");
        format!("stream cam{number} {{\n{url}\nbackup_stream cam7;\ndvr @disk 7d;\n}}\n")
    };
    "dvr disk {\nroot /storage;\n}\n".to_owned() + &(0..10_000).map(stream).collect::<String>()
}

#[test]
fn a_text_of_10_000_streams_takes_at_most_100_mb() {
    let place = Place::with(SAMPLE);
    let text = streams();
    let mut client = Client::initialized(&place);
    assert_eq!(client.open("untitled:one", &text), 0);
    let lines = text.lines().count();
    let at = |line: usize, character: usize| json!({ "position": { "line": line, "character": character } });
    let whole = json!({ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": lines, "character": 0 } } });
    for (method, mut params, least) in [
        ("documentSymbol", json!({}), 10_001),
        ("formatting", json!({}), 1),
        ("codeAction", whole, 0),
        ("hover", at(FIRST, 8), 0),
        ("completion", at(FIRST + 2, 14), 0),
        ("definition", at(FIRST + 3, 6), 1),
        ("rename", at(0, 6), 0),
    ] {
        params["textDocument"] = json!({ "uri": "untitled:one" });
        params["newName"] = json!("tape");
        client.send(&json!({ "id": 2, "method": format!("textDocument/{method}"), "params": params }));
        let answer = client.receive();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        assert!(answer["result"].as_array().map_or(0, Vec::len) >= least, "{method}");
        if method == "formatting" {
            let new = answer["result"][0]["newText"].as_str().unwrap_or_default();
            assert_eq!(new.matches("\n  url rtsp://").count(), 10_000, "the edit holds the whole text");
        }
        let after = peak(client.child.id());
        if given("peak-memory", after.is_some()) {
            assert!(after.unwrap_or_default() <= MOST, "{method}: {after:?} bytes");
        }
    }
    assert_eq!(client.end(), Some(1));
}
