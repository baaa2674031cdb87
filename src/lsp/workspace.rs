//! The open texts, and the configurations that they are parts of.
//!
//! A text is looked at as a part of the configuration that includes it: of one that is open, else of a `media.conf` in its
//! folder or in one above it. Files on the disk are read again when a text is opened, saved or closed, and not at each
//! key.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use url::Url;

use super::lines::{LineStarts, PositionEncoding};
use super::open_text::OpenText;
use super::protocol::{INVALID_PARAMS, RequestFault, TextPosition};
use crate::engine::{Composed, IncludedTexts, Snapshot};
use crate::store::file::ConfFile;
use crate::store::{Follow, Store};

/// The message where the server may have another text than the editor, so that what it says would be wrong.
pub const DIFFERENT_TEXTS: &str =
    "mediactl and the editor have different texts: close the file and open it again";

/// The name by which a configuration is known.
const CONFIGURATION: &str = "media.conf";

/// The number of folders, upwards, in which a configuration is looked for.
const MOST_FOLDERS: usize = 8;

/// The open texts.
#[derive(Default)]
pub struct Workspace {
    /// By URI.
    pub texts: BTreeMap<String, OpenText>,
    pub encoding: PositionEncoding,
    /// The texts that were read from the disk, by the configuration that includes them.
    included: RefCell<HashMap<PathBuf, IncludedTexts>>,
    /// Configurations that are not open; `None` for one that is not there.
    closed: RefCell<HashMap<PathBuf, Option<Arc<Snapshot>>>>,
    /// For each included file the configuration in which it was seen last.
    owners: RefCell<HashMap<PathBuf, PathBuf>>,
    /// What was made of the texts as they are now.
    configurations: RefCell<Option<Rc<Vec<Configuration>>>>,
}

/// A configuration with what it includes.
pub struct Configuration {
    /// The configuration itself, then each included file.
    pub files: Vec<ConfigurationFile>,
    /// `None` if it includes nothing, or its syntax is broken.
    pub composed: Option<Composed>,
    /// True if it is a part of one that can't be put together now: only its syntax can be judged.
    pub is_part: bool,
    path: Option<PathBuf>,
}

/// A file of a configuration.
pub struct ConfigurationFile {
    pub uri: String,
    /// Of an open text, if its editor numbers versions.
    pub version: Option<i64>,
    pub is_open: bool,
    /// True if its editor has another text.
    pub is_lost: bool,
    pub text: Arc<Snapshot>,
    pub lines: Arc<LineStarts>,
}

/// A place in a file of a configuration.
#[derive(Clone)]
pub struct Spot {
    pub configurations: Rc<Vec<Configuration>>,
    configuration: usize,
    pub file: usize,
    pub offset: usize,
}

impl Spot {
    pub fn configuration(&self) -> &Configuration {
        &self.configurations[self.configuration]
    }

    pub fn file(&self) -> &ConfigurationFile {
        &self.configuration().files[self.file]
    }

    /// The text in which the place is looked at, and where it is there: the whole configuration where that has it.
    pub fn in_whole(&self) -> (&Arc<Snapshot>, usize) {
        let composed = self.configuration().composed.as_ref();
        let found = composed.and_then(|all| Some((&all.text, all.position(self.file, self.offset)?)));
        found.unwrap_or((&self.file().text, self.offset))
    }
}

impl Configuration {
    /// The text of all of it: what is included stands in it, if the syntax is right.
    pub fn whole(&self) -> &Arc<Snapshot> {
        self.composed.as_ref().map_or(&self.files[0].text, |composed| &composed.text)
    }

    /// The file of a place in the whole, and the place in it.
    pub fn origin(&self, position: usize) -> (usize, usize) {
        self.composed.as_ref().map_or((0, position), |composed| composed.origin(position))
    }

    /// True if the syntax of all files is right, and all could be read.
    pub fn is_parsed(&self) -> bool {
        match &self.composed {
            Some(composed) => composed.is_parsed(),
            None => self.files[0].text.document().diagnostics().errors() == 0,
        }
    }
}

impl Workspace {
    pub fn open(&mut self, uri: String, text: String, version: Option<i64>) {
        let path = path_of(&uri);
        self.texts.insert(uri, OpenText::new(text, path, version));
        self.read_again();
    }

    /// The text that a client names.
    ///
    /// # Errors
    /// It is not open, or its editor has another one.
    pub fn text(&self, uri: &str) -> Result<&OpenText, RequestFault> {
        match self.texts.get(uri) {
            None => Err(RequestFault::new(INVALID_PARAMS, "the text is not open")),
            Some(text) if text.is_lost => Err(RequestFault::failed(DIFFERENT_TEXTS)),
            Some(text) => Ok(text),
        }
    }

    /// Forgets what was made of the texts, because one has changed.
    pub fn changed(&self) {
        self.configurations.take();
    }

    /// Forgets what was read from the disk, too.
    pub fn read_again(&self) {
        self.included.take();
        self.closed.take();
        self.changed();
    }

    /// Finds a place of an open text.
    ///
    /// # Errors
    /// The text is not open, or has no such line.
    pub fn spot(&self, uri: &str, place: TextPosition) -> Result<Spot, RequestFault> {
        let text = self.text(uri)?;
        let offset = text.lines.offset(text.text(), place, self.encoding);
        let offset = offset.ok_or_else(|| RequestFault::new(INVALID_PARAMS, "the text has no such line"))?;
        let configurations = self.configurations();
        let found = configurations.iter().enumerate().find_map(|(number, configuration)| {
            Some((number, configuration.files.iter().position(|file| file.uri == uri)?))
        });
        let (configuration, file) =
            found.ok_or_else(|| RequestFault::failed("the text is in no configuration"))?;
        Ok(Spot { configurations, configuration, file, offset })
    }

    /// The configurations of all open texts.
    pub fn configurations(&self) -> Rc<Vec<Configuration>> {
        self.configurations.borrow_mut().get_or_insert_with(|| Rc::new(self.compose())).clone()
    }

    fn compose(&self) -> Vec<Configuration> {
        let open = self
            .texts
            .iter()
            .map(|(uri, text)| self.composed(uri.clone(), text.path.clone(), text.snapshot.clone()));
        let mut found: Vec<Configuration> = open.collect();
        let included: HashSet<String> = found.iter().flat_map(included_in).collect();
        let alone: Vec<PathBuf> = self
            .texts
            .iter()
            .filter(|(uri, _)| !included.contains(*uri))
            .filter_map(|(_, text)| text.path.clone())
            .collect();
        found.extend(self.closed_above(&alone).into_iter().filter_map(|(path, text)| {
            let above = self.composed(uri_of(&path)?, Some(path), text);
            above.files.iter().skip(1).any(|file| file.is_open).then_some(above)
        }));
        self.without_parts(found)
    }

    /// Leaves out what is a part of another configuration.
    fn without_parts(&self, mut found: Vec<Configuration>) -> Vec<Configuration> {
        let mut owners = self.owners.borrow_mut();
        let broken: HashSet<PathBuf> =
            found.iter().filter(|one| !one.is_parsed()).filter_map(|one| one.path.clone()).collect();
        owners.retain(|_, owner| broken.contains(owner));
        let mut at = 0;
        while at < found.len() {
            let uri = &found[at].files[0].uri;
            let holds = |other: &Configuration| included_in(other).any(|included| included == *uri);
            match found.iter().enumerate().any(|(number, other)| number != at && holds(other)) {
                true => drop(found.remove(at)),
                false => at += 1,
            }
        }
        for configuration in &mut found {
            if let Some(composed) = &configuration.composed
                && let Some(owner) = &configuration.path
            {
                let included = composed.files.iter().skip(1);
                owners.extend(included.map(|file| (file.target.clone(), owner.clone())));
            }
        }
        for configuration in &mut found {
            configuration.is_part = configuration.path.as_ref().is_some_and(|path| owners.contains_key(path));
        }
        found
    }

    /// The configurations that are not open, and may include one of these files.
    fn closed_above(&self, files: &[PathBuf]) -> BTreeMap<PathBuf, Arc<Snapshot>> {
        let mut found = BTreeMap::new();
        for path in files {
            for folder in path.ancestors().skip(1).take(MOST_FOLDERS) {
                let candidate = folder.join(CONFIGURATION);
                let is_open = self.texts.values().any(|text| text.path.as_ref() == Some(&candidate));
                if !is_open && let Some(text) = self.closed(&candidate) {
                    found.insert(candidate, text);
                }
            }
        }
        found
    }

    fn closed(&self, path: &Path) -> Option<Arc<Snapshot>> {
        let read = || {
            let loaded = ConfFile::resolve(path).and_then(|file| file.load()).ok()?;
            Some(Arc::new(Snapshot::from_bytes(loaded.bytes)))
        };
        self.closed.borrow_mut().entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// Puts a configuration together.
    fn composed(&self, uri: String, path: Option<PathBuf>, text: Arc<Snapshot>) -> Configuration {
        let main = self.file(uri, text.clone());
        let composed = path
            .as_ref()
            .filter(|_| !text.includes().is_empty())
            .and_then(|path| self.with_included(path, &text));
        let included = composed.iter().flat_map(|composed| composed.files.iter().skip(1)).map(|file| {
            let open = self.texts.iter().find(|(_, text)| text.path.as_ref() == Some(&file.target));
            let uri = open.map(|(uri, _)| uri.clone()).or_else(|| uri_of(&file.target)).unwrap_or_default();
            self.file(uri, file.text.clone())
        });
        let files = std::iter::once(main).chain(included).collect();
        Configuration { files, composed, is_part: false, path }
    }

    fn file(&self, uri: String, text: Arc<Snapshot>) -> ConfigurationFile {
        let known = self.texts.get(&uri);
        let open = known.filter(|open| open.snapshot.is_same_text(&text));
        let lines = open.map(|open| open.lines.clone());
        ConfigurationFile {
            version: open.and_then(|open| open.version),
            is_open: open.is_some(),
            is_lost: known.is_some_and(|known| known.is_lost),
            lines: lines.unwrap_or_else(|| Arc::new(LineStarts::of(text.document().text()))),
            uri,
            text,
        }
    }

    fn with_included(&self, path: &Path, text: &Arc<Snapshot>) -> Option<Composed> {
        let draft = self.texts.values().find(|open| open.path.as_deref() == Some(path));
        let place = draft.and_then(|draft| draft.draft_of.as_deref()).unwrap_or(path);
        let store = ConfFile::resolve(place).ok()?;
        let read = |pattern: &str, follow: Follow| {
            let known = self.included.borrow().get(path).and_then(|known| known.get(pattern).cloned());
            let mut texts = match known {
                Some(known) => known,
                None => {
                    let read = store.included(pattern, follow)?;
                    let mut included = self.included.borrow_mut();
                    included.entry(path.to_owned()).or_default().insert(pattern.to_owned(), read.clone());
                    read
                }
            };
            for text in &mut texts {
                let open = self.texts.values().find(|open| open.path.as_ref() == Some(&text.target));
                if let Some(open) = open.filter(|open| !open.is_lost) {
                    text.bytes = open.snapshot.shared_bytes().clone();
                }
            }
            Ok(texts)
        };
        Composed::with(CONFIGURATION, text, place, Follow::ALL, &read)
    }
}

/// The names of the files that a configuration includes.
fn included_in(configuration: &Configuration) -> impl Iterator<Item = String> {
    configuration.files.iter().skip(1).map(|file| file.uri.clone())
}

/// The file that a URI names, at the end of all links.
fn path_of(uri: &str) -> Option<PathBuf> {
    let path = Url::parse(uri).ok()?.to_file_path().ok()?;
    Some(ConfFile::resolve(&path).map_or(path, |file| file.target().to_owned()))
}

fn uri_of(path: &Path) -> Option<String> {
    Url::from_file_path(path).ok().map(String::from)
}
