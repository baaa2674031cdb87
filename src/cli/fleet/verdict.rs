//! The exit code of a command that worked on several servers.

use super::members::ServerAnswer;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::engine::ErrorKind;

/// The kinds of errors, the worst one first.
const WORST_FIRST: [ErrorKind; 8] = [
    ErrorKind::Unknown,
    ErrorKind::Failed,
    ErrorKind::Denied,
    ErrorKind::Absent,
    ErrorKind::Conflict,
    ErrorKind::Guarded,
    ErrorKind::Invalid,
    ErrorKind::Usage,
];

/// The exit code of work that `done` servers did and others refused for these reasons: none refused, some did,
/// or the worst reason.
pub fn exit_of(done: usize, refused: &[ErrorKind]) -> Exit {
    match (done, refused) {
        (_, &[]) => Exit::Done,
        (0, refused) => {
            let worst = WORST_FIRST.into_iter().find(|kind| refused.contains(kind));
            worst.unwrap_or(refused[0]).into()
        }
        _ => Exit::Partly,
    }
}

/// Prints the errors; returns what the others answered, and the kinds of the errors.
pub fn without_errors<T>(answers: Vec<ServerAnswer<T>>, ui: Ui) -> (Vec<(String, T)>, Vec<ErrorKind>) {
    let (mut done, mut errors) = (Vec::new(), Vec::new());
    for ServerAnswer { server, result } in answers {
        match result {
            Ok(answer) => done.push((server, answer)),
            Err(error) => errors.push((server, error)),
        }
    }
    print_errors(errors.iter().map(|(server, error)| (&**server, error)), ui);
    (done, errors.iter().map(|(_, error)| error.kind).collect())
}

/// Prints errors, each with the name of its server; equal ones once.
pub fn print_errors<'e>(errors: impl Iterator<Item = (&'e str, &'e CliError)>, ui: Ui) {
    let mut groups: Vec<(Vec<&str>, &CliError)> = Vec::new();
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

/// Whether two errors say the same of two servers.
fn is_same(one: &CliError, server: &str, other: &CliError, other_server: &str) -> bool {
    one.lines.len() == other.lines.len()
        && one
            .lines
            .iter()
            .zip(&other.lines)
            .all(|(one, other)| one.hint == other.hint && one.about(server) == other.about(other_server))
}

/// The exit code of a command that found nothing, or something (1); servers that did not answer count more.
pub fn found(exit: Exit, is_different: bool) -> Exit {
    if exit == Exit::Done && is_different { Exit::Different } else { exit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_of_all_of_some_or_of_the_worst() {
        use ErrorKind::{Absent, Conflict, Guarded, Unknown};
        assert_eq!(exit_of(3, &[]), Exit::Done);
        assert_eq!(exit_of(1, &[Conflict]), Exit::Partly);
        assert_eq!(exit_of(0, &[Guarded, Conflict]), Exit::Conflict);
        assert_eq!(exit_of(0, &[Guarded]), Exit::Guarded);
        assert_eq!(exit_of(0, &[Absent, Unknown]), Exit::Unknown);
        assert_eq!(found(Exit::Done, true), Exit::Different);
        assert_eq!(found(Exit::Partly, true), Exit::Partly);
    }
}
