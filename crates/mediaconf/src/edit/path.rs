//! The path language of `read`, `--set` and `--unset`: `streams."cam.1".urls[url="udp://…"]`.
//!
//! ```text
//! path    = field *( "." field / bracket )
//! field   = glob / name                             ; a glob is a bare name that holds a "*"
//! name    = bare / quoted
//! bare    = 1*( any character but . [ ] = " ' )
//! quoted  = DQUOTE *( any character but \ and DQUOTE / "\\" / "\" DQUOTE ) DQUOTE
//! bracket = "[" ( "+" / "*" / index / name "=" value ) "]"
//! index   = ["-"] 1*DIGIT                           ; from the end, where the last is -1
//! value   = quoted / *( any character but [ ] " )
//! ```
//!
//! The shell has split the arguments before, so a bare name may hold spaces. This is syntax alone: the layers that know
//! the schema and the document know what a path leads to.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use winnow::combinator::{alt, dispatch, empty, eof, not, opt, peek, preceded, repeat, terminated};
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location, Stream};
use winnow::token::{any, one_of, take_till, take_while};

use super::schema_path::Place;
use crate::schema::Schema;
use crate::schema::fault::{Fault, FaultKind};
use crate::schema::json_pointer::{Pointer, bare_or_quoted, ends_bare_name, in_quotes};
use crate::secret::{Secrecy, word_parts};
use crate::syntax::Document;

#[cfg(test)]
mod tests;

/// The largest number of steps of a path: each level of a value may be a list in an object.
const MOST_SEGMENTS: usize = 2 * Document::MAX_DEPTH;

/// A place in a configuration, or with a [`Segment::Matching`] or [`Segment::EveryEntry`] several.
///
/// Displayed in its canonical form, with quotes only where they are needed, which parses to the
/// same path if the path begins with a name or a glob, as every parsed path does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Path {
    /// The steps from the root, at least one.
    pub segments: Vec<Segment>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// The field of this name: `streams`, `"cam.1"`.
    Key(String),
    /// All fields whose names match a glob, in which `*` stands for any characters: `*`, `cam*`.
    Matching(String),
    /// The entry of a list at this place, from 0: `[0]`.
    Index(usize),
    /// The entry of a list at this place, counted from its end: `[-1]` is the last.
    FromEnd(usize),
    /// All entries of a list: `[*]`.
    EveryEntry,
    /// A new entry at the end of a list: `[+]`.
    Append,
    /// The entry of a list whose field `key` has this value: `[url="udp://239.0.0.1:1234"]`.
    Find {
        /// The field.
        key: String,
        /// Its value as text.
        value: String,
    },
}

impl Path {
    /// Parses a path that fills the whole text.
    pub fn parse(text: &str) -> Result<Path, Fault> {
        match split_assignment(text)? {
            (path, None) => Ok(path),
            (_, Some(value)) => {
                let hint = r#"give the path alone; a name that holds `=` is quoted: `"a=b"`"#;
                Err(PathError {
                    at: text.len() - value.len() - 1,
                    message: "`=` after the path".into(),
                    hint,
                }
                .into())
            }
        }
    }

    /// Splits the path behind the names that it begins with.
    pub fn split_names(&self) -> (Vec<&str>, &[Segment]) {
        let names: Vec<&str> = self.segments.iter().map_while(Segment::name).collect();
        let below = &self.segments[names.len()..];
        (names, below)
    }

    /// The path of all members of a group.
    pub fn all(group: &str) -> Self {
        Self { segments: vec![Segment::Key(group.to_owned()), Segment::Matching(EVERY.to_owned())] }
    }

    /// The path of the streams, lives or plugins that this one leads into.
    pub fn entry(&self) -> Self {
        self.first(2)
    }

    /// The path of its first segments.
    pub fn first(&self, count: usize) -> Self {
        Self { segments: self.segments.iter().take(count).cloned().collect() }
    }

    /// The path one segment further.
    #[must_use]
    pub fn child(&self, segment: Segment) -> Self {
        Self { segments: [&self.segments[..], &[segment]].concat() }
    }

    /// The first segment that stands for several places.
    pub fn first_pattern(&self) -> Option<usize> {
        self.segments.iter().position(Segment::is_pattern)
    }

    /// The path with another segment at this place.
    pub fn with_segment(&self, at: usize, segment: Segment) -> Self {
        let mut path = self.clone();
        path.segments[at] = segment;
        path
    }

    /// The path with a name in the place of these segments.
    pub fn with_name(&self, segments: Range<usize>, name: String) -> Self {
        let mut path = self.clone();
        path.segments.splice(segments, [Segment::Key(name)]);
        path
    }

    /// The path as messages show it: secrets in a `[url="…"]`, and in names, are left out.
    pub fn shown(&self) -> String {
        let mut names = Secrecy::Parts;
        let segments = self.segments.iter().map(|segment| match segment {
            Segment::Find { key, value } => {
                Segment::Find { key: key.clone(), value: without_secrets(value, Secrecy::from_name(key)) }
            }
            Segment::Key(key) => {
                let shown = without_secrets(key, names);
                // A name of a secret does not make the names below it secret.
                let below = Secrecy::from_name(key);
                names = if below == Secrecy::Push { below } else { Secrecy::Parts };
                Segment::Key(shown)
            }
            other => other.clone(),
        });
        Path { segments: segments.collect() }.to_string()
    }
}

impl Pointer {
    /// The same place as a path. Digits are an index where a list may stand, elsewhere a name.
    pub fn to_path(&self) -> Path {
        let schema = Schema::media();
        let (mut place, mut above) = (Some(Place::Root), String::new());
        let step = |key: String| {
            let may_be_list =
                place.is_none_or(|place| place.list_entry().is_some()) && !schema.has_names(&above);
            let index = key.parse().ok().filter(|_| may_be_list);
            above.clone_from(&key);
            let segment = index.map_or(Segment::Key(key), Segment::Index);
            place = place.and_then(|place| place.step(&segment).ok());
            segment
        };
        Path { segments: self.keys().into_iter().map(step).collect() }
    }
}

fn without_secrets(value: &str, secrecy: Secrecy) -> String {
    let mut shown = value.to_owned();
    for part in word_parts(value, secrecy).into_iter().rev() {
        shown.replace_range(part, "…");
    }
    shown
}

impl Fault {
    /// The same fault as one of a path, which it names; secrets in it are masked.
    #[must_use]
    pub fn at(self, path: &Path) -> Self {
        let kind = if self.is_absent() { FaultKind::Absent } else { FaultKind::Path };
        let message = format!("`{}`: {}", path.shown(), self.message);
        Self { kind, message, pointer: None, ..self }
    }
}

impl Segment {
    /// The name of the field, if it is a single one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Key(name) => Some(name),
            _ => None,
        }
    }

    /// True if it stands for several places.
    pub fn is_pattern(&self) -> bool {
        matches!(self, Self::Matching(_) | Self::EveryEntry)
    }
}

/// The glob that matches every name.
pub const EVERY: &str = "*";

/// Returns the names in `segments`; `None` if one of them is not a name.
pub fn keys(segments: &[Segment]) -> Option<Vec<&str>> {
    segments.iter().map(Segment::name).collect()
}

/// True if a name matches a glob, in which each `*` stands for any characters, also for none.
pub fn glob_matches(glob: &str, name: &str) -> bool {
    if glob == EVERY {
        return true;
    }
    let Some((start, rest)) = glob.split_once('*') else { return glob == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        // The first place leaves the most for the parts behind it.
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    name.ends_with(end)
}

impl TryFrom<String> for Path {
    type Error = Fault;

    fn try_from(text: String) -> Result<Self, Fault> {
        Self::parse(&text)
    }
}

impl From<Path> for String {
    fn from(path: Path) -> Self {
        path.to_string()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, segment) in self.segments.iter().enumerate() {
            if place > 0 && matches!(segment, Segment::Key(_) | Segment::Matching(_)) {
                f.write_str(".")?;
            }
            write!(f, "{segment}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Segment::Key(name) => f.write_str(&bare_or_quoted(name)),
            Segment::Matching(glob) => f.write_str(glob),
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::FromEnd(back) => write!(f, "[-{back}]"),
            Segment::EveryEntry => f.write_str("[*]"),
            Segment::Append => f.write_str("[+]"),
            Segment::Find { key, value } => write!(f, "[{}={}]", bare_or_quoted(key), in_quotes(value)),
        }
    }
}

/// The reason why a text is not a path. It holds at most one character of a value, which may be a secret.
#[derive(Debug)]
struct PathError {
    /// The byte offset of the problem in the text.
    at: usize,
    message: String,
    hint: &'static str,
}

impl From<PathError> for Fault {
    /// Columns count bytes, from 1.
    fn from(PathError { at, message, hint }: PathError) -> Self {
        Self::of_path(format!("{message} (column {} of the path)", at + 1)).hint(hint)
    }
}

/// Combinators that fail without a word of their own mean a missing name; every other fault is
/// named where it is found.
impl ParserError<Input<'_>> for PathError {
    type Inner = PathError;

    fn from_input(input: &Input<'_>) -> Self {
        let hint = r#"a path begins with a name and has one after each `.`; an empty name is `""`"#;
        PathError { at: input.current_token_start(), message: "a name is missing".into(), hint }
    }

    fn into_inner(self) -> Result<PathError, PathError> {
        Ok(self)
    }
}

/// Splits `PATH=VALUE` at the first `=` outside quotes and brackets; without one there is no
/// value. The value is everything behind the `=`, to the letter.
pub fn split_assignment(text: &str) -> Result<(Path, Option<&str>), Fault> {
    if text.is_empty() {
        return Err(Fault::of_path("the path is empty").hint("name a field, such as `streams.cam1.urls`"));
    }
    let mut input = LocatingSlice::new(text);
    let segments = path(&mut input)
        .map_err(|error| error.into_inner().expect("only partial input can be incomplete"))?;
    let value = text[input.current_token_start()..].strip_prefix('=');
    Ok((Path { segments }, value))
}

type Input<'a> = LocatingSlice<&'a str>;
type Parsed<T> = ModalResult<T, PathError>;

/// Stops the parser: no other alternative fits either.
fn cut(at: usize, message: impl Into<String>, hint: &'static str) -> ErrMode<PathError> {
    ErrMode::Cut(PathError { at, message: message.into(), hint })
}

/// `field *( "." field / bracket )`, up to the end or a `=`
fn path(input: &mut Input<'_>) -> Parsed<Vec<Segment>> {
    let mut segments = vec![field(input)?];
    while let Some(segment) = next_segment(input)? {
        if segments.len() == MOST_SEGMENTS {
            let message = format!("the path has more than {MOST_SEGMENTS} steps");
            return Err(cut(
                input.current_token_start(),
                message,
                "no value of a configuration is that deep",
            ));
        }
        segments.push(segment);
    }
    Ok(segments)
}

fn next_segment(input: &mut Input<'_>) -> Parsed<Option<Segment>> {
    dispatch! {peek(opt(any));
        None | Some('=') => empty.value(None),
        Some('.') => preceded('.', field).map(Some),
        Some('[') => bracket.map(Some),
        Some(found) => move |input: &mut Input<'_>| {
            let message = format!("`.` or `[` expected before `{found}`");
            Err(cut(input.current_token_start(), message, "write `.` before the next name; quotes hold a whole name"))
        },
    }
    .parse_next(input)
}

/// `glob / name`
fn field(input: &mut Input<'_>) -> Parsed<Segment> {
    if input.starts_with('"') {
        return quoted.map(Segment::Key).parse_next(input);
    }
    let name = bare(input)?;
    Ok(match name.contains('*') {
        true => Segment::Matching(name.to_owned()),
        false => Segment::Key(name.to_owned()),
    })
}

/// `1*( any character but . [ ] = " ' )`
fn bare<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    let name = take_till(0.., ends_bare_name).parse_next(input)?;
    match input.peek_token() {
        Some(found @ (']' | '"' | '\'')) => Err(needs_quotes(input, found)),
        _ if name.is_empty() => Err(ErrMode::from_input(input)),
        _ => Ok(name),
    }
}

/// `DQUOTE *( any character but \ and DQUOTE / "\\" / "\" DQUOTE ) DQUOTE`
fn quoted(input: &mut Input<'_>) -> Parsed<String> {
    let offset = input.current_token_start();
    let content = repeat(0.., quoted_part).fold(String::new, |text, part| text + part);
    let text = preceded('"', content).parse_next(input)?;
    let hint = r#"end the name with `"`; a quote within it is `\"`, and the shell needs '…' around"#;
    opt('"').parse_next(input)?.map(|_| text).ok_or_else(|| cut(offset, r#"`"` is never closed"#, hint))
}

fn quoted_part<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    dispatch! {peek(any);
        '\\' => escape,
        _ => take_till(1.., ['\\', '"']),
    }
    .parse_next(input)
}

/// `"\\" / "\" DQUOTE`; a backslash at the end is left there, as the quote is not closed.
fn escape<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    let offset = input.current_token_start();
    '\\'.parse_next(input)?;
    not(eof).parse_next(input)?;
    let hint = r#"in quotes a backslash is `\\` and a quote `\"`"#;
    let character = opt(one_of(['\\', '"']).take()).parse_next(input)?;
    character.ok_or_else(|| cut(offset, r"unknown escape after `\`", hint))
}

/// `"[" ( "+" / "*" / index / name "=" value ) "]"`
fn bracket(input: &mut Input<'_>) -> Parsed<Segment> {
    let offset = input.current_token_start();
    '['.parse_next(input)?;
    if !input.contains(']') {
        return Err(unclosed_bracket(offset));
    }
    let append = "+]".value(Segment::Append);
    let every = "*]".value(Segment::EveryEntry);
    let find = |input: &mut Input<'_>| find(offset, input);
    alt((append, every, terminated(index, ']'), find)).parse_next(input)
}

/// `["-"] 1*DIGIT`; fails for digits that only begin a name, and for `-0`.
fn index(input: &mut Input<'_>) -> Parsed<Segment> {
    let offset = input.current_token_start();
    let is_from_end = opt('-').parse_next(input)?.is_some();
    let digits = take_while(1.., '0'..='9');
    let digits: &str = terminated(digits, peek(']')).parse_next(input)?;
    let hint = "elements are counted from 0; `[+]` appends";
    let index = digits.parse().map_err(|_| cut(offset, format!("index `{digits}` is too large"), hint))?;
    match (is_from_end, index) {
        (true, 0) => Err(ErrMode::from_input(input)),
        (true, back) => Ok(Segment::FromEnd(back)),
        (false, index) => Ok(Segment::Index(index)),
    }
}

/// `name "=" value "]"`, in the bracket that begins at `bracket`
fn find(bracket: usize, input: &mut Input<'_>) -> Parsed<Segment> {
    let offset = input.current_token_start();
    let key = quoted_or(take_till(0.., ends_bare_name), input)?;
    match input.peek_token() {
        Some('=') if input.current_token_start() > offset => any.parse_next(input)?,
        Some('=') => return Err(ErrMode::from_input(input).cut()),
        Some(']') => {
            let hint = r#"write `[0]`, `[-1]` for the last, `[*]` for all, `[+]` to append, or `[url="…"]` to find one by a field"#;
            return Err(cut(offset, format!("`[{key}]` is not an element of a list"), hint));
        }
        Some(found) => return Err(needs_quotes(input, found)),
        None => return Err(unclosed_bracket(bracket)),
    };
    let value = quoted_or(take_till(0.., ['[', ']', '"']), input)?;
    match input.peek_token() {
        Some(']') => any.value(Segment::Find { key, value }).parse_next(input),
        Some(found) => Err(needs_quotes(input, found)),
        None => Err(unclosed_bracket(bracket)),
    }
}

fn quoted_or<'a>(
    mut bare: impl Parser<Input<'a>, &'a str, ErrMode<PathError>>,
    input: &mut Input<'a>,
) -> Parsed<String> {
    if input.starts_with('"') {
        return quoted(input);
    }
    bare.by_ref().map(str::to_owned).parse_next(input)
}

fn unclosed_bracket(at: usize) -> ErrMode<PathError> {
    cut(at, "`[` is never closed", "end it with `]`")
}

/// The fault of a character that can only be meant as part of the name or value before it.
fn needs_quotes(input: &Input<'_>, found: char) -> ErrMode<PathError> {
    let hint = r#"put the whole name or value in double quotes, such as `"cam.1"`"#;
    cut(input.current_token_start(), format!("`{found}` outside quotes"), hint)
}
