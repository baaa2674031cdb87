//! The notes that follow the diff of a change.

use crate::cli::render::masked::masked_text;
use crate::engine::{NewWarning, OutcomeNote};
use mediaconf::{Masker, Note, one_line};

/// The most different warnings of a change that are shown.
const MAX_WARNINGS: usize = 20;

/// Returns a note as a sentence, with its secrets masked.
pub fn in_words(note: &OutcomeNote, masker: Option<&Masker>) -> String {
    let sentence = match note {
        OutcomeNote::Edit(note) => return edit_note(note, masker),
        OutcomeNote::SavedEarlierUpdate => "an earlier update that was not saved goes into the file, too",
        OutcomeNote::PickedUpHandEdit(paths) if paths.is_empty() => {
            "picked up a hand edit that changes no value"
        }
        OutcomeNote::PickedUpHandEdit(paths) => return format!("picked up a hand edit of {paths}"),
        OutcomeNote::OverwroteHandEdit => "a hand edit of the file is overwritten; the history keeps it",
        OutcomeNote::KeptHandEdit => {
            "the change was rolled back, but the file was edited by hand meanwhile, and the edit stays; \
             `mediactl status` shows what the file still holds of the change"
        }
        OutcomeNote::HasChange => "it has this change already",
        OutcomeNote::OtherPending => {
            "another change waits to be confirmed; until it is, this one can't be made"
        }
        OutcomeNote::AlsoIncluded(place) => {
            return format!("entries of included files that match, too, stay as they are: {place}");
        }
        OutcomeNote::IncludeChange(change) => return change.to_string(),
        OutcomeNote::DeletedStreams(1) => "1 stream is not in the new configuration",
        OutcomeNote::DeletedStreams(count) => {
            return format!("{count} streams are not in the new configuration");
        }
    };
    sentence.to_owned()
}

/// Returns the lines about the warnings that a change brings: equal ones once, and not all of very many.
pub fn new_warnings(warnings: &[NewWarning], masker: Option<&Masker>) -> Vec<String> {
    let mut groups: Vec<(&NewWarning, usize)> = Vec::new();
    for warning in warnings {
        match groups.iter_mut().find(|(known, _)| known.message == warning.message) {
            Some((_, others)) if !warning.at.is_empty() => *others += 1,
            _ => groups.push((warning, 0)),
        }
    }
    let line = |(warning, others): &(&NewWarning, usize)| {
        let line = match others {
            0 => warning.to_string(),
            others => format!("`{}` and {others} more: {}", warning.at, warning.message),
        };
        masker.map_or(line.clone(), |masker| masker.prose(&line).into_owned())
    };
    let more = groups.len().saturating_sub(MAX_WARNINGS);
    let more = (more > 0).then(|| format!("and {more} more new warnings; `mediactl check` shows them"));
    groups.iter().take(MAX_WARNINGS).map(line).chain(more).collect()
}

/// Said of a key in a condition that no entry has, so that the condition holds for all of them.
pub fn all_lack(key: &str) -> String {
    format!("no entry has `{}`, so the condition of `--where` on it holds for all", one_line(key))
}

fn edit_note(note: &Note, masker: Option<&Masker>) -> String {
    match note {
        Note::ExtrasDropped { at, keys } => {
            format!("{at}: the extra parameters were removed, too: {}", keys.join(", "))
        }
        Note::CommentsKept { above, lines } => {
            let above = masker.map_or_else(|| above.clone(), |masker| masked_directive(above, masker));
            match lines {
                1 => format!("the comment line above `{above}` stays"),
                _ => format!("the {lines} comment lines above `{above}` stay"),
            }
        }
        Note::PortOptionsDropped { port } => format!("the block of `http {port}` was removed with its port"),
        Note::SettingsLacking(1) => {
            "1 setting of the entries in the desired state is not in it, and stays; `--prune` removes it"
                .to_owned()
        }
        Note::SettingsLacking(count) => format!(
            "{count} settings of the entries in the desired state are not in it, and stay; `--prune` removes them"
        ),
    }
}

/// The first words of a directive, with their secrets masked.
pub fn masked_directive(words: &str, masker: &Masker) -> String {
    masked_text(&format!("{words};"), masker).trim_end_matches(';').to_owned()
}
