//! Tables on the terminal: columns aligned by the width that characters have there.

use std::collections::HashMap;
use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::cli::render::paragraph::broken;
use crate::cli::render::shortened;

/// The number of blanks between two columns.
pub const GAP: usize = 2;

/// No column is made narrower to fit the terminal.
const MIN_WIDTH: usize = 6;

/// The least width in which a cell that goes on in further lines stands beside the others.
const LEAST_ROOM: usize = 24;

/// The size of the terminal that a table has to fit, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Screen {
    /// The number of characters that fit on a line.
    pub width: Option<usize>,
    /// The number of lines that a pager shows at once; the headings are repeated on each of its pages.
    pub page: Option<usize>,
}

/// A row of a table.
pub trait Row {
    /// Its cells, each in one line.
    fn cells(&self) -> impl Iterator<Item = &str>;
}

impl<R: AsRef<[String]>> Row for R {
    fn cells(&self) -> impl Iterator<Item = &str> {
        self.as_ref().iter().map(String::as_str)
    }
}

/// A row whose cells are in one string: with very many rows, a string for each cell takes three times as much memory.
pub struct JoinedRow(Box<str>);

/// Stands between two cells of a text.
const BETWEEN_CELLS: &str = "\n";

impl JoinedRow {
    /// The row of these cells, of which each is one line.
    pub fn new(cells: impl IntoIterator<Item = String>) -> Self {
        Self(cells.into_iter().collect::<Vec<_>>().join(BETWEEN_CELLS).into())
    }
}

impl Row for JoinedRow {
    fn cells(&self) -> impl Iterator<Item = &str> {
        self.0.split(BETWEEN_CELLS)
    }
}

/// Aligns the cells of rows in columns, without blanks at the end of a line.
pub fn aligned<R: Row>(rows: &[R]) -> impl Iterator<Item = String> {
    let widths = widths(rows);
    rows.iter().map(move |row| {
        let mut line = String::new();
        for (cell, width) in row.cells().zip(&widths) {
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
pub fn print<R: Row>(rows: Vec<R>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    if screen.width.is_none() {
        return print_aligned(&rows, screen, out);
    }
    let whole = |row: R| row.cells().map(str::to_owned).collect();
    let mut rows: Vec<Vec<String>> = rows.into_iter().map(whole).collect();
    fit(&mut rows, screen);
    print_aligned(&rows, screen, out)
}

fn print_aligned<R: Row>(rows: &[R], screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = aligned(rows);
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

/// Prints rows, of which the first has the headings, so that they fit the screen and nothing of the last column is cut:
/// it goes on in further lines, below its row where there is little room beside that.
pub fn print_whole_last(mut rows: Vec<Vec<String>>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    let Some(width) = screen.width.filter(|width| widest(&rows) > *width) else {
        return print(rows, screen, out);
    };
    let last: Vec<String> = rows.iter_mut().map(|row| row.pop().unwrap_or_default()).collect();
    fit(&mut rows, screen);
    let beside = widest(&rows) + GAP;
    let room = width.saturating_sub(beside);
    let is_beside = room >= LEAST_ROOM;
    let (indent, room) = if is_beside { (beside, room) } else { (GAP, width.saturating_sub(GAP)) };
    let whole = |(line, last): (String, &String)| {
        let mut lines = broken(last, room).into_iter().filter(|line| !line.is_empty());
        let first = match is_beside {
            true => format!(
                "{line:<pad$}{}",
                lines.next().unwrap_or_default(),
                pad = beside + line.chars().count() - line.width()
            ),
            false => line,
        };
        let further = lines.map(|line| format!("{:indent$}{line}", ""));
        let all: Vec<String> = std::iter::once(first.trim_end().to_owned()).chain(further).collect();
        all
    };
    let mut all = aligned(&rows).zip(&last).map(whole);
    let Some(headings) = all.next() else { return Ok(()) };
    let mut write = |lines: &[String]| lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    write(&headings)?;
    let below = screen.page.map(|page| page.saturating_sub(headings.len()).max(1));
    let mut used = 0;
    for lines in all {
        if used > 0 && below.is_some_and(|below| used + lines.len() > below) {
            write(&headings)?;
            used = 0;
        }
        write(&lines)?;
        used += lines.len();
    }
    Ok(())
}

/// The width of the rows, aligned.
fn widest(rows: &[Vec<String>]) -> usize {
    let widths = widths(rows);
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// The width of the widest cell of each column.
fn widths<R: Row>(rows: &[R]) -> Vec<usize> {
    column_widths(rows, UnicodeWidthStr::width)
}

/// The largest width in each column.
fn column_widths<R: Row>(rows: &[R], width_of: impl Fn(&str) -> usize) -> Vec<usize> {
    let mut widths = Vec::new();
    for row in rows {
        for (column, cell) in row.cells().enumerate() {
            widths.resize(widths.len().max(column + 1), 0);
            widths[column] = widths[column].max(width_of(cell));
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
        let below = "NAME\n  WHY\n漢\n  a reason in a\n  sentence of many\n  words\nb\nc\n  short\n";
        assert_eq!(of(rows, Some(20)), below);
    }

    #[test]
    fn headings_are_repeated_on_each_page() {
        let rows: &[&[&str]] = &[&["N"], &["1"], &["2"], &["3"], &["4"], &["5"]];
        assert_eq!(printed(rows, Screen { width: None, page: Some(3) }), "N\n1\n2\nN\n3\n4\nN\n5\n");
        assert_eq!(printed(rows, Screen { width: None, page: Some(6) }), "N\n1\n2\n3\n4\n5\n");
    }
}
