//! Every alarm on a real file was looked at, and is right.

use super::found;
use crate::fixtures;

/// The diagnostics of valid files: the file, then each diagnostic.
const RIGHT: &[(&str, &[&str])] = &[
    (
        "archives_and_titles.conf",
        &["14:8: warning: the stream has no source", "19:8: warning: the stream has no source"],
    ),
    ("mark_in_the_first_word.conf", &["1:2: warning: a byte order mark (U+FEFF) in a word"]),
    ("escapes_and_odd_names.conf", &["15:8: warning: the stream has no source"]),
    ("non_ascii.conf", &["7:8: warning: the stream has no source"]),
    ("035.conf", &["4:6: warning: `rtmp 80` listens where `http` does"]),
    ("one_line_production_client.conf", &["1:98: warning: missing `;` before `}`"]),
    (
        "warnings_only.conf",
        &[
            "2:1: warning: `rtmp` is set more than once: the last counts",
            "4:32: warning: the option `a` is given more than once: the last counts",
            "5:12: warning: missing `;` before `}`",
            "6:2: warning: stray `;`",
            "8:7: warning: an empty source url",
            "9:11: warning: `prepush` has the wrong form: it takes a number of seconds, or `off`",
            "11:1: warning: stray `;`",
        ],
    ),
    ("010.conf", &["38:2: warning: stray `;`"]),
    ("020.conf", &["6:16: warning: a single quote does not quote: it is part of the word"]),
    ("028.conf", &["1:78: warning: missing `;` before `}`"]),
    ("051.conf", &["1:34: warning: an empty source url"]),
    ("053.conf", &["9:3: warning: `prepush` is set more than once: the last counts"]),
];

#[test]
fn there_is_no_false_alarm_in_a_valid_file() {
    fixtures::all(
        fixtures::valid_texts(),
        |(name, _)| name.clone(),
        |(name, text)| {
            let right = RIGHT.iter().find(|(file, _)| file == name).map_or(&[][..], |(_, right)| right);
            let found = found(text);
            if found == right { Ok(()) } else { Err(format!("{found:#?}")) }
        },
    );
}
