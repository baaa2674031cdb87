//! Equal content in the languages of those that are compared.

use std::fmt::Write as _;

/// A configuration with `count` streams, about 150 bytes each.
pub fn configuration(count: usize) -> String {
    let mut text = String::from(
        "# Global settings:\nhttp 80;\nrtmp 1935;\nauth http://backend.example/auth key=value;\nedit_auth admin secret;\n\n# Streams:\n",
    );
    for number in 0..count {
        let (a, b, c) = (number >> 16 & 255, number >> 8 & 255, number & 255);
        write!(
            text,
            "stream cam{number:06} {{\n  url rtsp://10.{a}.{b}.{c}:554/h264 priority=1;\n  title \"Camera {number}\";\n  \
             transcoder vb=1024k ab=64k size=1280x720;\n  prepush 5;\n}}\n"
        )
        .expect("a string can be written to");
    }
    text
}

/// The same content as TOML.
pub fn toml(count: usize) -> String {
    let mut text = String::from("http = [80]\nrtmp = 1935\n");
    for number in 0..count {
        let (a, b, c) = (number >> 16 & 255, number >> 8 & 255, number & 255);
        write!(
            text,
            "[streams.cam{number:06}]\nurl = {{ url = \"rtsp://10.{a}.{b}.{c}:554/h264\", priority = 1 }}\ntitle = \"Camera {number}\"\n\
             transcoder = [[\"vb\", \"1024k\"], [\"ab\", \"64k\"], [\"size\", \"1280x720\"]]\nprepush = 5\n"
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
