//! The endpoints that read: `read_config`, `included`, `runtime`, `history`, `history/N`, `blame`, `diff` and `check_config`.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::auth::Role;
use super::handler::{Call, Handler};
use super::message::{Response, entity_tag, names};
use super::query::Query;
use crate::engine::{
    Blamed, CheckedConfig, Composed, ConfigSource, Snapshot, diff_lines, entry_range, find, not_there,
    value_history,
};
use crate::error::{Error, ErrorKind, errors_of};
use crate::http::api::{
    EFFECTIVE, FORMAT, FORMAT_CONF, IncludedFile, IncludedFiles, JSON, PENDING_HEADER, RUNTIME, SKIP_STREAMS,
    SOURCE, SOURCE_SAVED, TEXT, WITH_INCLUDES, masked_text,
};
use crate::http::notes::{BYTES_DIFFER, EDITED_BY_HAND, INCLUDES_LEFT_OUT, LOST_LINE_ENDS, TEXTS_MISSING};
use crate::store::{ChangeRef, HistoryEntry, WHOLE_HISTORY};
use mediaconf::{Config, Diagnostics, MaskedText, Masker, Path};

/// The header with the number of the line at which an entry begins in its text.
const LINE_HEADER: &str = "Mediactl-Line";

/// The media type of a unified diff.
const DIFF: &str = "text/x-diff; charset=utf-8";

/// The value of `format` for the lines that differ, which a change and `history/N` take.
pub const FORMAT_DIFF: &str = "diff";

/// The time after which `blame` answers with what it has found so far, or `change_time` if that is shorter.
const BLAME_TIME: Duration = Duration::from_millis(900);

/// Whose masks stand in the place of secrets; `None` if they are shown.
pub type Masks = Option<Role>;

impl Handler {
    /// Takes the parameter that says how secrets are shown.
    ///
    /// # Errors
    /// A viewer asks for the secrets.
    pub(super) fn masks(&self, call: &mut Call<'_>) -> Result<Masks, Error> {
        let wanted = call.query.word("secrets", &["masked", "shown"]);
        match (call.role, wanted) {
            (Role::View, Some("shown")) => {
                Err(Error::new(ErrorKind::ViewOnly, "`view_auth` sees no secrets; that needs `edit_auth`"))
            }
            (Role::Edit, None | Some("shown")) => Ok(None),
            (role, _) => Ok(Some(role)),
        }
    }

    pub(super) fn masker_of(&self, masks: Masks) -> Masker {
        masks.map_or(Masker::Off, |role| self.masker_for(role))
    }

    /// A configuration as it is shown, with masks or without.
    pub(super) fn shown(&self, snapshot: &Arc<Snapshot>, masks: Masks) -> Arc<Snapshot> {
        masks.map_or_else(|| snapshot.clone(), |role| self.masked(snapshot, role))
    }

    /// The text of the running configuration, or of the file.
    fn text_of(&self, source: ConfigSource) -> Result<Arc<Snapshot>, Error> {
        self.service.read(Some(source))
    }

    /// The configuration that a request is about: the running one, or the file.
    fn source(&self, is_saved: bool) -> Result<Arc<Snapshot>, Error> {
        let running = self.text_of(ConfigSource::Running)?;
        let saved = if is_saved { self.text_of(ConfigSource::Saved)? } else { return Ok(running) };
        Ok(if saved.is_same_text(&running) { running } else { saved })
    }

    /// A configuration with the files that it includes, in which names may stand twice; `None` if it includes none. Nothing of
    /// a file that can't be parsed is shown: it may be no configuration.
    fn composed(&self, text: &Arc<Snapshot>) -> Result<Option<Composed>, Error> {
        match self.engine.composed(text) {
            Some(composed) if !composed.is_parsed() => Err(broken(&composed)),
            composed => Ok(composed),
        }
    }
}

/// The refusal of a configuration that has errors together with what it includes.
fn broken(composed: &Composed) -> Error {
    let found = composed.diagnostics();
    let files = composed.files.iter().zip(&found);
    let faults = files.flat_map(|(file, found)| errors_of(Some(&file.name), &file.text, found));
    let detail = "the configuration, with what it includes, has errors";
    Error::new(ErrorKind::BadConfig, detail).with_faults(faults.take(Diagnostics::MAX).collect())
}

/// `read_config`
pub fn read(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    let query = &mut call.query;
    let with_includes = query.switch(WITH_INCLUDES);
    let is_saved = query.word(SOURCE, &["running", SOURCE_SAVED]) == Some(SOURCE_SAVED);
    let is_text = query.word(FORMAT, &["json", FORMAT_CONF]) == Some(FORMAT_CONF);
    let path = query.path("path");
    // They are of a whole configuration in JSON, and have no effect on another answer.
    let is_whole = !is_text && path.is_none();
    let skip_streams = is_whole && query.switch(SKIP_STREAMS);
    let is_effective = !is_text && query.switch(EFFECTIVE);
    let with_runtime = is_whole && query.switch(RUNTIME);
    let shows_secrets = query.value("secrets") == Some("shown");
    let masks = handler.masks(call)?;
    call.query.finish()?;
    let own = handler.source(is_saved)?;
    let composed = if with_includes { handler.composed(&own)? } else { None };
    if let Some(composed) = composed.as_ref().filter(|composed| !composed.is_valid()) {
        return Err(broken(composed));
    }
    let snapshot = composed.as_ref().map_or(&own, |composed| &composed.text);
    if shows_secrets {
        let place =
            path.as_ref().map_or("of the whole text".to_owned(), |path| format!("at `{}`", path.shown()));
        call.record.detail = Some(format!("shows the secrets {place}"));
    }
    let note = own.has_lost_line_ends().then_some(LOST_LINE_ENDS);
    let tag = entity_tag(handler.shown_revision(snapshot, call.role));
    let is_known = call.head.values("if-none-match").any(|list| names(list, &tag));
    let mut response = match &path {
        _ if is_known && !with_runtime => Response::unchanged(),
        Some(path) if is_text => entry(snapshot, path, handler.masker_of(masks))?,
        None if is_text => Response::ok(TEXT, handler.shown(snapshot, masks).bytes().to_vec()),
        _ if !snapshot.is_valid() => return Err(Error::bad_config(snapshot.clone())),
        Some(path) => value(&handler.shown(snapshot, masks), path, is_effective)?,
        None => {
            let shown = handler.shown(snapshot, masks);
            let shown_part = || shown.config().skipping_static(skip_streams);
            let mut body = match (is_effective, skip_streams) {
                (true, _) => shown_part().effective().to_string().into_bytes().into(),
                (false, true) => serde_json::to_vec(&shown_part()).expect("a view is JSON").into(),
                (false, false) => shown.json().clone(),
            };
            if let Some(composed) = &composed {
                // Whoever sends it back is refused.
                let names: Vec<&str> = composed.files[1..].iter().map(|file| file.name.as_str()).collect();
                body = with_member(&body, WITH_INCLUDES, names.into(), masks.is_some());
            }
            if with_runtime {
                let figures = handler.figures(call.role, masks.is_some());
                body = with_member(&body, RUNTIME, figures, masks.is_some());
            }
            Response::ok(JSON, body)
        }
    };
    if !with_runtime {
        // The figures differ each time, so there is no tag.
        response = response.with("ETag", tag);
    }
    response.headers.extend(handler.pending().map(|pending| (PENDING_HEADER, pending.id)));
    Ok(response.noted(note.as_slice()))
}

/// The value at a path; with `is_effective` the one that holds.
fn value(shown: &Snapshot, path: &Path, is_effective: bool) -> Result<Response, Error> {
    let found = match is_effective {
        true => Config::from(&shown.config().effective()).select(path),
        false => shown.config().select(path),
    };
    Ok(Response::json(&found.map_err(not_there)?.into_value()))
}

/// The text of the entry at a path, and the line at which it begins.
fn entry(snapshot: &Arc<Snapshot>, path: &Path, masker: Masker) -> Result<Response, Error> {
    let range = entry_range(snapshot, path, masker)?;
    let line = snapshot.document().text()[..range.start].matches('\n').count() + 1;
    let [shown] = MaskedText::new([snapshot.document()], masker, [vec![range.clone()]]);
    Ok(Response::ok(TEXT, shown.line(range).into_owned().into_bytes()).with(LINE_HEADER, line.to_string()))
}

/// The text of a JSON object with another member.
fn with_member(object: &[u8], name: &str, value: Value, is_masked: bool) -> Arc<Vec<u8>> {
    let mut member = json!({ name: value });
    if is_masked {
        member = Masker::Opaque.json(&member);
    }
    let head = object.strip_suffix(b"}").unwrap_or(object);
    let comma = if head.len() > 1 { "," } else { "" };
    Arc::new([head, comma.as_bytes(), &member.to_string().as_bytes()[1..]].concat())
}

/// `runtime`: the figures of the server alone.
pub fn runtime(handler: &Handler, call: &Call<'_>) -> Response {
    let is_masked = call.role == Role::View;
    Response::ok(JSON, with_member(b"{}", RUNTIME, handler.figures(call.role, is_masked), is_masked))
}

/// `included`: the files of each pattern.
pub fn included(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    let is_saved = call.query.word(SOURCE, &["running", SOURCE_SAVED]) == Some(SOURCE_SAVED);
    let masks = handler.masks(call)?;
    call.query.finish()?;
    let composed = handler.composed(&handler.source(is_saved)?)?;
    let included = composed.map(|composed| composed.included).unwrap_or_default();
    let files = included.into_iter().map(|(pattern, texts)| {
        let files = texts.into_iter().filter_map(|included| {
            let shown = handler.shown(&Arc::new(Snapshot::from_bytes(included.bytes?)), masks);
            let text = String::from_utf8_lossy(shown.bytes()).into_owned();
            Some(IncludedFile { name: included.name, text })
        });
        (pattern, files.collect())
    });
    Ok(Response::json(&files.collect::<IncludedFiles>()))
}

/// `history`: the changes, the last one first.
pub fn history(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    call.query.finish()?;
    let _turn = handler.turn(call.role)?;
    let mut entries = handler.service.history(WHOLE_HISTORY)?;
    hide_revisions(handler, entries.iter_mut(), call.role);
    Ok(Response::json(&entries.into_iter().map(|entry| entry.shown_by(masked_text)).collect::<Vec<_>>()))
}

/// Puts others in the place of the revisions in changes, for a viewer: they tell that a text is kept, and not whether an
/// earlier one, of which only secrets may differ, has come back. What runs is shown by its own tag.
pub fn hide_revisions<'e>(
    handler: &Handler,
    entries: impl Iterator<Item = &'e mut HistoryEntry>,
    role: Role,
) {
    let running = handler.running();
    for (at, entry) in entries.filter(|_| role == Role::View).enumerate() {
        let own = |side| handler.hidden_revision((side, entry.number));
        let is_running = |after| at == 0 && after == running.revision();
        entry.after = entry.after.map(|after| match is_running(after) {
            true => handler.shown_revision(&running, role),
            false => own("after"),
        });
        entry.before = entry.before.map(|_| own("before"));
    }
}

/// `blame`: the changes of one value, the last one first.
pub fn blame(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    let masks = handler.masks(call)?;
    let limit = call.query.number("limit", 1..=u32::MAX.into()).and_then(|limit| usize::try_from(limit).ok());
    let path = call.query.demand("path", Query::path)?;
    let _turn = handler.turn(call.role)?;
    let until = Instant::now() + BLAME_TIME.min(handler.change_time);
    let is_late = || Instant::now() >= until;
    let masker = handler.masker_of(masks);
    let refuse = |now: &Arc<Snapshot>| match handler.engine.composed(now) {
        Some(composed) => composed.refuse_entry(&path).map_err(not_there),
        None => Ok(()),
    };
    let found = value_history(&*handler.service, &path, limit, masker, &is_late, &refuse)?;
    let mut changes = found.changes;
    hide_revisions(handler, changes.iter_mut().map(|blamed| &mut blamed.entry), call.role);
    let changes = changes.into_iter().map(|it| Blamed { entry: it.entry.shown_by(masked_text), ..it });
    let notes = [found.is_edited.then_some(EDITED_BY_HAND), found.is_cut.then_some(TEXTS_MISSING)];
    let notes: Vec<&str> = notes.into_iter().flatten().collect();
    Ok(Response::json(&changes.collect::<Vec<_>>()).noted(&notes))
}

/// `history/N`: the text before a change, or the lines that it changed.
pub fn kept(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    let masks = handler.masks(call)?;
    let is_diff = call.query.word(FORMAT, &[FORMAT_DIFF]).is_some();
    call.query.finish()?;
    let unknown = |error: &str| Error::new(ErrorKind::BadParameter, error);
    let change: ChangeRef = call.argument.parse().map_err(unknown)?;
    let _turn = handler.turn(call.role)?;
    if !is_diff {
        let shown = handler.shown(&handler.service.text_before(change)?, masks);
        return Ok(Response::ok(TEXT, shown.bytes().to_vec()));
    }
    let entries = handler.service.history(WHOLE_HISTORY)?;
    let entry = find(&entries, change)?;
    let before = handler.service.text_before(ChangeRef::Number(entry.number))?;
    let after = entry.after.map(|after| handler.engine.text_with(after, &entries)).transpose()?.flatten();
    let gone =
        || Error::new(ErrorKind::NotFound, format!("the text after change {} is not kept", entry.number));
    let names = ["before", "after"].map(|side| format!("{side} change {}", entry.number));
    Ok(between(names, [before, after.ok_or_else(gone)?], handler.masker_of(masks)))
}

/// `diff`: the lines that differ between two texts.
pub fn diff(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    let masks = handler.masks(call)?;
    let names = [("from", SOURCE_SAVED), ("to", "running")];
    let names = names.map(|(name, usual)| call.query.parsed(name).unwrap_or_else(|| usual.to_owned()));
    call.query.finish()?;
    let _turn = handler.turn(call.role)?;
    let text = |name: &str| {
        let change = match name {
            "running" => return handler.text_of(ConfigSource::Running),
            SOURCE_SAVED => return handler.text_of(ConfigSource::Saved),
            _ => name.parse(),
        };
        let change: ChangeRef = change.map_err(|error: &str| {
            let detail = format!("`from` and `to` take `running`, `saved` or a change: {error}");
            Error::new(ErrorKind::BadParameter, detail)
        })?;
        handler.service.text_before(change)
    };
    let texts = [text(&names[0])?, text(&names[1])?];
    Ok(between(names, texts, handler.masker_of(masks)))
}

fn between(names: [String; 2], texts: [Arc<Snapshot>; 2], masker: Masker) -> Response {
    let lines = diff_lines(texts.each_ref().map(|text| &**text), masker);
    let is_of_bytes = lines.is_empty() && texts[0].bytes() != texts[1].bytes();
    let note = is_of_bytes.then_some(BYTES_DIFFER);
    unified(names.each_ref().map(String::as_str), &lines).noted(note.as_slice())
}

/// The answer with the lines that differ.
pub fn unified([old, new]: [&str; 2], lines: &[String]) -> Response {
    let mut body = if lines.is_empty() { String::new() } else { format!("--- {old}\n+++ {new}\n") };
    lines.iter().for_each(|line| body.extend([line, "\n"]));
    Response::ok(DIFF, body.into_bytes())
}

/// `check_config`: the faults of a text, or of the file, for editors with what it includes, or of an entry in its place in what
/// runs.
pub fn check(handler: &Handler, call: &mut Call<'_>) -> Result<Response, Error> {
    let is_utf16 = call.query.word("columns", &["characters", "utf16"]) == Some("utf16");
    let path = call.query.path("path");
    let is_saved = call.query.word(SOURCE, &["sent", SOURCE_SAVED]) == Some(SOURCE_SAVED);
    call.query.finish()?;
    let _turn = handler.turn(call.role)?;
    if call.role == Role::View && (path.is_some() || is_saved) {
        // It could tell a viewer whether a guess of a secret is right, and messages quote the file.
        let detail = "`view_auth` may check the text of a whole configuration that it sends; the rest needs `edit_auth`";
        return Err(Error::new(ErrorKind::ViewOnly, detail));
    }
    let (running, body) = (handler.running(), mem::take(&mut call.body));
    let found = match path {
        Some(path) => {
            let range = entry_range(&running, &path, Masker::Off)?;
            let (old, part) = (running.document().text(), Snapshot::from_bytes(body));
            let part = part.document().text();
            let whole = [&old[..range.start], part, &old[range.end..]].concat();
            let part = range.start..range.start + part.len();
            CheckedConfig::of_part(&whole, part, is_utf16)
        }
        None => {
            let text = match is_saved {
                true => handler.text_of(ConfigSource::Saved)?,
                false => Arc::new(Snapshot::from_bytes(body)),
            };
            let is_editor = call.role == Role::Edit;
            let composed = if is_editor { handler.engine.composed(&text) } else { None };
            let left_out = (!is_editor && !text.includes().is_empty()).then_some(INCLUDES_LEFT_OUT);
            let found = CheckedConfig::of_text(&text, composed.as_ref(), is_utf16);
            return Ok(Response::json(&found).noted(left_out.as_slice()));
        }
    };
    Ok(Response::json(&found))
}
