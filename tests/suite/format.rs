//! What holds of the formatted form of any text.

use mediactl::edit::format::formatted;
use mediactl::syntax::{Document, tokens};
use proptest::prelude::*;

use crate::law::{is_valid, view};
use crate::laws::{entries, texts};

/// Formatting keeps words, comments, their order and the JSON, and formats a formatted text no further.
fn holds_of(text: &str) {
    let document = Document::parse(text);
    if !is_valid(&document) {
        return;
    }
    let new = formatted(&document).expect("it is proved").unwrap_or_else(|| text.to_owned());
    let after = Document::parse(&*new);
    assert!(is_valid(&after), "{text:?}\n{new:?}");
    assert_eq!(view(&document, false), view(&after, false), "{text:?}\n{new:?}");
    let raw = |text: &str| tokens(text).map(|token| token.raw.to_owned()).collect::<Vec<_>>();
    assert_eq!(raw(text), raw(&new));
    assert_eq!(formatted(&after), Ok(None), "{text:?}\n{new:?}");
}

#[test]
fn holds_of_every_text_and_line_end() {
    for (_, text) in texts() {
        holds_of(&text);
        holds_of(&text.replace('\n', "\r\n"));
        holds_of(&format!("\u{feff}{text}"));
        holds_of(&text.replace("  ", "\t"));
        holds_of(&text.replace(";\n", ";"));
    }
}

proptest! {
    #[test]
    fn holds_of_random_configurations(text in entries(2)) {
        holds_of(&text);
    }

    #[test]
    fn holds_of_random_white_space(text in r#"(("b\n;"|#c ;\r\n|é\n|a"b c"d|[ \t\r\n]){0,3} a[ \n]{0,4}(;|\{[ \n]?b ?#x}\n\n c;[ \n]{0,2}\})(#y\n|\n){0,3};?){0,6}"#) {
        holds_of(&text);
    }
}
