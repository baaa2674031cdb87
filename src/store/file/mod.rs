//! The file on disk: it is found, locked, loaded and replaced here.
//!
//! A writer takes these steps, and a failure at any of them leaves the old file: lock
//! ([`ConfFile::lock`]) → load ([`LockedFile::load`]) → compare with the present file → write the new
//! text into `.FILE.mediactl-XXXXXX` beside the file → copy owner, group, mode, extended attributes →
//! an entry in the `history` → fsync of both ([`LockedFile::prepare`]) → compare once more → rename → fsync
//! of the folder ([`PreparedWrite::commit`]). A rename cannot work where the file is a mount point of
//! its own, or where a new file cannot be given the owner, the mode and the access control list of the
//! old one. There the text is written in place under a journal (`in_place`). A reader takes no lock and
//! writes nothing.
//!
//! Other users of the machine are not trusted. The mode and the access control list of a file say who
//! may write it (`access`). The contents of the state folder are used only if no other user can have
//! made them (`trust`). No link of another user is followed (`links`). The kernel says which process is
//! at the other end of the socket (`peer`).
//!
//! Between the last comparison and the rename are some microseconds. A program that takes no lock and
//! writes into the file just then writes into the old file, which the history keeps, and where the next
//! writer finds the text. A program that puts another file in its place is noticed, because the two
//! files change places: the file that comes out is not the old one then, and goes back.
//!
//! The *state folder* `.mediactl/FILE/` is beside the file that the links lead to, so every process
//! computes the same path:
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
//! | `history/`                                  | the earlier texts of the file, and a journal (`history`)        |
//! | `tls-cert.pem`, `tls-key.pem`               | the certificate that the server made itself, and its key         |
//! | `pending`                                   | a change that has to be confirmed, and the texts before it      |
//! | `followed`                                  | which text of a cluster the file holds, on a node               |

mod at_once;
mod file_lock;

mod links;
mod target;

mod access;
mod trust;

mod file_stamp;
#[allow(clippy::disallowed_methods, reason = "waits for a time")]
mod file_watch;
mod open;
mod pages;

mod state_dir;
mod temporary;

mod included;
mod load;
mod undo_journal;

mod attributes;
mod drafts;
mod in_place;
mod open_target;
mod own_file;

mod history_journal;
mod lock;

mod port;
mod recovery;
mod replace;

mod history;
mod peer;
mod pending;
mod serving;

mod certificate;
mod followed;

pub use drafts::{DraftHead, DraftOrigin, KeptDraft, draft_head, text_of_base, user_folder};
pub use file_stamp::LastWrite;
pub use file_watch::FileWatch;
pub use followed::{Followed, FollowedText, WayBack};
pub use lock::LockedFile;
pub use peer::{AllowedPeers, SocketPeer};
pub use replace::PreparedWrite;
pub use serving::{ServeLock, Serving};
pub use target::ConfFile;
