//! The request of a change as it was sent, with its secrets masked: what a client may keep of it.

use std::ops::Range;
use std::sync::Arc;

use super::entry_text::entry_range;
use super::refusal::Refusal;
use super::requested_change::{EntryEdit, EntryEdits, RequestedChange};
use super::snapshot::Snapshot;
use mediaconf::plumbing::edit::json_diff::ChangedValue;
use mediaconf::plumbing::edit::{
    AssignedValue, Assignment, ChangeRequest, Edits, Path, Segment, Substitution, glob_matches,
};
use mediaconf::plumbing::model::{MaskedText, Masker, holds_mask, masked_below, masked_keys, masks_in};
use serde_json::Value;

/// Masks what a request holds: the masks that were sent stay as they are.
pub struct SentMasker<'m> {
    masker: &'m Masker,
    /// The values with a new secret, masked.
    secret: Vec<ChangedValue>,
}

impl<'m> SentMasker<'m> {
    /// For a request that changes these values.
    pub fn new(masker: &'m Masker, values: &[ChangedValue]) -> Self {
        let masked = values.iter().map(|value| value.clone().masked(masker));
        Self { masker, secret: masked.filter(brings_mask).collect() }
    }

    /// Returns the request with a mask in the place of each secret; `None` for one that is neither of texts of entries nor
    /// of assignments without conditions.
    ///
    /// # Errors
    /// The text has errors; an entry is not one of the text.
    pub fn masked(
        &self,
        requested: &RequestedChange<'_>,
        text: &Arc<Snapshot>,
    ) -> Result<Option<RequestedChange<'static>>, Refusal> {
        Ok(match requested {
            RequestedChange::Modify(request) => self.request(request).map(RequestedChange::from),
            RequestedChange::Entries(EntryEdits { texts, then }) => {
                let texts = texts.iter().map(|edit| self.entry(edit, text)).collect::<Result<_, _>>()?;
                let then = then.as_ref().map(|request| self.request(request));
                match then {
                    Some(None) => None,
                    then => Some(RequestedChange::Entries(EntryEdits { texts, then: then.flatten() })),
                }
            }
            _ => None,
        })
    }

    fn request(&self, request: &ChangeRequest) -> Option<ChangeRequest> {
        let Edits::Assignments { assignments, conditions, options } = &request.edits else { return None };
        let is_plain = conditions.is_empty() && request.expectations.is_empty();
        let assignments = assignments.iter().map(|made| self.assignment(made)).collect();
        is_plain.then(|| ChangeRequest {
            edits: Edits::Assignments { assignments, conditions: Vec::new(), options: *options },
            expectations: Vec::new(),
        })
    }

    /// The assignment, or one of the same kind with a mask in the place of what it sets, and of the secrets in its path.
    fn assignment(&self, made: &Assignment) -> Assignment {
        let Assignment { path, value } = made;
        let masked = |text: &str| self.is_secret(&path.segments, text).then(|| self.masker.mask(text));
        let masked = match value {
            AssignedValue::Remove => None,
            AssignedValue::Typed(text) => masked(text).map(AssignedValue::Typed),
            AssignedValue::Text(text) => masked(text).map(AssignedValue::Text),
            AssignedValue::File(text) => masked(text).map(AssignedValue::File),
            AssignedValue::Replace(made) => masked(&String::from(made.clone())).map(|mask| {
                let hidden = Substitution::parse(&format!("s/{mask}/{mask}/"));
                AssignedValue::Replace(hidden.expect("a mask has no slash"))
            }),
        };
        Assignment { path: self.path(path), value: masked.unwrap_or_else(|| value.clone()) }
    }

    /// The path with its secrets masked.
    fn path(&self, path: &Path) -> Path {
        let mut segments = path.segments.clone();
        for (at, segment) in segments.iter_mut().enumerate() {
            let above = &path.segments[..at];
            match segment {
                Segment::Key(name) | Segment::Matching(name) => *name = self.name(above, name),
                Segment::Find { key, value } => {
                    let place = [above, &[Segment::Key(key.clone())]].concat();
                    *value = self.found(&place, value);
                }
                _ => {}
            }
        }
        Path { segments }
    }

    fn name(&self, above: &[Segment], name: &str) -> String {
        let keys: Vec<&str> = above.iter().filter_map(named).chain([name]).collect();
        let shown = masked_keys(&keys, self.masker).pop().unwrap_or_default();
        self.with_masks_of(name, self.masker.prose(&shown).into_owned())
    }

    /// The value by which an element of a list is found.
    fn found(&self, place: &[Segment], value: &str) -> String {
        let keys: Vec<&str> = place.iter().filter_map(named).collect();
        let shown = match masked_below(&keys, &Value::from(value), self.masker) {
            Value::String(shown) => self.masker.prose(&shown).into_owned(),
            _ => self.masker.mask(value),
        };
        self.with_masks_of(value, shown)
    }

    /// A masked text with the masks that were sent, which were masked like any other word.
    fn with_masks_of(&self, sent: &str, shown: String) -> String {
        masks_in(sent)
            .fold(shown, |shown, mask| shown.replace(&self.masker.mask(&sent[mask.clone()]), &sent[mask]))
    }

    /// True if a text is a secret, or holds one, at a path; or if the path leads to a value with a new secret.
    fn is_secret(&self, path: &[Segment], text: &str) -> bool {
        let keys: Vec<&str> = path.iter().filter_map(named).collect();
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        masked_below(&keys, &value, self.masker) != value
            || self.masker.prose(text) != text
            || self.secret.iter().any(|changed| leads_to(&keys, &changed.keys))
    }

    /// The text of an entry, masked as it is in its place. Of a text with errors more may be masked.
    ///
    /// # Errors
    /// The entry is not one of the text.
    pub fn entry(
        &self,
        EntryEdit { path, text: entry, create }: &EntryEdit,
        text: &Arc<Snapshot>,
    ) -> Result<EntryEdit, Refusal> {
        let old = text.document().text();
        let range = match entry_range(text, path, None) {
            Err(_) if *create => old.len()..old.len(),
            range => range?,
        };
        let entry = String::from_utf8_lossy(entry);
        let whole =
            Snapshot::from_bytes([&old[..range.start], &entry, &old[range.end..]].concat().into_bytes());
        let shown = self.masked_text(&whole, range.start..range.start + entry.len());
        Ok(EntryEdit { path: self.path(path), text: shown.into_bytes().into(), create: *create })
    }

    fn masked_text(&self, whole: &Snapshot, window: Range<usize>) -> String {
        let text = whole.document().text();
        let shown = MaskedText::new(whole.document(), Some(self.masker.clone()), vec![window.clone()]);
        let mut masked = String::new();
        let mut offset = window.start;
        for (secret, mask) in shown.replacements(&window) {
            let is_mask = masks_in(&text[secret.clone()])
                .any(|mask| mask.len() == text[secret.clone()].trim_matches('"').len());
            masked.push_str(&text[offset..secret.start]);
            masked.push_str(if is_mask { &text[secret.clone()] } else { &mask });
            offset = secret.end;
        }
        masked + &text[offset..window.end]
    }
}

/// True if a masked value has a mask that the value before it had not.
fn brings_mask(changed: &ChangedValue) -> bool {
    let [before, after] = [&changed.before, &changed.after]
        .map(|value| value.as_ref().map(Value::to_string).unwrap_or_default());
    holds_mask(&after) && masks_in(&after).any(|mask| !before.contains(&after[mask]))
}

/// The name, or the pattern of names, of a step that is no place in a list.
fn named(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Key(name) | Segment::Matching(name) => Some(name),
        _ => None,
    }
}

/// True if one of the paths may lead into the other. Numbers may be places in a list, which the path of an assignment can
/// leave out.
fn leads_to(path: &[&str], keys: &[String]) -> bool {
    let is_name = |name: &str| !name.bytes().all(|byte| byte.is_ascii_digit());
    let path = path.iter().copied().filter(|name| is_name(name));
    path.zip(keys.iter().filter(|key| is_name(key))).all(|(name, key)| glob_matches(name, key))
}
