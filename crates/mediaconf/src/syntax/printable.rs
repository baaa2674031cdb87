//! Text without the characters that a terminal obeys.
//!
//! Names, comments, messages of other servers and the output of hooks may hold anything. A terminal
//! obeys some of it: it moves the cursor, changes its title, turns the order of letters.

use std::borrow::Cow;

/// True if a terminal obeys this character: a control character other than a line feed or a tab, or a
/// character that changes the direction of the text.
pub fn controls_terminal(character: char) -> bool {
    let changes_direction = matches!(character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (character.is_control() && !matches!(character, '\n' | '\t')) || changes_direction
}

/// Replaces the characters that a terminal obeys with U+FFFD; line ends and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(controls_terminal) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace(controls_terminal, "\u{fffd}"))
}

/// The same on one line: line ends and tabs become blanks.
pub fn one_line(text: &str) -> String {
    printable(&text.replace(['\n', '\r', '\t'], " ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn one_line_has_no_line_ends_tabs_or_control_characters() {
        assert_eq!(one_line("a\nb\tc\u{1b}\u{202e}"), "a b c\u{fffd}\u{fffd}");
    }
}
