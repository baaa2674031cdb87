//! Changes on servers that have the four operations of the API and nothing else.

use std::sync::Arc;

use super::connection::{ApiCall, Client};
use crate::engine::{
    ChangeOptions, ChangeReport, ConfigSource, Guard, RequestedChange, Snapshot, before_dangling,
    before_deletion, before_emptying, before_lost_account, before_replacement, deleted_streams,
};
use crate::error::Error;
use crate::http::api::ApiOperation;

/// What a server answers that says yes to a change and does not make it.
const IGNORED: &str = "the same configuration as before, without the change";

/// What is told of a change that is computed on the configuration which was read.
const UNCONDITIONAL: &str =
    "does not offer conditional changes: another change at the same time could be overwritten";

/// Makes a change, or rehearses it, on a server that has the four operations of the API and nothing else. It gives JSON
/// alone, of which the client makes a text, and ignores every query parameter, so `dry_run=true` would be a change.
/// Whatever relies on more is done here, on the configuration that was read, or is refused before anything is sent.
pub(super) fn change_foreign(
    client: &mut Client,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<ChangeReport, Error> {
    refuse_lacking(client, requested, options)?;
    let mut told = Vec::new();
    told.extend(options.message.as_ref().map(|_| "does not record messages: yours is not in its history"));
    let before = client.fetch(ConfigSource::Running)?;
    let (old, mut after) = (before.document(), before.clone());
    let (body, operation, guard, is_whole) = match requested {
        RequestedChange::Modify(request) => {
            let config = before.config();
            let mut patch = request.evaluate(&config)?;
            if let Some(edit) = request.edit(patch.clone(), old, &config)? {
                options.refused(edit.guarded).into_result(())?;
                after = Arc::new(Snapshot::proved(edit.document));
            }
            if request.is_of_text() {
                patch = old.patch_to(after.document()).into();
                told.push("does not give its text, so the block is made anew there, without comments");
            }
            told.extend((request.depends_on_read() && !options.dry_run).then_some(UNCONDITIONAL));
            let guard = before_lost_account(&before, &after);
            (patch.to_string().into_bytes(), ApiOperation::Modify, guard, request.prunes())
        }
        RequestedChange::Save(text) | RequestedChange::Update(text) => {
            after = Arc::new(Snapshot::from_bytes(text.to_vec()));
            options.refuse([after.has_lost_line_ends().then_some(Guard::OneLine)])?;
            if !after.is_valid() {
                return Err(Error::bad_new_text(after));
            }
            Error::masked_text(after.document().text()).map_or(Ok(()), Err)?;
            let is_save = matches!(requested, RequestedChange::Save(_));
            let operation = if is_save { ApiOperation::Save } else { ApiOperation::Update };
            (text.to_vec(), operation, before_replacement(Some(&before), &after), true)
        }
        _ => return Err(client.not_offered("the text of the configuration")),
    };
    let emptied = before_emptying(&before, &after).filter(|_| is_whole);
    let (deleted, of) = deleted_streams(old, after.document());
    let deletion = before_deletion(deleted, of, options.max_delete).filter(|_| emptied.is_none());
    options.refuse([guard, emptied, deletion, before_dangling(old, after.document())])?;
    told.iter().for_each(|what| client.host.warning(&format!("`{}` {what}", client.name)));
    let mut after = client.of_values(&after.config().to_json(), true)?;
    if !options.dry_run
        && let Some(made) = made_by(client, operation, &body)?
    {
        if made.is_same_text(&before) && !after.is_same_text(&before) {
            return Err(client.not_of_the_api(IGNORED, true));
        }
        after = client.of_values(&made.config().to_json(), true)?;
    }
    let is_same = after.is_same_text(&before);
    Ok(ChangeReport::between(Some(before), after, !is_same))
}

/// Refuses what such a server would ignore, and make the change.
fn refuse_lacking(
    client: &Client,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<(), Error> {
    let lacking = [
        (matches!(requested, RequestedChange::Rollback(_) | RequestedChange::Revert(_)), "a history"),
        (options.strict, "refusing new warnings"),
        (options.id.is_some(), "ids of changes"),
        (options.confirm.is_some(), "changes that have to be confirmed"),
        (options.expected.is_some(), "conditional changes"),
        (options.base.is_some(), "merging a change with those of others"),
    ];
    let found = lacking.into_iter().find(|(is_wanted, _)| *is_wanted);
    found.map_or(Ok(()), |(_, feature)| Err(client.not_offered(feature)))
}

/// Sends a change; the configuration that it made, as far as that is known.
fn made_by(
    client: &mut Client,
    operation: ApiOperation,
    body: &[u8],
) -> Result<Option<Arc<Snapshot>>, Error> {
    let reply = client.send(&ApiCall { body, applies: true, ..ApiCall::new(operation) })?;
    Ok(match operation {
        ApiOperation::Modify => Some(client.text(reply, true)?),
        _ if reply.body.as_deref().map(<[u8]>::trim_ascii) != Some(b"true") => {
            return Err(client.not_of_the_api("something other than `true`", true));
        }
        // The change may have replaced the password, so nothing is asked.
        _ => client.try_to_send(&ApiCall::default()).ok().and_then(|reply| client.text(reply, true).ok()),
    })
}
