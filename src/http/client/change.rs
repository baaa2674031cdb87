//! A change of a server that evaluates requests itself: one request, which answers with what the change did.

use std::borrow::Cow;

use serde_json::Value;

use super::api_client::{Call, is_report};
use super::session::Session;
use crate::engine::{ChangeOptions, ChangeReport, Guard, RequestedChange};
use crate::error::Error;
use crate::http::protocol::parameters::Parameters;
use crate::http::protocol::routes::ApiOperation;

/// Makes a change, or rehearses it; `None` if the server is a foreign one, which has changed nothing.
pub fn change(
    session: &mut Session,
    requested: &RequestedChange<'_>,
    options: &ChangeOptions,
) -> Result<Option<ChangeReport>, Error> {
    let body = serde_json::to_vec(requested).expect("a request can be written");
    let call = Call {
        parameters: query(options),
        body: &body,
        applies: !options.dry_run,
        ..Call::new(ApiOperation::Change)
    };
    let Some(reply) = session.send_ours(&call)? else { return Ok(None) };
    // All other members may be missing, so any object would do.
    let report = |value: Value| serde_json::from_value(Some(value).filter(is_report)?).ok();
    session.parsed(&reply, call.applies, "something that is no report of a change", report).map(Some)
}

/// The query for `options`.
fn query(options: &ChangeOptions) -> Vec<(&'static str, Cow<'static, str>)> {
    let change = ChangeOptions { max_delete: most_deleted(options), ..options.clone() };
    let parameters = Parameters { change, ..Parameters::default() };
    let written = parameters.query(ApiOperation::Change.route()).into_iter();
    written.map(|(name, value)| (name, Cow::Owned(value))).collect()
}

/// Returns the number of streams that may be deleted: as many as the user said, or agreed to.
fn most_deleted(options: &ChangeOptions) -> Option<usize> {
    let agreed = options.accepted.iter().filter_map(|guard| match guard {
        Guard::WouldDeleteStreams { deleted, .. } => Some(*deleted),
        _ => None,
    });
    agreed.chain(options.max_delete).max()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_agreed_to_and_the_first_nodes_are_in_the_query() {
        let options = ChangeOptions {
            accepted: vec![Guard::NearMiss, Guard::WouldDeleteStreams { deleted: 9, of: 10 }],
            max_delete: Some(5),
            canary: vec!["edge1".to_owned()],
            confirm: Some(Duration::from_secs(60)),
            ..ChangeOptions::default()
        };
        let expected = [("accept", "near-miss"), ("confirm", "60"), ("canary", "edge1"), ("max_delete", "9")];
        assert_eq!(query(&options), expected.map(|(name, value)| (name, value.into())));
    }
}
