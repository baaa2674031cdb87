//! A requested change as data: values to set, a patch, a whole state, new names. It is evaluated on the configuration that
//! it is applied to.

mod blocks;

use bytes::Bytes;
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::edit::{
    AssignOptions, AssignedValue, Assignment, Edit, EditError, Evaluated, MaybeEdit, modify_members,
};
use crate::merge::DesiredState;
use crate::query::{Condition, Config, Expectation, Path};
use crate::schema::Schema;
use crate::schema::fault::{Fault, Faults};
use crate::schema::patch::parse_within;
use crate::syntax::Document;

pub use blocks::{BlockContent, BlockRequest, Renaming};

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
    /// The JSON text of a merge patch (RFC 7396), and the most bytes of memory for the merge. The text is parsed when it
    /// is evaluated, so that requests which wait for their turn hold their text alone.
    #[serde(serialize_with = "as_json", deserialize_with = "of_json")]
    Patch { text: Bytes, memory: usize },
    /// A desired state, from which a patch is computed.
    State(DesiredState),
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

fn as_json<S: Serializer>(text: &Bytes, _: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_slice::<&RawValue>(text).map_err(S::Error::custom)?.serialize(serializer)
}

/// The text of a patch in a request that was sent, and its memory, for which [`Request::within`] has the limit.
fn of_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(Bytes, usize), D::Error> {
    let text = <&RawValue>::deserialize(deserializer)?;
    Ok((Bytes::copy_from_slice(text.get().as_bytes()), usize::MAX))
}

/// A request that changes nothing yet.
impl Default for Request {
    fn default() -> Self {
        Self::assigning(Vec::new(), Vec::new(), AssignOptions::default())
    }
}

impl From<Edits> for Request {
    fn from(edits: Edits) -> Self {
        Self { edits, expectations: Vec::new() }
    }
}

impl From<Value> for Request {
    fn from(patch: Value) -> Self {
        Self::from_json(patch.to_string(), usize::MAX)
    }
}

impl From<DesiredState> for Request {
    fn from(state: DesiredState) -> Self {
        Edits::State(state).into()
    }
}

impl From<Renaming> for Request {
    fn from(renaming: Renaming) -> Self {
        Edits::Renaming(renaming).into()
    }
}

impl From<BlockRequest> for Request {
    fn from(block: BlockRequest) -> Self {
        Edits::Block(block).into()
    }
}

impl Request {
    /// The request of assignments in the entries that meet all `conditions`.
    pub fn assigning(
        assignments: Vec<Assignment>,
        conditions: Vec<Condition>,
        options: AssignOptions,
    ) -> Self {
        Edits::Assignments { assignments, conditions, options }.into()
    }

    /// The request of a merge patch whose JSON text is parsed when it is evaluated; its merge may take `memory` bytes.
    pub fn from_json(text: impl Into<Bytes>, memory: usize) -> Self {
        Edits::Patch { text: text.into(), memory }.into()
    }

    /// The same with one more value: `streams.cam1.prepush=2`.
    ///
    /// # Errors
    /// The text is no path with a value, or the request has no assignments.
    pub fn set(self, assignment: &str) -> Result<Self, Fault> {
        match Path::split_assignment(assignment)? {
            (path, Some(value)) => self.assigned(path, AssignedValue::Typed(value.to_owned())),
            (path, None) => Err(Fault::of_path("a value is missing, such as `prepush=5`").at(&path)),
        }
    }

    /// The same without the value at a path: `streams.cam1.title`.
    ///
    /// # Errors
    /// The text is no path, or the request has no assignments.
    pub fn unset(self, path: &str) -> Result<Self, Fault> {
        self.assigned(Path::parse(path)?, AssignedValue::Remove)
    }

    fn assigned(mut self, path: Path, value: AssignedValue) -> Result<Self, Fault> {
        match &mut self.edits {
            Edits::Assignments { assignments, .. } => assignments.push(Assignment { path, value }),
            Edits::Block(block) => block.assignments.push(Assignment { path, value }),
            _ => return Err(Fault::of_path("a request of this kind takes no values").at(&path)),
        }
        Ok(self)
    }

    /// The same, refused where the configuration has other values than these.
    #[must_use]
    pub fn expecting(mut self, expectations: Vec<Expectation>) -> Self {
        self.expectations = expectations;
        self
    }

    /// The same, with a limit of the memory of a patch, in bytes.
    #[must_use]
    pub fn within(mut self, most: usize) -> Self {
        if let Edits::Patch { memory, .. } = &mut self.edits {
            *memory = most;
        }
        self
    }

    /// Parses the text of a patch to refuse a faulty one; keeps nothing.
    ///
    /// # Errors
    /// The faults of the text.
    pub fn check_text(&self) -> Result<(), Faults> {
        match &self.edits {
            Edits::Patch { text, memory } => parse_within(text, *memory).map(drop),
            _ => Ok(()),
        }
    }

    /// Computes the patch for a configuration.
    ///
    /// # Errors
    /// Unmet expectations come before faults of the edits.
    pub fn evaluate(&self, current: &Config<'_>) -> Result<Evaluated, Faults> {
        Faults(current.unmet(&self.expectations)?).into_result(())?;
        let (patch, depends_on_read) = match &self.edits {
            Edits::Patch { text, memory } => (parse_within(text, *memory)?, false),
            Edits::State(state) => (state.patch(current), state.prunes()),
            Edits::Block(block) => (block.patch(current)?, true),
            Edits::Renaming(all) => (all.patch(current)?, true),
            Edits::Assignments { assignments, conditions, options } => {
                let computed = current.to_patch(assignments, conditions, *options)?;
                (computed.patch, computed.depends_on_read)
            }
        };
        let depends_on_read = depends_on_read || !self.expectations.is_empty();
        Ok(Evaluated { patch, depends_on_read })
    }

    /// The edit of a text on which the request was evaluated; `None` if it changes nothing. The doubts are left to the
    /// caller.
    ///
    /// # Errors
    /// The change does not fit the text.
    pub fn edit(&self, evaluated: Evaluated, document: &Document, current: &Config<'_>) -> MaybeEdit {
        match &self.edits {
            Edits::Block(block) => block.edit(document, current),
            Edits::Renaming(renaming) => renaming.edit(document, current),
            _ => modify_members(document, current.members(), Schema::normalize(evaluated.patch)?),
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
        match &self.edits {
            Edits::Assignments { assignments, .. } => {
                let is_below = |made: &Assignment| made.path.segments.len() > 1;
                !self.stands_for_many() && assignments.len() <= most && assignments.iter().all(is_below)
            }
            edits => matches!(edits, Edits::Block(_)),
        }
    }

    /// True if it is a desired state that removes what it lacks.
    pub fn prunes(&self) -> bool {
        matches!(&self.edits, Edits::State(state) if state.prunes())
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
        let evaluated = request.evaluate(&config)?;
        let unchanged = || Edit { document: self.clone(), deleted_streams: 0, guarded: Faults::default() };
        Ok(request.edit(evaluated, self, &config)?.unwrap_or_else(unchanged).refused_unless(&[])?)
    }
}
