//! The language server (`mediactl lsp`): tells an editor of a configuration while it is edited.
//!
//! ```text
//! frame → protocol → lines → open_text → workspace → caret, names → one file for each answer → session
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
mod folding;
mod formatting;
mod frame;
mod hover;
mod lines;
mod names;
mod open_text;
mod protocol;
mod rename;
mod session;
mod symbols;
mod workspace;

use std::io::{self, Write};

use serde_json::Value;

use frame::Frame;
use protocol::{LspReply, PARSE_ERROR};
pub use session::EditorSession;

/// Serves one client until it says `exit`, or is gone. Returns true if it said `shutdown` before that.
///
/// # Errors
/// The input or the output broke.
pub fn serve(input: &mut io::BufReader<impl io::Read>, output: &mut impl Write) -> io::Result<bool> {
    let mut session = EditorSession::default();
    loop {
        let answers = match frame::read(input)? {
            Frame::Body(body) => match serde_json::from_slice::<Value>(&body) {
                Ok(message) => {
                    drop(body);
                    session.take(message)
                }
                Err(_) => unread(&mut session, PARSE_ERROR, "the content is not JSON"),
            },
            Frame::TooLong => {
                let message = format!("a message has at most {} bytes", frame::LONGEST);
                unread(&mut session, protocol::INVALID_REQUEST, message)
            }
            Frame::Malformed => {
                // Where the next message begins is not known.
                let reply = LspReply::nobodys(PARSE_ERROR, "a header is malformed: the session ends");
                frame::write(output, &reply.into_message())?;
                output.flush()?;
                return Ok(false);
            }
            Frame::End => return Ok(session.is_shut_down()),
        };
        answers.iter().try_for_each(|message| frame::write(output, message))?;
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

/// What is told of a message that could not be read.
fn unread(session: &mut EditorSession, code: i64, message: impl Into<String>) -> Vec<String> {
    let reply = LspReply::nobodys(code, message).into_message();
    std::iter::once(reply).chain(session.lose_texts()).collect()
}
