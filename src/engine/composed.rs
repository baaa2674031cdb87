//! A configuration together with the files that it includes, as one text in which each `include` is
//! replaced by what it names; and where each byte of that text comes from.
//!
//! It is for looking only: nothing is ever written from it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::composed_fault::ComposedFault;
use super::local::Engine;
use super::snapshot::Snapshot;
use crate::store::{Follow, IncludeError, IncludedText, Revision, Store};
use crate::syntax::{Diagnostic, Diagnostics, Severity, Span, one_line};

/// How deep includes may nest.
const MAX_DEPTH: usize = 16;

/// A configuration with what it includes.
pub struct Composed {
    /// All of it as one text. Comments say where an included file begins and ends.
    pub text: Arc<Snapshot>,
    /// The configuration itself, then the included files in the order in which they are met.
    pub files: Vec<ComposedFile>,
    /// What each pattern names.
    pub included: IncludedTexts,
    pieces: Vec<ComposedPiece>,
}

/// The texts that patterns name.
pub type IncludedTexts = BTreeMap<String, Vec<IncludedText>>;

/// A file of a composed configuration.
pub struct ComposedFile {
    pub name: String,
    pub text: Arc<Snapshot>,
    /// Whether diagnostics may show its lines.
    pub is_quoted: bool,
    /// What is wrong with its includes, and its own syntax errors, for which it is left out.
    faults: Diagnostics,
    /// The includes that lead to files elsewhere, which are not looked at here.
    unseen: Vec<Span>,
}

/// A part of the whole text that comes from one file.
struct ComposedPiece {
    /// Where it begins in the whole text.
    at: usize,
    file: usize,
    /// Where it begins in its file.
    offset: usize,
}

/// Reads the texts that a pattern names.
type ReadIncluded<'r> = &'r dyn Fn(&str, Follow) -> Result<Vec<IncludedText>, IncludeError>;

impl Composed {
    /// Composes a configuration; `None` if it includes nothing, or has errors itself.
    pub fn of(name: &str, main: &Arc<Snapshot>, store: &dyn Store, follow: Follow) -> Option<Self> {
        Self::with(name, main, store.path(), follow, &|pattern, follow| store.included(pattern, follow))
    }

    /// The same of the texts that a server has sent.
    pub fn of_sent(name: &str, main: &Arc<Snapshot>, sent: &IncludedTexts) -> Option<Self> {
        let read = |pattern: &str, _| sent.get(pattern).cloned().ok_or(IncludeError::NotSent);
        Self::with(name, main, Path::new(""), Follow::BELOW, &read)
    }

    fn with(
        name: &str,
        main: &Arc<Snapshot>,
        path: &Path,
        follow: Follow,
        read: ReadIncluded<'_>,
    ) -> Option<Self> {
        if main.includes().is_empty() || main.document().diagnostics().errors() > 0 {
            return None;
        }
        let file = ComposedFile {
            name: name.to_owned(),
            text: main.clone(),
            is_quoted: true,
            faults: Diagnostics::default(),
            unseen: Vec::new(),
        };
        let mut composer = Composer {
            read,
            rest: follow,
            whole: String::new(),
            files: vec![file],
            included: IncludedTexts::default(),
            pieces: Vec::new(),
            open: vec![path.to_owned()],
        };
        composer.append(0);
        let Composer { whole, files, included, pieces, .. } = composer;
        Some(Self { text: Arc::new(Snapshot::of(whole)), files, included, pieces })
    }

    /// The file and the offset in it of a place in the whole text.
    pub fn origin(&self, at: usize) -> (usize, usize) {
        let next = self.pieces.partition_point(|piece| piece.at <= at);
        let Some(piece) = next.checked_sub(1).map(|last| &self.pieces[last]) else { return (0, 0) };
        let offset = piece.offset + (at - piece.at);
        (piece.file, offset.min(self.files[piece.file].text.document().text().len()))
    }

    /// The diagnostics of each file, by the number of the file.
    pub fn diagnostics(&self) -> Vec<Diagnostics> {
        let mut found: Vec<Diagnostics> = self.files.iter().map(|file| file.faults.clone()).collect();
        let (all, mut counted) = (self.text.diagnostics(), 0);
        for diagnostic in all.iter() {
            let (file, span) = self.span(&diagnostic.span);
            counted += 1;
            found[file].push(self.in_file(file, span, diagnostic));
        }
        // What was not kept is counted as the last one is.
        if let (Some(last), true) = (all.iter().last(), all.errors() + all.warnings() > counted) {
            let (file, span) = self.span(&last.span);
            let message = format!("and {} more", all.errors() + all.warnings() - counted);
            found[file].push(Diagnostic { span, message, hint: None, related: None, ..last.clone() });
        }
        found.iter_mut().for_each(Diagnostics::sort);
        found
    }

    /// Whether all includes could be followed, and the whole has no errors.
    pub fn is_valid(&self) -> bool {
        self.files.iter().all(|file| file.faults.errors() == 0) && self.text.is_valid()
    }

    /// Its errors, but not that files elsewhere are not looked at.
    pub fn faults(&self) -> Vec<ComposedFault> {
        let of_files = self.files.iter().enumerate().flat_map(|(at, file)| {
            let seen = file.faults.iter().filter(|fault| !file.unseen.contains(&fault.span));
            seen.map(move |fault| self.fault(fault, (at, fault.span.clone()), false))
        });
        let errors = self.text.diagnostics().iter().filter(|found| found.severity == Severity::Error);
        let of_whole = errors.map(|found| {
            let place = self.span(&found.span);
            let is_first_own = found.related.as_ref().is_some_and(|(first, _)| self.span(first).0 == 0);
            let is_own = place.0 == 0 || is_first_own;
            self.fault(found, place, is_own)
        });
        of_files.chain(of_whole).collect()
    }

    fn fault(&self, found: &Diagnostic, (file, span): (usize, Span), is_own: bool) -> ComposedFault {
        let place = &self.files[file];
        let line = line_of(&place.text, span.start);
        let message = self.in_file(file, span, found).message;
        ComposedFault {
            file: place.name.clone(),
            line,
            message,
            hint: found.hint.clone(),
            identity: found.message.clone(),
            is_own,
        }
    }

    fn in_file(&self, file: usize, span: Span, found: &Diagnostic) -> Diagnostic {
        let mut diagnostic = Diagnostic { span, related: None, ..found.clone() };
        if let Some((related, message)) = &found.related {
            let (other, span) = self.span(related);
            match other == file {
                true => diagnostic.related = Some((span, message.clone())),
                false => {
                    let place = &self.files[other];
                    let line = line_of(&place.text, span.start);
                    diagnostic.message += &format!(" ({message} in {}:{line})", one_line(&place.name));
                }
            }
        }
        diagnostic
    }

    fn span(&self, span: &Span) -> (usize, Span) {
        let (file, start) = self.origin(span.start as usize);
        let length = self.files[file].text.document().text().len();
        let end = (start + (span.end - span.start) as usize).min(length);
        (file, start as u32..end as u32)
    }

    /// The name of the file of a place in the whole text.
    pub fn file_of(&self, at: u32) -> &str {
        &self.files[self.origin(at as usize).0].name
    }

    /// The name of the file and the line, from 1, of a place in the whole text.
    pub fn line(&self, at: u32) -> (&str, usize) {
        let (file, offset) = self.origin(at as usize);
        let file = &self.files[file];
        (&file.name, line_of(&file.text, offset as u32))
    }
}

impl Engine {
    /// A configuration with the files that it includes; `None` if it includes nothing, or has errors itself.
    pub fn composed(&self, text: &Arc<Snapshot>, follow: Follow) -> Option<Composed> {
        Composed::of(&self.name, text, &*self.store, follow)
    }

    /// The revision of a configuration together with what it includes; `None` where it includes nothing.
    pub(super) fn composed_revision(&self, text: &Arc<Snapshot>) -> Option<Revision> {
        self.composed(text, Follow::ALL).map(|composed| composed.text.revision())
    }

    /// Whether an included file was changed since the server loaded the configuration.
    pub fn has_changed_includes(&self) -> bool {
        self.state().is_some_and(|state| state.composed != self.composed_revision(&state.running))
    }
}

/// The line of an offset, from 1.
fn line_of(text: &Snapshot, offset: u32) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.document().text().as_bytes()[..offset as usize]).count()
}

/// Why what an `include` names is not there.
struct IncludeFault {
    message: String,
    /// Whether a file is elsewhere, and only those below the folder are looked at.
    is_elsewhere: bool,
}

impl From<String> for IncludeFault {
    fn from(message: String) -> Self {
        Self { message, is_elsewhere: false }
    }
}

struct Composer<'s> {
    read: ReadIncluded<'s>,
    /// What may still be included.
    rest: Follow,
    whole: String,
    files: Vec<ComposedFile>,
    included: IncludedTexts,
    pieces: Vec<ComposedPiece>,
    /// The files that are being included, the configuration first.
    open: Vec<PathBuf>,
}

impl Composer<'_> {
    /// Appends the text of a file, with what it includes.
    fn append(&mut self, file: usize) {
        let text = self.files[file].text.clone();
        let bytes = text.document().text();
        let mut at = if bytes.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        for (span, pattern) in text.includes() {
            self.push(file, at, &bytes[at..span.start as usize]);
            at = span.end as usize;
            if let Err(IncludeFault { message, is_elsewhere }) = self.include(pattern) {
                let fault = Diagnostic::error(span.clone(), message).hint("nothing of it is seen here");
                let file = &mut self.files[file];
                file.faults.push(fault);
                file.unseen.extend(is_elsewhere.then(|| span.clone()));
            }
        }
        self.push(file, at, &bytes[at..]);
    }

    fn push(&mut self, file: usize, offset: usize, text: &str) {
        self.pieces.push(ComposedPiece { at: self.whole.len(), file, offset });
        self.whole.push_str(text);
    }

    /// Appends the files that a pattern names.
    fn include(&mut self, pattern: &str) -> Result<(), IncludeFault> {
        if self.open.len() > MAX_DEPTH {
            return Err(format!("includes nest deeper than {MAX_DEPTH}").into());
        }
        let cannot = |error: IncludeError| IncludeFault {
            message: format!("cannot include `{pattern}`: {error}"),
            is_elsewhere: matches!(error, IncludeError::Outside),
        };
        let texts = match self.included.get(pattern) {
            Some(known) => known.clone(),
            None => (self.read)(pattern, self.rest).map_err(cannot)?,
        };
        self.included.entry(pattern.to_owned()).or_insert_with(|| texts.clone());
        texts.into_iter().try_for_each(|text| {
            self.rest = self.rest.after(text.bytes.len() as u64).map_err(cannot)?;
            self.include_text(text)
        })
    }

    fn include_text(&mut self, included: IncludedText) -> Result<(), IncludeFault> {
        let IncludedText { name, target, bytes } = included;
        if self.open.contains(&target) {
            return Err(format!("`{name}` includes itself").into());
        }
        let text = Arc::new(Snapshot::of(bytes));
        let faults = text.document().diagnostics();
        let is_broken = faults.errors() > 0;
        let faults = if is_broken { faults.clone() } else { Diagnostics::default() };
        let file = self.files.len();
        let is_quoted = !self.rest.stays_below;
        self.files.push(ComposedFile { name: name.clone(), text, is_quoted, faults, unseen: Vec::new() });
        if is_broken {
            return Ok(());
        }
        let shown = one_line(&name);
        self.push(file, 0, &format!("\n# included from {shown}\n"));
        self.open.push(target);
        self.append(file);
        self.open.pop();
        self.whole.push_str(&format!("\n# end of {shown}\n"));
        Ok(())
    }
}
