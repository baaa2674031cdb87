//! One keep-alive connection to a server or a peer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

pub struct Client {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Client {
    pub fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_nodelay(true).expect("a TCP option can be set");
        Self { stream: BufReader::with_capacity(256 * 1024, stream), host: address.to_owned() }
    }

    /// Status and entity tag of the answer, whose body is read and dropped.
    pub fn ask(&mut self, method: &str, path: &str, headers: &str, body: &str) -> (u16, Option<String>) {
        let length =
            if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n{headers}{length}\r\n{body}", self.host);
        self.stream.get_mut().write_all(request.as_bytes()).expect("it is read");
        let lines: Vec<String> =
            std::iter::from_fn(|| Some(self.line()).filter(|line| line != "\r\n")).collect();
        let value = |name: &str| {
            lines.iter().find_map(|line| {
                let (known, value) = line.split_once(':')?;
                known.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
            })
        };
        let status: u16 = lines[0][9..12].parse().expect("a status is a number");
        let length: u64 = value("Content-Length").map_or(0, |length| length.parse().expect("it is a number"));
        match status {
            _ if value("Transfer-Encoding").is_some() => self.skip_chunks(),
            304 => {}
            _ => self.skip(length),
        }
        (status, value("ETag"))
    }

    /// Asks, and expects this status.
    pub fn expect(&mut self, expected: u16, method: &str, path: &str, headers: &str, body: &str) {
        let (status, _) = self.ask(method, path, headers, body);
        assert_eq!(status, expected, "{method} {path}");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.stream.read_line(&mut line).expect("it can be read") > 0, "the connection was closed");
        line
    }

    fn skip(&mut self, length: u64) {
        let skipped = std::io::copy(&mut (&mut self.stream).take(length), &mut std::io::sink());
        assert_eq!(skipped.expect("it can be read"), length);
    }

    fn skip_chunks(&mut self) {
        loop {
            let length = u64::from_str_radix(self.line().trim(), 16).expect("it is a number");
            self.skip(length + 2);
            if length == 0 {
                return;
            }
        }
    }
}
