//! `read -o table`: one line a stream, with the authorization that holds for it.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::model::member::Members;
use crate::model::shape::{Address, Seconds, group_name, only_argument, seconds};
use crate::model::view::{is_open, is_static, sources};
use crate::model::{Lens, Scope};
use crate::syntax::Entry;

const HEADINGS: [&str; 5] = ["NAME", "KIND", "AUTH", "PREPUSH", "SOURCES"];

/// Prints the table.
pub fn print(members: &Members<'_>, lens: &Lens, out: &mut impl Write) -> io::Result<()> {
    let global = authorization(members, lens).map(|auth| format!("{auth} (global)"));
    let shown = |entry: &&Entry<'_>| !(lens.skip_static_streams && is_static(**entry));
    let rows: Vec<[String; 5]> = members
        .own_by_key("streams")
        .iter()
        .filter(shown)
        .map(|&entry| row(entry, global.as_deref(), lens))
        .collect();
    let mut widths = HEADINGS.map(UnicodeWidthStr::width);
    for row in &rows {
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

fn row(entry: Entry<'_>, global: Option<&str>, lens: &Lens) -> [String; 5] {
    let members = Members::of(Scope::Stream, entry.children());
    let urls: Vec<String> = sources(entry, members.own_by_key("urls"))
        .map(|source| printable(&lens.text(source.positional.value())))
        .collect();
    let own = authorization(&members, lens);
    let buffered = members.own_by_key("prepush").last().and_then(|&entry| only_argument(entry));
    let prepush =
        buffered.and_then(|word| seconds(&word.value())).map_or("-".to_owned(), |value| match value {
            Seconds::Off => "off".to_owned(),
            Seconds::Number(seconds) => seconds.to_string(),
        });
    [
        printable(&group_name(entry).value()),
        if is_static(entry) { "stream" } else { "ondemand" }.to_owned(),
        own.or_else(|| global.map(str::to_owned)).unwrap_or_else(|| "-".to_owned()),
        prepush,
        if urls.is_empty() { "-".to_owned() } else { urls.join(" ") },
    ]
}

/// The backend that is asked, or that nobody is.
fn authorization(members: &Members<'_>, lens: &Lens) -> Option<String> {
    let backend = members.own_by_key("auth").last().and_then(|entry| Address::of(entry.arguments()))?;
    if is_open(&backend) {
        return Some("open".to_owned());
    }
    Some(printable(&lens.text(backend.positional.value())))
}

/// What would break the line, or the terminal, is not printed as it is.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
