//! `modify` against a server.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::change::{credentials, deletion, outcome, refuse_guarded};
use super::{Fetched, Remote, Source};
use crate::cli::error::CliError;
use crate::edit::config_lookup::{Current, LocalView};
use crate::edit::request::{ChangeRequest, Evaluated};
use crate::edit::{self, guarded, json_merge, normalize};
use crate::engine::Content;
use crate::engine::{ChangeOptions, EngineError, Guard, Outcome, Snapshot};
use crate::http::client::{Call, ClientError};
use crate::http::protocol::headers::{FORMAT, FORMAT_CONF, Feature, SOURCE, SOURCE_SAVED};
use crate::http::protocol::problem::ProblemKind;
use crate::http::protocol::routes::ApiOperation;
use crate::model::{Lens, top_members};

/// How often edits are computed again because the server has another configuration by then.
const MAX_RETRIES: u32 = 10;

/// The longest wait before the first of these, in milliseconds; the later ones grow with it.
const WAIT: u64 = 40;

/// Makes a change, or rehearses it.
pub fn modify(
    remote: &mut Remote,
    wanted: &ChangeRequest,
    request: &ChangeOptions,
) -> Result<Outcome, CliError> {
    let mut retries = 0;
    let mut last: Option<String> = None;
    loop {
        let before = remote.fetch(Source::Running)?;
        let (evaluated, guards) = evaluate(remote, &before, wanted, request)?;
        refuse_guarded_patch(&before.content, &evaluated.patch, request)?;
        refuse_guarded(guards, request)?;
        if request.dry_run && !before.offers(Feature::DryRun) {
            return rehearse(before.content, evaluated.patch);
        }
        let etag = before.answer.etag.clone();
        match send(remote, before, evaluated, request) {
            // What runs is the same still: it is the file that was changed, and will not change back.
            Err(error) if is_stale(&error) && last.is_some() && last == etag => return Err(error),
            Err(error) if is_stale(&error) && retries < MAX_RETRIES => {
                last = etag;
                retries += 1;
                std::thread::sleep(wait(retries));
            }
            result => return result,
        }
    }
}

fn send(
    remote: &mut Remote,
    before: Fetched,
    evaluated: Evaluated,
    request: &ChangeOptions,
) -> Result<Outcome, CliError> {
    let mut parameters = remote.parameters(request, &before)?;
    if before.offers(Feature::Conf) {
        parameters.push((FORMAT, FORMAT_CONF.into()));
    }
    let etag = before.answer.etag.as_deref().filter(|_| before.offers(Feature::IfMatch));
    if evaluated.depends_on_read && etag.is_none() {
        remote.ui.warning(&format!(
            "`{}` does not offer conditional changes: \
             nothing guards against a change that somebody else makes at the same time",
            remote.name
        ));
    }
    let body = evaluated.patch.to_string();
    let file = remote.file_beside(&before);
    let answer = remote.post(&Call {
        parameters,
        if_match: etag.filter(|_| evaluated.depends_on_read && !request.force),
        body: body.as_bytes(),
        applies: !request.dry_run,
        ..Call::of(ApiOperation::Modify)
    })?;
    let after = remote.content(&answer, !request.dry_run)?;
    let (notes, pending) = (answer.notes, answer.pending);
    Ok(outcome(file.unwrap_or(before.content), after, notes, pending))
}

impl Remote {
    /// The text of the file, if it is another than the one that runs: a change is shown as it is
    /// made in the file, with whatever else goes into it.
    fn file_beside(&self, running: &Fetched) -> Option<Content> {
        if !(running.offers(Feature::Saved) && running.offers(Feature::Conf)) {
            return None;
        }
        let mut call = Call::read(vec![(FORMAT, FORMAT_CONF), (SOURCE, SOURCE_SAVED)]);
        call.if_none_match = running.answer.etag.as_deref();
        // It is for the eyes only: a file that can't be read keeps nobody from the change.
        let body = self.client.send(&call).ok()?.body?;
        Some(Content::Text(Arc::new(Snapshot::of(body))))
    }
}

/// The patch, and what stands before it.
fn evaluate(
    remote: &Remote,
    before: &Fetched,
    wanted: &ChangeRequest,
    request: &ChangeOptions,
) -> Result<(Evaluated, [Option<Guard>; 2]), CliError> {
    match &before.content {
        Content::Text(snapshot) if !snapshot.is_valid() => {
            Err(CliError::Invalid { name: remote.name.clone(), snapshot: snapshot.clone() })
        }
        Content::Text(snapshot) => {
            let members = top_members(snapshot.document());
            let lens = Lens::default();
            let current = LocalView::new(&members, &lens);
            let evaluated = wanted.evaluate(&current).map_err(EngineError::from)?;
            let deletion = deletion_by(&current, &evaluated.patch, wanted, request);
            Ok((evaluated, [deletion, None]))
        }
        Content::Json(value) => {
            let evaluated = wanted.evaluate(value).map_err(EngineError::from)?;
            let deletion = deletion_by(value, &evaluated.patch, wanted, request);
            let mut after = value.clone();
            json_merge::merge(&mut after, &evaluated.patch);
            let credentials = credentials(value, &after);
            Ok((evaluated, [credentials, deletion]))
        }
    }
}

/// Refuses here what a server of ours refuses itself, where only the four operations are known.
fn refuse_guarded_patch(before: &Content, patch: &Value, request: &ChangeOptions) -> Result<(), CliError> {
    let Content::Json(current) = before else { return Ok(()) };
    let reduced = normalize::normalize(patch.clone()).map_err(EngineError::from)?;
    let refused = request.refused(guarded::in_json(current, &reduced));
    Ok(refused.into_result(()).map_err(EngineError::from)?)
}

fn deletion_by(
    before: &dyn Current,
    patch: &Value,
    wanted: &ChangeRequest,
    options: &ChangeOptions,
) -> Option<Guard> {
    let named = wanted.named_deletions();
    let streams = patch.get("streams")?;
    let is_deleted = |name: &str| {
        let is_gone = streams.is_null() || streams.get(name).is_some_and(Value::is_null);
        is_gone && !named.contains(name)
    };
    deletion(before, &is_deleted, options)
}

/// What the change would come to; nothing is sent.
fn rehearse(before: Content, patch: Value) -> Result<Outcome, CliError> {
    let after = match &before {
        Content::Text(snapshot) => {
            let edit = edit::modify(snapshot.document(), patch).map_err(EngineError::from)?;
            let splices = edit.map(|edit| edit.splices).unwrap_or_default();
            Content::Text(Arc::new(Snapshot::edited(snapshot.document().with(&splices), snapshot)))
        }
        Content::Json(value) => {
            let reduced = Value::Object(normalize::normalize(patch).map_err(EngineError::from)?);
            let mut after = value.clone();
            json_merge::merge(&mut after, &reduced);
            Content::Json(after)
        }
    };
    Ok(outcome(before, after, Vec::new(), None))
}

fn is_stale(error: &CliError) -> bool {
    let CliError::Server { error, .. } = error else { return false };
    let ClientError::Refused(refusal) = &**error else { return false };
    refusal.status == ProblemKind::Stale.status()
}

/// Random, so that two who wait for each other do not do so again.
fn wait(retries: u32) -> Duration {
    let random = RandomState::new().build_hasher().finish();
    Duration::from_millis(random % (WAIT * u64::from(retries)))
}
