//! The path language of `read`, `--set` and `--unset`: `streams."cam.1".urls[url="udp://…"]`.
//!
//! ```text
//! path    = field *( "." field / bracket )
//! field   = "*" / name
//! name    = bare / quoted
//! bare    = 1*( any character but . [ ] = " ' )
//! quoted  = DQUOTE *( any character but \ and DQUOTE / "\\" / "\" DQUOTE ) DQUOTE
//! bracket = "[" ( "+" / index / name "=" value ) "]"
//! index   = 1*DIGIT
//! value   = quoted / *( any character but [ ] " )
//! ```
//!
//! This is syntax alone: which fields exist, what a value's type is and whether a segment finds
//! something is for the layers that know the schema and the document. The shell has split the
//! arguments before, so a bare name may hold spaces.

use std::fmt;
use std::str::FromStr;

use winnow::combinator::{alt, dispatch, empty, eof, not, opt, peek, preceded, repeat, terminated};
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location, Stream};
use winnow::token::{any, one_of, take_till, take_while};

/// A place in a configuration, or with [`Segment::Every`] several.
///
/// Displayed in its canonical form, with quotes only where they are needed, which parses to the
/// same path if the path begins with a name or `*`, as every parsed path does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path {
    /// The steps from the root, at least one.
    pub segments: Vec<Segment>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// The field of this name: `streams`, `"cam.1"`.
    Key(String),
    /// All fields: `*`.
    Every,
    /// The entry of a list at this place, from 0: `[0]`.
    Index(usize),
    /// A new entry at the end of a list: `[+]`.
    Append,
    /// The entry of a list whose field `key` has this value: `[url="udp://239.0.0.1:1234"]`.
    Find {
        /// The name of the field.
        key: String,
        /// Its value as text.
        value: String,
    },
}

impl Segment {
    /// The name of the field, if it is a single one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Key(name) => Some(name),
            _ => None,
        }
    }
}

/// Why a text is no path.
///
/// `at` is the byte offset of the fault in the text given. No variant holds more than one
/// character of a value, since values may be secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathError {
    /// There is no path at all.
    Empty,
    /// No name stands where one has to: `a..b`, `a.`, `.a`, `[0]`.
    NameExpected {
        /// Where the name would begin.
        at: usize,
    },
    /// A character in a bare name, or in a bare value in brackets, that needs quotes.
    QuotesNeeded {
        /// Where the character is.
        at: usize,
        /// The character.
        found: char,
    },
    /// Something follows a bracket or a quoted name at once.
    SeparatorExpected {
        /// Where it begins.
        at: usize,
        /// Its first character.
        found: char,
    },
    /// A quote without its end.
    UnclosedQuote {
        /// Where it begins.
        at: usize,
    },
    /// A backslash in quotes before something else than `\` and `"`.
    UnknownEscape {
        /// Where the backslash is.
        at: usize,
    },
    /// A bracket without its end.
    UnclosedBracket {
        /// Where it begins.
        at: usize,
    },
    /// Something in brackets that is no number, no `+` and no `name=value`.
    NotAnEntry {
        /// Where it begins, after the bracket.
        at: usize,
        /// The name in brackets, which may be empty.
        found: String,
    },
    /// A number in brackets that no list can have.
    IndexTooLarge {
        /// Where it begins.
        at: usize,
        /// Its digits.
        found: String,
    },
    /// An assignment where only a path can stand.
    ValueNotExpected {
        /// Where the `=` is.
        at: usize,
    },
}

impl Path {
    /// Parses a path that fills the whole text.
    pub fn parse(text: &str) -> Result<Path, PathError> {
        match split_assignment(text)? {
            (path, None) => Ok(path),
            (_, Some(value)) => Err(PathError::ValueNotExpected { at: text.len() - value.len() - 1 }),
        }
    }
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Path, PathError> {
        Path::parse(text)
    }
}

/// Splits `PATH=VALUE` at the first `=` outside quotes and brackets; without one there is no
/// value. The value is what follows, to the letter.
pub fn split_assignment(text: &str) -> Result<(Path, Option<&str>), PathError> {
    if text.is_empty() {
        return Err(PathError::Empty);
    }
    let mut input = LocatingSlice::new(text);
    let segments = path(&mut input)
        .map_err(|fault| fault.into_inner().expect("only partial input can be incomplete"))?;
    let value = text[input.current_token_start()..].strip_prefix('=');
    Ok((Path { segments }, value))
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, segment) in self.segments.iter().enumerate() {
            let is_field = matches!(segment, Segment::Key(_) | Segment::Every);
            if is_field && place > 0 {
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
            Segment::Key(name) => write_name(f, name),
            Segment::Every => f.write_str("*"),
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Append => f.write_str("[+]"),
            Segment::Find { key, value } => {
                f.write_str("[")?;
                write_name(f, key)?;
                f.write_str("=")?;
                write_quoted(f, value)?;
                f.write_str("]")
            }
        }
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if name.is_empty() || name == "*" || name.contains(ends_bare_name) {
        return write_quoted(f, name);
    }
    f.write_str(name)
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let escaped = text.replace('\\', r"\\").replace('"', r#"\""#);
    write!(f, "\"{escaped}\"")
}

impl PathError {
    /// The byte offset of the fault in the text given.
    pub fn at(&self) -> usize {
        match self {
            PathError::Empty => 0,
            PathError::NameExpected { at }
            | PathError::QuotesNeeded { at, .. }
            | PathError::SeparatorExpected { at, .. }
            | PathError::UnclosedQuote { at }
            | PathError::UnknownEscape { at }
            | PathError::UnclosedBracket { at }
            | PathError::NotAnEntry { at, .. }
            | PathError::IndexTooLarge { at, .. }
            | PathError::ValueNotExpected { at } => *at,
        }
    }

    /// What to write instead.
    pub fn hint(&self) -> &'static str {
        match self {
            PathError::Empty => "name a field, such as `streams.cam1.urls`",
            PathError::NameExpected { .. } => {
                r#"a path begins with a name and has one after each `.`; an empty name is `""`"#
            }
            PathError::QuotesNeeded { .. } => {
                r#"put the whole name or value in double quotes, such as `"cam.1"`"#
            }
            PathError::SeparatorExpected { .. } => "write `.` before the next name; quotes hold a whole name",
            PathError::UnclosedQuote { .. } => {
                r#"end the name with `"`; a quote within it is `\"`, and the shell needs '…' around"#
            }
            PathError::UnknownEscape { .. } => r#"in quotes a backslash is `\\` and a quote `\"`"#,
            PathError::UnclosedBracket { .. } => "end it with `]`",
            PathError::NotAnEntry { .. } => {
                r#"write `[0]`, `[+]` to append, or `[url="…"]` to find an entry by a field"#
            }
            PathError::IndexTooLarge { .. } => "entries are counted from 0; `[+]` appends",
            PathError::ValueNotExpected { .. } => {
                r#"give the path alone; a name that holds `=` is quoted: `"a=b"`"#
            }
        }
    }
}

impl fmt::Display for PathError {
    /// Columns count bytes, from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathError::Empty => return f.write_str("the path is empty"),
            PathError::NameExpected { .. } => write!(f, "a name is missing"),
            PathError::QuotesNeeded { found, .. } => write!(f, "`{found}` outside quotes"),
            PathError::SeparatorExpected { found, .. } => {
                write!(f, "`.` or `[` expected before `{found}`")
            }
            PathError::UnclosedQuote { .. } => write!(f, "`\"` is never closed"),
            PathError::UnknownEscape { .. } => write!(f, "unknown escape after `\\`"),
            PathError::UnclosedBracket { .. } => write!(f, "`[` is never closed"),
            PathError::NotAnEntry { found, .. } => write!(f, "`[{found}]` is no entry of a list"),
            PathError::IndexTooLarge { found, .. } => write!(f, "index `{found}` is too large"),
            PathError::ValueNotExpected { .. } => write!(f, "`=` after the path"),
        }?;
        write!(f, " (column {} of the path)", self.at() + 1)
    }
}

impl std::error::Error for PathError {}

type Input<'a> = LocatingSlice<&'a str>;
type Parsed<T> = ModalResult<T, PathError>;

/// Combinators that fail without a word of their own mean a missing name; every other fault is
/// named where it is found.
impl ParserError<Input<'_>> for PathError {
    type Inner = PathError;

    fn from_input(input: &Input<'_>) -> Self {
        PathError::NameExpected { at: input.current_token_start() }
    }

    fn into_inner(self) -> Result<PathError, PathError> {
        Ok(self)
    }
}

/// `field *( "." field / bracket )`, up to the end or a `=`
fn path(input: &mut Input<'_>) -> Parsed<Vec<Segment>> {
    let mut segments = vec![field(input)?];
    while let Some(segment) = next_segment(input)? {
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
            let at = input.current_token_start();
            Err(ErrMode::Cut(PathError::SeparatorExpected { at, found }))
        },
    }
    .parse_next(input)
}

/// `"*" / name`
fn field(input: &mut Input<'_>) -> Parsed<Segment> {
    if input.starts_with('"') {
        return quoted.map(Segment::Key).parse_next(input);
    }
    let name = bare(input)?;
    Ok(match name {
        "*" => Segment::Every,
        _ => Segment::Key(name.to_owned()),
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

/// Characters with a meaning of their own; `'` has none, but who writes it means a quote.
fn ends_bare_name(c: char) -> bool {
    matches!(c, '.' | '[' | ']' | '=' | '"' | '\'')
}

/// `DQUOTE *( any character but \ and DQUOTE / "\\" / "\" DQUOTE ) DQUOTE`
fn quoted(input: &mut Input<'_>) -> Parsed<String> {
    let at = input.current_token_start();
    let content = repeat(0.., quoted_part).fold(String::new, |text, part| text + part);
    let text = preceded('"', content).parse_next(input)?;
    match opt('"').parse_next(input)? {
        Some(_) => Ok(text),
        None => Err(ErrMode::Cut(PathError::UnclosedQuote { at })),
    }
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
    let at = input.current_token_start();
    '\\'.parse_next(input)?;
    not(eof).parse_next(input)?;
    match opt(one_of(['\\', '"']).take()).parse_next(input)? {
        Some(character) => Ok(character),
        None => Err(ErrMode::Cut(PathError::UnknownEscape { at })),
    }
}

/// `"[" ( "+" / index / name "=" value ) "]"`
fn bracket(input: &mut Input<'_>) -> Parsed<Segment> {
    let at = input.current_token_start();
    '['.parse_next(input)?;
    if !input.contains(']') {
        return Err(ErrMode::Cut(PathError::UnclosedBracket { at }));
    }
    let append = "+]".value(Segment::Append);
    let find = |input: &mut Input<'_>| find(at, input);
    alt((append, terminated(index, ']'), find)).parse_next(input)
}

/// `1*DIGIT`; digits that only begin a name are none of its business.
fn index(input: &mut Input<'_>) -> Parsed<Segment> {
    let at = input.current_token_start();
    let digits = take_while(1.., '0'..='9');
    let digits: &str = terminated(digits, peek(']')).parse_next(input)?;
    let too_large = |_| PathError::IndexTooLarge { at, found: digits.to_owned() };
    let index = digits.parse().map_err(too_large).map_err(ErrMode::Cut)?;
    Ok(Segment::Index(index))
}

/// `name "=" value "]"`, in the bracket that begins at `bracket`
fn find(bracket: usize, input: &mut Input<'_>) -> Parsed<Segment> {
    let key = find_key(bracket, input)?;
    '='.parse_next(input)?;
    let value = find_value(input)?;
    match input.peek_token() {
        Some(']') => any.value(Segment::Find { key, value }).parse_next(input),
        Some(found) => Err(needs_quotes(input, found)),
        None => Err(ErrMode::Cut(PathError::UnclosedBracket { at: bracket })),
    }
}

/// The name before `=`, which alone would be no entry of a list.
fn find_key(bracket: usize, input: &mut Input<'_>) -> Parsed<String> {
    let at = input.current_token_start();
    let key = quoted_or(take_till(0.., ends_bare_name), input)?;
    match input.peek_token() {
        Some('=') if input.current_token_start() > at => Ok(key),
        Some('=') => Err(ErrMode::Cut(PathError::NameExpected { at })),
        Some(']') => Err(ErrMode::Cut(PathError::NotAnEntry { at, found: key })),
        Some(found) => Err(needs_quotes(input, found)),
        None => Err(ErrMode::Cut(PathError::UnclosedBracket { at: bracket })),
    }
}

/// `quoted / *( any character but [ ] DQUOTE )`
fn find_value(input: &mut Input<'_>) -> Parsed<String> {
    quoted_or(take_till(0.., ['[', ']', '"']), input)
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

/// The fault of a character that can only be meant as part of the name or value before it.
fn needs_quotes(input: &Input<'_>, found: char) -> ErrMode<PathError> {
    let at = input.current_token_start();
    ErrMode::Cut(PathError::QuotesNeeded { at, found })
}

#[cfg(test)]
mod tests;
