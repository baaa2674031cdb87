//! Cells of a table that are too wide: what matters least of them is cut out.
//!
//! Of a URL the credentials and the query go first, then the middle of its path: the host and the last part stay. Of
//! the path of a value, or of a file, the last part stays. A time is not cut.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The mark of a cut.
const CUT: char = '…';

/// The width of a sign and a number that tell cells apart.
const NUMBER: usize = 2;

/// Returns the width down to which a cell can be cut.
pub fn least(cell: &str) -> usize {
    if is_time(cell) {
        return cell.width();
    }
    match is_structured(cell) {
        // With room for a number, should two cells look alike.
        true => (first_and_count(cell).width() + NUMBER).min(cell.width()),
        false => 0,
    }
}

/// Returns a cell in this width, or as wide as what matters of it.
pub fn to(cell: &str, width: usize) -> String {
    if cell.width() <= width || is_time(cell) {
        return cell.to_owned();
    }
    let stripped: Vec<String> = words(cell).map(without_credentials_and_query).collect();
    let [whole, least] =
        [stripped.join(" "), stripped.iter().map(|word| shortest(word)).collect::<Vec<_>>().join(" ")];
    match is_structured(cell) {
        true if whole.width() <= width => whole,
        true if least.width() <= width => with_last_parts(&stripped, width - least.width()),
        true => Some(first_and_count(cell))
            .filter(|short| short.width() < cell.width())
            .unwrap_or(cell.to_owned()),
        false => without_middle(cell, width),
    }
}

/// The same for one of several cells that would look alike: a number follows the cut.
pub fn numbered(cell: &str, number: usize, width: usize) -> String {
    let number = number.to_string();
    let shown = to(cell, width.saturating_sub(number.len() + 1));
    match shown.rfind(CUT) {
        Some(offset) => {
            let (head, tail) = shown.split_at(offset + CUT.len_utf8());
            format!("{head}{number}{tail}")
        }
        // It has just lost whole words.
        None => format!("{shown}{CUT}{number}"),
    }
}

fn words(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(' ')
}

/// True if a cell begins with a date.
fn is_time(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    let has_digits = |range: std::ops::Range<usize>| {
        bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    has_digits(0..4) && has_digits(5..7) && has_digits(8..10) && bytes[4] == b'-' && bytes[7] == b'-'
}

/// True if a cell is one URL or path, or some of them.
fn is_structured(cell: &str) -> bool {
    let mut words = words(cell);
    let is_place = |word: &str| word.contains("://") || last_part(word) > 0;
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_beside = |word: &str| word == "more" || word.starts_with('(') || is_number(word) || is_place(word);
    words.next().is_some_and(is_place) && words.all(is_beside)
}

/// The first word in its shortest form, and how many more there are.
fn first_and_count(cell: &str) -> String {
    let mut words = words(cell);
    let first = shortest(&without_credentials_and_query(words.next().unwrap_or_default()));
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

/// Returns the offset of the end of the host of a URL; of a path, of its first character.
fn head(word: &str) -> usize {
    match word.find("://") {
        Some(offset) => offset + 3 + word[offset + 3..].find(['/', '?']).unwrap_or(word.len() - offset - 3),
        None => word.chars().next().map_or(0, char::len_utf8),
    }
}

/// Returns the offset of the last part of a path; 0 if there is but one.
fn last_part(word: &str) -> usize {
    let from = word.find("://").map_or(0, |offset| offset + 3);
    let is_file = word.contains('/');
    let end = word.trim_end_matches(['/', '.', ',']).len();
    word[from..end.max(from)].rfind(if is_file { '/' } else { '.' }).map_or(0, |offset| offset + from)
}

/// A word that is cut to its beginning and its last part.
fn shortest(word: &str) -> String {
    let (head, last) = (head(word), last_part(word).max(head(word)));
    let short = format!("{}{CUT}{}", &word[..head], &word[last..]);
    if short.width() < word.width() { short } else { word.to_owned() }
}

/// The words in their shortest forms, but for what there is more room for: the first ones get it.
fn with_last_parts(words: &[String], mut room: usize) -> String {
    let grown = words.iter().map(|word| {
        let short = shortest(word);
        let more = room.min(word.width() - short.width());
        room -= more;
        match short.width() + more {
            width if width == word.width() => word.clone(),
            width if more > 0 => with_last_part(word, width),
            _ => short,
        }
    });
    grown.collect::<Vec<_>>().join(" ")
}

/// A word with its beginning and as much of its end as there is room for.
fn with_last_part(word: &str, width: usize) -> String {
    let head = head(word);
    let tail = taken(word[head..].chars().rev(), width.saturating_sub(word[..head].width() + 1));
    format!("{}{CUT}{}", &word[..head], tail.chars().rev().collect::<String>())
}

/// Cuts a piece out of the middle, so that the beginning and the end are left.
fn without_middle(cell: &str, width: usize) -> String {
    let left = width.saturating_sub(1);
    let end = left / 2;
    let head = taken(cell.chars(), left - end);
    let tail: String = taken(cell.chars().rev(), end).chars().rev().collect();
    format!("{head}{CUT}{tail}")
}

/// The first of these characters, as many as fit.
fn taken(characters: impl Iterator<Item = char>, width: usize) -> String {
    let mut left = width;
    characters
        .take_while(|c| {
            let needed = c.width().unwrap_or_default();
            let fits = needed <= left;
            left = left.saturating_sub(needed);
            fits
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("rtsp://u:p@camera.example/a/long/path/h264?x=1", 33, "rtsp://…@camera.example…th/h264?…"),
            ("rtsp://u:p@camera.example/a/long/path/h264?x=1", 31, "rtsp://…@camera.example…/h264?…"),
            ("udp://239.0.0.1:1234 udp://239.0.0.2:1234", 30, "udp://239.0.0.1:1234 +1"),
            ("http://backend/check (global)", 30, "http://backend/check (global)"),
            ("streams.cam1.urls[0].url", 12, "s…rls[0].url"),
            ("streams.cam1.prepush, streams.cam2.prepush, 7 more", 32, "s…m1.prepush, s….prepush, 7 more"),
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
            assert_eq!(to(cell, width), shown, "{cell} {width}");
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
                assert!(to(cell, width).width() <= limit, "{cell} {width}: {}", to(cell, width));
            }
            let _ = (least(cell), numbered(cell, 2, 5));
        }
    }
}
