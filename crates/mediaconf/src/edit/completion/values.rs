//! The values that are known for a place.

use super::{Completion, PathUse, Proposal, Step, place};
use crate::edit::config_lookup::{Current, MaskedLookup};
use crate::edit::emit::scalar_text;
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::value_at::value_at;
use crate::model::Masker;
use crate::model::schema::{Derived, Parameter, PartForm, Shape, ValueType};
use crate::model::secret::holds_mask;

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
        if matches!(place, Place::Part(PartForm::Reference)) {
            values.extend(self.current.names(&["dvr"]).into_iter().map(|name| (name, "")));
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
pub(super) fn shown(current: &dyn Current, path: &Path) -> Option<String> {
    let masker = Masker::default();
    let masked = MaskedLookup { current, masker: Some(&masker) };
    let real = value_at(current, path).ok()?;
    let is_open = value_at(&masked, path).ok()? == real;
    scalar_text(&real).filter(|text| is_open && !text.is_empty() && !holds_mask(text))
}

/// The values that the schema knows for a place, each with its documentation.
fn known(place: Place) -> Vec<(&'static str, &'static str)> {
    const SWITCH: [(&str, &str); 2] = [("true", ""), ("false", "")];
    match place {
        Place::Own(row) => match row.shape {
            Shape::Value(ValueType::Switch | ValueType::Flag) | Shape::Derived(Derived::Static) => {
                SWITCH.to_vec()
            }
            Shape::Value(ValueType::Seconds) => {
                [example(row), Some(("off", ""))].into_iter().flatten().collect()
            }
            Shape::Value(ValueType::Port | ValueType::Text) if !row.secret => {
                example(row).into_iter().collect()
            }
            _ => Vec::new(),
        },
        Place::BackendUrl => vec![("false", "opens access to everybody")],
        Place::Part(PartForm::Percent) => vec![("90%", EXAMPLE)],
        Place::Part(PartForm::Duration) => vec![("5d", EXAMPLE), ("12h", EXAMPLE)],
        _ => Vec::new(),
    }
}

/// The value in the example of a directive with one word.
fn example(row: &Parameter) -> Option<(&'static str, &'static str)> {
    let (_, value) = row.example.strip_suffix(';')?.split_once(' ')?;
    Some((value, EXAMPLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_single_words() {
        let rows = crate::model::PARAMETERS.iter();
        let of_one_word = rows.filter(|row| {
            matches!(row.shape, Shape::Value(ValueType::Port | ValueType::Text | ValueType::Seconds))
        });
        for row in of_one_word.filter(|row| !row.secret) {
            let place = Place::Own(row);
            assert!(known(place).iter().all(|(value, _)| !value.contains(' ')), "{}", row.key);
            assert_ne!(known(place), [], "{}", row.key);
        }
    }
}
