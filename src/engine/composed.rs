//! A configuration together with the files that it includes, as one text in which the files replace each
//! `include`; and the origin of each byte of that text.
//!
//! It is for looking only: nothing is ever written from it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::local::Engine;
use super::snapshot::Snapshot;
use crate::store::{Follow, IncludeError, IncludedText, Revision, Store};
use mediaconf::{Diagnostic, Diagnostics, Fault, Fix, Masker, Severity, Span, one_line};

/// The message in the place of a fault of which only the place may be shown.
const UNTOLD: &str = "something is wrong here, and is not shown: the file is not below the folder of the configuration, \
     or a hard link to a file of another user";

/// The deepest nesting of includes.
const MAX_DEPTH: usize = 16;

/// A configuration with what it includes.
pub struct Composed {
    /// All of it as one text. Comments say where an included file begins and ends.
    pub text: Arc<Snapshot>,
    /// The configuration itself, then each included file once, in the order in which they are met.
    pub files: Vec<ComposedFile>,
    /// The files that each pattern names.
    pub included: IncludedTexts,
    /// True if who reads its messages can open the files by their names: a server is elsewhere, or in another folder.
    pub is_here: bool,
    pieces: Vec<ComposedPiece>,
}

/// The texts that patterns name.
pub type IncludedTexts = BTreeMap<String, Vec<IncludedText>>;

/// A file of a composed configuration.
pub struct ComposedFile {
    pub name: String,
    /// The file at the end of all links.
    pub target: PathBuf,
    pub text: Arc<Snapshot>,
    /// True if only places in it may be told.
    pub is_elsewhere: bool,
    /// True if it is left out for its syntax errors.
    is_broken: bool,
    /// The faults of its includes, and its own syntax errors.
    faults: Diagnostics,
    /// The includes that lead to files elsewhere, which are not looked at here.
    unseen: Vec<Span>,
}

/// A part of the whole text that comes from one file.
struct ComposedPiece {
    /// The offset of its beginning in the whole text.
    at: usize,
    file: usize,
    /// The offset of its beginning in its file.
    offset: usize,
}

/// Reads the texts that a pattern names.
pub type ReadIncluded<'r> = &'r dyn Fn(&str, Follow) -> Result<Vec<IncludedText>, IncludeError>;

impl Composed {
    /// Composes a configuration; `None` if it includes nothing, or has errors itself.
    pub fn compose(name: &str, main: &Arc<Snapshot>, store: &dyn Store, follow: Follow) -> Option<Self> {
        Self::with(name, main, store.path(), follow, &|pattern, follow| store.included(pattern, follow))
    }

    /// The same of the texts that a server has sent.
    pub fn of_sent(name: &str, main: &Arc<Snapshot>, sent: &IncludedTexts) -> Option<Self> {
        let read = |pattern: &str, _| sent.get(pattern).cloned().ok_or(IncludeError::NotSent);
        Self::with(name, main, Path::new(""), Follow::BELOW, &read)
    }

    /// The same of the texts that `read` gives; `path` is the configuration.
    pub fn with(
        name: &str,
        main: &Arc<Snapshot>,
        path: &Path,
        follow: Follow,
        read: ReadIncluded<'_>,
    ) -> Option<Self> {
        if main.includes().is_empty() || main.document().diagnostics().errors() > 0 {
            return None;
        }
        let mut composer = Composer {
            read,
            rest: follow,
            whole: String::new(),
            files: vec![ComposedFile::new(name.to_owned(), path.to_owned(), main.clone(), false)],
            numbers: HashMap::from([(path.to_owned(), 0)]),
            included: IncludedTexts::default(),
            pieces: Vec::new(),
            open: vec![0],
            told: HashSet::new(),
        };
        composer.append(0);
        let Composer { whole, files, included, pieces, .. } = composer;
        let is_here = !follow.stays_below;
        Some(Self { text: Arc::new(Snapshot::from_bytes(whole)), files, included, is_here, pieces })
    }

    /// The whole text without the files elsewhere, whose words no message may have.
    pub fn told_text(&self) -> Arc<Snapshot> {
        if !self.files.iter().any(|file| file.is_elsewhere) {
            return self.text.clone();
        }
        let whole = self.text.document().text();
        let ends = self.pieces.iter().skip(1).map(|next| next.at).chain([whole.len()]);
        let pieces = self.pieces.iter().zip(ends);
        let told = pieces.filter(|(piece, _)| !self.files[piece.file].is_elsewhere);
        let told: String = told.map(|(piece, end)| &whole[piece.at..end]).collect();
        Arc::new(Snapshot::from_bytes(told))
    }

    /// The file and the offset in it of a place in the whole text.
    pub fn origin(&self, position: usize) -> (usize, usize) {
        let next = self.pieces.partition_point(|piece| piece.at <= position);
        let Some(piece) = next.checked_sub(1).map(|last| &self.pieces[last]) else { return (0, 0) };
        let offset = piece.offset + (position - piece.at);
        (piece.file, offset.min(self.files[piece.file].text.document().text().len()))
    }

    /// The place in the whole text of an offset in a file; the last one, if the file is included several times. `None` if
    /// the whole does not have it: it is in an `include`, or the file is left out.
    pub fn position(&self, file: usize, offset: usize) -> Option<usize> {
        let whole = self.text.document().text().len();
        let ends = self.pieces.iter().skip(1).map(|next| next.at).chain([whole + 1]);
        let pieces = self.pieces.iter().zip(ends).filter(|(piece, _)| piece.file == file);
        let holds = |(piece, end): &(&ComposedPiece, usize)| {
            (piece.offset..piece.offset + (end - piece.at)).contains(&offset)
        };
        pieces.filter(holds).last().map(|(piece, _)| piece.at + (offset - piece.offset))
    }

    /// The diagnostics of each file, by the number of the file: each once, wherever the file is included.
    pub fn diagnostics(&self) -> Vec<Diagnostics> {
        let mut found: Vec<Diagnostics> = self.files.iter().map(|_| Diagnostics::default()).collect();
        let mut known = HashSet::new();
        let mut add = |file: usize, found: &mut Vec<Diagnostics>, diagnostic: Diagnostic| {
            if known.insert((file, diagnostic.span.start, diagnostic.message.clone())) {
                found[file].push(diagnostic);
            }
        };
        for (number, file) in self.files.iter().enumerate() {
            for fault in file.faults.iter() {
                add(number, &mut found, self.of_file_alone(number, fault));
            }
            found[number].count_dropped(&file.faults);
        }
        let (all, mut counted) = (self.text.diagnostics(), 0);
        for diagnostic in all.iter() {
            let (file, span) = self.span(&diagnostic.span);
            counted += 1;
            add(file, &mut found, self.in_file(file, span, diagnostic));
        }
        // What was not kept is counted as the last one is.
        if let (Some(last), true) = (all.iter().last(), all.errors() + all.warnings() > counted) {
            let (file, span) = self.span(&last.span);
            let message = format!("and {} more", all.errors() + all.warnings() - counted);
            let severity = last.severity;
            found[file].push(Diagnostic { severity, span, message, hint: None, related: None, fix: None });
        }
        found.iter_mut().for_each(Diagnostics::sort);
        found
    }

    /// True if all includes could be followed, and the whole has no errors.
    pub fn is_valid(&self) -> bool {
        self.is_parsed() && self.text.is_valid()
    }

    /// True if all includes could be followed, and all files parsed.
    pub fn is_parsed(&self) -> bool {
        self.files.iter().all(|file| file.faults.errors() == 0)
    }

    /// Its errors, but not that files elsewhere are not looked at.
    pub(super) fn faults(&self) -> Vec<ComposedFault> {
        let of_files = self.files.iter().enumerate().flat_map(|(index, file)| {
            let seen = file.faults.iter().filter(|fault| !file.unseen.contains(&fault.span));
            seen.map(move |fault| self.fault(fault, (index, fault.span.clone()), false))
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

    /// The same, each once, however often its file is included.
    pub fn told_faults(&self) -> Vec<Fault> {
        told_once(self.faults())
    }

    fn fault(&self, found: &Diagnostic, (file, span): (usize, Span), is_own: bool) -> ComposedFault {
        let place = &self.files[file];
        let line = line_of(&place.text, span.start);
        let Diagnostic { message, hint, .. } = self.in_file(file, span, found);
        let file = Some(place.name.clone());
        let fault = Fault { file, line: Some(line), message, hint, ..Fault::default() };
        ComposedFault { fault, identity: found.message.clone(), is_own }
    }

    /// A fault that was found in a file before it was composed.
    fn of_file_alone(&self, file: usize, fault: &Diagnostic) -> Diagnostic {
        let fix = fault.fix.clone().filter(|_| !self.files[file].is_elsewhere);
        self.in_file(file, fault.span.clone(), &fault.clone().fixed_by(None)).fixed_by(fix)
    }

    fn in_file(&self, file: usize, span: Span, found: &Diagnostic) -> Diagnostic {
        if self.files[file].is_elsewhere {
            let start = self.files[file].text.document().line_start(span.start as usize) as u32;
            let (severity, span, message) = (found.severity, start..start, UNTOLD.to_owned());
            return Diagnostic { severity, span, message, hint: None, related: None, fix: None };
        }
        let fix = found.fix.as_ref().and_then(|fix| {
            let (other, span) = self.span(&fix.span);
            (other == file).then(|| Fix { span, text: fix.text.clone() })
        });
        let mut diagnostic = Diagnostic { span, related: None, fix, ..found.clone() };
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

    /// The name of the file and the line, from 1, of a place in the whole text.
    pub fn line(&self, position: u32) -> (&str, usize) {
        let (file, offset) = self.origin(position as usize);
        let file = &self.files[file];
        (&file.name, line_of(&file.text, offset as u32))
    }

    /// The same of a place in an included file; `None` for one in the configuration itself.
    pub fn included_line(&self, position: u32) -> Option<(&str, usize)> {
        (self.origin(position as usize).0 > 0).then(|| self.line(position))
    }
}

impl Engine {
    /// A configuration with the files that it includes; `None` if it includes nothing, or has errors itself.
    pub fn composed(&self, text: &Arc<Snapshot>, follow: Follow) -> Option<Composed> {
        Composed::compose(&self.name, text, &*self.store, follow)
    }

    /// The revision of a configuration together with what it includes; `None` if it includes nothing.
    pub(super) fn composed_revision(&self, text: &Arc<Snapshot>) -> Option<Revision> {
        let composed = self.composed(text, Follow::ALL)?;
        // The whole text does not have the broken files.
        let broken = composed.files.iter().filter(|file| file.is_broken).map(|file| &file.text);
        let texts = std::iter::once(&composed.text).chain(broken);
        Some(Revision::of_pieces(texts.map(|text| text.bytes())))
    }

    /// These texts, and those of the files that they include.
    pub fn with_included<'s>(
        &self,
        texts: impl IntoIterator<Item = &'s Arc<Snapshot>>,
    ) -> Vec<Arc<Snapshot>> {
        let all = texts.into_iter().flat_map(|text| {
            let included = self.composed(text, self.followed()).map(|composed| composed.files);
            let included = included.into_iter().flatten().skip(1).map(|file| file.text);
            std::iter::once(text.clone()).chain(included)
        });
        all.collect()
    }

    /// Describes a hand edit of included files, with the place of their first error.
    pub(super) fn included_in_words(&self, text: &Arc<Snapshot>) -> String {
        let composed = self.composed(text, self.followed());
        let first = composed.and_then(|composed| composed.told_faults().into_iter().next());
        let fault = first.as_ref().and_then(Fault::position).map(|place| format!(" ({place}, has an error)"));
        format!("included files{}", fault.unwrap_or_default())
    }

    /// True if an included file was changed since the server loaded the configuration.
    pub fn has_changed_includes(&self) -> bool {
        self.state().is_some_and(|state| state.composed != self.composed_revision(&state.running))
    }
}

/// The line of an offset, from 1.
fn line_of(text: &Snapshot, offset: u32) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.document().text().as_bytes()[..offset as usize]).count()
}

impl ComposedFile {
    fn new(name: String, target: PathBuf, text: Arc<Snapshot>, is_elsewhere: bool) -> Self {
        let faults = text.document().diagnostics();
        let is_broken = faults.errors() > 0;
        let faults = if is_broken { faults.clone() } else { Diagnostics::default() };
        Self { name, target, text, is_elsewhere, is_broken, faults, unseen: Vec::new() }
    }
}

/// The reason why the files of an `include` are not there.
struct IncludeFault {
    message: String,
    kind: IncludeFaultKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IncludeFaultKind {
    /// It can't be read.
    Unread,
    /// A file is elsewhere, and only those below the folder are looked at.
    Elsewhere,
    /// The files include each other without an end, or too often, which is reported once.
    Endless,
}

struct Composer<'s> {
    read: ReadIncluded<'s>,
    /// The limits of what may still be included.
    rest: Follow,
    whole: String,
    files: Vec<ComposedFile>,
    /// The number of each file.
    numbers: HashMap<PathBuf, usize>,
    included: IncludedTexts,
    pieces: Vec<ComposedPiece>,
    /// The files that are being included, the configuration first.
    open: Vec<usize>,
    /// The faults that were reported, with their places.
    told: HashSet<(usize, Span, String)>,
}

impl Composer<'_> {
    /// Appends the text of a file, with what it includes.
    fn append(&mut self, file: usize) {
        let text = self.files[file].text.clone();
        let bytes = text.document().text();
        let mut position = if bytes.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        for (span, pattern) in text.includes() {
            self.push(file, position, &bytes[position..span.start as usize]);
            position = span.end as usize;
            if let Err(fault) = self.include(pattern) {
                self.tell(file, span, fault);
            }
        }
        self.push(file, position, &bytes[position..]);
    }

    fn tell(&mut self, file: usize, span: &Span, IncludeFault { message, kind }: IncludeFault) {
        let place = if kind == IncludeFaultKind::Endless { (0, 0..0) } else { (file, span.clone()) };
        if self.told.insert((place.0, place.1, message.clone())) {
            let file = &mut self.files[file];
            file.faults.push(Diagnostic::error(span.clone(), message).hint("nothing of it is seen here"));
            file.unseen.extend((kind == IncludeFaultKind::Elsewhere).then(|| span.clone()));
        }
    }

    fn push(&mut self, file: usize, offset: usize, text: &str) {
        self.pieces.push(ComposedPiece { at: self.whole.len(), file, offset });
        self.whole.push_str(text);
    }

    /// Appends the files that a pattern names.
    fn include(&mut self, pattern: &str) -> Result<(), IncludeFault> {
        if self.open.len() > MAX_DEPTH {
            return Err(IncludeFault::endless(format!("includes nest deeper than {MAX_DEPTH}")));
        }
        let cannot = |error: IncludeError| {
            let kind = match error {
                IncludeError::TooMuch => return IncludeFault::endless(error.to_string()),
                IncludeError::Outside | IncludeError::Linked => IncludeFaultKind::Elsewhere,
                _ => IncludeFaultKind::Unread,
            };
            let message = match Masker::opaque().value(pattern) {
                Cow::Borrowed(pattern) => format!("cannot include `{pattern}`: {error}"),
                // The error names the file.
                Cow::Owned(masked) => format!("cannot include `{masked}`"),
            };
            IncludeFault { message, kind }
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
        let file = self.number_of(included);
        if self.open.contains(&file) {
            return Err(IncludeFault::endless(format!("`{}` includes itself", self.files[file].name)));
        }
        if self.files[file].is_broken {
            return Ok(());
        }
        let shown = one_line(&self.files[file].name);
        self.push(file, 0, &format!("\n# included from {shown}\n"));
        self.open.push(file);
        self.append(file);
        self.open.pop();
        self.whole.push_str(&format!("\n# end of {shown}\n"));
        Ok(())
    }

    /// The number of a file, which is taken up once, wherever it is included.
    fn number_of(&mut self, IncludedText { name, target, bytes, is_elsewhere }: IncludedText) -> usize {
        *self.numbers.entry(target.clone()).or_insert_with(|| {
            self.files.push(ComposedFile::new(
                name,
                target,
                Arc::new(Snapshot::from_bytes(bytes)),
                is_elsewhere,
            ));
            self.files.len() - 1
        })
    }
}

impl IncludeFault {
    fn endless(message: String) -> Self {
        Self { message, kind: IncludeFaultKind::Endless }
    }
}

/// An error of a configuration together with what it includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComposedFault {
    /// The error, with its file and its line.
    pub fault: Fault,
    /// The message without the place that it names, by which another text is searched for the fault.
    pub(super) identity: String,
    /// True if the text of the configuration itself has a part in it.
    pub(super) is_own: bool,
}

/// Each fault once, however often the file that has it is included.
pub(super) fn told_once(faults: Vec<ComposedFault>) -> Vec<Fault> {
    let mut told = HashSet::new();
    let faults = faults.into_iter().map(|fault| fault.fault);
    faults.filter(|fault| told.insert(fault.to_string())).collect()
}
