//! `read --effective`: the values that hold, with those of templates and of the top level.

use serde_json::{Value, json};

use super::Place;

const TEXT: &str = "\
http 80;
auth http://backend;
template low {
  prepush 2;
  auth false;
}
stream a {
  url udp://1;
  template low;
  prepush 5;
}
stream b {
  url udp://2;
  template low;
}
stream c udp://3;
live l;
";

fn read(place: &Place, arguments: &[&str]) -> Value {
    let arguments = [&["read", "--effective", "-o", "compact"], arguments].concat();
    serde_json::from_str(&place.run(&arguments).exits(0).out).expect("it is JSON")
}

#[test]
fn values_of_templates_and_of_the_top_level_are_shown_where_they_hold() {
    let place = Place::with(TEXT);
    let all = read(&place, &[]);
    for (stream, prepush, url) in [
        ("a", json!(5), json!(false)),
        ("b", json!(2), json!(false)),
        ("c", Value::Null, json!("http://backend")),
    ] {
        let found = &all["streams"][stream];
        assert_eq!((&found["prepush"], &found["auth"]["url"]), (&prepush, &url), "{stream}");
    }
    assert_eq!(all["lives"]["l"]["auth"]["url"], "http://backend");
    assert_eq!(read(&place, &["streams.b.prepush"]), 2);
    let found = read(&place, &["streams.*.prepush", "--where", "prepush=2"]);
    assert_eq!(found, json!({ "streams": { "b": { "prepush": 2 } }, "effective": true }));
}

#[test]
fn a_table_says_where_each_value_comes_from() {
    let table = Place::with(TEXT).line("read --effective -o table --columns name,auth,prepush");
    let table = table.exits(0).out;
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(
        rows[1..],
        [
            vec!["a", "open (template low)", "5"],
            vec!["b", "open (template low)", "2 (template low)"],
            vec!["c", "http://backend (global)", "-"],
        ],
        "{table}"
    );
}

#[test]
fn what_it_shows_is_not_written_back() {
    let place = Place::with(TEXT);
    for arguments in [&["read", "--effective"][..], &["read", "--effective", "streams.*"]] {
        place.put("read.json", &place.run(arguments).exits(0).out);
        let refused = place.line("modify -f read.json").exits(3).err.clone();
        assert!(refused.contains("the output of `read --effective`"), "{refused}");
    }
    place.line("read --effective -o set").exits(2);
    assert_eq!(place.text(), TEXT);
}
