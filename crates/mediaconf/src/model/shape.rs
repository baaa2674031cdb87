//! Reads directives by the shapes of their rows: whether an entry has the form, and its values.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::schema::kinds::WordKind;
use crate::schema::scalar::Scalar;
use crate::schema::{
    AddressShape, Kind, ObjectShape, OptionsShape, Parameter, Part, PartPlace, Schema, Scope, Shape,
};
use crate::syntax::{Entry, Word, Words};

/// The row an entry belongs to, and whether the entry has the form of the row.
#[derive(Debug, Clone, Copy)]
pub enum RowMatch {
    /// It is shown and edited as the parameter.
    Own(&'static Parameter),
    /// The keyword is known, the form is wrong: the general rule shows it.
    Misshapen(&'static Parameter),
    /// The general rule shows it.
    Foreign,
}

/// Finds the row of `entry` in `scope`.
pub fn read(scope: Scope, entry: Entry<'_>) -> RowMatch {
    match scope.by_keyword(&entry.keyword()) {
        None => RowMatch::Foreign,
        Some(parameter) if fits(parameter.shape, entry) => RowMatch::Own(parameter),
        Some(parameter) => RowMatch::Misshapen(parameter),
    }
}

/// The kind of the stream, live or plugin that an entry of the top level is.
pub fn block_kind(entry: Entry<'_>) -> Option<Kind> {
    match read(Schema::media().top(), entry) {
        RowMatch::Own(parameter) => parameter.shape.group(),
        RowMatch::Misshapen(_) | RowMatch::Foreign => None,
    }
}

/// True if the arguments and the block of an entry have this shape.
pub fn fits(shape: Shape, entry: Entry<'_>) -> bool {
    let count = entry.count_arguments();
    match shape {
        Shape::Group(kind) if kind.has_sources() && !entry.is_block() => count > 0,
        Shape::Group(_) => count == 1,
        Shape::List(list) => value(list.kind, entry).is_some(),
        _ if entry.is_block() => false,
        Shape::Value(kind) if kind.takes_any => count == 1,
        Shape::Value(kind) => value(kind, entry).is_some(),
        Shape::Object(object) => {
            let takes_all = || part_words(object, entry).all(|(part, _)| part.is_some());
            count >= object.required() && (object.takes_others() || takes_all())
        }
        Shape::Address(_) | Shape::Addresses(_) => count > 0,
        Shape::Options(_) => true,
        Shape::Blocks(_) | Shape::Derived(_) => false,
    }
}

/// The value of a directive with at most one word; `None` if it is not of this kind.
#[inline]
pub fn value<'t>(kind: &WordKind, entry: Entry<'t>) -> Option<Scalar<'t>> {
    if entry.count_arguments() > 1 { None } else { (kind.read)(entry.arguments().next()) }
}

/// Pairs each word behind the keyword with its part; `None` for a word that fits no part.
///
/// If several words have the same part, the last one counts.
pub fn part_words<'t>(
    object: &'static ObjectShape,
    entry: Entry<'t>,
) -> impl Iterator<Item = (Option<&'static Part>, Word<'t>)> {
    let mut required = object.parts.iter().filter(|part| part.place == PartPlace::Required);
    entry.arguments().map(move |word| (part_of(object, required.next(), word), word))
}

/// The part of a word; `required` is the next part that has to be there.
pub fn part_of(
    object: &'static ObjectShape,
    required: Option<&'static Part>,
    word: Word<'_>,
) -> Option<&'static Part> {
    let reads = |part: &&Part| (part.kind.read)(Some(word)).is_some();
    let Some(required) = required else {
        return object.parts.iter().find(|part| match part.place {
            PartPlace::Required | PartPlace::Instead => false,
            PartPlace::Optional => reads(part),
            PartPlace::Rest => true,
        });
    };
    object.alternative(required).filter(reads).or(Some(required))
}

/// The scope inside the block of an unknown entry.
pub fn inner_scope(entry: Entry<'_>) -> Scope {
    match entry.is_block() {
        true => Schema::media().block_scope(&entry.keyword(), entry.count_arguments()),
        false => Schema::media().unknown(),
    }
}

/// The value of the first word behind the keyword, such as the name of a block; empty without one.
pub fn first_argument(entry: Entry<'_>) -> Cow<'_, str> {
    entry.arguments().next().map(|word| word.value()).unwrap_or_default()
}

/// The only word behind the keyword.
pub fn only_argument<'t>(entry: Entry<'t>) -> Option<Word<'t>> {
    if entry.count_arguments() == 1 { entry.arguments().next() } else { None }
}

/// Login and password of an account directive.
pub fn account(entry: Entry<'_>) -> Option<[Word<'_>; 2]> {
    let mut arguments = entry.arguments();
    if entry.count_arguments() == 2 { Some([arguments.next()?, arguments.next()?]) } else { None }
}

/// Login and password of the last account directive. `None` if either is empty, or if the login holds
/// a colon, which Basic authentication can't transmit.
pub fn usable_account<'d>(entries: &[Entry<'d>]) -> Option<[Word<'d>; 2]> {
    let both = account(*entries.last()?)?;
    let is_usable = both.iter().all(|word| !word.value().is_empty()) && !both[0].value().contains(':');
    is_usable.then_some(both)
}

/// One `key=value` or bare word behind the positional argument.
#[derive(Debug, Clone, Copy)]
pub struct OptionWord<'t> {
    /// The whole word.
    pub word: Word<'t>,
    /// The part in front of `=`.
    pub key: Word<'t>,
    /// The part behind `=`; `None` for a bare flag.
    pub value: Option<Word<'t>>,
}

impl<'t> OptionWord<'t> {
    /// Splits a word at its first `=` outside quotes.
    pub fn split(word: Word<'t>) -> Self {
        match word.split_option() {
            Some((key, value)) => Self { word, key, value: Some(value) },
            None => Self { word, key: word, value: None },
        }
    }
}

/// A positional argument and the options behind it: `auth` and each source.
///
/// It holds no list of its options: there are many sources, and each would allocate one.
#[derive(Debug, Clone)]
pub struct Address<'t> {
    /// The first word.
    pub positional: Word<'t>,
    /// The words behind it; `None` for a word that has no options.
    behind: Option<Words<'t>>,
}

impl<'t> Address<'t> {
    /// The address that `words` spell; `None` for no words.
    pub fn from_words(mut words: Words<'t>) -> Option<Self> {
        let positional = words.next()?;
        Some(Self { positional, behind: Some(words) })
    }

    /// The address without options.
    pub fn from_word(positional: Word<'t>) -> Self {
        Self { positional, behind: None }
    }

    /// All options, in the order of the text, repeated ones included.
    pub fn options(&self) -> impl Iterator<Item = OptionWord<'t>> + Clone {
        self.behind.clone().into_iter().flatten().map(OptionWord::split)
    }

    /// The options that count: of a repeated one, the last.
    pub fn effective(&self) -> impl Iterator<Item = OptionWord<'t>> {
        let last = self.options().nth(FEW).map(|_| self.last_of_many());
        let (mut behind, mut places) = (self.options(), 0..);
        std::iter::from_fn(move || {
            loop {
                let (option, at) = (behind.next()?, places.next()?);
                let mut later = behind.clone();
                let is_repeated = match &last {
                    Some(last) => last.get(&option.key.value()) != Some(&at),
                    None => later.any(|later| later.key.value() == option.key.value()),
                };
                if !is_repeated {
                    return Some(option);
                }
            }
        })
    }

    /// Returns the index of the last occurrence of each key.
    fn last_of_many(&self) -> HashMap<Cow<'t, str>, usize> {
        self.options().enumerate().map(|(index, option)| (option.key.value(), index)).collect()
    }
}

/// Up to this many options, comparing them with each other is faster than hashing.
const FEW: usize = 16;

/// The name in the header of a stream, live or plugin.
pub fn group_name<'t>(entry: Entry<'t>) -> Word<'t> {
    entry.arguments().next().expect("an entry that fits a group has a name")
}

/// The source in the header of a one-line stream.
pub fn header_source<'d>(entry: Entry<'d>) -> Option<Address<'d>> {
    let mut words = entry.arguments();
    words.next()?;
    Address::from_words(words)
}

impl AddressShape {
    /// The value of an option; a bare flag is true.
    pub fn value<'t>(&self, option: &OptionWord<'t>) -> Scalar<'t> {
        option.value.and_then(|value| (self.kind.read)(Some(value))).unwrap_or(Scalar::Bool(true))
    }
}

impl OptionsShape {
    /// The JSON name of an option.
    pub fn key<'n>(&self, name: Cow<'n, str>) -> Cow<'n, str> {
        self.known(&name).map_or(name, |known| Cow::Borrowed(known.key))
    }

    /// The value of an option; `None` for a bare flag.
    pub fn value<'t>(&self, option: &OptionWord<'t>) -> Option<Scalar<'t>> {
        let value = option.value?;
        let of_kind = self.known(&option.key.value()).and_then(|known| (known.kind.read)(Some(value)));
        Some(of_kind.unwrap_or_else(|| Scalar::from_word(value)))
    }
}
