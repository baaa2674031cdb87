//! What users are told of a change beside its diff.

use crate::cli::render::masked::masked_text;
use crate::edit::Note;
use crate::engine::OutcomeNote;
use crate::model::Masker;

const SAVED_EARLIER_UPDATE: &str = "an update that ran and was not saved goes into the file, too";
const PICKED_UP_HAND_EDIT: &str = "a hand edit of the file was found and is kept";
const OVERWROTE_HAND_EDIT: &str = "a hand edit of the file is overwritten; the history keeps it";
const HAND_EDIT_WAS_KEPT: &str =
    "the file was edited by hand meanwhile and is left as it is; the running configuration was rolled back";

/// The words that a server may send, and what they mean; `{}` is the text behind the word.
const SERVER_WORDS: &[(&str, &str)] = &[
    ("saved-earlier-update", SAVED_EARLIER_UPDATE),
    ("picked-up-hand-edit", PICKED_UP_HAND_EDIT),
    ("overwrote-hand-edit", OVERWROTE_HAND_EDIT),
    ("kept-hand-edit", HAND_EDIT_WAS_KEPT),
    ("comments-kept", "comment lines above what is removed stay"),
    ("extras-dropped", "the extra parameters of a backend go with it"),
    ("deleted-streams", "{} streams are not in the new configuration"),
    ("http-options-dropped", "the block of `http {}` goes with its port"),
    ("ignored-parameter", "the server ignored the parameter `{}`"),
    ("warnings-in-log", "the server has a warning about this change in its log"),
];

/// Returns a note as a sentence, with its secrets masked.
pub fn in_words(note: &OutcomeNote, masker: Option<&Masker>) -> String {
    match note {
        OutcomeNote::Edit(note) => edit_note(note, masker),
        OutcomeNote::SavedEarlierUpdate => SAVED_EARLIER_UPDATE.to_owned(),
        OutcomeNote::PickedUpHandEdit => PICKED_UP_HAND_EDIT.to_owned(),
        OutcomeNote::OverwroteHandEdit => OVERWROTE_HAND_EDIT.to_owned(),
        OutcomeNote::KeptHandEdit => HAND_EDIT_WAS_KEPT.to_owned(),
        OutcomeNote::DeletedStreams(count) => format!("{count} streams are not in the new configuration"),
        OutcomeNote::Word(text) => {
            let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
            let known = SERVER_WORDS.iter().find(|(known, _)| *known == word);
            known.map_or_else(|| text.clone(), |(_, sentence)| sentence.replace("{}", rest))
        }
    }
}

fn edit_note(note: &Note, masker: Option<&Masker>) -> String {
    match note {
        Note::ExtrasDropped { at, keys } => {
            format!("{at}: the extra parameters went too: {}", keys.join(", "))
        }
        Note::CommentsKept { above, lines } => {
            let above = masker.map_or_else(|| above.clone(), |masker| masked_directive(above, masker));
            match lines {
                1 => format!("the comment line above `{above}` stays"),
                _ => format!("the {lines} comment lines above `{above}` stay"),
            }
        }
        Note::PortOptionsDropped { port } => format!("the block of `http {port}` goes with its port"),
    }
}

/// The first words of a directive, with their secrets masked.
fn masked_directive(words: &str, masker: &Masker) -> String {
    masked_text(&format!("{words};"), masker).trim_end_matches(';').to_owned()
}
