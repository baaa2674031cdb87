//! The language server (`mediactl lsp`): tells an editor of a configuration while it is edited.
//!
//! ```text
//! session → text → place → one file for each kind of answer
//! ```
//!
//! It stands in front of `mediaconf`, and has no parser of its own: the faults are those of `check`, the formatted text
//! is that of `fmt`, and documentation comes from the schema. Included files are read through the store; the text that
//! an editor has open takes the place of the one on the disk.
//!
//! *Invariants.* It writes no file: a change is an edit that the editor makes. No secret is in a message, unless the
//! message is an edit of the text. It knows no terminal and no network. Whatever a client sends, the answer is one of
//! the protocol, and never a panic.

mod complete;
mod faults;
mod format;
mod hover;
mod place;
mod rename;
mod session;
mod text;

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

pub use session::EditorSession;
use session::{INVALID_REQUEST, PARSE_ERROR, RequestFault, reply};

/// Serves one client until it says `exit`, or is gone. Returns true if it said `shutdown` before that.
///
/// # Errors
/// The input or the output broke.
pub fn serve(input: &mut io::BufReader<impl io::Read>, output: &mut impl Write) -> io::Result<bool> {
    let mut session = EditorSession::default();
    loop {
        let message = match read(input)? {
            Frame::Body(body) => serde_json::from_slice::<Value>(&body)
                .map_err(|_| RequestFault::new(PARSE_ERROR, "the content is not JSON")),
            Frame::TooLong => {
                let message = format!("a message has at most {} bytes", LONGEST);
                Err(RequestFault::new(INVALID_REQUEST, message))
            }
            Frame::Malformed => {
                // Where the next message begins is not known.
                let fault = RequestFault::new(PARSE_ERROR, "a header is malformed: the session ends");
                write(output, &reply(Value::Null, Err(fault)))?;
                output.flush()?;
                return Ok(false);
            }
            Frame::End => return Ok(session.is_shut_down()),
        };
        let answer = match message {
            Ok(message) => session.take(message),
            Err(fault) => {
                session.forget_texts();
                Some(reply(Value::Null, Err(fault)))
            }
        };
        answer.iter().try_for_each(|message| write(output, message))?;
        // Faults are looked for when all keys that have come so far are in the text.
        if input.buffer().is_empty() {
            session.found_faults().iter().try_for_each(|message| write(output, message))?;
        }
        output.flush()?;
        if session.has_exited() {
            return Ok(session.is_shut_down());
        }
    }
}

/// The most bytes of a message. A longer one is passed over without being kept.
const LONGEST: u64 = 256 << 20;

/// The most bytes of a line of the header.
const LONGEST_LINE: u64 = 4 << 10;

/// The most lines of a header.
const MOST_LINES: usize = 32;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
enum Frame {
    /// The content of a message.
    Body(Vec<u8>),
    /// A message of more than [`LONGEST`] bytes, which was passed over.
    TooLong,
    /// A header without a usable length.
    Malformed,
    /// The client closed the stream, maybe within a message.
    End,
}

/// Reads one message: a header `Content-Length: N`, an empty line, and N bytes. Memory is taken as the bytes come, and not by
/// the length that the client declares.
fn read(input: &mut impl BufRead) -> io::Result<Frame> {
    let mut length = None;
    for number in 0..MOST_LINES {
        let mut line = Vec::new();
        input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && number == 0 {
            return Ok(Frame::End);
        }
        let line = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
        let Some(line) = line.map(|line| line.trim_end_matches('\r')) else { break };
        match (line.split_once(':'), length) {
            (Some((name, value)), _) if name.eq_ignore_ascii_case("content-length") => {
                let Ok(value) = value.trim().parse::<u64>() else { break };
                length = Some(value);
            }
            (Some(_), _) => {}
            (None, Some(length)) if line.is_empty() => return body(input, length),
            (None, _) => break,
        }
    }
    Ok(Frame::Malformed)
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Frame> {
    if length > LONGEST {
        let passed = io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok(if passed == length { Frame::TooLong } else { Frame::End });
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    Ok(if body.len() as u64 == length { Frame::Body(body) } else { Frame::End })
}

/// Writes one message.
fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let message = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{message}", message.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_whatever_its_form() {
        let ok = |body: &str| Frame::Body(body.as_bytes().to_vec());
        for (stream, expected) in [
            ("Content-Length: 2\r\n\r\n{}", ok("{}")),
            ("content-length:2\n\n{}", ok("{}")),
            ("Content-Type: x\r\nContent-Length: 2\r\n\r\n{}", ok("{}")),
            ("Content-Length: 0\r\n\r\n", ok("")),
            ("", Frame::End),
            ("Content-Length: 9\r\n\r\n{}", Frame::End),
            ("Content-Length: 18446744073709551615\r\n\r\n{}", Frame::End),
            ("Content-Length: 99999999999999999999\r\n\r\n{}", Frame::Malformed),
            ("Content-Length: -1\r\n\r\n{}", Frame::Malformed),
            ("Content-Length: x\r\n\r\n{}", Frame::Malformed),
            ("Content-Type: x\r\n\r\n{}", Frame::Malformed),
            ("{\"jsonrpc\":\"2.0\"}", Frame::Malformed),
            ("garbage\r\n\r\n", Frame::Malformed),
            ("\r\n\r\n", Frame::Malformed),
        ] {
            assert_eq!(read(&mut stream.as_bytes()).expect("a slice can be read"), expected, "{stream:?}");
        }
        let (long, many) = ("x".repeat(1 << 20), "a: b\r\n".repeat(1000));
        assert_eq!(read(&mut long.as_bytes()).expect("a slice can be read"), Frame::Malformed);
        assert_eq!(read(&mut many.as_bytes()).expect("a slice can be read"), Frame::Malformed);
    }

    #[test]
    fn a_long_message_is_passed_over_and_the_next_one_is_read() {
        let long = LONGEST + 1;
        let head = format!("Content-Length: {long}\r\n\r\n");
        let next = "Content-Length: 2\r\n\r\n{}";
        let mut stream = head.as_bytes().chain(io::repeat(b'x').take(long)).chain(next.as_bytes());
        let mut stream = io::BufReader::new(&mut stream);
        assert_eq!(read(&mut stream).expect("it can be read"), Frame::TooLong);
        assert_eq!(read(&mut stream).expect("it can be read"), Frame::Body(b"{}".to_vec()));
    }
}
