//! Names of servers as they are shown: consecutive numbers are a range.

/// The shortest run of names that is shown as a range.
const SHORTEST: usize = 3;

/// Names in a line, in their order: those with consecutive numbers are a range with its number of names, such as
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

/// The same of names in any order.
pub fn sorted_ranges<S: AsRef<str>>(names: &[S]) -> String {
    let mut names: Vec<&str> = names.iter().map(S::as_ref).collect();
    names.sort_by_key(|name| by_number(name));
    in_ranges(&names)
}

/// The most columns of the names of one row.
const ROOM: usize = 30;

/// The names of equal rows, in as few rows as have room for them; `is_short` is for one row, which may count the rest.
pub fn in_rows(names: &[&str], is_short: bool) -> Vec<String> {
    let words = in_ranges(names);
    match words.split_once(", ") {
        Some((first, _)) if words.len() > ROOM && is_short => {
            vec![format!("{}, … ({})", first.split(' ').next().unwrap_or_default(), names.len())]
        }
        Some(_) if words.len() > ROOM => words.split(", ").map(str::to_owned).collect(),
        _ => vec![words],
    }
}

/// What puts names in the order of the numbers at their ends.
pub fn by_number(name: &str) -> (&str, usize, &str) {
    let (stem, digits) = parted(name);
    (stem, digits.trim_start_matches('0').len(), digits)
}

/// The same, each name or range in backticks.
pub fn quoted<S: AsRef<str>>(names: &[S]) -> String {
    let quoted = |word: &str| match word.split_once(' ') {
        Some((range, count)) => format!("`{range}` {count}"),
        None => format!("`{word}`"),
    };
    in_ranges(names).split(", ").map(quoted).collect::<Vec<_>>().join(", ")
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit())
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
    fn names_that_count_on_are_a_range() {
        let names: Vec<String> = (0..40).map(|number| format!("edge-{number:02}")).collect();
        assert_eq!(in_ranges(&names), "edge-[00-39] (40)");
        assert_eq!(quoted(&names), "`edge-[00-39]` (40)");
        assert_eq!((in_ranges(&["a", "b"]), quoted(&["a", "b"])), ("a, b".to_owned(), "`a`, `b`".to_owned()));
        assert_eq!(in_ranges(&["e1", "e2", "x", "e3", "e4", "e5"]), "e1, e2, x, e[3-5] (3)");
        assert_eq!(in_ranges(&["e8", "e9", "e10", "m"]), "e[8-10] (3), m");
    }
}
