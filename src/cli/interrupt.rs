//! SIGINT and SIGTERM end a command. During a change, the command first reports what happened to the
//! change.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::{flag, low_level};

use crate::cli::ui::Ui;
use crate::engine::{Hold, Interrupt};

const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// The state of the signal handlers, which are installed on first use.
static HANDLERS: LazyLock<Interrupt> = LazyLock::new(|| {
    let handlers = Interrupt::default();
    handlers.ends_process.store(true, Ordering::SeqCst);
    for signal in SIGNALS {
        let number = usize::try_from(signal).unwrap_or_default();
        // Where a handler can't be installed, the signal ends the process.
        let _ = flag::register_conditional_default(signal, Arc::clone(&handlers.ends_process));
        let _ = flag::register_usize(signal, Arc::clone(&handlers.received), number);
    }
    handlers
});

/// Returns the interrupt by which a change of a file defers signals while its hooks run.
pub fn interrupt() -> Interrupt {
    HANDLERS.clone()
}

/// As long as the value lives, signals are only noted.
pub fn hold_signals() -> Hold<'static> {
    HANDLERS.take();
    HANDLERS.hold()
}

/// Lets the signals that matter only to editing end the process while the others do.
static EDITING: LazyLock<()> = LazyLock::new(|| {
    for signal in [SIGHUP, SIGQUIT] {
        let _ = flag::register_conditional_default(signal, Arc::clone(&HANDLERS.ends_process));
    }
});

/// As long as this value lives, a line is printed before a signal ends the process.
pub struct LastWords(Option<Handle>);

impl LastWords {
    /// `line` is called when the signal comes.
    pub fn new(ui: Ui, line: impl Fn() -> String + Send + 'static) -> Self {
        let listener = listen(&SIGNALS, ui, line).ok();
        HANDLERS.ends_process.store(listener.is_none(), Ordering::SeqCst);
        Self(listener)
    }

    /// The same while a text editor runs on the terminal: what the keyboard sends (SIGINT, SIGQUIT) is for the editor
    /// alone.
    pub fn while_editing(ui: Ui, line: String) -> Self {
        LazyLock::force(&EDITING);
        HANDLERS.ends_process.store(false, Ordering::SeqCst);
        Self(listen(&[SIGTERM, SIGHUP], ui, move || line.clone()).ok())
    }
}

impl Drop for LastWords {
    fn drop(&mut self) {
        // An interrupt of the editor does not interrupt the change that follows.
        HANDLERS.take();
        HANDLERS.ends_process.store(true, Ordering::SeqCst);
        if let Some(listener) = &self.0 {
            listener.close();
        }
    }
}

fn listen(signals: &[i32], ui: Ui, line: impl Fn() -> String + Send + 'static) -> io::Result<Handle> {
    let mut signals = Signals::new(signals)?;
    let handle = signals.handle();
    std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            ui.loud().say(&line());
            let _ = low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(handle)
}
