//! Differences, as the lines of a unified diff: of a change, of an entry of the history, and `diff` between two texts

use std::sync::Arc;

use crate::engine::{ChangeReport, ConfigSource, Snapshot, diff_lines, find};
use crate::error::ErrorKind;
use crate::http::protocol::headers::{SOURCE_RUNNING, SOURCE_SAVED};
use crate::http::protocol::notes::BYTES_DIFFER;
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::DIFF;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::endpoints::shown::{Secrets, text_of};
use crate::http::server::message::Response;
use crate::store::{ChangeRef, NotAChangeRef, WHOLE_HISTORY};

/// The answer with the lines that a change changes.
pub fn of_change(report: &ChangeReport) -> Response {
    answer(["before", "after"], &report.diff)
}

/// `diff`: the lines that differ between two texts.
pub fn diff(context: &Context, call: &mut EndpointCall<'_>) -> Result<Response, Problem> {
    let secrets = Secrets::of(context, call)?;
    let side = |given: &Option<String>, usual: &str| {
        let name = given.as_deref().unwrap_or(usual);
        Ok::<_, Problem>((name.to_owned(), text(context, name)?))
    };
    let (old, before) = side(&call.parameters.from, SOURCE_SAVED)?;
    let (new, after) = side(&call.parameters.until, SOURCE_RUNNING)?;
    Ok(between([&old, &new], [before, after], &secrets))
}

/// The lines that a change of the history changed.
pub fn of_entry(context: &Context, change: ChangeRef, secrets: &Secrets) -> Result<Response, Problem> {
    let entries = context.service.history(WHOLE_HISTORY)?;
    let entry = find(&entries, change)?;
    let before = context.service.kept(ChangeRef::Serial(entry.serial))?;
    let later = entries.iter().rev().find(|later| {
        later.serial > entry.serial
            && !later.is_aside
            && later.before.is_some()
            && later.before == entry.after
    });
    let after = match later {
        Some(later) => Some(context.service.kept(ChangeRef::Serial(later.serial))?),
        None => [ConfigSource::Saved, ConfigSource::Running]
            .into_iter()
            .filter_map(|source| text_of(context, source).ok())
            .find(|text| Some(text.revision()) == entry.after),
    };
    let after = after.ok_or_else(|| {
        Problem::new(ErrorKind::NotFound, format!("the text after `#{}` is not kept", entry.serial))
    })?;
    let names = [format!("before #{}", entry.serial), format!("after #{}", entry.serial)];
    Ok(between([&names[0], &names[1]], [before, after], secrets))
}

/// The text of a name: `running`, `saved`, or the one before a change.
fn text(context: &Context, name: &str) -> Result<Arc<Snapshot>, Problem> {
    let change = match name {
        SOURCE_RUNNING => return text_of(context, ConfigSource::Running),
        SOURCE_SAVED => return text_of(context, ConfigSource::Saved),
        _ => name.parse().map(ChangeRef::Serial).or_else(|_| name.parse()),
    };
    let change = change.map_err(|NotAChangeRef| {
        let detail = "`from` and `to` take `running`, `saved`, the serial number of a change, or `@N` for the N-th last change";
        Problem::new(ErrorKind::BadParameter, detail)
    })?;
    Ok(context.service.kept(change)?)
}

fn between(names: [&str; 2], texts: [Arc<Snapshot>; 2], secrets: &Secrets) -> Response {
    let diff = diff_lines(texts.each_ref().map(|text| &**text), None, secrets.masker().as_ref());
    let is_of_bytes = diff.is_empty() && texts[0].bytes() != texts[1].bytes();
    let answer = answer(names, &diff);
    if is_of_bytes { answer.noted(&[BYTES_DIFFER]) } else { answer }
}

fn answer([old, new]: [&str; 2], lines: &[String]) -> Response {
    let mut body = String::new();
    if !lines.is_empty() {
        body = format!("--- {old}\n+++ {new}\n");
    }
    lines.iter().for_each(|line| body.extend([line, "\n"]));
    Response::ok(DIFF, body.into_bytes())
}
