//! `read -o table`: one line a stream, with the authorization that holds for it.

use std::io::{self, Write};

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::cli::render::sanitize::one_line;
use crate::model::member::Members;
use crate::model::shape::{Address, Seconds, group_name, only_argument, seconds};
use crate::model::view::{is_open, is_static, sources};
use crate::model::{Lens, Scope};
use crate::syntax::Entry;

const HEADINGS: [&str; 5] = ["NAME", "KIND", "AUTH", "PREPUSH", "SOURCES"];

/// Prints the table.
pub fn print(members: &Members<'_>, lens: &Lens, out: &mut impl Write) -> io::Result<()> {
    let global = authorization(members).map(|auth| format!("{auth} (global)"));
    let shown = |entry: &&Entry<'_>| !(lens.skip_static_streams && is_static(**entry));
    let rows: Vec<[String; 5]> = members
        .own_by_key("streams")
        .iter()
        .filter(shown)
        .map(|&entry| row(entry, global.as_deref()))
        .collect();
    lines(&rows, out)
}

/// Prints the table of the JSON of a configuration, in which masks stand already.
pub fn print_json(whole: &Value, out: &mut impl Write) -> io::Result<()> {
    let global = authorization_in(whole).map(|auth| format!("{auth} (global)"));
    let streams = whole["streams"].as_object().into_iter().flatten();
    let rows: Vec<[String; 5]> =
        streams.map(|(name, stream)| json_row(name, stream, global.as_deref())).collect();
    lines(&rows, out)
}

fn lines(rows: &[[String; 5]], out: &mut impl Write) -> io::Result<()> {
    let mut widths = HEADINGS.map(UnicodeWidthStr::width);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    line(&HEADINGS.map(str::to_owned), &widths, out)?;
    rows.iter().try_for_each(|row| line(row, &widths, out))
}

fn line(cells: &[String; 5], widths: &[usize; 5], out: &mut impl Write) -> io::Result<()> {
    let mut text = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        text.push_str(cell);
        text.extend(std::iter::repeat_n(' ', width - cell.width() + 2));
    }
    writeln!(out, "{}", text.trim_end())
}

fn row(entry: Entry<'_>, global: Option<&str>) -> [String; 5] {
    let members = Members::of(Scope::Stream, entry.children());
    let urls: Vec<String> = sources(entry, members.own_by_key("urls"))
        .map(|source| one_line(&source.positional.value()))
        .collect();
    let own = authorization(&members);
    let buffered = members.own_by_key("prepush").last().and_then(|&entry| only_argument(entry));
    let prepush =
        buffered.and_then(|word| seconds(&word.value())).map_or("-".to_owned(), |value| match value {
            Seconds::Off => "off".to_owned(),
            Seconds::Number(seconds) => seconds.to_string(),
        });
    [
        one_line(&group_name(entry).value()),
        if is_static(entry) { "stream" } else { "ondemand" }.to_owned(),
        own.or_else(|| global.map(str::to_owned)).unwrap_or_else(|| "-".to_owned()),
        prepush,
        if urls.is_empty() { "-".to_owned() } else { urls.join(" ") },
    ]
}

fn json_row(name: &str, stream: &Value, global: Option<&str>) -> [String; 5] {
    let sources = stream["urls"].as_array().into_iter().flatten();
    let urls: Vec<String> = sources.filter_map(|source| source["url"].as_str()).map(one_line).collect();
    let prepush = match &stream["prepush"] {
        Value::Number(seconds) => seconds.to_string(),
        Value::Bool(false) => "off".to_owned(),
        _ => "-".to_owned(),
    };
    [
        one_line(name),
        if stream["static"] == true { "stream" } else { "ondemand" }.to_owned(),
        authorization_in(stream).or_else(|| global.map(str::to_owned)).unwrap_or_else(|| "-".to_owned()),
        prepush,
        if urls.is_empty() { "-".to_owned() } else { urls.join(" ") },
    ]
}

fn authorization_in(object: &Value) -> Option<String> {
    match &object["auth"]["url"] {
        Value::Bool(false) => Some("open".to_owned()),
        Value::String(url) => Some(one_line(url)),
        _ => None,
    }
}

/// The backend that is asked, or that nobody is.
fn authorization(members: &Members<'_>) -> Option<String> {
    let backend = members.own_by_key("auth").last().and_then(|entry| Address::of(entry.arguments()))?;
    if is_open(&backend) {
        return Some("open".to_owned());
    }
    Some(one_line(&backend.positional.value()))
}
