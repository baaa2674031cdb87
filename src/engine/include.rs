//! A configuration together with the files that it includes, as one text in which the files replace each
//! `include`; the origin of each byte of that text; and the entries that stand in included files.
//!
//! It is for looking only: nothing is ever written from it. A change of an entry that stands in an included file is
//! refused, and says in which file it is.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::{ChangeOptions, OutcomeNote};
use super::local::Engine;
use super::snapshot::Snapshot;
use crate::error::{Error, ErrorKind};
use crate::store::{Follow, IncludedText, Revision, Store};
use mediaconf::{
    Config, Diagnostic, Diagnostics, Fault, Faults, Fix, Kind, Masker, Path, Request, Schema, Segment,
    Severity, Span, one_line,
};

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
pub type ReadIncluded<'r> = &'r dyn Fn(&str, Follow) -> Result<Vec<IncludedText>, Error>;

/// An error of a configuration together with what it includes.
pub(super) struct ComposedFault {
    /// The error, with its file and its line.
    pub fault: Fault,
    /// The message without the place that it names, by which another text is searched for the fault.
    pub identity: String,
    /// True if the text of the configuration itself has a part in it.
    pub is_own: bool,
}

impl Composed {
    /// Composes a configuration; `None` if it includes nothing, or has errors itself.
    pub fn compose(name: &str, main: &Arc<Snapshot>, store: &dyn Store, follow: Follow) -> Option<Self> {
        Self::with(name, main, store.path(), follow, &|pattern, follow| store.included(pattern, follow))
    }

    /// The same of the texts that a server has sent.
    pub fn of_sent(name: &str, main: &Arc<Snapshot>, sent: &IncludedTexts) -> Option<Self> {
        let not_sent =
            || Error::new(ErrorKind::Conflict, "the configuration of the server has changed meanwhile");
        let read = |pattern: &str, _| sent.get(pattern).cloned().ok_or_else(not_sent);
        Self::with(name, main, FilePath::new(""), Follow::BELOW, &read)
    }

    /// The same of the texts that `read` gives; `path` is the configuration.
    pub fn with(
        name: &str,
        main: &Arc<Snapshot>,
        path: &FilePath,
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
            files: vec![ComposedFile::of_text(name.to_owned(), path.to_owned(), main.clone(), false)],
            numbers: HashMap::from([(path.to_owned(), 0)]),
            included: IncludedTexts::default(),
            pieces: Vec::new(),
            open: vec![0],
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
        // What was not kept is counted as the last one is.
        let all = self.text.diagnostics();
        if let Some(last) = all.iter().last() {
            told[self.span(&last.span).0].count_dropped(all);
        }
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

    /// Its errors, but not that files elsewhere are not looked at.
    pub(super) fn faults(&self) -> Vec<ComposedFault> {
        let errors = self.found().into_iter().filter(|(file, _, found, is_of_file)| {
            let is_unseen = *is_of_file && self.files[*file].unseen.contains(&found.span);
            found.severity == Severity::Error && !is_unseen
        });
        let faults = errors.map(|(file, span, found, is_of_file)| {
            let is_first_own = || found.related.as_ref().is_some_and(|(first, _)| self.span(first).0 == 0);
            let is_own = !is_of_file && (file == 0 || is_first_own());
            let place = &self.files[file];
            let line = Some(line_of(&place.text, span.start));
            let Diagnostic { message, hint, .. } = self.told(file, span, found, is_of_file);
            let fault = Fault { file: Some(place.name.clone()), line, message, hint, ..Fault::default() };
            ComposedFault { fault, identity: found.message.clone(), is_own }
        });
        faults.collect()
    }

    /// The same, for users.
    pub fn told_faults(&self) -> Vec<Fault> {
        self.faults().into_iter().map(|found| found.fault).collect()
    }

    /// A fault as it is told of at its place: of a file elsewhere, only the line.
    fn told(&self, file: usize, span: Span, found: &Diagnostic, is_of_file: bool) -> Diagnostic {
        if self.files[file].is_elsewhere {
            let start = self.files[file].text.document().line_start(span.start as usize) as u32;
            return Diagnostic::new(found.severity, start..start, UNTOLD);
        }
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

    /// The same of a place in an included file; `None` for one in the configuration itself.
    pub fn included_line(&self, position: u32) -> Option<(&str, usize)> {
        (self.origin(position as usize).0 > 0).then(|| self.line(position))
    }

    /// Refuses a change whose entry is not in the configuration itself, but in a file that it includes: made here,
    /// it would be there twice. The note says that it matches such entries, too; where it matches no others, it is
    /// refused.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn refuse_change(
        &self,
        request: &Request,
        patch: Option<&Value>,
        options: &ChangeOptions,
    ) -> Result<Option<OutcomeNote>, Error> {
        // This text alone can't show what is expected of an entry of an included file.
        let expected = request.expectations.iter().filter_map(|expectation| place_of(&expectation.path));
        let places = changed_places(request, patch).into_iter().chain(expected).collect();
        let faults = if options.force { Vec::new() } else { self.faults_at(places) };
        Faults(faults).into_result(())?;
        match (self.first_matched(request, patch), patch) {
            (Some(found), None) => Err(found.fault(self.is_here).into()),
            (found, _) => Ok(found.map(|found| OutcomeNote::AlsoIncluded(found.in_words()))),
        }
    }

    /// The first entry of an included file that a request with patterns or conditions matches, too, or that stands in a
    /// group which it removes.
    fn first_matched(&self, request: &Request, patch: Option<&Value>) -> Option<IncludedEntry> {
        let is_whole = |keys: &Vec<&str>| matches!(keys[..], [key] if is_group(key));
        if !request.stands_for_many() && !changed_places(request, patch).iter().any(is_whole) {
            return None;
        }
        self.first_included(&|current| match request.evaluate(current) {
            Ok(evaluated) => {
                let places = changed_places(request, Some(&evaluated.patch)).into_iter();
                places.flat_map(|keys| entries_below(current, &keys)).collect()
            }
            // One of the paths may lead nowhere in this text alone.
            Err(_) => {
                let paths = request.paths().into_iter().map(|path| path.first(2));
                paths.flat_map(|path| current.blocks_at(&path, request.conditions())).collect()
            }
        })
    }

    /// The first entry of an included file among those that `matched` finds, by their keys.
    pub fn first_included(&self, matched: &dyn Fn(&Config<'_>) -> Vec<Vec<String>>) -> Option<IncludedEntry> {
        let keys: HashSet<Vec<String>> = matched(&self.text.config()).into_iter().collect();
        self.included_entries().into_iter().find(|entry| keys.contains(&entry.keys()))
    }

    /// The streams, lives and plugins of included files.
    pub fn included_entries(&self) -> Vec<IncludedEntry> {
        let members = self.text.document().members();
        let in_group = |kind: Kind| members.own_by_key(kind.key()).iter().map(move |entry| (kind, *entry));
        let entries = Kind::ALL.into_iter().flat_map(in_group);
        let included = entries.filter_map(|(kind, entry)| {
            let (file, line) = self.included_line(entry.span().start)?;
            Some(IncludedEntry {
                kind,
                name: entry.group_name().value().into_owned(),
                file: file.to_owned(),
                line,
            })
        });
        included.collect()
    }

    /// Refuses to work on an entry that is not in the configuration itself, but in a file that it includes.
    ///
    /// # Errors
    /// `Invalid`.
    pub fn refuse_entry(&self, path: &Path) -> Result<(), Error> {
        let faults = self.faults_at(place_of(path).into_iter().collect());
        Ok(Faults(faults).into_result(())?)
    }

    /// Describes the place of the entry that a path leads into, if that is in an included file alone.
    pub fn included_place(&self, path: &Path) -> Option<String> {
        let faults = self.faults_at(place_of(path).into_iter().collect());
        faults.first().map(|fault| fault.message.clone())
    }

    fn faults_at(&self, places: Vec<Vec<&str>>) -> Vec<Fault> {
        let own = self.files[0].text.config();
        let not_own = places.into_iter().filter(|keys| !own.contains(keys));
        let whole = self.text.config();
        let faults = not_own.filter_map(|keys| {
            let segments: Vec<Segment> = keys.iter().map(|key| Segment::Key((*key).to_owned())).collect();
            let is_there = whole.contains(&keys);
            let entry = whole.entry_at(&segments).filter(|_| is_there)?;
            let (file, line) = self.included_line(entry.span().start)?;
            Some(stands_in(file, line, self.is_here).at(&Path { segments }))
        });
        faults.collect()
    }
}

impl IncludedEntry {
    fn fault(&self, is_here: bool) -> Fault {
        let segments = self.keys().into_iter().map(Segment::Key).collect();
        stands_in(&self.file, self.line, is_here).at(&Path { segments })
    }
}

fn stands_in(file: &str, line: usize, is_here: bool) -> Fault {
    let file = one_line(file);
    let fault = Fault::absent(format!("it stands in `{file}`, line {line}, which is included"));
    fault.hint(match is_here {
        true => format!("name that file: `--conf {file}`"),
        false => "change that file itself, where the server runs: `--conf` names it there".to_owned(),
    })
}

/// The members of the top level, and the streams, lives and plugins, that a change is about.
fn changed_places<'r>(request: &'r Request, patch: Option<&'r Value>) -> Vec<Vec<&'r str>> {
    if let Some(patch) = patch.and_then(Value::as_object) {
        if patch.contains_key(Schema::WITH_INCLUDES) {
            // It is refused as a whole.
            return Vec::new();
        }
        let places =
            patch.iter().flat_map(|(key, value)| match value.as_object().filter(|_| is_group(key)) {
                Some(members) => members.keys().map(|name| vec![key.as_str(), name.as_str()]).collect(),
                None => vec![vec![key.as_str()]],
            });
        return places.collect();
    }
    request.paths().into_iter().filter_map(place_of).collect()
}

/// The place itself; for a group, the places of its entries.
fn entries_below(current: &Config<'_>, keys: &[&str]) -> Vec<Vec<String>> {
    match keys {
        [group] if is_group(group) => {
            current.names(keys).into_iter().map(|name| vec![(*group).to_owned(), name]).collect()
        }
        keys => vec![keys.iter().map(|key| (*key).to_owned()).collect()],
    }
}

/// The member of the top level, or the stream, live or plugin, that a path leads into.
fn place_of(path: &Path) -> Option<Vec<&str>> {
    let mut names = path.split_names().0;
    let depth = if is_group(names.first()?) { 2 } else { 1 };
    names.truncate(depth);
    Some(names)
}

fn is_group(key: &str) -> bool {
    Schema::media().kind(key).is_some()
}

/// A stream, live or plugin of an included file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncludedEntry {
    pub kind: Kind,
    pub name: String,
    /// The name of the file.
    pub file: String,
    /// The line of its beginning, from 1.
    pub line: usize,
}

impl IncludedEntry {
    /// Names it, and its place.
    pub fn in_words(&self) -> String {
        let path = Path { segments: self.keys().into_iter().map(Segment::Key).collect() };
        format!("`{path}` in `{}`, line {}", one_line(&self.file), self.line)
    }

    /// The keys that lead to it.
    pub fn keys(&self) -> Vec<String> {
        vec![self.kind.key().to_owned(), self.name.clone()]
    }
}

/// The entries that go, and that come, with an `include` that a change removes, adds or points elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncludeChange {
    /// The number of removed entries of each kind, in the order of [`Kind::ALL`].
    pub gone: [usize; 3],
    /// The number of new entries of each kind.
    pub come: [usize; 3],
    /// The number of streams that the included files had before.
    pub streams_before: usize,
}

impl IncludeChange {
    pub fn new(gone: &[IncludedEntry], come: &[IncludedEntry], streams_before: usize) -> Option<Self> {
        let count = |entries: &[IncludedEntry]| {
            Kind::ALL.map(|kind| entries.iter().filter(|entry| entry.kind == kind).count())
        };
        let (gone, come) = (count(gone), count(come));
        let is_any = (gone, come) != ([0; 3], [0; 3]);
        is_any.then_some(Self { gone, come, streams_before })
    }

    /// Returns the number of removed streams, and of all streams of included files before.
    pub fn deleted_streams(&self) -> (usize, usize) {
        (self.gone[Kind::Streams.number()], self.streams_before)
    }
}

impl fmt::Display for IncludeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [gone, come] = [self.gone, self.come].map(|counts| counts.iter().sum());
        let entries =
            |count| format!("{count} {} of included files", if count == 1 { "entry" } else { "entries" });
        if gone > 0 {
            write!(f, "no longer included: {}", entries(gone))?;
        }
        match come {
            0 => Ok(()),
            come => write!(f, "{}included now: {}", if gone > 0 { "; " } else { "" }, entries(come)),
        }
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
        let broken = composed.files.iter().filter(|file| file.is_broken()).map(|file| &file.text);
        let texts = std::iter::once(&composed.text).chain(broken);
        Some(Revision::from_text(&texts.map(|text| text.bytes()).collect::<Vec<_>>().concat()))
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

    /// The entries of included files that go and come with a new text; `None` if both texts include the
    /// same.
    pub(super) fn include_change(
        &self,
        before: &Arc<Snapshot>,
        after: &Arc<Snapshot>,
    ) -> Option<IncludeChange> {
        if before.includes_as(after) {
            return None;
        }
        let sides = [before, after].map(|text| {
            let composed = self.composed(text, self.followed());
            let included = composed.map(|composed| composed.included_entries()).unwrap_or_default();
            let members = text.document().members();
            let own = Kind::ALL.into_iter().flat_map(|kind| {
                members
                    .own_by_key(kind.key())
                    .iter()
                    .map(move |entry| (kind.key(), entry.group_name().value().into_owned()))
            });
            let keys: HashSet<_> =
                included.iter().map(|entry| (entry.kind.key(), entry.name.clone())).chain(own).collect();
            (included, keys)
        });
        let [(old, old_keys), (new, new_keys)] = sides;
        let streams_before = old.iter().filter(|entry| entry.kind == Kind::Streams).count();
        let is_new_in = |keys: &HashSet<(&str, String)>, entry: &IncludedEntry| {
            !keys.contains(&(entry.kind.key(), entry.name.clone()))
        };
        let gone: Vec<_> = old.into_iter().filter(|entry| is_new_in(&new_keys, entry)).collect();
        let come: Vec<_> = new.into_iter().filter(|entry| is_new_in(&old_keys, entry)).collect();
        IncludeChange::new(&gone, &come, streams_before)
    }
}

/// The line of an offset, from 1.
fn line_of(text: &Snapshot, offset: u32) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.document().text().as_bytes()[..offset as usize]).count()
}

impl ComposedFile {
    fn new(IncludedText { name, target, bytes, is_elsewhere }: IncludedText) -> Self {
        Self::of_text(name, target, Arc::new(Snapshot::from_bytes(bytes)), is_elsewhere)
    }

    fn of_text(name: String, target: PathBuf, text: Arc<Snapshot>, is_elsewhere: bool) -> Self {
        let mut faults = Diagnostics::default();
        if text.document().diagnostics().errors() > 0 {
            faults = text.document().diagnostics().clone();
        }
        Self { name, target, text, is_elsewhere, faults, unseen: Vec::new() }
    }

    /// True if it is left out for its syntax errors.
    fn is_broken(&self) -> bool {
        self.text.document().diagnostics().errors() > 0
    }
}

/// The reason why the files of an `include` are not there; true if one of them is elsewhere, and only those below the
/// folder are looked at.
type IncludeFault = (String, bool);

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
            if let Err((message, is_elsewhere)) = self.include(pattern) {
                // Once, however often a file is included, or a pattern stands there.
                let is_known = |file: &ComposedFile| file.faults.iter().any(|known| known.message == message);
                if !self.files.iter().any(is_known) {
                    let fault = Diagnostic::error(span.clone(), message).hint("nothing of it is seen here");
                    self.files[file].faults.push(fault);
                    self.files[file].unseen.extend(is_elsewhere.then(|| span.clone()));
                }
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
            return Err((format!("includes nest deeper than {MAX_DEPTH}"), false));
        }
        let cannot = |error: Error| {
            let is_elsewhere = error.kind == ErrorKind::Untrusted;
            let message = match Masker::opaque().value(pattern) {
                Cow::Borrowed(pattern) => format!("cannot include `{pattern}`: {error}"),
                // The error names the file.
                Cow::Owned(masked) => format!("cannot include `{masked}`"),
            };
            (message, is_elsewhere)
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
            return Err((format!("`{}` includes itself", self.files[file].name), false));
        }
        if self.files[file].is_broken() {
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
    fn number_of(&mut self, included: IncludedText) -> usize {
        *self.numbers.entry(included.target.clone()).or_insert_with(|| {
            self.files.push(ComposedFile::new(included));
            self.files.len() - 1
        })
    }
}
