//! `save_config`, `update_config` and `rollback_config` of a server.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::api_client::Call;
use super::change::{
    deletion, included_deletion, lost_credentials, outcome, parameters, refuse_guarded, refuse_unexpected,
    rehearsed,
};
use super::session::{Fetched, Session, status};
use crate::engine::{
    ChangeOptions, Content, EngineError, Feature, Guard, Outcome, Replaced, ServiceError, Snapshot, Source,
    before_replacement,
};
use crate::http::protocol::headers::TO;
use crate::http::protocol::problem::ProblemKind;
use crate::http::protocol::routes::ApiOperation;
use crate::store::ChangeRef;
use mediaconf::edit::config_lookup::{Current, LocalView};
use mediaconf::model::secret::holds_mask;
use mediaconf::model::{Lens, has_lost_line_ends, top_members};

/// Replaces the configuration, or rehearses it.
pub fn replace(
    session: &mut Session,
    target: Replaced,
    bytes: &[u8],
    options: &ChangeOptions,
) -> Result<Outcome, ServiceError> {
    // This guard comes first, because lost line ends explain the errors in the text.
    let new = match valid_text(bytes) {
        Err(error) if !has_lost_line_ends(bytes) => return Err(error),
        checked => checked,
    };
    let before = fetch_replaced(session, target)?;
    refuse_guarded([lost_line_ends(&before, bytes)], options)?;
    let new = new?;
    refuse_masks(&before, &new)?;
    refuse_guarded(guards(&before, &new, options), options)?;
    let changes_includes = before.reply.offers(Feature::DryRun)
        && matches!(&before.content, Content::Text(old) if !old.includes().is_empty() && !old.includes_as(&new));
    if changes_includes && !options.dry_run {
        // Only the server knows which streams go with an `include`: a rehearsal refuses too many of them.
        replace(session, target, bytes, &ChangeOptions { dry_run: true, ..options.clone() })?;
    }
    let mut after = Content::Text(new);
    if options.dry_run && !before.reply.offers(Feature::DryRun) {
        return Ok(rehearsed(before.content, after));
    }
    let parameters = parameters(session, options, &before)?;
    let (operation, name) = match target {
        Replaced::File => (ApiOperation::Save, "save"),
        Replaced::Running => (ApiOperation::Update, "update"),
    };
    let applies = !options.dry_run;
    let etag = expected(session, options, &before)?;
    let call = Call { parameters, body: bytes, applies, if_match: etag.as_deref(), ..Call::of(operation) };
    let reply = session.post(&call)?;
    if reply.body.as_ref().map(|body| body.bytes.trim_ascii()) != Some(b"true") {
        return Err(session.not_of_the_api("something other than `true`", applies));
    }
    if let (Content::Json(_), Some(made)) = (&before.content, read_back(session)) {
        after = Content::Json(made);
    }
    let outcome = outcome(session, before.content, after, reply, name, options);
    if changes_includes && options.dry_run {
        refuse_guarded([included_deletion(&outcome, options)], options)?;
    }
    Ok(outcome)
}

/// The entity tag of the running configuration, or of the file that was edited by hand, if the change is meant
/// for one configuration only.
fn expected(
    session: &mut Session,
    options: &ChangeOptions,
    replaced: &Fetched,
) -> Result<Option<String>, ServiceError> {
    if options.expected.is_none() {
        return Ok(None);
    }
    let running = session.fetch(Source::Running)?;
    let meant = match refuse_unexpected(&running.content, options) {
        Ok(()) => &running,
        Err(error) => refuse_unexpected(&replaced.content, options).map(|()| replaced).map_err(|_| error)?,
    };
    Ok(meant.reply.etag.clone().filter(|_| running.reply.offers(Feature::IfMatch)))
}

/// Makes an earlier text the configuration, or rehearses it; `to` names the change by its serial
/// number, and `new` is the text before it.
pub fn roll_back(
    session: &mut Session,
    to: ChangeRef,
    new: Arc<Snapshot>,
    options: &ChangeOptions,
) -> Result<Outcome, ServiceError> {
    let before = match session.fetch(Source::Saved) {
        // The file is gone; only the running configuration is left to compare with.
        Err(error) if status(&error) == Some(ProblemKind::NotFound.status()) => {
            session.fetch(Source::Running)?
        }
        fetched => fetched?,
    };
    refuse_guarded(guards(&before, &new, options), options)?;
    let mut parameters = parameters(session, options, &before)?;
    parameters.push((TO, to.in_url().into()));
    let applies = !options.dry_run;
    let etag = expected(session, options, &before)?;
    let call = Call { parameters, applies, if_match: etag.as_deref(), ..Call::of(ApiOperation::Rollback) };
    let reply = session.post(&call)?;
    Ok(outcome(session, before.content, Content::Text(new), reply, "rollback", options))
}

/// Reads the configuration that is replaced: for a save the file, if the server shows it.
fn fetch_replaced(session: &mut Session, target: Replaced) -> Result<Fetched, ServiceError> {
    if target == Replaced::File {
        match session.fetch(Source::Saved) {
            Ok(saved) => return Ok(saved),
            Err(ServiceError::NotOffered { .. }) => {}
            // A save repairs a file that is gone or can't be read.
            Err(error) if status(&error).is_some_and(may_be_about_the_file) => {}
            Err(error) => return Err(error),
        }
    }
    session.fetch(Source::Running)
}

/// Whether the reason for an error status may be the file, and not the credentials.
fn may_be_about_the_file(status: u16) -> bool {
    !matches!(status, 401 | 403 | 429)
}

/// Reads the configuration after the change; `None` if the change replaced the password.
fn read_back(session: &Session) -> Option<Value> {
    session.try_read(&Call::read(Vec::new()))?.json().ok()?.filter(Value::is_object)
}

/// The guard for a text that has lost its line ends; none for a text equal to the present one.
fn lost_line_ends(before: &Fetched, text: &[u8]) -> Option<Guard> {
    let is_present = matches!(&before.content, Content::Text(present) if present.bytes() == text);
    (has_lost_line_ends(text) && !is_present).then_some(Guard::OneLine)
}

/// Parses a text, and refuses what every server of this API refuses.
fn valid_text(bytes: &[u8]) -> Result<Arc<Snapshot>, ServiceError> {
    let new = Arc::new(Snapshot::of(bytes.to_vec()));
    if !new.is_valid() {
        return Err(EngineError::BadText(new).into());
    }
    Ok(new)
}

/// Refuses a text with masks, for servers that would take it. Others judge: they tell users who may only
/// look that they may not change anything.
fn refuse_masks(before: &Fetched, new: &Snapshot) -> Result<(), ServiceError> {
    match !before.reply.offers(Feature::Conf) && holds_mask(new.document().text()) {
        true => Err(EngineError::MaskedText.into()),
        false => Ok(()),
    }
}

/// The guards that the server lacks: over deleted streams all of them, without text all others.
fn guards(before: &Fetched, new: &Arc<Snapshot>, options: &ChangeOptions) -> [Option<Guard>; 2] {
    let (members, lens) = (top_members(new.document()), Lens::default());
    let kept: HashSet<String> = LocalView::new(&members, &lens).names(&["streams"]).into_iter().collect();
    let is_deleted = |name: &str| !kept.contains(name);
    match &before.content {
        Content::Text(old) => {
            let old = top_members(old.document());
            [None, deletion(&LocalView::new(&old, &lens), &is_deleted, options)]
        }
        Content::Json(old) => {
            let empty = before_replacement(None, new.document());
            let lost = || lost_credentials(old, &Content::Text(new.clone()).to_json());
            [empty.or_else(lost), deletion(old, &is_deleted, options)]
        }
    }
}
