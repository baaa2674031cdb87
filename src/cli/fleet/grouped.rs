//! Differences and notes of several servers: equal ones are shown once.

use crate::cli::error::CliError;
use crate::cli::render::diff;
use crate::cli::ui::{Ui, output};
use mediaconf::edit::json_diff::ChangedValue;

/// The line above the part of the output that is about these servers; a blank line parts it from the one before.
pub fn heading(at: usize, servers: &[String]) -> String {
    let blank = if at == 0 { "" } else { "\n" };
    format!("{blank}==> {} <==", servers.join(", "))
}

/// Differences, each with the servers that have it, in the order of the first of them.
#[derive(Default)]
pub struct GroupedDiffs(Vec<DiffGroup>);

struct DiffGroup {
    servers: Vec<String>,
    /// The lines, coloured and sanitized already.
    text: String,
    /// The lines that differ.
    changed: Vec<String>,
    /// The values that differ: equal lines in different blocks are different changes.
    values: Vec<ChangedValue>,
}

impl GroupedDiffs {
    /// Adds the difference of a server between two sides with these names, if there is one: its lines, and its values,
    /// if both sides are valid.
    pub fn add(
        &mut self,
        server: &str,
        (lines, values): (&[String], Option<&[ChangedValue]>),
        names: [&str; 2],
        ui: Ui,
    ) -> Result<(), CliError> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = Vec::new();
        output(diff::print(lines, names, ui, &mut text))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let changed: Vec<String> =
            lines.iter().filter(|line| line.starts_with(['-', '+'])).cloned().collect();
        let is_same = |group: &&mut DiffGroup| match values {
            Some(values) => group.changed == changed && group.values == values,
            None => group.text == text,
        };
        match self.0.iter_mut().find(is_same) {
            Some(group) => group.servers.push(server.to_owned()),
            None => self.0.push(DiffGroup {
                servers: vec![server.to_owned()],
                text,
                changed,
                values: values.unwrap_or_default().to_vec(),
            }),
        }
        Ok(())
    }

    /// Prints each difference once, below the names of its servers.
    pub fn print(&self, ui: Ui) -> Result<(), CliError> {
        if self.0.is_empty() {
            return Ok(());
        }
        ui.print_painted(|out| {
            for (at, DiffGroup { servers, text, .. }) in self.0.iter().enumerate() {
                writeln!(out, "{}", heading(at, servers))?;
                out.write_all(text.as_bytes())?;
            }
            // A table follows.
            writeln!(out)
        })
    }
}

/// Notes, each with the servers that it is about, in the order of the first of them.
#[derive(Default)]
pub struct GroupedNotes<'s>(pub Vec<(String, Vec<&'s str>)>);

impl<'s> GroupedNotes<'s> {
    /// Adds a note about a server.
    pub fn add(&mut self, server: &'s str, note: String) {
        match self.0.iter_mut().find(|(known, _)| *known == note) {
            Some((_, servers)) => servers.push(server),
            None => self.0.push((note, vec![server])),
        }
    }

    /// Prints each note once, behind the names of its servers.
    pub fn print(&self, ui: Ui) {
        self.0.iter().for_each(|(note, servers)| ui.note(&format!("{}: {note}", servers.join(", "))));
    }
}
