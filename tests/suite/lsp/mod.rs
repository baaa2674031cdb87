//! `mediactl lsp`: sessions as fixtures, and the program as an editor starts it.
//!
//! A fixture is a folder of `tests/fixtures/lsp`: the files that the editor has, and `session.txt` with the messages.
//! A line `--> {…}` is what the client sends, `--> open FILE` opens a file as it is, and the lines `<-- {…}` below it are
//! what comes back. `$PLACE` stands for the URI of the folder. `MEDIACTL_BLESS=1` writes what comes.

pub(crate) mod answers;
mod editors;
mod program;
mod sessions;
