//! Messages in the stream: a header `Content-Length: N`, an empty line, and N bytes.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// The most bytes of a message. A longer one is passed over without being kept.
pub const LONGEST: u64 = 256 << 20;

/// The most bytes of a line of the header.
const LONGEST_LINE: u64 = 4 << 10;

/// The most lines of a header.
const MOST_LINES: usize = 32;

const CONTENT_LENGTH: &str = "content-length";

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// The content of a message.
    Body(Vec<u8>),
    /// A message of more than [`LONGEST`] bytes, which was passed over.
    TooLong,
    /// A header without a usable length.
    Malformed,
    /// The client closed the stream, maybe within a message.
    End,
}

/// Reads one message. Memory is taken as the bytes come, and not by the length that the client declares.
pub fn read(input: &mut impl BufRead) -> io::Result<Frame> {
    let length = match header(input)? {
        FrameHead::Length(length) => length,
        FrameHead::Malformed => return Ok(Frame::Malformed),
        FrameHead::End => return Ok(Frame::End),
    };
    if length > LONGEST {
        let passed = io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok(if passed == length { Frame::TooLong } else { Frame::End });
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    Ok(if body.len() as u64 == length { Frame::Body(body) } else { Frame::End })
}

enum FrameHead {
    Length(u64),
    Malformed,
    End,
}

fn header(input: &mut impl BufRead) -> io::Result<FrameHead> {
    let mut length = None;
    for number in 0..MOST_LINES {
        let mut line = Vec::new();
        input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        let Some(text) = line.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok()) else {
            return Ok(if line.is_empty() && number == 0 { FrameHead::End } else { FrameHead::Malformed });
        };
        let text = text.trim_end_matches('\r');
        if text.is_empty() {
            return Ok(length.map_or(FrameHead::Malformed, FrameHead::Length));
        }
        let Some((name, value)) = text.split_once(':') else { return Ok(FrameHead::Malformed) };
        if name.eq_ignore_ascii_case(CONTENT_LENGTH) {
            match value.trim().parse() {
                Ok(value) => length = Some(value),
                Err(_) => return Ok(FrameHead::Malformed),
            }
        }
    }
    Ok(FrameHead::Malformed)
}

/// Writes one message.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
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
