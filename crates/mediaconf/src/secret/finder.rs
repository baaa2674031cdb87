//! Finds the secrets in a text: the one finder, from which masked texts are made.

use std::array;
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use super::forms::{Plain, Ranges, merged, part, prose_parts, word_parts};
use super::names::{
    Secrecy, WordReader, is_account, is_other_account, is_push, is_secret_name, leading_name,
};
use super::values::{SecretValues, is_one_of};
use crate::schema::{Kind, Scope, inner_scope, read};
use crate::syntax::{Document, Entry, Word, bytes_of, comments};

/// Names that are words of plain English too: in a comment they count only where a directive has them.
const ORDINARY: &str =
    "pass passcode pin key token tokens iv license credential credentials bearer signature hmac cookie";

/// The characters between two words.
const BLANKS: [char; 5] = [' ', '\t', '\r', '\n', '#'];

/// The characters that end a directive.
pub const ENDS: [char; 3] = [';', '{', '}'];

impl Document {
    /// The places of the secrets in the text, in its order.
    ///
    /// In a text with errors it is unclear which words belong to a directive, so there every word behind
    /// the name of a secret counts.
    pub fn secret_spans(&self) -> Ranges {
        let whole = std::iter::once(0..self.text().len()).collect();
        let [spans] = secrets_in([self], [whole]);
        spans
    }
}

/// Returns the secrets in these windows of each text, and maybe others: by their place or their form, and in comments those
/// that stand elsewhere in one of the texts. Outside of its windows each text equals the first one.
pub fn secrets_in<const N: usize>(documents: [&Document; N], windows: [Ranges; N]) -> [Ranges; N] {
    let windows = windows.map(merged);
    let comments = |side: usize| {
        windows[side].iter().flat_map(move |window| comments_in(documents[side].text(), window.clone()))
    };
    if (0..N).all(|side| comments(side).next().is_none()) {
        let mut plain = PlainTexts::default();
        return array::from_fn(|side| secrets_by_place(documents[side], &windows[side], &mut plain));
    }
    let mut values = SecretValues::default();
    // Each entry of the first text, and those of the others that it does not have.
    let mut found = array::from_fn(|side| {
        let [_, differing] = documents[0].differing(documents[side]);
        let entries = documents[side].entries_in(differing).map(|entry| entry.start()..entry.end());
        let whole = (side == 0).then_some(0..documents[side].text().len());
        let looked_at = entries.chain(whole).chain(windows[side].iter().cloned()).collect();
        values.add(documents[side], &merged(looked_at))
    });
    // Many comments say the same.
    let mut known = HashMap::default();
    for (side, found) in found.iter_mut().enumerate() {
        for Range { start, end } in comments(side) {
            let comment = &documents[side].text()[start..end];
            let told = known.entry(comment).or_insert_with(|| values.spans(comment, SecretValues::ENCODINGS));
            found.extend(told.iter().map(|span| start + span.start..start + span.end));
        }
    }
    found.map(merged)
}

/// The comments in a part of a text.
pub fn comments_in(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let start = part.start;
    comments(&text[part]).map(move |(at, comment)| start + at..start + at + comment.len())
}

/// Returns the secrets in these windows of a text, and maybe others, that their place or their form gives away.
pub fn secrets_by_place<'d>(
    document: &'d Document,
    windows: &[Range<usize>],
    plain: &mut PlainTexts<'d>,
) -> Ranges {
    let text = document.text();
    let mut finder = Finder { windows, spans: Vec::new(), plain };
    finder.entries((Scope::Top, Secrecy::Parts), document.entries());
    if document.diagnostics().errors() > 0 {
        let (mut start, mut directive) = (0, Secrecy::Parts);
        for line in text.split_inclusive('\n') {
            let (parts, secrecy) = line_parts(line, Some(directive));
            finder.push(start, parts);
            (start, directive) = (start + line.len(), secrecy);
        }
        return merged(finder.spans);
    }
    for comment in windows.iter().flat_map(|window| comments_in(text, window.clone())) {
        finder.unless_plain((None, &text[comment.clone()]), |finder| {
            finder.push(comment.start, line_parts(&text[comment.clone()], None).0);
        });
    }
    let cut: Ranges = finder.spans.iter().flat_map(|secret| behind_cut(text, secret)).collect();
    finder.spans.extend(cut);
    merged(finder.spans)
}

/// The words behind a secret in single quotes, which do not quote: `'p@ss;word'` is cut at the `;`.
fn behind_cut(text: &str, secret: &Range<usize>) -> Ranges {
    let is_open =
        |(name, value): (&str, &str)| !name.ends_with(char::is_alphanumeric) && !value.contains('\'');
    let (secret, behind) = (&text[secret.clone()], &text[secret.end..]);
    let end = if secret.split_once('\'').is_some_and(is_open) { behind.find(['\'', '\n']) } else { None };
    let rest = end.map(|end| &behind[..=end]).filter(|rest| rest.ends_with('\'')).unwrap_or("");
    rest.split(|c| ENDS.contains(&c) || BLANKS.contains(&c)).filter_map(|word| part(text, word)).collect()
}

/// The scope of a block, and how secret it makes the words in it.
pub type Around = (Scope, Secrecy);

/// The directives without secrets, each with what is around it, and the comments. Many say the same, and most stand in both
/// texts of a diff.
pub type PlainTexts<'d> = HashSet<(Option<Around>, &'d str)>;

struct Finder<'d, 'f> {
    /// In their order.
    windows: &'f [Range<usize>],
    spans: Ranges,
    plain: &'f mut PlainTexts<'d>,
}

impl<'d> Finder<'d, '_> {
    /// Looks for secrets in a text, unless it is known that there are none.
    fn unless_plain(&mut self, key: (Option<Around>, &'d str), look: impl FnOnce(&mut Self)) {
        let found = self.spans.len();
        if self.plain.insert(key) {
            look(self);
            if self.spans.len() > found {
                self.plain.remove(&key);
            }
        }
    }

    fn push(&mut self, start: usize, parts: Ranges) {
        self.spans.extend(parts.into_iter().map(|part| start + part.start..start + part.end));
    }

    fn entries(&mut self, around: Around, entries: impl Iterator<Item = Entry<'d>>) {
        for entry in entries {
            let next = self.windows.partition_point(|window| window.end <= entry.start());
            if self.windows.get(next).is_some_and(|window| window.start < entry.end()) {
                // Of a block, a part may stand outside of the windows.
                if entry.is_block() {
                    let inside = self.words(around, entry);
                    self.entries(inside, entry.children());
                } else {
                    self.unless_plain((Some(around), entry.text()), |finder| _ = finder.words(around, entry));
                }
            }
        }
    }

    /// Finds the secrets among the words of a directive. Among those of a known one, too, a name may stand in front of a
    /// secret: the name of a directive in front of which the `;` is lost. Of an unknown one, words and blocks behind the name
    /// of a secret are secret.
    fn words(&mut self, (scope, inherited): Around, entry: Entry<'_>) -> Around {
        let Ok(row) = read(scope, entry) else {
            let mut reader = WordReader::new(inherited);
            entry.words().for_each(|word| self.word(reader.next(&word.value()), word, false));
            // A block may have any name.
            let is_name = reader.secrecy == Secrecy::Account && !is_other_account(&entry.keyword());
            let inside = if is_name { inherited } else { reader.secrecy };
            return (if inside == Secrecy::Parts { inner_scope(entry) } else { Scope::Unknown }, inside);
        };
        let (facts, mut reader) = (row.codec.facts(), WordReader::new(Secrecy::Parts));
        match facts.object {
            Some(object) => object.part_words(entry).for_each(|(part, word)| {
                self.word(reader.next(&word.value()), word, part.is_some_and(|part| part.secret));
            }),
            None => {
                let mut words = entry.arguments().peekable();
                while let Some(word) = words.next() {
                    let value = word.value();
                    let is_last = words.peek().is_none();
                    let secrecy = if is_last { reader.last(&value) } else { reader.next(&value) };
                    self.word(secrecy, word, row.secret && facts.address.is_none());
                }
            }
        }
        (facts.group.map_or(Scope::Unknown, Kind::scope), Secrecy::Parts)
    }

    fn word(&mut self, secrecy: Secrecy, word: Word<'_>, is_secret: bool) {
        let value = word.value();
        let secret = match word.option() {
            _ if is_secret || secrecy.hides(&value) => Some(word),
            (key, value) => value.filter(|value| Secrecy::from_name(&key.value()).hides(&value.value())),
        };
        if let Some(secret) = secret {
            return self.spans.extend(Some(bytes_of(&secret.span())).filter(|place| !place.is_empty()));
        }
        let mut parts = word_parts(&value, secrecy);
        if word.quoted && !parts.is_empty() {
            let plain = Plain::unquoted(word.raw);
            parts.iter_mut().for_each(|part| *part = plain.place_in_word(word.raw, part));
        }
        self.push(word.start as usize, parts);
    }
}

/// The secret parts of a line that is not parsed, and the secrecy of the directive at its end: of a comment, or of a
/// message, which may be or quote directives, and of a text with errors. There all words behind the name of a secret count,
/// to the end of the line and of the directive, and `continued` is the secrecy that this has reached on the lines before.
pub fn line_parts(line: &str, continued: Option<Secrecy>) -> (Ranges, Secrecy) {
    let mut parts = prose_parts(line);
    // What stands in quotes is a word. In a text with errors a quote may be open above: each quote may be the first of two.
    for word in line.split('"').skip(1).step_by(if continued.is_some() { 1 } else { 2 }) {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        parts.extend(word_parts(word, Secrecy::Parts).iter().map(|part| at + part.start..at + part.end));
    }
    // Quotes may stand anywhere: `to"ken"=…`.
    let plain = Plain::unquoted(line);
    let mut mark = |inside: &str, found: Ranges| {
        let at = inside.as_ptr() as usize - plain.text.as_ptr() as usize;
        parts.extend(found.iter().map(|part| plain.place_of(&(at + part.start..at + part.end))));
    };
    let mut reader = WordReader::new(continued.unwrap_or(Secrecy::Parts));
    let mut is_secret_line = reader.secrecy == Secrecy::Whole;
    for clause in plain.text.split_inclusive(ENDS) {
        let words = clause.trim_end_matches(ENDS);
        mark(words, prose_parts(words));
        let is_directive = continued.is_some() || clause.ends_with(ENDS);
        let (mut is_first, mut has_label) = (true, false);
        for word in words.split(BLANKS).filter(|word| !word.is_empty()) {
            let name = leading_name(word);
            // `# was: pass …`, `# login: … pass: …`
            is_first |= has_label && word.ends_with(':');
            let counts = is_directive || is_first || is_unmistakable(name) || reader.is_completed_by(name);
            is_first = word.ends_with(':');
            has_label |= is_first;
            let own = if counts { reader.next(name) } else { reader.secrecy };
            match if is_secret_line { Secrecy::Whole } else { own } {
                Secrecy::Parts | Secrecy::Push if reader.secrecy.hides(word) => {
                    // What follows the name of a secret in the same word: `"password":"…"`.
                    let at = name.as_ptr() as usize - word.as_ptr() as usize + name.len();
                    let value = word[at..].trim_start_matches(['=', ':', '\'', '>', ',']);
                    mark(value, word_parts(value, reader.secrecy));
                }
                // The line was looked at as a whole.
                Secrecy::Parts if !is_push(name) => {}
                secrecy => mark(word, word_parts(word, secrecy)),
            }
            is_secret_line |= continued.is_some() && reader.secrecy == Secrecy::Whole;
        }
        if clause.ends_with(ENDS) {
            reader = WordReader::new(Secrecy::Parts);
        }
    }
    (parts, reader.secrecy)
}

/// True if a word in a comment names a secret wherever it stands.
fn is_unmistakable(name: &str) -> bool {
    is_account(name) || is_push(name) || (is_secret_name(name) && !is_one_of(ORDINARY, name))
}

#[cfg(test)]
mod tests {
    use crate::{Document, Masker};

    #[test]
    fn a_secret_behind_a_lost_semicolon_is_masked_among_options() {
        let text = "stream a {\n  input udp://239.0.0.1:12 a=1\n  password hunter2 hunter3;\n}\n";
        let masked = Masker::Opaque.document(&Document::parse(text));
        let expected = "  password <secret:000000> <secret:000000>;";
        assert_eq!(masked.lines().nth(2), Some(expected));
    }
}
