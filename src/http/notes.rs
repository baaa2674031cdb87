//! The words of the header `Mediactl-Note`: the side effects of a change, and what is odd in a configuration.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use crate::engine::{NewWarning, OutcomeNote};
use crate::http::api::masked_text;

/// The word for a configuration in which directives stand in a comment.
pub const LOST_LINE_ENDS: &str = "lost-line-ends";

/// The word for a file that was edited by hand since the last change of its history.
pub const EDITED_BY_HAND: &str = "edited-by-hand";

/// The word for changes that may not be all, because a text is not kept or has errors.
pub const TEXTS_MISSING: &str = "texts-missing";

/// The word for texts that differ in bytes that are not UTF-8, and in no line.
pub const BYTES_DIFFER: &str = "bytes-differ";

/// The word for a check that left included files out.
pub const INCLUDES_LEFT_OUT: &str = "includes-left-out";

/// The word for a hand edit that stays while a change is rolled back.
pub const KEPT_HAND_EDIT: &str = "kept-hand-edit";

/// The word for a change whose warnings are in the log of the server.
pub const WARNINGS_IN_LOG: &str = "warnings-in-log";

/// The most warnings of a change that are sent over HTTP, and the most characters of each.
const MOST_WARNINGS: usize = 10;
const LONGEST_WARNING: usize = 200;

/// The characters that are encoded in a list of paths.
const PATHS: &AsciiSet = &CONTROLS.add(b'%');

/// Characters of a message that do not stay as they are in a word.
const MESSAGE: &AsciiSet = &CONTROLS.add(b'%').add(b';');

/// Characters of a path that do not.
const PLACE: &AsciiSet = &MESSAGE.add(b' ');

/// Returns the word for a note, with what follows it.
pub fn word_of(note: &OutcomeNote) -> String {
    match json!(note) {
        Value::String(word) => word,
        // The paths of a hand edit are in a header of its own.
        counted => counted
            .as_object()
            .into_iter()
            .flatten()
            .map(|(word, count)| match count {
                Value::Number(count) => format!("{word} {count}"),
                _ => word.clone(),
            })
            .collect(),
    }
}

/// The value of the header with the paths of a hand edit that was found; `None` if no note is of one.
pub fn hand_edit_header(notes: &[OutcomeNote]) -> Option<String> {
    let paths = notes.iter().find_map(|note| match note {
        OutcomeNote::FoundHandEdit(paths) if !paths.is_empty() => Some(paths),
        _ => None,
    })?;
    Some(utf8_percent_encode(paths, PATHS).to_string())
}

/// Returns the words for the warnings that a change brings, with the secrets in them masked.
pub fn words_of_warnings(warnings: &[NewWarning]) -> Vec<String> {
    let told = warnings.iter().take(MOST_WARNINGS).map(|warning| {
        let at = if warning.at.is_empty() { "-" } else { &*masked_text(&warning.at) };
        let message: String = masked_text(&warning.message).chars().take(LONGEST_WARNING).collect();
        let [at, message] = [utf8_percent_encode(at, PLACE), utf8_percent_encode(&message, MESSAGE)];
        format!("new-warning {at} {message}")
    });
    let more = warnings.len().saturating_sub(MOST_WARNINGS);
    told.chain((more > 0).then(|| format!("more-warnings {more}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_bounded_and_hide_secrets() {
        let warning = |at: &str, message: &str| NewWarning { at: at.to_owned(), message: message.to_owned() };
        for (warning, word) in [
            (warning("streams.a", "an empty source url"), "new-warning streams.a an empty source url"),
            (warning("", "100% ü; \n"), "new-warning - 100%25 %C3%BC%3B %0A"),
            (warning("streams.a b", ""), "new-warning streams.a%20b "),
        ] {
            assert_eq!(words_of_warnings(std::slice::from_ref(&warning)), [word]);
        }
        let words = words_of_warnings(&vec![warning("", &"x".repeat(9999)); 300]);
        assert_eq!((words.len(), &*words[10]), (11, "more-warnings 290"));
        assert!(words.iter().all(|word| word.len() < 250));
        let secret = words_of_warnings(&[warning("", "`rtsp:/` lacks a `/` in rtsp://u:s3cret@h/")]);
        assert!(!secret[0].contains("s3cret"), "{secret:?}");
    }

    #[test]
    fn words_hold_what_a_header_may_have() {
        for (note, word) in [
            (OutcomeNote::SavedEarlierUpdate, "saved-earlier-update"),
            (OutcomeNote::FoundHandEdit("rtsp".to_owned()), "found-hand-edit"),
            (OutcomeNote::DeletedStreams(3), "deleted-streams 3"),
            (OutcomeNote::RenamedUses(2), "renamed-uses 2"),
        ] {
            assert_eq!(word_of(&note), word);
        }
        let paths = "rtmp, streams.\"Küche 5%\".prepush";
        let header = hand_edit_header(&[OutcomeNote::FoundHandEdit(paths.to_owned())]);
        assert_eq!(header.as_deref(), Some("rtmp, streams.\"K%C3%BCche 5%25\".prepush"));
    }
}
