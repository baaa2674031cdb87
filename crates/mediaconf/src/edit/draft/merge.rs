//! Merges a draft with what others did to the configuration meanwhile.

use diffy::{ConflictStyle, MergeOptions};

/// The beginnings of the lines around a clash, as git writes them.
const MARKERS: [&[u8]; 3] = [b"<<<<<<< ", b"=======", b">>>>>>> "];

/// Two changes of one text in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// They touch different lines.
    Clean(Vec<u8>),
    /// Some lines clash: both forms stand between markers, `ours` first.
    Clash(Vec<u8>),
}

/// Merges what `ours` and `theirs` made of `base`, line by line.
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merged {
    let mut options = MergeOptions::new();
    options.set_conflict_style(ConflictStyle::Merge);
    match (options.merge_bytes(base, ours, theirs), options.merge_bytes(base, theirs, ours)) {
        (Ok(merged), Ok(mirrored)) if merged == mirrored => Merged::Clean(merged),
        (Err(marked), _) => Merged::Clash(marked),
        // Which of two insertions at one place comes first is not for the program to decide.
        (Ok(_), _) => Merged::Clash(marked(ours, theirs)),
    }
}

/// Returns a clash without its markers, decided for `theirs`.
pub fn decided_for_theirs(marked: &[u8]) -> Vec<u8> {
    let mut is_ours = false;
    let is_decided = |line: &&[u8]| {
        let is_marker = is_marker(line);
        if is_marker {
            is_ours = line.starts_with(MARKERS[0]);
        }
        !is_marker && !is_ours
    };
    marked.split_inclusive(|byte| *byte == b'\n').filter(is_decided).flatten().copied().collect()
}

/// Both texts as one clash.
fn marked(ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let line = |text: &[u8]| if text.is_empty() || text.ends_with(b"\n") { "" } else { "\n" };
    [
        b"<<<<<<< ours\n",
        ours,
        line(ours).as_bytes(),
        b"=======\n",
        theirs,
        line(theirs).as_bytes(),
        b">>>>>>> theirs\n",
    ]
    .concat()
}

/// Returns the number of the first line, from 1, that marks a clash; `None` if there is none.
pub fn first_marker(text: &[u8]) -> Option<usize> {
    text.split(|byte| *byte == b'\n').position(is_marker).map(|at| at + 1)
}

fn is_marker(line: &[u8]) -> bool {
    match line.trim_ascii_end() {
        line if line == MARKERS[1] => true,
        line => line.starts_with(MARKERS[0]) || line.starts_with(MARKERS[2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> Result<String, String> {
        let text = |bytes| String::from_utf8(bytes).expect("it is text");
        match merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes()) {
            Merged::Clean(merged) => Ok(text(merged)),
            Merged::Clash(marked) => Err(text(marked)),
        }
    }

    #[test]
    fn changes_of_different_lines_are_merged() {
        let base = "a 1;\nb 1;\nc 1;\nd 1;\ne 1;";
        for (ours, theirs, both) in [
            (base.replace("a 1", "a 2"), base.replace("e 1", "e 2"), "a 2;\nb 1;\nc 1;\nd 1;\ne 2;"),
            (base.replace("b 1;\n", ""), base.replace("d 1;\n", "d 1;\nx;\n"), "a 1;\nc 1;\nd 1;\nx;\ne 1;"),
            (base.replace("c 1", "c 2"), base.replace("c 1", "c 2"), "a 1;\nb 1;\nc 2;\nd 1;\ne 1;"),
            (base.to_owned(), base.replace("c 1", "c 2"), "a 1;\nb 1;\nc 2;\nd 1;\ne 1;"),
        ] {
            assert_eq!(merged(base, &ours, &theirs), Ok(both.to_owned()));
        }
    }

    #[test]
    fn changes_of_one_line_clash_and_are_marked_as_git_does() {
        let marked = merged("a;\nb 1;\nc;\n", "a;\nb 2;\nc;\n", "a;\nb 3;\nc;\n").expect_err("they clash");
        assert_eq!(marked, "a;\n<<<<<<< ours\nb 2;\n=======\nb 3;\n>>>>>>> theirs\nc;\n");
        assert_eq!(first_marker(marked.as_bytes()), Some(2));
        assert_eq!(decided_for_theirs(marked.as_bytes()), b"a;\nb 3;\nc;\n");
        for text in ["", "a;\n# ======= x\n <<<<<<< a", "=======x;"] {
            assert_eq!(first_marker(text.as_bytes()), None, "{text}");
        }
        assert_eq!(first_marker(b"a;\r\n=======\r\n"), Some(2));
        let both =
            merged("a;\n", "a;\nb;\n", "a;\nc;\n").expect_err("the order of two insertions is unknown");
        assert_eq!(both, "a;\n<<<<<<< ours\nb;\n=======\nc;\n>>>>>>> theirs\n");
    }
}
