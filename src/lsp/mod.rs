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

use std::io::{self, BufRead, ErrorKind, Read, Write};

use serde_json::Value;

pub use session::EditorSession;
use session::{PARSE_ERROR, RequestFault, reply};

/// Serves one client until it says `exit`, or is gone. Returns true if it said `shutdown` before that.
///
/// # Errors
/// The input or the output broke.
pub fn serve(input: &mut io::BufReader<impl io::Read>, output: &mut impl Write) -> io::Result<bool> {
    let mut session = EditorSession::default();
    loop {
        let message = match read(input) {
            Ok(None) => return Ok(session.is_shut_down),
            Ok(Some(message)) => message,
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                // Where the next message begins is not known, or which text the message was about.
                let fault = RequestFault::new(PARSE_ERROR, format!("{error}: the session ends"));
                write(output, &reply(Value::Null, Err(fault)))?;
                output.flush()?;
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        session.take(message).iter().try_for_each(|message| write(output, message))?;
        // Faults are looked for when all keys that have come so far are in the text.
        if input.buffer().is_empty() {
            session.found_faults().iter().try_for_each(|message| write(output, message))?;
        }
        output.flush()?;
        if session.has_exited {
            return Ok(session.is_shut_down);
        }
    }
}

/// The most bytes of a message.
const LONGEST: u64 = 256 << 20;

/// The most bytes of a line of the header.
const LONGEST_LINE: u64 = 4 << 10;

/// The most lines of a header.
const MOST_LINES: usize = 32;

/// Reads one message: a header `Content-Length: N`, an empty line, and N bytes; `None` if the client closed the stream, maybe
/// within a message. Memory is taken as the bytes come, and not by the length that the client declares.
///
/// # Errors
/// `InvalidData` for a header without a usable length, and for bytes that are no JSON.
fn read(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    for number in 0..MOST_LINES {
        let mut line = Vec::new();
        input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && number == 0 {
            return Ok(None);
        }
        let line = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
        let Some(line) = line.map(|line| line.trim_end_matches('\r')) else { break };
        match (line.split_once(':'), length) {
            (Some((name, value)), _) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok().filter(|length| *length <= LONGEST);
            }
            (Some(_), _) => {}
            (None, Some(length)) if line.is_empty() => {
                let mut body = Vec::new();
                input.take(length).read_to_end(&mut body)?;
                if body.len() as u64 != length {
                    return Ok(None);
                }
                let unread = |_| io::Error::new(ErrorKind::InvalidData, "the content is not JSON");
                return serde_json::from_slice(&body).map(Some).map_err(unread);
            }
            (None, _) => break,
        }
    }
    Err(io::Error::new(ErrorKind::InvalidData, "a header is malformed, or its message is too long"))
}

/// Writes one message.
fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let message = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{message}", message.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    enum Frame {
        Body(Value),
        Malformed,
        End,
    }

    #[test]
    fn a_header_is_read_whatever_its_form() {
        let read = |stream: &str| match read(&mut stream.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::InvalidData => Frame::Malformed,
            read => read.expect("a slice can be read").map_or(Frame::End, Frame::Body),
        };
        let ok = |body: &str| Frame::Body(serde_json::from_str(body).expect("it is JSON"));
        for (stream, expected) in [
            ("Content-Length: 2\r\n\r\n{}", ok("{}")),
            ("content-length:2\n\n{}", ok("{}")),
            ("Content-Type: x\r\nContent-Length: 2\r\n\r\n{}", ok("{}")),
            ("Content-Length: 0\r\n\r\n", Frame::Malformed),
            ("", Frame::End),
            ("Content-Length: 9\r\n\r\n{}", Frame::End),
            ("Content-Length: 18446744073709551615\r\n\r\n{}", Frame::Malformed),
            ("Content-Length: 268435457\r\n\r\n{}", Frame::Malformed),
            ("Content-Length: 268435456\r\n\r\n{}", Frame::End),
            ("Content-Length: 99999999999999999999\r\n\r\n{}", Frame::Malformed),
            ("Content-Length: -1\r\n\r\n{}", Frame::Malformed),
            ("Content-Length: x\r\n\r\n{}", Frame::Malformed),
            ("Content-Type: x\r\n\r\n{}", Frame::Malformed),
            ("{\"jsonrpc\":\"2.0\"}", Frame::Malformed),
            ("garbage\r\n\r\n", Frame::Malformed),
            ("\r\n\r\n", Frame::Malformed),
        ] {
            assert_eq!(read(stream), expected, "{stream:?}");
        }
        let (long, many) = ("x".repeat(1 << 20), "a: b\r\n".repeat(1000));
        assert_eq!(read(&long), Frame::Malformed);
        assert_eq!(read(&many), Frame::Malformed);
    }
}
