//! The answers of the servers of a command, and its exit code. Of one server it is shown as it is; of several each
//! part says whose it is, and what is the same of many is shown once.

use std::collections::HashSet;
use std::io::{self, Write};

use serde_json::Value;

use super::names::{in_ranges, in_rows, quoted};
use crate::cli::args::changing::ChangeFormat;
use crate::cli::render::grouped;
use crate::cli::render::table;
use crate::cli::render::texts::print_change;
use crate::cli::ui::{Ui, output};
use crate::error::{Error, ErrorKind, Exit};
use crate::store::{ChangeId, Revision};
use mediaconf::{ChangedValue, Fault};

/// The most servers of which each has a row of its own, however equal they are.
pub const ROWS_OF_THEIR_OWN: usize = 10;

/// The answer of one server.
pub struct ServerAnswer<T> {
    pub server: String,
    pub result: Result<T, Error>,
}

/// The answers of the servers, in the order in which they were named.
pub struct Answers<T> {
    pub list: Vec<ServerAnswer<T>>,
    pub ui: Ui,
    /// True if one server alone is named, which the output then does not name.
    is_one: bool,
}

impl<T> Answers<T> {
    /// The answer of the one server that is named.
    pub fn of_one(server: String, answer: T, ui: Ui) -> Self {
        Self { list: vec![ServerAnswer { server, result: Ok(answer) }], ui, is_one: true }
    }

    /// The answers of several servers. Prints the errors.
    pub fn of_several(list: Vec<ServerAnswer<T>>, ui: Ui) -> Self {
        print_errors(errors(&list), ui);
        Self { list, ui, is_one: false }
    }

    /// The answer, where one server is named.
    pub fn one(&self) -> Option<(&str, &T)> {
        self.found().next().filter(|_| self.is_one)
    }

    /// The answers without the errors.
    pub fn found(&self) -> impl Iterator<Item = (&str, &T)> {
        self.list.iter().filter_map(|answer| Some((&*answer.server, answer.result.as_ref().ok()?)))
    }

    /// Goes on with each answer, and prints the new errors; the error of the one server ends the command.
    pub fn then<U>(self, mut work: impl FnMut(&str, T) -> Result<U, Error>) -> Result<Answers<U>, Error> {
        let Self { list, ui, is_one } = self;
        let were_told: Vec<bool> = list.iter().map(|answer| answer.result.is_err()).collect();
        let mut next = Vec::new();
        for ServerAnswer { server, result } in list {
            let result = match result.and_then(|answer| work(&server, answer)) {
                Err(error) if is_one => return Err(error),
                result => result.map_err(|error| error.at(&server)),
            };
            next.push(ServerAnswer { server, result });
        }
        let new = next.iter().zip(were_told).filter_map(|(answer, was_told)| (!was_told).then_some(answer));
        print_errors(errors(new), ui);
        Ok(Answers { list: next, ui, is_one })
    }

    /// A text that begins with the name of the server, where several are named.
    pub fn named(&self, server: &str, text: &str) -> String {
        if self.is_one { text.to_owned() } else { format!("{server}: {text}") }
    }

    /// A row that has the server in its first column, where several are named.
    pub fn row(&self, server: &str, cells: impl IntoIterator<Item = String>) -> Vec<String> {
        (!self.is_one).then(|| server.to_owned()).into_iter().chain(cells).collect()
    }

    /// The same texts about several servers, each once and behind the names of its servers.
    pub fn once<I: IntoIterator<Item = String>>(&self, texts: impl Fn(&T) -> I) -> Vec<String> {
        let of_server = |(server, answer)| texts(answer).into_iter().map(move |text| (server, text));
        let all = by_text(self.found().flat_map(of_server));
        all.map(|(servers, text)| self.named(&servers, &text)).collect()
    }

    /// True if there are so many servers that equal rows and texts of theirs are shown once.
    pub fn is_of_many(&self) -> bool {
        self.list.len() > ROWS_OF_THEIR_OWN
    }

    /// Prints each answer as text; those of several servers stand below their names, and equal ones of many servers
    /// once.
    pub fn print(&self, print: impl Fn(&T, &mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
        if let Some((_, answer)) = self.one() {
            return self.ui.print(|out| print(answer, out));
        }
        let text = |(server, answer)| {
            let mut text = Vec::new();
            output(print(answer, &mut text)).map(|()| (server, text))
        };
        let texts = self.found().map(text).collect::<Result<Vec<_>, Error>>()?;
        let groups = grouped(texts, |(_, text)| self.is_of_many().then(|| Revision::from_text(text)));
        self.ui.print(|out| {
            groups.iter().enumerate().try_for_each(|(at, same)| {
                writeln!(out, "{}", heading(at, &servers(same)))?;
                out.write_all(&same[0].1)
            })
        })
    }

    /// Each answer as JSON; those of several servers are the members of an object.
    pub fn json(&self, record: impl Fn(&T) -> Value) -> Value {
        let records = || self.found().map(|(server, answer)| (server.to_owned(), record(answer))).collect();
        self.one().map_or_else(|| Value::Object(records()), |(_, answer)| record(answer))
    }

    /// Prints each answer, as JSON if that is asked for, and returns the exit code.
    pub fn show(
        self,
        record: impl Fn(&T) -> Value,
        print: impl Fn(&T, &mut dyn Write) -> io::Result<()>,
    ) -> Result<Exit, Error> {
        if self.ui.json {
            self.ui.print_json(&self.json(record))?
        } else {
            self.print(print)?
        }
        Ok(self.exit())
    }

    /// The exit code of a command that all, some or none of the servers answered.
    pub fn exit(self) -> Exit {
        let kinds: Vec<Exit> = errors(&self.list).map(|(_, error)| error.exit()).collect();
        exit_of(self.found().count(), &kinds)
    }

    /// The exit code of a command that looked for something; servers that did not answer count more.
    pub fn exit_if(self, is_found: bool, code: Exit) -> Exit {
        let exit = self.exit();
        if exit == Exit::Done && is_found { code } else { exit }
    }
}

/// The kinds of errors, the worst one first.
const WORST_FIRST: [Exit; 8] = [
    Exit::Unknown,
    Exit::Failed,
    Exit::Denied,
    Exit::Absent,
    Exit::Conflict,
    Exit::Guarded,
    Exit::Invalid,
    Exit::Usage,
];

/// The exit code of work that `done` servers did and others refused for these reasons: none refused, some did,
/// or the worst reason.
pub fn exit_of(done: usize, refused: &[Exit]) -> Exit {
    match (done, refused) {
        (_, &[]) => Exit::Done,
        (0, refused) => WORST_FIRST.into_iter().find(|kind| refused.contains(kind)).unwrap_or(refused[0]),
        _ => Exit::Partly,
    }
}

fn errors<'a, T: 'a>(
    answers: impl IntoIterator<Item = &'a ServerAnswer<T>>,
) -> impl Iterator<Item = (&'a str, &'a Error)> {
    answers.into_iter().filter_map(|answer| Some((&*answer.server, answer.result.as_ref().err()?)))
}

/// Prints errors, each with the name of its server; equal ones once.
pub fn print_errors<'e>(errors: impl Iterator<Item = (&'e str, &'e Error)>, ui: Ui) {
    let said = |(server, error): &(&str, &Error)| {
        let line = |line: Fault| (about(&line, server).to_owned(), line.hint);
        Some(error.lines().into_iter().map(line).collect::<Vec<_>>())
    };
    for same in grouped(errors, said) {
        let (first, error) = same[0];
        let of_all = |line: Fault| Fault {
            message: format!("{}: {}", quoted(&servers(&same)), about(&line, first)),
            ..line
        };
        match same.len() {
            1 => ui.error(error),
            _ => ui.error(&error.clone().with_lines(error.lines().into_iter().map(of_all).collect())),
        }
    }
}

/// The message of a line without the name of the server that it begins with.
pub fn about<'l>(line: &'l Fault, server: &str) -> &'l str {
    let behind = line.message.strip_prefix('`').and_then(|message| message.strip_prefix(server));
    let behind = behind.filter(|behind| behind.starts_with(['`', ' ']));
    behind.and_then(|behind| behind.split_once("`: ")).map_or(&line.message, |(_, about)| about)
}

fn servers<'s, T>(of: &[(&'s str, T)]) -> Vec<&'s str> {
    of.iter().map(|(server, _)| *server).collect()
}

/// Texts about servers, each once behind the names of its servers, in the order of the first of them.
pub fn by_text<'s>(
    texts: impl IntoIterator<Item = (&'s str, String)>,
) -> impl Iterator<Item = (String, String)> {
    let groups = grouped(texts, |(_, text)| Some(text.clone()));
    groups.into_iter().map(|mut same| (in_ranges(&servers(&same)), same.swap_remove(0).1))
}

/// The rows of a table that has the server in its first column: those of many servers that are equal otherwise are one,
/// in the order of the first of them.
fn rows(all: Vec<Vec<String>>) -> Vec<Vec<String>> {
    if all.len() <= ROWS_OF_THEIR_OWN {
        return all;
    }
    let one = |same: Vec<Vec<String>>| {
        let servers: Vec<&String> = same.iter().map(|row| &row[0]).collect();
        [&[in_ranges(&servers)], &same[0][1..]].concat()
    };
    grouped(all, |row| Some(row[1..].to_vec())).into_iter().map(one).collect()
}

/// A row about a server or a node, with what it is counted by; the rank says how bad that is.
pub struct StateRow {
    pub name: String,
    pub state: String,
    pub rank: usize,
    pub is_well: bool,
    /// True for a node that runs, and not what it should: one that hangs, or has not come to it yet.
    pub is_behind: bool,
    /// What stands behind the name.
    pub cells: Vec<String>,
}

/// Counts states: `197 running, 1 of them behind · 2 failed`.
pub fn counted(rows: &[StateRow]) -> String {
    let mut states: Vec<_> = rows.iter().map(|row| (!row.is_well, row.rank, &row.state)).collect();
    states.sort();
    let mut told = HashSet::new();
    states.retain(|(.., state)| told.insert(*state));
    let count = |state: &str| {
        let of_state = || rows.iter().filter(|row| row.state == state);
        let behind = match of_state().filter(|row| row.is_behind).count() {
            0 => String::new(),
            behind => format!(", {behind} of them behind"),
        };
        format!("{} {state}{behind}", of_state().count())
    };
    states.iter().map(|(.., state)| count(state)).collect::<Vec<_>>().join(" · ")
}

/// The rows of a table, the worst first. Of many, equal ones are folded, and those that are well as far as one row has room.
pub fn worst_first(mut rows: Vec<StateRow>, all: bool) -> Vec<Vec<String>> {
    rows.sort_by_key(|row| (row.is_well, row.rank));
    let folds = !all && rows.len() > ROWS_OF_THEIR_OWN;
    let groups = grouped(rows, |row| folds.then(|| (row.is_well, row.cells.clone())));
    let lines = groups.into_iter().flat_map(|same| {
        let names: Vec<&str> = same.iter().map(|row| &*row.name).collect();
        in_rows(&names, same[0].is_well)
            .into_iter()
            .map(move |names| [&[names], &*same[0].cells].concat())
            .collect::<Vec<_>>()
    });
    lines.collect()
}

/// Prints such a table below its headings.
pub fn print_table(headings: &[&str], all: Vec<Vec<String>>, ui: Ui) -> Result<(), Error> {
    ui.print(|out| table::print(headings, rows(all), ui.width(), out))
}

/// The line above the part of the output that is about these servers; a blank line parts it from the one before.
pub fn heading<S: AsRef<str>>(at: usize, servers: &[S]) -> String {
    let blank = if at == 0 { "" } else { "\n" };
    format!("{blank}==> {} <==", in_ranges(servers))
}

/// The lines in which two sides differ, and the values: equal lines in different blocks are different changes. `None`
/// if a side is not valid.
pub type ServerDiff = (Vec<String>, Option<Vec<ChangedValue>>);

/// Prints the differences between two sides with these names, equal ones once below the names of their servers.
pub fn print_diffs(
    diffs: Vec<(&str, ServerDiff)>,
    names: [&str; 2],
    form: ChangeFormat,
    ui: Ui,
) -> Result<(), Error> {
    let key = |(_, (lines, values)): &(&str, ServerDiff)| {
        let changed: Vec<_> = lines.iter().filter(|line| line.starts_with(['-', '+'])).collect();
        Some(values.as_ref().map_or_else(|| format!("{lines:?}"), |values| format!("{changed:?} {values:?}")))
    };
    let groups = grouped(diffs.into_iter().filter(|(_, (lines, _))| !lines.is_empty()), key);
    if groups.is_empty() {
        return Ok(());
    }
    ui.print_painted(|out| {
        for (at, same) in groups.iter().enumerate() {
            writeln!(out, "{}", heading(at, &servers(same)))?;
            let (lines, values) = &same[0].1;
            print_change(form, (lines, values.as_deref()), names, ui, out)?;
        }
        // A table follows.
        writeln!(out)
    })
}

impl Error {
    /// A command that works on one server got several.
    pub fn several_servers() -> Self {
        Self::usage(
            "this command works on one server, and several are named",
            "name one of them with `-x NAME`",
        )
    }

    /// A change that none of so many servers has.
    pub fn no_such_change(change: &ChangeId, servers: usize) -> Self {
        let message = match servers {
            1 => format!("the history has no change `{change}`"),
            _ => format!("none of the servers has the change `{change}` in its history"),
        };
        Self::new(ErrorKind::NotFound, message).hint("`mediactl history -o json` shows the id of each change")
    }

    /// The same error of one server among several, unless it names the server already.
    pub fn at(self, server: &str) -> Self {
        let named = [format!("`{server} ("), format!("`{server}`")];
        let is_named = |message: &str| message.contains(&named[0]) || message.starts_with(&named[1]);
        let mut lines = self.lines();
        for line in lines.iter_mut().filter(|line| !is_named(&line.message)) {
            line.message = format!("`{server}`: {}", line.message);
        }
        self.with_lines(lines)
    }

    /// Returns the reason why a server did not make the change, for a narrow column.
    pub fn word(&self) -> &'static str {
        const NOT_REACHED: &str = "not reached";
        match (self.kind, self.exit()) {
            (ErrorKind::NotOffered, _) => "not offered",
            (ErrorKind::NotReached | ErrorKind::ClusterUnavailable, _) => NOT_REACHED,
            (ErrorKind::NotHealthy, _) => "not healthy",
            (ErrorKind::TooLate, _) => "too late",
            (_, Exit::Absent) if self.status.is_some_and(|status| status >= 500) => NOT_REACHED,
            (_, Exit::Absent) => "not found",
            (_, Exit::Denied) => "denied",
            (_, Exit::Conflict) => "conflict",
            (_, Exit::Guarded) => "guarded",
            (_, Exit::Invalid | Exit::Usage) => "invalid",
            (_, Exit::Unknown) => "unknown",
            _ => "failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::global::ColorChoice;
    use crate::error::ErrorKind;

    #[test]
    fn the_code_is_of_all_of_some_or_of_the_worst() {
        use Exit::{Absent, Conflict, Guarded, Unknown};
        assert_eq!(exit_of(3, &[]), Exit::Done);
        assert_eq!(exit_of(1, &[Conflict]), Exit::Partly);
        assert_eq!(exit_of(0, &[Guarded, Conflict]), Exit::Conflict);
        assert_eq!(exit_of(0, &[Guarded]), Exit::Guarded);
        assert_eq!(exit_of(0, &[Absent, Unknown]), Exit::Unknown);
    }

    fn answers(list: &[(&str, Result<usize, ErrorKind>)]) -> Answers<usize> {
        let answer = |(server, result): &(&str, Result<usize, ErrorKind>)| ServerAnswer {
            server: (*server).to_owned(),
            result: result.map_err(|kind| Error::new(kind, "no")),
        };
        let ui = Ui::new(ColorChoice::Never);
        Answers::of_several(list.iter().map(answer).collect(), ui)
    }

    #[test]
    fn one_server_is_not_named_and_several_are() {
        let one = Answers::of_one("a".to_owned(), 1, Ui::new(ColorChoice::Never));
        let text = |count: &usize| Some(format!("{count} streams"));
        assert_eq!(one.once(text), ["1 streams"]);
        assert_eq!(one.row("a", ["1".to_owned()]), ["1"]);
        let several = answers(&[("a", Ok(1)), ("b", Err(ErrorKind::Denied)), ("c", Ok(1)), ("d", Ok(2))]);
        assert_eq!(several.once(text), ["a, c: 1 streams", "d: 2 streams"]);
        assert_eq!(several.row("a", ["1".to_owned()]), ["a", "1"]);
        assert!(one.one().is_some() && several.one().is_none());
    }

    #[test]
    fn what_was_found_counts_less_than_an_error() {
        assert_eq!(answers(&[("a", Ok(1))]).exit_if(true, Exit::Different), Exit::Different);
        assert_eq!(answers(&[("a", Ok(1))]).exit_if(false, Exit::Different), Exit::Done);
        let partly = answers(&[("a", Ok(1)), ("b", Err(ErrorKind::Denied))]);
        assert_eq!(partly.exit_if(true, Exit::Different), Exit::Partly);
    }

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
