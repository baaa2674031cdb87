//! Paragraphs on the terminal.

use unicode_width::UnicodeWidthStr;

/// Breaks a text between words into lines of at most `width` columns; a longer word has a line of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a first line");
        match line.is_empty() || line.width() + 1 + word.width() <= width {
            true if line.is_empty() => line.push_str(word),
            true => *line = format!("{line} {word}"),
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdefgh i", 4), ["abcdefgh", "i"]);
        assert_eq!(wrapped("漢字 漢字", 8), ["漢字", "漢字"]);
        assert_eq!(wrapped("a b", usize::MAX), ["a b"]);
    }
}
