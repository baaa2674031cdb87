//! Tables on the terminal: columns aligned by the width that characters have there.
//!
//! Names of up to 24 characters, and all short words, are whole. Of a cell that is too wide, what matters least is cut out: of a
//! URL its credentials and its query, then the middle of its path, then its scheme. Columns for which there is no room are left
//! out, and named.

use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The number of blanks between two columns.
const GAP: usize = 2;

/// The width in which a cell is whole.
const WHOLE: usize = 24;

/// The width that an address, or words behind one another, are cut to at most.
const LEAST: usize = 14;

/// The least width of a last column that goes on in further lines.
const LEAST_ROOM: usize = 24;

/// The mark of a cut.
const CUT: char = '…';

/// Prints rows below their headings, so that they fit a width.
pub fn print(
    headings: &[impl ToString],
    mut rows: Vec<Vec<String>>,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    rows.insert(0, headings.iter().map(ToString::to_string).collect());
    let mut left_out = Vec::new();
    while least(&rows) > width && rows[0].len() > 1 {
        left_out.extend(rows[0].pop());
        let columns = rows[0].len();
        rows.iter_mut().for_each(|row| row.truncate(columns));
    }
    fit(&mut rows, width);
    aligned(&rows).try_for_each(|line| writeln!(out, "{line}"))?;
    match left_out.is_empty() {
        true => Ok(()),
        false => writeln!(out, "(no room for {})", left_out.into_iter().rev().collect::<Vec<_>>().join(", ")),
    }
}

/// Prints rows, of which the first has the headings, so that they fit a width and nothing of the last column is cut: it goes
/// on in further lines.
pub fn print_whole_last(mut rows: Vec<Vec<String>>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    if widest(&rows) > width {
        let last: Vec<String> = rows.iter_mut().filter_map(Vec::pop).collect();
        fit(&mut rows, width.saturating_sub(LEAST_ROOM + GAP));
        let room = width.saturating_sub(widest(&rows) + GAP).max(LEAST_ROOM);
        let broken = rows.iter().zip(&last).flat_map(|(row, last)| {
            let beside = |at| if at == 0 { row.clone() } else { vec![String::new(); row.len()] };
            let parts = wrapped(last, room).into_iter().enumerate();
            parts.map(move |(at, part)| beside(at).into_iter().chain([part]).collect())
        });
        rows = broken.collect();
    }
    aligned(&rows).try_for_each(|line| writeln!(out, "{line}"))
}

/// Aligns the cells of rows in columns, without blanks at the end of a line.
pub fn aligned(rows: &[Vec<String>]) -> impl Iterator<Item = String> {
    let widths = column_widths(rows, UnicodeWidthStr::width);
    rows.iter().map(move |row| {
        let cells = row.iter().zip(&widths);
        let line: String =
            cells.map(|(cell, width)| format!("{cell}{:1$}", "", width - cell.width() + GAP)).collect();
        line.trim_end().to_owned()
    })
}

/// Cuts the widest cells, so that the rows fit a width, as far as all short words stay whole.
pub fn fit(rows: &mut [Vec<String>], width: usize) {
    if widest(rows) <= width {
        return;
    }
    let [widths, least] = [UnicodeWidthStr::width, least_width].map(|width| column_widths(rows, width));
    let room = width.saturating_sub(GAP * widths.len().saturating_sub(1));
    let narrowed = |at: usize, most: usize| widths[at].min(most.max(least[at]));
    let fits = |most: &usize| (0..widths.len()).map(|at| narrowed(at, *most)).sum::<usize>() <= room;
    let widest = widths.iter().copied().max().unwrap_or_default();
    let most = (0..=widest).rev().find(fits).unwrap_or_default();
    for row in rows {
        row.iter_mut().enumerate().for_each(|(at, cell)| *cell = shortened(cell, narrowed(at, most)));
    }
}

/// The width to which a cell may be cut.
fn least_width(cell: &str) -> usize {
    let is_long = cell.contains("://") || cell.contains(", ") || cell.matches(' ').count() > 1;
    cell.width().min(if is_long { LEAST } else { WHOLE })
}

/// The width of the rows, cut as far as they may be.
fn least(rows: &[Vec<String>]) -> usize {
    line_width(&column_widths(rows, least_width))
}

/// The width of the rows, aligned.
fn widest(rows: &[Vec<String>]) -> usize {
    line_width(&column_widths(rows, UnicodeWidthStr::width))
}

/// The width of a line with columns of these widths.
fn line_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// The largest width in each column.
fn column_widths(rows: &[Vec<String>], width_of: impl Fn(&str) -> usize) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        row.iter().zip(&mut widths).for_each(|(cell, width)| *width = width_of(cell).max(*width));
    }
    widths
}

/// Returns a cell in this width. What stands behind it in parentheses is whole, and of several words with blanks between
/// them the others are counted.
fn shortened(cell: &str, width: usize) -> String {
    if cell.width() <= width {
        return cell.to_owned();
    }
    let mut words = cell.split(' ');
    let (first, rest) = (words.next().unwrap_or_default(), words.clone().count());
    let end = match words.next() {
        None => String::new(),
        Some(word) if rest == 1 && word.starts_with('(') => format!(" {word}"),
        Some(_) if first.contains("://") => format!(" +{rest}"),
        _ => return middle_cut(cell, width),
    };
    format!("{}{end}", shortened_word(first, width.saturating_sub(end.width())))
}

/// The same for one word: of a URL the host and the last part stay as long as they can.
fn shortened_word(word: &str, width: usize) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return middle_cut(word, width) };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let host = host.rsplit_once('@').map_or(host.to_owned(), |(_, host)| format!("{CUT}@{host}"));
    let (path, query) = path.split_once('?').map_or((path, ""), |(path, _)| (path, "?…"));
    let last = path.rfind('/').filter(|at| *at > 0);
    let short = last.map_or(path.to_owned(), |at| format!("{CUT}{}", &path[at..]));
    let bare = host.trim_start_matches([CUT, '@']);
    let forms = [
        word.to_owned(),
        format!("{scheme}://{host}{path}{query}"),
        format!("{scheme}://{host}{short}{query}"),
        format!("{bare}{short}"),
    ];
    forms.iter().find(|form| form.width() <= width).cloned().unwrap_or_else(|| middle_cut(&forms[3], width))
}

/// The beginning and the end of a text.
fn middle_cut(text: &str, width: usize) -> String {
    let left = width.saturating_sub(1);
    if text.width() <= width {
        return text.to_owned();
    }
    let head = taken(text.chars(), left - left / 2);
    let tail: String = taken(text.chars().rev(), left / 2).chars().rev().collect();
    format!("{head}{CUT}{tail}")
}

/// The first of these characters, as many as fit.
fn taken(characters: impl Iterator<Item = char>, width: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or_default();
        used <= width
    };
    characters.take_while(fits).collect()
}

/// Breaks a text between words into lines of at most `width` columns; a longer word is broken, too.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut used) = (vec![String::new()], 0);
    for word in text.split(' ') {
        let blank = if used > 0 { " " } else { "" };
        let goes_on = used + blank.len() + word.width() <= width;
        used = if goes_on || lines == [""] { used } else { width };
        for c in blank.chars().filter(|_| goes_on).chain(word.chars()) {
            let columns = c.width().unwrap_or_default();
            if used + columns > width && lines != [""] {
                lines.push(String::new());
                used = 0;
            }
            lines.last_mut().expect("there is a first line").push(c);
            used += columns;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    fn printed(rows: &[&[&str]], width: usize) -> String {
        let mut out = Vec::new();
        print(rows[0], of(&rows[1..]), width, &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn columns_without_room_are_named_and_short_words_are_whole() {
        let name = "a-name-of-24-characters-";
        let url = "rtsp://camera.example.net/a/long/path";
        let rows: &[&[&str]] = &[&["NAME", "KIND", "SOURCE"], &[name, "ondemand", url]];
        assert_eq!(printed(rows, 200).lines().nth(1), Some(&*format!("{name}  ondemand  {url}")));
        assert_eq!(
            printed(rows, 60).lines().nth(1),
            Some(&*format!("{name}  ondemand  camera.example.net…/path"))
        );
        let narrow = printed(rows, 40);
        assert!(
            narrow.contains(&format!("{name}  ondemand\n")) && narrow.ends_with("(no room for SOURCE)\n")
        );
        let narrower = printed(rows, 20);
        assert!(narrower.contains(name) && narrower.ends_with("(no room for KIND, SOURCE)\n"), "{narrower}");
        let rows: &[&[&str]] = &[&["NAME", "X"], &["漢字漢字漢字", "no"], &["b", "yes"]];
        assert_eq!(printed(rows, 40), "NAME          X\n漢字漢字漢字  no\nb             yes\n");
        for width in 0..60 {
            let all = printed(rows, width);
            assert!(all.lines().next().is_some_and(|line| line.starts_with("NAME")), "{all}");
        }
    }

    #[test]
    fn the_last_column_goes_on_in_further_lines_and_is_not_cut() {
        let printed = |rows: &[&[&str]], width| {
            let mut out = Vec::new();
            print_whole_last(of(rows), width, &mut out).expect("a vector takes everything");
            String::from_utf8(out).expect("it is text")
        };
        let rows: &[&[&str]] =
            &[&["NAME", "WHY"], &["漢", "a reason in a sentence of many words"], &["b", ""], &["c", "short"]];
        let wide = "NAME  WHY\n漢    a reason in a sentence of many words\nb\nc     short\n";
        assert_eq!(printed(rows, usize::MAX), wide);
        let beside = "NAME  WHY\n漢    a reason in a sentence\n      of many words\nb\nc     short\n";
        assert_eq!(printed(rows, 30), beside);
    }

    #[test]
    fn what_matters_stays() {
        let url = "rtsp://u:p@camera.example/a/long/path/h264?x=1";
        for (cell, width, shown) in [
            (url, 60, url),
            (url, 44, "rtsp://…@camera.example/a/long/path/h264?…"),
            (url, 33, "rtsp://…@camera.example…/h264?…"),
            (url, 24, "camera.example…/h264"),
            ("udp://239.0.0.1:1234 udp://239.0.0.2:1234", 30, "udp://239.0.0.1:1234 +1"),
            ("http://backend/check (global)", 24, "backend/check (global)"),
            ("a sentence of some words", 11, "a sen…words"),
        ] {
            assert_eq!(shortened(cell, width), shown, "{cell} {width}");
        }
        for cell in ["://", "a.b.", "/", "漢字/漢字", "", "a b c", "http://", "x://@?", "x://y (z)"] {
            (0..20).for_each(|width| drop(shortened(cell, width)));
        }
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdefgh i", 4), ["abcd", "efgh", "i"]);
        assert_eq!(wrapped("漢字 漢字", 8), ["漢字", "漢字"]);
        assert_eq!(wrapped("a b", usize::MAX), ["a b"]);
    }
}
