//! Texts and changes whose size is a number: the work for each of them must grow with that number, not
//! with its square. The tests of `edit` count the words that each reads;
//! `cargo bench --bench whole` prints the growth from one size to the next.

use serde_json::{Map, Value, json};

/// A text of a size, and a text and a patch of it.
type Text = fn(usize) -> String;
type Change = fn(usize) -> (String, Value);
pub type Case = Box<dyn Fn(usize) -> (String, Value)>;

const KEYS: Text = |n| lines(n, |k| format!("k{k} {k};\n"));
const ONE_LINE: Text = |n| lines(n, |k| format!("k{k} {k}; "));
const PEERS: Text = |n| lines(n, |k| format!("peer k{k} {{ a 1; }}\n"));
const PUSHES: Text = |n| lines(n, |k| format!("push a{k};\n"));
const PORTS: Text = |n| lines(n, |k| format!("http {};\n", address(k)));
const PORT_BLOCKS: Text = |n| lines(n, |k| format!("http {} {{ api false; }}\n", address(k)));
const PLUGIN: Text = |n| block("plugin a", n);
const FOREIGN: Text = |n| block("cluster", n);
const STREAMS: Text = |n| lines(n, |k| format!("# {k}\nstream s{k} {{\n  title {k};\n}}\n"));
const URLS: Text = |n| format!("stream a {{\n{}}}\n", lines(n, |k| format!("  url http://h/{k};\n")));
const LINE_OF_URLS: Text =
    |n| format!("stream a {{\n  urls{};\n}}\n", lines(n, |k| format!(" http://h/{k}")));
const OPTIONS: Text = |n| format!("stream a {{\n  url http://h/0{};\n}}\n", options(n));
const EXTRAS: Text = |n| format!("auth http://b{};\n", options(n));
const TRANSCODER: Text = |n| format!("stream a {{\n  transcoder{};\n}}\n", options(n));

/// What has members with names: what it is called, its text without any and with some, and the patch of members.
type Named = (&'static str, &'static str, Text, fn(Map<String, Value>) -> Value);

const NAMED: &[Named] = &[
    ("unknown top-level keys", "http 80;\n", KEYS, Value::Object),
    ("entries of one line", "x 1;", ONE_LINE, Value::Object),
    ("entries below many comments", "# a\n", |n| "# a\n".repeat(n) + &ONE_LINE(n), Value::Object),
    ("keys of a plugin", "plugin a {\n  x 1;\n}\n", PLUGIN, |keys| json!({"plugins": {"a": keys}})),
    (
        "keys of a plugin on one line",
        "plugin a { }",
        |n| PLUGIN(n).replace('\n', " "),
        |keys| json!({"plugins": {"a": keys}}),
    ),
    ("keys of a foreign block", "cluster {\n  x 1;\n}\n", FOREIGN, |keys| json!({ "cluster": keys })),
    (
        "named blocks",
        "peer a {\n  a 1;\n}\n",
        |n| PEERS(n) + "peer a { }\n",
        |blocks| {
            let block = |value: Value| if value.is_null() { value } else { json!({ "a": value }) };
            json!({"peer": blocks.into_iter().map(|(name, value)| (name, block(value))).collect::<Map<_, _>>()})
        },
    ),
    ("options of a url", "stream a {\n  url http://h/0;\n}\n", OPTIONS, |mut source| {
        source.retain(|_, value| !value.is_null());
        source.insert("url".to_owned(), json!("http://h/0"));
        json!({"streams": {"a": {"urls": [source]}}})
    }),
    ("extras of auth", "auth http://b;\n", EXTRAS, |extras| json!({"auth": {"extra": extras}})),
];

/// Other changes: what they are called, and the text and the patch of a size.
const OTHERS: &[(&str, Change)] = &[
    ("unknown top-level keys, new among others", |n| (KEYS(n), members(n, "new", |k| json!(k)).into())),
    ("unknown top-level blocks, new", |n| (String::new(), members(n, "k", |k| json!({ "a": k })).into())),
    ("entries of one line, every other removed", |n| {
        (ONE_LINE(n), members(n / 2, "k", |_| Value::Null).into())
    }),
    ("an http list, reversed", |n| (PORTS(n), json!({"http": list((0..n).rev(), address)}))),
    ("an http list, new", |n| (String::new(), json!({"http": list(0..n, address)}))),
    ("an http list with blocks, reversed", |n| {
        (PORT_BLOCKS(n), json!({"http": list((0..n).rev(), address)}))
    }),
    ("blocks of an http list, changed", |n| (PORT_BLOCKS(n), port_options(n))),
    ("blocks of an http list, new", |n| (PORTS(n), port_options(n))),
    ("keys of a new plugin", |n| (String::new(), json!({"plugins": {"a": members(n, "k", |k| json!(k))}}))),
    ("one of many named blocks", |n| (PEERS(n), json!({"peer": {format!("k{}", n / 2): {"a": 2}}}))),
    ("occurrences, reversed", |n| (PUSHES(n), json!({"push": list((0..n).rev(), |k| [format!("a{k}")])}))),
    ("occurrences, all others", |n| (PUSHES(n), json!({"push": list(0..n, |k| [format!("b{k}")])}))),
    ("occurrences of one line, reversed", |n| {
        (PUSHES(n).replace('\n', " "), json!({"push": list((0..n).rev(), |k| [format!("a{k}")])}))
    }),
    ("words of one directive, reversed", |n| {
        let text = format!("mark{};\n", lines(n, |k| format!(" a{k}")));
        (text, json!({"mark": list((0..n).rev(), |k| format!("a{k}"))}))
    }),
    ("streams, new", |n| ("# a\n".repeat(n) + "stream a {\n}\n", streams(n, |_| json!({})))),
    ("the first streams", |n| (KEYS(n), streams(n, |_| json!({})))),
    ("streams, removed", |n| (STREAMS(n), streams(n, |_| Value::Null))),
    ("streams, reversed", |n| (STREAMS(n), streams(n, |k| json!({"position": n - k})))),
    ("streams, reversed and changed", |n| {
        (STREAMS(n), streams(n, |k| json!({"position": n - k, "prepush": 7})))
    }),
    ("streams, all with something new", |n| (STREAMS(n), streams(n, |_| json!({"prepush": 5})))),
    ("streams of one line, all with something new", |n| {
        (lines(n, |k| format!("stream s{k} {{ }} ")), streams(n, |_| json!({"prepush": 5})))
    }),
    ("urls, reversed", |n| (URLS(n), urls((0..n).rev()))),
    ("urls, all others", |n| (URLS(n), urls(n..2 * n))),
    ("urls, new", |n| ("stream a {\n}\n".to_owned(), urls(0..n))),
    ("lines of urls, every one changed", |n| {
        let text = lines(n, |k| format!("  urls http://h/{} http://h/{};\n", 2 * k, 2 * k + 1));
        let urls = list(0..2 * n, |k| json!({"url": format!("http://h/{k}"), "x": k}));
        (format!("stream a {{\n{text}}}\n"), json!({"streams": {"a": {"urls": urls}}}))
    }),
    ("a line of urls, reversed", |n| (LINE_OF_URLS(n), urls((0..n).rev()))),
    ("extras of auth, dropped", |n| (EXTRAS(n), json!({"auth": {"url": false}}))),
    ("transcoder options, reversed", |n| (TRANSCODER(n), transcoder((0..n).rev(), "x"))),
    ("transcoder options, changed", |n| (TRANSCODER(n), transcoder(0..n, "y"))),
    ("transcoder options, new", |n| ("stream a {\n}\n".to_owned(), transcoder(0..n, "y"))),
    ("one setting given many times, removed", |n| ("rtmp 1;\n".repeat(n), json!({ "rtmp": null }))),
];

/// All changes: what each is called, and the text and the patch of a size.
pub fn cases() -> impl Iterator<Item = (String, Case)> {
    let hows = [("new", json!("y")), ("changed", json!("y")), ("removed", Value::Null)];
    let named = NAMED.iter().flat_map(move |&(what, empty, text, patch)| {
        hows.clone().map(move |(how, value)| {
            let text = move |n| if how == "new" { empty.to_owned() } else { text(n) };
            let case = move |n| (text(n), patch(members(n, "k", |_| value.clone())));
            (format!("{what}, {how}"), Box::new(case) as Case)
        })
    });
    named.chain(OTHERS.iter().map(|&(what, case)| (what.to_owned(), Box::new(case) as Case)))
}

/// Texts that are read, checked and looked into. All are without errors.
pub const TEXTS: &[(&str, Text)] = &[
    ("blank lines", |n| "\n".repeat(n) + "http 80;\n"),
    ("comments", |n| "# password=secret\n".repeat(n) + "http 80;\n"),
    ("top-level keys", KEYS),
    ("one top-level key", PUSHES),
    ("one setting", |n| "rtmp 1935;\n".repeat(n)),
    ("named blocks", PEERS),
    ("named blocks of one name", |n| "peer s { a 1; }\n".repeat(n)),
    ("blocks of http", PORT_BLOCKS),
    ("keys of a block of http", |n| block("http 80", n)),
    ("keys of a foreign block", FOREIGN),
    ("keys of a plugin", PLUGIN),
    ("keys of a stream", |n| block("stream a", n)),
    ("nested blocks", |n| lines(n / 50, |k| "a { ".repeat(50) + &format!("b {k};") + &"}".repeat(50))),
    ("streams", STREAMS),
    ("streams of one line", |n| lines(n, |k| format!("stream s{k} http://h/{k};\n"))),
    ("lives", |n| lines(n, |k| format!("live s{k};\n"))),
    ("urls", URLS),
    ("a line of urls", LINE_OF_URLS),
    ("options of a url", OPTIONS),
    ("extras of auth", EXTRAS),
    ("one extra of auth", |n| format!("auth http://b{};\n", " a=b".repeat(n))),
    ("transcoder options", TRANSCODER),
    ("transcoder options that look like a directive", |n| {
        format!("stream a {{\n  transcoder{};\n}}\n", " dvr a".repeat(n))
    }),
    ("words that look like directives", |n| format!("push a{};\n", "\n  dvr a".repeat(n))),
    ("parts of dvr", |n| format!("stream a {{\n  dvr /a{}{};\n}}\n", " 90%".repeat(n), " 5d".repeat(n))),
];

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn block(head: &str, count: usize) -> String {
    format!("{head} {{\n{}}}\n", lines(count, |k| format!("  k{k} {k};\n")))
}

fn options(count: usize) -> String {
    lines(count, |k| format!(" k{k}=x"))
}

fn address(number: usize) -> String {
    format!("10.{}.{}.{}:80", number >> 16, number >> 8 & 255, number & 255)
}

/// The members of an object.
fn members(count: usize, prefix: &str, value: impl Fn(usize) -> Value) -> Map<String, Value> {
    (0..count).map(|k| (format!("{prefix}{k}"), value(k))).collect()
}

fn list<T: Into<Value>>(numbers: impl Iterator<Item = usize>, element: impl Fn(usize) -> T) -> Value {
    numbers.map(element).collect::<Vec<T>>().into()
}

fn port_options(count: usize) -> Value {
    json!({"http_options": (0..count).map(|k| (address(k), json!({"api": true}))).collect::<Map<_, _>>()})
}

fn streams(count: usize, value: impl Fn(usize) -> Value) -> Value {
    json!({"streams": members(count, "s", value)})
}

fn urls(numbers: impl Iterator<Item = usize>) -> Value {
    json!({"streams": {"a": {"urls": list(numbers, |k| json!({"url": format!("http://h/{k}")}))}}})
}

fn transcoder(numbers: impl Iterator<Item = usize>, value: &str) -> Value {
    json!({"streams": {"a": {"transcoder": list(numbers, |k| json!([format!("k{k}"), value]))}}})
}
