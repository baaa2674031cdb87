//! `mediactl save` and `mediactl update`

use super::{CONF, Place, SAMPLE, mode};

#[test]
fn a_missing_file_is_made_for_owner_and_group() {
    let place = Place::empty();
    place.fed("save -", "rtmp 1935;\n").exits(0).prints("+rtmp 1935;").says("saved media.conf");
    assert_eq!(place.text(), "rtmp 1935;\n");
    assert_eq!(mode(&place.path(CONF)), 0o640);
}

#[test]
fn the_text_is_taken_to_the_byte() {
    let place = Place::with(SAMPLE);
    for text in ["\u{feff}http 80;\r\nedit_auth a b;", "\n\n\thttp  80 ;edit_auth a b;# end"] {
        place.fed("save --force -", text).exits(0);
        assert_eq!(place.text(), text);
    }
}

#[test]
fn a_text_with_errors_is_refused_with_all_of_them() {
    let place = Place::with(SAMPLE);
    let run = place.fed("save -", "http x;\nstream a {\n").exits(3);
    run.says("the new configuration:1:6: error: ").says(":2:10: error: unclosed").says("has 2 errors");
    assert_eq!(place.text(), SAMPLE);
    let place = Place::empty();
    place.fed("save -", "stream a {\n").exits(3);
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn a_broken_file_can_be_replaced() {
    for broken in [&b"stream a {"[..], b"root caf\xe9;\n", b"\0"] {
        let place = Place::with(broken);
        place.fed("save -", "rtmp 1;\n").exits(0);
        assert_eq!(place.text(), "rtmp 1;\n");
    }
    // What stands for a bad byte when it is shown is not the same text.
    let place = Place::with(b"# caf\xe9\nrtmp 1;\n");
    place.fed("save -", "# caf\u{fffd}\nrtmp 1;\n").exits(0);
    assert_eq!(place.text(), "# caf\u{fffd}\nrtmp 1;\n");
}
