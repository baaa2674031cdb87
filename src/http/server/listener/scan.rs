//! Finds the end of a request head while its bytes arrive. Bytes that can never become a head are
//! refused at the first wrong one: TLS on a plain port, a line without a carriage return.

/// The state of a scan.
#[derive(Debug, Default)]
pub struct Scan {
    seen: usize,
    line: usize,
    start: usize,
}

/// The result of a scan of the bytes that have arrived.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// The end of the head has not come yet.
    More,
    /// The head is between these two offsets.
    Whole(usize, usize),
    /// These bytes are no head, for this reason.
    Wrong(&'static str),
}

impl Scan {
    /// Scans the bytes that arrived since the last call; `bytes` are all that arrived so far.
    pub fn advance(&mut self, bytes: &[u8]) -> Progress {
        while let Some(&byte) = bytes.get(self.seen) {
            let after_return = self.seen > self.line && bytes[self.seen - 1] == b'\r';
            self.seen += 1;
            match (byte, after_return) {
                (b'\n', true) => {
                    if let Some(whole) = self.end_line() {
                        return whole;
                    }
                }
                (b'\n', false) => {
                    return Progress::Wrong("a line of the head ends without a carriage return");
                }
                (_, true) => return Progress::Wrong("a carriage return stands within a line of the head"),
                (b'\t' | b'\r' | b' '..=b'~', false) => {}
                (0x80.., false) => return Progress::Wrong("a byte of the head is not ASCII"),
                _ => return Progress::Wrong("a control character stands in the head"),
            }
        }
        Progress::More
    }

    /// An empty line ends the head, or is ignored in front of it (RFC 9112, section 2.2).
    fn end_line(&mut self) -> Option<Progress> {
        let (first, empty) = (self.line == self.start, self.seen - self.line == 2);
        self.line = self.seen;
        match (first, empty) {
            (true, true) => self.start = self.seen,
            (false, true) => return Some(Progress::Whole(self.start, self.seen)),
            (_, false) => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, Scan};

    fn check(bytes: &[u8], expected: Progress) {
        assert_eq!(Scan::default().advance(bytes), expected, "{}", bytes.escape_ascii());
        let mut scan = Scan::default();
        let last =
            (0..=bytes.len()).map(|end| scan.advance(&bytes[..end])).find(|seen| *seen != Progress::More);
        assert_eq!(last.unwrap_or(Progress::More), expected, "{} byte by byte", bytes.escape_ascii());
    }

    #[test]
    fn the_end_is_found_however_the_bytes_come() {
        check(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET", Progress::Whole(0, 27));
        check(b"GET / HTTP/1.0\r\n\r\n", Progress::Whole(0, 18));
        check(b"\r\n\r\nGET / HTTP/1.0\r\n\r\n", Progress::Whole(4, 22));
        check(b"\r\n", Progress::More);
        check(b"GET / HTTP/1.1\r\nHost: a\r\n\r", Progress::More);
    }

    #[test]
    fn what_is_no_head_is_told_at_once() {
        let wrong = |bytes: &[u8]| assert!(matches!(Scan::default().advance(bytes), Progress::Wrong(_)));
        wrong(b"GET / HTTP/1.1\n");
        wrong(b"\n");
        wrong(b"GET /\rHTTP");
        wrong(b"GET / HTTP/1.1\r\r\n");
        wrong(b"\x16\x03\x01");
        wrong("GET /ü".as_bytes());
        wrong(b"GET /\0");
        wrong(b"\x7f");
    }
}
