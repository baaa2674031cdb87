//! Texts are compressed, and cut into chunks that etcd takes in one request.

use ring::digest::{Context, SHA256};
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// The compression of texts: `etcdctl get --print-value-only … | gunzip` shows one.
pub const GZIP: &str = "gzip";

/// The largest chunk. etcd refuses requests of more than 1.5 MiB.
pub const CHUNK: usize = 960 * 1024;

/// The largest text, in bytes.
pub const LARGEST_TEXT: u64 = 64 << 20;

/// More than gzip adds to a text in which nothing can be compressed, in bytes.
const SPARE: u64 = 1 << 20;

/// More than a text of `size` bytes takes when it is compressed.
pub fn most_packed(size: u64) -> usize {
    usize::try_from(size.saturating_add(SPARE)).unwrap_or(usize::MAX)
}

/// Compresses the pieces of a text; `None` if it is too large.
pub fn compress(pieces: &[&[u8]]) -> Option<Vec<u8>> {
    if pieces.iter().map(|piece| piece.len() as u64).sum::<u64>() > LARGEST_TEXT {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = pieces.iter().try_for_each(|piece| encoder.write_all(piece));
    Some(written.and_then(|()| encoder.finish()).expect("writing to memory does not fail"))
}

/// Undoes [`compress`]; `None` if the text does not have `size` bytes then, or has too many, or if `codec` is unknown.
pub fn decompress(codec: &str, bytes: &[u8], size: u64) -> Option<Vec<u8>> {
    if codec != GZIP || size > LARGEST_TEXT {
        return None;
    }
    let mut text = Vec::new();
    // One byte more shows that there is more; without a limit, a small value could fill the memory.
    GzDecoder::new(bytes).take(size + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 == size).then_some(text)
}

/// Returns the SHA-256 hash of the text that `pieces` make, one after the other, in hexadecimal digits.
pub fn sha256<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Context::new(&SHA256);
    pieces.into_iter().for_each(|piece| hash.update(piece));
    hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_or_none() {
        for size in [0, 1, CHUNK, 3 * CHUNK] {
            let text: Vec<u8> = (0..size).map(|at| (at * 7 + at / 251) as u8).collect();
            let (one, other) = text.split_at(size / 3);
            let packed = compress(&[one, other]).expect("it is small");
            assert_eq!(decompress(GZIP, &packed, size as u64), Some(text));
            assert_eq!(decompress(GZIP, &packed, size as u64 + 1), None);
            assert_eq!(decompress(GZIP, &packed[..packed.len() - 1], size as u64), None);
            assert_eq!(decompress("lzw", &packed, size as u64), None);
        }
        assert_eq!(decompress(GZIP, &compress(&[b"http 80;"]).expect("it is small"), 4), None);
    }

    #[test]
    fn a_text_beyond_the_limit_is_neither_packed_nor_unpacked() {
        let half = vec![0; LARGEST_TEXT as usize / 2];
        let packed = compress(&[&half, &half]).expect("it is the largest");
        assert!(packed.len() < CHUNK && compress(&[&half, &half, b" "]).is_none());
        assert!(
            decompress(GZIP, &packed, LARGEST_TEXT).is_some_and(|text| text.len() as u64 == LARGEST_TEXT)
        );
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        for piece in [&half[..], &half, b" "] {
            encoder.write_all(piece).expect("it goes to memory");
        }
        let bomb = encoder.finish().expect("it goes to memory");
        for size in [LARGEST_TEXT, LARGEST_TEXT + 1, u64::MAX] {
            assert!(decompress(GZIP, &bomb, size).is_none(), "{size}");
        }
    }
}
