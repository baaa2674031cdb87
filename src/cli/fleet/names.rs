//! Names of servers: patterns that stand for several, and ranges that are shown.

/// The most names that a range in a pattern stands for.
const MOST: usize = 10_000;

/// The shortest run of names that is shown as a range.
const SHORTEST: usize = 3;

/// Splits a list at its commas, but not at those in braces or brackets.
pub fn split_list(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let is_end = |c: char| {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    list.split(is_end).map(str::trim).filter(|word| !word.is_empty()).collect()
}

/// One of the words that a pattern with `{a,c}` stands for.
#[derive(Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The word, which may have a range.
    pub written: String,
    /// What its `[0-5]`, `[00-39]` or `[ab]` stands for: names, or patterns with `*` alone.
    pub names: Vec<String>,
}

/// The words that a pattern stands for.
///
/// # Errors
/// What is wrong, in words.
pub fn alternatives(pattern: &str) -> Result<Vec<Alternative>, String> {
    let in_braces = |inner: &str| Some(inner.split(',').map(str::to_owned).collect());
    let (mut found, mut count) = (Vec::new(), 0);
    for written in expanded(pattern, ['{', '}'], in_braces)? {
        let names = expanded(&written, ['[', ']'], in_brackets)?;
        count += names.len();
        if count > MOST {
            return Err(too_many(pattern));
        }
        found.push(Alternative { written, names });
    }
    Ok(found)
}

/// The texts that a pattern stands for by what is between these two characters.
fn expanded(
    pattern: &str,
    [open, close]: [char; 2],
    words: fn(&str) -> Option<Vec<String>>,
) -> Result<Vec<String>, String> {
    let Some((begin, rest)) = pattern.split_once(open) else { return Ok(vec![pattern.to_owned()]) };
    let Some((inner, rest)) = rest.split_once(close) else {
        return Err(format!("`{pattern}` lacks a `{close}`"));
    };
    let found = words(inner).ok_or_else(|| format!("`{pattern}` has no range in its brackets"))?;
    let mut all = Vec::new();
    for tail in expanded(rest, [open, close], words)? {
        all.extend(found.iter().map(|word| format!("{begin}{word}{tail}")));
        if all.len() > MOST {
            return Err(too_many(pattern));
        }
    }
    Ok(all)
}

fn too_many(pattern: &str) -> String {
    format!("`{pattern}` stands for more than {MOST} names")
}

/// The words that `0-5`, `00-39`, `a-c,x` or `abc` in brackets stands for.
fn in_brackets(inner: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for part in inner.split(',') {
        match part.split_once('-') {
            Some((first, last)) if is_number(first) && is_number(last) => {
                let (least, most): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
                if least > most || most - least >= MOST {
                    return None;
                }
                let width = if first.starts_with('0') || first.len() == last.len() { first.len() } else { 0 };
                words.extend((least..=most).map(|number| format!("{number:0width$}")));
            }
            Some((first, last)) => {
                let mut ends = [first, last].into_iter().map(|end| {
                    let mut all = end.chars();
                    all.next().filter(|_| all.next().is_none())
                });
                let (least, most) = (ends.next()??, ends.next()??);
                words.extend((least..=most).map(String::from));
            }
            None => words.extend(part.chars().map(String::from)),
        }
    }
    (!words.is_empty() && words.len() <= MOST).then_some(words)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Names in a line, in their order: those that count on are a range with its number of names, such as
/// `edge-[00-39] (40)`.
pub fn in_ranges<S: AsRef<str>>(names: &[S]) -> String {
    let mut words = Vec::new();
    let mut rest = names;
    while let Some(first) = rest.first() {
        let run = rest.windows(2).take_while(|pair| follows(pair[0].as_ref(), pair[1].as_ref())).count() + 1;
        let (in_run, after) = rest.split_at(if run < SHORTEST { 1 } else { run });
        rest = after;
        let first = first.as_ref();
        match in_run {
            [_] => words.push(first.to_owned()),
            _ => {
                let (stem, least) = parted(first);
                let most = parted(in_run[in_run.len() - 1].as_ref()).1;
                words.push(format!("{stem}[{least}-{most}] ({})", in_run.len()));
            }
        }
    }
    words.join(", ")
}

/// The same, each name or range in backticks.
pub fn quoted<S: AsRef<str>>(names: &[S]) -> String {
    let quoted = |word: &str| match word.split_once(' ') {
        Some((range, count)) => format!("`{range}` {count}"),
        None => format!("`{word}`"),
    };
    in_ranges(names).split(", ").map(quoted).collect::<Vec<_>>().join(", ")
}

/// A name as its stem and the digits at its end.
fn parted(name: &str) -> (&str, &str) {
    name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len())
}

/// True if a name counts one on from another.
fn follows(before: &str, after: &str) -> bool {
    let ((stem, digits), (other, next)) = (parted(before), parted(after));
    let is_next =
        || next.parse::<u64>().ok() == digits.parse::<u64>().ok().and_then(|number| number.checked_add(1));
    let has_width = digits.len() == next.len() || !digits.starts_with('0') && !next.starts_with('0');
    stem == other && is_number(digits) && is_number(next) && has_width && is_next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_split_outside_of_braces_and_brackets() {
        assert_eq!(split_list("a, b,edge-{a,c},edge-[1,3]"), ["a", "b", "edge-{a,c}", "edge-[1,3]"]);
    }

    #[test]
    fn patterns_stand_for_names() {
        let words = |pattern: &str| {
            let found = alternatives(pattern)?;
            Ok::<_, String>(found.into_iter().flat_map(|found| found.names).collect::<Vec<_>>().join(" "))
        };
        for (pattern, names) in [
            ("edge-*", "edge-*"),
            ("edge-{a,c}", "edge-a edge-c"),
            ("edge-3[0-2]", "edge-30 edge-31 edge-32"),
            ("edge-[08-11]", "edge-08 edge-09 edge-10 edge-11"),
            ("edge-[8-10]", "edge-8 edge-9 edge-10"),
            ("[ab]-{x,y*}", "a-x b-x a-y* b-y*"),
            ("e[a-c,x]", "ea eb ec ex"),
        ] {
            assert_eq!(words(pattern).as_deref(), Ok(names));
        }
        for pattern in ["edge-{a", "edge-[", "edge-[]", "edge-[5-3]", "edge-[0-99999]", "edge-[ab-c]"] {
            assert!(words(pattern).is_err(), "{pattern}");
        }
        assert!(words("{a,b}[0-9999]").expect_err("too many").contains("more than 10000 names"));
    }

    #[test]
    fn names_that_count_on_are_a_range() {
        let names: Vec<String> = (0..40).map(|number| format!("edge-{number:02}")).collect();
        assert_eq!(in_ranges(&names), "edge-[00-39] (40)");
        assert_eq!(quoted(&names), "`edge-[00-39]` (40)");
        assert_eq!((in_ranges(&["a", "b"]), quoted(&["a", "b"])), ("a, b".to_owned(), "`a`, `b`".to_owned()));
        assert_eq!(in_ranges(&["e1", "e2", "x", "e3", "e4", "e5"]), "e1, e2, x, e[3-5] (3)");
        assert_eq!(in_ranges(&["e8", "e9", "e10", "m"]), "e[8-10] (3), m");
        for names in [&["e8", "e9", "e10"][..], &["edge-08", "edge-09", "edge-10"]] {
            let shown = in_ranges(names);
            let pattern = shown.split(' ').next().expect("it has a word");
            assert_eq!(alternatives(pattern).expect("it is a pattern")[0].names, names);
        }
    }
}
