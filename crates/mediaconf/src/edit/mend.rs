//! Applies the fixes of the faults of a text.

use crate::model::check;
use crate::syntax::{Diagnostics, Fix, Splice, spliced_pieces};

/// The most rounds: a fix may uncover a fault behind it that has one, too, and only so many faults are kept.
const MOST_ROUNDS: usize = 200;

/// A text whose faults were fixed where only one thing can be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MendedText {
    /// The new text.
    pub text: String,
    /// The number of fixes that were applied.
    pub fixes: usize,
}

/// Applies each fix that brings no error and no fault without a fix; `None` if there is none.
pub fn mended(text: &str) -> Option<MendedText> {
    let mut mended = MendedText { text: text.to_owned(), fixes: 0 };
    for _ in 0..MOST_ROUNDS {
        let Some(next) = round(&mended.text) else { break };
        mended = MendedText { text: next.text, fixes: mended.fixes + next.fixes };
    }
    (mended.fixes > 0).then_some(mended)
}

/// Applies the fixes of the faults that are seen now: all, or those that can be applied one after another.
fn round(text: &str) -> Option<MendedText> {
    let found = check(text);
    let splices = splices(&found);
    let whole = MendedText { text: spliced(text, &splices), fixes: splices.len() };
    if splices.is_empty() || is_better(&found, &whole) {
        return (!splices.is_empty()).then_some(whole);
    }
    let one = |splice| MendedText { text: spliced(text, std::slice::from_ref(splice)), fixes: 1 };
    splices.iter().map(one).find(|one| is_better(&found, one))
}

/// True if no error came, and no fault that has no fix itself: it would tell of another meaning.
fn is_better(before: &Diagnostics, mended: &MendedText) -> bool {
    let after = check(&mended.text);
    let fixed = |faults: &Diagnostics| faults.iter().filter(|found| found.fix.is_some()).count();
    let lasting = |faults: &Diagnostics| faults.errors() + faults.warnings() - fixed(faults);
    after.errors() <= before.errors() && lasting(&after) <= lasting(before)
}

/// The fixes as splices: in the order of the text, and none where another one is.
fn splices(found: &Diagnostics) -> Vec<Splice> {
    let mut fixes: Vec<&Fix> = found.iter().filter_map(|found| found.fix.as_ref()).collect();
    fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
    fixes.dedup_by(|next, kept| next.span.start < kept.span.end || next.span.start == kept.span.start);
    let splice = |fix: &Fix| Splice {
        range: fix.span.start as usize..fix.span.end as usize,
        text: (*fix.text).into(),
    };
    fixes.into_iter().map(splice).collect()
}

fn spliced(text: &str, splices: &[Splice]) -> String {
    spliced_pieces(text, 0..text.len(), splices).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mend(text: &str) -> Option<String> {
        mended(text).map(|mended| mended.text)
    }

    #[test]
    fn what_can_only_be_meant_one_way_is_fixed() {
        for (text, expected) in [
            ("rtmp 1935\nrtsp 554;\n", "rtmp 1935;\nrtsp 554;\n"),
            ("rtmp 1935 # c\nrtsp 554;\n", "rtmp 1935; # c\nrtsp 554;\n"),
            ("rtmp 1935 rtsp 554;\n", "rtmp 1935; rtsp 554;\n"),
            ("http 80;\nrtmp 1935\n", "http 80;\nrtmp 1935;\n"),
            ("stream a { url udp://1 }\n", "stream a { url udp://1; }\n"),
            ("stream a {\n  url udp://1\n  prepush 5\n}\n", "stream a {\n  url udp://1;\n  prepush 5;\n}\n"),
            ("stream a {\n  url upd://1;\n  prepsh 5;\n}\n", "stream a {\n  url udp://1;\n  prepush 5;\n}\n"),
            ("strem a {\n  url udp://1;\n  prepsh 5;\n}\n", "stream a {\n  url udp://1;\n  prepush 5;\n}\n"),
            ("loglevel debgu;\n", "loglevel debug;\n"),
            ("\u{feff}rtpm 1935;\r\n", "\u{feff}rtmp 1935;\r\n"),
        ] {
            assert_eq!(mend(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_can_be_meant_in_several_ways_stays() {
        for text in [
            "http 80;\n",
            // The file may be cut off.
            "http 80;\nrtmp 19",
            "stream a {\n  url udp://1\n",
            // A lost `{`.
            "stream a\n  url udp://1;\n}\n",
            "stream a {\n  url udp://1;\n}}\n",
            "auth flase;\n",
            // The word is known, and what stands behind it is wrong.
            "rtpm fast;\n",
            // The last one would count.
            "stream a {\n  url udp://1;\n  prepush 5;\n  prepsh 6;\n}\n",
        ] {
            assert_eq!(mend(text), None, "{text}");
        }
    }
}
