//! What a server of ours offers is made use of: it evaluates each request itself.

use crate::cli::serve::Serving;
use crate::cli::{CONF, Place, Run, SAMPLE};

fn requests(log: &str, method: &str) -> usize {
    log.lines().filter(|line| line.contains(&format!(" {method} "))).count()
}

#[test]
fn diff_shows_what_it_shows_without_a_server() {
    let place = Place::with(format!("{SAMPLE}include more.inc;\nstream я {{ title \"😀\"; prepsh 5; }}\n"));
    place.put("more.inc", "strem x { url udp://1; }\n");
    place.run(["modify", "-q", "--set", "rtmp=7"]).exits(0);
    place.run(["modify", "-q", "--set", "rtmp=8", "--set", "edit_auth.password=0ther"]).exits(0);
    place.run(["modify", "-q", "--set", "edit_auth.password=hunter2"]).exits(0);
    let serving = Serving::over(&place);
    let over = |arguments: &[&str]| serving.remote(&place, arguments);
    for sides in
        [&["change:last", "change:1"][..], &["change:2"], &["saved", "running"], &["running", "change:last"]]
    {
        let own = place.run([&["diff"][..], sides].concat());
        let told = over(&[&["diff"][..], sides].concat()).exits(own.code.unwrap_or(-1));
        let lines = |run: &Run| run.out.lines().skip(2).map(unmasked).collect::<Vec<_>>();
        assert_eq!((lines(&told), told.err), (lines(&own), own.err.clone()), "{sides:?}");
    }
    over(&["--show-secrets", "diff", "change:last"]).exits(1).prints("-edit_auth admin 0ther;");
    let told = over(&["diff", "change:9"]).exits(7).err.replace(&format!(" --url {}", serving.url), "");
    assert_eq!(told.replace(&serving.url, CONF), place.run(["diff", "change:9"]).exits(7).err);
    over(&["diff", "change:0"]).exits(2);
    // A hand edit with errors.
    place.put(CONF, place.text().replace("rtsp 554;", "rtsp 554"));
    over(&["diff"]).exits(1).prints("-rtsp 554;\n+rtsp 554\n");
}

/// A line without its masks, which each process makes anew.
fn unmasked(line: &str) -> String {
    let parts = line.split("<secret:").map(|part| part.split_once('>').map_or(part, |(_, rest)| rest));
    parts.collect()
}

#[test]
fn a_check_by_a_viewer_looks_at_what_is_included_too() {
    let place = Place::with(format!("{SAMPLE}view_auth eve see;\ninclude more.inc;\n"));
    place.put("more.inc", "strem x { url udp://1; }\n");
    let serving = Serving::with(&place, &["--listen", "127.0.0.1:0", "--view-auth"]);
    let run = place.remote(&serving.url, &["check"]).account("eve", "see").run().exits(0);
    run.prints("more.inc:1:1: warning").says("2 files checked: no errors, 1 warning");
}

#[test]
fn the_fixes_of_a_check_are_a_change_of_the_server() {
    let place = Place::with(format!("{SAMPLE}strem a {{ url udp://1; prepsh 5; }}\n"));
    let serving = Serving::over(&place);
    let fixed = serving.remote(&place, &["check", "--fix"]).exits(0);
    fixed.prints("+stream a { url udp://1; prepush 5; }").says("1 file checked: no errors, no warnings");
    assert_eq!(place.text(), format!("{SAMPLE}stream a {{ url udp://1; prepush 5; }}\n"));
    serving.remote(&place, &["check", "--fix"]).exits(0).says("has no fault that");
    serving.remote(&place, &["check", "--fix", "running"]).exits(2);
    // A hand edit that the server can't run as it is.
    let text = place.text();
    place.put(CONF, text.replace("rtsp 554;", "rtsp 554"));
    serving.remote(&place, &["check", "--fix"]).exits(0);
    assert_eq!(place.text(), text);
    // One with an update that is not saved: none of the two is lost.
    place.put("new", text.replace("http 80", "http 81"));
    place.run(["update", "new"]).exits(0);
    let edited = text.replace("rtsp 554;", "rtsp 554");
    place.put(CONF, &edited);
    serving.remote(&place, &["check", "--fix"]).exits(5);
    assert_eq!(place.text(), edited);
}

#[test]
fn a_change_is_one_request() {
    let more = "stream cam5 {\n  url udp://h:5;\n}\n";
    let place = Place::with(SAMPLE);
    place.put("more", more);
    place.put("whole", format!("{SAMPLE}{more}"));
    place.run(["modify", "-q", "--set", "rtmp=7"]).exits(0);
    for (command, gets) in [
        ("modify --set streams.cam1.prepush=9", 0),
        ("modify --set streams.*.title=x --where urls.url~udp --yes", 0),
        ("modify --replace streams.*.urls[*].url s/239/238/ --yes", 0),
        ("modify --set rtsp=1 --expect rtsp=554", 0),
        ("modify --set streams.cam1.urls[+]=udp://h:9 --dry-run", 0),
        ("mv streams.cam1 streams.lobby", 0),
        ("mv streams.cam* --replace s/cam/gate/ --yes", 0),
        ("cp streams.lobby streams.cam1 --set prepush=6", 0),
        ("add stream hall udp://1 --set position=1", 0),
        ("rm streams.cam1", 0),
        ("apply more", 0),
        ("save whole", 0),
        ("update whole", 0),
        ("fmt", 0),
        ("rollback last", 1),
    ] {
        let serving = Serving::over(&place);
        serving.remote(&place, &command.split(' ').collect::<Vec<_>>()).exits(0);
        let log = serving.stop().err;
        assert_eq!((requests(&log, "GET"), requests(&log, "POST")), (gets, 1), "{command}\n{log}");
    }
}
