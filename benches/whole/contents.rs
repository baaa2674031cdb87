//! Equal content in the languages of those that are compared.
//!
//! The mix is that of configurations that people wrote: many schemes, a comment above one entry in three, and
//! settings that one stream has and another has not. 165 bytes a stream.

use std::fmt::Write as _;

/// The schemes of the sources, in turn.
const SCHEMES: [&str; 9] = ["udp", "rtsp", "http", "udp", "hls", "srt", "rtmp", "tshttp", "https"];

/// What one stream has.
struct Stream {
    number: usize,
    url: String,
    has_archive: bool,
    has_transcoder: bool,
}

impl Stream {
    fn new(number: usize) -> Self {
        let (a, b, c) = (number >> 16 & 255, number >> 8 & 255, number & 255);
        let scheme = SCHEMES[number % SCHEMES.len()];
        Self {
            number,
            url: format!("{scheme}://10.{a}.{b}.{c}:5540/source/main"),
            has_archive: number % 2 == 1,
            has_transcoder: number % 4 != 3,
        }
    }
}

/// A configuration with `count` streams.
pub fn configuration(count: usize) -> String {
    let mut text = String::from(
        "# Global settings:\nhttp 80;\nrtmp 1935;\nauth http://backend.example/auth key=value;\nedit_auth admin secret;\n\n# Streams:\n",
    );
    (0..count).for_each(|number| stream(&mut text, &Stream::new(number)));
    text
}

fn stream(text: &mut String, Stream { number, url, has_archive, has_transcoder }: &Stream) {
    let comment = if number % 3 == 0 { "# At the north gate\n" } else { "" };
    let archive = if *has_archive { "  dvr /storage 7d 90%;\n" } else { "" };
    let transcoder = if *has_transcoder { "  transcoder vb=1024k ab=64k size=1280x720;\n" } else { "" };
    write!(
        text,
        "{comment}stream cam{number:06} {{\n  url {url} priority=1;\n  title \"Camera {number}\";\n{archive}{transcoder}  \
         prepush 5;\n}}\n"
    )
    .expect("a string can be written to");
}

/// The same content as TOML.
pub fn toml(count: usize) -> String {
    let mut text = String::from("http = [80]\nrtmp = 1935\n");
    for Stream { number, url, has_archive, has_transcoder } in (0..count).map(Stream::new) {
        let comment = if number % 3 == 0 { "# At the north gate\n" } else { "" };
        let archive = if has_archive { "dvr = [\"/storage\", \"7d\", \"90%\"]\n" } else { "" };
        let transcoder = match has_transcoder {
            true => "transcoder = [[\"vb\", \"1024k\"], [\"ab\", \"64k\"], [\"size\", \"1280x720\"]]\n",
            false => "",
        };
        write!(
            text,
            "{comment}[streams.cam{number:06}]\nurl = {{ url = \"{url}\", priority = 1 }}\ntitle = \"Camera {number}\"\n\
             {archive}{transcoder}prepush = 5\n"
        )
        .expect("a string can be written to");
    }
    text
}

/// As many `server` blocks as streams, in the language of nginx.
pub fn nginx(count: usize) -> String {
    let mut text = String::from("events {}\nhttp {\n");
    for number in 0..count {
        let (a, b, c) = (number >> 16 & 255, number >> 8 & 255, number & 255);
        write!(
            text,
            "  server {{\n    listen 127.0.0.1:8085;\n    server_name cam{number:06};\n    location / {{\n      \
             proxy_pass http://10.{a}.{b}.{c}:554/h264;\n    }}\n  }}\n"
        )
        .expect("a string can be written to");
    }
    text + "}\n"
}
