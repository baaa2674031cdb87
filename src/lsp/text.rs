//! The open texts, with their lines as editors count them, and the configuration that a text is a part of.
//!
//! A text is looked at as a part of the configuration that includes it: of one that is open, else of a `media.conf` in its
//! folder or in one above it. The text that an editor has open takes the place of the one on the disk.

use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use mediaconf::Document;
use url::Url;

use super::session::{INVALID_PARAMS, RequestFault, TextPosition, TextRange};
use crate::engine::{Composed, Snapshot};
use crate::store::file::{ConfFile, KeptDraft};
use crate::store::{IncludeLimits, Store};

/// The name by which a configuration is known.
const CONFIGURATION: &str = "media.conf";

/// The number of folders, upwards, in which a configuration is looked for.
const MOST_FOLDERS: usize = 8;

/// The open texts, by URI.
#[derive(Default)]
pub struct Workspace {
    pub texts: BTreeMap<String, Rc<SourceText>>,
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
    /// The starts of the lines. A line ends in LF, CRLF or CR, as the protocol has it.
    starts: Vec<usize>,
}

/// A configuration with what it includes.
pub struct Configuration {
    /// The configuration itself, then each included file.
    pub files: Vec<Rc<SourceText>>,
    /// `None` if it includes nothing, or its syntax is broken.
    pub composed: Option<Composed>,
}

/// A place in a file of a configuration.
pub struct Spot {
    pub configuration: Configuration,
    pub file: usize,
    pub offset: usize,
}

impl SourceText {
    fn new(uri: String, path: Option<PathBuf>, text: Arc<Snapshot>) -> Self {
        let bytes = text.document().text().as_bytes();
        let is_end = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes).filter(is_end);
        let starts = iter::once(0).chain(ends.map(|at| at + 1)).collect();
        Self { uri, version: None, is_open: false, path, text, starts }
    }

    pub fn document(&self) -> &Document {
        self.text.document()
    }

    /// The offset of a place, never inside a character. A character behind the end of its line is that end, and the line
    /// behind the last one is the end of the text.
    ///
    /// # Errors
    /// The text does not have another line.
    pub fn offset(&self, place: TextPosition) -> Result<usize, RequestFault> {
        let (text, line) = (self.document().text(), place.line as usize);
        let Some(&start) = self.starts.get(line) else {
            let fault = || RequestFault::new(INVALID_PARAMS, "the text has no such line");
            return (line == self.starts.len()).then_some(text.len()).ok_or_else(fault);
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text[start..end].trim_end_matches(['\r', '\n']);
        let mut rest = place.character as usize;
        for (at, character) in content.char_indices() {
            match rest.checked_sub(character.len_utf16()) {
                Some(less) => rest = less,
                None => return Ok(start + at),
            }
        }
        Ok(start + content.len())
    }

    /// The places of a range of bytes.
    pub fn range(&self, bytes: Range<usize>) -> TextRange {
        let [start, end] = [bytes.start, bytes.end].map(|offset| {
            let text = self.document().text();
            let offset = text.floor_char_boundary(offset);
            let line = self.line_of(offset);
            let units = text[self.starts[line]..offset].encode_utf16().count();
            TextPosition { line: line as u32, character: units as u32 }
        });
        TextRange { start, end }
    }

    /// The number of the line, from 0, that holds an offset.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
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
    pub fn open(&mut self, uri: &str, text: String, version: Option<i64>) {
        let snapshot = Arc::new(Snapshot::from_document(Document::parse(text)));
        let open = SourceText::new(uri.to_owned(), path_of(uri), snapshot);
        self.texts.insert(uri.to_owned(), Rc::new(SourceText { version, is_open: true, ..open }));
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
        let offset = text.offset(place)?;
        let (configuration, file) = self.configuration(text);
        Ok(Spot { configuration, file, offset })
    }

    /// The largest configuration that an open text is a part of, and the number of the text there.
    pub fn configuration(&self, text: &Rc<SourceText>) -> (Configuration, usize) {
        let (mut largest, mut file) = (self.composed(text), 0);
        let open = self.texts.values().filter(|other| other.uri != text.uri).cloned();
        for main in open.chain(self.closed_above(text)).filter(|main| !main.text.includes().is_empty()) {
            let found = self.composed(&main);
            let at = found.files.iter().position(|file| file.uri == text.uri);
            if let Some(at) = at.filter(|_| found.files.len() > largest.files.len()) {
                (largest, file) = (found, at);
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
            Some(Rc::new(SourceText::new(uri_of(&path)?, Some(path), snapshot)))
        };
        folders.filter_map(|folder| closed(folder.join(CONFIGURATION))).collect()
    }

    fn open_at(&self, path: &Path) -> Option<&Rc<SourceText>> {
        self.texts.values().find(|text| text.path.as_deref() == Some(path))
    }

    /// Puts a configuration together.
    fn composed(&self, main: &Rc<SourceText>) -> Configuration {
        let composed = self.store_of(main).and_then(|store| {
            let read = |pattern: &str, rest: IncludeLimits| {
                let mut texts = store.included(pattern, rest)?;
                for text in &mut texts {
                    if let Some(open) = self.open_at(&text.target) {
                        text.bytes = Some(open.text.bytes().clone());
                    }
                }
                Ok(texts)
            };
            Composed::with(CONFIGURATION, &main.text, store.path(), &read)
        });
        let included = composed.iter().flat_map(|composed| composed.files.iter().skip(1)).map(|file| {
            let closed = || {
                let uri = uri_of(&file.target).unwrap_or_default();
                Rc::new(SourceText::new(uri, Some(file.target.clone()), file.text.clone()))
            };
            self.open_at(&file.target).cloned().unwrap_or_else(closed)
        });
        let files = iter::once(main.clone()).chain(included).collect();
        Configuration { files, composed }
    }

    /// The files beside a text; of a draft of `mediactl edit`, those beside its configuration.
    fn store_of(&self, text: &SourceText) -> Option<ConfFile> {
        let path = text.path.as_deref()?;
        let of_draft = KeptDraft::open(path.to_owned()).ok().map(|draft| PathBuf::from(draft.head.target));
        ConfFile::resolve(of_draft.as_deref().unwrap_or(path)).ok()
    }
}

/// The file that a URI names, at the end of all links.
fn path_of(uri: &str) -> Option<PathBuf> {
    let path = Url::parse(uri).ok()?.to_file_path().ok()?;
    Some(ConfFile::resolve(&path).map_or(path, |file| file.target.to_owned()))
}

fn uri_of(path: &Path) -> Option<String> {
    Url::from_file_path(path).ok().map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_in_units_of_utf_16() {
        let text = Snapshot::from_document(Document::parse("a😀é\r\nb\rc\n".to_owned()));
        let text = SourceText::new(String::new(), None, Arc::new(text));
        for (offset, line, character) in
            [(0, 0, 0), (1, 0, 1), (5, 0, 3), (7, 0, 4), (9, 1, 0), (11, 2, 0), (13, 3, 0)]
        {
            let place = TextPosition { line, character };
            assert_eq!(text.range(offset..offset).start, place, "{offset}");
            assert_eq!(text.offset(place).ok(), Some(offset), "{place:?}");
        }
        let offset = |line, character| text.offset(TextPosition { line, character }).ok();
        // Inside a character, behind the end of a line, and behind the end of the text.
        assert_eq!(offset(0, 2), Some(1));
        assert_eq!(offset(0, 99), Some(7));
        assert_eq!(offset(4, 7), Some(13));
        assert_eq!(offset(5, 0), None);
    }
}
