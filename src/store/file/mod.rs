//! The file on disk: find it, lock it, load it, replace it.
//!
//! A writer goes through these steps, and a failure at any of them leaves the old file:
//! lock ([`ConfFile::lock`]) → load ([`LockedFile::load`]) → compare with what is there now → new text
//! into `.FILE.mediactl-XXXXXX` beside the file → owner, group, mode, extended attributes → fsync,
//! and an entry in the `history` → compare once more → rename → fsync of the folder
//! ([`LockedFile::replace`]). Where a rename cannot work, because the file is a mount point of its own, or
//! because a new file cannot be given the owner, the mode and the access control list of the old one,
//! the text is written in place under a journal (`in_place`). A reader takes no lock, makes nothing
//! and writes nothing.
//!
//! Other users of the machine are not trusted. Who may write a file is asked of its mode and of its
//! access control list (`access`); what is found in the state folder is used only if none of them can
//! have made it (`trust`); no link of theirs is followed (`way`); and who is at the other end of the
//! socket is asked of the kernel (`peer`).
//!
//! Between the last comparison and the rename are some microseconds. Who takes no lock and writes into
//! the file just then writes into the old one, which is kept in the history, where that is found. Who
//! puts another file at its place is noticed, because the two files change places: what comes out is
//! not the old one then, and goes back.
//!
//! The *state folder* `.mediactl/FILE/` stands beside the file that the links lead to, so every
//! process computes the same place:
//!
//! | name                                        | what it is                                                      |
//! |---------------------------------------------|-----------------------------------------------------------------|
//! | `lock`                                      | held by a writer; its text is the holder's process id           |
//! | `in-place`                                  | journal of an in-place write; there only while one is under way |
//! | `in-place.kept`                             | a journal that no longer fits the file, kept for its texts      |
//! | `candidate-XXXXXX`                          | a text that a checking program looks at before it is written    |
//! | `.gitignore`                                | `*`, so that a configuration under version control stays clean  |
//! | `serve.lock`                                | held by a running server for its whole life                     |
//! | `sock`                                      | the Unix socket of that server                                  |
//! | `history/`                                  | the texts that were in the file, and a journal (`history`)      |
//! | `pending`                                   | a change that waits to be confirmed, and what takes it back     |
//!
//! This layer does not know what is in the text, it has no notion of a terminal and prints nothing:
//! what the caller should tell the user comes back as a [`StoreError`](super::StoreError) or a [`Warning`](super::Warning).

mod file_lock;

mod links;
mod target;

mod access;
mod trust;

mod file_stamp;
mod open;
mod pages;

mod state_dir;
mod temporary;

mod load;
mod undo_journal;

mod attributes;
mod in_place;
mod open_target;

mod lock;

mod port;
mod recovery;
mod replace;

mod history;
mod peer;
mod pending;
mod serving;

pub use lock::LockedFile;
pub use peer::{AllowedPeers, SocketPeer};
pub use replace::PreparedWrite;
pub use serving::{ServeLock, Serving};
pub use target::ConfFile;
