//! What a change made of the text that is kept with it, and whether the change was made at all.
//!
//! A person who edits the file in place overwrites the only copy of what we wrote. So what is new in
//! it is noted beside the kept text: both together give it again. It is not made durable for itself,
//! and what does not give the text that the journal names is not used.
//!
//! The note is written before the change, as `SERIAL.next.new`, and renamed to `SERIAL.next` when
//! the change stands. That name tells a change that was made from one that was cut short. How the
//! file looks does not tell it: a person may have put the old file back, with its old time.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::super::state_dir::StateDir;
use crate::store::revision::Revision;

/// The name of the note of a change that was made.
fn name(serial: u64) -> String {
    format!("{serial}.next")
}

/// The name of the note of a change that is still to be made.
fn new_name(serial: u64) -> String {
    format!("{serial}.next.new")
}

/// What the file begins with, a line of JSON; what stands between the two ends follows.
#[derive(Serialize, Deserialize)]
struct DeltaHeader {
    /// So much of the start of the old text is that of the new one.
    start: usize,
    /// So much of the end is, too.
    end: usize,
}

/// Notes what `pieces` are about to make of `old`.
pub(super) fn note(folder: &StateDir, serial: u64, old: &[u8], pieces: &[&[u8]]) -> io::Result<()> {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    let start = common_start(old, pieces);
    let end = common_end(&old[start..], pieces, length - start);
    let mut file = folder.open(&new_name(serial)).map_err(io::Error::other)?;
    file.set_len(0)?;
    let mut text = serde_json::to_vec(&DeltaHeader { start, end })?;
    text.push(b'\n');
    file.write_all(&text)?;
    middle(pieces, start, length - end).try_for_each(|piece| file.write_all(piece))
}

/// The change `serial` was made.
pub(super) fn stand(folder: &StateDir, serial: u64) {
    // Without its note the looks of the file are what tells whether the change was made.
    let _ = folder.rename(&new_name(serial), &name(serial));
}

/// Whether the change `serial` is known to have been made.
pub(super) fn stands(folder: &StateDir, serial: u64) -> bool {
    folder.look_at(&name(serial)).is_some()
}

/// What the change `serial` made is known in another way by now, or never came about.
pub(super) fn forget(folder: &StateDir, serial: u64) {
    let _ = folder.remove(&name(serial));
    let _ = folder.remove(&new_name(serial));
}

/// The text that the change `serial` made of `old`; none unless it is `revision`.
pub(super) fn made_of(folder: &StateDir, serial: u64, old: &[u8], revision: Revision) -> Option<Vec<u8>> {
    let noted = folder.read_kept(&name(serial)).ok()??;
    let line = noted.iter().position(|&byte| byte == b'\n')?;
    let head: DeltaHeader = serde_json::from_slice(&noted[..line]).ok()?;
    let end = old.len().checked_sub(head.end).filter(|end| head.start <= *end)?;
    let text = [&old[..head.start], &noted[line + 1..], &old[end..]].concat();
    (Revision::of(&text) == revision).then_some(text)
}

/// How much of the start of `old` the pieces begin with. Most are parts of `old` itself, which are
/// seen to be equal without reading them.
fn common_start(old: &[u8], pieces: &[&[u8]]) -> usize {
    let mut at = 0;
    for piece in pieces {
        let here = &old[at..(at + piece.len()).min(old.len())];
        let same = if std::ptr::eq(here, *piece) { piece.len() } else { equal(here.iter(), piece.iter()) };
        at += same;
        if same < piece.len() {
            break;
        }
    }
    at
}

/// The same of the end, of which at most `most` bytes count.
fn common_end(old: &[u8], pieces: &[&[u8]], most: usize) -> usize {
    let mut found = 0;
    for piece in pieces.iter().rev() {
        let left = old.len().min(most) - found;
        let here = &old[(old.len() - found).saturating_sub(piece.len())..old.len() - found];
        let same = if std::ptr::eq(here, *piece) && piece.len() <= left {
            piece.len()
        } else {
            equal(here.iter().rev(), piece.iter().rev()).min(left)
        };
        found += same;
        if same < piece.len() {
            break;
        }
    }
    found
}

fn equal<'a>(one: impl Iterator<Item = &'a u8>, other: impl Iterator<Item = &'a u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// What stands in the text of the pieces from `start` to `end`.
fn middle<'a>(pieces: &'a [&[u8]], start: usize, end: usize) -> impl Iterator<Item = &'a [u8]> {
    let mut at = 0;
    pieces.iter().map(move |piece| {
        let (from, to) = (start.saturating_sub(at), end.saturating_sub(at));
        at += piece.len();
        &piece[from.min(piece.len())..to.min(piece.len()).max(from.min(piece.len()))]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &[u8], pieces: &[&[u8]]) {
        let new = pieces.concat();
        let start = common_start(old, pieces);
        let end = common_end(&old[start..], pieces, new.len() - start);
        let between: Vec<u8> = middle(pieces, start, new.len() - end).flatten().copied().collect();
        let made = [&old[..start], &between, &old[old.len() - end..]].concat();
        assert_eq!(made, new, "{old:?} {pieces:?}");
        assert_eq!(&old[..start], &new[..start]);
    }

    #[test]
    fn both_ends_and_what_is_between_give_the_new_text() {
        let texts: [&[u8]; 7] = [b"", b"a", b"aa", b"aba", b"abcabc", b"xabcabcx", b"abcXabc"];
        for old in texts {
            for new in texts {
                check(old, &[new]);
                for cut in 0..new.len() {
                    check(old, &[&new[..cut], &new[cut..]]);
                }
            }
        }
        let old = b"0123456789".as_slice();
        check(old, &[&old[..3], b"new", &old[5..]]);
        check(old, &[&old[..3], &old[5..]]);
        check(old, &[&old[..10], b"", b"more"]);
    }
}
