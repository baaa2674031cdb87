//! The text of one entry of a configuration: where it stands, and another one in its place.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::change::EntryEdit;
use super::snapshot::Snapshot;
use crate::error::{Error, ErrorKind};
use mediaconf::{Document, Masker, Path, Token};

/// Returns the bytes of the entry at a path: from its keyword to its `;` or `}`. With a masker, a path that holds a secret
/// leads nowhere.
///
/// # Errors
/// The text has errors; nothing is at the path; what is there is not one entry of the text.
pub fn entry_range(
    text: &Arc<Snapshot>,
    path: &Path,
    masker: Option<&Masker>,
) -> Result<Range<usize>, Error> {
    if !text.is_valid() {
        return Err(Error::bad_config(text.clone()));
    }
    let masked = masker.map(|masker| text.masked(masker));
    let (config, shown) = (text.config(), masked.as_ref().unwrap_or(text).config());
    let is_shown = masker.is_none() || shown.contains(&path.split_names().0);
    if let Some(entry) = config.own_entry_at(&path.segments).filter(|_| is_shown) {
        return Ok(entry.start()..entry.end());
    }
    shown.select(path).map_err(not_there)?;
    let message = format!("`{}` is not one entry of the text", path.shown());
    Err(Error::new(ErrorKind::NotFound, message)
        .hint("name a stream, live, plugin or another block, or a directive that stands there once"))
}

/// The refusal of a path that leads nowhere, where it names what is asked for.
pub fn not_there(found: impl Into<Error>) -> Error {
    let refusal = found.into();
    match refusal.kind {
        ErrorKind::AbsentPath => Error { kind: ErrorKind::NotFound, ..refusal },
        _ => refusal,
    }
}

/// Returns a text in which an entry has another text, without the white space around that.
///
/// # Errors
/// As [`entry_range`]; the new text is not one whole entry, or one that is added is not the entry at the path.
pub fn with_entry(
    text: &Arc<Snapshot>,
    EntryEdit { path, text: entry, create }: &EntryEdit,
) -> Result<Vec<u8>, Error> {
    match entry_range(text, path, None) {
        Ok(range) => replaced(text, [range.start, range.end], ["", ""], entry),
        Err(refusal) if *create && refusal.kind == ErrorKind::NotFound => added(text, path, entry),
        Err(refusal) => Err(refusal),
    }
}

/// Returns a text with another entry behind all that is there.
fn added(text: &Arc<Snapshot>, path: &Path, entry: &[u8]) -> Result<Vec<u8>, Error> {
    let old = text.document().text();
    let newline = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let line_end = if old.is_empty() || old.ends_with('\n') { "" } else { newline };
    let whole = replaced(text, [old.len(); 2], [line_end, newline], entry)?;
    let made = Arc::new(Snapshot::from_bytes(whole.clone()));
    match entry_range(&made, path, None) {
        Ok(range) if range.start >= old.len() => Ok(whole),
        _ => {
            Err(Error::new(ErrorKind::BadNewText, format!("the new text is not that of `{}`", path.shown()))
                .hint("send the entry that the path names"))
        }
    }
}

/// Returns a text with one whole entry, between two pieces of white space, in the place of a range. An entry without carriage
/// returns gets CRLF where that was there, or else in the text.
fn replaced(
    text: &Arc<Snapshot>,
    [start, end]: [usize; 2],
    [before, after]: [&str; 2],
    entry: &[u8],
) -> Result<Vec<u8>, Error> {
    let alone = Arc::new(Snapshot::from_bytes(entry.trim_ascii().to_vec()));
    if alone.document().diagnostics().errors() > 0 {
        return Err(Error::bad_new_text(alone));
    }
    let (old, new) = (text.document().text(), alone.document().text());
    let was = Some(&old[start..end]).filter(|was| was.contains(['\r', '\n'])).unwrap_or(old);
    let new = match was.contains("\r\n") && !new.contains('\r') {
        true => Cow::Owned(new.replace('\n', "\r\n")),
        false => Cow::Borrowed(new),
    };
    let pieces = [&old[..start], before, &new, after, &old[end..]];
    let whole = pieces.concat();
    let is_one = alone.document().entries().count() == 1 && ends_entry(alone.document());
    // What stood around it has to be read as before: an open comment would take in what is behind it.
    let raw = |text| Token::all(text).map(|token| token.raw);
    match is_one && pieces.into_iter().flat_map(raw).eq(raw(&whole)) {
        true => Ok(whole.into_bytes()),
        false => Err(Error::new(ErrorKind::BadNewText, "the new text is not one whole entry")
            .hint("send the entry from its keyword to its `;` or `}`, and nothing behind that")),
    }
}

/// True if a text ends with its last entry, and that with its `;` or `}`.
fn ends_entry(alone: &Document) -> bool {
    alone.text().ends_with([';', '}'])
        && alone.entries().last().is_some_and(|last| last.end() == alone.text().len())
}
