//! What each block of a configuration may hold: for each parameter its place, and its form in text and JSON.
//!
//! The view, the edits, the checks, the typed values of the command line, the completion in shells and `media.conf(5)` are
//! made from it. [`Schema`] is the schema of media servers: a new parameter is a new row in `media`, a new form of
//! values a new file in `codec`, and a directive that only other servers of the family know a row in `foreign`.
//!
//! *Invariants.* Nothing outside of `codec` reads or writes the words of a directive by its form. This layer does not know
//! which secrets are masked, nor how a text is edited.

mod codec;
mod fault;
mod foreign;
mod kinds;
mod media;
mod members;
mod patch;
mod row;
mod suggest;

pub use codec::{
    Address, AddressesShape, BlocksShape, DirectiveForm, General, are_named_blocks, block_value,
    header_address, is_plural, json, merge_block, merge_into, no_key, normalized, object, occurrence,
    occurrence_value, occurrences, of_kind, read_directive, read_members, scalars, write_members,
};
pub use fault::{Fault, FaultKind, Faults, Pointer, bare_or_quoted, ends_bare_name};
pub use foreign::{
    FOREIGN_KEYWORDS, ForeignForm, ForeignKeyword, OUTSIDE, SECRET_ENDINGS, SECRET_KEYS, SECRET_WORDS,
    SELECTORS, protocol_of_switch,
};
pub use kinds::{
    BACKEND_NAMES, BACKEND_URL, BITRATE, DURATION, DVR_REFERENCE, FLAG, LOG_LEVEL, Object, PERCENT, PORT,
    SCALAR, SECONDS, SWITCH, TEXT, WordKind, canonical_scalar, integer, is_empty, is_scalar, kind_of,
    of_word, plain_word, scalar_text, shown, word,
};
pub use media::SOURCE;
pub use members::{Members, first_argument, has_needless_escape, inner_scope, keyword_of, read};
pub use patch::{Normalizer, parse_within};
pub use row::{
    AddressShape, BlockHead, CLUSTER_KEY_GLOBAL, Codec, Derived, DirectiveRole, Facts, JsonForm, Kind,
    KnownOption, ListShape, ObjectShape, OptionsShape, Parameter, Part, PartPlace, Place, Schema, Scope,
    URL_GLOBAL, no_members, no_string,
};
pub use suggest::{Spelled, is_one_edit, is_one_slip, is_only_near, listed, similar_names};
