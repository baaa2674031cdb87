//! What a test needs of the machine beside the repository.
//!
//! A test whose need is not met says so and passes. Under `CI` it fails, unless `MEDIACTL_LACKS` names the need:
//! there `.ci/run` puts what it has told of in a line `SKIPPED: …`.

use std::env;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;

/// Names the needs, separated by blanks, that are not met on this machine.
const LACKS: &str = "MEDIACTL_LACKS";

/// True if a program is on the search path.
#[track_caller]
pub fn needs(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_program = |file: std::fs::Metadata| file.is_file() && file.permissions().mode() & 0o111 != 0;
    let is_there = |folder: std::path::PathBuf| folder.join(program).metadata().is_ok_and(is_program);
    given(program, env::split_paths(&path).any(is_there))
}

/// True if the test runs as root.
#[track_caller]
pub fn needs_root() -> bool {
    given("root", rustix::process::geteuid().is_root())
}

/// True if a need that has this name in `.ci/run` is met.
#[track_caller]
pub fn given(need: &str, is_met: bool) -> bool {
    if !is_met {
        let is_ci = env::var_os("CI").is_some_and(|value| !value.is_empty());
        if let Err(fault) = may_be_left_out(need, is_ci, &env::var(LACKS).unwrap_or_default()) {
            panic!("{fault}");
        }
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        // Past the capture of the test harness, because the test passes.
        let _ = writeln!(io::stderr(), "SKIPPED: {test}: `{need}` is not here");
    }
    is_met
}

fn may_be_left_out(need: &str, is_ci: bool, lacking: &str) -> Result<(), String> {
    match !is_ci || lacking.split_whitespace().any(|name| name == need) {
        true => Ok(()),
        false => Err(format!("`{need}` is not here, and `{LACKS}` (`{lacking}`) does not name it")),
    }
}

#[test]
fn under_ci_only_what_is_named_is_left_out() {
    let cases =
        [(false, "", true), (true, "", false), (true, "tmux etcd", true), (true, "tmux etcdctl", false)];
    for (is_ci, lacking, may) in cases {
        assert_eq!(may_be_left_out("etcd", is_ci, lacking).is_ok(), may, "{is_ci} {lacking:?}");
    }
    assert!(needs("sh"));
}
