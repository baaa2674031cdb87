//! Tests of texts, entries and tokens, and the counter that shows that work is linear.

use proptest::prelude::*;

use super::*;

/// Counts the words and the entries that are read: a measure of work that does not depend on the
/// machine. Tests alone count.
pub mod work {
    use std::cell::Cell;

    thread_local! {
        static READ: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts one word or entry.
    pub fn count() {
        READ.set(READ.get() + 1);
    }

    /// Returns how many words and entries this thread reads while it runs `work`.
    pub fn measure<T>(work: impl FnOnce() -> T) -> usize {
        let before = READ.get();
        drop(work());
        READ.get() - before
    }
}

fn walk<'d>(entries: impl Iterator<Item = Entry<'d>>) {
    for entry in entries {
        let mut words = entry.words();
        let keyword = words.next().map(|word| word.value()).unwrap_or_default();
        assert_eq!(entry.keyword(), keyword);
        assert_eq!(entry.count_arguments(), words.clone().count());
        assert!(entry.arguments().eq(words));
        let pairs = entry.words().zip(entry.words().skip(1));
        let mut gaps = pairs.map(|(word, next)| word.end() as usize..next.start as usize);
        let text = entry.document().text();
        assert_eq!(entry.is_spanning(), gaps.any(|gap| text[gap].contains('\n')));
        walk(entry.children());
    }
}

proptest! {
    #[test]
    fn what_is_known_without_lexing_is_what_the_words_say(text in r#"[a'"\\;{} \n#é]{0,60}"#) {
        walk(Document::parse(text).entries());
    }
}

#[test]
fn long_keywords_and_many_words_are_counted_in_the_text() {
    let (long, many) = ("k".repeat(256), "a ".repeat(1 << 16));
    let document = Document::parse(format!("{long} a; k {many};"));
    let [first, second] = [0, 1].map(|index| document.entry(index));
    assert_eq!((first.keyword().len(), first.count_arguments()), (256, 1));
    assert!(first.arguments().eq(first.words().skip(1)));
    assert_eq!((&*second.keyword(), second.count_arguments()), ("k", 1 << 16));
}

#[test]
fn tokens_are_what_the_grammar_says() {
    use TokenKind::{Close, Comment, End, Open, Word};
    let found: Vec<_> = Token::all("\u{feff}a \"b;\"c;#d \r\n\n{ e#f }")
        .map(|token| (token.line_feeds, token.kind, token.raw))
        .collect();
    let expected = [
        (0, Word, "a"),
        (0, Word, "\"b;\"c"),
        (0, End, ";"),
        (0, Comment, "#d"),
        (2, Open, "{"),
        (0, Word, "e#f"),
        (0, Close, "}"),
    ];
    assert_eq!(found, expected);
}

proptest! {
    #[test]
    fn words_are_tokens(text in r#"(("b;\\""|#c;\n|é\n|a"b c"d){0,3} a(;|\{b #x}\n  c;\})){0,6}"#) {
        let document = Document::parse(text.clone());
        prop_assert_eq!(document.diagnostics().errors(), 0);
        let words: Vec<&str> = document.all_entries().flat_map(|entry| entry.words()).map(|word| word.raw).collect();
        let is_word = |token: &Token<'_>| token.kind == TokenKind::Word;
        let found: Vec<&str> = Token::all(&text).filter(is_word).map(|token| token.raw).collect();
        prop_assert_eq!(found, words);
    }
}

proptest! {
    /// Open quotes, too, which are read to the end of their line.
    #[test]
    fn comments_are_tokens(text in "\u{feff}?([a\"#\\\\;{] ?|[ \n]|\"\\\\\"\n){0,60}") {
        let is_comment = |token: &Token<'_>| token.kind == TokenKind::Comment;
        let found: Vec<_> = Token::all(&text).filter(is_comment).map(|token| (token.start, token.raw)).collect();
        prop_assert_eq!(comments(&text).collect::<Vec<_>>(), found);
        let mut end = 0;
        for token in Token::all(&text).filter(|token| token.kind == TokenKind::Word) {
            prop_assert!(end <= token.start);
            // The word alone, to the end of the text.
            let alone = super::word::word(&mut &text.as_bytes()[token.start..]).map(|(raw, _)| raw.len());
            prop_assert_eq!(alone.ok(), Some(token.raw.len()));
            end = token.start + token.raw.len();
        }
    }
}
