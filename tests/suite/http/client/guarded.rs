//! Guards before a server that has only the four operations: they are computed from what was read.

use super::bare::{bare_of, run, view};
use super::place;

const TEXT: &str = "edit_auth admin hunter2;\nmark a;\nmark b;\nhttp 80 { x { peer s1; peer s2; } }\n\
                    stream cam1 {\n  url udp://1;\n  archive /storage 7d;\n}\nstream old {\n  url udp://2;\n  titel x;\n  prepsh 1;\n}\n";

#[test]
fn form_change_near_miss_and_one_line_are_refused_and_nothing_is_posted() {
    let joined = "edit_auth admin hunter2;http 80;# Streams:stream cam1 udp://1;stream old udp://2;";
    let list = r#"{"http_options":{"80":{"x":{"peer":{"s3":{}}}}}}"#;
    for (guard, command, input, named) in [
        ("form-change", "modify -f -", r#"{"mark":["a","c"]}"#, "`mark`"),
        ("form-change", "modify -f -", list, "`http_options.80.x.peer`"),
        ("near-miss", "modify --set rtpm=1936", "", "`rtpm`"),
        ("near-miss", "modify --set streams.cam1.prepuhs=5", "", "`streams.cam1.prepuhs`"),
        ("one-line", "save - --max-delete 9", joined, "--data-binary"),
        ("one-line", "update - --max-delete 9", joined, "--data-binary"),
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        for accepting in [&["--accept", guard][..], &["--force"]] {
            let (server, place) = (bare_of(view(TEXT)), place());
            run(&server, &place, &arguments, input).exits(3).says(named).says(guard);
            let rehearsed = [&arguments[..], &["--dry-run", "--yes"]].concat();
            run(&server, &place, &rehearsed, input).exits(3).says(named);
            assert_eq!(server.posts(), []);
            let emptied = ["--accept", "empty-replacement"];
            run(&server, &place, &[&arguments, accepting, &emptied].concat(), input).exits(0);
            // It would not know the parameter, and what it does not know it ignores.
            let [(target, _)] = &server.posts()[..] else { panic!("{:?}", server.posts()) };
            assert!(!target.contains('?'), "{target}");
        }
    }
}
