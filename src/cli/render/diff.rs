//! Prints the lines of a unified diff.

use std::io::{self, Write};

use colored::Color;

use crate::cli::ui::Ui;

/// Prints a diff line by line; `names` are those of the old and the new side, and each line begins with the sign that
/// says what it is.
pub fn print(diff: &[String], names: [&str; 2], ui: Ui, out: &mut dyn Write) -> io::Result<()> {
    if !diff.is_empty() {
        print_names(names, ui, out)?;
    }
    diff.iter().try_for_each(|line| writeln!(out, "{}", coloured(line, ui)))
}

fn print_names([old, new]: [&str; 2], ui: Ui, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n{}", ui.sanitized(&format!("--- {old}")), ui.sanitized(&format!("+++ {new}")))
}

fn coloured(line: &str, ui: Ui) -> String {
    let shown = ui.sanitized(line);
    match line.as_bytes().first() {
        Some(b'-') => ui.paint(&shown, Color::Red),
        Some(b'+') => ui.paint(&shown, Color::Green),
        Some(b'@') => ui.paint(&shown, Color::Cyan),
        _ => shown.into_owned(),
    }
}
