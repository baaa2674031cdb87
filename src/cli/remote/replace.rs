//! `save` and `update` against a server.

use std::collections::HashSet;
use std::sync::Arc;

use super::change::{credentials, deletion, outcome, refuse_guarded};
use super::{Fetched, Remote, Source};
use crate::cli::error::CliError;
use crate::edit::config_lookup::{Current, LocalView};
use crate::engine::Content;
use crate::engine::{ChangeOptions, EngineError, Guard, Outcome, Snapshot, before_replacement};
use crate::http::client::{Call, ClientError};
use crate::http::protocol::headers::Feature;
use crate::http::protocol::routes::ApiOperation;
use crate::model::secret::holds_mask;
use crate::model::{Lens, has_lost_line_ends, top_members};

/// What is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// The running configuration.
    Update,
    /// File and running configuration.
    Save,
}

impl Replacement {
    fn operation(self) -> ApiOperation {
        match self {
            Self::Update => ApiOperation::Update,
            Self::Save => ApiOperation::Save,
        }
    }
}

/// Replaces the configuration, or rehearses it.
pub fn replace(
    remote: &mut Remote,
    what: Replacement,
    text: &[u8],
    request: &ChangeOptions,
) -> Result<Outcome, CliError> {
    // That a text lost its line ends explains the errors that come of it.
    let new = match checked(text) {
        Err(error) if !has_lost_line_ends(text) => return Err(error),
        checked => checked,
    };
    let before = remote.replaced(what)?;
    refuse_guarded([one_line(&before, text)], request)?;
    let new = new?;
    refuse_guarded(guards(&before, &new, request), request)?;
    let (before_content, mut after) = (before.content, Content::Text(new));
    let server = Fetched { content: Content::Json(serde_json::Value::Null), answer: before.answer };
    if request.dry_run && !server.offers(Feature::DryRun) {
        return Ok(outcome(before_content, after, Vec::new(), None));
    }
    let applies = !request.dry_run;
    let parameters = remote.parameters(request, &server)?;
    let call = Call { parameters, body: text, applies, ..Call::of(what.operation()) };
    let answer = remote.post(&call)?;
    if answer.body.as_deref().map(<[u8]>::trim_ascii) != Some(b"true") {
        return Err(remote.failed(ClientError::NotOfTheApi { applies, what: "something else than `true`" }));
    }
    if let (Content::Json(_), Some(read)) = (&before_content, remote.read_back()) {
        after = read;
    }
    Ok(outcome(before_content, after, answer.notes, answer.pending))
}

impl Remote {
    /// What a replacement takes the place of: of a save the file, if the server shows it.
    fn replaced(&mut self, what: Replacement) -> Result<Fetched, CliError> {
        if what == Replacement::Save {
            match self.fetch(Source::Saved) {
                Ok(saved) => return Ok(saved),
                Err(CliError::NotOffered { .. }) => {}
                // A file that is gone or can't be read is what a save puts right.
                Err(CliError::Server { error, .. }) if error.status().is_some_and(is_about_the_file) => {}
                Err(error) => return Err(error),
            }
        }
        self.fetch(Source::Running)
    }

    /// What the server made of the text; none if the text has another password in it.
    fn read_back(&mut self) -> Option<Content> {
        let answer = self.client.send(&Call::read(Vec::new())).ok()?;
        self.object(answer.body.as_deref(), false).ok().map(Content::Json)
    }
}

/// Whether a status may have its reason in the file, and not in who asks, or in what.
fn is_about_the_file(status: u16) -> bool {
    !matches!(status, 401 | 403 | 429)
}

/// The guard for a text that has lost its line ends; none for a text equal to the present one.
fn one_line(before: &Fetched, text: &[u8]) -> Option<Guard> {
    let is_present = matches!(&before.content, Content::Text(present) if present.bytes() == text);
    (has_lost_line_ends(text) && !is_present).then_some(Guard::OneLine)
}

/// The new text, refused here if any server of this API would.
fn checked(text: &[u8]) -> Result<Arc<Snapshot>, CliError> {
    let new = Arc::new(Snapshot::of(text.to_vec()));
    if !new.is_valid() {
        return Err(EngineError::BadText(new).into());
    }
    if holds_mask(new.document().text()) {
        return Err(EngineError::MaskedText.into());
    }
    Ok(new)
}

/// What stands before a replacement, as far as the server does not ask itself.
pub(super) fn guards(before: &Fetched, new: &Arc<Snapshot>, request: &ChangeOptions) -> [Option<Guard>; 2] {
    let members = top_members(new.document());
    let lens = Lens::default();
    let kept: HashSet<String> = LocalView::new(&members, &lens).names(&["streams"]).into_iter().collect();
    let is_deleted = |name: &str| !kept.contains(name);
    match &before.content {
        Content::Text(old) => {
            let old = top_members(old.document());
            [None, deletion(&LocalView::new(&old, &lens), &is_deleted, request)]
        }
        Content::Json(old) => {
            let empty = before_replacement(None, new.document());
            let lost = || credentials(old, &Content::Text(new.clone()).to_json());
            [empty.or_else(lost), deletion(old, &is_deleted, request)]
        }
    }
}
