//! Paragraphs on the terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Breaks a text between words into lines of at most `width` columns; a longer word has a line of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let (mut lines, mut taken) = (vec![String::new()], 0);
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a first line");
        let columns = word.width();
        if line.is_empty() {
            line.push_str(word);
            taken = columns;
        } else if taken + 1 + columns <= width {
            line.push(' ');
            line.push_str(word);
            taken += 1 + columns;
        } else {
            lines.push(word.to_owned());
            taken = columns;
        }
    }
    lines
}

/// The same where no line may be longer: a word that is gets several lines.
pub fn broken(text: &str, width: usize) -> Vec<String> {
    let words = text.split(' ').flat_map(|word| pieces(word, width.max(2)));
    wrapped(&words.collect::<Vec<_>>().join(" "), width)
}

/// A word in pieces of at most `width` columns.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        let piece = pieces.last_mut().expect("there is a first piece");
        match piece.width() + c.width().unwrap_or_default() <= width {
            true => piece.push(c),
            false => pieces.push(c.to_string()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::{broken, wrapped};

    #[test]
    fn no_line_is_longer_where_none_may_be() {
        assert_eq!(broken("abcdefgh i", 4), ["abcd", "efgh", "i"]);
        assert_eq!(broken("漢字漢 a", 5), ["漢字", "漢 a"]);
        assert_eq!(broken("", 4), [""]);
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdefgh i", 4), ["abcdefgh", "i"]);
        assert_eq!(wrapped("漢字 漢字", 8), ["漢字", "漢字"]);
        assert_eq!(wrapped("a b", usize::MAX), ["a b"]);
    }
}
