//! The laws of the formatted form of any text.

use proptest::prelude::*;

use crate::law::formatting_changes_white_space_only;
use crate::laws::{entries, texts};

#[test]
fn holds_of_every_text_and_line_end() {
    for (_, text) in texts() {
        formatting_changes_white_space_only(&text);
        formatting_changes_white_space_only(&text.replace('\n', "\r\n"));
        formatting_changes_white_space_only(&format!("\u{feff}{text}"));
        formatting_changes_white_space_only(&text.replace("  ", "\t"));
        formatting_changes_white_space_only(&text.replace(";\n", ";"));
    }
}

proptest! {
    #[test]
    fn holds_of_random_configurations(text in entries(2)) {
        formatting_changes_white_space_only(&text);
    }

    #[test]
    fn holds_of_random_white_space(text in r#"(("b\n;"|#c ;\r\n|é\n|a"b c"d|[ \t\r\n]){0,3} a[ \n]{0,4}(;|\{[ \n]?b ?#x}\n\n c;[ \n]{0,2}\})(#y\n|\n){0,3};?){0,6}"#) {
        formatting_changes_white_space_only(&text);
    }
}
