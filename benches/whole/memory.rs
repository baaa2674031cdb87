//! The memory of commands.

#[path = "../../tests/suite/memory/texts.rs"]
mod texts;

use crate::contents;
use texts::{ROWS, Texts};

/// Prints what each command takes for so many streams.
pub fn peaks(streams: usize, most: f64) {
    let texts = Texts::new(streams);
    for row in ROWS {
        let command = row.last().expect("a row has a command").join(" ");
        let megabytes = texts.peak(row) as f64 / 1e6;
        crate::row(&format!("{command}, {streams} streams, MB"), megabytes, &format!("<= {most}"));
    }
}
