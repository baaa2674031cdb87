//! `mediactl diff`

use super::{CONF, PROGRAM, Place, SAMPLE};

const OTHER: &str = "other.conf";

fn two(other: impl AsRef<[u8]>) -> Place {
    let place = Place::with(SAMPLE);
    place.put(OTHER, other);
    place
}

#[test]
fn the_exit_code_tells_whether_there_is_a_difference() {
    let place = two(SAMPLE.replace("554", "555"));
    assert_eq!(place.run(["diff", CONF, CONF]).exits(0).out, "");
    let run = place.run(["diff", CONF, OTHER]).exits(1);
    assert!(run.out.starts_with("--- media.conf\n+++ other.conf\n@@"), "{}", run.out);
    assert_eq!(run.err, "");
    run.prints("\n-rtsp 554;\n+rtsp 555;\n");
}

#[test]
fn one_file_is_compared_with_what_read_shows() {
    let place = two(SAMPLE.replace("554", "555"));
    place.run(["diff", OTHER]).exits(1).prints("-rtsp 554;\n+rtsp 555;");
    place.run(["diff", "saved", OTHER]).exits(1).prints("-rtsp 554;\n+rtsp 555;");
    place.fed("diff -", SAMPLE).exits(0);
    place.mediactl(["diff", "-", OTHER]).input(SAMPLE).run().exits(1).prints("--- <stdin>\n+++ other.conf");
    place.line("diff - -").exits(2);
}

#[test]
fn differences_in_line_ends_and_odd_bytes_count() {
    for other in [SAMPLE.trim_end().to_owned(), format!("\u{feff}{SAMPLE}"), SAMPLE.replace('\n', "\r\n")] {
        two(other).run(["diff", OTHER]).exits(1).prints("@@");
    }
    let place = two(b"\xe9");
    place.put(CONF, b"\xe8");
    place.run(["diff", OTHER]).exits(1).says("not UTF-8");
}

#[test]
fn running_needs_a_server() {
    let place = two(SAMPLE);
    for arguments in
        [&["diff"][..], &["diff", "--json"], &["diff", "running", "saved"], &["diff", "running", OTHER]]
    {
        let run = place.run(arguments).exits(7).says("no server runs").says("hint: `mediactl diff FILE`");
        run.hides("save").hides("--force");
    }
}

#[test]
fn texts_with_errors_differ_as_text_only() {
    let place = two("stream a {\n");
    place.run(["diff", OTHER]).exits(1).prints("+stream a {");
    let run = place.run(["diff", "--json", OTHER]).exits(3);
    run.says("other.conf:1:10: error: ").says("`other.conf` has 1 error");
    place.line("diff missing.conf").exits(7).says("missing.conf` does not exist");
}

#[test]
fn the_pipe_of_a_shell_is_read() {
    let place = two(SAMPLE.replace("554", "555"));
    let script = "\"$0\" diff <(cat media.conf) other.conf && exit 9; \"$0\" check <(cat media.conf)";
    place.call("bash", ["-c", script, PROGRAM]).run().exits(0).prints("+rtsp 555;");
}
