//! A foreign server: one that has the four operations of the API and nothing else. It gives JSON alone, of which the
//! session makes a text, and ignores every query parameter, so `dry_run=true` would be a change. Whatever relies on more
//! is done here, on the configuration that was read, or is refused before anything is sent.

use std::sync::Arc;

use super::api_client::Call;
use super::session::Session;
use crate::engine::{
    ChangeOptions, ChangeReport, ConfigSource, Guard, OutcomeNote, RequestedChange, Snapshot,
    before_deletion, before_replacement, deleted_streams,
};
use crate::error::Error;
use crate::http::api::ApiOperation;
use mediaconf::{Request, doubts_in_json, normalize, patch_between};

/// What a server answers that says yes to a change and does not make it.
const IGNORED: &str = "the same configuration as before, without the change";

/// Makes a change, or rehearses it.
pub fn change(
    session: &mut Session,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<ChangeReport, Error> {
    match requested {
        RequestedChange::Modify(request) => modify(session, request, options),
        RequestedChange::Save(text) => replace(session, ApiOperation::Save, text, options),
        RequestedChange::Update(text) => replace(session, ApiOperation::Update, text, options),
        RequestedChange::Format {} | RequestedChange::Entries(_) => {
            Err(session.not_offered("the text of the configuration"))
        }
        RequestedChange::Rollback(_) | RequestedChange::TakeBack(_) => Err(session.not_offered("a history")),
    }
}

/// Evaluates a request on what the server runs, and sends the patch, or only rehearses it.
fn modify(session: &mut Session, request: &Request, options: &ChangeOptions) -> Result<ChangeReport, Error> {
    refuse_lacking(session, options)?;
    let before = session.fetch(ConfigSource::Running)?;
    let config = before.config();
    let evaluated = request.evaluate(&config)?;
    let (mut patch, mut notes) = (evaluated.patch.clone(), evaluated.notes.clone());
    let depends_on_read = evaluated.depends_on_read;
    // JSON does not tell how unknown directives are written, which the made text does.
    let doubts = doubts_in_json(&config.to_json(), &normalize(patch.clone())?);
    options.refused(doubts).into_result(())?;
    let edit = request.edit(evaluated, before.document(), &config)?;
    let named = request.named_deletions();
    if let Some(edit) = &edit {
        let unnamed = edit.deleted_streams.iter().filter(|name| !named.contains(name.as_str())).count();
        let credentials = edit.removes_credentials.then_some(Guard::WouldRemoveCredentials);
        let deletion = before_deletion(unnamed, edit.streams_before, options.max_delete);
        refuse_guarded([credentials, deletion], options)?;
    }
    if request.is_of_text() {
        session.host.warning(&format!(
            "`{}` does not give its text, so the block is made anew there, without comments",
            session.name
        ));
    }
    let mut after = before.clone();
    if let Some(edit) = edit {
        if request.is_of_text() {
            patch = patch_between(before.document(), &edit.document).into();
        }
        notes.extend(edit.notes);
        after = Arc::new(Snapshot::proved(edit.document));
    }
    if !options.dry_run {
        if depends_on_read {
            session.host.warning(&format!(
                "`{}` does not offer conditional changes: \
                 another change at the same time could be overwritten",
                session.name
            ));
        }
        let body = patch.to_string();
        let call = Call { body: body.as_bytes(), applies: true, ..Call::new(ApiOperation::Modify) };
        let mut reply = session.post(&call)?;
        let made = session.text(&mut reply, true)?;
        if made.is_same_text(&before) && !after.is_same_text(&before) {
            return Err(session.not_of_the_api(IGNORED, true));
        }
        after = made;
    }
    let notes = notes.into_iter().map(OutcomeNote::Edit).collect();
    report(session, before, &after).map(|report| ChangeReport { notes, ..report })
}

/// Replaces the configuration, or rehearses it.
fn replace(
    session: &mut Session,
    operation: ApiOperation,
    text: &[u8],
    options: &ChangeOptions,
) -> Result<ChangeReport, Error> {
    let new = Arc::new(Snapshot::from_bytes(text.to_vec()));
    refuse_lacking(session, options)?;
    let before = session.fetch(ConfigSource::Running)?;
    refuse_guarded([new.has_lost_line_ends().then_some(Guard::OneLine)], options)?;
    if !new.is_valid() {
        return Err(Error::bad_new_text(new));
    }
    if let Some(refusal) = Error::masked_text(new.document().text()) {
        return Err(refusal);
    }
    let (deleted, of) = deleted_streams(before.document(), new.document());
    let replacement = before_replacement(Some(before.document()), new.document());
    refuse_guarded([replacement, before_deletion(deleted, of, options.max_delete)], options)?;
    let planned = report(session, before.clone(), &new)?;
    if options.dry_run {
        return Ok(planned);
    }
    let reply = session.post(&Call { body: new.bytes(), applies: true, ..Call::new(operation) })?;
    if reply.body.as_deref().map(<[u8]>::trim_ascii) != Some(b"true") {
        return Err(session.not_of_the_api("something other than `true`", true));
    }
    // The change may have replaced the password.
    let Some(made) = session.try_read() else { return Ok(planned) };
    if made.is_same_text(&before) && planned.changed {
        return Err(session.not_of_the_api(IGNORED, true));
    }
    report(session, before, &made)
}

/// Refuses options that such a server would ignore, and make the change.
fn refuse_lacking(session: &Session, options: &ChangeOptions) -> Result<(), Error> {
    let lacking = [
        (options.strict, "refusing new warnings"),
        (options.id.is_some(), "ids of changes"),
        (options.confirm.is_some(), "changes that have to be confirmed"),
        (options.base.is_some(), "merging a change with those of others"),
    ];
    if let Some((_, feature)) = lacking.into_iter().find(|(is_wanted, _)| *is_wanted) {
        return Err(session.not_offered(feature));
    }
    if options.message.is_some() {
        session
            .host
            .warning(&format!("`{}` does not record messages: yours is not in its history", session.name));
    }
    Ok(())
}

/// The report of a change to the values of a text.
fn report(session: &Session, before: Arc<Snapshot>, after: &Snapshot) -> Result<ChangeReport, Error> {
    let after = session.of_values(&after.config().to_json(), true)?;
    let is_same = after.is_same_text(&before);
    Ok(ChangeReport::between(Some(before), after, !is_same))
}

/// Refuses the first guard that is not accepted.
fn refuse_guarded(
    guards: impl IntoIterator<Item = Option<Guard>>,
    options: &ChangeOptions,
) -> Result<(), Error> {
    let mut open = guards.into_iter().flatten().filter(|guard| !options.accepts(guard));
    open.next().map_or(Ok(()), |guard| Err(Error::from(guard)))
}
