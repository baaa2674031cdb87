//! Where the fixtures are, and what one looks like.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// `tests/fixtures` of this repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The folder shared beside the repository; none on a machine that has only the repository.
pub fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.join("shared");
    beside.is_dir().then_some(beside)
}

/// The case folders of one kind (`edit`, `refuse`, `view`), the repository's and the shared ones.
pub fn cases(kind: &str) -> Vec<Case> {
    let mut cases = folders(&root().join(kind));
    if let Some(shared) = shared() {
        cases.extend(folders(&shared.join("cases").join(kind)));
    }
    cases
}

fn folders(parent: &Path) -> Vec<Case> {
    sorted(parent).into_iter().filter(|path| path.is_dir()).map(|folder| Case { folder }).collect()
}

/// The files with this extension in a folder, in order.
pub fn files(parent: &Path, extension: &str) -> Vec<PathBuf> {
    sorted(parent)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}

fn sorted(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(parent) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    paths
}

/// One folder of `edit`, `refuse` or `view`.
pub struct Case {
    folder: PathBuf,
}

impl Case {
    pub fn name(&self) -> String {
        self.folder.file_name().expect("a case has a name").to_string_lossy().into_owned()
    }

    pub fn text(&self, file: &str) -> String {
        let path = self.folder.join(file);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub fn bytes(&self, file: &str) -> Vec<u8> {
        fs::read(self.folder.join(file)).expect("a case has its files")
    }

    /// A file that may not be UTF-8: what is not is then an error, as it is in the program.
    pub fn lossy(&self, file: &str) -> String {
        match String::from_utf8(self.bytes(file)) {
            Ok(text) => text,
            Err(_) => "\0".to_owned(),
        }
    }

    pub fn json(&self, file: &str) -> Value {
        serde_json::from_str(&self.text(file))
            .unwrap_or_else(|error| panic!("{}/{file}: {error}", self.name()))
    }
}

/// The valid files of the corpus, with their names; none where the folder is not there.
pub fn valid_corpus() -> Vec<(String, Vec<u8>)> {
    corpus("valid")
}

/// The files of the corpus of which its manifest expects `verdict`.
pub fn corpus(verdict: &str) -> Vec<(String, Vec<u8>)> {
    let Some(folder) = shared().map(|shared| shared.join("corpus")) else { return Vec::new() };
    let manifest = fs::read_to_string(folder.join("MANIFEST.tsv")).expect("the corpus has a manifest");
    let mut found = Vec::new();
    for line in manifest.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(file), Some(expect)) = (columns.next(), columns.next()) else { continue };
        if expect == verdict {
            found.push((file.to_owned(), fs::read(folder.join(file)).expect("the manifest names files")));
        }
    }
    found
}

/// Runs `test` on every item and reports all failures at once.
pub fn all<T>(
    items: impl IntoIterator<Item = T>,
    name: impl Fn(&T) -> String,
    test: impl Fn(&T) -> Result<(), String>,
) {
    let mut failures = Vec::new();
    let mut count = 0;
    for item in items {
        count += 1;
        if let Err(failure) = test(&item) {
            failures.push(format!("--- {}\n{failure}", name(&item)));
        }
    }
    assert!(failures.is_empty(), "{} of {count} failed\n{}", failures.len(), failures.join("\n"));
}
