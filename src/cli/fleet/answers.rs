//! The answers of the servers of a command, and its exit code. Of one server it is shown as it is; of
//! several each part says whose it is.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::grouped::{GroupedNotes, ROWS_OF_THEIR_OWN, heading};
use super::names::in_ranges;
use crate::cli::fleet::error::about;
use crate::cli::render::table::GAP;
use crate::cli::ui::{Ui, output};
use crate::error::{Error, Exit};
use crate::store::Revision;

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
    /// The servers whose errors are printed already.
    told: Vec<String>,
}

impl<T> Answers<T> {
    /// The answer of the one server that is named.
    pub fn of_one(server: String, answer: T, ui: Ui) -> Self {
        let list = vec![ServerAnswer { server, result: Ok(answer) }];
        Self { list, ui, is_one: true, told: Vec::new() }
    }

    /// The answers of several servers.
    pub fn of_several(list: Vec<ServerAnswer<T>>, ui: Ui) -> Self {
        Self { list, ui, is_one: false, told: Vec::new() }
    }

    /// The answer, where one server is named.
    pub fn one(&self) -> Option<(&str, &T)> {
        self.found().next().filter(|_| self.is_one)
    }

    /// The answers without the errors.
    pub fn found(&self) -> impl Iterator<Item = (&str, &T)> {
        self.list.iter().filter_map(|answer| Some((&*answer.server, answer.result.as_ref().ok()?)))
    }

    /// Goes on with each answer; the error of the one server ends the command.
    pub fn then<U>(self, mut work: impl FnMut(&str, T) -> Result<U, Error>) -> Result<Answers<U>, Error> {
        let Self { list, ui, is_one, told } = self;
        if is_one {
            let ServerAnswer { server, result } = list.into_iter().next().expect("one server answered");
            let answer = work(&server, result?)?;
            return Ok(Answers::of_one(server, answer, ui));
        }
        let next = |ServerAnswer { server, result }: ServerAnswer<T>| {
            let result = result.and_then(|answer| work(&server, answer).map_err(|error| error.at(&server)));
            ServerAnswer { server, result }
        };
        let list = list.into_iter().map(next).collect();
        Ok(Answers { told, ..Answers::of_several(list, ui) })
    }

    /// Prints the errors now; else they are printed with the exit code.
    #[must_use]
    pub fn with_errors_told(self) -> Self {
        let is_new = |(server, _): &(&str, &Error)| !self.told.iter().any(|told| told == server);
        print_errors(errors(&self.list).filter(is_new), self.ui);
        self.without_telling_errors()
    }

    /// The same where each error was printed when it came.
    #[must_use]
    pub fn without_telling_errors(self) -> Self {
        let told = errors(&self.list).map(|(server, _)| server.to_owned()).collect();
        Self { told, ..self }
    }

    /// A text that begins with the name of the server, where several are named.
    pub fn named(&self, server: &str, text: &str) -> String {
        if self.is_one { text.to_owned() } else { format!("{server}: {text}") }
    }

    /// A row that has the server in its first column, where several are named.
    pub fn row(&self, server: &str, cells: impl IntoIterator<Item = String>) -> Vec<String> {
        (!self.is_one).then(|| server.to_owned()).into_iter().chain(cells).collect()
    }

    /// The width of the first column, where several servers are named.
    pub fn width_of_names(&self) -> usize {
        let widest = self.found().map(|(server, _)| server.width()).max().filter(|_| !self.is_one);
        widest.map_or(0, |widest| widest + GAP)
    }

    /// The same texts about several servers, each once and behind the names of its servers.
    pub fn once<I: IntoIterator<Item = String>>(&self, texts: impl Fn(&T) -> I) -> Vec<String> {
        let mut all = GroupedNotes::default();
        for (server, answer) in self.found() {
            texts(answer).into_iter().for_each(|text| all.add(server, text));
        }
        all.0.into_iter().map(|(text, servers)| self.named(&in_ranges(&servers), &text)).collect()
    }

    /// True if there are so many servers that equal rows and texts of theirs are shown once.
    pub fn is_of_many(&self) -> bool {
        self.list.len() > ROWS_OF_THEIR_OWN
    }

    /// Prints each answer as text; those of several servers stand below their names, and equal ones of many servers
    /// once.
    pub fn print(&self, print: impl Fn(&T, &mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
        let groups = self.groups(&print)?;
        self.ui.print(|out| {
            groups.iter().enumerate().try_for_each(|(at, (servers, answer))| {
                if !self.is_one {
                    writeln!(out, "{}", heading(at, servers))?;
                }
                print(answer, out)
            })
        })
    }

    /// The answers, each with its servers: those of many servers that print the same are one.
    fn groups(
        &self,
        print: &impl Fn(&T, &mut dyn Write) -> io::Result<()>,
    ) -> Result<Vec<(Vec<String>, &T)>, Error> {
        let mut groups: Vec<(Vec<String>, &T)> = Vec::new();
        let mut known: HashMap<Revision, usize> = HashMap::new();
        for (server, answer) in self.found() {
            if self.is_of_many() {
                let mut text = Vec::new();
                output(print(answer, &mut text))?;
                let at = *known.entry(Revision::from_text(&text)).or_insert(groups.len());
                if let Some((servers, _)) = groups.get_mut(at) {
                    servers.push(server.to_owned());
                    continue;
                }
            }
            groups.push((vec![server.to_owned()], answer));
        }
        Ok(groups)
    }

    /// Prints each answer as JSON; those of several servers are the members of an object.
    pub fn print_json(&self, record: impl Fn(&T) -> Value) -> Result<(), Error> {
        let records = || self.found().map(|(server, answer)| (server.to_owned(), record(answer))).collect();
        self.ui.print_json(&self.one().map_or_else(|| Value::Object(records()), |(_, answer)| record(answer)))
    }

    /// The exit code of a command that all, some or none of the servers answered.
    pub fn exit(self) -> Exit {
        let told = self.with_errors_told();
        let kinds = errors(&told.list).map(|(_, error)| error.exit());
        exit_of(told.found().count(), &kinds.collect::<Vec<_>>())
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
        (0, refused) => {
            let worst = WORST_FIRST.into_iter().find(|kind| refused.contains(kind));
            worst.unwrap_or(refused[0])
        }
        _ => Exit::Partly,
    }
}

/// The errors among answers, each with its server.
pub fn errors<T>(answers: &[ServerAnswer<T>]) -> impl Iterator<Item = (&str, &Error)> {
    answers.iter().filter_map(|answer| Some((&*answer.server, answer.result.as_ref().err()?)))
}

/// Prints errors, each with the name of its server; equal ones once.
pub fn print_errors<'e>(errors: impl Iterator<Item = (&'e str, &'e Error)>, ui: Ui) {
    let mut groups: Vec<(Vec<&str>, &Error)> = Vec::new();
    for (server, error) in errors {
        let same = groups.iter_mut().find(|(servers, known)| is_same(known, servers[0], error, server));
        match same {
            Some((servers, _)) => servers.push(server),
            None => groups.push((vec![server], error)),
        }
    }
    for (servers, error) in groups {
        match servers[..] {
            [_] => ui.error(error),
            _ => ui.error(&error.of_all(&servers)),
        }
    }
}

/// True if two errors say the same of two servers.
fn is_same(one: &Error, server: &str, other: &Error, other_server: &str) -> bool {
    let [lines, others] = [one.lines(), other.lines()];
    lines.len() == others.len()
        && lines
            .iter()
            .zip(&others)
            .all(|(one, other)| one.hint == other.hint && about(one, server) == about(other, other_server))
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
        Answers::of_several(list.iter().map(answer).collect(), ui).without_telling_errors()
    }

    #[test]
    fn one_server_is_not_named_and_several_are() {
        let one = Answers::of_one("a".to_owned(), 1, Ui::new(ColorChoice::Never));
        let text = |count: &usize| Some(format!("{count} streams"));
        assert_eq!((one.once(text), one.width_of_names()), (vec!["1 streams".to_owned()], 0));
        assert_eq!(one.row("a", ["1".to_owned()]), ["1"]);
        let several = answers(&[("a", Ok(1)), ("b", Err(ErrorKind::Denied)), ("c", Ok(1)), ("d", Ok(2))]);
        assert_eq!(several.once(text), ["a, c: 1 streams", "d: 2 streams"]);
        assert_eq!(several.row("a", ["1".to_owned()]), ["a", "1"]);
        assert!(one.one().is_some() && several.one().is_none());
    }

    #[test]
    fn an_error_is_told_once_whatever_comes_later() {
        let first = answers(&[("a", Ok(1)), ("b", Err(ErrorKind::Denied)), ("c", Ok(2))]);
        let refused = |_: &str, count| if count == 1 { Ok(()) } else { Err(Error::usage("no", "none")) };
        let then = first.then(refused).expect("several go on");
        assert_eq!(then.told, ["b"]);
        assert_eq!(then.without_telling_errors().told, ["b", "c"]);
    }

    #[test]
    fn what_was_found_counts_less_than_an_error() {
        assert_eq!(answers(&[("a", Ok(1))]).exit_if(true, Exit::Different), Exit::Different);
        assert_eq!(answers(&[("a", Ok(1))]).exit_if(false, Exit::Different), Exit::Done);
        let partly = answers(&[("a", Ok(1)), ("b", Err(ErrorKind::Denied))]);
        assert_eq!(partly.exit_if(true, Exit::Different), Exit::Partly);
    }
}
