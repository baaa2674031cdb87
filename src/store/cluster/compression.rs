//! Texts are compressed, and cut into chunks that etcd takes in one request.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// How texts are compressed, so that `etcdctl get --print-value-only … | gunzip` shows one.
pub const GZIP: &str = "gzip";

/// The largest chunk. etcd refuses requests of more than 1.5 MiB.
pub const CHUNK: usize = 960 * 1024;

/// Compresses the pieces of a text.
pub fn compress(pieces: &[&[u8]]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = pieces.iter().try_for_each(|piece| encoder.write_all(piece));
    written.and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

/// Undoes [`compress`]; `None` if the text does not have `size` bytes then, or `codec` is unknown.
pub fn decompress(codec: &str, bytes: &[u8], size: u64) -> Option<Vec<u8>> {
    if codec != GZIP {
        return None;
    }
    let mut text = Vec::new();
    // One byte more shows that there is more; without a limit, a small value could fill the memory.
    GzDecoder::new(bytes).take(size.checked_add(1)?).read_to_end(&mut text).ok()?;
    (text.len() as u64 == size).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_or_none() {
        for size in [0, 1, CHUNK, 3 * CHUNK] {
            let text: Vec<u8> = (0..size).map(|at| (at * 7 + at / 251) as u8).collect();
            let (one, other) = text.split_at(size / 3);
            let packed = compress(&[one, other]);
            assert_eq!(decompress(GZIP, &packed, size as u64), Some(text));
            assert_eq!(decompress(GZIP, &packed, size as u64 + 1), None);
            assert_eq!(decompress(GZIP, &packed[..packed.len() - 1], size as u64), None);
            assert_eq!(decompress("lzw", &packed, size as u64), None);
        }
        assert_eq!(decompress(GZIP, &compress(&[b"http 80;"]), 4), None);
    }
}
