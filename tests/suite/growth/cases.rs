//! Texts and changes whose size is a number: the work for each of them must grow with that number, not
//! with its square. The tests of `edit` count the words that each reads;
//! `cargo bench --bench whole` prints the growth from one size to the next.

use serde_json::{Map, Value, json};

/// One change: what it is called, and the text and the patch of a size.
pub type Case = (&'static str, fn(usize) -> (String, Value));

/// All of them.
pub const CASES: &[Case] = &[
    ("unknown top-level keys, new", |n| ("http 80;\n".to_owned(), object(n, "k", |k| json!(k)))),
    ("unknown top-level keys, changed", |n| (keys(n), object(n, "k", |_| json!("x")))),
    ("unknown top-level keys, removed", |n| (keys(n), object(n, "k", |_| Value::Null))),
    ("unknown top-level keys, new among others", |n| (keys(n), object(n, "new", |k| json!(k)))),
    ("unknown top-level blocks, new", |n| ("http 80;\n".to_owned(), object(n, "k", |k| json!({"a": k})))),
    ("entries of one line, changed", |n| (line(n), object(n, "k", |_| json!("x")))),
    ("entries of one line, removed", |n| (line(n), object(n, "k", |_| Value::Null))),
    ("entries of one line, every other removed", |n| (line(n), object(n / 2, "k", |_| Value::Null))),
    ("an http list, reversed", |n| {
        (lines(n, |k| format!("http {};\n", address(k))), json!({"http": ports(n, true)}))
    }),
    ("an http list, new", |n| (String::new(), json!({"http": ports(n, false)}))),
    ("an http list with blocks, reversed", |n| (port_blocks(n), json!({"http": ports(n, true)}))),
    ("blocks of an http list, changed", |n| (port_blocks(n), port_options(n))),
    ("blocks of an http list, new", |n| (lines(n, |k| format!("http {};\n", address(k))), port_options(n))),
    ("entries of one line below many comments, removed", |n| {
        ("# a\n".repeat(n) + &line(n), object(n, "k", |_| Value::Null))
    }),
    ("keys of a plugin, new", |n| {
        ("plugin a {\n  x 1;\n}\n".to_owned(), plugin(object(n, "k", |k| json!(k))))
    }),
    ("keys of a plugin, changed", |n| (block("plugin a", n), plugin(object(n, "k", |_| json!("x"))))),
    ("keys of a plugin, removed", |n| (block("plugin a", n), plugin(object(n, "k", |_| Value::Null)))),
    ("keys of a plugin on one line, new", |n| {
        (block("plugin a", n).replace('\n', " "), plugin(object(n, "new", |k| json!(k))))
    }),
    ("keys of a new plugin", |n| (String::new(), plugin(object(n, "k", |k| json!(k))))),
    ("keys of a foreign block, new", |n| {
        ("cluster {\n  x 1;\n}\n".to_owned(), json!({"cluster": object(n, "k", |k| json!(k))}))
    }),
    ("keys of a foreign block, changed", |n| {
        (block("cluster", n), json!({"cluster": object(n, "k", |_| json!("x"))}))
    }),
    ("keys of a foreign block, removed", |n| {
        (block("cluster", n), json!({"cluster": object(n, "k", |_| Value::Null)}))
    }),
    ("one of many named blocks", |n| {
        let mut patch = Map::new();
        patch.insert(format!("s{}", n / 2), json!({"a": 2}));
        (peers(n), json!({"peer": patch}))
    }),
    ("named blocks, changed", |n| (peers(n), json!({"peer": object(n, "s", |_| json!({"a": 2}))}))),
    ("named blocks, new", |n| {
        ("peer a {\n  a 1;\n}\n".to_owned(), json!({"peer": object(n, "s", |_| json!({"a": 2}))}))
    }),
    ("named blocks, removed", |n| (peers(n), json!({"peer": object(n - 1, "s", |_| Value::Null)}))),
    ("occurrences, reversed", |n| {
        (lines(n, |k| format!("push a{k};\n")), pushes((0..n).rev().map(|k| json!([format!("a{k}")]))))
    }),
    ("occurrences, all others", |n| {
        (lines(n, |k| format!("push a{k};\n")), pushes((0..n).map(|k| json!([format!("b{k}"), "x"]))))
    }),
    ("occurrences of one line, reversed", |n| {
        (lines(n, |k| format!("push a{k}; ")), pushes((0..n).rev().map(|k| json!([format!("a{k}")]))))
    }),
    ("words of one directive, reversed", |n| {
        let words: Vec<Value> = (0..n).rev().map(|k| json!(format!("a{k}"))).collect();
        (format!("mark{};\n", lines(n, |k| format!(" a{k}"))), json!({"mark": words}))
    }),
    ("streams, new", |n| ("# a\n".repeat(n) + "stream a {\n}\n", stream_patch(n, |_| json!({})))),
    ("the first streams", |n| (lines(n, |k| format!("k{k};\n")), stream_patch(n, |_| json!({})))),
    ("streams, removed", |n| (streams(n), stream_patch(n, |_| Value::Null))),
    ("streams, reversed", |n| (streams(n), stream_patch(n, |k| json!({"position": n - k})))),
    ("streams, reversed and changed", |n| {
        (streams(n), stream_patch(n, |k| json!({"position": n - k, "prepush": 7})))
    }),
    ("streams, all with something new", |n| (streams(n), stream_patch(n, |_| json!({"prepush": 5})))),
    ("streams of one line, all with something new", |n| {
        (lines(n, |k| format!("stream s{k} {{ }} ")), stream_patch(n, |_| json!({"prepush": 5})))
    }),
    ("urls, reversed", |n| (sources(n, "url"), source_list((0..n).rev()))),
    ("urls, all others", |n| (sources(n, "url"), source_list(n..2 * n))),
    ("urls, new", |n| ("stream a {\n}\n".to_owned(), source_list(0..n))),
    ("lines of urls, every one changed", |n| {
        (format!("stream a {{\n{}}}\n", lines(n, |k| format!("  urls http://h/{k} http://i/{k};\n"))), {
            let urls: Vec<Value> = (0..n)
                .flat_map(|k| {
                    [json!({"url": format!("http://h/{k}"), "x": 1}), json!({"url": format!("http://i/{k}")})]
                })
                .collect();
            json!({"streams": {"a": {"urls": urls}}})
        })
    }),
    ("a line of urls, reversed", |n| {
        let words = lines(n, |k| format!(" http://h/{k}"));
        (format!("stream a {{\n  urls{words};\n}}\n"), source_list((0..n).rev()))
    }),
    ("options of a url, new", |n| {
        ("stream a {\n  url http://h/0;\n}\n".to_owned(), source_options(object(n, "o", |k| json!(k))))
    }),
    ("options of a url, changed", |n| (url_with_options(n), source_options(object(n, "o", |_| json!("x"))))),
    ("options of a url, removed", |n| (url_with_options(n), source_options(Map::new().into()))),
    ("extras of auth, new", |n| {
        ("auth http://b;\n".to_owned(), json!({"auth": {"extra": object(n, "o", |_| json!("x"))}}))
    }),
    ("extras of auth, changed", |n| {
        (auth_with_extras(n), json!({"auth": {"extra": object(n, "o", |_| json!("y"))}}))
    }),
    ("extras of auth, removed", |n| {
        (auth_with_extras(n), json!({"auth": {"extra": object(n, "o", |_| Value::Null)}}))
    }),
    ("extras of auth, dropped", |n| (auth_with_extras(n), json!({"auth": {"url": false}}))),
    ("transcoder options, reversed", |n| (transcoder(n), transcoder_list((0..n).rev().map(|k| (k, "x"))))),
    ("transcoder options, changed", |n| (transcoder(n), transcoder_list((0..n).map(|k| (k, "y"))))),
    ("transcoder options, new", |n| {
        ("stream a {\n}\n".to_owned(), transcoder_list((0..n).map(|k| (k, "y"))))
    }),
    ("one setting given many times, removed", |n| {
        (lines(n, |k| format!("rtmp {};\n", k % 60_000)), json!({"rtmp": null}))
    }),
];

/// A text with a number of elements of one kind.
pub type Text = (&'static str, fn(usize) -> String);

/// Texts that are read, checked and looked into. All are without errors.
pub const TEXTS: &[Text] = &[
    ("blank lines", |n| "\n".repeat(n) + "http 80;\n"),
    ("comments", |n| "# password=secret\n".repeat(n) + "http 80;\n"),
    ("top-level keys", |n| keys(n)),
    ("one top-level key", |n| lines(n, |k| format!("push a{k};\n"))),
    ("one setting", |n| "rtmp 1935;\n".repeat(n)),
    ("named blocks", |n| peers(n)),
    ("named blocks of one name", |n| "peer s { a 1; }\n".repeat(n)),
    ("blocks of http", |n| port_blocks(n)),
    ("keys of a block of http", |n| block("http 80", n)),
    ("keys of a foreign block", |n| block("cluster", n)),
    ("keys of a plugin", |n| block("plugin a", n)),
    ("keys of a stream", |n| block("stream a", n)),
    ("nested blocks", |n| lines(n / 50, |k| "a { ".repeat(50) + &format!("b {k};") + &"}".repeat(50))),
    ("streams", streams),
    ("streams of one line", |n| lines(n, |k| format!("stream s{k} http://h/{k};\n"))),
    ("lives", |n| lines(n, |k| format!("live s{k};\n"))),
    ("urls", |n| sources(n, "url")),
    ("a line of urls", |n| format!("stream a {{\n  urls{};\n}}\n", lines(n, |k| format!(" http://h/{k}")))),
    ("options of a url", url_with_options),
    ("extras of auth", auth_with_extras),
    ("one extra of auth", |n| format!("auth http://b{};\n", " a=b".repeat(n))),
    ("transcoder options", transcoder),
    ("transcoder options that look like a directive", |n| {
        format!("stream a {{\n  transcoder{};\n}}\n", " dvr a".repeat(n))
    }),
    ("words that look like directives", |n| format!("push a{};\n", "\n  dvr a".repeat(n))),
    ("parts of dvr", |n| format!("stream a {{\n  dvr /a{}{};\n}}\n", " 90%".repeat(n), " 5d".repeat(n))),
];

/// A text of `count` lines.
pub fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// An object with `count` members.
pub fn object(count: usize, prefix: &str, value: impl Fn(usize) -> Value) -> Value {
    (0..count).map(|k| (format!("{prefix}{k}"), value(k))).collect::<Map<String, Value>>().into()
}

fn address(number: usize) -> String {
    format!("10.{}.{}.{}:80", number >> 16, number >> 8 & 255, number & 255)
}

fn keys(count: usize) -> String {
    lines(count, |k| format!("k{k} {k};\n"))
}

/// The same on one line.
fn line(count: usize) -> String {
    lines(count, |k| format!("k{k} {k}; "))
}

fn peers(count: usize) -> String {
    lines(count, |k| format!("peer s{k} {{ a 1; }}\n"))
}

fn port_blocks(count: usize) -> String {
    lines(count, |k| format!("http {} {{ api false; }}\n", address(k)))
}

fn port_options(count: usize) -> Value {
    json!({"http_options": (0..count).map(|k| (address(k), json!({"api": true}))).collect::<Map<_, _>>()})
}

fn pushes(occurrences: impl Iterator<Item = Value>) -> Value {
    json!({"push": occurrences.collect::<Vec<_>>()})
}

fn stream_patch(count: usize, value: impl Fn(usize) -> Value) -> Value {
    json!({"streams": object(count, "s", value)})
}

fn ports(count: usize, reversed: bool) -> Vec<String> {
    let mut ports: Vec<String> = (0..count).map(address).collect();
    if reversed {
        ports.reverse();
    }
    ports
}

fn block(head: &str, count: usize) -> String {
    format!("{head} {{\n{}}}\n", lines(count, |k| format!("  k{k} {k};\n")))
}

fn plugin(members: Value) -> Value {
    json!({"plugins": {"a": members}})
}

fn streams(count: usize) -> String {
    lines(count, |k| format!("# {k}\nstream s{k} {{\n  title {k};\n}}\n"))
}

fn sources(count: usize, keyword: &str) -> String {
    format!("stream a {{\n{}}}\n", lines(count, |k| format!("  {keyword} http://h/{k};\n")))
}

fn source_list(numbers: impl Iterator<Item = usize>) -> Value {
    let urls: Vec<Value> = numbers.map(|k| json!({"url": format!("http://h/{k}")})).collect();
    json!({"streams": {"a": {"urls": urls}}})
}

fn url_with_options(count: usize) -> String {
    format!("stream a {{\n  url http://h/0{};\n}}\n", lines(count, |k| format!(" o{k}={k}")))
}

fn source_options(options: Value) -> Value {
    let mut source = options.as_object().cloned().unwrap_or_default();
    source.insert("url".to_owned(), json!("http://h/0"));
    json!({"streams": {"a": {"urls": [source]}}})
}

fn auth_with_extras(count: usize) -> String {
    format!("auth http://b{};\n", lines(count, |k| format!(" o{k}=x")))
}

fn transcoder(count: usize) -> String {
    format!("stream a {{\n  transcoder{};\n}}\n", lines(count, |k| format!(" o{k}=x")))
}

fn transcoder_list(options: impl Iterator<Item = (usize, &'static str)>) -> Value {
    let options: Vec<Value> = options.map(|(k, value)| json!([format!("o{k}"), value])).collect();
    json!({"streams": {"a": {"transcoder": options}}})
}
