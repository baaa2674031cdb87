//! What changes of a server have in common: what goes along, guards, and the report.

use std::borrow::Cow;

use serde_json::Value;

use super::{Fetched, Remote};
use crate::cli::commands::change::{Printing, lines};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::interrupt::LastWords;
use crate::cli::render::content_diff::{Content, ContentDiff};
use crate::edit::config_lookup::Current;
use crate::engine::{ChangeOptions, EngineError, Guard, before_deletion};
use crate::http::client::{Call, ClientError, Reply};
use crate::http::protocol::headers::{
    ACCEPT, CONFIRM, DELETED_STREAMS, DRY_RUN, FORCE, Feature, HTTP_OPTIONS_DROPPED, IGNORED_PARAMETER,
    KEPT_HAND_EDIT, MESSAGE,
};
use crate::model::redact::masked_json;

/// What the notes of a server of ours mean; `{}` is what stands behind the word.
const NOTES: &[(&str, &str)] = &[
    ("saved-earlier-update", "an update that ran and was not saved goes into the file, too"),
    ("picked-up-hand-edit", "what somebody changed in the file by hand is kept"),
    ("comments-kept", "comment lines above what is removed stay"),
    ("extras-dropped", "the extra parameters of a backend go with it"),
    (KEPT_HAND_EDIT, "the file was edited by hand meanwhile and is left as it is; what runs went back"),
    (DELETED_STREAMS, "{} streams are not in the new configuration"),
    (HTTP_OPTIONS_DROPPED, "the block of `http {}` goes with its port"),
    (IGNORED_PARAMETER, "the server ignored the parameter `{}`"),
    ("warnings-in-log", "the server has a warning about this change in its log"),
    ("overwrote-hand-edit", "what somebody changed in the file by hand is overwritten; the history keeps it"),
];

/// A change of a server, made or rehearsed.
pub struct Outcome {
    /// The configuration before.
    pub before: Content,
    /// The configuration afterwards.
    pub after: Content,
    /// What the server says about it.
    pub notes: Vec<String>,
    /// That it waits to be confirmed.
    pub pending: Option<String>,
}

impl Remote {
    /// Sends a change. What a guard of the server refuses comes back as that guard.
    pub(super) fn post(&mut self, call: &Call<'_>) -> Result<Reply, CliError> {
        let name = self.name.clone();
        let _last_words = call.applies.then(|| {
            LastWords::new(self.ui, move || {
                format!(
                    "interrupted: the change was sent, and {name} may have made it; `mediactl history` tells"
                )
            })
        });
        self.send(call).map_err(|error| match guard_of(&error) {
            Some(guard) => EngineError::Guarded(guard).into(),
            None => error,
        })
    }

    /// What goes along with a change, as far as the server knows it. Says what it does not know.
    pub(super) fn parameters<'r>(
        &self,
        request: &'r ChangeOptions,
        server: &Fetched,
    ) -> Result<Vec<(&'static str, Cow<'r, str>)>, CliError> {
        let mut parameters: Vec<(&str, Cow<'r, str>)> = Vec::new();
        if request.dry_run {
            parameters.push((DRY_RUN, "true".into()));
        }
        if request.force && server.offers(Feature::Force) {
            parameters.push((FORCE, "true".into()));
        }
        if let Some(accepted) = accepted(request).filter(|_| server.offers(Feature::Accept)) {
            parameters.push((ACCEPT, accepted.into()));
        }
        match &request.message {
            Some(message) if server.offers(Feature::Message) => parameters.push((MESSAGE, message.into())),
            Some(_) => self.ui.warning(&format!("`{}` keeps no messages", self.name)),
            None => {}
        }
        match request.confirm {
            // It would be made, and stay.
            Some(_) if !server.offers(Feature::Confirm) => return Err(self.not_offered(Feature::Confirm)),
            Some(time) => parameters.push((CONFIRM, time.as_secs().to_string().into())),
            None => {}
        }
        Ok(parameters)
    }
}

/// The names of the guards that are accepted, and that a server may ask about.
fn accepted(request: &ChangeOptions) -> Option<String> {
    let names: Vec<&str> = request.accepted.iter().filter_map(Guard::name).collect();
    (!names.is_empty()).then(|| names.join(","))
}

/// Refuses what nobody agreed to.
pub(super) fn refuse_guarded(
    guards: impl IntoIterator<Item = Option<Guard>>,
    request: &ChangeOptions,
) -> Result<(), CliError> {
    let mut open = guards.into_iter().flatten().filter(|guard| !request.accepts(guard));
    open.next().map_or(Ok(()), |guard| Err(EngineError::Guarded(guard).into()))
}

/// The guard over streams that go.
pub(super) fn deletion(
    before: &dyn Current,
    is_deleted: &dyn Fn(&str) -> bool,
    request: &ChangeOptions,
) -> Option<Guard> {
    let names = before.names(&["streams"]);
    let deleted = names.iter().filter(|name| is_deleted(name)).count();
    before_deletion(deleted, names.len(), request.max_delete)
}

/// The guard over the account of the API, for servers that have none.
pub(super) fn credentials(before: &Value, after: &Value) -> Option<Guard> {
    (has_credentials(before) && !has_credentials(after)).then_some(Guard::WouldRemoveCredentials)
}

fn has_credentials(whole: &Value) -> bool {
    let filled = |key: &str| whole["edit_auth"][key].as_str().is_some_and(|text| !text.is_empty());
    filled("login") && filled("password")
}

fn guard_of(error: &CliError) -> Option<Guard> {
    let CliError::Server { error, .. } = error else { return None };
    let ClientError::Refused(refusal) = &**error else { return None };
    Guard::named(refusal.problem.as_ref()?.kind()?.name()).filter(Guard::is_question)
}

/// Prints the result on stdout, and on stderr one line about it.
pub fn report(outcome: &Outcome, printing: &Printing<'_>) -> Result<Exit, CliError> {
    let Printing { changing, global, ui, target, .. } = printing;
    let masker = global.masker();
    let diff = ContentDiff::of(&outcome.before, &outcome.after, masker.as_ref());
    let printed = match (printing.json, diff.is_empty()) {
        (true, _) => print_json(&outcome.after, printing),
        (false, true) => Ok(()),
        (false, false) => print_diff(&diff, printing),
    };
    printing.unless_done(printed)?;
    if !changing.quiet {
        outcome.notes.iter().for_each(|note| ui.note_line(&in_words(note)));
        if diff.is_of_json() && !printing.json && !diff.is_empty() {
            ui.note_line(&format!("`{target}` gives no text, so the diff is of the JSON"));
        }
    }
    let counts = diff.counts();
    if diff.is_empty() {
        printing.say(&format!("nothing to change in {target}"));
    } else {
        let (added, removed) = (lines(counts.added), lines(counts.removed));
        printing.say(&format!("{} {target}: {added} added, {removed} removed", printing.verb()));
    }
    Ok(Exit::Done)
}

/// What a note says.
pub fn in_words(note: &str) -> String {
    let (word, what) = note.split_once(' ').unwrap_or((note, ""));
    let known = NOTES.iter().find(|(known, _)| *known == word);
    known.map_or_else(|| note.to_owned(), |(_, text)| text.replace("{}", what))
}

fn print_diff(diff: &ContentDiff<'_>, printing: &Printing<'_>) -> Result<(), CliError> {
    if printing.changing.quiet {
        return Ok(());
    }
    let names = [printing.target.as_str(); 2];
    printing.ui.print_painted(|mut out| diff.print(names, printing.global.masker(), printing.ui, &mut out))
}

fn print_json(content: &Content, printing: &Printing<'_>) -> Result<(), CliError> {
    if printing.changing.quiet {
        return Ok(());
    }
    let value = content.to_json();
    let shown = match printing.global.value_masker(printing.ui.is_terminal()) {
        Some(masker) => masked_json(&value, &masker),
        None => value,
    };
    printing.ui.print_json(&shown)
}
