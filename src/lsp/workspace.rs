//! The open texts, and the configuration that a text is a part of.
//!
//! A text is looked at as a part of the configuration that includes it: of one that is open, else of a `media.conf` in its
//! folder or in one above it. The text that an editor has open takes the place of the one on the disk.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use mediaconf::Document;
use url::Url;

use super::lines::{LineStarts, PositionEncoding};
use super::protocol::{INVALID_PARAMS, RequestFault, TextPosition, TextRange};
use crate::engine::{Composed, Snapshot};
use crate::store::file::{ConfFile, draft_head};
use crate::store::{Follow, Store};

/// The name by which a configuration is known.
const CONFIGURATION: &str = "media.conf";

/// The number of folders, upwards, in which a configuration is looked for.
const MOST_FOLDERS: usize = 8;

/// The open texts, by URI.
#[derive(Default)]
pub struct Workspace {
    pub texts: BTreeMap<String, Rc<SourceText>>,
    pub encoding: PositionEncoding,
}

/// The text of a file, as its editor has it if it is open.
pub struct SourceText {
    pub uri: String,
    /// The number that its editor gave it.
    pub version: Option<i64>,
    pub is_open: bool,
    /// The file at the end of all links; `None` if it is no file.
    path: Option<PathBuf>,
    pub text: Arc<Snapshot>,
    pub lines: LineStarts,
}

/// A configuration with what it includes.
pub struct Configuration {
    /// The configuration itself, then each included file.
    pub files: Vec<Rc<SourceText>>,
    /// `None` if it includes nothing, or its syntax is broken.
    pub composed: Option<Composed>,
    /// True if it is a part of one whose syntax is broken: only its own syntax can be judged.
    pub is_part: bool,
}

/// A place in a file of a configuration.
pub struct Spot {
    pub configuration: Configuration,
    pub file: usize,
    pub offset: usize,
}

impl SourceText {
    pub fn document(&self) -> &Document {
        self.text.document()
    }

    /// The places of a range of bytes.
    pub fn range(&self, bytes: Range<usize>) -> TextRange {
        self.lines.range(self.document().text(), bytes)
    }
}

impl Spot {
    pub fn file(&self) -> &SourceText {
        &self.configuration.files[self.file]
    }

    /// The text in which the place is looked at, and where it is there: the whole configuration where that has it.
    pub fn in_whole(&self) -> (&Arc<Snapshot>, usize) {
        let composed = self.configuration.composed.as_ref();
        let found = composed.and_then(|all| Some((&all.text, all.position(self.file, self.offset)?)));
        found.unwrap_or((&self.file().text, self.offset))
    }

    /// The part of the file that is a word of the text in which the place is looked at, on the same line.
    pub fn range_of(&self, word: Range<u32>) -> TextRange {
        let (_, offset) = self.in_whole();
        let [start, end] =
            [word.start, word.end].map(|at| (at as usize + self.offset).saturating_sub(offset));
        self.file().range(start..end)
    }
}

impl Configuration {
    /// The text of all of it: what is included stands in it, if the syntax is right.
    pub fn whole(&self) -> &Arc<Snapshot> {
        self.composed.as_ref().map_or(&self.files[0].text, |composed| &composed.text)
    }

    /// The file that has a word of the whole, and its place there.
    pub fn origin(&self, word: Range<u32>) -> (usize, Range<usize>) {
        let at = word.start as usize;
        let (file, start) = self.composed.as_ref().map_or((0, at), |composed| composed.origin(at));
        (file, start..start + word.len())
    }

    /// True if the syntax of all files is right, and all could be read.
    pub fn is_parsed(&self) -> bool {
        match &self.composed {
            Some(composed) => composed.is_parsed(),
            None => self.files[0].document().diagnostics().errors() == 0,
        }
    }
}

impl Workspace {
    pub fn open(&mut self, uri: String, text: String, version: Option<i64>) {
        let snapshot = Arc::new(Snapshot::from_document(Document::parse(text)));
        let open = self.source(uri.clone(), path_of(&uri), snapshot);
        self.texts.insert(uri, Rc::new(SourceText { version, is_open: true, ..open }));
    }

    fn source(&self, uri: String, path: Option<PathBuf>, text: Arc<Snapshot>) -> SourceText {
        let lines = LineStarts::of(text.document().text(), self.encoding);
        SourceText { uri, version: None, is_open: false, path, text, lines }
    }

    /// The text that a client names.
    ///
    /// # Errors
    /// It is not open.
    pub fn text(&self, uri: &str) -> Result<&Rc<SourceText>, RequestFault> {
        self.texts.get(uri).ok_or_else(|| RequestFault::new(INVALID_PARAMS, "the text is not open"))
    }

    /// Finds a place of an open text.
    ///
    /// # Errors
    /// The text is not open, or has no such line.
    pub fn spot(&self, uri: &str, place: TextPosition) -> Result<Spot, RequestFault> {
        let text = self.text(uri)?;
        let offset = text.lines.offset(text.document().text(), place);
        let offset = offset.ok_or_else(|| RequestFault::new(INVALID_PARAMS, "the text has no such line"))?;
        let (configuration, file) = self.configuration(text);
        Ok(Spot { configuration, file, offset })
    }

    /// The largest configuration that an open text is a part of, and the number of the text there.
    pub fn configuration(&self, text: &Rc<SourceText>) -> (Configuration, usize) {
        let (mut largest, mut file) = (self.composed(text), 0);
        let open = self.texts.values().filter(|other| other.uri != text.uri).cloned();
        for main in open.chain(self.closed_above(text)).filter(|main| !main.text.includes().is_empty()) {
            let found = self.composed(&main);
            match found.files.iter().position(|file| file.uri == text.uri) {
                Some(at) if found.files.len() > largest.files.len() => (largest, file) = (found, at),
                None if !found.is_parsed() => largest.is_part |= self.includes(&main, text),
                _ => {}
            }
        }
        (largest, file)
    }

    /// The configurations that are not open, and may include a text.
    fn closed_above(&self, text: &SourceText) -> Vec<Rc<SourceText>> {
        let folders = text.path.iter().flat_map(|path| path.ancestors().skip(1).take(MOST_FOLDERS));
        let closed = |path: PathBuf| {
            if self.open_at(&path).is_some() {
                return None;
            }
            let loaded = ConfFile::resolve(&path).and_then(|file| file.load()).ok()?;
            let snapshot = Arc::new(Snapshot::from_bytes(loaded.bytes));
            Some(Rc::new(self.source(uri_of(&path)?, Some(path), snapshot)))
        };
        folders.filter_map(|folder| closed(folder.join(CONFIGURATION))).collect()
    }

    fn open_at(&self, path: &Path) -> Option<&Rc<SourceText>> {
        self.texts.values().find(|text| text.path.as_deref() == Some(path))
    }

    /// Puts a configuration together.
    fn composed(&self, main: &Rc<SourceText>) -> Configuration {
        let composed = self.store_of(main).and_then(|store| {
            let read = |pattern: &str, follow: Follow| {
                let mut texts = store.included(pattern, follow)?;
                for text in &mut texts {
                    if let Some(open) = self.open_at(&text.target) {
                        text.bytes = open.text.shared_bytes().clone();
                    }
                }
                Ok(texts)
            };
            Composed::with(CONFIGURATION, &main.text, store.path(), Follow::ALL, &read)
        });
        let included = composed.iter().flat_map(|composed| composed.files.iter().skip(1)).map(|file| {
            let closed = || {
                let uri = uri_of(&file.target).unwrap_or_default();
                Rc::new(self.source(uri, Some(file.target.clone()), file.text.clone()))
            };
            self.open_at(&file.target).cloned().unwrap_or_else(closed)
        });
        let files = std::iter::once(main.clone()).chain(included).collect();
        Configuration { files, composed, is_part: false }
    }

    /// True if a configuration names a text in one of its own includes.
    fn includes(&self, main: &SourceText, text: &SourceText) -> bool {
        let Some(store) = self.store_of(main) else { return false };
        let patterns = main.text.includes().iter();
        let mut files =
            patterns.flat_map(|(_, pattern)| store.included(pattern, Follow::ALL).unwrap_or_default());
        files.any(|file| Some(&file.target) == text.path.as_ref())
    }

    /// The files beside a text; of a draft of `mediactl edit`, those beside its configuration.
    fn store_of(&self, text: &SourceText) -> Option<ConfFile> {
        let path = text.path.as_deref()?;
        let of_draft = draft_head(path).map(|head| PathBuf::from(head.target));
        ConfFile::resolve(of_draft.as_deref().unwrap_or(path)).ok()
    }
}

/// The file that a URI names, at the end of all links.
fn path_of(uri: &str) -> Option<PathBuf> {
    let path = Url::parse(uri).ok()?.to_file_path().ok()?;
    Some(ConfFile::resolve(&path).map_or(path, |file| file.target().to_owned()))
}

fn uri_of(path: &Path) -> Option<String> {
    Url::from_file_path(path).ok().map(String::from)
}
