//! Query parameters that the route does not take. A change with a misspelled one is refused, because
//! `dry-run=true` must not make the change. All others are ignored, and the response has a note.

use form_urlencoded::byte_serialize;

use crate::http::protocol::masked::masked_text;
use crate::http::protocol::notes::IGNORED_PARAMETER;
use crate::http::protocol::routes::Route;

/// The shortest name that can be a misspelling: shorter ones are near to too many others.
const MIN_NEAR: usize = 4;

/// The length from which on a misspelling may have two edits; shorter ones have one.
const MIN_TWO_EDITS: usize = 8;

/// The opposite of `async`, and not a misspelling of it.
const NEVER_NEAR: &str = "sync";

/// The number of ignored names that are noted.
const MAX_NOTED: usize = 8;

/// The longest name in a note, in bytes.
const MAX_NAME: usize = 64;

/// Returns the parameter, of those that `route` takes, that `name` misspells; `None` on routes that only read.
pub(super) fn misspelled(
    route: &Route,
    mut taken: impl Iterator<Item = &'static str>,
    name: &str,
) -> Option<&'static str> {
    let given = folded(name);
    taken.find(|known| route.is_change() && is_near(&given, &folded(known)))
}

/// Removes case, `-` and `_`, in which the names of other APIs may differ.
fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

fn is_near(given: &str, known: &str) -> bool {
    let longest = given.len().max(known.len());
    let most = if longest >= MIN_TWO_EDITS { 2 } else { 1 };
    given != NEVER_NEAR
        && given.len().min(known.len()) >= MIN_NEAR
        && given.len().abs_diff(known.len()) <= most
        && strsim::osa_distance(given, known) <= most
}

/// Adds a note about an ignored name, once.
pub(super) fn note(notes: &mut Vec<String>, name: &str) {
    if name.is_empty() || notes.len() == MAX_NOTED {
        return;
    }
    let note = format!("{IGNORED_PARAMETER} {}", encoded(&masked_text(name)));
    if !notes.contains(&note) {
        notes.push(note);
    }
}

/// Percent-encodes a name (RFC 3986, 2.1), and cuts it to [`MAX_NAME`].
fn encoded(name: &str) -> String {
    let pieces = byte_serialize(name.as_bytes()).map(|piece| if piece == "+" { "%20" } else { piece });
    let mut encoded: String = pieces.collect();
    if encoded.len() > MAX_NAME {
        encoded.truncate(MAX_NAME);
        // Removes a percent escape that was cut off.
        if let Some(escape) = encoded[MAX_NAME - 2..].find('%') {
            encoded.truncate(MAX_NAME - 2 + escape);
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::super::taken_by;
    use super::*;
    use crate::http::protocol::routes::ApiOperation;

    #[test]
    fn near_parameters_are_told_from_others() {
        let misspelled = |operation: ApiOperation, name| {
            let route = operation.route();
            super::misspelled(route, taken_by(route).map(|known| known.name), name)
        };
        for (name, expected) in [
            ("dry-run", Some("dry_run")),
            ("dryrun", Some("dry_run")),
            ("DRY_RUN", Some("dry_run")),
            ("dryRun", Some("dry_run")),
            ("dry_rnu", Some("dry_run")),
            ("dry_ru", Some("dry_run")),
            ("confrm", Some("confirm")),
            ("confirmed", Some("confirm")),
            ("forced", Some("force")),
            ("asynch", Some("async")),
            ("sync", None),
            ("Sync", None),
            ("dry", None),
            ("to", None),
            ("_", None),
            ("", None),
            ("skip_streams", None),
            ("skip-streams", None),
            ("runtime", None),
            ("token", None),
            ("confirmation", None),
        ] {
            assert_eq!(misspelled(ApiOperation::Modify, name), expected, "{name}");
        }
        assert_eq!(misspelled(ApiOperation::Read, "skip-streams"), None, "a read changes nothing");
    }

    #[test]
    fn near_parameters_have_two_edits_from_eight_letters_on() {
        assert!(is_near("abcdef", "abcdex") && !is_near("abcdef", "abcdxx"));
        assert!(is_near("abcdefgh", "abcdefxx") && !is_near("abcdefgh", "abcdexxx"));
        assert!(!is_near("abc", "abcd"));
    }

    #[test]
    fn ignored_names_are_encoded_and_bounded() {
        assert_eq!(encoded("a b;c+ü"), "a%20b%3Bc%2B%C3%BC");
        assert_eq!(encoded(&"x".repeat(1000)), "x".repeat(MAX_NAME));
        for before in MAX_NAME - 3..=MAX_NAME {
            let cut = encoded(&format!("{}ü", "x".repeat(before)));
            let whole = before + if before + 3 <= MAX_NAME { 3 } else { 0 };
            assert_eq!(cut.len(), whole, "{cut}");
        }
        let mut notes = Vec::new();
        (0..20).for_each(|number| note(&mut notes, &format!("n{}", number / 2)));
        note(&mut notes, "");
        assert_eq!(notes.len(), MAX_NOTED);
        assert_eq!(notes[1], "ignored-parameter n1");
    }
}
