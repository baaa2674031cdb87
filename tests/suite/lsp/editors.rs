//! Editors with the settings of `examples/editors`, without a screen: what is typed and what comes stands in
//! `docs/editors.md`. The scripts are in `tests/fixtures/editors`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::cli::{CONF, Place, own_path};
use crate::fixtures;
use crate::needs::{given, needs};

/// The page that shows the sessions.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/editors.md");

/// Only one test at a time writes the page.
static WRITING: Mutex<()> = Mutex::new(());

fn settings(editor: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/editors").join(editor)
}

fn script(name: &str) -> PathBuf {
    fixtures::root().join("editors").join(name)
}

/// A folder with the text of the sessions, and the same under a name that tells nothing, with a line that does.
fn place(first: &str) -> Place {
    let text = fs::read_to_string(script(CONF)).expect("the fixture is there");
    let place = Place::with(&text);
    place.put("other.txt", format!("{first}\n{text}"));
    place
}

/// Runs an editor, and returns what its script wrote.
fn run(place: &Place, mut editor: Command) -> String {
    editor.current_dir(place.path(".")).env("PATH", own_path()).env("HOME", place.path("home"));
    let output = editor.env("LC_ALL", "C.UTF-8").output().expect("the editor can be started");
    match fs::read_to_string(place.path("found")) {
        Ok(found) => found,
        Err(_) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(_) => panic!("{output:?}"),
    }
}

/// Compares a session with the one in the page; `MEDIACTL_BLESS=1` writes it there.
fn shown(editor: &str, session: &str) {
    let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let page = fs::read_to_string(PAGE).expect("the page can be read");
    let start = format!("<!-- session: {editor} -->\n\n```text\n");
    let (before, behind) = page.split_once(&start).expect("the page has a place for it");
    let (committed, after) = behind.split_once("```\n").expect("a block ends");
    if std::env::var_os("MEDIACTL_BLESS").is_some_and(|value| value == "1") {
        let page = format!("{before}{start}{session}```\n{after}");
        return fs::write(PAGE, page).expect("the page can be written");
    }
    assert_eq!(session, committed, "run `MEDIACTL_BLESS=1 cargo test --test suite lsp::editors`");
}

#[test]
fn vim() {
    if !needs("vim") {
        return;
    }
    let place = place("# vim: ft=mediaconf");
    let mut vim = Command::new("vim");
    let search = format!("set nocompatible modeline rtp^={}", settings("vim").display());
    vim.args(["-n", "-es", "-u", "NONE", "--cmd", &search, "--cmd", "filetype plugin on", "-S"]);
    vim.arg(script("session.vim"));
    shown("vim", &run(&place, vim));
    assert!(place.text().contains("  prepush 5;\n"));
}

fn neovim() -> Command {
    let mut nvim = Command::new("nvim");
    let search = format!("set rtp^={},{} modeline", settings("vim").display(), settings("nvim").display());
    nvim.args(["--headless", "-n", "-u", "NONE", "--cmd", &search, "--cmd", "filetype plugin on"]);
    nvim
}

#[test]
fn neovim_has_the_language_server_also_in_mediactl_edit() {
    if !needs("nvim") {
        return;
    }
    let mut nvim = neovim();
    nvim.arg("-S").arg(script("session.lua"));
    shown("neovim", &run(&place("# vim: ft=mediaconf"), nvim));
    let place = place("");
    let editor = neovim();
    let words = [editor.get_program()].into_iter().chain(editor.get_args());
    let quoted: Vec<String> = words.map(|word| format!("'{}'", word.display())).collect();
    let editor = format!("{} -S '{}'", quoted.join(" "), script("in_edit.lua").display());
    let call = place.mediactl(["edit", "streams.cam1", "--yes"]).env("EDITOR", &editor).at_home(&place, "");
    call.env("FOUND", &place.path("found").display().to_string()).env("PATH", &own_path()).run().exits(0);
    let found = fs::read_to_string(place.path("found")).expect("the script wrote it");
    assert_eq!(found, "mediaconf\nunknown directive `prepsh`\nreplace it by `prepush`\n  prepush 5;\n");
    assert!(place.text().contains("  prepush 5;\n"), "{}", place.text());
}

#[test]
fn emacs() {
    if !needs("emacs") {
        return;
    }
    let packages = "(progn (require 'package) (package-initialize))";
    let mut probe = Command::new("emacs");
    let probe = probe.args(["--batch", "--eval", packages, "--eval", "(require 'eglot)"]).output();
    if !given("eglot", probe.is_ok_and(|output| output.status.success())) {
        return;
    }
    let mut emacs = Command::new("emacs");
    emacs.args(["--batch", "--eval", packages, "-l"]).arg(settings("emacs/mediaconf-mode.el"));
    emacs.arg("-l").arg(script("session.el"));
    shown("emacs", &run(&place("# -*- mode: mediaconf -*-"), emacs));
}

#[test]
fn the_extension_for_vs_code_runs_with_a_client() {
    if !needs("node") {
        return;
    }
    let mut node = Command::new("node");
    node.arg(script("session.js")).arg(settings("vscode")).arg(script(CONF));
    shown("vscode", &run(&Place::empty(), node));
}
