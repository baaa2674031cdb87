//! Reading a text, a large one into large pages.
//!
//! Each page that a process touches for the first time costs a fault, and a text of sixteen megabytes
//! has four thousand of them, which takes longer than to read and parse it. A kernel with huge pages
//! enabled gives memory that asks for it pages of two megabytes.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use bytes::Bytes;
use memmap2::MmapMut;

use super::open::read_whole;
use crate::store::error::StoreError;

/// The size of a large page on most machines; on others nothing is gained or lost.
const LARGE_PAGE: usize = 2 << 20;

/// Below this size a large page is mostly empty.
const MIN_LARGE_TEXT: u64 = 1 << 20;

/// Reads a text from its start; it has `size` bytes unless it is being changed.
pub(super) fn read_text(file: &File, size: u64, path: &Path) -> Result<Bytes, StoreError> {
    let large = reserve(size).map_or(Ok(None), |pages| read_exactly(pages, file, size));
    match large.map_err(StoreError::io("read", path))? {
        Some(text) => Ok(text),
        None => read_whole(file, path).map(Bytes::from),
    }
}

/// Reads exactly `size` bytes; `None` if the file is shorter or longer.
fn read_exactly(mut pages: MmapMut, file: &File, size: u64) -> io::Result<Option<Bytes>> {
    let text = ..size as usize;
    match file.read_exact_at(&mut pages[text], 0) {
        Ok(()) if file.read_at(&mut [0], size)? == 0 => Ok(Some(Bytes::from_owner(pages).slice(text))),
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
        _ => Ok(None),
    }
}

/// Reserves memory for a large text; `None` for a small text, or where memory is short.
fn reserve(size: u64) -> Option<MmapMut> {
    let size = usize::try_from(size).ok().filter(|_| size >= MIN_LARGE_TEXT)?;
    let pages = MmapMut::map_anon(size.checked_next_multiple_of(LARGE_PAGE)?).ok()?;
    // The last page would be partly empty. A kernel without large pages refuses; small pages work as well.
    #[cfg(target_os = "linux")]
    let _ = pages.advise_range(memmap2::Advice::HugePage, 0, size - size % LARGE_PAGE);
    Some(pages)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_text_is_read_whole_whatever_its_size_was_said_to_be() {
        let path = Path::new("text");
        for length in [0, 10, MIN_LARGE_TEXT as usize, LARGE_PAGE + 1] {
            let text: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut file = tempfile::tempfile().expect("a file can be made");
            file.write_all(&text).expect("it can be written");
            for size in [length as u64, length as u64 + 1, 2 * MIN_LARGE_TEXT] {
                io::Seek::rewind(&mut file).expect("it is a file");
                let read = read_text(&file, size, path).expect("it can be read");
                assert!(read == text, "{length} bytes, said to be {size}");
            }
        }
    }
}
