//! The exit code of a command that worked on several servers.

use super::members::ServerAnswer;
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
    let (mut done, mut kinds) = (Vec::new(), Vec::new());
    for ServerAnswer { server, result } in answers {
        match result {
            Ok(answer) => done.push((server, answer)),
            Err(error) => {
                kinds.push(error.kind);
                ui.error(&error);
            }
        }
    }
    (done, kinds)
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
