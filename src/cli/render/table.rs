//! Tables on the terminal: columns aligned by the width that characters have there.
//!
//! Of a cell that is too wide, what matters least is cut out. Of a URL the host and the last part stay, and the credentials,
//! the query and the path between go. Of the path of a value, or of a file, the last part stays. A time is not cut.

use std::collections::HashMap;
use std::io::{self, Write};

use indexmap::IndexSet;
use jiff::civil::Date;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The number of blanks between two columns.
const GAP: usize = 2;

/// No column is made narrower to fit the terminal.
const MIN_WIDTH: usize = 6;

/// The least width of a last column that goes on in further lines.
const LEAST_ROOM: usize = 24;

/// The mark of a cut.
const CUT: char = '…';

/// The width of a sign and a number that tell cells apart.
const NUMBER: usize = 2;

/// Prints rows, of which the first has the headings, so that they fit a width.
pub fn print(mut rows: Vec<Vec<String>>, width: usize, out: &mut dyn Write) -> io::Result<()> {
    fit(&mut rows, width);
    aligned(&rows).try_for_each(|line| writeln!(out, "{line}"))
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

/// Cuts the widest cells, so that the rows fit a width. Different cells of a column stay different.
pub fn fit(rows: &mut [Vec<String>], width: usize) {
    if widest(rows) <= width {
        return;
    }
    let least = column_widths(rows, |cell| {
        // With room for a number, should two cells look alike.
        forms(cell).iter().map(|form| form.width() + NUMBER).min().map_or(0, |least| least.min(cell.width()))
    });
    let widths = column_widths(rows, UnicodeWidthStr::width);
    // The widest columns become narrower, but not narrower than their least width, even if a line then is too long for
    // the terminal, which breaks it.
    let room = width.saturating_sub(GAP * widths.len().saturating_sub(1));
    let narrowed = |at: usize, most: usize| widths[at].min(most.max(least[at]));
    let fits = |most: &usize| (0..widths.len()).map(|at| narrowed(at, *most)).sum::<usize>() <= room;
    let widest = widths.iter().copied().max().unwrap_or_default();
    let most = (MIN_WIDTH..=widest).rev().find(fits).unwrap_or(MIN_WIDTH);
    for at in 0..widths.len() {
        let width = narrowed(at, most);
        // Which cells look alike when they are cut.
        let mut alike: HashMap<String, IndexSet<String>> = HashMap::new();
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(at)).filter(|cell| cell.width() > width) {
            let shown = shortened(cell, width);
            let (number, _) = alike.entry(shown.clone()).or_default().insert_full(cell.clone());
            *cell = if number == 0 { shown } else { numbered(cell, number + 1, width) };
        }
    }
}

/// The width of the rows, aligned.
fn widest(rows: &[Vec<String>]) -> usize {
    let widths = column_widths(rows, UnicodeWidthStr::width);
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

/// Returns a cell in this width, or as wide as what matters of it.
fn shortened(cell: &str, width: usize) -> String {
    if cell.width() <= width {
        return cell.to_owned();
    }
    let forms = forms(cell);
    let fitting = forms.iter().find(|form| form.width() <= width);
    if let Some(form) = fitting.or(forms.iter().min_by_key(|form| form.width())) {
        return form.clone();
    }
    let left = width.saturating_sub(1);
    let head = taken(cell.chars(), left - left / 2);
    let tail: String = taken(cell.chars().rev(), left / 2).chars().rev().collect();
    format!("{head}{CUT}{tail}")
}

/// The same for one of several cells that would look alike: a number follows the cut.
fn numbered(cell: &str, number: usize, width: usize) -> String {
    let number = number.to_string();
    let shown = shortened(cell, width.saturating_sub(number.len() + 1));
    let (head, tail) = shown.rsplit_once(CUT).unwrap_or((&shown, ""));
    format!("{head}{CUT}{number}{tail}")
}

/// The forms of a cell that has a time, or URLs and paths, which keep what matters; none of another one, which may be cut
/// anywhere.
fn forms(cell: &str) -> Vec<String> {
    if cell.get(..10).is_some_and(|day| day.parse::<Date>().is_ok()) {
        return vec![cell.to_owned()];
    }
    let is_place = |word: &str| {
        let end = word.trim_end_matches(['/', '.', ',']);
        word.contains("://") || end.rfind(['/', '.']).is_some_and(|at| at > 0)
    };
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_beside = |word: &str| word == "more" || word.starts_with('(') || is_number(word) || is_place(word);
    let words: Vec<&str> = cell.split(' ').collect();
    if !is_place(words[0]) || !words.iter().all(|word| is_beside(word)) {
        return Vec::new();
    }
    let short: Vec<String> = words.into_iter().map(shortest).collect();
    let first = (short.len() > 1).then(|| format!("{} +{}", short[0], short.len() - 1));
    [cell.to_owned(), short.join(" ")].into_iter().chain(first).collect()
}

/// A word that is cut to its beginning and its last part: of a URL the beginning ends with its host, of a path it is its
/// first character.
fn shortest(word: &str) -> String {
    let (scheme, rest) = word.split_at(word.find("://").map_or(0, |offset| offset + 3));
    let is_url = !scheme.is_empty();
    let end = if is_url { rest.find(['/', '?']) } else { rest.chars().next().map(char::len_utf8) };
    let (head, path) = rest.split_at(end.unwrap_or(rest.len()));
    let (user, host) = head.rsplit_once('@').filter(|_| is_url).map_or(("", head), |(_, host)| ("…@", host));
    let (path, query) = path.split_once('?').filter(|_| is_url).map_or((path, ""), |(path, _)| (path, "?…"));
    let parts = path.trim_end_matches(['/', '.', ',']);
    let last = parts.rfind(if word.contains('/') { '/' } else { '.' }).unwrap_or(0);
    let cut = if last > 0 { "…" } else { "" };
    let short = format!("{scheme}{user}{host}{cut}{}{query}", &path[last..]);
    if short.width() < word.width() { short } else { word.to_owned() }
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

    fn printed(rows: &[&[&str]], width: usize) -> String {
        let cells = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
        let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
        let mut out = Vec::new();
        print(rows, width, &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn the_widest_cells_are_cut_in_the_middle_and_hosts_are_not() {
        let rows: &[&[&str]] =
            &[&["NAME", "URL", "X"], &["a", "udp://239.0.0.1:1234", "yes"], &["b", "漢字漢字漢字漢字", "no"]];
        assert_eq!(printed(rows, usize::MAX).lines().nth(1), Some("a     udp://239.0.0.1:1234  yes"));
        // The host stays, even where the terminal has to break the line.
        assert_eq!(
            printed(rows, 20),
            "NAME  URL                   X\na     udp://239.0.0.1:1234  yes\nb     漢字漢字漢字漢字      no\n"
        );
        let rows: &[&[&str]] = &[&["URL", "X"], &["udp://239.0.0.1:1234", "a sentence of some words"]];
        assert_eq!(printed(rows, 40).lines().nth(1), Some("udp://239.0.0.1:1234  a sentenc…me words"));
        for width in 0..60 {
            let narrow = printed(rows, width);
            assert!(narrow.lines().all(|line| line.width() <= width.max(20 + MIN_WIDTH + GAP)), "{narrow}");
        }
    }

    #[test]
    fn the_last_column_goes_on_in_further_lines_and_is_not_cut() {
        let of = |rows: &[&[&str]], width| {
            let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
            let mut out = Vec::new();
            print_whole_last(rows, width, &mut out).expect("a vector takes everything");
            String::from_utf8(out).expect("it is text")
        };
        let rows: &[&[&str]] =
            &[&["NAME", "WHY"], &["漢", "a reason in a sentence of many words"], &["b", ""], &["c", "short"]];
        let wide = "NAME  WHY\n漢    a reason in a sentence of many words\nb\nc     short\n";
        assert_eq!(of(rows, usize::MAX), wide);
        assert_eq!(of(rows, 60), wide);
        let beside = "NAME  WHY\n漢    a reason in a sentence\n      of many words\nb\nc     short\n";
        assert_eq!(of(rows, 30), beside);
    }

    #[test]
    fn what_matters_stays() {
        for (cell, width, shown) in [
            (
                "rtsp://u:p@camera.example/a/long/path/h264?x=1",
                60,
                "rtsp://u:p@camera.example/a/long/path/h264?x=1",
            ),
            ("rtsp://u:p@camera.example/a/long/path/h264?x=1", 44, "rtsp://…@camera.example…/h264?…"),
            ("rtsp://u:p@camera.example/a/long/path/h264?x=1", 33, "rtsp://…@camera.example…/h264?…"),
            ("rtsp://u:p@camera.example/a/long/path/h264?x=1", 31, "rtsp://…@camera.example…/h264?…"),
            ("udp://239.0.0.1:1234 udp://239.0.0.2:1234", 30, "udp://239.0.0.1:1234 +1"),
            ("http://backend/check (global)", 30, "http://backend/check (global)"),
            ("streams.cam1.urls[0].url", 12, "s….url"),
            ("streams.cam1.prepush, streams.cam2.prepush, 7 more", 32, "s….prepush, s….prepush, 7 more"),
            ("streams.cam1.prepush, streams.cam2.prepush, 7 more", 20, "s….prepush, +3"),
            ("a sentence of some words", 11, "a sen…words"),
            ("rtsp://u:p@camera.example/a/long/path/h264?x=1", 9, "rtsp://…@camera.example…/h264?…"),
            (
                "udp://camera-at-the-north-gate.example.net:1234",
                9,
                "udp://camera-at-the-north-gate.example.net:1234",
            ),
            (
                "/srv/media/archive/a-name-that-is-longer-than-others.conf",
                9,
                "/…/a-name-that-is-longer-than-others.conf",
            ),
            ("2026-11-22 22:49", 9, "2026-11-22 22:49"),
        ] {
            assert_eq!(shortened(cell, width), shown, "{cell} {width}");
        }
    }

    #[test]
    fn no_cell_is_wider_than_asked_for_and_than_what_matters() {
        for cell in
            ["rtsp://u:p@h/a/b?c", "://", "a.b.", "/", "漢字/漢字漢字漢字", "", "a b c", "http://", "x://@?"]
        {
            for width in 0..20 {
                let limit =
                    width.max(1).max(forms(cell).iter().map(|form| form.width()).min().unwrap_or_default());
                assert!(
                    shortened(cell, width).width() <= limit,
                    "{cell} {width}: {}",
                    shortened(cell, width)
                );
            }
            let _ = numbered(cell, 2, 5);
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
