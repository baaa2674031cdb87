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

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use winnow::Parser;
use winnow::ascii::digit1;
use winnow::combinator::{alt, delimited, preceded, repeat, separated_pair, terminated};
use winnow::token::{one_of, take_till};

use crate::schema::{Fault, FaultKind, Kind, Place, Pointer, Schema, bare_or_quoted, ends_bare_name};
use crate::secret::{Secrecy, word_parts};
use crate::syntax::{Document, Parsed, Word};

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
    ///
    /// # Errors
    /// The text is not a path.
    pub fn parse(text: &str) -> Result<Path, Fault> {
        match Self::split_assignment(text)? {
            (path, None) => Ok(path),
            (_, Some(value)) => Err(wrong_at(text.len() - value.len() - 1)),
        }
    }

    /// Splits `PATH=VALUE` at the first `=` outside quotes and brackets; without one there is no
    /// value. The value is everything behind the `=`, to the letter.
    ///
    /// # Errors
    /// The text does not begin with a path.
    pub fn split_assignment(text: &str) -> Result<(Self, Option<&str>), Fault> {
        let mut rest = text;
        let segments = segments(&mut rest).unwrap_or_default();
        if segments.len() > MOST_SEGMENTS {
            return Err(Fault::of_path(format!("the path has more than {MOST_SEGMENTS} steps")));
        }
        match rest.strip_prefix('=').filter(|_| !segments.is_empty()) {
            None if segments.is_empty() || !rest.is_empty() => Err(wrong_at(text.len() - rest.len())),
            value => Ok((Self { segments }, value)),
        }
    }

    /// The kind of the streams, lives or plugins that the path names or leads into.
    pub fn kind(&self) -> Option<Kind> {
        self.segments.first().and_then(Segment::name).and_then(Schema::kind)
    }

    /// The names that the path begins with.
    pub fn names(&self) -> Vec<&str> {
        self.segments.iter().map_while(Segment::name).collect()
    }

    /// The path through these names.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self { segments: names.into_iter().map(|name| Segment::Key(name.to_owned())).collect() }
    }

    /// The path of its first segments.
    pub fn first(&self, count: usize) -> Self {
        Self { segments: self.segments.iter().take(count).cloned().collect() }
    }

    /// The path one segment further.
    #[must_use]
    pub fn child(&self, segment: Segment) -> Self {
        Self { segments: self.segments.iter().cloned().chain([segment]).collect() }
    }

    /// The first segment that stands for several places.
    pub fn first_pattern(&self) -> Option<usize> {
        self.segments.iter().position(Segment::is_pattern)
    }

    /// A word in quotes, if a shell would read it as something else without them.
    pub fn in_shell_quotes(word: &str) -> Cow<'_, str> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
        let stays = !word.is_empty() && word.chars().all(is_plain);
        if stays { Cow::Borrowed(word) } else { Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))) }
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
                names = if Secrecy::from_name(key) == Secrecy::Push { Secrecy::Push } else { Secrecy::Parts };
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
        let (mut place, mut above) = (Some(Place::Root), String::new());
        let step = |key: String| {
            let has_names = Schema::has_names(&above) || Schema::has_named_blocks(&above);
            let may_be_list = !has_names && place.is_none_or(|place| place.facts().element.is_some());
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
    word_parts(value, secrecy).into_iter().rev().for_each(|part| shown.replace_range(part, "…"));
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
        if let Self::Key(name) = self { Some(name) } else { None }
    }

    /// The segment that stands for all fields.
    pub fn every() -> Self {
        Self::Matching("*".to_owned())
    }

    /// True if it stands for the field of this name, alone or among others.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::Key(key) => key == name,
            Self::Matching(glob) => Self::glob_matches(glob, name),
            _ => false,
        }
    }

    /// True if a name matches a glob, in which each `*` stands for any characters, also for none.
    pub fn glob_matches(glob: &str, name: &str) -> bool {
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

    /// True if it stands for several places, and leaves none out.
    pub(crate) fn takes_all(&self) -> bool {
        *self == Self::EveryEntry || *self == Self::every()
    }

    /// True if it stands for several places.
    pub fn is_pattern(&self) -> bool {
        matches!(self, Self::Matching(_) | Self::EveryEntry)
    }
}

/// Returns the names in `segments`; `None` if one of them is not a name.
pub fn keys(segments: &[Segment]) -> Option<Vec<&str>> {
    segments.iter().map(Segment::name).collect()
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
            Segment::Find { key, value } => write!(f, "[{}={}]", bare_or_quoted(key), Word::in_quotes(value)),
        }
    }
}

/// The fault of a text in which no step of a path can be read behind this number of bytes. It holds nothing of the text,
/// which may go on with a secret.
fn wrong_at(offset: usize) -> Fault {
    Fault::of_path(format!("the path is wrong at column {}", offset + 1)).hint(FORMS)
}

/// The forms of steps, for the faults of a text that is not a path.
const FORMS: &str = r#"a name stands behind a `.`; an element is `[0]`, `[-1]` for the last, `[*]` for all, `[+]` to append, or `[url="…"]` to find one by a field; a name or a value with other characters is in double quotes, such as `"cam.1"`"#;

/// field *( "." field / bracket )
fn segments(input: &mut &str) -> Parsed<Vec<Segment>> {
    let step = alt((preceded('.', field), preceded('[', bracket)));
    let (first, mut rest): (_, Vec<Segment>) = (field, repeat(..=MOST_SEGMENTS, step)).parse_next(input)?;
    rest.insert(0, first);
    Ok(rest)
}

/// field = quoted / glob / name
fn field(input: &mut &str) -> Parsed<Segment> {
    let named = |name: &str| match name.contains('*') {
        true => Segment::Matching(name.to_owned()),
        false => Segment::Key(name.to_owned()),
    };
    alt((quoted.map(Segment::Key), take_till(1.., ends_bare_name).map(named))).parse_next(input)
}

/// quoted = DQUOTE *( any character but \ and DQUOTE / "\\" / "\" DQUOTE ) DQUOTE
pub fn quoted(input: &mut &str) -> Parsed<String> {
    let part = alt((take_till(1.., ('"', '\\')), preceded('\\', one_of(['"', '\\']).take())));
    let inside = repeat(0.., part).fold(String::new, |text, part: &str| text + part);
    delimited('"', inside, '"').parse_next(input)
}

/// bracket = "[" ( "+" / "*" / index / name "=" value ) "]"
fn bracket(input: &mut &str) -> Parsed<Segment> {
    let key = alt((quoted, take_till(1.., ends_bare_name).map(str::to_owned)));
    let value = alt((quoted, take_till(0.., ('[', ']', '"')).map(str::to_owned)));
    let element = alt((
        '+'.value(Segment::Append),
        '*'.value(Segment::EveryEntry),
        digit1.parse_to().map(Segment::Index),
        preceded('-', digit1.parse_to()).verify(|back| *back > 0).map(Segment::FromEnd),
    ));
    let find = separated_pair(key, '=', value).map(|(key, value)| Segment::Find { key, value });
    alt((terminated(element, ']'), terminated(find, ']'))).parse_next(input)
}
