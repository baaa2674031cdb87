//! `mediactl edit`, with small scripts in the place of a person

use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;

use super::serve::Serving;
use super::{CONF, Call, PROGRAM, Place, Run, SAMPLE, mode, set_mode};
use crate::waiting::eventually;

/// The folder of the user, where drafts are.
const STATE: &str = "home/.local/state/mediactl";

/// `edit` of these arguments, where the editor is a shell script that finds the draft in `$1`.
fn edit(place: &Place, editor: &str, arguments: &[&str]) -> Call {
    place.put("editor.sh", editor);
    let call = place.mediactl(["edit"].iter().chain(arguments));
    call.env("EDITOR", "sh editor.sh").at_home(place, "home")
}

/// The drafts, which nobody else can read, and what they were made of.
fn draft_files(place: &Place) -> Vec<PathBuf> {
    let entries = fs::read_dir(place.path(STATE)).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("a folder can be listed").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.display().to_string().contains("/draft-")).collect();
    paths.iter().for_each(|path| assert_eq!(mode(path), 0o600, "{path:?}"));
    paths.retain(|path| path.extension().is_some_and(|end| end == "conf"));
    paths
}

/// The texts of the drafts.
fn drafts(place: &Place) -> Vec<String> {
    draft_files(place).iter().map(|path| fs::read_to_string(path).expect("it is text")).collect()
}

/// Goes on with the only edit that failed.
fn resumed(place: &Place, editor: &str, arguments: &[&str]) -> Call {
    let draft = draft_files(place)[0].display().to_string();
    edit(place, editor, &[&["--from", &draft][..], arguments].concat())
}

const SIX: &str = "sed -i 's/prepush 5/prepush 6/' \"$1\"";

#[test]
fn a_text_is_edited_and_the_draft_goes() {
    let place = Place::with(SAMPLE);
    edit(&place, SIX, &["--yes"]).run().exits(0).prints("+  prepush 6; # seconds").says("edited media.conf");
    assert_eq!(place.text(), SAMPLE.replace("prepush 5", "prepush 6"));
    let written = place.written();
    edit(&place, ":", &["--exit-code"]).run().exits(0).says("nothing to change in media.conf");
    assert_eq!((place.written(), drafts(&place).len()), (written, 0));
    let seven = "sed -i 's/prepush 6/prepush 7/' \"$1\"";
    let changed = edit(&place, seven, &["--yes", "-o", "change-json", "--exit-code"]).run().exits(10).json();
    assert_eq!((&changed["operation"], &changed["paths"][0]["after"]), (&"edit".into(), &7.into()));
    assert_eq!(place.kept().len(), 2);
}

#[test]
fn visual_is_asked_before_editor_and_both_are_commands_of_the_shell() {
    let place = Place::with(SAMPLE);
    let call = edit(&place, SIX, &["--yes"])
        .env("VISUAL", "F=\"$PWD/seen\"; p() { echo \"$@\" > \"$F\"; sh editor.sh \"$@\"; }; p");
    call.run().exits(0).says("edited");
    let seen = fs::read_to_string(place.path("seen")).expect("it was called");
    assert!(seen.trim_end().ends_with(".conf") && !seen.contains('+'), "{seen}");
}

#[test]
fn one_entry_is_edited_alone() {
    let place = Place::with(SAMPLE);
    let editor = format!(
        "cp \"$1\" seen; {SIX}; sed -i 's/cam1/cam one/; s/stream cam one/stream \"cam one\"/' \"$1\""
    );
    edit(&place, &editor, &["streams.cam1", "--yes"]).run().exits(0);
    let seen = fs::read_to_string(place.path("seen")).expect("it was called");
    assert_eq!(seen, "stream cam1 {\n  url udp://239.0.0.1:1234 priority=1;\n  prepush 5; # seconds\n}\n");
    assert_eq!(place.text(), SAMPLE.replace("prepush 5", "prepush 6").replace("cam1", "\"cam one\""));
    let place = Place::with("http 80; rtmp 1935;");
    let add_a_line_end = "printf '%s\\n' \"$(sed s/1935/1936/ \"$1\")\" > \"$1\"";
    edit(&place, add_a_line_end, &["rtmp", "--yes"]).run().exits(0);
    assert_eq!(place.text(), "http 80; rtmp 1936;");
    let empty = edit(&place, ": > \"$1\"", &["rtmp", "--yes"]).run().exits(3);
    empty.says("the new text of `rtmp` is empty").says("`mediactl rm rtmp` removes it");
    assert_eq!(place.text(), "http 80; rtmp 1936;");
    edit(&place, ":", &["streams.cam1"]).run().exits(7).says("there is no stream `cam1`");
    edit(&place, ":", &["streams..x"]).run().exits(3);
    edit(&place, ":", &["rtmp", "--from", "x"]).run().exits(2);
    Place::empty().line("edit").exits(7);
}

#[test]
fn without_a_terminal_a_fault_ends_the_edit_and_from_goes_on() {
    let place = Place::with(SAMPLE);
    let calls = "echo called >> calls; ";
    let break_it = format!("{calls}sed -i 's/hunter2;/hunter2/; s/^live studio/live studio {{ live/' \"$1\"");
    let run = edit(&place, &break_it, &["--yes"]).run().exits(3);
    run.says("error: ").says(" edit --from ").hides("hunter2");
    assert_eq!(fs::read_to_string(place.path("calls")).expect("it was called"), "called\n");
    assert_eq!(place.text(), SAMPLE);
    let [draft] = &drafts(&place)[..] else { panic!("there is one draft") };
    assert!(draft.contains("hunter2"), "a draft is not masked");
    let mend = "sed -i 's/hunter2$/hunter3;/; s/live studio { live/live studio/' \"$1\"";
    resumed(&place, mend, &["--yes"]).run().exits(0);
    assert_eq!(place.text(), SAMPLE.replace("hunter2", "hunter3"));
    assert_eq!(drafts(&place).len(), 0);
}

#[test]
fn without_a_terminal_only_yes_makes_the_change() {
    let place = Place::with(SAMPLE);
    edit(&place, SIX, &[]).run().exits(6).says("--yes").says("edit --from");
    let dry = edit(&place, SIX, &["--dry-run"]).run().exits(0).prints("+  prepush 6");
    dry.says("would edit").says("edit --from");
    assert_eq!((place.text(), drafts(&place).len()), (SAMPLE.to_owned(), 2));
    resumed(&place, ":", &["--yes"]).run().exits(0);
    assert!(place.text().contains("prepush 6"));
}

#[test]
fn guards_and_check_commands_hold_and_keep_the_draft() {
    let place = Place::with(SAMPLE);
    edit(&place, "echo 'rtmp 1;' > \"$1\"", &["--yes"]).run().exits(6).says("edit_auth").says("edit --from");
    let accepted =
        ["--yes", "--accept", "would-remove-credentials,empty-replacement", "--check-cmd", "false"];
    resumed(&place, ":", &accepted).run().exits(3).says("check command failed").says("edit --from");
    assert_eq!(place.text(), SAMPLE);
    resumed(&place, ":", &["--force"]).run().exits(0);
    assert_eq!(place.text(), "rtmp 1;\n");
}

#[test]
fn a_change_by_others_is_merged() {
    let place = Place::with(SAMPLE);
    let other = format!("sed -i 's/rtsp 554/rtsp 555/' {CONF}; {SIX}");
    edit(&place, &other, &["--yes"]).run().exits(0).says("was changed meanwhile; both changes are merged");
    let merged = SAMPLE.replace("rtsp 554", "rtsp 555").replace("prepush 5", "prepush 6");
    assert_eq!(place.text(), merged);
    let other = format!("sed -i 's/rtsp 555/rtsp 556/' {CONF}; sed -i 's/prepush 6/prepush 7/' \"$1\"");
    edit(&place, &other, &["streams.cam1", "--yes"]).run().exits(0);
    assert_eq!(place.text(), merged.replace("rtsp 555", "rtsp 556").replace("prepush 6", "prepush 7"));
    let same = format!("sed -i 's/prepush 7/prepush 8/' {CONF} \"$1\"");
    edit(&place, &same, &["--yes"]).run().exits(0).says("nothing to change");
    assert_eq!(drafts(&place).len(), 0);
}

#[test]
fn a_clash_is_shown_like_that_of_git_and_is_not_saved_unsolved() {
    let place = Place::with(SAMPLE);
    let other = format!("sed -i 's/prepush 5/prepush 9/' {CONF}; {SIX}");
    let clashing = edit(&place, &other, &["streams.cam1", "--yes"]).run().exits(5);
    clashing.says("changed meanwhile").says("edit --from");
    let theirs = SAMPLE.replace("prepush 5", "prepush 9");
    assert_eq!(place.text(), theirs);
    let clash = "<<<<<<< ours\n  prepush 6; # seconds\n=======\n  prepush 9; # seconds\n>>>>>>> theirs\n";
    let [draft] = &drafts(&place)[..] else { panic!("there is one draft") };
    assert_eq!(*draft, SAMPLE.replace("  prepush 5; # seconds\n", clash));
    let line = draft.lines().position(|line| line == "<<<<<<< ours").map_or(0, |at| at + 1);
    resumed(&place, ":", &["--yes"]).run().exits(3).says(&format!("line {line} is the marker of a clash"));
    assert_eq!(place.text(), theirs);
    let solve = "sed -i '/^<<<</d; /^====/,/^>>>>/d' \"$1\"";
    resumed(&place, solve, &["--yes"]).run().exits(0);
    assert_eq!(place.text(), SAMPLE.replace("prepush 5", "prepush 6"));
}

#[test]
fn a_deletion_is_merged_with_a_move_or_clashes() {
    let [both, c] = ["stream a {\n  url udp://a;\n}\nstream b udp://b;\n", "stream c udp://c;\n"];
    let place = Place::with(format!("{both}{c}"));
    let run = |script: &str, line: &str| {
        place.put(CONF, format!("{both}{c}"));
        let other = format!("sed -i '{script}' \"$1\"; {PROGRAM} --conf {CONF} {line} -q > /dev/null");
        edit(&place, &other, &["--yes"]).run()
    };
    run("/stream c/d", "modify --set streams.c.position=1").exits(0).says("both changes are merged");
    assert_eq!(place.text(), both);
    run("$d; 1i stream c udp://c;", "rm streams.c").exits(5).says("meanwhile, in the same values");
    assert_eq!(drafts(&place), [format!("<<<<<<< ours\n{c}=======\n>>>>>>> theirs\n{both}")]);
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let place = Place::with(SAMPLE);
    for (editor, arguments) in
        [("exit 1", &["--yes"][..]), ("exit 3", &["streams.cam1"]), ("kill -9 $$", &["--yes"])]
    {
        edit(&place, editor, arguments).run().exits(9).says("the editor `");
        assert_eq!((place.text(), drafts(&place).len()), (SAMPLE.to_owned(), 0), "{editor}");
    }
    let missing = edit(&place, "exit 0", &["--yes"]).env("EDITOR", "./there-is-none").run();
    missing.exits(9).says("the editor `").says("$VISUAL or $EDITOR");
    edit(&place, "rm \"$1\"", &["--yes"]).run().exits(7).says("removed the text\nhint: nothing was changed");
    assert_eq!((place.text(), drafts(&place).len()), (SAMPLE.to_owned(), 0));
    edit(&place, SIX, &[]).run().exits(6);
    resumed(&place, "exit 1", &[]).run().exits(9).says("edit --from");
    assert_eq!(drafts(&place).len(), 1, "it is still wanted");
}

/// The command that is printed names the target.
#[test]
fn the_printed_command_goes_on_with_the_edit() {
    let place = Place::with(SAMPLE);
    let failed = edit(&place, SIX, &["streams.cam1"]).run().exits(6);
    let command =
        failed.err.split('`').find(|part| part.starts_with("mediactl --conf ")).expect("it is there");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert!(words[..3] == ["--conf", CONF, "edit"], "{command}");
    let call = |words: &[&str]| {
        let call = place.mediactl(words.iter().chain(&["--yes"])).without("MEDIACTL_CONF");
        call.env("EDITOR", ":").at_home(&place, "home").run()
    };
    place.put("other.conf", SAMPLE);
    call(&[&["--conf", "other.conf", "edit"], &words[3..]].concat()).exits(2).says("is an edit of `");
    place.put(CONF, SAMPLE.replace("rtsp 554", "rtsp 555"));
    call(&words).exits(0).says("both changes are merged");
    assert_eq!(place.text(), SAMPLE.replace("prepush 5", "prepush 6").replace("rtsp 554", "rtsp 555"));
    assert_eq!(drafts(&place).len(), 0);
    call(&words).exits(7);
}

#[test]
fn a_folder_that_others_may_write_is_refused() {
    let place = Place::with(SAMPLE);
    edit(&place, SIX, &[]).run().exits(6);
    set_mode(&place.path(STATE), 0o777);
    edit(&place, SIX, &["--yes"]).run().exits(4).says("other users may write it");
    assert_eq!(place.text(), SAMPLE);
}

#[test]
fn on_a_terminal_the_editor_opens_again_until_the_text_is_right() {
    let place = Place::with(SAMPLE);
    let editor = "n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; cp \"$1\" seen$n\n\
        [ $n = 1 ] && sed -i 's/^rtsp 554/rtsp fast/' \"$1\"\n[ $n = 2 ] && sed -i 's/fast/555/' \"$1\"\n\
        [ $n = 3 ] && sed -i 's/555/556/' \"$1\"; exit 0";
    let mut terminal = edit(&place, editor, &[]).on_terminal();
    terminal.expect("`rtsp` has the wrong form").expect("[e]dit again").enter("e");
    terminal.expect("+rtsp 555;").expect("[y]es").enter("e");
    terminal.expect("+rtsp 556;").expect("[y]es").enter("y");
    terminal.exits(0);
    let seen = |n: u32| fs::read_to_string(place.path(&format!("seen{n}"))).expect("it was called");
    assert_eq!(seen(1), SAMPLE);
    assert_eq!(seen(2), SAMPLE.replace("rtsp 554", "rtsp fast"));
    assert_eq!(seen(3), SAMPLE.replace("554", "555"));
    assert_eq!(place.text(), SAMPLE.replace("554", "556"));
}

#[test]
fn on_a_terminal_an_answer_decides() {
    let place = Place::with(SAMPLE);
    edit(&place, SIX, &[]).on_terminal().expect("[y]es").enter("").exits(6);
    assert_eq!(drafts(&place).len(), 1);
    resumed(&place, ":", &[]).on_terminal().expect("[y]es").end_input().exits(6);
    assert_eq!(drafts(&place).len(), 1, "the end of the input is a no");
    resumed(&place, ":", &[]).on_terminal().expect("[y]es").enter("d").exits(0);
    assert_eq!(drafts(&place).len(), 0);
    let mut stays_wrong = edit(&place, "sed -i 's/^rtsp 554/rtsp fast/' \"$1\"", &[]).on_terminal();
    assert!(stays_wrong.expect("[e]dit again").enter("").exits(3).contains("edit --from"));
    assert_eq!(place.text(), SAMPLE);
}

#[test]
fn a_draft_survives_what_ends_the_editor_or_the_program() {
    let place = Place::with(SAMPLE);
    edit(&place, &format!("{SIX}; kill -9 $$"), &["--yes"]).run().exits(9).says("edit --from");
    resumed(&place, ":", &[]).on_terminal().expect("[y]es").enter("d").exits(0);
    let wait = format!("{SIX}; echo written; sleep 2");
    let started = || edit(&place, &wait, &[]).on_terminal();
    started().expect("written").signal(Signal::INT).expect("[y]es").enter("d").exits(0);
    assert!(started().expect("written").signal(Signal::TERM).exits(143).contains("edit --from"));
    started().expect("written").signal(Signal::KILL).exits(137);
    assert_eq!((place.text(), drafts(&place).len()), (SAMPLE.to_owned(), 2));
    resumed(&place, ":", &["--yes"]).run().exits(0);
    assert!(place.text().contains("prepush 6"));
}

#[test]
fn what_a_server_runs_is_edited_and_the_draft_is_kept_at_home() {
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    edit(&place, SIX, &["--yes"]).run().exits(0).says("edited media.conf");
    let remote = |editor: &str, arguments: &[&str]| {
        let arguments = [&["--url", &server.url][..], arguments].concat();
        edit(&place, editor, &arguments).without("MEDIACTL_CONF").by_admin().run()
    };
    remote("sed -i 's/prepush 6/prepush 7/' \"$1\"", &["streams.cam1", "--yes"]).exits(0);
    assert_eq!(place.text(), SAMPLE.replace("prepush 5", "prepush 7"));
    let break_it = "sed -i 's/prepush 7;/prepush 8; }/' \"$1\"";
    remote(break_it, &["--yes"]).exits(3).says("edit --from").hides("hunter2");
    assert_eq!(mode(&place.path(STATE)), 0o700);
    assert_eq!(drafts(&place).len(), 1);
    let mend = format!("sed -i 's/rtsp 554/rtsp 555/' {CONF}; sed -i 's/prepush 8; }}/prepush 8;/' \"$1\"");
    remote(&mend, &["--from", &draft_files(&place)[0].display().to_string(), "--yes"])
        .exits(0)
        .says("both changes are merged");
    assert_eq!(place.text(), SAMPLE.replace("prepush 5", "prepush 8").replace("rtsp 554", "rtsp 555"));
    let nine = "sed -i 's/prepush 8/prepush 9/' \"$1\"";
    let confirmed = remote(nine, &["--yes", "--confirm", "60s", "-o", "change-json"]).exits(0);
    assert_eq!(confirmed.json()["pending"]["operation"], "edit");
    place.line("status").exits(1).prints("edit by admin from 127.0.0.1");
    place.line("confirm --rollback").exits(0);
    assert!(place.text().contains("prepush 8"));
    server.stop().exits(0);
}

/// The server runs another text, and may wait for a confirmation of its own.
#[test]
fn a_server_that_starts_while_one_edits_is_not_written_past() {
    let place = Place::with(SAMPLE);
    place.put_fifo("gate");
    let editing = edit(&place, &format!("{SIX}; : > begun; cat gate"), &["--yes"]).start();
    eventually(|| place.path("begun").exists());
    let server = Serving::over(&place);
    place.line("modify --set rtsp=555 --confirm 60 --quiet").exits(0);
    place.open_gate();
    let refused = Run::of(editing.wait_with_output().expect("it ends")).exits(5);
    refused.says("a server over `media.conf` started meanwhile").says("edit --from");
    place.line("confirm").exits(0);
    resumed(&place, ":", &["--yes"]).run().exits(0);
    assert_eq!(place.text(), SAMPLE.replace("prepush 5", "prepush 6").replace("rtsp 554", "rtsp 555"));
    place.line("status").exits(0);
    server.stop().exits(0);
}
