//! An error that a configuration has together with what it includes.

use std::collections::HashSet;

use mediaconf::plumbing::edit::Fault;

/// An error of a configuration together with what it includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedFault {
    /// The error, with its file and its line.
    pub fault: Fault,
    /// The message without the place that it names, by which another text is searched for the fault.
    pub(super) identity: String,
    /// True if the text of the configuration itself has a part in it.
    pub(super) is_own: bool,
}

/// Each fault once, however often the file that has it is included.
pub(super) fn told_once(faults: Vec<ComposedFault>) -> Vec<Fault> {
    let mut told = HashSet::new();
    let faults = faults.into_iter().map(|fault| fault.fault);
    faults.filter(|fault| told.insert(fault.to_string())).collect()
}
