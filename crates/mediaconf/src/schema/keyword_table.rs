//! A hash table of keywords. The compiler fills it in, so that no command spends time on it when it starts.

/// The rows of a scope by keyword: every entry of a text is looked up.
pub(super) struct KeywordTable<R: 'static> {
    /// Open addressing; more than half of it is empty.
    slots: [Option<(PackedWord, &'static R)>; SLOTS],
    /// The bytes with which a strict keyword starts, the quote of a quoted one included.
    starts_strict: [bool; 256],
}

/// A power of two.
const SLOTS: usize = 64;

impl<R> KeywordTable<R> {
    pub(super) const fn new() -> Self {
        Self { slots: [None; SLOTS], starts_strict: [false; 256] }
    }

    /// Adds a keyword of two to sixteen bytes.
    pub(super) const fn add(&mut self, keyword: &str, row: &'static R, is_strict: bool) {
        let keyword = keyword.as_bytes();
        let packed = PackedWord::pack(keyword).expect("a keyword is short");
        let mut slot = packed.slot();
        while self.slots[slot].is_some() {
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = Some((packed, row));
        self.starts_strict[keyword[0] as usize] |= is_strict;
        self.starts_strict[b'"' as usize] |= is_strict;
    }

    #[inline]
    pub(super) fn find(&self, keyword: &[u8]) -> Option<&'static R> {
        let packed = PackedWord::pack(keyword)?;
        let mut slot = packed.slot();
        while let Some((known, row)) = &self.slots[slot] {
            if *known == packed {
                return Some(row);
            }
            slot = (slot + 1) % SLOTS;
        }
        None
    }

    /// True if a strict keyword may start with this byte.
    pub(super) fn may_be_strict(&self, byte: u8) -> bool {
        self.starts_strict[usize::from(byte)]
    }
}

/// A word of at most sixteen bytes in two numbers, which are compared faster than strings.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PackedWord {
    length: usize,
    /// The first bytes and the last ones, which overlap where the word is not twice as long.
    ends: [u64; 2],
}

impl PackedWord {
    #[inline]
    const fn pack(bytes: &[u8]) -> Option<Self> {
        let length = bytes.len();
        let ends = if let (8..=16, Some(first), Some(last)) =
            (length, bytes.first_chunk(), bytes.last_chunk())
        {
            [u64::from_le_bytes(*first), u64::from_le_bytes(*last)]
        } else if let (4..=7, Some(first), Some(last)) = (length, bytes.first_chunk(), bytes.last_chunk()) {
            [u32::from_le_bytes(*first) as u64, u32::from_le_bytes(*last) as u64]
        } else if let (2 | 3, Some(first), Some(last)) = (length, bytes.first_chunk(), bytes.last_chunk()) {
            [u16::from_le_bytes(*first) as u64, u16::from_le_bytes(*last) as u64]
        } else {
            return None;
        };
        Some(Self { length, ends })
    }

    /// The slot to look at first; the others follow it.
    #[inline]
    const fn slot(self) -> usize {
        let mixed = (self.ends[0] ^ self.ends[1].rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (u64::BITS - SLOTS.trailing_zeros())) as usize
    }
}
