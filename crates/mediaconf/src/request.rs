//! A requested change as data: values to set, a patch, a whole state, new names. It is evaluated on the configuration that
//! it is applied to.
//!
//! Another name for a stream, live or plugin, a copy of one, a new one, and new names for many at once (`mv`, `cp`, `add`,
//! and `mv 'streams.cam*' --replace s/cam/gate/`) are edits of the text, where there is one, and a merge patch elsewhere: a
//! patch can't rename, so there the block is made anew in the place of the old one.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::edit::{AssignOptions, AssignedValue, Assignment, Edit, EditError, MaybeEdit};
use crate::edit::{Substitution, Sync, modify_members};
use crate::merge::{Prune, patch_to_state};
use crate::query::{Condition, Config, Expansion, Expectation, Path, Segment};
use crate::schema::{Fault, FaultKind, Faults, Kind, Object, Schema, parse_within};
use crate::secret::Masker;
use crate::syntax::Document;

/// A requested change, and the values that the configuration must have for it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    edits: Edits,
    /// The values that the configuration must have; otherwise the change is refused.
    #[serde(default)]
    pub expectations: Vec<Expectation>,
}

/// The edits that are requested.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Edits {
    /// The JSON text of a merge patch (RFC 7396). It is parsed when it is evaluated, so that requests which wait for their
    /// turn hold their text alone.
    #[serde(serialize_with = "as_json", deserialize_with = "of_json")]
    Patch(Bytes),
    /// A desired state, from which a patch is computed: a text without errors. No value of it is kept, as values take twenty
    /// times as much memory.
    State { text: String, prune: Prune },
    /// Another name for a block, or a new block.
    Block(BlockRequest),
    /// Other names for many blocks.
    Renaming(Renaming),
    /// Assignments in the order in which they are made, in the entries that meet the conditions.
    Assignments {
        assignments: Vec<Assignment>,
        #[serde(default)]
        conditions: Vec<Condition>,
        #[serde(default)]
        options: AssignOptions,
    },
}

fn as_json<S: Serializer>(text: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_slice::<&RawValue>(text).map_err(S::Error::custom)?.serialize(serializer)
}

/// The text of a patch in a request that was sent.
fn of_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
    <&RawValue>::deserialize(deserializer).map(|text| Bytes::copy_from_slice(text.get().as_bytes()))
}

impl From<Value> for Request {
    fn from(patch: Value) -> Self {
        Self::from_json(patch.to_string())
    }
}

impl From<Renaming> for Request {
    fn from(renaming: Renaming) -> Self {
        Self::of(Edits::Renaming(renaming))
    }
}

impl From<BlockRequest> for Request {
    fn from(block: BlockRequest) -> Self {
        Self::of(Edits::Block(block))
    }
}

impl Request {
    fn of(edits: Edits) -> Self {
        Self { edits, expectations: Vec::new() }
    }

    /// The request of assignments in the entries that meet all `conditions`.
    pub fn assigning(made: Vec<Assignment>, conditions: Vec<Condition>, options: AssignOptions) -> Self {
        Self::of(Edits::Assignments { assignments: made, conditions, options })
    }

    /// The request of the state that a document without errors is.
    pub fn state(document: &Document, prune: Prune) -> Self {
        Self::of(Edits::State { text: document.text().to_owned(), prune })
    }

    /// The request of the state that a merge patch makes of nothing: what it leaves out, or sets to `null`, is not there.
    ///
    /// # Errors
    /// The faults of the patch.
    pub fn state_of_json(patch: Value, prune: Prune) -> Result<Self, EditError> {
        let nothing = Document::parse("");
        let edit = nothing.modify(patch, FaultKind::DOUBTS)?;
        Ok(Self::state(edit.as_ref().map_or(&nothing, |edit| &edit.document), prune))
    }

    /// The request that sets values, each as `streams.cam1.prepush=2`; a path alone removes the value there.
    ///
    /// # Errors
    /// A text is no path.
    pub fn set(assignments: &[&str]) -> Result<Self, Fault> {
        let made = assignments.iter().map(|text| {
            let (path, value) = Path::split_assignment(text)?;
            let value = value.map_or(AssignedValue::Remove, |text| AssignedValue::Typed(text.to_owned()));
            Ok(Assignment { path, value })
        });
        Ok(Self::assigning(made.collect::<Result<_, _>>()?, Vec::new(), AssignOptions::default()))
    }

    /// The request of a merge patch whose JSON text is parsed when it is evaluated.
    pub fn from_json(text: impl Into<Bytes>) -> Self {
        Self::of(Edits::Patch(text.into()))
    }

    /// The same, refused where the configuration has other values than these.
    #[must_use]
    pub fn expecting(mut self, expectations: Vec<Expectation>) -> Self {
        self.expectations = expectations;
        self
    }

    /// Parses the text of a patch to refuse a faulty one, or one whose merge takes more than `memory` bytes; keeps nothing.
    ///
    /// # Errors
    /// The faults of the text.
    pub fn check_text(&self, memory: usize) -> Result<(), Faults> {
        if let Edits::Patch(text) = &self.edits { parse_within(text, memory).map(drop) } else { Ok(()) }
    }

    /// Computes the merge patch for a configuration (RFC 7396); of a [request of the text](Self::is_of_text) it names only the
    /// places that change.
    ///
    /// # Errors
    /// Unmet expectations come before faults of the edits.
    pub fn evaluate(&self, current: &Config<'_>) -> Result<Value, Faults> {
        Faults(current.unmet(&self.expectations)?).into_result(())?;
        match &self.edits {
            Edits::Patch(text) => Schema::parse_patch(text),
            Edits::State { text, prune } => Ok(patch_to_state(text, *prune, current)),
            Edits::Block(block) => block.patch(current),
            Edits::Renaming(all) => all.patch(current),
            Edits::Assignments { assignments, conditions, options } => {
                current.to_patch(assignments, conditions, *options)
            }
        }
    }

    /// True if its patch is right only for the configuration that was read, such as one for which lists, globs or conditions
    /// were looked up.
    pub fn depends_on_read(&self) -> bool {
        let looks_up = match &self.edits {
            Edits::Patch(_) => false,
            Edits::State { .. } => self.prunes(),
            Edits::Block(_) | Edits::Renaming(_) => true,
            Edits::Assignments { assignments, conditions, .. } => {
                !conditions.is_empty() || assignments.iter().any(Assignment::looks_up)
            }
        };
        looks_up || !self.expectations.is_empty()
    }

    /// The edit of a text for which the patch was computed; `None` if it changes nothing. The doubts are left to the caller.
    ///
    /// # Errors
    /// The change does not fit the text.
    pub fn edit(&self, patch: Value, document: &Document, current: &Config<'_>) -> MaybeEdit {
        match &self.edits {
            Edits::Block(block) => block.edit(document, current),
            Edits::Renaming(renaming) => renaming.edit(document, current),
            Edits::Assignments { .. } => modify_members(document, &current.members, &patch),
            _ => modify_members(document, &current.members, &Schema::normalize(patch)?),
        }
    }

    /// True if it edits the text of blocks that are there, so that comments and order survive.
    pub fn is_of_text(&self) -> bool {
        match &self.edits {
            Edits::Block(block) => !matches!(block.content, BlockContent::New(_)),
            edits => matches!(edits, Edits::Renaming(_)),
        }
    }

    /// The paths of the assignments and of blocks; empty for a patch.
    pub fn paths(&self) -> Vec<&Path> {
        match &self.edits {
            Edits::Assignments { assignments, .. } => assignments.iter().map(|made| &made.path).collect(),
            Edits::Block(block) => match &block.content {
                BlockContent::Moved(from) | BlockContent::Copied(from) => vec![from, &block.to],
                BlockContent::New(_) => vec![&block.to],
            },
            Edits::Renaming(renaming) => vec![&renaming.from],
            _ => Vec::new(),
        }
    }

    /// True if it names each entry that it changes, and at most `most` of them.
    pub fn names_few(&self, most: usize) -> bool {
        let paths = self.paths();
        let is_below = |path: &&Path| path.segments.len() > 1;
        !self.stands_for_many() && (1..=most).contains(&paths.len()) && paths.iter().all(is_below)
    }

    /// True if it is a desired state that removes what it lacks.
    pub fn prunes(&self) -> bool {
        matches!(&self.edits, Edits::State { prune, .. } if *prune != Prune::Nothing)
    }

    /// True if it has patterns or conditions, which stand for all entries that match.
    pub fn stands_for_many(&self) -> bool {
        matches!(&self.edits, Edits::Assignments { conditions, .. } if !conditions.is_empty())
            || self.paths().iter().any(|path| path.first_pattern().is_some())
    }
}

impl Document {
    /// Carries out a request; it may change nothing.
    ///
    /// # Errors
    /// The request has faults, or [doubts](crate::FaultKind::DOUBTS); [`Document::modify`] takes some that are accepted.
    pub fn edit(&self, request: &Request) -> Result<Edit, EditError> {
        let config = Config::new(self);
        let edit = request.edit(request.evaluate(&config)?, self, &config)?;
        Ok(edit.unwrap_or_else(|| Edit::unchanged(self)).refused_unless(&[])?)
    }
}

/// A new name for a block, or a new block.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockRequest {
    /// The content under the new name.
    pub content: BlockContent,
    /// The new name, as a path: `streams.lobby`.
    pub to: Path,
    /// Edits of the new block; their paths begin with `to`.
    pub assignments: Vec<Assignment>,
    /// The options of the edits.
    pub options: AssignOptions,
}

/// The content under a new name.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum BlockContent {
    /// The block that has this path now, and has the new name afterwards.
    Moved(Path),
    /// The content of the block at this path.
    Copied(Path),
    /// A value that is new.
    New(Object),
}

/// New names for the blocks that a path stands for. All change at the same time, so two blocks can swap theirs.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renaming {
    /// Such as `streams.cam*`.
    pub from: Path,
    /// The substitution in each name.
    pub by: Substitution,
}

/// A group of blocks with names: streams, lives, plugins, or those of a directive such as `template`.
#[derive(Clone, Copy, PartialEq)]
struct Group<'p> {
    /// The JSON key.
    key: &'p str,
    /// One of its blocks, in messages.
    noun: &'static str,
}

/// The group of the blocks that a path stands for, and its last segment.
fn block_of(path: &Path) -> Result<(Group<'_>, &Segment), Fault> {
    let [Segment::Key(key), last @ (Segment::Key(_) | Segment::Matching(_))] = &path.segments[..] else {
        return Err(no_block(path));
    };
    let foreign = || Some(Schema::foreign(key).filter(|_| Schema::has_named_blocks(key))?.keyword());
    let noun = path.kind().map(Kind::noun).or_else(foreign).ok_or_else(|| no_block(path))?;
    Ok((Group { key, noun }, last))
}

/// The edit that gives blocks other names, wherever these stand.
fn renamed(document: &Document, group: Group<'_>, names: &HashMap<String, String>) -> MaybeEdit {
    let Some((splices, renamed_uses)) = document.renamed(group.noun, names) else {
        let fault = Fault::of_path("the new name can't stand in all places where the old one does");
        return Err(Faults::from(fault.hint("choose a name without blanks and other signs")).into());
    };
    Ok(Some(Edit { document: document.edited(&splices), renamed_uses, ..Edit::unchanged(document) }))
}

/// The group and the name of the one block that a path stands for.
fn named_block(path: &Path) -> Result<(Group<'_>, &str), Fault> {
    let (group, last) = block_of(path)?;
    last.name().map(|name| (group, name)).ok_or_else(|| no_block(path))
}

fn no_block(path: &Path) -> Fault {
    let hint = "such as `streams.cam1`; a name with a dot is quoted: `streams.\"cam.1\"`; \
                `mv 'streams.cam*' --replace s/cam/gate/` renames many";
    Fault::of_path("expected one stream, live, plugin or other block with a name").hint(hint).at(path)
}

fn taken(path: &Path, group: Group<'_>, name: &str) -> Fault {
    let fault = Fault::of_path(format!("there is a {} `{name}` already", group.noun));
    fault.hint("choose another name, or remove it first").at(path)
}

impl BlockRequest {
    /// The same with edits of the new block. Their paths begin below it, or name it in full.
    #[must_use]
    pub fn with_edits(mut self, mut edits: Vec<Assignment>) -> Self {
        for Assignment { path, .. } in &mut edits {
            if !path.segments.starts_with(&self.to.segments) {
                path.segments.splice(0..0, self.to.segments.iter().cloned());
            }
        }
        self.assignments = edits;
        self
    }

    /// The merge patch of a new block; for another one it only names the blocks that change.
    ///
    /// # Errors
    /// The block is not there, or the new name is taken.
    fn patch(&self, current: &Config<'_>) -> Result<Value, Faults> {
        let (group, to, from) = self.names(current)?;
        let mut block = match (&self.content, from) {
            (BlockContent::New(value), _) => value.clone(),
            (_, from) if from == Some(to) => return Ok(json!({})),
            (BlockContent::Moved(_), Some(from)) => return Ok(json!({ group.key: { from: null, to: {} } })),
            _ => return Ok(json!({ group.key: { to: {} } })),
        };
        let alone = json!({ group.key: { to: block.clone() } });
        let edits = Config::from(&alone).to_patch(&self.assignments, &[], self.options)?;
        block.extend(edits[group.key][to].as_object().cloned().unwrap_or_default());
        Ok(json!({ group.key: { to: block } }))
    }

    /// The edit of a text; `None` if it changes nothing.
    ///
    /// # Errors
    /// The block is not there, or the new name is taken.
    fn edit(&self, document: &Document, current: &Config<'_>) -> MaybeEdit {
        let (group, to, from) = self.names(current)?;
        let members = &current.members;
        let edit = match (&self.content, from) {
            (_, Some(from)) if from == to => None,
            (BlockContent::Moved(_), Some(from)) => {
                renamed(document, group, &HashMap::from([(from.to_owned(), to.to_owned())]))?
            }
            (_, Some(from)) => Sync::new(document, members).copy(group.key, from, to)?,
            _ => return modify_members(document, members, &Schema::normalize(self.patch(current)?)?),
        };
        let Some(first) = edit else { return Ok(None) };
        // The assignments are made in the text that this leads to.
        let copied = Config::new(&first.document);
        let patch = copied.to_patch(&self.assignments, &[], self.options)?;
        Ok(Some(modify_members(&first.document, &copied.members, &patch)?.unwrap_or(first)))
    }

    /// The group and the new name, and the name of the block that the content comes from; `None` for a new one.
    fn names(&self, current: &Config<'_>) -> Result<(Group<'_>, &str, Option<&str>), Fault> {
        let (group, to) = named_block(&self.to)?;
        let is_taken = current.contains(&[group.key, to]);
        if to.is_empty() && !is_taken {
            return Err(Fault::of_path(format!("a {} can't have an empty name", group.noun)).at(&self.to));
        }
        let path = match &self.content {
            BlockContent::New(_) if is_taken => return Err(taken(&self.to, group, to)),
            BlockContent::New(_) => return Ok((group, to, None)),
            BlockContent::Moved(path) | BlockContent::Copied(path) => path,
        };
        let (from_group, from) = named_block(path)?;
        if !current.contains(&[from_group.key, from]) {
            return Err(current.missing(path, &[from_group.key, from]).at(path));
        }
        if from_group.noun != group.noun {
            let fault = format!("a {} can't become a {}", from_group.noun, group.noun);
            return Err(Fault::of_path(fault).at(&self.to));
        }
        let stays = from == to && matches!(self.content, BlockContent::Moved(_));
        if is_taken && !stays { Err(taken(&self.to, group, to)) } else { Ok((group, to, Some(from))) }
    }
}

impl Renaming {
    /// A merge patch that names the blocks that change.
    ///
    /// # Errors
    /// The path stands for no blocks, or their new names can't be theirs.
    fn patch(&self, current: &Config<'_>) -> Result<Value, Faults> {
        let (group, names) = self.names(current)?;
        let gone = names.keys().map(|old| (old.clone(), Value::Null));
        let made = names.values().map(|new| (new.clone(), json!({})));
        let blocks: Object = gone.chain(made).collect();
        Ok(if blocks.is_empty() { json!({}) } else { json!({ group.key: blocks }) })
    }

    /// The edit of a text; `None` if it changes nothing.
    ///
    /// # Errors
    /// As of [`Renaming::patch`].
    fn edit(&self, document: &Document, current: &Config<'_>) -> MaybeEdit {
        let (group, names) = self.names(current)?;
        if names.is_empty() { Ok(None) } else { renamed(document, group, &names) }
    }

    /// The group of the blocks, and the names that change, each with its new one.
    fn names(&self, current: &Config<'_>) -> Result<(Group<'_>, HashMap<String, String>), Faults> {
        let (group, _) = block_of(&self.from)?;
        let of_from = |fault: Fault| Faults::from(fault.at(&self.from));
        let expansion = Expansion { current, real: current, conditions: &[], own_only: false };
        let (places, absence) = expansion.places(&self.from)?;
        let name = |path: &Path| path.segments.last().and_then(Segment::name).map(str::to_owned);
        let old: Vec<String> = places.iter().filter_map(name).collect();
        if old.is_empty() {
            let absent = || Fault::absent("it matches nothing here").at(&self.from);
            return Err(absence.unwrap_or_else(absent).into());
        }
        if let Some(gone) = old.iter().find(|name| !current.contains(&[group.key, name])) {
            return Err(of_from(current.missing(&self.from, &[group.key, gone])));
        }
        let mut left = Substitution::MORE;
        let made = |name: String| Some(self.by.apply(&name, &mut left).transpose()?.map(|new| (name, new)));
        let found: Result<Vec<(String, String)>, _> = old.into_iter().filter_map(made).collect();
        let mut found = found.map_err(of_from)?;
        if found.is_empty() {
            let fault = Fault::absent("no name that it stands for has what is to be replaced");
            return Err(of_from(fault.hint("without `r` at the end, `s/OLD/NEW/` takes OLD to the letter")));
        }
        found.retain(|(old, new)| old != new);
        Faults(refused(current, group, &found)).into_result((group, found.into_iter().collect()))
    }
}

/// Everything that keeps blocks from having these new names; none of them is the old one.
fn refused<'n>(current: &Config<'_>, group: Group<'_>, changed: &'n [(String, String)]) -> Vec<Fault> {
    let leaving: HashSet<&str> = changed.iter().map(|(old, _)| old.as_str()).collect();
    let mut given: HashMap<&'n str, &'n str> = HashMap::new();
    let fault = |(old, new): &'n (String, String)| {
        let at = |name: &str| Path::of([group.key, name]);
        let is_taken = || !leaving.contains(new.as_str()) && current.contains(&[group.key, new]);
        let is_unwritable = new.is_empty() || new.contains('\0') || Masker::holds_mask(new);
        let message = match given.insert(new, old) {
            _ if is_unwritable => "it can't have its new name".to_owned(),
            Some(other) => format!("it and `{}` would get the same name", at(other).shown()),
            None => return is_taken().then(|| taken(&at(new), group, new)),
        };
        Some(Fault::of_path(message).at(&at(old)))
    };
    changed.iter().filter_map(fault).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{BlockContent, BlockRequest, Renaming};
    use crate::edit::{AssignOptions, AssignedValue, Assignment, Edit, EditError, Substitution};
    use crate::query::{Config, Path};
    use crate::schema::Faults;
    use crate::syntax::Document;

    const TEXT: &str = "\
# cameras

# the first
stream cam1 { # here
  url udp://1 a=b; # its source
  prepush  5;
  what is this { x; }
}

stream \"cam 2\" udp://2;
ondemand film file://x;   # late
live l;
rtmp 1;
";

    fn path(text: &str) -> Path {
        Path::parse(text).expect(text)
    }

    fn request(content: BlockContent, to: &str, edits: &[&str]) -> BlockRequest {
        let edit = |text: &&str| {
            let (path, value) = Path::split_assignment(text).expect(text);
            let value = value.map_or(AssignedValue::Remove, |value| AssignedValue::Typed(value.to_owned()));
            Assignment { path, value }
        };
        let request = BlockRequest {
            content,
            to: path(to),
            assignments: Vec::new(),
            options: AssignOptions::default(),
        };
        request.with_edits(edits.iter().map(edit).collect())
    }

    /// The text after the edit.
    fn after(request: &BlockRequest) -> Result<String, String> {
        after_in(TEXT, request)
    }

    fn after_in(text: &str, request: &BlockRequest) -> Result<String, String> {
        let faults = |faults: Faults| {
            let hint = faults[0].hint.as_ref().map(|hint| format!(" | {hint}"));
            format!("{}{}", faults[0], hint.unwrap_or_default())
        };
        edited(text, |document| request.edit(document, &Config::new(document)), faults)
    }

    fn edited<E>(
        text: &str,
        edit: impl Fn(&Document) -> Result<Option<Edit>, EditError>,
        told: impl Fn(Faults) -> E,
    ) -> Result<String, E> {
        let document = Document::parse(text.to_owned());
        match edit(&document) {
            Ok(edit) => Ok(edit.map_or(document, |edit| edit.document).text().to_owned()),
            Err(EditError::Faults(found)) => Err(told(found)),
            Err(error) => panic!("{error:?}"),
        }
    }

    #[test]
    fn a_renaming_changes_the_name_alone() {
        for (from, to, old, new) in [
            ("streams.cam1", "streams.lobby", "stream cam1 {", "stream lobby {"),
            ("streams.cam1", "streams.\"the lobby\"", "stream cam1 {", "stream \"the lobby\" {"),
            ("streams.\"cam 2\"", "streams.cam2", "stream \"cam 2\" udp", "stream cam2 udp"),
            ("streams.film", "streams.movie", "ondemand film", "ondemand movie"),
            ("lives.l", "lives.m", "live l;", "live m;"),
            ("streams.film", "streams.film", "", ""),
        ] {
            let renamed = after(&request(BlockContent::Moved(path(from)), to, &[]));
            assert_eq!(renamed, Ok(TEXT.replacen(old, new, 1)), "{from}");
        }
    }

    #[test]
    fn a_copy_has_the_text_of_the_block_with_its_comments_and_stands_behind_it() {
        let block = &TEXT[11..TEXT.find("\n\nstream").expect("it is there")];
        let film = "ondemand film file://x;   # late\n";
        let copy = |name: &str| format!("{}\n", block.replace("cam1", name));
        let with = |copy: &str| Ok(TEXT.replace(block, &format!("{block}\n\n{}", copy.trim_end())));
        let copied = |from: &str, to: &str, edits: &[&str]| {
            after(&request(BlockContent::Copied(path(from)), to, edits))
        };
        assert_eq!(copied("streams.cam1", "streams.cam9", &[]), with(&copy("cam9")));
        assert_eq!(copied("streams.cam1", "streams.\"a b\"", &[]), with(&copy("\"a b\"")));
        let edited = copy("cam9").replace("prepush  5", "prepush  6").replace("udp://1", "udp://9");
        for edits in
            [["prepush=6", "urls[0].url=udp://9"], ["streams.cam9.prepush=6", "urls[-1].url=udp://9"]]
        {
            assert_eq!(copied("streams.cam1", "streams.cam9", &edits), with(&edited));
        }
        assert_eq!(
            copied("streams.film", "streams.film2", &["static=true"]),
            Ok(TEXT.replace(film, &format!("{film}stream film2 file://x;   # late\n")))
        );
        assert_eq!(copied("lives.l", "lives.m", &[]), Ok(TEXT.replace("live l;\n", "live l;\nlive m;\n")));
        let text = "template t {\n  prepush 3; # so\n} # base\n";
        let other = |content| after_in(text, &request(content, "template.u", &[]));
        let copy = text.replace("template t", "template u");
        assert_eq!(other(BlockContent::Copied(path("template.t"))), Ok(format!("{text}{copy}")));
        let added = other(BlockContent::New(super::Object::new()));
        assert!(added.is_ok_and(|made| made.starts_with(text) && made.contains("template u")));
    }

    #[test]
    fn a_new_block_stands_behind_the_last_of_its_kind_or_where_it_is_wanted() {
        let new = |value: Value| BlockContent::New(value.as_object().cloned().unwrap_or_default());
        let source = || new(json!({"urls": [{"url": "udp://5"}]}));
        let film = "ondemand film file://x;   # late\n";
        let block = "stream cam5 {\n  url udp://5;\n}\n";
        for (edits, old, added) in [
            (&[][..], film, block.to_owned()),
            (&["static=false"], film, block.replace("stream", "ondemand")),
            (&["position=1"], "# cameras\n\n", format!("{block}\n")),
        ] {
            let made = after(&request(source(), "streams.cam5", edits));
            assert_eq!(made, Ok(TEXT.replace(old, &format!("{old}{added}"))), "{edits:?}");
        }
        assert_eq!(
            after(&request(new(json!({})), "lives.m", &[])),
            Ok(TEXT.replace("live l;\n", "live l;\nlive m;\n"))
        );
    }

    #[test]
    fn a_name_that_is_taken_or_not_there_is_refused() {
        let moved = |from: &str, to: &str| after(&request(BlockContent::Moved(path(from)), to, &[]));
        let error = |text: &str| Err(text.to_owned());
        assert_eq!(moved("streams.cam1", "streams.film"), {
            error(
                "`streams.film`: there is a stream `film` already | choose another name, or remove it first",
            )
        });
        assert_eq!(moved("streams.cam3", "streams.x"), {
            error("`streams.cam3`: there is no stream `cam3` | did you mean `cam1` or `cam 2`?")
        });
        assert_eq!(moved("streams.cam1", "lives.cam1"), error("`lives.cam1`: a stream can't become a live"));
        for no_block in ["streams.cam.1", "streams.cam*", "rtmp", "streams"] {
            let found = moved(no_block, "streams.x").expect_err(no_block);
            assert!(
                found.contains("expected one stream, live, plugin or other block with a name | such as"),
                "{found}"
            );
            assert!(moved("streams.cam1", no_block).is_err(), "{no_block}");
        }
        let copied = |edits| after(&request(BlockContent::Copied(path("streams.cam1")), "streams.x", edits));
        assert_eq!(
            copied(&["prepush=x"]),
            error("`streams.x.prepush`: expected a number of seconds, or `off`")
        );
        assert!(copied(&["title"]).is_err(), "there is no title to remove");
        assert!(after(&request(BlockContent::New(super::Object::new()), "streams.film", &[])).is_err());
    }

    const CAMERAS: &str = "\
# the first
stream cam1 { # here
  url udp://1;
  prepush  5;
}

stream cam2 udp://2; # two
ondemand \"the cam\" file://x;
stream a { title A; auth false; }
stream b { title B; }
live cam1;
plugin cam { x 1; }
";

    /// The text after the edit.
    fn renamed(from: &str, by: &str) -> Result<String, Vec<String>> {
        let by = Substitution::parse(by).expect(by);
        let renaming = Renaming { from: Path::parse(from).expect(from), by };
        let told = |faults: Faults| -> Vec<String> {
            faults
                .iter()
                .map(|fault| format!("{}{fault}", if fault.is_absent() { "absent: " } else { "" }))
                .collect()
        };
        edited(CAMERAS, |document| renaming.edit(document, &Config::new(document)), told)
    }

    #[test]
    fn only_the_names_change() {
        let named = |pairs: &[(&str, &str)]| {
            Ok(pairs.iter().fold(CAMERAS.to_owned(), |text, (old, new)| text.replace(old, new)))
        };
        for (from, by, pairs) in [
            ("streams.cam*", "s/cam/gate/", &[("stream cam", "stream gate")][..]),
            (
                "streams.*",
                "s/cam/the gate/",
                &[
                    ("stream cam1", "stream \"the gate1\""),
                    ("stream cam2", "stream \"the gate2\""),
                    ("the cam\"", "the the gate\""),
                ],
            ),
            ("streams.cam1", "s/cam1/lobby/", &[("stream cam1", "stream lobby")]),
            ("lives.*", r"s/^cam(\d)/hall-\1/r", &[("live cam1", "live hall-1")]),
            ("plugins.cam", "s/cam/iptv/", &[("plugin cam", "plugin iptv")]),
            ("streams.cam*", "s/cam/cam/", &[]),
            // One takes the name that another one leaves.
            ("streams.cam*", "s/cam2/cam3/", &[("cam2", "cam3")]),
            (r"streams.cam*", "s/cam1/cam11/", &[("stream cam1", "stream cam11")]),
        ] {
            assert_eq!(renamed(from, by), named(pairs), "{from} {by}");
        }
    }

    #[test]
    fn names_can_move_on_by_one() {
        let text = CAMERAS.replace("stream cam2", "stream cam12").replace("stream cam1 ", "stream cam11 ");
        assert_eq!(renamed("streams.cam*", "s/cam/cam1/"), Ok(text));
    }

    #[test]
    fn a_renaming_with_faults_is_refused_as_a_whole() {
        for (from, by, faults) in [
            (
                "streams.cam*",
                r"s/\d//r",
                &["`streams.cam2`: it and `streams.cam1` would get the same name"][..],
            ),
            ("streams.*", "s/^.$//r", &["`streams.a`: it can't have its", "`streams.b`: it can't have its"]),
            (
                "streams.cam*",
                r"s/^.*$/a/r",
                &["`streams.a`: there is a stream `a` already", "`streams.cam2`: it and"],
            ),
            ("streams.cam*", "s/gate/x/", &["absent: `streams.cam*`: no name"]),
            ("streams.door*", "s/door/x/", &["absent: `streams.door*`: `door*` matches nothing here"]),
            ("streams.cam3", "s/cam/x/", &["absent: `streams.cam3`: there is no stream `cam3`"]),
            ("streams.cam*.title", "s/cam/x/", &["`streams.cam*.title`: expected one stream"]),
            ("rtmp", "s/1/2/", &["`rtmp`: expected one stream"]),
        ] {
            let found = renamed(from, by).expect_err(from);
            assert_eq!(found.len(), faults.len(), "{found:#?}");
            for (found, fault) in found.iter().zip(faults) {
                assert!(found.starts_with(fault), "{found}");
            }
        }
    }
}
