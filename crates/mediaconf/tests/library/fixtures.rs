//! The fixtures: their folders, and their files.

use std::fs;
use std::iter;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// `tests/fixtures` of this repository.
pub fn root() -> PathBuf {
    checkout().join(FIXTURES)
}

const FIXTURES: &str = "tests/fixtures";

/// The folder of the repository: the tests of the library and those of the program share this file.
fn checkout() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join(FIXTURES).is_dir()).expect("the fixtures are part of the repository")
}

/// The folder shared beside the repository; none on a machine that has only the repository.
pub fn shared() -> Option<PathBuf> {
    let beside = checkout().parent()?.join("shared");
    beside.is_dir().then_some(beside)
}

/// The case folders of one kind (`edit`, `refuse`, `view`, `check`), the repository's and the shared ones.
pub fn cases(kind: &str) -> Vec<Case> {
    let shared =
        shared().into_iter().flat_map(|shared| ["cases", NEXT].map(|cases| shared.join(cases).join(kind)));
    let shared = shared.filter(|folder| folder.is_dir());
    iter::once(root().join(kind)).chain(shared).flat_map(|folder| folders(&folder)).collect()
}

/// Runs `test` on every case of one kind.
pub fn all_cases(kind: &str, test: impl Fn(&Case) -> Result<(), String>) {
    all(cases(kind), Case::name, test);
}

/// The folder of the newer shared cases.
const NEXT: &str = "cases-next";

fn folders(parent: &Path) -> Vec<Case> {
    let folders = sorted(parent).into_iter().filter(|path| path.is_dir());
    some(folders.map(|folder| Case { folder }).collect(), &parent.display())
}

/// The files with this extension in a folder, in order.
pub fn files(parent: &Path, extension: &str) -> Vec<PathBuf> {
    let mut paths = sorted(parent);
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    some(paths, &format_args!("{}, *.{extension}", parent.display()))
}

/// The items that were found somewhere: a test that looks at none could not fail.
#[track_caller]
fn some<T>(found: Vec<T>, place: &dyn std::fmt::Display) -> Vec<T> {
    assert!(!found.is_empty(), "nothing is there: {place}");
    found
}

fn sorted(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be read").path()).collect();
    paths.sort();
    paths
}

/// One folder of `edit`, `refuse`, `view` or `check`.
pub struct Case {
    folder: PathBuf,
}

impl Case {
    pub fn name(&self) -> String {
        self.folder.file_name().expect("a case has a name").to_string_lossy().into_owned()
    }

    /// True for the newer shared cases: an edit of theirs needs nobody to accept anything, and a refusal may name a
    /// pointer below the one that is expected.
    pub fn is_next(&self) -> bool {
        self.folder.ancestors().any(|folder| folder.ends_with(NEXT))
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

/// The files of the folder `valid` or `invalid`, and those of the corpus of which its manifest expects that, with
/// their names.
pub fn whole_files(verdict: &str) -> Vec<(String, Vec<u8>)> {
    let own = files(&root().join(verdict), "conf").into_iter();
    let name = |path: &Path| path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    let own = own.map(|path| (name(&path), fs::read(&path).expect("a fixture can be read")));
    own.chain(corpus(verdict)).collect()
}

/// Those of the valid files that are UTF-8.
pub fn valid_texts() -> Vec<(String, String)> {
    let text = |(name, bytes): (String, Vec<u8>)| Some((name, String::from_utf8(bytes).ok()?));
    whole_files("valid").into_iter().filter_map(text).collect()
}

/// The files of the corpus of which its manifest expects `verdict`; empty if there is no such folder.
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
    some(found, &format_args!("{}, {verdict}", folder.display()))
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
    assert!(count > 0, "there is nothing to look at");
    assert!(failures.is_empty(), "{} of {count} failed\n{}", failures.len(), failures.join("\n"));
}

/// The same on texts with their names.
pub fn all_texts(
    texts: impl IntoIterator<Item = (String, String)>,
    test: impl Fn(&str) -> Result<(), String>,
) {
    all(texts, |(name, _)| name.clone(), |(_, text)| test(text));
}

/// The same on the files of a folder.
pub fn all_files(folder: &str, test: impl Fn(&Path) -> Result<(), String>) {
    all(files(&root().join(folder), "conf"), |path| path.display().to_string(), |path| test(path));
}

/// A file of `tests/fixtures/tables`.
pub fn table_file(name: &str) -> String {
    fs::read_to_string(root().join("tables").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs `test` on the case and the result of each row of a table: `CASE => RESULT`, one a line. A line that begins with `//` is
/// a comment, and an indented one goes on with the line above.
pub fn all_rows(table: &str, test: impl Fn(&str, &str) -> Result<(), String>) {
    let mut rows: Vec<String> = Vec::new();
    for line in table_file(table).lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        match rows.last_mut().filter(|_| line.starts_with(' ')) {
            Some(above) => *above += &format!(" {}", line.trim_start()),
            None => rows.push(line.to_owned()),
        }
    }
    all(rows, String::clone, |row| {
        let (case, result) = row.split_once(" => ").expect("it has a result");
        test(case, result)
    });
}

#[test]
#[should_panic = "there is nothing to look at"]
fn a_test_over_nothing_fails() {
    all([0; 0], |_| String::new(), |_| Ok(()));
}

#[test]
#[should_panic = "nothing is there"]
fn a_folder_without_fixtures_fails() {
    files(&root().join("valid"), "nothing");
}
