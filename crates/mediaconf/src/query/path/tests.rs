use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

use super::{Path, Segment};

fn key(name: &str) -> Segment {
    Segment::Key(name.to_owned())
}

fn glob(glob: &str) -> Segment {
    Segment::Matching(glob.to_owned())
}

fn find(key: &str, value: &str) -> Segment {
    Segment::Find { key: key.to_owned(), value: value.to_owned() }
}

#[test]
fn paths_are_read_and_have_one_canonical_form() {
    let (urls, a) = (key("urls"), key("a"));
    for (text, segments, canonical) in [
        ("http", vec![key("http")], ""),
        (r#"streams."cam.1".prepush"#, vec![key("streams"), key("cam.1"), key("prepush")], ""),
        ("urls[0]", vec![urls.clone(), Segment::Index(0)], ""),
        ("urls[+].url", vec![urls.clone(), Segment::Append, key("url")], ""),
        ("streams.*.title", vec![key("streams"), glob("*"), key("title")], ""),
        ("cam*", vec![glob("cam*")], ""),
        (r#""cam*""#, vec![key("cam*")], ""),
        ("urls[*].*", vec![urls.clone(), Segment::EveryEntry, glob("*")], ""),
        ("urls[-1]", vec![urls.clone(), Segment::FromEnd(1)], ""),
        ("дом/%_-:@~ 1+", vec![key("дом/%_-:@~ 1+")], ""),
        (r#""".a"#, vec![key(""), a.clone()], ""),
        (r#""a\"b\\.c""#, vec![key(r#"a"b\.c"#)], ""),
        (r"a\b", vec![key(r"a\b")], ""),
        (r#"urls[url="udp://[::1]:5000?a=b"]"#, vec![urls.clone(), find("url", "udp://[::1]:5000?a=b")], ""),
        (r#"a["b.c"=""]"#, vec![a.clone(), find("b.c", "")], ""),
        ("a[0][1]", vec![a.clone(), Segment::Index(0), Segment::Index(1)], ""),
        // Other spellings.
        (r#""http""#, vec![key("http")], "http"),
        ("urls[007]", vec![urls.clone(), Segment::Index(7)], "urls[7]"),
        ("urls[url=udp://1:2]", vec![urls, find("url", "udp://1:2")], r#"urls[url="udp://1:2"]"#),
        ("a[b=]", vec![a.clone(), find("b", "")], r#"a[b=""]"#),
        ("a[+=1]", vec![a.clone(), find("+", "1")], r#"a[+="1"]"#),
        ("a[0=1]", vec![a, find("0", "1")], r#"a[0="1"]"#),
    ] {
        let path = Path::parse(text).expect(text);
        assert_eq!(path.segments, segments, "{text}");
        assert_eq!(path.to_string(), if canonical.is_empty() { text } else { canonical });
    }
}

#[test]
fn faults_say_where_they_are() {
    for (column, texts) in [
        (1, &["", ".a", "[0]", "=", "'cam.1'", r#""a\nb""#][..]),
        (2, &["a..b", "a.", "a.[0]", "a[=b]", "a]", "a[b[0]]", "a[1.2]", "a[b=[::1]:5]", r#"a[b="c"d]"#]),
        (2, &["a[b=c", "a=b", "a=="]),
        (3, &[r#"ca"m"#, r#"ö."b"#]),
        (4, &[r#""a"b"#]),
        (5, &["a[0]b"]),
    ] {
        for text in texts {
            let fault = Path::parse(text).expect_err(text);
            assert_eq!(fault.to_string(), format!("the path is wrong at column {column}"), "{text}");
            assert!(fault.hint.is_some_and(|hint| hint.contains("`[+]` to append")));
        }
    }
    for found in ["", "x", "-0", "-x", "--1", "1x", "**", "٣", " 0", "99999999999999999999"] {
        Path::parse(&format!("a[{found}]")).expect_err(found);
    }
}

#[test]
fn assignments_split_at_the_first_free_equals_sign() {
    for (text, path, value) in [
        ("a.b", "a.b", None),
        ("a=", "a", Some("")),
        ("a==b=c", "a", Some("=b=c")),
        (r#"a[b="c=d"].e= f "#, r#"a[b="c=d"].e"#, Some(" f ")),
        ("a[b=c]=d", r#"a[b="c"]"#, Some("d")),
    ] {
        let (parsed, rest) = Path::split_assignment(text).expect(text);
        assert_eq!((parsed.to_string().as_str(), rest), (path, value));
    }
    assert!(Path::split_assignment("=x").is_err());
}

#[test]
fn a_star_in_a_glob_stands_for_any_characters() {
    for (glob, names) in [
        ("*", &["", "a"][..]),
        ("cam*", &["cam", "cam1"]),
        ("*1", &["1", "cam1", "11"]),
        ("c*m*1", &["cm1", "camm11"]),
        ("a**b", &["ab", "a*b"]),
        ("*ab*ab*", &["abab", "xaabyabz"]),
    ] {
        names.iter().for_each(|name| assert!(Segment::glob_matches(glob, name), "{glob} {name}"));
    }
    for (glob, name) in [("cam*", "Cam1"), ("a*a", "a"), ("*ab*ab*", "abb"), ("c*m*1", "c1m"), ("a*b*", "b")]
    {
        assert!(!Segment::glob_matches(glob, name), "{glob} {name}");
    }
}

fn field() -> impl Strategy<Value = Segment> {
    prop_oneof![
        any::<String>().prop_map(Segment::Key),
        "[a-c.=\\[\\]\"'*\\\\+ 0-2]{0,4}".prop_map(Segment::Key),
        "[a-c]{0,2}\\*[a-c*]{0,2}".prop_map(Segment::Matching),
    ]
}

fn segment() -> impl Strategy<Value = Segment> {
    let find = ("[ab.=\\[\\]\"*+0]{0,3}", any::<String>());
    prop_oneof![
        field(),
        any::<usize>().prop_map(Segment::Index),
        (1..usize::MAX).prop_map(Segment::FromEnd),
        Just(Segment::EveryEntry),
        Just(Segment::Append),
        find.prop_map(|(key, value)| Segment::Find { key, value }),
    ]
}

proptest! {
    #[test]
    fn a_displayed_path_parses_to_itself(
        first in field(),
        rest in proptest::collection::vec(segment(), 0..5),
        value in any::<String>(),
    ) {
        let mut segments = vec![first];
        segments.extend(rest);
        let path = Path { segments };
        let text = path.to_string();
        assert_eq!(Path::parse(&text), Ok(path.clone()));
        let assignment = format!("{text}={value}");
        assert_eq!(Path::split_assignment(&assignment), Ok((path, Some(value.as_str()))));
    }

    #[test]
    fn no_text_panics(
        text in prop_oneof![any::<String>(), "[ab.=\\[\\]\"'*\\\\+0]{0,12}"]
    ) {
        if let Ok((path, _)) = Path::split_assignment(&text) {
            assert_eq!(Path::parse(&path.to_string()), Ok(path));
        }
    }
}

#[test]
fn a_path_has_no_more_steps_than_a_value_has_levels() {
    Path::parse(&vec!["k"; 128].join(".")).expect("as deep as any value");
    for long in [vec!["k"; 129].join("."), vec!["k"; 100_000].join("."), format!("k{}", "[0]".repeat(16_000))]
    {
        let fault = Path::parse(&long).expect_err("a path that leads nowhere");
        assert!(fault.message.starts_with("the path has more than 128 steps"), "{}", fault.message);
    }
}
