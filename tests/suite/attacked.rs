//! Other users of the machine against the file: what they plant, and what they ask for.
//!
//! Most need a second user, and so root to act as one.

mod links;
mod lists;
mod planted;

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::cli::{CONF, PROGRAM, Place, Run, mode, set_mode};
use crate::needs::needs_root;

/// Users that need not exist: the owner of a configuration, and one who is none of its friends.
const OWNER: u32 = 4242;
const STRANGER: u32 = 6666;

/// A group whose members share a configuration.
const GROUP: u32 = 4343;

const TEXT: &str = "http 80;\nedit_auth admin hunter2;\n";

/// Makes something for a test that has to be root; `None` if it is not.
fn as_root<T>(made: impl FnOnce() -> T) -> Option<T> {
    needs_root().then(made)
}

/// The cases of a test that has to be root; none if it is not.
fn cases_of_root<T, const COUNT: usize>(cases: [T; COUNT]) -> impl Iterator<Item = T> {
    needs_root().then_some(cases).into_iter().flatten()
}

fn give(path: &Path, user: u32, group: u32) {
    chown(path, Some(user), Some(group)).expect("root may give files away");
}

/// A folder that everybody may write, as `/tmp` is, with the configuration of root in it.
fn public_place() -> Place {
    let place = Place::with(TEXT);
    set_mode(&place.path("."), 0o1777);
    set_mode(&place.path(CONF), 0o600);
    place
}

/// A configuration of `OWNER` and its group, in a folder of root, with these modes.
fn shared_place(conf: u32, folder: u32) -> Place {
    let place = Place::with(TEXT);
    give(&place.path(CONF), OWNER, GROUP);
    set_mode(&place.path(CONF), conf);
    set_mode(&place.path("."), folder);
    place
}

/// Runs the program as another user, who has one group.
fn run_as(place: &Place, user: u32, group: u32, line: &str) -> Run {
    let folder = TempDir::new().expect("a folder can be made");
    let mut program = PathBuf::from(PROGRAM);
    // It may be in a folder that other users may not enter.
    if !program.ancestors().all(|path| mode(path) & 0o001 != 0) {
        set_mode(folder.path(), 0o755);
        program = folder.path().join("mediactl");
        fs::copy(PROGRAM, &program).expect("there is space");
    }
    let mut command = Command::new(program);
    command.args(line.split(' ')).current_dir(place.path(".")).env_clear().env("MEDIACTL_CONF", CONF);
    command.uid(user).gid(group);
    Run::of(command.output().expect("the program is one that everybody may run"))
}
