//! What the README and the pages in `docs/` refer to is there: links, tests, files and functions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The README is to be understood in two minutes.
const README_LINES: usize = 160;

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages at the top of the repository and in `docs/`.
pub fn pages() -> Vec<PathBuf> {
    let files = [checkout().to_owned(), checkout().join("docs")].into_iter().flat_map(files_of);
    files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

fn files_of(folder: PathBuf) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    entries.map(|entry| entry.expect("a folder can be read").path())
}

/// The files of Rust in a folder and below it.
pub fn sources_below(folder: &Path) -> Vec<PathBuf> {
    let inner = |path: PathBuf| if path.is_dir() { sources_below(&path) } else { vec![path] };
    let files = files_of(folder.to_owned()).flat_map(inner);
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines outside fenced blocks.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_inside ^= is_fence;
        !is_inside && !is_fence
    })
}

#[test]
fn the_readme_is_short() {
    let lines = read(&checkout().join("README.md")).lines().count();
    assert!(lines <= README_LINES, "{lines} lines");
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut dead = Vec::new();
    for page in pages() {
        let text = read(&page);
        for link in prose(&text).flat_map(links).filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let is_alive = target.exists()
                && (heading.is_empty() || prose(&read(&target)).any(|line| anchor(line) == heading));
            if !is_alive {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

/// The targets of the links in a line: `[text](target)`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// How a link names the heading in this line.
fn anchor(line: &str) -> String {
    let heading = line.trim_start_matches('#');
    if heading.len() == line.len() {
        return String::new();
    }
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.trim().to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn the_tests_that_hold_a_promise_exist() {
    let tests = names_of_tests();
    let page = read(&checkout().join("docs/safety.md"));
    let mut missing = Vec::new();
    for name in prose(&page).filter(|line| line.starts_with("| ")).flat_map(code).filter(|code| is_path(code))
    {
        let is_group = name.ends_with("::");
        if !tests.iter().any(|test| test == name || is_group && test.starts_with(name)) {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "no such tests: {missing:#?}");
}

/// The pieces of a line between backticks.
fn code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn is_path(code: &str) -> bool {
    code.contains("::") && code.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'))
}

#[test]
fn the_walks_in_the_architecture_page_are_those_of_the_code() {
    let page = read(&checkout().join("docs/architecture.md"));
    for (file, rest) in page.lines().filter_map(|line| line.trim_start().split_once(".rs: ")) {
        let function = format!("fn {}", rest.split(' ').next().unwrap_or_default());
        let library = file.strip_prefix("mediaconf/").map(|file| format!("crates/mediaconf/src/{file}.rs"));
        let path = library.unwrap_or_else(|| format!("src/{file}.rs"));
        let is_there =
            || read(&checkout().join(path)).split(&function).skip(1).any(|rest| rest.starts_with(['(', '<']));
        assert!(file.contains(' ') || is_there(), "{file}: `{function}`");
    }
}

/// The tests of the program and of the library, as `cargo test` prints them.
fn names_of_tests() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for root in ["tests/suite", "crates/mediaconf/tests/library"].map(|root| checkout().join(root)) {
        for path in sources_below(&root) {
            let (module, text) = (module_of(&path, &root), read(&path));
            // Further attributes may stand between `#[test]` and the function.
            let tests = text.split("#[test]").skip(1).filter_map(|test| test.split_once("fn "));
            let functions = tests.filter_map(|(_, rest)| rest.split_once('('));
            names.extend(functions.map(|(function, _)| format!("{module}::{function}")));
        }
    }
    names
}

/// `http::handler` for `tests/suite/http/handler.rs`.
fn module_of(path: &Path, root: &Path) -> String {
    let path = path.strip_prefix(root).expect("it is in that folder");
    let path = path.with_extension("");
    let path = if path.ends_with("mod") { path.parent().expect("it is in a folder") } else { &path };
    path.display().to_string().replace('/', "::")
}
