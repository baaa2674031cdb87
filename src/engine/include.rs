//! A configuration together with the files that it includes, as one text in which the files replace each
//! `include`; the origin of each byte of that text; and the entries that stand in included files.
//!
//! It is for looking only: nothing is ever written from it. A change of an entry that stands in an included file is
//! refused, and says in which file it is.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::{ChangeOptions, Engine, Snapshot};
use crate::error::{Error, ErrorKind};
use crate::store::{IncludeLimits, IncludedText, Store};
use mediaconf::{
    Diagnostic, Diagnostics, Fault, Faults, Fix, Kind, Masker, Path, Request, Schema, Segment, Severity,
    Span, one_line,
};

/// The directive that includes files.
const INCLUDE: &str = "include";

/// The warning about a file that is not opened.
const NOT_OPENED: &str = "is not opened: it is outside of the folder of the configuration, or a hard link to a file of another user";

/// The deepest nesting of includes.
const MAX_DEPTH: usize = 16;

impl Snapshot {
    /// The entries that include files, as their spans and their patterns.
    pub fn includes(&self) -> &[(Span, String)] {
        self.includes.get_or_init(|| {
            // Nearly all texts have none.
            if memchr::memmem::find(self.bytes(), INCLUDE.as_bytes()).is_none() {
                return Vec::new();
            }
            let document = self.document();
            let found =
                document.all_entries().filter(|entry| !entry.is_block() && entry.keyword() == INCLUDE);
            found
                .filter_map(|entry| Some((entry.span(), entry.only_argument()?.value().into_owned())))
                .collect()
        })
    }
}

/// A configuration with what it includes.
pub struct Composed {
    /// All of it as one text. Comments say where an included file begins and ends.
    pub text: Arc<Snapshot>,
    /// The configuration itself, then each included file once, in the order in which they are met.
    pub files: Vec<ComposedFile>,
    /// The files that each pattern names.
    pub included: IncludedTexts,
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
    /// The faults of its includes, and its own syntax errors.
    faults: Diagnostics,
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
pub type ReadIncluded<'r> = &'r dyn Fn(&str, IncludeLimits) -> Result<Vec<IncludedText>, Error>;

/// An error of a configuration together with what it includes.
pub(super) struct ComposedFault {
    /// The error, with its file and its line.
    pub fault: Fault,
    /// The message without the place that it names, by which another text is searched for the fault.
    pub identity: String,
    /// True if it is in the text of the configuration itself.
    pub is_own: bool,
}

impl Composed {
    /// Composes a configuration; `None` if it includes nothing, or has errors itself.
    pub fn compose(name: &str, main: &Arc<Snapshot>, store: &dyn Store) -> Option<Self> {
        Self::with(name, main, store.path(), &|pattern, rest| store.included(pattern, rest))
    }

    /// The same of the texts that a server has sent.
    pub fn of_sent(name: &str, main: &Arc<Snapshot>, sent: &IncludedTexts) -> Option<Self> {
        let not_sent =
            || Error::new(ErrorKind::Conflict, "the configuration of the server has changed meanwhile");
        let read = |pattern: &str, _| sent.get(pattern).cloned().ok_or_else(not_sent);
        Self::with(name, main, FilePath::new(""), &read)
    }

    /// The same of the texts that `read` gives; `path` is the configuration.
    pub fn with(name: &str, main: &Arc<Snapshot>, path: &FilePath, read: ReadIncluded<'_>) -> Option<Self> {
        if main.includes().is_empty() || main.document().diagnostics().errors() > 0 {
            return None;
        }
        let files = vec![ComposedFile::new(name.to_owned(), path.to_owned(), main.clone())];
        let (numbers, rest, open) = (HashMap::from([(path.to_owned(), 0)]), IncludeLimits::ALL, vec![0]);
        let (whole, included, pieces) = Default::default();
        let mut composer = Composer { read, rest, whole, files, numbers, included, pieces, open };
        composer.append(0);
        let Composer { whole, files, included, pieces, .. } = composer;
        Some(Self { text: Arc::new(Snapshot::from_bytes(whole)), files, included, pieces })
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

    /// Each fault of a file, or of the whole, with its file and its place there: once, wherever the file is included.
    fn found(&self) -> Vec<(usize, Span, &Diagnostic, bool)> {
        let of_files = self.files.iter().enumerate().flat_map(|(number, file)| {
            file.faults.iter().map(move |fault| (number, fault.span.clone(), fault, true))
        });
        let of_whole = self.text.diagnostics().iter().map(|found| {
            let (file, span) = self.span(&found.span);
            (file, span, found, false)
        });
        let mut known = HashSet::new();
        let all = of_files.chain(of_whole);
        all.filter(|(file, span, found, _)| known.insert((*file, span.start, found.message.as_str())))
            .collect()
    }

    /// The diagnostics of each file, by the number of the file: each once, wherever the file is included.
    pub fn diagnostics(&self) -> Vec<Diagnostics> {
        let mut told: Vec<Diagnostics> = self.files.iter().map(|_| Diagnostics::default()).collect();
        for (file, span, found, is_of_file) in self.found() {
            told[file].push(self.told(file, span, found, is_of_file));
        }
        self.files.iter().zip(&mut told).for_each(|(file, told)| told.count_dropped(&file.faults));
        told[0].count_dropped(self.text.diagnostics());
        told.iter_mut().for_each(Diagnostics::sort);
        told
    }

    /// True if all includes could be followed, and the whole has no errors.
    pub fn is_valid(&self) -> bool {
        self.is_parsed() && self.text.is_valid()
    }

    /// True if all includes could be followed, and all files parsed.
    pub fn is_parsed(&self) -> bool {
        self.files.iter().all(|file| file.faults.errors() == 0)
    }

    /// Its errors.
    pub(super) fn faults(&self) -> Vec<ComposedFault> {
        let errors = self.found().into_iter().filter(|(.., found, _)| found.severity == Severity::Error);
        let faults = errors.map(|(file, span, found, is_of_file)| {
            let place = &self.files[file];
            let line = Some(line_of(&place.text, span.start));
            let Diagnostic { message, hint, .. } = self.told(file, span, found, is_of_file);
            let fault = Fault { file: Some(place.name.clone()), line, message, hint, ..Fault::default() };
            ComposedFault { fault, identity: found.message.clone(), is_own: file == 0 && !is_of_file }
        });
        faults.collect()
    }

    /// The same, for users.
    pub fn told_faults(&self) -> Vec<Fault> {
        self.faults().into_iter().map(|found| found.fault).collect()
    }

    /// A fault as it is told of at its place.
    fn told(&self, file: usize, span: Span, found: &Diagnostic, is_of_file: bool) -> Diagnostic {
        let mut told = Diagnostic { span, ..found.clone() };
        if is_of_file {
            return told;
        }
        told.fix = found.fix.as_ref().and_then(|fix| {
            let (other, span) = self.span(&fix.span);
            (other == file).then(|| Fix { span, text: fix.text.clone() })
        });
        if let Some((related, message)) = told.related.take() {
            match self.span(&related) {
                (other, span) if other == file => told.related = Some((span, message)),
                (other, span) => {
                    let line = line_of(&self.files[other].text, span.start);
                    let name = one_line(&self.files[other].name);
                    told.message += &format!(" ({message} in {name}:{line})");
                }
            }
        }
        told
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

    /// Refuses a change whose entry is not in the configuration itself, but in a file that it includes: made here,
    /// it would be there twice.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn refuse_change(
        &self,
        request: &Request,
        patch: Option<&Value>,
        options: &ChangeOptions,
    ) -> Result<(), Error> {
        // This text alone can't show what is expected of an entry of an included file.
        let expected = request.expectations.iter().filter_map(|expectation| place_of(&expectation.path));
        let places = changed_places(request, patch).into_iter().chain(expected).collect();
        let faults = if options.force { Vec::new() } else { self.faults_at(places) };
        Ok(Faults(faults).into_result(())?)
    }

    /// True if an included file has an entry of this kind.
    pub fn includes_any(&self, kind: Kind) -> bool {
        let members = self.text.document().members();
        members.own_by_key(kind.key()).iter().any(|entry| self.origin(entry.start()).0 > 0)
    }

    /// Refuses to work on an entry that is not in the configuration itself, but in a file that it includes.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn refuse_entry(&self, path: &Path) -> Result<(), Error> {
        Ok(Faults(self.faults_at(place_of(path).into_iter().collect())).into_result(())?)
    }

    fn faults_at(&self, places: Vec<Vec<&str>>) -> Vec<Fault> {
        let own = self.files[0].text.config();
        let not_own = places.into_iter().filter(|keys| !own.contains(keys));
        let whole = self.text.config();
        let faults = not_own.filter_map(|keys| {
            let segments: Vec<Segment> = keys.iter().map(|key| Segment::Key((*key).to_owned())).collect();
            let is_there = whole.contains(&keys);
            let entry = whole.entry_at(&segments).filter(|_| is_there)?;
            let (file, line) = self.line(entry.span().start);
            let file = one_line(file);
            let fault = Fault::absent(format!("it stands in `{file}`, line {line}, which is included"));
            let conf = Path::in_shell_quotes(&file);
            Some(fault.hint(format!("change that file itself: `--conf {conf}`")).at(&Path { segments }))
        });
        faults.collect()
    }
}

/// The members of the top level, and the streams, lives and plugins, that a change is about.
fn changed_places<'r>(request: &'r Request, patch: Option<&'r Value>) -> Vec<Vec<&'r str>> {
    if let Some(patch) = patch.and_then(Value::as_object) {
        if patch.contains_key(Schema::WITH_INCLUDES) {
            // It is refused as a whole.
            return Vec::new();
        }
        let places = patch.iter().flat_map(|(key, value)| match (has_names(key), value.as_object()) {
            (true, Some(blocks)) => blocks.keys().map(|name| vec![key.as_str(), name.as_str()]).collect(),
            _ => vec![vec![key.as_str()]],
        });
        return places.collect();
    }
    request.paths().into_iter().filter_map(place_of).collect()
}

/// The member of the top level, or the block with a name, that a path leads into.
fn place_of(path: &Path) -> Option<Vec<&str>> {
    let mut names = path.names();
    names.truncate(1 + usize::from(has_names(names.first()?)));
    Some(names)
}

/// True for a group of blocks with names: streams, lives, plugins, templates and the like.
fn has_names(key: &str) -> bool {
    Schema::kind(key).is_some() || Schema::has_named_blocks(key)
}

impl Engine {
    /// A configuration with the files that it includes; `None` if it includes nothing, or has errors itself.
    pub fn composed(&self, text: &Arc<Snapshot>) -> Option<Composed> {
        Composed::compose(&self.name, text, &*self.store)
    }

    /// The same as one text; the text itself if it includes nothing.
    pub(super) fn whole(&self, text: &Arc<Snapshot>) -> Arc<Snapshot> {
        self.composed(text).map_or_else(|| text.clone(), |composed| composed.text)
    }

    /// These texts, and those of the files that they include.
    pub fn with_included<'s>(
        &self,
        texts: impl IntoIterator<Item = &'s Arc<Snapshot>>,
    ) -> Vec<Arc<Snapshot>> {
        let all = texts.into_iter().flat_map(|text| {
            let included = self.composed(text).map(|composed| composed.files);
            let included = included.into_iter().flatten().skip(1).map(|file| file.text);
            std::iter::once(text.clone()).chain(included)
        });
        all.collect()
    }
}

/// The line of an offset, from 1.
fn line_of(text: &Snapshot, offset: u32) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.document().text().as_bytes()[..offset as usize]).count()
}

impl ComposedFile {
    fn new(name: String, target: PathBuf, text: Arc<Snapshot>) -> Self {
        let found = text.document().diagnostics();
        let faults = if found.errors() > 0 { found.clone() } else { Diagnostics::default() };
        Self { name, target, text, faults }
    }
}

/// How bad it is that the files of an `include` are not there, and why.
type IncludeFault = (Severity, String);

struct Composer<'s> {
    read: ReadIncluded<'s>,
    /// The limits of what may still be included.
    rest: IncludeLimits,
    whole: String,
    files: Vec<ComposedFile>,
    /// The number of each file.
    numbers: HashMap<PathBuf, usize>,
    included: IncludedTexts,
    pieces: Vec<ComposedPiece>,
    /// The files that are being included, the configuration first.
    open: Vec<usize>,
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
            let Err((severity, message)) = self.include(pattern) else { continue };
            // Once, however often a file is included, or a pattern stands there.
            let is_known = |file: &ComposedFile| file.faults.iter().any(|known| known.message == message);
            if !self.files.iter().any(is_known) {
                let fault = Diagnostic { severity, ..Diagnostic::warning(span.clone(), message) };
                self.files[file]
                    .faults
                    .push(fault.hint("name what is there, or take it out; the rest is checked without it"));
            }
        }
        self.push(file, position, &bytes[position..]);
    }

    fn push(&mut self, file: usize, offset: usize, text: &str) {
        self.pieces.push(ComposedPiece { at: self.whole.len(), file, offset });
        self.whole.push_str(text);
    }

    /// Appends the files that a pattern names.
    fn include(&mut self, pattern: &str) -> Result<(), IncludeFault> {
        if self.open.len() > MAX_DEPTH {
            return Err((Severity::Error, format!("includes nest deeper than {MAX_DEPTH}")));
        }
        let cannot = |error: Error| {
            let message = match Masker::Opaque.value(pattern) {
                Cow::Borrowed(pattern) => format!("cannot include `{pattern}`: {error}"),
                // The error names the file.
                Cow::Owned(masked) => format!("cannot include `{masked}`"),
            };
            (Severity::Error, message)
        };
        if !self.included.contains_key(pattern) {
            let texts = (self.read)(pattern, self.rest).map_err(cannot)?;
            self.included.insert(pattern.to_owned(), texts);
        }
        let mut left_out = Ok(());
        for text in self.included[pattern].clone() {
            let size = text.bytes.as_ref().map_or(0, Bytes::len);
            self.rest = self.rest.after(size as u64).map_err(cannot)?;
            match self.include_text(text) {
                Err(fault @ (Severity::Warning, _)) => left_out = Err(fault),
                included => included?,
            }
        }
        left_out
    }

    fn include_text(&mut self, included: IncludedText) -> Result<(), IncludeFault> {
        let IncludedText { name, target, bytes } = included;
        let Some(bytes) = bytes else {
            return Err((Severity::Warning, format!("`{}` {NOT_OPENED}", one_line(&name))));
        };
        let file = *self.numbers.entry(target.clone()).or_insert_with(|| {
            self.files.push(ComposedFile::new(name, target, Arc::new(Snapshot::from_bytes(bytes))));
            self.files.len() - 1
        });
        if self.open.contains(&file) {
            return Err((Severity::Error, format!("`{}` includes itself", self.files[file].name)));
        }
        // It is left out for its syntax errors.
        if self.files[file].text.document().diagnostics().errors() > 0 {
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
}
