//! What each block of a configuration may hold: for each parameter its place, and its form in text and JSON.
//!
//! The view, the edits, the checks, the typed values of the command line, the completion in shells and `media.conf(5)` are
//! made from it. [`Schema::media`] is the schema of media servers: a new parameter is a new row in `media`, and a directive
//! that only other servers of the family know a row in `foreign`.

mod foreign;
mod forms;
pub(crate) mod json_value;
pub mod kinds;
mod lookup;
pub mod media;
mod row;
pub(crate) mod scalar;
mod secret_words;
pub(crate) mod suggest;

pub use suggest::nearest;

pub use foreign::{FOREIGN_KEYWORDS, ForeignForm, ForeignKeyword, OUTSIDE, SELECTORS, protocol_of_switch};
pub use forms::{
    Derived, DirectiveRole, JsonForm, ListShape, ObjectShape, OptionsShape, POSITION, Part, PartPlace, STATIC,
};
pub use json_value::Object;
pub use lookup::ESCAPE;
pub use media::{ACCOUNT, SOURCE};
pub use row::{
    AddressShape, Group, Kind, Merge, Parameter, Schema, Scope, ScopeTable, Shape, URL_GLOBAL, WITH_INCLUDES,
    numbered,
};
pub use secret_words::{SECRET_ENDINGS, SECRET_KEYS, SECRET_WORDS};
