//! Makes the manual pages, from the tree of commands, from the tables of the program and from the prose in `pages/`,
//! the completions, and the syntax for editors. They are committed, so that a package needs no
//! tool:
//!
//! ```text
//! cargo xtask generate    writes them
//! cargo xtask check       fails if one of them is stale
//! ```
#![allow(clippy::disallowed_methods, reason = "files are what this tool makes")]

mod facts;
mod markup;
mod page;
mod pages;
mod schema;
mod syntax;
mod values;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use mediactl::cli::{ShellName, completion_script};

/// The folders that hold generated files, and nothing else.
const FOLDERS: [&str; 4] = [MAN, COMPLETIONS, TEXT_MATE, VIM];

const MAN: &str = "man";
const COMPLETIONS: &str = "completions";
const TEXT_MATE: &str = "examples/editors/vscode/syntaxes";
const VIM: &str = "examples/editors/vim/syntax";

/// The scripts of `mediactl completion`, each with the name of its file.
const SCRIPTS: [(ShellName, &str); 3] =
    [(ShellName::Bash, "mediactl.bash"), (ShellName::Zsh, "_mediactl"), (ShellName::Fish, "mediactl.fish")];

/// A generated file, with its path in the repository.
struct Artifact {
    path: PathBuf,
    text: String,
}

fn main() -> ExitCode {
    let result = match std::env::args().nth(1).as_deref() {
        Some("generate") => generate(),
        Some("check") => check(),
        _ => Err("usage: cargo xtask generate | check".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), String> {
    let artifacts = artifacts();
    for folder in FOLDERS {
        fs::create_dir_all(repository().join(folder)).map_err(|error| failed(Path::new(folder), &error))?;
    }
    for Artifact { path, text } in &artifacts {
        fs::write(repository().join(path), text).map_err(|error| failed(path, &error))?;
    }
    for path in left_over(&artifacts)? {
        fs::remove_file(repository().join(&path)).map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

fn check() -> Result<(), String> {
    let artifacts = artifacts();
    let mut stale = left_over(&artifacts)?;
    for Artifact { path, text } in artifacts {
        if fs::read_to_string(repository().join(&path)).ok() != Some(text) {
            stale.push(path);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = stale.iter().map(|path| format!("`{}`", path.display())).collect();
    Err(format!("stale: {}: run `cargo xtask generate`", names.join(", ")))
}

fn artifacts() -> Vec<Artifact> {
    let page = |(name, text)| Artifact { path: Path::new(MAN).join::<String>(name), text };
    // The shell finds the program as it finds the script: by its name.
    let script = |(shell, name)| Artifact {
        path: Path::new(COMPLETIONS).join::<&str>(name),
        text: completion_script(shell, "mediactl".as_ref()),
    };
    let syntax = [
        Artifact { path: Path::new(TEXT_MATE).join("mediaconf.tmLanguage.json"), text: syntax::text_mate() },
        Artifact { path: Path::new(VIM).join("mediaconf.vim"), text: syntax::vim() },
    ];
    let scripts = SCRIPTS.map(script);
    pages::pages().into_iter().map(page).chain(scripts).chain(syntax).collect()
}

/// The committed files that nothing makes any more.
fn left_over(artifacts: &[Artifact]) -> Result<Vec<PathBuf>, String> {
    let made: BTreeSet<&Path> = artifacts.iter().map(|artifact| artifact.path.as_path()).collect();
    let mut found = Vec::new();
    for folder in FOLDERS.map(Path::new) {
        found.extend(files_in(folder).map_err(|error| failed(folder, &error))?);
    }
    found.retain(|path| !made.contains(path.as_path()));
    Ok(found)
}

fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(repository().join(folder))?.map(|entry| Ok(folder.join(entry?.file_name()))).collect()
}

fn failed(path: &Path, error: &io::Error) -> String {
    format!("`{}`: {error}", path.display())
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the repository")
}

#[test]
fn the_committed_files_are_up_to_date() {
    check().unwrap_or_else(|fault| panic!("{fault}"));
}
