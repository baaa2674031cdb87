//! Tables on the terminal: columns aligned by the width that characters have there.
//!
//! Of a cell that is too wide, the middle is cut out.

use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The number of blanks between two columns.
const GAP: usize = 2;

/// No column is made narrower to fit the terminal: a time has this width.
const MIN_WIDTH: usize = 16;

/// The least width of a last column that goes on in further lines.
const LEAST_ROOM: usize = 24;

/// The mark of a cut.
const CUT: char = '…';

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
    let widths = column_widths(rows);
    rows.iter().map(move |row| {
        let cells = row.iter().zip(&widths);
        let line: String =
            cells.map(|(cell, width)| format!("{cell}{:1$}", "", width - cell.width() + GAP)).collect();
        line.trim_end().to_owned()
    })
}

/// Cuts the widest cells, so that the rows fit a width.
pub fn fit(rows: &mut [Vec<String>], width: usize) {
    if widest(rows) <= width {
        return;
    }
    let widths = column_widths(rows);
    // The terminal breaks a line that is too long even then.
    let room = width.saturating_sub(GAP * widths.len().saturating_sub(1));
    let fits = |most: &usize| widths.iter().map(|width| width.min(most)).sum::<usize>() <= room;
    let widest = widths.iter().copied().max().unwrap_or_default();
    let most = (MIN_WIDTH..=widest).rev().find(fits).unwrap_or(MIN_WIDTH);
    rows.iter_mut().flatten().for_each(|cell| *cell = shortened(cell, most));
}

/// The width of the rows, aligned.
fn widest(rows: &[Vec<String>]) -> usize {
    let widths = column_widths(rows);
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// The largest width in each column.
fn column_widths(rows: &[Vec<String>]) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        row.iter().zip(&mut widths).for_each(|(cell, width)| *width = cell.width().max(*width));
    }
    widths
}

/// Returns a cell in this width.
fn shortened(cell: &str, width: usize) -> String {
    if cell.width() <= width {
        return cell.to_owned();
    }
    let left = width.saturating_sub(1);
    let head = taken(cell.chars(), left - left / 2);
    let tail: String = taken(cell.chars().rev(), left / 2).chars().rev().collect();
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

    fn printed(rows: &[&[&str]], width: usize) -> String {
        let cells = |row: &&[&str]| row.iter().map(|cell| (*cell).to_owned()).collect();
        let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
        let mut out = Vec::new();
        print(rows, width, &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn the_widest_cells_are_cut_in_the_middle() {
        let rows: &[&[&str]] = &[
            &["NAME", "URL", "X"],
            &["a", "udp://239.0.0.1:1234", "yes"],
            &["b", "漢字漢字漢字漢字漢字", "no"],
        ];
        assert_eq!(printed(rows, usize::MAX).lines().nth(1), Some("a     udp://239.0.0.1:1234  yes"));
        assert_eq!(printed(rows, 28).lines().nth(1), Some("a     udp://239…0.1:1234  yes"));
        for width in 0..60 {
            let narrow = printed(rows, width);
            assert!(narrow.lines().all(|line| line.width() <= width.max(27)), "{narrow}");
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
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdefgh i", 4), ["abcd", "efgh", "i"]);
        assert_eq!(wrapped("漢字 漢字", 8), ["漢字", "漢字"]);
        assert_eq!(wrapped("a b", usize::MAX), ["a b"]);
    }
}
