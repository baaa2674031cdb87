//! Tables on the terminal: columns aligned by the width that characters have there.

use std::io::{self, Write};

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::edit::config_lookup::Current;
use crate::syntax::one_line;

/// Aligns the cells of rows in columns, two blanks apart, without blanks at the end of a line.
pub fn aligned<const N: usize>(rows: &[[String; N]]) -> impl Iterator<Item = String> {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    rows.iter().map(move |row| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.width() + 2));
        }
        line.truncate(line.trim_end().len());
        line
    })
}

/// Prints one line for each of these streams, with the authorization that holds for it. Masks are in
/// `current` already.
pub fn print_streams(current: &dyn Current, names: Vec<String>, out: &mut dyn Write) -> io::Result<()> {
    let global = current.value(&["auth"]).and_then(|auth| authorization(&auth));
    let global = global.map(|auth| format!("{auth} (global)"));
    let streams = names.into_iter().filter_map(|name| {
        let stream = current.value(&["streams", &name])?;
        Some(row(&name, &stream, global.as_deref()))
    });
    let headings = ["NAME", "KIND", "AUTH", "PREPUSH", "SOURCES"].map(str::to_owned);
    let rows: Vec<[String; 5]> = std::iter::once(headings).chain(streams).collect();
    aligned(&rows).try_for_each(|line| writeln!(out, "{line}"))
}

fn row(name: &str, stream: &Value, global: Option<&str>) -> [String; 5] {
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
        authorization(&stream["auth"]).or(global.map(str::to_owned)).unwrap_or_else(|| "-".to_owned()),
        prepush,
        if urls.is_empty() { "-".to_owned() } else { urls.join(" ") },
    ]
}

/// The URL of the authorization backend, or `open` where access is free.
fn authorization(auth: &Value) -> Option<String> {
    match &auth["url"] {
        Value::Bool(false) => Some("open".to_owned()),
        Value::String(url) => Some(one_line(url)),
        _ => None,
    }
}
