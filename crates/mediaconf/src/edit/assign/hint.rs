//! The hint of a refused assignment: a command line that the program accepts.

use serde_json::Value;

use super::assignment::{AssignedValue, Assignment};
use crate::edit::path::{Path, Segment};
use crate::edit::schema_path::Place;
use crate::edit::shell_word::quoted;
use crate::edit::typed::typed;
use crate::model::Masker;
use crate::model::redact::masked_below;
use crate::schema::kinds::WordKind;
use crate::schema::{JsonForm, Parameter, PartPlace};

/// An address for examples.
const ADDRESS: &str = "udp://239.0.0.1:1234";

/// The option that sets a value, as it is typed.
pub fn set(path: &Path, text: &str) -> String {
    format!("`--set {}`", quoted(&format!("{}={text}", path.shown())))
}

/// The text behind the path with this segment.
pub fn set_below(path: &Path, segment: Segment, text: &str) -> String {
    let mut path = path.clone();
    path.segments.push(segment);
    set(&path, text)
}

/// True if the value at the path holds no secret, so that advice may show it.
pub fn may_show(path: &Path, value: &Value) -> bool {
    let keys: Vec<&str> = path.segments.iter().filter_map(Segment::name).collect();
    masked_below(&keys, value, &Masker::default()) == *value
}

/// An example of what fits at a place that takes several words or JSON.
pub fn example(place: Place, assignment: &Assignment) -> Option<String> {
    let path = &assignment.path;
    let such = |text: &str| Some(format!("such as {}", set(path, text)));
    match place {
        Place::Own(parameter) => match (parameter.codec.facts().list, parameter.codec.facts().sources) {
            (Some(list), _) => {
                let example = words_of_example(parameter);
                Some(whole_or_new(path, example, &values(list.kind, &assignment.value, example)))
            }
            (_, Some(shape)) => {
                let list = format!("[{{\"{}\":\"{ADDRESS}\"}}]", shape.address);
                Some(whole_or_new(path, ADDRESS, &list))
            }
            _ if parameter.is_setting() && parameter.codec.facts().json != JsonForm::Leaf => {
                such(words_of_example(parameter))
            }
            _ => None,
        },
        Place::Group(kind) => such(&format!("{{\"NAME\":{}}}", kind.0.example)),
        Place::Block(kind) => such(kind.0.example),
        Place::Source(_) => such(ADDRESS),
        Place::Pair(_) => such("vb=1024k"),
        Place::Extras => such("{\"KEY\":\"VALUE\"}"),
        Place::Part(part) if part.place == PartPlace::Rest => such("[\"OPTION\"]"),
        _ => None,
    }
}

/// Advice for a list: how to append an element, and how to set all of it.
fn whole_or_new(path: &Path, element: &str, list: &str) -> String {
    let new = set_below(path, Segment::Append, element);
    format!("{new} appends, {} sets the whole list", set(path, list))
}

/// The values in a text, as a list; the example where it has others.
fn values(kind: &'static WordKind, value: &AssignedValue, example: &str) -> String {
    let example = || format!("[{example}]");
    let (AssignedValue::Typed(text) | AssignedValue::Text(text) | AssignedValue::File(text)) = value else {
        return example();
    };
    let values: Option<Vec<Value>> =
        text.split_whitespace().map(|word| typed(Place::Element(kind), word).ok()).collect();
    values.filter(|values| !values.is_empty()).map_or_else(example, |values| Value::Array(values).to_string())
}

/// The words behind the keyword in the example of a row.
fn words_of_example(parameter: &Parameter) -> &'static str {
    let words = parameter.example.trim_end_matches(';');
    words.split_once(' ').map_or(words, |(_, words)| words)
}
