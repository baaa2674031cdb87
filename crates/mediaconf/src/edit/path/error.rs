//! The reason why a text is not a path.

use std::fmt;

use thiserror::Error;

use crate::edit::fault::Fault;
use crate::syntax::MAX_DEPTH;

/// The largest number of steps of a path: each level of a value may be a list in an object.
pub(super) const MOST_SEGMENTS: usize = 2 * MAX_DEPTH;

/// The reason why a text is not a path.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) struct PathError {
    /// The byte offset of the problem in the text.
    pub at: usize,
    pub problem: PathProblem,
}

/// The kinds of [`PathError`]. No variant holds more than one character of a value, since values may
/// be secrets.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum PathProblem {
    #[error("the path is empty")]
    Empty,
    /// More steps than any value is deep.
    #[error("the path has more than {MOST_SEGMENTS} steps")]
    TooLong,
    /// `a..b`, `a.`, `.a`, `[0]`
    #[error("a name is missing")]
    NameExpected,
    /// A character in a bare name, or in a bare value in brackets, that needs quotes.
    #[error("`{0}` outside quotes")]
    QuotesNeeded(char),
    /// The first character of what follows a bracket or a quoted name directly.
    #[error("`.` or `[` expected before `{0}`")]
    SeparatorExpected(char),
    #[error("`\"` is never closed")]
    UnclosedQuote,
    #[error("unknown escape after `\\`")]
    UnknownEscape,
    #[error("`[` is never closed")]
    UnclosedBracket,
    /// The text in brackets, which is not a number, `*`, `+` or `name=value`.
    #[error("`[{0}]` is not an element of a list")]
    NotAnEntry(String),
    /// The digits in brackets.
    #[error("index `{0}` is too large")]
    IndexTooLarge(String),
    /// An assignment where only a path can stand.
    #[error("`=` after the path")]
    ValueNotExpected,
}

impl fmt::Display for PathError {
    /// Columns count bytes, from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            PathProblem::Empty => write!(f, "{}", self.problem),
            _ => write!(f, "{} (column {} of the path)", self.problem, self.at + 1),
        }
    }
}

impl From<PathError> for Fault {
    fn from(error: PathError) -> Self {
        Self::of_path(error.to_string()).hint(error.hint())
    }
}

impl PathError {
    /// Returns the advice for the user.
    fn hint(&self) -> &'static str {
        match self.problem {
            PathProblem::Empty => "name a field, such as `streams.cam1.urls`",
            PathProblem::TooLong => "no value of a configuration is that deep",
            PathProblem::NameExpected => {
                r#"a path begins with a name and has one after each `.`; an empty name is `""`"#
            }
            PathProblem::QuotesNeeded(_) => {
                r#"put the whole name or value in double quotes, such as `"cam.1"`"#
            }
            PathProblem::SeparatorExpected(_) => "write `.` before the next name; quotes hold a whole name",
            PathProblem::UnclosedQuote => {
                r#"end the name with `"`; a quote within it is `\"`, and the shell needs '…' around"#
            }
            PathProblem::UnknownEscape => r#"in quotes a backslash is `\\` and a quote `\"`"#,
            PathProblem::UnclosedBracket => "end it with `]`",
            PathProblem::NotAnEntry(_) => {
                r#"write `[0]`, `[-1]` for the last, `[*]` for all, `[+]` to append, or `[url="…"]` to find one by a field"#
            }
            PathProblem::IndexTooLarge(_) => "elements are counted from 0; `[+]` appends",
            PathProblem::ValueNotExpected => {
                r#"give the path alone; a name that holds `=` is quoted: `"a=b"`"#
            }
        }
    }
}
