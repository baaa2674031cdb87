//! Tables on the terminal: columns aligned by the width that characters have there.
//!
//! Of a cell that is too wide, what matters least is cut out. Of a URL the credentials and the query go first, then its
//! path: the host and the last part stay. Of the path of a value, or of a file, the last part stays. A time is not cut.

use std::collections::HashMap;
use std::io::{self, Write};

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

/// The size of the terminal that a table has to fit, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Screen {
    /// The number of characters that fit on a line.
    pub width: Option<usize>,
    /// The number of lines that a pager shows at once; the headings are repeated on each of its pages.
    pub page: Option<usize>,
}

/// Prints rows, of which the first has the headings, so that they fit the screen.
pub fn print(mut rows: Vec<Vec<String>>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    fit(&mut rows, screen);
    print_pages(aligned(&rows).map(|line| vec![line]), screen, out)
}

/// Prints rows, of which the first has the headings, so that they fit the screen and nothing of the last column is cut:
/// it goes on in further lines.
pub fn print_whole_last(mut rows: Vec<Vec<String>>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    let Some(width) = screen.width.filter(|width| widest(&rows) > *width) else {
        return print(rows, screen, out);
    };
    let last: Vec<String> = rows.iter_mut().map(|row| row.pop().unwrap_or_default()).collect();
    let beside = Screen { width: Some(width.saturating_sub(LEAST_ROOM + GAP)), ..screen };
    fit(&mut rows, beside);
    let indent = widest(&rows) + GAP;
    let room = width.saturating_sub(indent).max(LEAST_ROOM);
    let whole = |(line, last): (String, &String)| {
        let words: Vec<String> = last.split(' ').flat_map(|word| pieces(word, room)).collect();
        let beside = wrapped(&words.join(" "), room).into_iter().enumerate().map(|(at, part)| {
            let line = if at == 0 { line.as_str() } else { "" };
            let blanks = indent - line.width();
            format!("{line}{:blanks$}{part}", "").trim_end().to_owned()
        });
        beside.collect()
    };
    print_pages(aligned(&rows).zip(&last).map(whole), screen, out)
}

/// Prints rows, each of some lines; the headings come first, and again on each page.
fn print_pages(
    mut rows: impl Iterator<Item = Vec<String>>,
    screen: Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(headings) = rows.next() else { return Ok(()) };
    let mut write = |lines: &[String]| lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    write(&headings)?;
    let below = screen.page.map(|page| page.saturating_sub(headings.len()).max(1));
    let mut used = 0;
    for lines in rows {
        if used > 0 && below.is_some_and(|below| used + lines.len() > below) {
            write(&headings)?;
            used = 0;
        }
        write(&lines)?;
        used += lines.len();
    }
    Ok(())
}

/// Aligns the cells of rows in columns, without blanks at the end of a line.
pub fn aligned(rows: &[Vec<String>]) -> impl Iterator<Item = String> {
    let widths = column_widths(rows, UnicodeWidthStr::width);
    rows.iter().map(move |row| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.width() + GAP));
        }
        line.truncate(line.trim_end().len());
        line
    })
}

/// Cuts the widest cells, so that the rows fit the screen. Different cells of a column stay different.
pub fn fit(rows: &mut [Vec<String>], screen: Screen) {
    let Some(line) = screen.width else { return };
    let widths = column_widths(rows, UnicodeWidthStr::width);
    let least = column_widths(rows, least);
    // The widest columns become narrower, but not narrower than their least width, even if a line then is too long for
    // the terminal, which breaks it.
    let room = line.saturating_sub(GAP * widths.len().saturating_sub(1));
    let narrowed = |at: usize, most: usize| widths[at].min(most.max(least[at]));
    let used = |most: usize| (0..widths.len()).map(|at| narrowed(at, most)).sum::<usize>();
    let widest = widths.iter().copied().max().unwrap_or_default();
    let most = (MIN_WIDTH..=widest).rev().find(|&most| used(most) <= room).unwrap_or(MIN_WIDTH);
    let mut left = room.saturating_sub(used(most));
    for at in (0..widths.len()).rev() {
        let more = (widths[at] - narrowed(at, most)).min(left);
        left -= more;
        fit_column(rows, at, narrowed(at, most) + more);
    }
}

fn fit_column(rows: &mut [Vec<String>], at: usize, width: usize) {
    // Which cells look alike when they are cut.
    let mut alike: HashMap<String, Vec<String>> = HashMap::new();
    for cell in rows.iter_mut().filter_map(|row| row.get_mut(at)).filter(|cell| cell.width() > width) {
        let shown = shortened(cell, width);
        let same = alike.entry(shown.clone()).or_default();
        let number = same.iter().position(|known| known == cell).unwrap_or(same.len());
        if number == same.len() {
            same.push(cell.clone());
        }
        *cell = if number == 0 { shown } else { numbered(cell, number + 1, width) };
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

/// Returns the width down to which a cell can be cut.
fn least(cell: &str) -> usize {
    match is_structured(cell) {
        _ if is_time(cell) => cell.width(),
        // With room for a number, should two cells look alike.
        true => (first_and_count(cell).width() + NUMBER).min(cell.width()),
        false => 0,
    }
}

/// Returns a cell in this width, or as wide as what matters of it.
fn shortened(cell: &str, width: usize) -> String {
    if cell.width() <= width || is_time(cell) {
        return cell.to_owned();
    }
    if !is_structured(cell) {
        let left = width.saturating_sub(1);
        let head = taken(cell.chars(), left - left / 2);
        let tail: String = taken(cell.chars().rev(), left / 2).chars().rev().collect();
        return format!("{head}{CUT}{tail}");
    }
    let in_words = |form: fn(&str) -> String| cell.split(' ').map(form).collect::<Vec<_>>().join(" ");
    let forms = [in_words(without_credentials_and_query), in_words(shortest)];
    let short = forms.into_iter().find(|form| form.width() <= width);
    let short = short.unwrap_or_else(|| first_and_count(cell));
    if short.width() < cell.width() { short } else { cell.to_owned() }
}

/// The same for one of several cells that would look alike: a number follows the cut.
fn numbered(cell: &str, number: usize, width: usize) -> String {
    let number = number.to_string();
    let shown = shortened(cell, width.saturating_sub(number.len() + 1));
    match shown.rfind(CUT) {
        Some(offset) => {
            let (head, tail) = shown.split_at(offset + CUT.len_utf8());
            format!("{head}{number}{tail}")
        }
        // It has just lost whole words.
        None => format!("{shown}{CUT}{number}"),
    }
}

/// True if a cell begins with a date.
fn is_time(cell: &str) -> bool {
    let form = cell.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    form.take(10).eq(*b"0000-00-00")
}

/// True if a cell is one URL or path, or some of them.
fn is_structured(cell: &str) -> bool {
    let mut words = cell.split(' ');
    let is_place = |word: &str| word.contains("://") || last_part(word) > 0;
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_beside = |word: &str| word == "more" || word.starts_with('(') || is_number(word) || is_place(word);
    words.next().is_some_and(is_place) && words.all(is_beside)
}

/// The first word in its shortest form, and how many more there are.
fn first_and_count(cell: &str) -> String {
    let mut words = cell.split(' ');
    let first = shortest(words.next().unwrap_or_default());
    match words.count() {
        0 => first,
        more => format!("{first} +{more}"),
    }
}

fn without_credentials_and_query(word: &str) -> String {
    let Some((scheme, behind)) = word.split_once("://") else { return word.to_owned() };
    let authority = behind.find(['/', '?']).unwrap_or(behind.len());
    let (authority, path) = behind.split_at(authority);
    let host = authority.rsplit_once('@').map_or(authority.to_owned(), |(_, host)| format!("{CUT}@{host}"));
    let path = path.split_once('?').map_or(path.to_owned(), |(path, _)| format!("{path}?{CUT}"));
    format!("{scheme}://{host}{path}")
}

/// Returns the offset of the last part of a path; 0 if there is but one.
fn last_part(word: &str) -> usize {
    let from = word.find("://").map_or(0, |offset| offset + 3);
    let is_file = word.contains('/');
    let end = word.trim_end_matches(['/', '.', ',']).len();
    word[from..end.max(from)].rfind(if is_file { '/' } else { '.' }).map_or(0, |offset| offset + from)
}

/// A word that is cut to its beginning and its last part: of a URL the beginning ends with its host, of a path it is its
/// first character.
fn shortest(word: &str) -> String {
    let word = without_credentials_and_query(word);
    let head = match word.find("://") {
        Some(offset) => word[offset + 3..].find(['/', '?']).map_or(word.len(), |end| offset + 3 + end),
        None => word.chars().next().map_or(0, char::len_utf8),
    };
    let short = format!("{}{CUT}{}", &word[..head], &word[last_part(&word).max(head)..]);
    if short.width() < word.width() { short } else { word }
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

/// Breaks a text between words into lines of at most `width` columns; a longer word has a line of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut used) = (Vec::<String>::new(), 0);
    for word in text.split(' ') {
        let columns = word.width();
        match lines.last_mut().filter(|_| used == 0 || used + 1 + columns <= width) {
            Some(line) => {
                if used > 0 {
                    line.push(' ');
                    used += 1;
                }
                line.push_str(word);
                used += columns;
            }
            None => {
                lines.push(word.to_owned());
                used = columns;
            }
        }
    }
    lines
}

/// A word in pieces of at most `width` columns.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        let piece = pieces.last_mut().expect("there is a first piece");
        match piece.width() + c.width().unwrap_or_default() <= width {
            true => piece.push(c),
            false => pieces.push(c.to_string()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(rows: &[&[&str]], screen: Screen) -> String {
        let cells = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
        let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
        let mut out = Vec::new();
        print(rows, screen, &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn the_widest_cells_are_cut_in_the_middle_and_hosts_are_not() {
        let rows: &[&[&str]] =
            &[&["NAME", "URL", "X"], &["a", "udp://239.0.0.1:1234", "yes"], &["b", "漢字漢字漢字漢字", "no"]];
        let screen = Screen { width: Some(20), page: None };
        assert_eq!(printed(rows, Screen::default()).lines().nth(1), Some("a     udp://239.0.0.1:1234  yes"));
        // The host stays, even where the terminal has to break the line.
        assert_eq!(
            printed(rows, screen),
            "NAME  URL                   X\na     udp://239.0.0.1:1234  yes\nb     漢字漢字漢字漢字      no\n"
        );
        let screen = Screen { width: Some(40), page: None };
        let rows: &[&[&str]] = &[&["URL", "X"], &["udp://239.0.0.1:1234", "a sentence of some words"]];
        assert_eq!(printed(rows, screen).lines().nth(1), Some("udp://239.0.0.1:1234  a sentenc…me words"));
        for width in 0..60 {
            let narrow = printed(rows, Screen { width: Some(width), page: None });
            assert!(narrow.lines().all(|line| line.width() <= width.max(20 + MIN_WIDTH + GAP)), "{narrow}");
        }
    }

    #[test]
    fn the_last_column_goes_on_in_further_lines_and_is_not_cut() {
        let of = |rows: &[&[&str]], width| {
            let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
            let mut out = Vec::new();
            print_whole_last(rows, Screen { width, page: None }, &mut out)
                .expect("a vector takes everything");
            String::from_utf8(out).expect("it is text")
        };
        let rows: &[&[&str]] =
            &[&["NAME", "WHY"], &["漢", "a reason in a sentence of many words"], &["b", ""], &["c", "short"]];
        let wide = "NAME  WHY\n漢    a reason in a sentence of many words\nb\nc     short\n";
        assert_eq!(of(rows, None), wide);
        assert_eq!(of(rows, Some(60)), wide);
        let beside = "NAME  WHY\n漢    a reason in a sentence\n      of many words\nb\nc     short\n";
        assert_eq!(of(rows, Some(30)), beside);
    }

    #[test]
    fn headings_are_repeated_on_each_page() {
        let rows: &[&[&str]] = &[&["N"], &["1"], &["2"], &["3"], &["4"], &["5"]];
        assert_eq!(printed(rows, Screen { width: None, page: Some(3) }), "N\n1\n2\nN\n3\n4\nN\n5\n");
        assert_eq!(printed(rows, Screen { width: None, page: Some(6) }), "N\n1\n2\n3\n4\n5\n");
    }

    #[test]
    fn what_matters_stays() {
        for (cell, width, shown) in [
            (
                "rtsp://u:p@camera.example/a/long/path/h264?x=1",
                60,
                "rtsp://u:p@camera.example/a/long/path/h264?x=1",
            ),
            (
                "rtsp://u:p@camera.example/a/long/path/h264?x=1",
                44,
                "rtsp://…@camera.example/a/long/path/h264?…",
            ),
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
        assert_eq!(least("2026-11-22 22:49"), 16);
        assert_eq!(least("rtsp://u:p@camera.example/a/long/path/h264?x=1"), 33);
        assert_eq!(least("a sentence"), 0);
    }

    #[test]
    fn no_cell_is_wider_than_asked_for_and_than_what_matters() {
        for cell in
            ["rtsp://u:p@h/a/b?c", "://", "a.b.", "/", "漢字/漢字漢字漢字", "", "a b c", "http://", "x://@?"]
        {
            for width in 0..20 {
                let limit = width.max(1).max(least(cell));
                assert!(
                    shortened(cell, width).width() <= limit,
                    "{cell} {width}: {}",
                    shortened(cell, width)
                );
            }
            let _ = (least(cell), numbered(cell, 2, 5));
        }
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdefgh i", 4), ["abcdefgh", "i"]);
        assert_eq!(wrapped("漢字 漢字", 8), ["漢字", "漢字"]);
        assert_eq!(wrapped("a b", usize::MAX), ["a b"]);
    }
}
