//! Texts whose line ends were stripped on the way here, as `curl -d @FILE` does.
//!
//! Such a text may parse, because everything behind its first `#` is then a comment.

use crate::schema::Schema;
use crate::syntax::comment_start;

/// True if the text of a media server has no line feed but at its end, and directives in a comment: behind a `#`, a known
/// keyword with words behind it and then `;` or `{`.
///
/// A stripped line end leaves no blank, so the keyword may be the end of what reads as one word.
pub fn has_lost_line_ends(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| lost_line_ends(text).is_some())
}

/// The start of the comment with directives in such a text.
pub(super) fn lost_line_ends(text: &str) -> Option<u32> {
    let line = text.trim_end_matches(['\n', '\r']);
    if memchr::memchr(b'\n', line.as_bytes()).is_some() {
        return None;
    }
    let start = comment_start(line)?;
    holds_directive(&line[start + 1..]).then_some(start as u32)
}

/// True if words that a known keyword starts are followed by `;` or `{`.
fn holds_directive(comment: &str) -> bool {
    comment.split_inclusive([';', '{', '}']).any(|part| {
        let Some(words) = part.strip_suffix([';', '{']) else { return false };
        let mut words = words.split_whitespace().rev();
        words.next().is_some() && words.any(ends_with_keyword)
    })
}

fn ends_with_keyword(word: &str) -> bool {
    let mut keywords = Schema::media().rows().flat_map(|parameter| parameter.keywords);
    // `title`, `comment` and the like are words of plain English as well.
    keywords.any(|keyword| word.ends_with(keyword) && !Schema::media().is_foreign_keyword(keyword))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_gone_are_told_by_the_directives_in_a_comment() {
        for text in [
            "http 80;# Streams:stream a {  url udp://1;}stream b udp://2;",
            "http 80; # Streams: stream a { url udp://1; }\n",
            "# Portsrtmp 1935;",
            "# ports\rrtmp 1935;\r\n",
            "# all on one line: http 80; rtsp 554;\n\n",
            "\u{feff}# x stream a {",
        ] {
            assert!(has_lost_line_ends(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn other_texts_of_one_line_are_free() {
        for text in [
            "",
            "\n",
            "http 80;",
            "http 80; # the port of all",
            "http 80; # and rtmp\n",
            "http 80; # rtmp;",
            "http 80; # no } rtmp 1935 }",
            "# a\nhttp 80; # rtmp 1935;\n",
            "root \"a # rtmp 1935;\";",
            "root a#rtmp; rtsp 554;",
        ] {
            assert!(!has_lost_line_ends(text.as_bytes()), "{text:?}");
        }
    }
}
