//! An error that a configuration has together with what it includes.

use std::collections::HashSet;
use std::fmt;

use mediaconf::syntax::one_line;

/// An error of a configuration together with what it includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedFault {
    /// The file that it stands in.
    pub file: String,
    /// Its line there, from 1.
    pub line: usize,
    pub message: String,
    pub hint: Option<String>,
    /// The message without the place that it names, by which another text is searched for the fault.
    pub(super) identity: String,
    /// True if the text of the configuration itself has a part in it.
    pub(super) is_own: bool,
}

impl fmt::Display for ComposedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`, line {}: {}", one_line(&self.file), self.line, self.message)
    }
}

/// Each fault once, however often the file that has it is included.
pub(super) fn told_once(mut faults: Vec<ComposedFault>) -> Vec<ComposedFault> {
    let mut told = HashSet::new();
    faults.retain(|fault| told.insert(fault.to_string()));
    faults
}
