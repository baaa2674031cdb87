//! `mediactl read -o table`, and the pager.

use super::{Place, path_with, set_mode};

const TEXT: &str = "\
auth http://backend/check;
plugin iptv { database sqlite:///iptv.db; password swordfish; }
live studio { publish_enabled false; }
stream cam10 { url udp://239.0.0.1:1234; prepush 20; title north; }
stream cam9 { url rtsp://user:swordfish@camera.example/a/very/long/path/to/its/picture/h264; prepush 5; }
stream door { auth false; dvr /srv 7d; }
";

#[test]
fn a_table_is_of_streams_lives_and_plugins() {
    let place = Place::with(TEXT);
    let all = place.line("--mask read -o table").exits(0).hides("swordfish").out;
    let tables: Vec<&str> = all.split("\n\n").collect();
    assert!(tables[0].starts_with("NAME   KIND    AUTH "), "{all}");
    assert_eq!(tables[1], "NAME    PUBLISH  AUTH\nstudio  no       http://backend/check (global)");
    let settings = "NAME  SETTINGS\niptv  database=sqlite:///iptv.db password=<secret:";
    assert!(tables[2].starts_with(settings), "{all}");
    let lives = place.line("read -o table lives").exits(0).out;
    assert_eq!(lives.trim_end(), tables[1]);
    let cams = place.line("read -o table streams.cam*").exits(0).out;
    assert_eq!(cams.lines().count(), 3);
    place.line("read -o table auth").exits(2);
    // It is masked wherever it goes.
    place.line("read -o table").exits(0).hides("swordfish");
    place.line("--show-secrets read -o table").exits(0).prints("swordfish");
}

#[test]
fn columns_and_their_order() {
    let place = Place::with(TEXT);
    for (arguments, expected) in [
        (&["--columns", "name,prepush"][..], "NAME   PREPUSH\ncam10  20\ncam9   5\ndoor   -\n"),
        (&["--columns", "title,name"], "TITLE  NAME\nnorth  cam10\n-      cam9\n-      door\n"),
        (
            &["--columns", "name,dvr.root,urls[*].url", "streams.door"],
            "NAME  DVR.ROOT  URLS[*].URL\ndoor  /srv      -\n",
        ),
        (&["--columns", "name,urls.url", "streams.cam10"], "NAME   URLS.URL\ncam10  udp://239.0.0.1:1234\n"),
        (&["--columns", "name,database", "plugins"], "NAME  DATABASE\niptv  sqlite:///iptv.db\n"),
    ] {
        let run = place.run(["read", "-o", "table"].iter().chain(arguments)).exits(0);
        assert_eq!(run.out, expected, "{arguments:?}");
    }
    let table = |column: &str| place.run(["read", "-o", "table", "--columns", &format!("name,{column}")]);
    for (column, hint) in [
        ("nam", "did you mean `name`? Known are name, "),
        ("urls.ulr", "did you mean `url`?"),
        ("urls[*].ulr", "did you mean `url`?"),
        ("dvr.rot", "the members are `root`, "),
        ("url", "did you mean `urls`?"),
        ("prepush.x", "known are name, "),
        ("tit*x", "known are name, "),
    ] {
        table(column).exits(2).says(&format!("there is no column `{column}`")).says(hint);
    }
    let told = table("nam").err;
    let known = told.lines().last().unwrap_or_default().split([' ', ',']).filter(|name| *name == "title");
    assert_eq!(known.count(), 1, "each is named once");
    place.line("read --columns name").exits(2).says("-o table");
}

#[test]
fn a_pager_gets_what_the_terminal_would_get() {
    let place = Place::with(TEXT);
    let paged = |pager: &str, arguments: &[&str]| {
        let call = place.mediactl(arguments).env("TERM", "xterm").env("PAGER", pager);
        call.on_terminal_of(5, 80).exits(0)
    };
    for arguments in [&["read"][..], &["read", "-o", "conf"], &["explain", "plugins.iptv"], &["history"]] {
        place.line("modify -q --set rtmp=1935 -m swordfish");
        paged("cat > paged; echo $LESS > options", arguments);
        let shown = std::fs::read_to_string(place.path("paged")).expect("the pager ran");
        let is_secret = shown.contains("swordfish") && arguments != ["history"];
        assert!(!shown.is_empty() && !is_secret, "{arguments:?}: {shown}");
        assert_eq!(std::fs::read_to_string(place.path("options")).expect("it ran"), "FRX\n");
    }
    paged("cat > paged", &["read", "-o", "table", "streams", "--columns", "name"]);
    let shown = std::fs::read_to_string(place.path("paged")).expect("the pager ran");
    assert_eq!(shown, "NAME\ncam10\ncam9\ndoor\n");
    // Without a pager, and where there is none, the terminal gets it.
    for pager in ["", "cat", "no-such-pager -x"] {
        assert!(paged(pager, &["read", "auth.url"]).contains("http://backend/check"), "{pager:?}");
    }
    assert!(place.line("read auth.url").exits(0).out.contains("http://backend/check"));
}

#[test]
fn under_sudo_there_is_no_pager() {
    let place = Place::with(TEXT);
    place.put("less", "#!/bin/sh\ntouch ran; cat\n");
    set_mode(&place.path("less"), 0o755);
    let path = path_with(&place.path(""));
    let read = || place.mediactl(["read", "auth.url"]).env("TERM", "xterm").env("PATH", &path);
    for call in [read(), read().env("PAGER", "touch ran"), read().env("MEDIACTL_PAGER", "touch ran")] {
        let seen = call.env("SUDO_USER", "olga").on_terminal_of(24, 80).exits(0);
        assert!(seen.contains("http://backend/check"), "{seen}");
        assert!(!place.path("ran").exists(), "a pager ran");
    }
    read().on_terminal_of(24, 80).exits(0);
    assert!(place.path("ran").exists(), "without sudo there is one");
}

/// Five sources that share all but their host, their credentials, their query or the middle of their path.
const ALIKE: &str = "\
stream cam-at-the-north-gate { url rtsp://viewer:swordfish@camera-1.north.example.net/a/long/path/to/it/main/h264; }
stream cam-at-the-south-gate { url rtsp://viewer:swordfish@camera-2.north.example.net/a/long/path/to/it/main/h264; }
stream cam-at-the-west-gate { url rtsp://camera-2.north.example.net/a/long/path/to/it/main/h264?token=swordfish; }
stream cam-at-the-east-gate { url rtsp://camera-2.north.example.net/a/long/path/to/that/main/h264?profile=2; }
stream cam-of-two { url rtsp://camera-3.north.example.net/a/long/path/h264; url udp://239.255.255.1:1234; }
";

#[test]
fn at_80_columns_names_and_words_are_whole_and_what_has_no_room_is_named() {
    let place = Place::with(ALIKE);
    let read = |width| place.mediactl(["read", "-o", "table"]).on_terminal_of(24, width).exits(0);
    let seen = read(80);
    for (name, host) in [("north", 1), ("south", 2), ("west", 2), ("east", 2)] {
        assert!(seen.contains(&format!("cam-at-the-{name}-gate ")), "{seen}");
        assert!(seen.contains(&format!("camera-{host}.north.example.net…/h264")), "{seen}");
    }
    assert!(seen.contains("/h264 +1"), "{seen}");
    assert!(seen.lines().all(|line| line.chars().count() <= 80) && !seen.contains("swordfish"), "{seen}");
    let narrow = read(40);
    assert!(narrow.contains("cam-at-the-south-gate  stream") && narrow.contains("(no room for "), "{narrow}");
    place.set(&["auth.url=http://backend.north.example.net/a/long/path/check"]).exits(0);
    let seen = read(80);
    assert!(seen.contains(" (global)") && seen.contains("cam-at-the-south-gate  stream"), "{seen}");
    let message = "a message that is much longer than the room that a line of 80 columns has for it";
    place.run(["modify", "-q", "--set", "streams.cam-of-two.prepush=5", "-m", message]).exits(0);
    let seen = place.mediactl(["history"]).on_terminal_of(24, 80).exits(0);
    assert!(!seen.contains('T') && seen.contains("prepush") && seen.contains('…'), "{seen}");
    let time = seen.split("  ").nth(1).expect("there is a time");
    assert_eq!((time.len(), &time[2..3]), (5, ":"), "{seen}");
    let whole = place.line("history").exits(0).prints(message).out;
    assert!(whole.contains('T') && !whole.contains('…'), "{whole}");
}
