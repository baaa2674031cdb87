//! `--check-cmd` and `--reload-cmd`

use std::fs;

use super::{CONF, Call, Place, SAMPLE};
use crate::waiting::eventually;

const SET: [&str; 3] = ["modify", "--set", "rtsp=555"];

fn with_hooks<'a>(place: &Place, hooks: &[&'a str]) -> Call {
    place.mediactl(SET.iter().chain(hooks).copied().collect::<Vec<&'a str>>())
}

#[test]
fn the_check_sees_the_new_text_and_no_credentials() {
    let place = Place::with(SAMPLE);
    let check = "env > seen; stat -c %a \"$MEDIACTL_TEXT\" > mode; cat \"$MEDIACTL_TEXT\" > text; cat media.conf > old";
    let call = with_hooks(&place, &["--check-cmd", check]).env("MEDIACTL_LOGIN", "root");
    call.env("MEDIACTL_PASSWORD", "hunter3").env("USER", "op").run().exits(0);
    let read = |name: &str| fs::read_to_string(place.path(name)).expect(name);
    let seen = read("seen");
    for line in ["MEDIACTL_OPERATION=modify\n", "MEDIACTL_BY=op (uid ", "/media.conf\n", "MEDIACTL_FILE=/"] {
        assert!(seen.contains(line), "{line:?} is not in {seen}");
    }
    assert!(!seen.contains("hunter3") && !seen.contains("MEDIACTL_LOGIN"), "{seen}");
    assert_eq!(read("mode"), "600\n");
    assert_eq!((read("old").as_str(), read("text")), (SAMPLE, place.text()));
    assert!(place.text().contains("rtsp 555;"));
    assert_eq!(place.names(), [CONF, "mode", "old", "seen", "text"]);
}

#[test]
fn a_check_that_fails_refuses() {
    let place = Place::with(SAMPLE);
    let before = place.written();
    let run = with_hooks(&place, &["--check-cmd", "echo no such codec >&2; exit 4"]).run().exits(3);
    run.says("the check command failed with exit code 4: no such codec").says("hint: nothing was written");
    with_hooks(&place, &["--check-cmd", "kill -9 $$"]).run().exits(3).says("signal 9");
    assert_eq!((place.text().as_str(), place.written()), (SAMPLE, before));
    assert_eq!(place.names(), [CONF]);
}

#[test]
fn what_a_hook_prints_and_a_message_says_is_masked_by_value() {
    let place = Place::with(
        "http 80;\nedit_auth admin olds3cret;\ninclude more.inc;\nstream cam1 { url udp://h:1; token cam1; }\n",
    );
    place.put("more.inc", "stream a { password includ3d-s3cret; url udp://1; }\n");
    let prints = "echo was olds3cret, is news3cret or includ3d-s3cret, on cam1 >&2; exit 1";
    let set = ["modify", "--set", "edit_auth.password=news3cret", "-m", "olds3cret to news3cret"];
    let check = place.run(set.iter().chain(&["--check-cmd", prints])).exits(3);
    check.says("was <secret:").says(", on cam1").hides("s3cret");
    place.run(set.iter().chain(&["--reload-cmd", prints])).exits(9).says("was <secret:").hides("s3cret");
    place.run(set).exits(0);
    let shown = place.line("history -o json --show-secrets").exits(0).hides("s3cret").json();
    let message = shown[0]["message"].as_str().expect("it has a message").to_owned();
    assert!(message.starts_with("<secret:") && message.contains("> to <secret:"), "{message}");
}

#[test]
fn hooks_come_from_the_environment_too() {
    let place = Place::with(SAMPLE);
    with_hooks(&place, &[]).env("MEDIACTL_CHECK_CMD", "false").run().exits(3);
    with_hooks(&place, &[]).env("MEDIACTL_RELOAD_CMD", "false").run().exits(9);
    with_hooks(&place, &["--check-cmd", "true"]).env("MEDIACTL_CHECK_CMD", "false").run().exits(0);
}

#[test]
fn a_dry_run_checks_and_does_not_reload() {
    let place = Place::with(SAMPLE);
    let hooks = ["--dry-run", "--check-cmd", "touch checked", "--reload-cmd", "touch reloaded"];
    with_hooks(&place, &hooks).run().exits(0);
    assert_eq!(place.names(), ["checked", CONF]);
    assert_eq!(place.text(), SAMPLE);
    with_hooks(&place, &["--dry-run", "--check-cmd", "false"]).run().exits(3);
    // Nor is anything checked where nothing changes.
    place.line("modify --set rtsp=554 --check-cmd false --reload-cmd false").exits(0);
}

/// A check command that notes that it runs, and goes on when someone writes into the FIFO `gate`; its text has
/// to be there still.
pub(crate) const HELD: &str = "touch runs; cat gate > /dev/null; test -s \"$MEDIACTL_TEXT\"";

#[test]
fn a_dry_run_delays_no_change_of_the_file() {
    // The folder of the state is made by the first change.
    for changes_before in [0, 1] {
        let place = Place::with(SAMPLE);
        (0..changes_before).for_each(|_| drop(place.set(&["rtmp=1"]).exits(0)));
        place.put_fifo("gate");
        let call = with_hooks(&place, &["--dry-run", "--hook-timeout", "300", "--check-cmd", HELD]);
        let dry = call.start();
        eventually(|| place.path("runs").exists());
        place.set(&["rtmp=1935"]).exits(0);
        place.open_gate();
        let dry = dry.wait_with_output().expect("it ends");
        assert_eq!(dry.status.code(), Some(0), "{}", String::from_utf8_lossy(&dry.stderr));
        assert!(place.text().contains("rtmp 1935;") && place.text().contains("rtsp 554;"));
    }
}

#[test]
fn the_text_of_a_killed_change_goes_with_the_next_one() {
    for hook in ["--check-cmd", "--reload-cmd"] {
        let place = Place::with(SAMPLE);
        let candidates = || place.names().iter().filter(|name| name.contains("candidate-")).count();
        with_hooks(&place, &[hook, "kill -9 $PPID"]).start().wait_with_output().expect("it ends");
        assert_eq!(candidates(), 1, "{:?}", place.names());
        place.set(&["rtmp=1935"]).exits(0);
        assert_eq!(candidates(), 0, "{:?}", place.names());
    }
}

/// Here it fails for the old text, too.
#[test]
fn a_reload_that_fails_brings_the_old_text_back() {
    let place = Place::with(SAMPLE);
    let reload = "grep rtsp media.conf >> log; cmp media.conf \"$MEDIACTL_TEXT\" || echo differs >> log; echo lost >&2; exit 1";
    let run = with_hooks(&place, &["--reload-cmd", reload]).run().exits(9);
    assert_eq!(run.out, "");
    let run = run
        .says("the reload command failed with exit code 1: lost; for the old configuration it failed with");
    run.says("hint: the old configuration is back");
    assert_eq!(fs::read_to_string(place.path("log")).expect("the hook ran"), "rtsp 555;\nrtsp 554;\n");
    assert_eq!((&*place.text(), place.names()), (SAMPLE, vec!["log".to_owned(), CONF.to_owned()]));
    let told = place.line("history -o json").exits(0).json();
    assert_eq!(told[0]["message"], "the reload command failed after `modify`");
}

#[test]
fn a_failed_reload_does_not_overwrite_another_writers_text() {
    let place = Place::with(SAMPLE);
    let run = with_hooks(&place, &["--reload-cmd", "echo 'rtmp 9;' > media.conf; exit 1"]).run().exits(9);
    run.says("left as it is");
    assert_eq!(place.text(), "rtmp 9;\n");
}

#[test]
fn an_edit_by_another_program_stays_when_a_reload_fails() {
    let place = Place::with("rtmp 1935;\nhttp 80;\n");
    let reload = "[ -e once ] || { touch once; sed -i 's/http 80/http 81/' \"$MEDIACTL_FILE\"; exit 1; }";
    let run = place.run(["modify", "--set", "rtmp=1936", "--reload-cmd", reload]).exits(9);
    run.says("its edit stays without the change");
    assert_eq!(place.text(), "rtmp 1935;\nhttp 81;\n");
    place.line("history").exits(0).prints("the reload command failed after `modify`").prints("hand-edit");
}

#[test]
fn a_new_file_goes_again() {
    let place = Place::empty();
    let run = place.fed("save --reload-cmd false -", "rtmp 1;\n").exits(9);
    run.says("there was no configuration before the change, so the file was removed");
    assert!(place.names().is_empty(), "{:?}", place.names());
}

#[test]
fn a_slow_hook_is_killed_with_all_its_children() {
    let place = Place::with(SAMPLE);
    let hooks = ["--hook-timeout", "1", "--check-cmd", "sleep 600 & echo $! > child; sleep 600"];
    with_hooks(&place, &hooks).run().exits(3).says("took longer than 1 s and was killed");
    let child = fs::read_to_string(place.path("child")).expect("it was written");
    // One that was killed may be left as a zombie.
    let stat = || fs::read_to_string(format!("/proc/{}/stat", child.trim()));
    eventually(|| stat().map_or(true, |stat| stat.contains(") Z ")));
    assert_eq!(place.names(), ["child", CONF]);
    assert_eq!(place.text(), SAMPLE);
}
