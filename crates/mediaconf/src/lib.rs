//! The configuration format of media servers: text, schema, queries, and edits with a proof.
//!
//! | task | names |
//! |---|---|
//! | [parse a text](#parse-a-text) | [`Document`], [`Entry`], [`Word`], [`Token`], [`TokenKind`] |
//! | [check it](#check-it) | [`check()`], [`Diagnostics`], [`Diagnostic`], [`Fix`], [`Severity`] |
//! | find a place in it | [`LineIndex`], [`Position`], [`Span`] |
//! | [see it as JSON](#see-it-as-json) | [`Config`] |
//! | [read a value](#read-a-value) | [`Config`], [`Path`], [`Segment`], [`Selection`], [`FoundValue`], [`ValueSource`] |
//! | [set and unset values](#set-and-unset-values) | [`Request`], [`Edit`], [`Assignment`], [`AssignedValue`], [`Substitution`], [`AssignOptions`] |
//! | choose streams, and refuse surprises | [`Condition`], [`Expectation`] |
//! | [add, copy and rename blocks](#set-and-unset-values) | [`BlockRequest`], [`BlockContent`], [`Renaming`] |
//! | [merge a patch](#merge-a-patch) | [`Request`], [`Edit`], [`EditError`], [`Faults`], [`Fault`], [`FaultKind`], [`Pointer`] |
//! | apply a whole state | [`Request::state`], [`Prune`] |
//! | see who uses whom | [`NameUse`], [`Document::name_uses`], [`Document::renamed`] |
//! | [compare](#compare) | [`Config::patch_to`], [`Document::unified_diff`], [`ChangedValue`], [`Effects`] |
//! | [format](#format) | [`Document::formatted`] |
//! | [explain a key](#explain-a-key) | [`Config::explain`], [`Explanation`] |
//! | [complete a path](#complete-a-path) | [`Completion`], [`PathUse`], [`Proposal`] |
//! | [replace bytes](Document::edited) | [`Splice`] |
//! | [look up a directive](#look-up-a-directive) | [`Schema`], [`Scope`], [`Kind`], [`Parameter`], [`DirectiveRole`], [`WordKind`], [`ForeignKeyword`] |
//! | [find secrets](#find-secrets) | [`Masker`], [`MaskedText`], [`SecretValues`] |
//! | show text of others in a terminal | [`printable`], [`one_line`], [`controls_terminal`] |
//!
//! The crate does no I/O, takes no clock and starts no thread: texts come in as strings or bytes, and answers go out as
//! values.
//!
//! # Parse a text
//!
//! Parsing never fails, and keeps each byte. What is wrong is in [`Document::diagnostics`].
//!
//! ```
//! use mediaconf::Document;
//!
//! let text = "stream cam1 {\n  url rtsp://192.0.2.11/h264;\n  prepush 5; # seconds\n}\n";
//! let document = Document::parse(text);
//! assert_eq!(document.text(), text);
//!
//! let stream = document.entries().next().expect("the text has an entry");
//! assert_eq!(stream.keyword(), "stream");
//! assert_eq!(stream.children().count(), 2);
//! ```
//!
//! # Check it
//!
//! ```
//! use mediaconf::{LineIndex, Severity, check};
//!
//! let text = "http 80;\nrtmp port;\n";
//! let diagnostics = check(text);
//! let first = diagnostics.iter().next().expect("`port` is no port");
//! assert_eq!(first.severity, Severity::Error);
//! assert_eq!(LineIndex::new(text).position(first.span.start).line, 2);
//! ```
//!
//! # See it as JSON
//!
//! ```
//! use mediaconf::{Config, Document};
//!
//! let document = Document::parse("stream cam1 { prepush 5; }");
//! assert_eq!(Config::new(&document).to_json()["streams"]["cam1"]["name"], "cam1");
//! // Without names, positions and other members that the text does not hold.
//! let json = Config::own(&document).to_json();
//! assert_eq!(json["streams"]["cam1"]["prepush"], 5);
//! ```
//!
//! # Read a value
//!
//! A path may stand for several places; then each value comes with its own path.
//!
//! ```
//! use mediaconf::{Config, Document, Path};
//!
//! let document = Document::parse("stream a { prepush 5; } stream b { prepush 7; }");
//! let config = Config::new(&document);
//!
//! let path = Path::parse("streams.a.prepush")?;
//! assert_eq!(config.select(&path)?.into_value(), 5);
//!
//! let path = Path::parse("streams.*.prepush")?;
//! let found = config.select(&path)?.into_places();
//! assert_eq!(found[1].0.to_string(), "streams.b.prepush");
//! # Ok::<(), mediaconf::Fault>(())
//! ```
//!
//! # Set and unset values
//!
//! A request becomes an edit ([`Document::edit`]) that touches the bytes that have to change and no others. It proves that the new text reads as
//! was asked for. What is rarely meant, such as a block in the place of several, is refused.
//!
//! ```
//! use mediaconf::{Document, Request};
//!
//! let document = Document::parse("stream cam1 {\n  prepush   5; # seconds\n  title x;\n}\n");
//! let request = Request::set(&["streams.cam1.prepush=2", "streams.cam1.title"])?;
//! let edit = document.edit(&request)?;
//! assert_eq!(edit.document.text(), "stream cam1 {\n  prepush   2; # seconds\n}\n");
//! # Ok::<(), mediaconf::EditError>(())
//! ```
//!
//! # Merge a patch
//!
//! A request can be a JSON merge patch (RFC 7396). One that the format can't hold is refused with all its faults.
//!
//! ```
//! use mediaconf::{Document, EditError, Request};
//! use serde_json::json;
//!
//! let document = Document::parse("# Cameras\nstream cam1 { prepush 5; }\n");
//! let edit = document.edit(&Request::from(json!({"streams": {"cam1": {"prepush": 2}}})))?;
//! assert_eq!(edit.document.text(), "# Cameras\nstream cam1 { prepush 2; }\n");
//!
//! let refused = document.edit(&Request::from(json!({"streams": {"cam1": {"prepush": [true]}}})));
//! let Err(EditError::Faults(faults)) = refused else { panic!("a list is no number") };
//! assert_eq!(faults[0].pointer.as_ref().expect("the patch names it").as_str(), "/streams/cam1/prepush");
//! # Ok::<(), EditError>(())
//! ```
//!
//! # Compare
//!
//! Two configurations differ by a merge patch, two texts by the lines of a unified diff.
//!
//! ```
//! use mediaconf::{Config, Document, Masker};
//! use serde_json::{Value, json};
//!
//! let (from, to) = (json!({"loglevel": "info"}), json!({"loglevel": "debug"}));
//! let patch = Config::from(&from).patch_to(&Config::from(&to));
//! assert_eq!(Value::Object(patch), json!({"loglevel": "debug"}));
//!
//! let [old, new] = ["loglevel info;\n", "loglevel debug;\n"].map(Document::parse);
//! let lines = old.unified_diff(&new, Masker::Off);
//! assert_eq!(lines, ["@@ -1 +1 @@", "-loglevel info;", "+loglevel debug;"]);
//! ```
//!
//! # Format
//!
//! ```
//! use mediaconf::Document;
//!
//! let document = Document::parse("stream cam1 {\nprepush 5;\n}\n");
//! let new = document.formatted().expect("the values stay").expect("the form changes");
//! assert_eq!(new.text(), "stream cam1 {\n  prepush 5;\n}\n");
//! ```
//!
//! # Explain a key
//!
//! ```
//! use mediaconf::{Config, Document, Path};
//!
//! let document = Document::parse("stream cam1 { prepush 5; }");
//! let config = Config::new(&document);
//! let explanation = config.explain(&Path::parse("streams.cam1.prepush")?)?;
//! assert_eq!(explanation.unit, Some("s"));
//! assert_eq!(explanation.found.expect("it is set").value, 5);
//! # Ok::<(), mediaconf::Fault>(())
//! ```
//!
//! # Complete a path
//!
//! ```
//! use mediaconf::{Completion, Config, Document, PathUse};
//!
//! let document = Document::parse("stream cam1 { prepush 5; }");
//! let config = Config::new(&document);
//! let completion = Completion { current: &config, base: &[], path_use: PathUse::Present };
//! let proposals = completion.candidates("streams.cam1.pre");
//! assert_eq!(proposals[0].text, "streams.cam1.prepush");
//! ```
//!
//! # Look up a directive
//!
//! A schema says what each block may hold.
//!
//! ```
//! use mediaconf::Scope;
//!
//! let streams = Scope::Top.by_key("streams").expect("it is a row");
//! let stream = streams.codec.facts().group.expect("its blocks have names").scope();
//! let prepush = stream.by_key("prepush").expect("it is a row");
//! assert_eq!((prepush.unit, prepush.example), ("s", "prepush 5;"));
//! ```
//!
//! # Find secrets
//!
//! ```
//! use mediaconf::{Document, Masker};
//!
//! let text = "edit_auth admin not-real;\n";
//! let document = Document::parse(text);
//! let spans = document.secret_spans();
//! assert_eq!(&text[spans[0].clone()], "not-real");
//! assert_eq!(Masker::Opaque.document(&document), "edit_auth admin <secret:000000>;\n");
//! ```

#![warn(missing_docs)]

mod check;
mod edit;
mod merge;
mod query;
mod request;
mod schema;
mod secret;
mod show;
mod syntax;

pub use check::check;
pub use edit::{
    AssignOptions, AssignedValue, Assignment, Completion, Edit, EditError, Explanation, PathUse, Proposal,
    Substitution,
};
pub use merge::{ChangedValue, Prune};
pub use query::{Condition, Config, Expectation, FoundValue, NameUse, Path, Segment, Selection, ValueSource};
pub use request::{BlockContent, BlockRequest, Renaming, Request};
pub use schema::{
    DirectiveRole, Fault, FaultKind, Faults, ForeignKeyword, Kind, Parameter, Pointer, Schema, Scope,
    WordKind,
};
pub use secret::{MaskedText, Masker, SecretValues};
pub use show::Effects;
pub use syntax::{
    Diagnostic, Diagnostics, Document, Entry, Fix, LineIndex, Position, Severity, Span, Splice, Token,
    TokenKind, Word, controls_terminal, one_line, printable,
};
