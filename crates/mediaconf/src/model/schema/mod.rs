//! The one table of all known parameters: where each may stand, and its form in text and JSON.
//!
//! The view, the edits, the checks, the typed values of the command line, the schemas of OpenAPI, the
//! completion in shells and `media.conf(5)` are made from it. A new parameter is a new row in `table`. Directives that only other servers of the
//! family know are rows in `foreign`.

mod foreign;
pub mod kinds;
mod lookup;
mod row;
mod table;

pub use foreign::{
    FOREIGN_KEYWORDS, ForeignForm, ForeignKeyword, OUTSIDE, SELECTORS, foreign_keyword, has_named_blocks,
    has_names, is_flag, is_foreign_keyword, protocol_of_switch, repeats,
};
pub use lookup::{
    ESCAPE, block_scope, by_key, by_keyword, group_of, is_any_keyword, is_reserved, may_be_strict, parameters,
};
pub use row::{
    AddressShape, Derived, DirectiveRole, JsonForm, Kind, ListShape, ObjectShape, OptionsShape, POSITION,
    Parameter, Part, PartPlace, STATIC, Scope, Shape, URL_GLOBAL, WITH_INCLUDES,
};
pub use table::{ACCOUNT, PARAMETERS, SECRET_ENDINGS, SECRET_KEYS, SECRET_WORDS, SOURCE};
