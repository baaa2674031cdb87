//! A journal that somebody changed: nothing of it is sent to a server, and a message names it.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use mediactl::store::Revision;

use super::Edges;
use crate::cli::SAMPLE;

const FOLDER: &str = ".local/state/mediactl/fleet-1";
const AFTER: &str = "http 8080;\n";

/// A change that was interrupted before its one server had it.
fn interrupted() -> Edges {
    let edges = Edges::new(1);
    let (before, after) = (Revision::from_text(SAMPLE.as_bytes()), Revision::from_text(AFTER.as_bytes()));
    let folder = edges.home.path(FOLDER);
    fs::create_dir_all(&folder).expect("a folder can be made");
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).expect("it is ours");
    let request = format!("{{\"requested\":{{\"save\":{AFTER:?}}},\"owner\":null,\"skip_included\":false}}");
    let hash = Revision::from_text(request.as_bytes());
    let head = format!(
        "{{\"at\":\"2026-01-01T00:00:00Z\",\"operation\":\"save\",\"message\":\"a\\n\\u001b[2Jb\",\
         \"all_or_nothing\":false,\"request\":\"{hash}\",\"servers\":[{{\"name\":\"edge-0\",\"revisions\":[\"{before}\",\"{after}\"]}}]}}\n"
    );
    for (name, text) in [("journal", &head), ("request", &request)] {
        edges.home.put(&format!("{FOLDER}/{name}"), text);
        let path = folder.join(name);
        fs::set_permissions(path, Permissions::from_mode(0o600)).expect("it is ours");
    }
    edges
}

fn replaced(path: &Path, make: impl FnOnce(&Path)) {
    fs::remove_file(path).expect("it is there");
    make(path);
}

/// What is done to a file, and with which exit code it is refused then.
type Tampering = (&'static str, fn(&Path), i32);

const TAMPERINGS: &[Tampering] = &[
    (
        "a link",
        |path| {
            let other = path.with_extension("other");
            fs::rename(path, &other).expect("it is there");
            symlink(other, path).expect("a link can be made");
        },
        9,
    ),
    (
        "a pipe",
        |path| {
            replaced(path, |path| {
                rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0)
                    .expect("it can be");
            })
        },
        9,
    ),
    ("a folder", |path| replaced(path, |path| fs::create_dir(path).expect("it can be made")), 9),
    (
        "open to others",
        |path| {
            fs::set_permissions(path, Permissions::from_mode(0o666)).expect("it is ours");
        },
        4,
    ),
    (
        "huge",
        |path| File::options().write(true).open(path).and_then(|file| file.set_len(1 << 40)).expect("a hole"),
        9,
    ),
    (
        "cut",
        |path| File::options().write(true).open(path).and_then(|file| file.set_len(5)).expect("it is ours"),
        9,
    ),
    ("empty", |path| fs::write(path, "").expect("it is ours"), 9),
    (
        "edited",
        |path| {
            let text = fs::read_to_string(path).expect("it is text");
            fs::write(path, text.replace("8080", "8081").replace("2026-", "9999999-")).expect("it is ours");
        },
        9,
    ),
    (
        "a forged name",
        |path| {
            let text = fs::read_to_string(path).expect("it is text");
            fs::write(path, text.replace("edge-0", "edge\\u001b[2J").replace("http", "rtsp"))
                .expect("it is ours");
        },
        9,
    ),
];

#[test]
fn a_request_that_is_not_the_kept_one_is_never_sent() {
    let edges = interrupted();
    let path = edges.home.path(&format!("{FOLDER}/request"));
    let kept = fs::read(&path).expect("it is there");
    for (what, tamper, code) in TAMPERINGS {
        tamper(&path);
        let run = edges.run(&["fleet", "resume", "--yes"]).exits(*code).says("rm -r ");
        run.says(&format!("cannot use `{}`", path.display()));
        assert_eq!(edges.texts(), [SAMPLE], "{what}");
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        fs::write(&path, &kept)
            .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o600)))
            .expect("ours");
    }
    edges.run(&["fleet", "resume", "--yes"]).exits(0);
    assert_eq!(edges.texts(), [AFTER]);
}

#[test]
fn a_journal_that_was_changed_is_told() {
    let edges = interrupted();
    let path = edges.home.path(&format!("{FOLDER}/journal"));
    let kept = fs::read(&path).expect("it is there");
    edges.run(&["fleet", "status"]).exits(1).says("save at 2026-01-01T00:00:00Z: a \u{fffd}[2Jb");
    for (what, tamper, code) in TAMPERINGS {
        tamper(&path);
        let named = format!("cannot use `{}`", path.display());
        edges.run(&["fleet", "status"]).exits(1).says("warning: ").says(&named).says("rm -r ");
        edges.run(&["fleet", "resume", "--yes"]).exits(*code).says(&named);
        edges.run(&["fleet", "forget", "1"]).exits(*code).says(&named);
        assert_eq!(edges.texts(), [SAMPLE], "{what}");
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        fs::write(&path, &kept)
            .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(0o600)))
            .expect("ours");
    }
    let folder = edges.home.path(FOLDER);
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("it is ours");
    edges.run(&["fleet", "status"]).exits(1).says("it is not a folder that you alone may write");
}

#[test]
fn a_request_without_a_journal_is_told_and_can_be_forgotten() {
    let edges = interrupted();
    fs::remove_file(edges.home.path(&format!("{FOLDER}/journal"))).expect("it is there");
    let told = "has the request of a change and no journal, so it is not known what was sent";
    edges.run(&["fleet", "status"]).exits(1).says(told).says("`mediactl fleet forget 1`");
    edges.run(&["fleet", "resume", "--yes"]).exits(9).says(told);
    edges.run(&["fleet", "forget", "2"]).exits(7);
    edges.run(&["fleet", "forget"]).exits(0).says("forgot the change 1");
    assert!(!edges.home.path(FOLDER).exists());
    edges.run(&["fleet", "status"]).exits(0);
}
