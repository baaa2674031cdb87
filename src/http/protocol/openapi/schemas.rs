//! The schemas of requests and responses. Those of configurations are made from the table of
//! directives, like the view and the edits.

use mediaconf::plumbing::schema::media::{LIVE, PLUGIN, SOURCE_MEMBERS, STREAM, TOP};
use serde_json::{Map, Value, json};

use crate::engine::KINDS;
use crate::http::protocol::problem::urn;
use mediaconf::plumbing::schema::kinds::{SCALAR, WordKind};
use mediaconf::plumbing::schema::{
    AddressShape, Derived, ObjectShape, Parameter, Part, PartPlace, Schema, Scope, Shape,
};

/// The name of the schema of responses of `read_config`.
pub(super) const CONFIGURATION: &str = "Configuration";

/// The name of the schema of requests of `modify_config`.
pub(super) const PATCH: &str = "Patch";

/// The name of the schema of a problem document.
pub(super) const PROBLEM: &str = "Problem";

/// The name of the schema of a change in the history.
pub(super) const CHANGE: &str = "Change";

/// The name of the schema of a request for a change.
pub(super) const REQUESTED_CHANGE: &str = "RequestedChange";

/// The name of the schema of the report of a change.
pub(super) const CHANGE_REPORT: &str = "ChangeReport";

/// The name of the schema of the state of a configuration.
pub(super) const STATUS: &str = "Status";

/// The name of the schema of the faults of a text.
pub(super) const FAULTS: &str = "CheckedConfig";

/// The name of the schema of a file that a configuration includes.
pub(super) const INCLUDED_FILE: &str = "IncludedFile";

/// The values that a patch may contain beyond its schema.
const PATCH_DESCRIPTION: &str = "A merge patch (RFC 7396). Numbers of known parameters may be decimal strings, and `[]` \
                         is an empty object; read-only members are ignored, or have to be as they were.";

/// The objects with parameters, and the names of their schemas.
static OBJECTS: &[(Scope, &str)] = &[
    (TOP, CONFIGURATION),
    (STREAM, "Stream"),
    (LIVE, "Live"),
    (PLUGIN, "Plugin"),
    (SOURCE_MEMBERS, "Source"),
];

/// The member of a property that says what the directive in the text is.
const IN_THE_TEXT: &str = "x-mediactl";

/// Adds the schemas that are made from tables to those that are fixed.
pub(super) fn add(schemas: &mut Value) {
    for form in [SchemaForm::Shown, SchemaForm::Patch] {
        for (scope, name) in OBJECTS {
            schemas[form.name(name)] = form.object(*scope);
        }
        for row in Schema::media().rows() {
            match row.shape {
                Shape::Object(object) => schemas[form.name(object.name)] = form.parts(object),
                Shape::Address(address) => {
                    schemas[form.name(address.name)] = form.backend(address);
                    schemas[block_backend(address)] = SchemaForm::Shown.block_backend(address);
                }
                _ => {}
            }
        }
    }
    schemas[PATCH]["description"] = json!(PATCH_DESCRIPTION);
    let problems: Vec<String> = KINDS.iter().map(|&kind| urn(kind)).collect();
    schemas[PROBLEM]["properties"]["type"]["enum"] = json!(problems);
}

/// A reference to the schema of this name.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// A change of a value: an entry of the history with the values.
pub(super) fn blamed() -> Value {
    let values =
        json!({ "type": "object", "properties": { "from": true, "to": true }, "required": ["from", "to"] });
    json!({ "allOf": [reference(CHANGE), values] })
}

/// The two uses of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaForm {
    /// A response.
    Shown,
    /// A merge patch: members may be missing, or null to be removed.
    Patch,
}

impl SchemaForm {
    fn name(self, of: &str) -> String {
        match (self, of) {
            (Self::Shown, name) => name.to_owned(),
            (Self::Patch, CONFIGURATION) => PATCH.to_owned(),
            (Self::Patch, name) => format!("{name}{PATCH}"),
        }
    }

    fn reference(self, to: &str) -> Value {
        reference(&self.name(to))
    }

    /// An object with the parameters of a scope, and maybe unknown members.
    fn object(self, scope: Scope) -> Value {
        let rows = || scope.rows().filter(move |row| self == Self::Patch || !is_former(row));
        let properties: Map<String, Value> =
            rows().map(|row| (row.key.to_owned(), self.member(row))).collect();
        let is_source = scope == SOURCE_MEMBERS;
        let others = if is_source { self.or_null(self.word()) } else { json!(true) };
        let always: Vec<&str> = rows().filter(|row| is_always_there(row)).map(|row| row.key).collect();
        let schema = json!({ "type": "object", "properties": properties, "additionalProperties": others });
        match (self, is_source) {
            // A patch replaces each element of an array as a whole, so its required members must be
            // there.
            (Self::Shown, _) | (Self::Patch, true) => with_required(schema, &always),
            (Self::Patch, _) => schema,
        }
    }

    /// The schema of one parameter, with its documentation.
    fn member(self, row: &Parameter) -> Value {
        let value = self.value(row);
        let mut schema = if is_address(row) { value } else { self.or_null(value) };
        let unit = if row.unit.is_empty() { String::new() } else { format!(", in {}", row.unit) };
        schema["description"] = json!(format!("{}{unit}.", row.doc));
        schema[IN_THE_TEXT] = in_the_text(row);
        if is_read_only(row) {
            schema["readOnly"] = json!(true);
        }
        if is_former(row) {
            schema["deprecated"] = json!(true);
        }
        schema
    }

    fn value(self, row: &Parameter) -> Value {
        match row.shape {
            Shape::List(list) => {
                let port = self.one_word(list.kind, false);
                let ports = json!({ "type": "array", "items": &port });
                if self == Self::Patch && !row.always_shown {
                    json!({ "anyOf": [ports, port] })
                } else {
                    ports
                }
            }
            Shape::Value(kind) => self.one_word(kind, row.secret),
            Shape::Object(object) => self.reference(object.name),
            Shape::Address(address) if self == Self::Shown && row.scope != TOP => {
                reference(&block_backend(address))
            }
            Shape::Address(address) => self.reference(address.name),
            Shape::Addresses(address) => json!({ "type": "array", "items": self.reference(address.name) }),
            Shape::Options(_) => json!({ "type": "array", "items": self.transcoder_option() }),
            Shape::Group(kind) => self.by_name(self.reference(object_name(kind.scope()))),
            Shape::Blocks(_) => self.by_name(json!({ "type": "object" })),
            Shape::Derived(Derived::Static) if row.scope == LIVE => json!({ "const": false }),
            Shape::Derived(derived) => derived_value(derived),
        }
    }

    fn by_name(self, element: Value) -> Value {
        json!({ "type": "object", "additionalProperties": self.or_null(element) })
    }

    /// A part that has to be there can't be removed alone, so it can't be null.
    fn parts(self, object: &'static ObjectShape) -> Value {
        let is_required =
            |part: &&Part| part.place == PartPlace::Required && object.alternative(part).is_none();
        let member = |part: &'static Part| {
            let value = self.part(part);
            let mut value = if is_required(&part) { value } else { self.or_null(value) };
            value[IN_THE_TEXT] = known([
                ("text", json!(part.kind.usage)),
                ("unit", json!(part.kind.unit)),
                ("secret", json!(part.secret)),
            ]);
            (part.key.to_owned(), value)
        };
        let properties: Map<String, Value> = object.parts.iter().map(member).collect();
        let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        let required: Vec<&str> = object.parts.iter().filter(is_required).map(|part| part.key).collect();
        match self {
            Self::Shown => with_required(schema, &required),
            Self::Patch if object.takes_words => {
                let words = json!({ "type": "array", "items": self.word() });
                json!({ "anyOf": [schema, words, { "type": "string" }] })
            }
            Self::Patch => schema,
        }
    }

    fn part(self, part: &Part) -> Value {
        let value = self.one_word(part.kind, part.secret);
        if part.place == PartPlace::Rest { json!({ "type": "array", "items": value }) } else { value }
    }

    fn one_word(self, kind: &WordKind, is_secret: bool) -> Value {
        let mut schema = (kind.schema)(self == Self::Patch);
        if is_secret {
            schema["format"] = json!("password");
        }
        schema
    }

    fn backend(self, address: &AddressShape) -> Value {
        match self {
            Self::Shown => with_required(self.own_backend(address), &[address.address]),
            Self::Patch => self.block_backend(address),
        }
    }

    /// The own backend, and the members that are repeated beside it.
    fn block_backend(self, address: &AddressShape) -> Value {
        let mut schema = self.own_backend(address);
        address.members.rows().for_each(|row| schema["properties"][row.key] = self.member(row));
        schema
    }

    /// The members that the directive itself has.
    fn own_backend(self, address: &AddressShape) -> Value {
        let url = self.or_null(json!({ "anyOf": [{ "type": "string" }, { "const": false }] }));
        let value = self.or_null(json!({ "anyOf": [{ "type": "string" }, { "const": true }] }));
        let extra = self.or_null(json!({ "type": "object", "additionalProperties": value }));
        let mut properties = Map::from_iter([(address.address.to_owned(), url)]);
        properties.extend(address.options.map(|key| (key.to_owned(), extra)));
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }

    /// `[name, value]`, or `[name]` for a bare flag.
    fn transcoder_option(self) -> Value {
        let parts = json!([{ "type": "string" }, self.word()]);
        json!({ "type": "array", "prefixItems": parts, "minItems": 1, "maxItems": 2 })
    }

    /// The value of an option.
    fn word(self) -> Value {
        self.one_word(&SCALAR, false)
    }

    fn or_null(self, schema: Value) -> Value {
        match self {
            Self::Shown => schema,
            Self::Patch => json!({ "anyOf": [schema, { "type": "null" }] }),
        }
    }
}

/// What a row says of its directive: `text` is the form of the words behind `keyword`.
fn in_the_text(row: &Parameter) -> Value {
    let keyword = row.keywords.first().copied().unwrap_or_default();
    let text = if keyword.is_empty() { "".into() } else { row.usage() };
    known([
        ("keyword", json!(keyword)),
        ("text", json!(text)),
        ("unit", json!(row.unit)),
        ("default", json!(row.default)),
        ("example", json!(row.example)),
        ("secret", json!(row.secret)),
    ])
}

/// The members that are not empty; `secret` is always there.
fn known<const COUNT: usize>(members: [(&str, Value); COUNT]) -> Value {
    members.into_iter().filter(|(_, value)| value != "").map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Returns the name of the schema of `auth` in a stream or live: with the global URL, and maybe without an own
/// one.
fn block_backend(address: &AddressShape) -> String {
    format!("Block{}", address.name)
}

fn object_name(scope: Scope) -> &'static str {
    OBJECTS.iter().find(|(of, _)| *of == scope).expect("every group has its object").1
}

fn with_required(mut schema: Value, keys: &[&str]) -> Value {
    schema["required"] = json!(keys);
    schema
}

/// True if a patch can not change the member: it is ignored, or has to be as it was.
fn is_read_only(row: &Parameter) -> bool {
    row.shape.derived().is_some_and(|derived| derived.is_output_only() || derived == Derived::Name)
}

/// True if no server shows the member: clients of an earlier version send it.
fn is_former(row: &Parameter) -> bool {
    row.shape.derived() == Some(Derived::Former)
}

fn is_address(row: &Parameter) -> bool {
    row.shape.derived() == Some(Derived::Address)
}

fn is_always_there(row: &Parameter) -> bool {
    let is_shown = |derived: Derived| !derived.is_output_only() && derived != Derived::Included;
    row.always_shown || row.shape.derived().is_some_and(is_shown)
}

fn derived_value(derived: Derived) -> Value {
    match derived {
        Derived::Name | Derived::Address | Derived::Global | Derived::Former => json!({ "type": "string" }),
        Derived::Static => json!({ "type": "boolean" }),
        Derived::Position => json!({ "type": "integer", "minimum": 1 }),
        Derived::Runtime => json!({ "type": "object" }),
        Derived::Included => json!({ "type": "array", "items": { "type": "string" } }),
    }
}
