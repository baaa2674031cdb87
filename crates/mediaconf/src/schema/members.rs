//! The members of one block: its entries grouped by the JSON key they are shown under.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use foldhash::{HashMap, HashSet};
use indexmap::IndexMap;
use serde_json::Value;

use crate::schema::{Codec, General, Kind, Parameter, Schema, Scope};
use crate::syntax::{Document, Entry, Word};

/// The keyword behind an unknown JSON key: without its escape.
pub fn keyword_of(scope: Scope, key: &str) -> &str {
    if scope == Scope::Unknown { key } else { key.strip_prefix(Schema::ESCAPE).unwrap_or(key) }
}

/// True if a key is escaped without need: only known keywords, and those that start with the escape itself, are escaped.
pub fn has_needless_escape(scope: Scope, key: &str) -> bool {
    (scope != Scope::Unknown) && key.starts_with(Schema::ESCAPE) && !scope.is_reserved(keyword_of(scope, key))
}

/// The row of an entry that has the form of it: it is shown and edited as the parameter.
///
/// # Errors
/// The general rule shows the entry. The row is that of its keyword, if the keyword is known and the form is wrong.
pub fn read(scope: Scope, entry: Entry<'_>) -> Result<&'static Parameter, Option<&'static Parameter>> {
    let row = scope.by_keyword(&entry.keyword()).ok_or(None)?;
    if row.codec.fits(entry) { Ok(row) } else { Err(Some(row)) }
}

impl<'t> Entry<'t> {
    /// The kind of the stream, live or plugin that an entry of the top level is.
    pub fn block_kind(self) -> Option<Kind> {
        read(Scope::Top, self).ok()?.codec.facts().group
    }

    /// The name in the header of a stream, live or plugin.
    pub fn group_name(self) -> Word<'t> {
        self.arguments().next().expect("an entry that fits a group has a name")
    }

    /// The places of those with another text in two lists of streams, lives or plugins, from 0; `None` if the lists do not
    /// have the same names in the same order.
    pub fn changed_namesakes(these: &[Self], others: &[Entry<'_>]) -> Option<Vec<usize>> {
        let pairs = (0..).zip(these.iter().zip(others));
        let differing = pairs.filter(|(_, (this, other))| this.text() != other.text());
        let is_namesake = |(at, (this, other)): (usize, (&Entry<'_>, &Entry<'_>))| {
            (this.group_name().value() == other.group_name().value()).then_some(at)
        };
        if these.len() == others.len() { differing.map(is_namesake).collect() } else { None }
    }

    /// The number of streams inside its block, which stand there if a `}` is missing.
    pub fn inner_streams(self) -> usize {
        let inside = self.numbers().skip(1).map(|number| self.document().entry(number));
        let kind = |entry: Self| Schema::group_of(&entry.keyword());
        inside.filter(|entry| kind(*entry).is_some_and(Kind::has_sources)).count()
    }

    /// The only word behind the keyword.
    pub fn only_argument(self) -> Option<Word<'t>> {
        if self.count_arguments() == 1 { self.arguments().next() } else { None }
    }

    /// Login and password of the last account directive. `None` if either is empty, or if the login holds
    /// a colon, which Basic authentication can't transmit.
    pub fn usable_account(accounts: &[Self]) -> Option<[Word<'t>; 2]> {
        let both: [Word<'t>; 2] = accounts.last()?.arguments().collect::<Vec<_>>().try_into().ok()?;
        let [login, password] = both.map(|word| word.value());
        (!login.is_empty() && !password.is_empty() && !login.contains(':')).then_some(both)
    }
}

/// The scope inside the block of an unknown entry.
pub fn inner_scope(entry: Entry<'_>) -> Scope {
    Schema::block_scope(&entry.keyword(), entry.count_arguments())
}

/// The value of the first word behind the keyword, such as the name of a block; empty without one.
pub fn first_argument(entry: Entry<'_>) -> Cow<'_, str> {
    entry.arguments().next().map(|word| word.value()).unwrap_or_default()
}

impl Document {
    /// The members of the top level.
    pub fn members(&self) -> Members<'_> {
        let [head, tail] = &self.kept_rows;
        let rows = || {
            let middle = self.entries().skip(head.len()).map(|entry| Members::place(Scope::Top, entry));
            let middle = middle.take(self.entries().count() - head.len() - tail.len());
            head.iter().copied().chain(middle).chain(tail.iter().copied()).collect()
        };
        let rows = self.rows.get_or_init(rows).iter().copied();
        Members::placed(Scope::Top, self.entries().zip(rows))
    }
}

/// What the keywords of a row, in any form, and the keys of their members have in common: the place of the row; of others
/// the name.
fn family(scope: Scope, name: &str) -> Result<usize, &str> {
    let name = name.trim_start_matches(Schema::ESCAPE);
    let row = scope.by_keyword(name).or_else(|| scope.by_key(name));
    row.and_then(|row| scope.place(row)).ok_or(name)
}

/// The members of a block, the known ones in schema order, then the others by first appearance.
pub struct Members<'d> {
    /// The scope of the block.
    pub scope: Scope,
    /// The entries of the known parameters, and the places of these in the schema, in their order.
    own: Vec<Entry<'d>>,
    rows: Vec<usize>,
    /// A bit for each known parameter that is looked at, by the place of its row: all of them, or few.
    looked_at: u64,
    /// The entries of each other keyword, by first appearance.
    pub foreign: IndexMap<Cow<'d, str>, Vec<Entry<'d>>>,
    /// The places of the streams, of the lives and of the plugins, by their names.
    places: [OnceCell<HashMap<String, usize>>; 3],
    /// How often such a place was asked for.
    asked: Cell<u8>,
}

/// The number of questions for the place of a name before all names are kept.
const MOST_NOT_KEPT: u8 = 3;

impl<'d> Members<'d> {
    /// Groups `entries`, which stand in a block of this scope.
    pub fn group(scope: Scope, entries: impl Iterator<Item = Entry<'d>>) -> Self {
        Self::placed(scope, entries.map(|entry| (entry, Self::place(scope, entry))))
    }

    /// Groups those of the entries that these keys, or keywords, are read from, and those whose members they may become.
    pub fn akin<'k>(
        scope: Scope,
        entries: impl Iterator<Item = Entry<'d>>,
        keys: impl Iterator<Item = &'k str>,
    ) -> Self {
        let (mut looked_at, mut others) = (0, HashSet::default());
        keys.for_each(|key| match family(scope, key) {
            Ok(row) => looked_at |= 1 << row,
            Err(name) => drop(others.insert(name)),
        });
        let is_akin = |entry: &Entry<'_>| match family(scope, &entry.keyword()) {
            Ok(row) => looked_at >> row & 1 == 1,
            Err(name) => others.contains(name),
        };
        Self { looked_at, ..Self::group(scope, entries.filter(is_akin)) }
    }

    /// The place of the row of an entry in the scope.
    fn place(scope: Scope, entry: Entry<'_>) -> Option<u8> {
        read(scope, entry).ok().and_then(|row| scope.place(row)).map(|place| place as u8)
    }

    fn placed(scope: Scope, entries: impl Iterator<Item = (Entry<'d>, Option<u8>)>) -> Self {
        let (mut members, mut own) = (Self::empty(scope), Vec::new());
        for (entry, row) in entries {
            match row {
                Some(row) => own.push((usize::from(row), entry)),
                None => members.foreign.entry(entry.keyword()).or_default().push(entry),
            }
        }
        own.sort_by_key(|(row, _)| *row);
        members.rows = own.iter().map(|(row, _)| *row).collect();
        members.own = own.into_iter().map(|(_, entry)| entry).collect();
        members
    }

    /// The members of an empty block.
    pub fn empty(scope: Scope) -> Self {
        let (own, rows, foreign, places, asked) = Default::default();
        Self { scope, own, rows, looked_at: u64::MAX, foreign, places, asked }
    }

    /// The entries of a known parameter; empty if it is not set.
    pub fn own(&self, parameter: &'static Parameter) -> &[Entry<'d>] {
        let of = |row| self.rows.partition_point(|at| *at < row)..self.rows.partition_point(|at| *at <= row);
        self.scope.place(parameter).map_or(&[], |row| &self.own[of(row)])
    }

    /// Each known parameter that is looked at with its entries, in schema order.
    pub fn all_own(&self) -> impl Iterator<Item = (&'static Parameter, &[Entry<'d>])> {
        let (mut start, looked_at) = (0, self.looked_at);
        let few = looked_at.trailing_zeros()..u64::BITS - looked_at.leading_zeros();
        let rows = self.scope.rows().enumerate().take(few.end as usize).skip(few.start as usize);
        rows.filter(move |(place, _)| looked_at >> place & 1 == 1).map(move |(place, row)| {
            let count = self.rows[start..].iter().take_while(|of| **of == place).count();
            start += count;
            (row, &self.own[start - count..start])
        })
    }

    /// The entries of the parameter with this key; empty if it is not set.
    pub fn own_by_key(&self, key: &str) -> &[Entry<'d>] {
        self.scope.by_key(key).map_or(&[], |parameter| self.own(parameter))
    }

    /// The place of a stream, live or plugin among those of its kind, from 0.
    pub fn place_of(&self, kind: Kind, name: &str) -> Option<usize> {
        let names = || self.own_by_key(kind.key()).iter().map(|block| block.group_name().value());
        // Of few names none is kept.
        self.asked.set(self.asked.get().saturating_add(1));
        if self.asked.get() < MOST_NOT_KEPT {
            return names().rposition(|found| found == name);
        }
        let places = || names().map(Cow::into_owned).zip(0..).collect();
        self.places[kind as usize].get_or_init(places).get(name).copied()
    }

    /// The entries of an unknown keyword; empty if there are none.
    pub fn foreign_by_keyword(&self, keyword: &str) -> &[Entry<'d>] {
        self.foreign.get(keyword).map_or(&[], Vec::as_slice)
    }

    /// The entries that an unknown JSON key shows; empty if there are none.
    pub fn foreign_by_key(&self, key: &str) -> &[Entry<'d>] {
        let keyword = keyword_of(self.scope, key);
        if self.scope.key_of(keyword) == key { self.foreign_by_keyword(keyword) } else { &[] }
    }

    /// The entries from which the member with a key is read; those of another parameter if that has them.
    pub fn lines(&self, key: &str) -> &[Entry<'d>] {
        let Some(row) = self.scope.by_key(key) else { return self.foreign_by_key(key) };
        self.own_by_key(row.codec.facts().entries_of.unwrap_or(key))
    }

    /// The own value of a member; `None` if it is not shown.
    pub fn value(&self, key: &str) -> Option<Value> {
        let (row, lines) = (self.scope.by_key(key), self.lines(key));
        row.map_or_else(|| General { keyword: key }.read(lines, None), |row| row.read(lines, None))
    }
}
