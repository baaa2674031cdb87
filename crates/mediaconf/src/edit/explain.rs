//! The explanation of a place in a configuration: the row of the schema, the value that is there, and its
//! origin.

use serde::Serialize;

use crate::query::{Config, FoundValue, Path, Segment};
use crate::schema::fault::Fault;
use crate::schema::{
    ForeignForm, ForeignKeyword, Kind, OUTSIDE, Parameter, Part, Place, Schema, Scope, URL_GLOBAL,
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

/// Explains the place that `path` leads to. `streams.prepush` stands for the `prepush` of any stream.
///
/// # Errors
/// No such place is in the schema, and nothing is there.
pub fn explain(current: &Config<'_>, path: &Path) -> Result<Explanation, Fault> {
    let ExplainedPath { path, is_certain } = ExplainedPath::complete(current, path);
    let place = Place::resolve(&path.segments).map_err(|fault| fault.at(&path))?;
    let (row, below) = nearest_row(&path.segments);
    let foreign = foreign_at(&path.segments).filter(|_| row.is_none());
    let mut explanation = match (row, foreign) {
        (Some(row), _) => of_row(row, below, place),
        (None, Some(foreign)) => of_foreign(foreign, place),
        (None, None) => of_unknown(place),
    };
    explanation.path = path.shown();
    // The keyword of a directive alone is no place, if it stands in blocks.
    let is_certain =
        is_certain && foreign.is_none_or(|row| path.segments.len() > 1 || row.stands_in(OUTSIDE));
    explanation.is_certain = is_certain;
    if is_certain {
        explanation.found = current.holds(&path)?;
        let is_known = row.is_some() || foreign.is_some();
        let is_named = !is_known || matches!(place, Place::Block(_));
        if is_named && explanation.found.is_none() {
            // An unknown directive that is not there is misspelt, and so is a name.
            refuse_absent(current, &path)?;
        }
        refuse_absent_block(current, &path)?;
    } else if row.is_none() && foreign.is_none() {
        refuse_absent(current, &path)?;
    }
    Ok(explanation)
}

/// Refuses a path into a stream, live or plugin that is not there, unless no configuration is known.
fn refuse_absent_block(current: &Config<'_>, path: &Path) -> Result<(), Fault> {
    let [Segment::Key(group), Segment::Key(name), _, ..] = &path.segments[..] else { return Ok(()) };
    let is_known = Schema::media().kind(group).is_some() && current.contains(&[group]);
    match is_known && !current.contains(&[group, name]) {
        true => current.select(path).map(drop),
        false => Ok(()),
    }
}

/// Refuses a path that leads to nothing; a key of streams, lives or plugins alone is not its path.
fn refuse_absent(current: &Config<'_>, path: &Path) -> Result<(), Fault> {
    let Err(mut fault) = current.select(path) else { return Ok(()) };
    if let [Segment::Key(key)] = &path.segments[..] {
        let has_key = |kind: &&Kind| kind.scope().by_key(key).is_some();
        let paths =
            Schema::media().kinds.iter().filter(has_key).map(|kind| format!("`{}.{key}`", kind.key()));
        let paths: Vec<String> = paths.collect();
        if !paths.is_empty() {
            fault.hint = Some(format!("did you mean {}?", paths.join(" or ")));
        }
    }
    Err(fault)
}

/// A path as it leads through the schema.
struct ExplainedPath {
    path: Path,
    /// True if it leads to one place of this configuration.
    is_certain: bool,
}

impl ExplainedPath {
    /// Completes a path that leaves out the name of a stream, live or plugin, and takes the keyword of
    /// a directive for its key.
    fn complete(current: &Config<'_>, path: &Path) -> Self {
        let mut segments = path.segments.clone();
        let schema = Schema::media();
        let kind = segments.first().and_then(Segment::name).and_then(|key| schema.kind(key));
        let mut is_certain = true;
        if let (Some(kind), Some(second)) = (kind, segments.get(1).cloned()) {
            let is_key = |name: &str| {
                let row = kind.scope().by_key(name).or_else(|| kind.scope().by_keyword(name));
                let foreign = schema.foreign(name).filter(|row| kind.scope().may_hold(row));
                (row.is_some() || foreign.is_some()) && !current.contains(&[kind.key(), name])
            };
            match second.name() {
                Some(name) if is_key(name) => segments.insert(1, Segment::Key(ANY_NAME.to_owned())),
                Some(_) => {}
                None => segments[1] = Segment::Key(ANY_NAME.to_owned()),
            }
            is_certain = segments.get(1) == path.segments.get(1);
        }
        let at = if kind.is_some() { 2 } else { 0 };
        let scope = kind.map_or(schema.top(), Kind::scope);
        if let Some(Segment::Key(key)) = segments.get_mut(at)
            && scope.by_key(key).is_none()
            && let Some(row) = scope.by_keyword(key)
        {
            *key = row.key.to_owned();
        }
        // `urls.url` leads through the list, of which the first source stands for all.
        if let Some(Segment::Key(_)) = segments.get(at + 1)
            && let Ok(Place::Own(row)) = Place::resolve(&segments[..=at])
            && row.codec.facts().sources.is_some()
        {
            segments.insert(at + 1, Segment::Index(0));
        }
        Self { path: Path { segments }, is_certain }
    }
}

/// The last row of the schema on the way to a place, and the segments below it.
fn nearest_row(segments: &[Segment]) -> (Option<&'static Parameter>, &[Segment]) {
    let mut place = Place::Root;
    let (mut row, mut below) = (None, segments);
    for (index, segment) in segments.iter().enumerate() {
        let known = place.scope().zip(segment.name()).and_then(|(scope, key)| scope.by_key(key));
        if known.is_some() {
            (row, below) = (known, &segments[index + 1..]);
        } else if matches!(place, Place::Block(_)) {
            // An unknown directive of a stream.
            (row, below) = (None, &segments[index..]);
        }
        let Ok(next) = place.step(segment) else { break };
        place = next;
    }
    (row, below)
}

fn of_row(row: &'static Parameter, below: &[Segment], place: Place) -> Explanation {
    let is_whole = below.is_empty();
    let words = |words: &str| match row.keywords {
        [] => None,
        [keyword] => Some(format!("`{keyword}`, then {words}")),
        [keyword, others @ ..] => Some(format!("`{keyword}` (or `{}`), then {words}", others.join("`, `"))),
    };
    let name = below.iter().rev().find_map(Segment::name).unwrap_or(row.key);
    let value_type = type_of(place);
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
    let unit = match place {
        Place::Part(part) => part.kind.unit,
        _ => row.unit,
    };
    Explanation {
        documentation,
        value_type,
        unit: Some(unit).filter(|unit| !unit.is_empty()),
        default: Some(row.default).filter(|default| is_whole && !default.is_empty()),
        text: words(row.codec.facts().usage),
        json,
        places: places(row),
        example: Some(row.example).filter(|example| !example.is_empty()),
        secret: is_secret(row, name, is_whole),
        members: members(place),
        ..Explanation::default()
    }
}

/// The foreign directive that a path leads to: its keyword alone, or below the block in which it stands.
fn foreign_at(segments: &[Segment]) -> Option<&'static ForeignKeyword> {
    let [above @ .., Segment::Key(key)] = segments else { return None };
    let row = Schema::media().foreign(key)?;
    let is_there = match above {
        [] => true,
        [block] => row.stands_in(block.name()?),
        [block, _] => {
            let block = block.name()?;
            Schema::media()
                .kind(block)
                .map_or_else(|| row.stands_in(block), |kind| row.stands_in(kind.noun()))
        }
        _ => false,
    };
    is_there.then_some(row)
}

/// A directive of other servers.
fn of_foreign(row: &'static ForeignKeyword, place: Place) -> Explanation {
    let text = format!("`{}`, then {}", row.keywords.join("` or `"), row.usage());
    let several = match row.form {
        ForeignForm::Named => "",
        _ if row.repeats => "; several lines are a list of lists",
        _ => "",
    };
    Explanation {
        documentation: row.doc.to_owned(),
        value_type: row.value_type().to_owned(),
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
        value_type: type_of(place),
        text: Some("`KEYWORD`, then words, and maybe a block".to_owned()),
        json: "a word, a list of words, an object, or a list of occurrences".to_owned(),
        members: members(place),
        ..Explanation::default()
    }
}

/// Every scope in which the same directive may stand; first the one that is explained.
fn places(row: &'static Parameter) -> Vec<String> {
    let same = Schema::media()
        .rows()
        .filter(|other| other.key == row.key && other.keywords == row.keywords && other.scope != row.scope);
    std::iter::once(row).chain(same).map(|row| row.scope.in_words().to_owned()).collect()
}

fn is_secret(row: &Parameter, name: &str, is_whole: bool) -> bool {
    match row.codec.facts().object {
        Some(object) if !is_whole => object.part(name).is_some_and(|part| part.secret),
        _ => row.secret,
    }
}

fn type_of(place: Place) -> String {
    match place {
        Place::Root | Place::Block(_) | Place::Source(_) | Place::ForeignBlock => "object",
        Place::Group(_) => "object of objects",
        Place::Own(row) => row.codec.facts().value_type,
        Place::Element(kind) => kind.name,
        Place::Pair(_) => "[name, value]",
        Place::BackendUrl => "string, or false",
        Place::Extras => "object of strings",
        Place::Text => "string",
        Place::Part(part) => part.value_type(),
        Place::Templates(_) | Place::Template(_) | Place::Foreign => "any",
    }
    .to_owned()
}

/// The members of an object, each with its documentation.
pub(super) fn members(place: Place) -> Vec<(String, String)> {
    let rows = |scope: Scope| scope.rows().map(|row| (row.key.to_owned(), row.doc.to_owned())).collect();
    match place {
        Place::Root => rows(Schema::media().top()),
        Place::Group(kind) | Place::Block(kind) => rows(kind.scope()),
        Place::Source(scope) => rows(scope),
        Place::Own(row) => {
            match (row.codec.facts().sources, row.codec.facts().address, row.codec.facts().object) {
                (Some(shape), ..) => rows(shape.members),
                (_, Some(shape), _) => {
                    let options = shape.options.map(|key| (key, "Its options, in the order of the text"));
                    let beside = (URL_GLOBAL, "The global URL, in streams and lives; output only");
                    let members = [
                        Some((shape.address, "The URL of the backend; false opens access")),
                        options,
                        Some(beside),
                    ];
                    members.into_iter().flatten().map(|(key, doc)| (key.to_owned(), doc.to_owned())).collect()
                }
                (_, _, Some(object)) => {
                    let part = |part: &Part| (part.key.to_owned(), part_in_words(part));
                    object.parts.iter().map(part).collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn part_in_words(part: &Part) -> String {
    match part.kind.unit {
        "" => part.value_type().to_owned(),
        unit => format!("{}, in {unit}", part.value_type()),
    }
}
