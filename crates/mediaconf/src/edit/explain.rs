//! The explanation of a place in a configuration: the row of the schema, the value that is there, and its
//! origin.

use serde::Serialize;

use crate::query::{Config, FoundValue, Path, Segment, keys};
use crate::schema::{
    Fault, ForeignForm, ForeignKeyword, Kind, OUTSIDE, Parameter, Part, Place, Schema, Scope,
};

/// The name that stands for any stream, live or plugin.
const ANY_NAME: &str = "NAME";

/// The explanation of a place.
#[derive(Debug, Default, Serialize)]
pub struct Explanation {
    /// The path, with `NAME` where no certain stream, live or plugin is meant.
    pub path: String,
    /// The meaning of the value.
    pub documentation: String,
    /// The values that are accepted, in words.
    #[serde(rename = "type")]
    pub value_type: String,
    /// The unit of a number.
    pub unit: Option<&'static str>,
    /// The value that holds if it is not set; `None` if the media server decides.
    pub default: Option<&'static str>,
    /// The form of the directive in the text.
    pub text: Option<String>,
    /// The form in JSON.
    pub json: String,
    /// The blocks in which it may stand.
    pub places: Vec<String>,
    /// An example of the directive.
    pub example: Option<&'static str>,
    /// True if its value, or one part of it, is a secret.
    pub secret: bool,
    /// The members of an object, each with its description.
    pub members: Vec<(String, String)>,
    /// True if the path leads to one place of this configuration.
    #[serde(skip)]
    pub is_certain: bool,
    /// The present value, and its origin.
    #[serde(flatten)]
    pub found: Option<FoundValue>,
}

impl Config<'_> {
    /// Explains the place that `path` leads to. `streams.prepush` stands for the `prepush` of any stream.
    ///
    /// # Errors
    /// No such place is in the schema, and nothing is there.
    pub fn explain(&self, path: &Path) -> Result<Explanation, Fault> {
        let (path, is_certain) = completed(self, path);
        let segments = &path.segments;
        let place = Place::resolve(segments).map_err(|fault| fault.at(&path))?;
        let row = nearest_row(segments);
        let last = segments.last().and_then(Segment::name).filter(|_| row.is_none());
        let foreign = last.and_then(Schema::foreign);
        let mut explanation = match (row, foreign) {
            (Some((row, below)), _) => of_row(row, below, place),
            (None, Some(foreign)) => of_foreign(foreign, place),
            (None, None) => of_unknown(place),
        };
        explanation.path = path.shown();
        // The keyword of a directive alone is no place, if it stands in blocks.
        explanation.is_certain =
            is_certain && foreign.is_none_or(|row| segments.len() > 1 || row.stands_in(OUTSIDE));
        let mut may_be_absent = row.is_some() || foreign.is_some();
        if explanation.is_certain {
            explanation.found = self.holds(&path)?;
            // A name that is not there is misspelt, unless no configuration is known.
            let block = segments.get(..2).filter(|_| path.kind().is_some() && segments.len() > 2);
            let is_absent = |keys: Vec<&str>| self.contains(&keys[..1]) && !self.contains(&keys);
            may_be_absent &=
                !matches!(place, Place::Block(_)) && !block.and_then(keys).is_some_and(is_absent);
        }
        let is_missing = !may_be_absent && explanation.found.is_none();
        let absence = self.select(&path).err().filter(|_| is_missing);
        absence.map_or(Ok(explanation), |fault| Err(with_path_of_key(segments, fault)))
    }
}

/// Advises the path of a key of streams, lives or plugins that was given alone.
fn with_path_of_key(segments: &[Segment], fault: Fault) -> Fault {
    let [Segment::Key(key)] = segments else { return fault };
    let kinds = Kind::ALL.iter().filter(|kind| kind.scope().by_key(key).is_some());
    let paths = kinds.map(|kind| format!("`{}.{key}`", kind.key()));
    let paths = paths.reduce(|paths, next| format!("{paths} or {next}"));
    Fault { hint: paths.map(|paths| format!("did you mean {paths}?")).or(fault.hint), ..fault }
}

/// Completes a path that leaves out the name of a stream, live or plugin, and takes the keyword of a directive for its
/// key. True if it leads to one place of this configuration.
fn completed(current: &Config<'_>, path: &Path) -> (Path, bool) {
    let mut segments = path.segments.clone();
    let (kind, mut is_certain) = (path.kind(), true);
    if let (Some(kind), Some(second)) = (kind, path.segments.get(1)) {
        let is_key = |name: &str| kind.scope().knows(name) && !current.contains(&[kind.key(), name]);
        is_certain = second.name().is_some_and(|name| !is_key(name));
        if !is_certain {
            // The name is left out in front of a key; a pattern stands for it.
            let behind = if second.name().is_some() { 1 } else { 2 };
            segments.splice(1..behind, [Segment::Key(ANY_NAME.to_owned())]);
        }
    }
    let (at, scope) = kind.map_or((0, Scope::Top), |kind| (2, kind.scope()));
    if let Some(row) = segments.get(at).and_then(Segment::name).and_then(|name| scope.by_name(name)) {
        segments[at] = Segment::Key(row.key.to_owned());
    }
    // `urls.url` leads through the list, of which the first source stands for all.
    let are_sources = |place: Place| place.facts().sources.is_some();
    let is_name = segments.get(at + 1).and_then(Segment::name).is_some();
    if is_name && Place::resolve(&segments[..=at]).is_ok_and(are_sources) {
        segments.insert(at + 1, Segment::Index(0));
    }
    (Path { segments }, is_certain)
}

/// The last row of the schema on the way to a place, and the segments below it; `None` in an unknown directive of a block.
fn nearest_row(segments: &[Segment]) -> Option<(&'static Parameter, &[Segment])> {
    let known = |at: usize| {
        let (place, key) = (Place::resolve(&segments[..at]).ok()?, segments[at].name()?);
        let row = place.scope()?.by_key(key);
        (row.is_some() || matches!(place, Place::Block(_))).then(|| row.map(|row| (row, &segments[at + 1..])))
    };
    (0..segments.len()).rev().find_map(known)?
}

/// The explanation of a parameter, or of a part of it: the segments below its key lead there.
fn of_row(row: &'static Parameter, below: &[Segment], place: Place) -> Explanation {
    let is_whole = below.is_empty();
    let (keyword, others) = row.keywords.split_first().unwrap_or((&"", &[]));
    let others = if others.is_empty() { String::new() } else { format!(" (or `{}`)", others.join("`, `")) };
    let text = format!("`{keyword}`{others}, then {}", row.codec.facts().usage);
    let name = below.iter().rev().find_map(Segment::name).unwrap_or(row.key);
    let value_type = place.facts().json_form;
    let json = match is_whole {
        true => format!("\"{}\": {}", row.key, row.json_form()),
        false if name == row.key => format!("an element of \"{}\": {value_type}", row.key),
        false => format!("\"{name}\" in \"{}\": {value_type}", row.key),
    };
    let documentation = match place {
        Place::Block(kind) => format!("One {} of the {}", kind.noun(), kind.key()),
        _ if is_whole => row.doc.to_owned(),
        _ => format!("Part of `{}`: {}", row.key, row.doc),
    };
    let part = if let Place::Part(part) = place { Some(part) } else { None };
    let given = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    Explanation {
        documentation,
        unit: given(part.map_or(row.unit, |part| part.kind.unit)),
        default: given(row.default).filter(|_| is_whole),
        text: Some(text).filter(|_| !row.keywords.is_empty()),
        json,
        places: places(row),
        example: given(row.example),
        secret: part.map_or(row.secret, |part| part.secret),
        ..of_unknown(place)
    }
}

/// A directive of other servers.
fn of_foreign(row: &'static ForeignKeyword, place: Place) -> Explanation {
    let text = format!("`{}`, then {}", row.keywords.join("` or `"), row.usage());
    let is_listed = row.repeats && row.form != ForeignForm::Named;
    let several = if is_listed { "; several lines are a list of lists" } else { "" };
    Explanation {
        documentation: row.doc.to_owned(),
        value_type: row.json_form().to_owned(),
        text: Some(text),
        json: format!("{}{several}", row.json_form()),
        places: row.places(),
        secret: row.secret,
        ..of_unknown(place)
    }
}

/// A directive that the schema does not know, or a part of one.
fn of_unknown(place: Place) -> Explanation {
    let documentation = match place {
        Place::Root => "The whole configuration",
        _ => "A directive that mediactl does not know; it is kept, and shown by the general rule",
    };
    Explanation {
        documentation: documentation.to_owned(),
        value_type: place.facts().json_form.to_owned(),
        text: Some("`KEYWORD`, then words, and maybe a block".to_owned()),
        json: "a word, a list of words, an object, or a list of occurrences".to_owned(),
        members: members(place),
        ..Explanation::default()
    }
}

/// Every scope in which the same directive may stand; first the one that is explained.
fn places(row: &'static Parameter) -> Vec<String> {
    let is_same = |scope: &&Scope| scope.by_key(row.key).is_some_and(|same| same.keywords == row.keywords);
    let mut scopes: Vec<_> = Scope::ALL.iter().filter(is_same).collect();
    scopes.sort_by_key(|scope| scope.place(row).is_none());
    scopes.into_iter().map(|scope| scope.in_words().to_owned()).collect()
}

/// The members of an object, each with its documentation.
pub(super) fn members(place: Place) -> Vec<(String, String)> {
    let told = |(key, doc): (&str, &str)| (key.to_owned(), doc.to_owned());
    let scope = match place {
        Place::Group(kind) => Some(kind.scope()),
        place => place.facts().element.unwrap_or(place).scope(),
    };
    let rows = scope.into_iter().flat_map(Scope::rows).map(|row| told((row.key, row.doc)));
    let facts = place.facts();
    let address = facts.address.into_iter().flat_map(|shape| {
        let first = (Schema::ADDRESS, "The URL of the backend; false opens access");
        let options = shape.options.map(|key| (key, "Its options, in the order of the text"));
        std::iter::once(first).chain(options).map(told)
    });
    let parts = facts.object.into_iter().flat_map(|object| object.parts);
    let of_part = |part: &Part| match part.kind.unit {
        "" => told((part.key, part.json_form())),
        unit => (part.key.to_owned(), format!("{}, in {unit}", part.json_form())),
    };
    address.chain(rows).chain(parts.map(of_part)).collect()
}
