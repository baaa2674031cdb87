//! Refuses a plain value with blanks for a directive that has several words: the value would become
//! one word in quotes.

use crate::schema::Schema;
use serde_json::Value;

use super::assignment::AssignedValue;
use super::hint::{may_show, set};
use crate::edit::config_lookup::ConfigLookup;
use crate::edit::fault::Fault;
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::select::value_at;
use crate::edit::typed::words;

/// Refuses the value if it is such a text; the hint gives the words as JSON.
pub fn refuse_one_for_several(
    current: &dyn ConfigLookup,
    place: Place,
    path: &Path,
    change: &AssignedValue,
) -> Result<(), Fault> {
    let is_line = is_line_that_repeats(path);
    let text = match change {
        AssignedValue::Typed(text) => text,
        AssignedValue::Text(text) if is_line => text,
        _ => return Ok(()),
    };
    let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if !place.is_foreign() || !text.contains(char::is_whitespace) || is_json() {
        return Ok(());
    }
    let fault = match value_at(current, path) {
        _ if is_line => Fault::of_path("this line would have one word in quotes, not several words"),
        // Of several lines the guard of another form tells.
        Ok(Value::Array(lines)) if lines.iter().any(Value::is_array) => return Ok(()),
        Ok(Value::Array(_)) => {
            Fault::of_path("several words are there, and this value would be one word in quotes")
        }
        _ => return Ok(()),
    };
    let words = words(text);
    Err(match may_show(path, &words) {
        true => fault.hint(format!(
            "the words as a JSON array are `{words}`: {}; `--accept form-change` sets one word",
            set(path, &words.to_string())
        )),
        false => fault.hint("give the words as a JSON array; `--accept form-change` sets one word"),
    })
}

/// True if the path leads to a line of a directive that repeats, such as `push[+]`.
fn is_line_that_repeats(path: &Path) -> bool {
    let [.., Segment::Key(key), entry] = &path.segments[..] else { return false };
    Schema::media().repeats(key) && matches!(entry, Segment::Append | Segment::Index(_) | Segment::FromEnd(_))
}
