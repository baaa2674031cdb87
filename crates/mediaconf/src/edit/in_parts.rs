//! Merges a request that is evaluated part by part.

use super::config_lookup::ConfigLookup;
use super::fault::Faults;
use super::plan::Note;
use super::request::{ChangeRequest, Evaluated};
use super::{Edit, JoinedEdit, carry_out_part, parts, protocol_switch};
use crate::model::member::Members;
use crate::syntax::Document;

/// Evaluates a request and merges its patch part by part, so that the values of one part go before those of the next
/// are made; returns the edit and the notes about the patch. `None` if it does more than to set values of very many
/// blocks that are there, or to make very many new ones, or is refused: then it is evaluated as a whole, which says why.
pub fn modify_in_parts(
    document: &Document,
    members: &Members<'_>,
    request: &ChangeRequest,
    current: &dyn ConfigLookup,
) -> Option<(Option<Edit>, Vec<Note>)> {
    let (mut finder, mut edit, mut lacks) = (parts::BlockFinder::default(), JoinedEdit::default(), 0);
    let mut add = |part: Result<Evaluated, Faults>| {
        let part = part.ok()?;
        lacks += part.notes.iter().map(Note::settings_lacking).sum::<usize>();
        let patch = protocol_switch::resolved(members, part.normalized(document.schema()).ok()?).ok()?;
        let alone = finder.alone(members, &patch);
        let is_alone = alone.is_some();
        let planned = carry_out_part(document, members, alone, patch).ok()?;
        // Beside blocks that are there, a part may name what needs no change.
        (is_alone || planned.is_none()).then(|| edit.add(planned))
    };
    let is_made = request.evaluate_in_parts(current, &mut |part| add(part).is_some());
    let notes = (lacks > 0).then_some(Note::SettingsLacking(lacks)).into_iter().collect();
    is_made.then(|| (edit.finish(members), notes))
}
