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

/// Each is displayed so that it parses to itself, which is held for any path below; here is the form.
#[test]
fn paths_are_parsed_and_displayed_in_their_canonical_form() {
    let check = |text: &str, segments: &[Segment], canonical: &str| {
        let path = Path::parse(text).expect(text);
        assert_eq!((&path.segments[..], path.to_string().as_str()), (segments, canonical), "{text}");
    };
    let same = |text: &str, segments: &[Segment]| check(text, segments, text);
    same(r#"streams."cam.1".prepush"#, &[key("streams"), key("cam.1"), key("prepush")]);
    same("urls[+].url", &[key("urls"), Segment::Append, key("url")]);
    same("streams.*.title", &[key("streams"), glob("*"), key("title")]);
    same(r#"cam*."cam*""#, &[glob("cam*"), key("cam*")]);
    same("urls[*].*", &[key("urls"), Segment::EveryEntry, glob("*")]);
    same("дом/%_-:@~ 1+", &[key("дом/%_-:@~ 1+")]);
    same(r#""".a"#, &[key(""), key("a")]);
    same(r#""a\"b\\.c""#, &[key(r#"a"b\.c"#)]);
    same(r"a\b", &[key(r"a\b")]);
    same(r#"urls[url="udp://[::1]:5000?a=b"]"#, &[key("urls"), find("url", "udp://[::1]:5000?a=b")]);
    same(r#"a["b.c"=""]"#, &[key("a"), find("b.c", "")]);
    same("a[0][-1]", &[key("a"), Segment::Index(0), Segment::FromEnd(1)]);
    check(r#""http""#, &[key("http")], "http");
    check("urls[007]", &[key("urls"), Segment::Index(7)], "urls[7]");
    check("urls[url=udp://h:1]", &[key("urls"), find("url", "udp://h:1")], r#"urls[url="udp://h:1"]"#);
    check("a[b=]", &[key("a"), find("b", "")], r#"a[b=""]"#);
    check("a[+=1]", &[key("a"), find("+", "1")], r#"a[+="1"]"#);
    check("a[0=1]", &[key("a"), find("0", "1")], r#"a[0="1"]"#);
}

#[test]
fn faults_say_where_they_are() {
    for (text, column) in [
        ("", 1),
        ("a..b", 2),
        ("a.", 2),
        (".a", 1),
        ("[0]", 1),
        ("=", 1),
        ("a.[0]", 2),
        ("a[=b]", 2),
        ("a]", 2),
        (r#"ca"m"#, 3),
        ("'cam.1'", 1),
        ("a[b[0]]", 2),
        ("a[1.2]", 2),
        ("a[url=udp://[::1]:5]", 2),
        (r#"a[b="c"d]"#, 2),
        (r#""a"b"#, 4),
        ("a[0]b", 5),
        (r#"ö."b"#, 3),
        (r#""a\nb""#, 1),
        ("a[b=c", 2),
        ("a=b", 2),
        ("a==", 2),
    ] {
        let fault = Path::parse(text).expect_err(text);
        assert_eq!(fault.to_string(), format!("the path is wrong at column {column}"), "{text}");
        assert!(fault.hint.is_some_and(|hint| hint.contains("`[+]` to append")));
    }
    for found in ["", "x", "-0", "-x", "--1", "1x", "**", "٣", " 0", "99999999999999999999"] {
        Path::parse(&format!("a[{found}]")).expect_err(found);
    }
}

#[test]
fn faults_hold_nothing_of_a_value() {
    for text in [
        "edit_auth..password=hunter2",
        "a[url=udp://hunter2",
        "a[url=[hunter2]",
        r#"a[url="hunter2]=x"#,
        r#"edit_auth."password=hunter2"#,
        "a[0]b=hunter2",
    ] {
        let fault = Path::split_assignment(text).expect_err(text);
        assert!(!format!("{fault} {fault:?}").contains("hunter2"), "{text}");
    }
}

#[test]
fn assignments_split_at_the_first_free_equals_sign() {
    let check = |text: &str, path: &str, value: Option<&str>| {
        let (parsed, rest) = Path::split_assignment(text).expect(text);
        assert_eq!((parsed.to_string().as_str(), rest), (path, value));
    };
    check("a.b=c", "a.b", Some("c"));
    check("a.b", "a.b", None);
    check("a=", "a", Some(""));
    check("a==b=c", "a", Some("=b=c"));
    check("a[+]=udp://[::1]:5?x=\"", "a[+]", Some("udp://[::1]:5?x=\""));
    check(r#""a=b"=c"#, r#""a=b""#, Some("c"));
    check(r#"a[b="c=d"].e= f "#, r#"a[b="c=d"].e"#, Some(" f "));
    check("a[b=c]=d", r#"a[b="c"]"#, Some("d"));
    assert!(Path::split_assignment("=x").is_err());
}

#[test]
fn a_star_in_a_glob_stands_for_any_characters() {
    for (glob, names, others) in [
        ("*", ["", "a"], ""),
        ("cam*", ["cam", "cam1"], "Cam1 xcam"),
        ("*1", ["1", "11"], "12"),
        ("c*m*1", ["cm1", "camm11"], "c1m"),
        ("a**b", ["ab", "a*b"], "a b"),
        ("a*a", ["aa", "aba"], "a"),
        ("*ab*ab*", ["abab", "xaabyabz"], "abb"),
    ] {
        names.iter().for_each(|name| assert!(Segment::glob_matches(glob, name), "{glob} {name}"));
        let others = others.split_whitespace();
        others.for_each(|name| assert!(!Segment::glob_matches(glob, name), "{glob} {name}"));
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
