//! The values that are known for a place.

use super::{Completion, PathUse, Proposal, Step, place};
use crate::edit::config_lookup::ConfigLookup;
use crate::edit::masked_lookup::MaskedLookup;
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::value_at::value_at;
use crate::model::Masker;
use crate::model::secret::holds_mask;
use crate::schema::json_value::scalar_text;
use crate::schema::kinds::WordKind;
use crate::schema::{JsonForm, Parameter, PartPlace};

/// The value that is there now.
const PRESENT: &str = "the present value";

/// A value from the documentation.
const EXAMPLE: &str = "an example";

impl Completion<'_> {
    /// The values that begin with `start`, behind `head`.
    pub(super) fn values(&self, path: &[Segment], head: &str, start: &str) -> Vec<Step> {
        let path = self.whole(path);
        let Some(place) = place(&path.segments) else { return Vec::new() };
        let mut values = Vec::new();
        if self.path_use == PathUse::Settable {
            values.extend(shown(self.current, &path).map(|value| (value, PRESENT)));
        }
        values.extend(known(place).into_iter().map(|(value, help)| (value.to_owned(), help)));
        if let Some(keyword) = kind(place).and_then(|kind| kind.names_of) {
            values.extend(self.current.names(&[keyword]).into_iter().map(|name| (name, "")));
        }
        let mut found: Vec<Step> = Vec::new();
        for (value, help) in values.into_iter().filter(|(value, _)| value.starts_with(start)) {
            let text = format!("{head}{value}");
            if found.iter().all(|known| known.candidate.text != text) {
                let candidate = Proposal { text, help: help.to_owned(), is_whole: true };
                found.push(Step { candidate, deeper: None });
            }
        }
        found
    }
}

/// The scalar at a path as `--set` takes it; `None` for a secret, and where there is none.
pub(super) fn shown(current: &dyn ConfigLookup, path: &Path) -> Option<String> {
    let masker = Masker::default();
    let masked = MaskedLookup { current, masker: Some(&masker) };
    let real = value_at(current, path).ok()?;
    let is_open = value_at(&masked, path).ok()? == real;
    scalar_text(&real).filter(|text| is_open && !text.is_empty() && !holds_mask(text))
}

/// The kind of the value at a place, if that is one word.
fn kind(place: Place) -> Option<&'static WordKind> {
    match place {
        Place::Own(row) if row.codec.facts().json == JsonForm::Leaf => row.codec.facts().kind,
        Place::Part(part) if part.place != PartPlace::Rest => Some(part.kind),
        _ => None,
    }
}

/// The values that the schema knows for a place, each with its documentation.
fn known(place: Place) -> Vec<(&'static str, &'static str)> {
    let Some(kind) = kind(place) else {
        return match place {
            Place::BackendUrl => vec![("false", "opens access to everybody")],
            _ => Vec::new(),
        };
    };
    let of_row = match place {
        Place::Own(row) => example(row).filter(|example| !kind.values.contains(example)),
        _ => None,
    };
    let examples = of_row.into_iter().chain(kind.examples.iter().copied().filter(|_| of_row.is_none()));
    examples.map(|value| (value, EXAMPLE)).chain(kind.values.iter().map(|&value| (value, ""))).collect()
}

/// The value in the example of a directive with one word, which is no secret.
fn example(row: &Parameter) -> Option<&'static str> {
    let (_, value) = row.example.strip_suffix(';')?.split_once(' ')?;
    Some(value).filter(|value| !row.secret && !value.contains([' ', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::kinds::SCALAR;

    #[test]
    fn examples_are_single_words() {
        let rows = crate::schema::Schema::media().rows();
        let of_one_word =
            rows.filter(|row| row.is_setting() && row.codec.facts().kind.is_some_and(|kind| *kind != SCALAR));
        for row in of_one_word.filter(|row| !row.secret) {
            let place = Place::Own(row);
            assert!(known(place).iter().all(|(value, _)| !value.contains(' ')), "{}", row.key);
            assert_ne!(known(place), [], "{}", row.key);
        }
    }
}
