//! The delta of a change: the difference between the kept text and the new one, and a mark that the
//! change was made.
//!
//! An editor that writes the file in place overwrites the only copy of the new text. So what is new in it
//! is written beside the kept text: both together give the new text again. The delta is not made durable
//! on its own, and it is not used unless it gives the revision in the journal.
//!
//! It is written before the change, as `SERIAL.next.new`, and renamed to `SERIAL.next` when the change is
//! made. That name tells a change that was made from one that was cut short. The file alone cannot tell:
//! a user may have put the old file back, with its old time.

use std::io::{self, BufWriter, Write};

use serde::{Deserialize, Serialize};

use super::super::state_dir::StateDir;
use crate::store::revision::Revision;

/// The name of the delta of a change that was made.
fn name(serial: u64) -> String {
    format!("{serial}.next")
}

/// The name of the delta of a change that is still to be made.
fn new_name(serial: u64) -> String {
    format!("{serial}.next.new")
}

/// The number of bytes of two texts that are compared at once.
const BLOCK: usize = 256;

/// The first line, in JSON; the text between the two common ends follows.
#[derive(Serialize, Deserialize)]
struct DeltaHeader {
    /// The number of bytes at the start that both texts share.
    start: usize,
    /// The number of bytes at the end that both texts share.
    end: usize,
}

/// Writes the delta from `old` to `pieces`.
pub(super) fn write(folder: &StateDir, serial: u64, old: &[u8], pieces: &[&[u8]]) -> io::Result<()> {
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    let start = common_start(old, pieces);
    let end = common_end(&old[start..], pieces, length - start);
    let file = folder.open(&new_name(serial)).map_err(io::Error::other)?;
    file.set_len(0)?;
    let mut file = BufWriter::new(file);
    serde_json::to_writer(&mut file, &DeltaHeader { start, end })?;
    file.write_all(b"\n")?;
    middle(pieces, start, length - end).try_for_each(|piece| file.write_all(piece))?;
    file.flush()
}

/// Marks the change `serial` as made.
pub(super) fn mark_made(folder: &StateDir, serial: u64) {
    // If the rename fails, only the file shows whether the change was made.
    let _ = folder.rename(&new_name(serial), &name(serial));
}

/// True if the change `serial` is marked as made.
pub(super) fn is_marked_made(folder: &StateDir, serial: u64) -> bool {
    folder.last_write(&name(serial)).is_some()
}

/// Removes the delta of a change whose text is now kept, or that was never made.
pub(super) fn remove(folder: &StateDir, serial: u64) {
    let _ = folder.remove(&name(serial));
    let _ = folder.remove(&new_name(serial));
}

/// Rebuilds the text that the change `serial` made of `old`; none unless it has this revision.
pub(super) fn made_of(folder: &StateDir, serial: u64, old: &[u8], revision: Revision) -> Option<Vec<u8>> {
    let read = |name: String| folder.read_kept(&name).ok().flatten();
    // Its writer may have been killed just before it gave the delta its name.
    let noted = read(name(serial)).or_else(|| read(new_name(serial)))?;
    let line = noted.iter().position(|&byte| byte == b'\n')?;
    let head: DeltaHeader = serde_json::from_slice(&noted[..line]).ok()?;
    let end = old.len().checked_sub(head.end).filter(|end| head.start <= *end)?;
    let text = [&old[..head.start], &noted[line + 1..], &old[end..]].concat();
    (Revision::from_text(&text) == revision).then_some(text)
}

/// Returns the number of bytes that `old` and the pieces share at the start. Most pieces are parts of
/// `old` itself, whose equality shows without reading them.
fn common_start(old: &[u8], pieces: &[&[u8]]) -> usize {
    let mut offset = 0;
    for piece in pieces {
        let here = &old[offset..(offset + piece.len()).min(old.len())];
        let same = if std::ptr::eq(here, *piece) { piece.len() } else { same_start(here, piece) };
        offset += same;
        if same < piece.len() {
            break;
        }
    }
    offset
}

/// Returns the number of bytes that they share at the end, at most `most`.
fn common_end(old: &[u8], pieces: &[&[u8]], most: usize) -> usize {
    let mut found = 0;
    for piece in pieces.iter().rev() {
        let left = old.len().min(most) - found;
        let here = &old[(old.len() - found).saturating_sub(piece.len())..old.len() - found];
        let same = if std::ptr::eq(here, *piece) && piece.len() <= left {
            piece.len()
        } else {
            same_end(here, piece).min(left)
        };
        found += same;
        if same < piece.len() {
            break;
        }
    }
    found
}

fn same_start(one: &[u8], other: &[u8]) -> usize {
    let blocks = equal(one.chunks(BLOCK), other.chunks(BLOCK)) * BLOCK;
    let offset = blocks.min(one.len()).min(other.len());
    offset + equal(one[offset..].iter(), other[offset..].iter())
}

fn same_end(one: &[u8], other: &[u8]) -> usize {
    let blocks = equal(one.rchunks(BLOCK), other.rchunks(BLOCK)) * BLOCK;
    let end = blocks.min(one.len()).min(other.len());
    end + equal(one.iter().rev().skip(end), other.iter().rev().skip(end))
}

/// Returns the number of equal items before the first that differ.
fn equal<T: PartialEq>(one: impl Iterator<Item = T>, other: impl Iterator<Item = T>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// The bytes of the pieces from `start` to `end`.
fn middle<'a>(pieces: &'a [&[u8]], start: usize, end: usize) -> impl Iterator<Item = &'a [u8]> {
    let mut offset = 0;
    pieces.iter().map(move |piece| {
        let (from, to) = (start.saturating_sub(offset), end.saturating_sub(offset));
        offset += piece.len();
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

    #[test]
    fn the_ends_that_long_texts_share_are_found_to_the_byte() {
        let old = vec![b'o'; 3 * BLOCK + 7];
        for length in [old.len(), old.len() - 1, old.len() + BLOCK] {
            for at in [0, 1, BLOCK - 1, BLOCK, 2 * BLOCK + 5, old.len() - 2] {
                let mut new = vec![b'o'; length];
                new[at] = b'n';
                assert_eq!(same_start(&old, &new), at);
                assert_eq!(same_end(&old, &new), (length - at - 1).min(old.len()));
            }
            assert_eq!(same_start(&old, &vec![b'o'; length]), length.min(old.len()));
        }
    }
}
