//! What stands at a place of a text: the blocks around it, the words of its entry in front of it, and the name of a block in
//! one of them.
//!
//! The blocks are read from the tokens, and not from the index: where somebody types, the text is broken most of the time.

use mediaconf::{Document, NameUse, Path, Schema, Scope, Segment, Token, TokenKind, Word};

/// A place in a text.
pub struct Caret<'t> {
    text: &'t str,
    offset: usize,
    /// The words in front of the `{` of each block that is open here, the outermost first.
    blocks: Vec<Vec<Word<'t>>>,
    /// The words of the entry up to this place, with the one that it touches.
    pub words: Vec<Word<'t>>,
    /// The number of the word that it touches.
    pub touched: Option<usize>,
    pub is_in_comment: bool,
}

/// The block around an entry.
pub struct Enclosing {
    /// What may stand in it.
    pub scope: Scope,
    /// Its keyword; empty at the top level.
    pub keyword: String,
}

impl Enclosing {
    pub fn top() -> Self {
        Self { scope: Scope::Top, keyword: String::new() }
    }

    /// The inside of a block in it.
    pub fn inside(&self, keyword: &str, words: usize) -> Self {
        let scope = self.scope.inside(keyword, words);
        Self { scope, keyword: keyword.to_owned() }
    }
}

impl<'t> Caret<'t> {
    pub fn new(document: &'t Document, offset: usize) -> Self {
        let text = document.text();
        let start = document.entries().take_while(|entry| entry.start() <= offset).last();
        let start = start.map_or(0, |entry| entry.start());
        let (mut blocks, mut words, mut touched, mut is_in_comment) = (Vec::new(), Vec::new(), None, false);
        for token in Token::all(&text[start..]) {
            let at = start + token.start;
            let end = at + token.raw.len();
            if at > offset || at == offset && token.kind != TokenKind::Word {
                break;
            }
            match token.kind {
                TokenKind::Word => {
                    words.push(Word::new(token.raw, at as u32));
                    if end >= offset {
                        touched = Some(words.len() - 1);
                        break;
                    }
                }
                TokenKind::Comment => is_in_comment = !text[end.min(offset)..offset].contains('\n'),
                TokenKind::End => words.clear(),
                TokenKind::Open => blocks.push(std::mem::take(&mut words)),
                TokenKind::Close => {
                    blocks.pop();
                    words.clear();
                }
            }
        }
        Self { text, offset, blocks, words, touched, is_in_comment }
    }

    /// The word that the place touches.
    pub fn word(&self) -> Option<Word<'t>> {
        self.touched.map(|number| self.words[number])
    }

    /// The beginning of the word that is being typed.
    pub fn typed(&self) -> &'t str {
        self.word().map_or("", |word| &self.text[word.start as usize..self.offset])
    }

    /// The number of the word that is being typed, with the keyword as 0.
    pub fn index(&self) -> usize {
        self.touched.unwrap_or(self.words.len())
    }

    /// True if nothing stands in front of the word on its line.
    pub fn begins_line(&self) -> bool {
        let start = self.word().map_or(self.offset, |word| word.start as usize);
        self.text[..start].rsplit('\n').next().unwrap_or_default().trim().is_empty()
    }

    /// The block around the entry.
    pub fn enclosing(&self) -> Enclosing {
        self.blocks.iter().fold(Enclosing::top(), |around, head| {
            let keyword = head.first().map(|word| word.value()).unwrap_or_default();
            around.inside(&keyword, head.len().saturating_sub(1))
        })
    }

    /// The name in the word that the place touches.
    pub fn name(&self) -> Option<NameUse<'t>> {
        let around = self.enclosing();
        let word = self.word().filter(|_| self.touched == Some(1) && !self.is_in_comment)?;
        NameUse::behind(around.scope, &around.keyword, &self.words[0].value(), word)
    }

    /// The path of the value that the entry says; `None` for a block without a keyword.
    pub fn path(&self) -> Option<Path> {
        let mut around = Enclosing::top();
        let mut segments = Vec::new();
        for head in self.blocks.iter().chain([&self.words]) {
            let (keyword, arguments) = head.split_first()?;
            segments.extend(steps(around.scope, &keyword.value(), arguments));
            around = around.inside(&keyword.value(), arguments.len());
        }
        Some(Path { segments })
    }
}

/// The steps of a path into an entry: its key, and the name of a block.
fn steps(scope: Scope, keyword: &str, arguments: &[Word<'_>]) -> Vec<Segment> {
    let name = arguments.first().map(|word| word.value().into_owned());
    let (key, name) = match scope.by_keyword(keyword).map(|row| (row, row.codec.facts().group)) {
        Some((_, Some(kind))) => (kind.key().to_owned(), name),
        Some((row, _)) => (row.key.to_owned(), None),
        None if scope.is_reserved(keyword) => (format!("{}{keyword}", Schema::ESCAPE), None),
        None => (keyword.to_owned(), name.filter(|_| Schema::has_named_blocks(keyword))),
    };
    std::iter::once(key).chain(name).map(Segment::Key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with the place marked by `|`: the keyword of the block around it, the path, and what is typed.
    fn seen(marked: &str) -> (String, String, String) {
        let offset = marked.find('|').expect("a place is marked");
        let document = Document::parse(marked.replacen('|', "", 1));
        let caret = Caret::new(&document, offset);
        let path = caret.path().map(|path| path.to_string()).unwrap_or_default();
        (caret.enclosing().keyword, path, caret.typed().to_owned())
    }

    #[test]
    fn a_place_is_found_in_broken_texts_too() {
        for (marked, keyword, path, typed) in [
            ("http 8|0;", "", "http", "8"),
            ("stream a { pre|push 5; }", "stream", "streams.a.prepush", "pre"),
            ("stream a {\n  url udp://1\n  pre|\n}\nstream b {}", "stream", "streams.a.urls", "pre"),
            ("stream a {\n  url udp://1;\n  pre|", "stream", "streams.a.pre", "pre"),
            ("stream a { http { x; } pre|", "stream", "streams.a.pre", "pre"),
            ("template t { dvr @x 7|d; }", "template", "template.t.dvr", "7"),
            ("vsaas { api |a; }", "vsaas", "vsaas.api", ""),
            ("a; }\n b|", "", "b", "b"),
            ("stream a { } |", "", "", ""),
        ] {
            let expected = (keyword.to_owned(), path.to_owned(), typed.to_owned());
            assert_eq!(seen(marked), expected, "{marked:?}");
        }
    }
}
