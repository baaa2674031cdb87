//! Settings whose last occurrence counts.

use crate::schema::{Parameter, Scope};
use crate::syntax::Span;

/// The settings of one block, or of the top level.
pub(super) struct Settings {
    /// The scope of the block.
    scope: Scope,
    /// A bit for each row that is set.
    set: u64,
    /// A bit for each row whose last place, in this block or in one before it, holds no fault.
    faultless: u64,
    /// The last place of each, by the numbers of the rows; that of a row with neither bit means nothing.
    places: [Span; ROWS],
}

/// No scope has more rows.
const ROWS: usize = u64::BITS as usize;

impl Settings {
    pub fn new(scope: Scope) -> Self {
        Self { scope, set: 0, faultless: 0, places: [const { 0..0 }; ROWS] }
    }

    /// Goes on to another block.
    pub fn enter(&mut self, scope: Scope) {
        self.set = 0;
        if self.scope != scope {
            (self.scope, self.faultless) = (scope, 0);
        }
    }

    /// True if a setting has the text of the last one of its row, and that holds no fault: what is found in a setting
    /// depends on its text and scope alone, and most settings of a block stand in the block before it, too.
    #[inline]
    pub fn repeats(&self, parameter: &'static Parameter, text: &str, span: &Span) -> bool {
        let number = usize::from(parameter.number) % ROWS;
        let bytes = |span: &Span| &text.as_bytes()[span.start as usize..span.end as usize];
        self.faultless & 1 << number != 0 && bytes(&self.places[number]) == bytes(span)
    }

    /// Remembers the last place of a setting. Returns the place before it, if there is one.
    #[inline]
    pub fn set(&mut self, parameter: &'static Parameter, span: Span, is_faultless: bool) -> Option<Span> {
        let number = usize::from(parameter.number) % ROWS;
        let before = std::mem::replace(&mut self.places[number], span);
        let was_set = self.set & 1 << number != 0;
        self.set |= 1 << number;
        self.faultless = self.faultless & !(1 << number) | u64::from(is_faultless) << number;
        was_set.then_some(before)
    }
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
