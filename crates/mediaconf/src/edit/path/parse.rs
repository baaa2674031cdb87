//! The grammar of paths.
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
//! The shell has split the arguments before, so a bare name may hold spaces.

use winnow::combinator::{alt, dispatch, empty, eof, not, opt, peek, preceded, repeat, terminated};
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location, Stream};
use winnow::token::{any, one_of, take_till, take_while};

use super::error::{MOST_SEGMENTS, PathError, PathProblem};
use super::segment::{Path, Segment};
use crate::edit::fault::Fault;
use crate::schema::json_pointer::ends_bare_name;

impl Path {
    /// Parses a path that fills the whole text.
    pub fn parse(text: &str) -> Result<Path, Fault> {
        match split_assignment(text)? {
            (path, None) => Ok(path),
            (_, Some(value)) => {
                let offset = text.len() - value.len() - 1;
                Err(PathError { at: offset, problem: PathProblem::ValueNotExpected }.into())
            }
        }
    }
}

/// Splits `PATH=VALUE` at the first `=` outside quotes and brackets; without one there is no
/// value. The value is everything behind the `=`, to the letter.
pub fn split_assignment(text: &str) -> Result<(Path, Option<&str>), Fault> {
    split(text).map_err(Fault::from)
}

pub(super) fn split(text: &str) -> Result<(Path, Option<&str>), PathError> {
    if text.is_empty() {
        return Err(PathError { at: 0, problem: PathProblem::Empty });
    }
    let mut input = LocatingSlice::new(text);
    let segments = path(&mut input)
        .map_err(|error| error.into_inner().expect("only partial input can be incomplete"))?;
    let value = text[input.current_token_start()..].strip_prefix('=');
    Ok((Path { segments }, value))
}

type Input<'a> = LocatingSlice<&'a str>;
type Parsed<T> = ModalResult<T, PathError>;

/// Combinators that fail without a word of their own mean a missing name; every other fault is
/// named where it is found.
impl ParserError<Input<'_>> for PathError {
    type Inner = PathError;

    fn from_input(input: &Input<'_>) -> Self {
        PathError { at: input.current_token_start(), problem: PathProblem::NameExpected }
    }

    fn into_inner(self) -> Result<PathError, PathError> {
        Ok(self)
    }
}

/// Stops the parser: no other alternative fits either.
fn cut(offset: usize, problem: PathProblem) -> ErrMode<PathError> {
    ErrMode::Cut(PathError { at: offset, problem })
}

/// `field *( "." field / bracket )`, up to the end or a `=`
fn path(input: &mut Input<'_>) -> Parsed<Vec<Segment>> {
    let mut segments = vec![field(input)?];
    while let Some(segment) = next_segment(input)? {
        if segments.len() == MOST_SEGMENTS {
            return Err(cut(input.current_token_start(), PathProblem::TooLong));
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
            let offset = input.current_token_start();
            Err(cut(offset, PathProblem::SeparatorExpected(found)))
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
    match opt('"').parse_next(input)? {
        Some(_) => Ok(text),
        None => Err(cut(offset, PathProblem::UnclosedQuote)),
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
    let offset = input.current_token_start();
    '\\'.parse_next(input)?;
    not(eof).parse_next(input)?;
    match opt(one_of(['\\', '"']).take()).parse_next(input)? {
        Some(character) => Ok(character),
        None => Err(cut(offset, PathProblem::UnknownEscape)),
    }
}

/// `"[" ( "+" / "*" / index / name "=" value ) "]"`
fn bracket(input: &mut Input<'_>) -> Parsed<Segment> {
    let offset = input.current_token_start();
    '['.parse_next(input)?;
    if !input.contains(']') {
        return Err(cut(offset, PathProblem::UnclosedBracket));
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
    let too_large = |_| PathError { at: offset, problem: PathProblem::IndexTooLarge(digits.to_owned()) };
    let index = digits.parse().map_err(too_large).map_err(ErrMode::Cut)?;
    match (is_from_end, index) {
        (true, 0) => Err(ErrMode::from_input(input)),
        (true, back) => Ok(Segment::FromEnd(back)),
        (false, index) => Ok(Segment::Index(index)),
    }
}

/// `name "=" value "]"`, in the bracket that begins at `bracket`
fn find(bracket: usize, input: &mut Input<'_>) -> Parsed<Segment> {
    let key = find_key(bracket, input)?;
    '='.parse_next(input)?;
    let value = find_value(input)?;
    match input.peek_token() {
        Some(']') => any.value(Segment::Find { key, value }).parse_next(input),
        Some(found) => Err(needs_quotes(input, found)),
        None => Err(cut(bracket, PathProblem::UnclosedBracket)),
    }
}

/// The name before `=`, which alone would be no entry of a list.
fn find_key(bracket: usize, input: &mut Input<'_>) -> Parsed<String> {
    let offset = input.current_token_start();
    let key = quoted_or(take_till(0.., ends_bare_name), input)?;
    match input.peek_token() {
        Some('=') if input.current_token_start() > offset => Ok(key),
        Some('=') => Err(cut(offset, PathProblem::NameExpected)),
        Some(']') => Err(cut(offset, PathProblem::NotAnEntry(key))),
        Some(found) => Err(needs_quotes(input, found)),
        None => Err(cut(bracket, PathProblem::UnclosedBracket)),
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
    let offset = input.current_token_start();
    cut(offset, PathProblem::QuotesNeeded(found))
}
