//! Settings whose text stands in the block before, too, as most do in a text of many blocks.
//!
//! What is found in a setting depends on its text and scope alone, so a text without a fault is not read again.

use crate::schema::{Parameter, Scope};
use crate::syntax::Span;

/// The last settings without a fault, by their first bytes: the row of each, and its place without the `;`.
pub(super) struct KnownSettings([Option<(&'static Parameter, Span)>; SLOTS]);

/// A power of two; a text has fewer keywords.
const SLOTS: usize = 64;

impl KnownSettings {
    pub fn new() -> Self {
        Self([const { None }; SLOTS])
    }

    /// Remembers a setting whose words have one blank between them. The parser has nothing to say about it, either.
    pub fn add(&mut self, text: &str, parameter: &'static Parameter, span: Span) {
        let bytes = text.as_bytes();
        if let Some(slot) = slot(bytes, span.start as usize)
            && bytes.get(span.end as usize) == Some(&b';')
        {
            self.0[slot] = Some((parameter, span));
        }
    }

    /// The setting that starts here and ends with its `;`, if its text is known in this scope.
    #[inline]
    pub fn find(&self, text: &str, start: usize, scope: Scope) -> Option<(&'static Parameter, Span)> {
        let bytes = text.as_bytes();
        let (parameter, known) = self.0[slot(bytes, start)?].as_ref()?;
        let known = &bytes[known.start as usize..=known.end as usize];
        let is_same = parameter.scope == scope && bytes[start..].starts_with(known);
        is_same.then(|| (*parameter, start as u32..(start + known.len() - 1) as u32))
    }
}

/// The place for a setting that starts here; `None` at the end of the text.
#[inline]
fn slot(text: &[u8], start: usize) -> Option<usize> {
    let first = u64::from_le_bytes(*text[start..].first_chunk()?);
    Some((first.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SLOTS.trailing_zeros())) as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use crate::model::check;

    const LINES: &[&str] = &[
        "prepush 5;",
        "prepush 5",
        "prepush 5 {}",
        "prepush x;",
        "prepush \"5\";",
        "title prepush 5;",
        "dvr /a 1d;",
        "dvr /a 1d 50%;",
        "dvr /a 1d 2d;",
        "transcoder vb=1k ab=2k;",
        "transcoder vb 1k;",
        "transcoder vb=1k prepush 5;",
        "transcoder vb=1k\n  prepush 5;",
        "auth http://b a=1 b=2;",
        "auth http://b a=1 a=2;",
        "auth off;",
        "position 1;",
        "url udp://1.2.3.4:5;",
    ];

    fn block() -> impl Strategy<Value = String> {
        let lines = proptest::collection::vec(select(LINES), 0..4);
        (select(&["stream", "live", "template", "plugin", "x"][..]), lines)
            .prop_map(|(keyword, lines)| format!("{keyword} NAME {{\n  {}\n}}\n", lines.join("\n  ")))
    }

    fn faults(text: &str, offset: u32) -> Vec<(u32, u32, String)> {
        let found = check(text);
        found
            .iter()
            .map(|found| (found.span.start + offset, found.span.end + offset, found.message.clone()))
            .collect()
    }

    proptest! {
        #[test]
        fn a_block_has_the_same_faults_behind_others(blocks in proptest::collection::vec(block(), 1..8)) {
            let (mut text, mut alone) = (String::new(), Vec::new());
            for (number, block) in blocks.iter().enumerate() {
                let block = block.replace("NAME", &format!("n{number}"));
                alone.extend(faults(&block, text.len() as u32));
                text.push_str(&block);
            }
            prop_assert_eq!(faults(&text, 0), alone, "{}", text);
        }
    }
}
