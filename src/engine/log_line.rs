//! What a server tells its operators outside of any response.

/// A line for the log of a server.
#[derive(Debug, Clone, Copy)]
pub struct LogLine<'l> {
    pub level: LogLevel,
    pub words: &'l str,
}

/// How much a line of the log asks of operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// All is well: something was done, or is as it should be again.
    Note,
    /// The server goes on, and somebody should know of it.
    Warning,
    /// Something failed, or waits for somebody.
    Error,
}

impl LogLevel {
    /// The word before the line, and the key of it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
