//! Tables on the terminal: columns aligned by the width that characters have there.

use std::collections::HashMap;
use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::cli::render::shortened;

/// The number of blanks between two columns.
pub const GAP: usize = 2;

/// No column is made narrower to fit the terminal.
const MIN_WIDTH: usize = 6;

/// The size of the terminal that a table has to fit, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Screen {
    /// The number of characters that fit on a line.
    pub width: Option<usize>,
    /// The number of lines that a pager shows at once; the headings are repeated on each of its pages.
    pub page: Option<usize>,
}

/// Aligns the cells of rows in columns, without blanks at the end of a line.
pub fn aligned<R: AsRef<[String]>>(rows: &[R]) -> impl Iterator<Item = String> {
    let widths = widths(rows);
    rows.iter().map(move |row| {
        let mut line = String::new();
        for (cell, width) in row.as_ref().iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.width() + GAP));
        }
        line.truncate(line.trim_end().len());
        line
    })
}

/// Cuts the widest cells, so that the rows fit the screen. Different cells of a column stay different.
pub fn fit(rows: &mut [Vec<String>], screen: Screen) {
    let Some(width) = screen.width else { return };
    let least = column_widths(rows, shortened::least);
    for (index, width) in fitting(widths(rows), &least, width).into_iter().enumerate() {
        let mut column: Vec<&mut String> = rows.iter_mut().filter_map(|row| row.get_mut(index)).collect();
        fit_column(&mut column, width);
    }
}

fn fit_column(column: &mut [&mut String], width: usize) {
    if column.iter().all(|cell| cell.width() <= width) {
        return;
    }
    // Which cells look alike when they are cut.
    let mut alike: HashMap<String, Vec<String>> = HashMap::new();
    for cell in column.iter() {
        let same = alike.entry(shortened::to(cell, width)).or_default();
        if !same.contains(cell) {
            same.push((*cell).clone());
        }
    }
    for cell in column {
        let shown = shortened::to(cell, width);
        let number = alike[&shown].iter().position(|known| known == *cell).unwrap_or_default();
        **cell = if number == 0 { shown } else { shortened::numbered(cell, number + 1, width) };
    }
}

/// Prints rows, of which the first has the headings, so that they fit the screen.
pub fn print(mut rows: Vec<Vec<String>>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    fit(&mut rows, screen);
    let mut lines = aligned(&rows);
    let Some(headings) = lines.next() else { return Ok(()) };
    writeln!(out, "{headings}")?;
    let below = screen.page.map(|page| page.saturating_sub(1).max(1));
    for (index, line) in lines.enumerate() {
        if index > 0 && below.is_some_and(|below| index % below == 0) {
            writeln!(out, "{headings}")?;
        }
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// The width of the widest cell of each column.
fn widths<R: AsRef<[String]>>(rows: &[R]) -> Vec<usize> {
    column_widths(rows, UnicodeWidthStr::width)
}

/// The largest width in each column.
fn column_widths<R: AsRef<[String]>>(rows: &[R], width_of: impl Fn(&str) -> usize) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        let row = row.as_ref();
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(width_of(cell));
        }
    }
    widths
}

/// The widths with which the columns fit a line: the widest ones become narrower, but not narrower than their least
/// width, even if a line then is too long for the terminal, which breaks it.
fn fitting(mut widths: Vec<usize>, least: &[usize], line: usize) -> Vec<usize> {
    let room = line.saturating_sub(GAP * widths.len().saturating_sub(1));
    let narrowed = |width: usize, least: usize, most: usize| width.min(most.max(least));
    let used = |most: usize| {
        widths.iter().zip(least).map(|(&width, &least)| narrowed(width, least, most)).sum::<usize>()
    };
    let widest = widths.iter().copied().max().unwrap_or_default();
    let most = (MIN_WIDTH..=widest).rev().find(|&most| used(most) <= room).unwrap_or(MIN_WIDTH);
    let mut left = room.saturating_sub(used(most));
    for (width, &least) in widths.iter_mut().zip(least).rev() {
        let narrow = narrowed(*width, least, most);
        let more = (*width - narrow).min(left);
        *width = narrow + more;
        left -= more;
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(rows: &[&[&str]], screen: Screen) -> String {
        let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
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
    fn headings_are_repeated_on_each_page() {
        let rows: &[&[&str]] = &[&["N"], &["1"], &["2"], &["3"], &["4"], &["5"]];
        assert_eq!(printed(rows, Screen { width: None, page: Some(3) }), "N\n1\n2\nN\n3\n4\nN\n5\n");
        assert_eq!(printed(rows, Screen { width: None, page: Some(6) }), "N\n1\n2\n3\n4\n5\n");
    }
}
