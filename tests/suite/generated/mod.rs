//! Completions and manual pages are made from the tree of commands and from the schema table. They
//! are committed, and these tests fail when they are stale.

mod commands;
mod conf;
mod conf_facts;
mod page;
mod program;
mod readme;
mod serve;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap_complete::Shell;

/// Set to `1`, this environment variable has the files written instead of compared.
const BLESS: &str = "MEDIACTL_BLESS";

/// A file of the repository, and what is to be in it.
struct Artifact {
    name: String,
    text: String,
}

/// The tree of commands as it is when a command line is read.
fn built_command() -> clap::Command {
    let mut command = mediactl::cli::command();
    command.build();
    command
}

#[test]
fn completions_are_up_to_date() {
    let shells = [Shell::Bash, Shell::Zsh, Shell::Fish];
    let names = ["mediactl.bash", "_mediactl", "mediactl.fish"];
    let artifacts = shells.into_iter().zip(names).map(|(shell, name)| {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut mediactl::cli::command(), "mediactl", &mut text);
        let text = String::from_utf8(text).expect("a completion is text");
        Artifact { name: name.to_owned(), text }
    });
    hold("completions", artifacts.collect());
}

#[test]
fn manual_pages_are_up_to_date() {
    let command = built_command();
    let mut artifacts = vec![
        Artifact { name: "mediactl.1".to_owned(), text: program::page(&command) },
        Artifact { name: "media.conf.5".to_owned(), text: conf::page() },
    ];
    artifacts.extend(command.get_subcommands().map(|subcommand| Artifact {
        name: format!("mediactl-{}.1", subcommand.get_name()),
        text: commands::page(subcommand),
    }));
    hold("man", artifacts);
}

/// Compares a folder with what is to be in it, or writes it.
fn hold(folder: &str, artifacts: Vec<Artifact>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let bless = std::env::var_os(BLESS).is_some_and(|value| value == "1");
    for Artifact { name, text } in &artifacts {
        let path = folder.join(name);
        if bless {
            write(&path, text);
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == *text,
            "`{}` is stale: run `{BLESS}=1 cargo test --test suite generated`",
            path.display()
        );
    }
    let wanted: BTreeSet<PathBuf> = artifacts.iter().map(|artifact| folder.join(&artifact.name)).collect();
    let entries = fs::read_dir(&folder).expect("the folder is there");
    let found = entries.map(|entry| entry.expect("a folder can be read").path()).collect();
    let left_over: Vec<&PathBuf> = BTreeSet::difference(&found, &wanted).collect();
    assert!(left_over.is_empty(), "nothing makes {left_over:?}: remove it");
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("an artifact is in a folder")).expect("a folder can be made");
    fs::write(path, text).expect("an artifact can be written");
}
