//! Differences, notes and rows of several servers: equal ones are shown once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::names::in_ranges;
use crate::cli::render::{diff, table};
use crate::cli::ui::{Ui, output};
use crate::error::Error;
use mediaconf::ChangedValue;

/// The most servers of which each has a row of its own, however equal they are.
pub const ROWS_OF_THEIR_OWN: usize = 10;

/// The rows of a table that has the server in its first column: those of many servers that are equal otherwise are one,
/// in the order of the first of them.
pub fn rows(all: Vec<Vec<String>>) -> Vec<Vec<String>> {
    if all.len() <= ROWS_OF_THEIR_OWN {
        return all;
    }
    let mut groups: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    for mut row in all {
        let server = row.remove(0);
        match known.entry(row) {
            Entry::Occupied(found) => groups[*found.get()].0.push(server),
            Entry::Vacant(new) => {
                groups.push((vec![server], new.key().clone()));
                new.insert(groups.len() - 1);
            }
        }
    }
    groups
        .into_iter()
        .map(|(servers, row)| std::iter::once(in_ranges(&servers)).chain(row).collect())
        .collect()
}

/// Prints such a table below its headings.
pub fn print_table(headings: &[&str], all: Vec<Vec<String>>, ui: Ui) -> Result<(), Error> {
    let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
    let lines = std::iter::once(headings).chain(rows(all)).collect();
    ui.print(|out| table::print(lines, ui.screen(), out))
}

/// The line above the part of the output that is about these servers; a blank line parts it from the one before.
pub fn heading(at: usize, servers: &[String]) -> String {
    let blank = if at == 0 { "" } else { "\n" };
    format!("{blank}==> {} <==", in_ranges(servers))
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
        (diff, values): (&[String], Option<&[ChangedValue]>),
        names: [&str; 2],
        ui: Ui,
    ) -> Result<(), Error> {
        if diff.is_empty() {
            return Ok(());
        }
        let mut text = Vec::new();
        output(diff::print(diff, names, ui, &mut text))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let changed: Vec<String> = diff.iter().filter(|line| line.starts_with(['-', '+'])).cloned().collect();
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
    pub fn print(&self, ui: Ui) -> Result<(), Error> {
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
        self.lines().for_each(|line| ui.note(&line));
    }

    /// Prints each as a warning.
    pub fn print_warnings(&self, ui: Ui) {
        self.lines().for_each(|line| ui.warning(&line));
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(note, servers)| format!("{}: {note}", in_ranges(servers)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_of_many_servers_are_one() {
        let row = |at: usize| {
            let result = if at == 7 { "refused" } else { "changed" };
            [format!("edge-{at:02}"), result.to_owned()].to_vec()
        };
        let shown = |count: usize| rows((0..count).map(row).collect());
        assert_eq!(shown(ROWS_OF_THEIR_OWN).len(), ROWS_OF_THEIR_OWN);
        assert_eq!(shown(40), [["edge-[00-06] (7), edge-[08-39] (32)", "changed"], ["edge-07", "refused"]]);
    }
}
