//! What a server takes of the machine stays bounded: its log, its threads and open files, the folder
//! for temporary files; and a limit of the machine is an error, not its end.

use super::serve::{Serving, sent};
use super::{PROGRAM, Place, SAMPLE};

#[test]
fn lines_of_the_log_are_cut() {
    let place = Place::with(SAMPLE);
    let server = Serving::over(&place);
    let address = server.url.trim_start_matches("http://").split('/').next().expect("it has a host");
    let path = "x".repeat(20_000);
    sent(address, &format!("GET /{path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    place.set(&["rtsp=555"]).exits(0);
    let log = server.stop().exits(0).err;
    let long: Vec<&str> = log.lines().filter(|line| line.contains("xxxx")).collect();
    assert!(long.len() == 1 && long[0].chars().count() < 500 && long[0].contains("x…"), "{long:#?}");
    assert!(log.lines().any(|line| line.contains("POST") && line.contains('→')), "{log}");
}

#[test]
fn the_last_output_of_a_hook_is_shown_although_its_child_holds_stderr() {
    let place = Place::with(SAMPLE);
    let check = "sleep 5 & echo no such codec >&2; exit 4";
    let run = place.run(["modify", "--set", "rtsp=555", "--check-cmd", check]).exits(3);
    run.says("failed with exit code 4: no such codec");
    let flood = "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 4";
    let run = place.run(["modify", "--set", "rtsp=555", "--check-cmd", flood]).exits(3);
    assert!(run.err.len() < 20_000, "{}", run.err.len());
    assert_eq!(place.text(), SAMPLE);
}

/// A configuration that is larger than the limit that it is written under.
fn large() -> String {
    format!("{SAMPLE}{}", "# a line of a comment\n".repeat(4000))
}

fn limited(place: &Place, arguments: &str) -> super::Call {
    place.call("sh", ["-c", &format!("ulimit -f 16; exec \"$0\" {arguments}"), PROGRAM])
}

#[test]
fn the_limit_of_file_sizes_ends_no_command_and_no_server() {
    let place = Place::with(large());
    let before = place.written();
    let run = limited(&place, "modify --set rtsp=555").run().exits(9);
    assert!(run.err.contains("error: "), "{run:#?}");
    assert_eq!((place.text(), place.written()), (large(), before));

    let server = Serving::of(limited(&place, "serve --listen 127.0.0.1:0"), true);
    place.set(&["rtsp=555"]).exits(9);
    place.line("read rtsp").exits(0).prints("554");
    assert_eq!(place.text(), large());
    server.stop().exits(0).says(" 500 ");
}
