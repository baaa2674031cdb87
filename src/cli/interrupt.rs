//! SIGINT and SIGTERM: they end a command, but not without a word while a change is under way.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::{flag, low_level};

use crate::cli::ui::Ui;
use crate::engine::Interrupt;

const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// What the handlers know; they are installed when it is used first.
static HANDLERS: LazyLock<Handlers> = LazyLock::new(Handlers::install);

struct Handlers {
    /// Whether a signal ends the process at once, as without handlers.
    ends_process: Arc<AtomicBool>,
    received: Arc<AtomicUsize>,
}

impl Handlers {
    fn install() -> Self {
        let handlers = Self { ends_process: Arc::new(AtomicBool::new(true)), received: Arc::default() };
        for signal in SIGNALS {
            let number = usize::try_from(signal).unwrap_or_default();
            // Without handlers a signal just ends the process.
            let _ = flag::register_conditional_default(signal, Arc::clone(&handlers.ends_process));
            let _ = flag::register_usize(signal, Arc::clone(&handlers.received), number);
        }
        handlers
    }
}

/// Lets a change of a file hold signals back while its hooks run.
pub fn interrupt() -> Interrupt {
    Interrupt::new(Arc::clone(&HANDLERS.ends_process), Arc::clone(&HANDLERS.received))
}

/// Says a line before a signal ends the process, until it is dropped.
pub struct LastWords(Option<Handle>);

impl LastWords {
    /// `line` is made when the signal comes.
    pub fn new(ui: Ui, line: impl Fn() -> String + Send + 'static) -> Self {
        let handlers = &*HANDLERS;
        let listener = listen(ui, line).ok();
        handlers.ends_process.store(listener.is_none(), Ordering::SeqCst);
        Self(listener)
    }
}

impl Drop for LastWords {
    fn drop(&mut self) {
        HANDLERS.ends_process.store(true, Ordering::SeqCst);
        if let Some(listener) = &self.0 {
            listener.close();
        }
    }
}

fn listen(ui: Ui, line: impl Fn() -> String + Send + 'static) -> io::Result<Handle> {
    let mut signals = Signals::new(SIGNALS)?;
    let handle = signals.handle();
    std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            ui.say(&line());
            let _ = low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(handle)
}
