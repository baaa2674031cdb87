//! The law of secrets at the doors of the program: each form of a secret stands in each place of one configuration, and
//! nothing that is shown holds it. `crates/mediaconf/tests/library/secrets.rs` asks the library about each of them alone.

use crate::cli::masking::masked;
use crate::cli::serve::Serving;
use crate::cli::{CONF, Place};
use crate::fixtures;
use crate::http::handler::{Server, account};
use crate::lsp::answers::told;

const SECRET: &str = "HUSH";

fn table(name: &str) -> Vec<String> {
    let table = std::fs::read_to_string(fixtures::root().join(name)).expect("the table is there");
    table.lines().filter(|line| !line.starts_with("//")).map(str::to_owned).collect()
}

/// Each form in each place, with names of their own; those of which none is an error.
fn entries(is_place: impl Fn(&str) -> bool) -> Vec<String> {
    let (forms, places) = (table("secret_forms.txt"), table("secret_places.txt"));
    let texts = places
        .iter()
        .filter(|place| is_place(place))
        .flat_map(|place| forms.iter().map(move |form| place.replace("{}", form)));
    let named = texts.enumerate().map(|(number, text)| {
        let name = |text: String, block: &&str| match text.strip_prefix(*block) {
            Some(rest) => format!("{block}n{number}{rest}"),
            None => text,
        };
        ["stream ", "live ", "plugin "].iter().fold(text, name) + "\n"
    });
    named.filter(|text| mediaconf::check(text).errors() == 0).collect()
}

/// A configuration without errors that holds all of them. Included files would have to be there.
fn whole() -> String {
    let is_place = |place: &str| !place.starts_with("edit_auth") && !place.starts_with("include");
    let text = entries(is_place).concat();
    assert_eq!(mediaconf::check(&text).errors(), 0);
    assert!(text.lines().count() > 500);
    format!("rtmp 1;\n{text}")
}

#[test]
fn no_command_shows_a_secret() {
    let text = whole();
    let place = Place::with(&text);
    place.put("other.conf", text.lines().map(|line| format!("{line} \n")).collect::<String>());
    for output in ["json", "compact", "set", "conf", "table"] {
        masked(place.run(["--mask", "read", "-o", output]).exits(0)).prints("<secret:");
    }
    masked(place.line("--mask read streams.*.urls thing plugins").exits(0));
    masked(place.line("check"));
    masked(place.line("check -o json"));
    masked(place.line("diff other.conf").exits(1)).prints("<secret:");
    place.put("other.conf", "rtmp 1;\n");
    masked(place.run(["--mask", "diff", "--json", "other.conf", CONF]).exits(1)).prints("<secret:");
    masked(place.line("--mask modify --dry-run -o json --set rtmp=2").exits(0));
    masked(place.line("save other.conf --force").exits(0)).prints("<secret:");
    masked(place.line("history -p").exits(0)).prints("<secret:");
    masked(place.line("history -o json").exits(0));
    masked(place.line("history show last").exits(0)).prints("<secret:");
    for path in ["thing", "streams.n1a", "plugins.n700p", "auth"] {
        masked(place.run(["blame", path]));
        masked(place.run(["blame", path, "-o", "json"]));
    }
    masked(place.line("status").exits(0));
    place.put(CONF, format!("{text}}}\n"));
    masked(place.line("check").exits(3));
    masked(place.line("read").exits(3));
    masked(place.line("diff other.conf"));
    masked(place.line("--mask read -o conf").exits(0));
    place.put(CONF, entries(|place| place.starts_with("include")).concat());
    masked(place.line("check").exits(3));
}

#[test]
fn no_viewer_and_no_page_gets_a_secret() {
    let text = format!("edit_auth admin s3cret;\nview_auth viewer l00k;\n{}", whole());
    let server = Server::viewed(&text);
    assert_eq!(server.post("modify_config", r#"{"rtmp":1935}"#).status, 200);
    let [viewer, admin] = [account("viewer", "l00k"), account("admin", "s3cret")];
    for (who, query) in [(&viewer, ""), (&admin, "secrets=masked")] {
        let read = ["", "format=conf&", "skip_streams=true&", "runtime=true&", "source=saved&"].into_iter();
        let read = read.chain(["source=saved&format=conf&", "path=streams.*.urls&", "path=thing&"]);
        let read = read.map(|query| format!("read_config?{query}"));
        for target in read.chain(["history/1?", "diff?from=1&", "blame?path=thing&"].map(str::to_owned)) {
            let target = format!("/media/api/{target}{query}");
            let answer = server.ask("GET", &target, &[("authorization", who)], "");
            let body = String::from_utf8_lossy(&answer.body);
            assert!(answer.status == 200 && !body.contains(SECRET), "{target}: {}", answer.status);
        }
    }
}

#[test]
fn no_comment_and_no_runtime_command_shows_a_secret_by_its_value() {
    let place =
        Place::with("# the way in is HUSH-1\nedit_auth admin HUSH-1;\nrtmp 1;\n\nhttp 80; # not HUSH-1\n");
    place.line("--mask read -o conf").exits(0).prints("# not <secret:").hides(SECRET);
    place.put("other.conf", "# the way in is HUSH-1\nedit_auth admin HUSH-1;\nrtmp 2;\nhttp 80; # HUSH-1\n");
    place.line("diff other.conf").exits(1).prints("# <secret:").hides(SECRET);
    place.line("save other.conf --force").exits(0).hides(SECRET);
    place.line("history -p").exits(0).hides(SECRET);
    let said = "echo '{\"in\": \"with HUSH-1\"}'";
    let _server = Serving::with(&place, &["--listen", "none", "--runtime-cmd", said]);
    place.line("read --runtime -r runtime.in").exits(0).prints("with HUSH-1");
    place.line("--mask read --runtime").exits(0).prints("with <secret:").hides(SECRET);
}

#[test]
fn no_editor_is_told_a_secret() {
    let text = whole();
    let lines: Vec<&str> = text.lines().collect();
    for part in lines.chunks(10) {
        let places = part.iter().enumerate().map(|(at, line)| (at, line.len() / 2));
        let told = told(&part.join("\n"), places);
        let at = told.find(SECRET);
        let shown = at.map(|at| &told[told.floor_char_boundary(at.saturating_sub(300))..at]);
        assert_eq!(shown, None);
    }
}
