//! The language server (`mediactl lsp`): tells an editor of a configuration while it is edited.
//!
//! ```text
//! frame → protocol → lines → workspace → caret, names → one file for each answer → session
//! ```
//!
//! It stands in front of `mediaconf`, and has no parser of its own: the faults are those of `check`, the formatted text
//! is that of `fmt`, and documentation comes from the schema. Included files are read through the store; the text that
//! an editor has open takes the place of the one on the disk.
//!
//! *Invariants.* It writes no file: a change is an edit that the editor makes. No secret is in a message, unless the
//! message is an edit of the text. It knows no terminal and no network. Whatever a client sends, the answer is one of
//! the protocol, and never a panic.

mod caret;
mod completion;
mod definition;
mod faults;
mod fixes;
mod formatting;
mod frame;
mod hover;
mod lines;
mod names;
mod protocol;
mod rename;
mod session;
mod symbols;
mod workspace;

use std::io::{self, Write};

use serde_json::Value;

use frame::Frame;
use protocol::{INVALID_REQUEST, PARSE_ERROR, RequestFault, reply};
pub use session::EditorSession;

/// Serves one client until it says `exit`, or is gone. Returns true if it said `shutdown` before that.
///
/// # Errors
/// The input or the output broke.
pub fn serve(input: &mut io::BufReader<impl io::Read>, output: &mut impl Write) -> io::Result<bool> {
    let mut session = EditorSession::default();
    loop {
        let message = match frame::read(input)? {
            Frame::Body(body) => serde_json::from_slice::<Value>(&body)
                .map_err(|_| RequestFault::new(PARSE_ERROR, "the content is not JSON")),
            Frame::TooLong => {
                let message = format!("a message has at most {} bytes", frame::LONGEST);
                Err(RequestFault::new(INVALID_REQUEST, message))
            }
            Frame::Malformed => {
                // Where the next message begins is not known.
                let fault = RequestFault::new(PARSE_ERROR, "a header is malformed: the session ends");
                frame::write(output, &reply(Value::Null, Err(fault)))?;
                output.flush()?;
                return Ok(false);
            }
            Frame::End => return Ok(session.is_shut_down()),
        };
        let answer = match message {
            Ok(message) => session.take(message),
            Err(fault) => {
                session.forget_texts();
                Some(reply(Value::Null, Err(fault)))
            }
        };
        answer.iter().try_for_each(|message| frame::write(output, message))?;
        // Faults are looked for when all keys that have come so far are in the text.
        if input.buffer().is_empty() {
            session.found_faults().iter().try_for_each(|message| frame::write(output, message))?;
        }
        output.flush()?;
        if session.has_exited() {
            return Ok(session.is_shut_down());
        }
    }
}
