//! A change of a server that evaluates requests itself: one request, which answers with what the change did.

use std::borrow::Cow;

use serde_json::Value;

use super::api_client::{Call, is_report};
use super::session::Session;
use crate::engine::{ChangeOptions, ChangeReport, Expected, Feature, Guard, Refusal, RequestedChange};
use crate::http::protocol::headers::{
    ACCEPT, ANY, COMMAND, CONFIRM, DRY_RUN, FORCE, MASK_KEY, MAX_DELETE, MESSAGE, OWNER, REVISION,
    SKIP_INCLUDED, STRICT, TELL,
};
use crate::http::protocol::parameters::MAX_STREAMS;
use crate::http::protocol::routes::ApiOperation;

/// Makes a change, or rehearses it; `None` if the server is a foreign one, which has changed nothing.
pub fn change(
    session: &mut Session,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<Option<ChangeReport>, Refusal> {
    let body = serde_json::to_vec(requested).expect("a request can be written");
    let call = Call {
        parameters: parameters(options),
        body: &body,
        applies: !options.dry_run,
        ..Call::new(ApiOperation::Change)
    };
    let Some(reply) = session.send_if(Feature::Change, &call)? else { return Ok(None) };
    // All other members may be missing, so any object would do.
    let report = |value: Value| serde_json::from_value(Some(value).filter(is_report)?).ok();
    session.parsed(&reply, call.applies, "something that is no report of a change", report).map(Some)
}

/// The query parameters for `options`.
fn parameters(options: &ChangeOptions) -> Vec<(&'static str, Cow<'_, str>)> {
    let switches = [
        (DRY_RUN, options.dry_run),
        (FORCE, options.force),
        (STRICT, options.strict),
        (SKIP_INCLUDED, options.skip_included),
    ];
    let on = switches.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| (name, "true".into()));
    let accepted: Vec<&str> = options.accepted.iter().filter_map(Guard::name).collect();
    let expected = options.expected.as_ref().map(|expected| match expected {
        Expected::Any => ANY.to_owned(),
        Expected::OneOf(revisions) => revisions.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
    });
    let texts: [(&'static str, Option<Cow<'_, str>>); 9] = [
        (ACCEPT, list(&accepted.join(","))),
        (REVISION, expected.map(Cow::Owned)),
        (MAX_DELETE, most_deleted(options).map(|most| most.to_string().into())),
        (MESSAGE, options.message.as_deref().map(Cow::Borrowed)),
        (COMMAND, options.command.map(Cow::Borrowed)),
        (OWNER, options.owner.as_ref().map(|owner| owner.as_str().into())),
        (CONFIRM, options.confirm.map(|time| time.as_secs().to_string().into())),
        (TELL, list(&options.told.names())),
        (
            MASK_KEY,
            options.told.mask_key.filter(|_| options.told.diff).map(|key| format!("{key:032x}").into()),
        ),
    ];
    on.chain(texts.into_iter().filter_map(|(name, value)| Some((name, value?)))).collect()
}

fn list(names: &str) -> Option<Cow<'static, str>> {
    (!names.is_empty()).then(|| names.to_owned().into())
}

/// Returns the number of streams that may be deleted: as many as the user said, or agreed to.
fn most_deleted(options: &ChangeOptions) -> Option<usize> {
    let agreed = options.accepted.iter().filter_map(|guard| match guard {
        Guard::WouldDeleteStreams { deleted, .. } => Some(*deleted),
        _ => None,
    });
    agreed.chain(options.max_delete).max().map(|most| most.min(MAX_STREAMS as usize))
}
