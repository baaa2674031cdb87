//! The requested change as data: it is evaluated on the configuration that it is applied to.

use std::collections::HashSet;

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::blocks::{BlockContent, BlockRequest};
use super::renaming::Renaming;
use crate::edit::{
    AssignOptions, Assignment, Computed, Condition, ConfigLookup, Edit, EditError, Expectation, Note, Path,
    Segment, modify_members, normalize, to_patch, unmet,
};
use crate::merge::DesiredState;
use crate::schema::fault::Faults;
use crate::schema::members::Members;
use crate::schema::patch::parse_within;
use crate::schema::{Kind, Object};
use crate::syntax::Document;

/// A requested change, and the values that the configuration must have for it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRequest {
    /// The edits that are requested.
    pub edits: Edits,
    /// The values that the configuration must have; otherwise the change is refused.
    #[serde(default)]
    pub expectations: Vec<Expectation>,
}

/// The edits that are requested.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Edits {
    /// A merge patch (RFC 7396).
    #[serde(skip_deserializing)]
    Patch(Value),
    /// A desired state, from which a patch is computed.
    State(DesiredState),
    /// The text of a merge patch. It is parsed when it is evaluated, so that requests which wait for
    /// their turn hold their text alone.
    #[serde(rename = "patch", skip_serializing, deserialize_with = "patch_text")]
    PatchText {
        /// The JSON text.
        text: Bytes,
        /// The most bytes of memory for the merge.
        memory: usize,
    },
    /// Another name for a block, or a new block.
    Block(BlockRequest),
    /// Other names for many blocks.
    Renaming(Renaming),
    /// Assignments, from which a patch is computed.
    Assignments {
        /// In the order in which they are made.
        assignments: Vec<Assignment>,
        /// Those that an entry meets in which assignments are made (`--where`).
        #[serde(default)]
        conditions: Vec<Condition>,
        /// The options of the assignments.
        #[serde(default)]
        options: AssignOptions,
    },
}

/// The text of a patch in a request that was sent, and its memory, for which [`ChangeRequest::within`] has the limit.
fn patch_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(Bytes, usize), D::Error> {
    let text = <&RawValue>::deserialize(deserializer)?;
    Ok((Bytes::copy_from_slice(text.get().as_bytes()), usize::MAX))
}

/// The patch that a request evaluates to on one configuration.
#[derive(Clone, PartialEq)]
pub struct Evaluated {
    /// The merge patch, as it is sent to a server.
    pub patch: Value,
    /// True if the patch is right only for the configuration on which it was evaluated.
    pub depends_on_read: bool,
    /// The normalized patch, where evaluating made it already.
    normalized: Option<Object>,
    /// The notes for users about the patch.
    pub notes: Vec<Note>,
}

impl From<Value> for ChangeRequest {
    fn from(patch: Value) -> Self {
        Self { edits: Edits::Patch(patch), expectations: Vec::new() }
    }
}

impl From<Renaming> for ChangeRequest {
    fn from(renaming: Renaming) -> Self {
        Self { edits: Edits::Renaming(renaming), expectations: Vec::new() }
    }
}

impl From<BlockRequest> for ChangeRequest {
    fn from(block: BlockRequest) -> Self {
        Self { edits: Edits::Block(block), expectations: Vec::new() }
    }
}

impl ChangeRequest {
    /// The same, with a limit of the memory of a patch, in bytes.
    #[must_use]
    pub fn within(mut self, most: usize) -> Self {
        if let Edits::PatchText { memory, .. } = &mut self.edits {
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
            Edits::PatchText { text, memory } => parse_within(text, *memory).map(drop),
            Edits::Patch(_)
            | Edits::State(_)
            | Edits::Block(_)
            | Edits::Renaming(_)
            | Edits::Assignments { .. } => Ok(()),
        }
    }

    /// Computes the patch for a configuration.
    ///
    /// # Errors
    /// Unmet expectations come before faults of the edits.
    pub fn evaluate(&self, current: &dyn ConfigLookup) -> Result<Evaluated, Faults> {
        self.refuse_unmet(current)?;
        let mut notes = Vec::new();
        let (patch, depends_on_read, normalized) = match &self.edits {
            Edits::Patch(patch) => (patch.clone(), false, None),
            Edits::State(state) => {
                let (patch, found) = state.patch(current);
                notes = found;
                (patch, !matches!(state, DesiredState::Merged(_)), None)
            }
            Edits::PatchText { text, memory } => (parse_within(text, *memory)?, false, None),
            Edits::Block(block) => (block.patch(current)?, true, None),
            Edits::Renaming(all) => (all.patch(current)?, true, None),
            Edits::Assignments { assignments, conditions, options } => {
                let computed = Evaluated::from(to_patch(current, assignments, conditions, *options)?);
                (computed.patch, computed.depends_on_read, computed.normalized)
            }
        };
        let depends_on_read = depends_on_read || !self.expectations.is_empty();
        Ok(Evaluated { patch, depends_on_read, normalized, notes })
    }

    /// Compares the expectations with a configuration.
    ///
    /// # Errors
    /// Those that it does not meet.
    pub fn refuse_unmet(&self, current: &dyn ConfigLookup) -> Result<(), Faults> {
        Faults(unmet(current, &self.expectations)?).into_result(())
    }

    /// True if it edits the text directly, so that comments and order survive.
    pub fn is_of_text(&self) -> bool {
        match &self.edits {
            Edits::Block(block) => block.is_of_text(),
            edits => matches!(edits, Edits::Renaming(_)),
        }
    }

    /// True if it edits the text of blocks that are there, which may have comments.
    pub fn is_of_present_text(&self) -> bool {
        let is_new = matches!(&self.edits, Edits::Block(BlockRequest { content: BlockContent::New(_), .. }));
        self.is_of_text() && !is_new
    }

    /// The edit of a text on which the request was evaluated; `None` if it changes nothing.
    ///
    /// # Errors
    /// The change does not fit the text.
    pub fn edit(
        &self,
        evaluated: Evaluated,
        document: &Document,
        members: &Members<'_>,
    ) -> Result<Option<Edit>, EditError> {
        match &self.edits {
            Edits::Block(block) if block.is_of_text() => block.edit(document, members),
            Edits::Renaming(renaming) => renaming.edit(document, members),
            _ => modify_members(document, members, evaluated.normalized()?),
        }
    }

    /// True if blocks get other names, and none is deleted.
    pub fn is_renaming(&self) -> bool {
        matches!(self.edits, Edits::Renaming(_))
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
            Edits::Patch(_) | Edits::State(_) | Edits::PatchText { .. } => Vec::new(),
        }
    }

    /// The block beside which a new one is to stand, if one is named.
    pub fn beside(&self) -> Option<Path> {
        match &self.edits {
            Edits::Block(block) => block.beside(),
            _ => None,
        }
    }

    /// The conditions of its assignments.
    pub fn conditions(&self) -> &[Condition] {
        match &self.edits {
            Edits::Assignments { conditions, .. } => conditions,
            _ => &[],
        }
    }

    /// True if it names each entry that it changes, and at most `most` of them.
    pub fn names_few(&self, most: usize) -> bool {
        match &self.edits {
            Edits::Assignments { assignments, conditions, .. } => {
                let is_one = |path: &Path| path.segments.len() > 1 && path.first_pattern().is_none();
                conditions.is_empty()
                    && assignments.len() <= most
                    && assignments.iter().all(|made| is_one(&made.path))
            }
            Edits::Block(_) => true,
            _ => false,
        }
    }

    /// True if it has patterns or conditions, which stand for all entries that match.
    pub fn stands_for_many(&self) -> bool {
        !self.conditions().is_empty() || self.paths().iter().any(|path| path.first_pattern().is_some())
    }

    /// The streams that are deleted one by one, by their names: no guard counts them.
    pub fn named_deletions(&self) -> HashSet<&str> {
        match &self.edits {
            Edits::Assignments { assignments, .. } => assignments.iter().filter_map(deleted_stream).collect(),
            Edits::Block(BlockRequest { content: BlockContent::Moved(path), .. }) => {
                path.segments.last().and_then(Segment::name).into_iter().collect()
            }
            Edits::Patch(_)
            | Edits::State(_)
            | Edits::PatchText { .. }
            | Edits::Renaming(_)
            | Edits::Block(_) => HashSet::new(),
        }
    }
}

impl From<Computed> for Evaluated {
    fn from(Computed { patch, normalized, depends_on_read }: Computed) -> Self {
        Self { patch: patch.into(), depends_on_read, normalized: Some(normalized), notes: Vec::new() }
    }
}

impl Evaluated {
    /// The normalized patch; the one place where it is normalized.
    ///
    /// # Errors
    /// The faults of the patch.
    pub fn normalized(self) -> Result<Object, Faults> {
        self.normalized.map_or_else(|| normalize(self.patch), Ok)
    }
}

fn deleted_stream(assignment: &Assignment) -> Option<&str> {
    match &assignment.path.segments[..] {
        [Segment::Key(group), Segment::Key(name)]
            if assignment.value.removes() && group == Kind::Streams.key() =>
        {
            Some(name)
        }
        _ => None,
    }
}
