use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

use super::{Path, Segment};

#[test]
fn an_assignment_has_a_path_and_may_have_a_value() {
    assert_eq!(Path::split_assignment("a.b").map(|(_, value)| value), Ok(None));
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
