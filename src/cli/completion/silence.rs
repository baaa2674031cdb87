//! Gives up the terminal: what runs from here on can neither ask nor show anything.

use std::sync::Arc;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Signal, kill_current_process_group, setsid};
use rustix::stdio::{dup2_stderr, dup2_stdin};
use signal_hook::consts::SIGTERM;

/// The process after it gave up its terminal.
pub struct WithoutTerminal {
    /// True if this process leads a session of its own, in which it and its children are alone.
    leads_session: bool,
}

/// Gives up stdin, stderr, and, as far as the system lets it, the terminal that a password command would ask on.
pub fn give_up_terminal() -> WithoutTerminal {
    let leads_session = setsid().is_ok();
    if let Ok(nothing) = open("/dev/null", OFlags::RDWR, Mode::empty()) {
        let _ = dup2_stdin(&nothing);
        let _ = dup2_stderr(&nothing);
    }
    WithoutTerminal { leads_session }
}

impl WithoutTerminal {
    /// Ends a password command that still runs.
    pub fn end_children(self) {
        // This process is of the same group, and outlives the signal.
        let is_handled = signal_hook::flag::register(SIGTERM, Arc::default()).is_ok();
        if self.leads_session && is_handled {
            let _ = kill_current_process_group(Signal::TERM);
        }
    }
}
