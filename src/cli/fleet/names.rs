//! Servers as the command line has them: patterns that stand for several names, ranges that are shown, and numbers.

use std::str::FromStr;

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

/// The words that a pattern with `{a,c}` stands for, each with the names that its `[0-5]`, `[00-39]` or `[ab]` stands for;
/// those with a `*` are patterns still.
///
/// # Errors
/// What is wrong, in words.
pub fn alternatives(pattern: &str) -> Result<Vec<(String, Vec<String>)>, String> {
    let in_braces = |inner: &str| Some(inner.split(',').map(str::to_owned).collect());
    let (mut found, mut count) = (Vec::new(), 0);
    for written in expanded(pattern, ['{', '}'], in_braces)? {
        let names = expanded(&written, ['[', ']'], in_brackets)?;
        count += names.len();
        if count > MOST {
            return Err(too_many(pattern));
        }
        found.push((written, names));
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

/// The words that `0-5`, `00-39,8` or `ab` in brackets stands for.
fn in_brackets(inner: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for part in inner.split(',') {
        let Some((first, last)) = part.split_once('-') else {
            words.extend(part.chars().map(String::from));
            continue;
        };
        let number = |text: &str| text.parse::<usize>().ok().filter(|_| is_number(text));
        let (least, most) = (number(first)?, number(last)?);
        if least > most || most - least >= MOST {
            return None;
        }
        let width = if first.starts_with('0') || first.len() == last.len() { first.len() } else { 0 };
        words.extend((least..=most).map(|number| format!("{number:0width$}")));
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
    for run in names.chunk_by(|before, after| follows(before.as_ref(), after.as_ref())) {
        let (stem, least) = parted(run[0].as_ref());
        let most = parted(run[run.len() - 1].as_ref()).1;
        match run.len() {
            0..SHORTEST => words.extend(run.iter().map(|name| name.as_ref().to_owned())),
            count => words.push(format!("{stem}[{least}-{most}] ({count})")),
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

/// A number of servers, or a share of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerCount {
    Count(usize),
    /// From 0 to 100.
    Percent(usize),
}

impl FromStr for ServerCount {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let count = match text.strip_suffix('%') {
            Some(share) => share.parse().ok().filter(|share| *share <= 100).map(Self::Percent),
            None => text.parse().ok().map(Self::Count),
        };
        count.ok_or("it is a number of servers, such as `3`, or a share of them, such as `10%`")
    }
}

/// Parses the size of a batch, which is not empty.
pub fn batch_size(text: &str) -> Result<ServerCount, &'static str> {
    match text.parse()? {
        ServerCount::Count(0) | ServerCount::Percent(0) => Err("a batch has one server at least"),
        size => Ok(size),
    }
}

impl ServerCount {
    /// At most this many of `all` servers.
    pub fn most(self, all: usize) -> usize {
        match self {
            Self::Count(count) => count,
            Self::Percent(share) => all * share / 100,
        }
    }
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
        let names =
            |pattern: &str| alternatives(pattern).map(|found| found.into_iter().flat_map(|(_, names)| names));
        let words = |pattern: &str| names(pattern).map(|names| names.collect::<Vec<_>>().join(" "));
        for (pattern, names) in [
            ("edge-*", "edge-*"),
            ("edge-{a,c}", "edge-a edge-c"),
            ("edge-3[0-2]", "edge-30 edge-31 edge-32"),
            ("edge-[08-11]", "edge-08 edge-09 edge-10 edge-11"),
            ("edge-[8-10]", "edge-8 edge-9 edge-10"),
            ("[12]-{x,y*}", "1-x 2-x 1-y* 2-y*"),
            ("e[1-3,x]", "e1 e2 e3 ex"),
        ] {
            assert_eq!(words(pattern).as_deref(), Ok(names));
        }
        for pattern in
            ["edge-{a", "edge-[", "edge-[]", "edge-[5-3]", "edge-[0-99999]", "edge-[ab-c]", "edge-[a-c]"]
        {
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
            assert_eq!(alternatives(pattern).expect("it is a pattern")[0].1, names);
        }
    }

    #[test]
    fn a_count_is_a_number_or_a_share() {
        for (text, of_nine) in [("0", 0), ("3", 3), ("10%", 0), ("12%", 1), ("100%", 9)] {
            assert_eq!(text.parse::<ServerCount>().expect(text).most(9), of_nine);
        }
        for text in ["", "%", "-1", "101%", "1.5", "a", "10 %"] {
            assert!(text.parse::<ServerCount>().is_err(), "{text}");
        }
        assert!(["0", "00", "0%"].iter().all(|size| batch_size(size).is_err()));
    }
}
