//! Puts secrets back in the place of their masks.

use std::collections::HashMap;
use std::fmt;

use super::all_secret_spans;
use super::brought::{BroughtSecrets, is_within};
use crate::model::secret::{Masker, Secrecy, masks_in, word_parts};
use crate::syntax::{Document, Token, TokenKind, tokens};
use crate::text::{Word, is_quoted_at, quoted_if_needed, quoted_word};

/// The secrets of a text by their masks.
pub struct KeptSecrets {
    /// The places with one mask have the same bytes, unless two secrets have the same mask by chance.
    by_mask: HashMap<String, Vec<KeptSecret>>,
}

/// A secret as a text has it.
#[derive(PartialEq)]
struct KeptSecret {
    written: String,
    form: SecretForm,
    value: String,
}

/// The place of a part of a token.
#[derive(Clone, Copy, PartialEq)]
enum SecretForm {
    /// In a word, quotes included.
    Word,
    /// Between the quotes of a word.
    Quoted,
    Comment,
}

/// The reason why no secret can be put in the place of a mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskFault {
    /// No secret has the mask.
    Unknown,
    /// Two secrets have the mask.
    Ambiguous,
    /// Readers who may see no secrets would see what stands there.
    Shown,
}

impl fmt::Display for MaskFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "no secret of the text that the change was made of has this mask",
            Self::Ambiguous => "two secrets have this mask",
            Self::Shown => "a mask stands where secrets are not masked, so readers would see its secret",
        })
    }
}

impl KeptSecrets {
    /// The secrets of a document, by the masks that they have in its text and in its JSON.
    pub fn of(document: &Document, masker: &Masker) -> Self {
        let text = document.text();
        let mut kept = Self { by_mask: HashMap::new() };
        let mut tokens = tokens(text).peekable();
        for span in all_secret_spans(document) {
            while tokens.next_if(|token| token.end() <= span.start).is_some() {}
            let form = tokens
                .peek()
                .map_or(SecretForm::Word, |token| form_at(token, span.start - token.start.min(span.start)));
            kept.add(&text[span], form, masker);
        }
        kept
    }

    fn add(&mut self, written: &str, form: SecretForm, masker: &Masker) {
        let value = match form {
            SecretForm::Word => Word::new(written, 0).value().into_owned(),
            SecretForm::Quoted => Word::new(&format!("\"{written}\""), 0).value().into_owned(),
            SecretForm::Comment => written.to_owned(),
        };
        let mut keep = |secret: KeptSecret| {
            let known = self.by_mask.entry(masker.mask(&secret.written)).or_default();
            if !known.contains(&secret) {
                known.push(secret);
            }
        };
        if value != written {
            keep(KeptSecret { written: value.clone(), form: SecretForm::Comment, value: value.clone() });
        }
        keep(KeptSecret { written: written.to_owned(), form, value });
    }

    /// Returns a text with the secrets in the place of their masks.
    ///
    /// # Errors
    /// The place of the first mask that can't be replaced, in bytes.
    pub fn in_text(&self, text: &str) -> Result<String, (usize, MaskFault)> {
        let mut open = String::with_capacity(text.len());
        let mut places = Vec::new();
        let mut end = 0;
        for token in tokens(text) {
            for mask in masks_in(token.raw) {
                let form = form_at(&token, mask.start);
                let at = token.start + mask.start;
                let secret = self.secret(&token.raw[mask.clone()], form).map_err(|fault| (at, fault))?;
                open.push_str(&text[end..at]);
                let begin = open.len();
                open.push_str(&secret.written_in(form));
                places.push((at, begin..open.len()));
                end = token.start + mask.end;
            }
        }
        open.push_str(&text[end..]);
        let document = Document::parse(open);
        let spans = all_secret_spans(&document);
        // Of a text with errors it is unclear what its words mean, and it is refused.
        let is_clear = document.diagnostics().errors() == 0;
        match places.into_iter().find(|(_, place)| is_clear && !is_within(place, &spans)) {
            Some((at, _)) => Err((at, MaskFault::Shown)),
            None => Ok(document.text().to_owned()),
        }
    }

    /// Returns a word with the secrets in the place of their masks.
    pub(super) fn in_word(&self, word: &str, secrecy: Secrecy) -> Result<String, MaskFault> {
        let mut open = String::with_capacity(word.len());
        let mut places = Vec::new();
        let mut end = 0;
        for mask in masks_in(word) {
            let secret = self.secret(&word[mask.clone()], SecretForm::Word)?;
            open.push_str(&word[end..mask.start]);
            let begin = open.len();
            open.push_str(&secret.value);
            places.push(begin..open.len());
            end = mask.end;
        }
        open.push_str(&word[end..]);
        let parts = if places.is_empty() { Vec::new() } else { word_parts(&open, secrecy) };
        match places.iter().all(|place| is_within(place, &parts)) {
            true => Ok(open),
            false => Err(MaskFault::Shown),
        }
    }

    /// The secret with a mask, for a place of this form: the same bytes may mean different words, such as `"x"` in a
    /// directive and in a comment.
    fn secret(&self, mask: &str, form: SecretForm) -> Result<&KeptSecret, MaskFault> {
        let known = self.by_mask.get(mask).ok_or(MaskFault::Unknown)?;
        let first = known.first().ok_or(MaskFault::Unknown)?;
        if known.iter().any(|other| other.written != first.written) {
            return Err(MaskFault::Ambiguous);
        }
        let of_form = |form: SecretForm| known.iter().find(|secret| secret.form == form);
        Ok(of_form(form).or_else(|| of_form(SecretForm::Word)).unwrap_or(first))
    }

    /// The secrets that the masks in a text or in JSON stand for.
    pub fn brought_by(&self, sent: &str) -> BroughtSecrets {
        let mut brought = BroughtSecrets::default();
        for secret in masks_in(sent).filter_map(|mask| self.by_mask.get(&sent[mask])).flatten() {
            brought.add(&secret.written);
            brought.add(&secret.value);
            brought.add(&between_quotes(&secret.value));
        }
        brought
    }
}

impl KeptSecret {
    /// The bytes that stand for the secret in a place of this form: those from a place of the same form, if it had one.
    fn written_in(&self, form: SecretForm) -> String {
        match form {
            _ if self.form == form => self.written.clone(),
            SecretForm::Word => quoted_if_needed(&self.value).into_owned(),
            SecretForm::Quoted => between_quotes(&self.value),
            SecretForm::Comment => self.value.replace(['\r', '\n'], " "),
        }
    }
}

/// The value as it stands between the quotes of a word.
fn between_quotes(value: &str) -> String {
    let word = quoted_word(value);
    word[1..word.len() - 1].to_owned()
}

fn form_at(token: &Token<'_>, offset: usize) -> SecretForm {
    match token.kind {
        TokenKind::Comment => SecretForm::Comment,
        _ if is_quoted_at(token.raw, offset) => SecretForm::Quoted,
        _ => SecretForm::Word,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::redact::{SecretNumbers, masked_document, masked_json, unmasked_json};
    use crate::model::{Config, Masker};

    const TEXT: &str = "edit_auth admin \"two words\";\ncluster_key k#y;\n# password old1;\nstream a {\n  \
                        url rtsp://u:p%40w@h/x?token=t1;\n  password \"q\\\"1\"; # token=t2\n  \
                        url \"rtsp://v:q\\\\w@h/a b\";\n  auth http://h { header.token \"a;b\"; }\n}\n";

    fn kept() -> (KeptSecrets, Masker, Document) {
        let (document, masker) = (Document::parse(TEXT), Masker::default());
        (KeptSecrets::of(&document, &masker), masker, document)
    }

    #[test]
    fn a_masked_text_is_the_text_again() {
        let (kept, masker, document) = kept();
        let masked = masked_document(&document, &masker);
        assert!(!masked.contains("two words") && masked.contains("<secret:"), "{masked}");
        assert_eq!(kept.in_text(&masked), Ok(TEXT.to_owned()));
        let json = Config::own(&document).to_json();
        let masked = masked_json(&json, &masker);
        assert_ne!(masked, json);
        assert_eq!(unmasked_json(&masked, &kept, &SecretNumbers::default()), Ok(json));
    }

    #[test]
    fn a_secret_moves_with_its_mask_and_is_written_as_its_place_needs_it() {
        let (kept, masker, _) = kept();
        let mask = |secret: &str| masker.mask(secret);
        for (masked, expected) in [
            (format!("password {};", mask("\"two words\"")), Ok("password \"two words\";")),
            (format!("password {};", mask("two words")), Ok("password \"two words\";")),
            (format!("password \"x{}\";", mask("\"two words\"")), Ok("password \"xtwo words\";")),
            (
                format!("stream b {{ url rtsp://w:{}@h; }}", mask("k#y")),
                Ok("stream b { url rtsp://w:k#y@h; }"),
            ),
            (format!("password \"{}\";", mask("q\"1")), Ok("password \"q\\\"1\";")),
            (format!("stream b {{ title {}; }}", mask("k#y")), Err((17, MaskFault::Shown))),
            (format!("# {}\n", mask("k#y")), Err((2, MaskFault::Shown))),
            (format!("password {};", mask("another")), Err((9, MaskFault::Unknown))),
        ] {
            assert_eq!(kept.in_text(&masked), expected.map(str::to_owned), "{masked}");
        }
    }

    #[test]
    fn equal_secrets_in_another_spelling_do_not_clash() {
        let text = "stream a { password \"x\"; }\n# password \"x\";\nstream b { password x; }\n";
        let (document, masker) = (Document::parse(text.to_owned()), Masker::default());
        let kept = KeptSecrets::of(&document, &masker);
        assert_eq!(kept.in_text(&masked_document(&document, &masker)), Ok(text.to_owned()));
        let json = Config::own(&document).to_json();
        assert_eq!(unmasked_json(&masked_json(&json, &masker), &kept, &SecretNumbers::default()), Ok(json));
    }

    #[test]
    fn a_number_stays_one_where_its_mask_comes_back() {
        let text = "stream a { pin 729901; password \"729901\"; }\nstream b { pin 5; }\n";
        let (document, masker) = (Document::parse(text.to_owned()), Masker::default());
        let json = Config::own(&document).to_json();
        let kept = KeptSecrets::of(&document, &masker);
        let numbers = SecretNumbers::of(&json, &masker);
        let masked = masked_json(&json, &masker);
        assert_ne!(masked, json);
        assert_eq!(unmasked_json(&masked, &kept, &numbers), Ok(json));
        let moved = json!({ "streams": { "c": { "pin": masked["streams"]["b"]["pin"] } } });
        assert_eq!(unmasked_json(&moved, &kept, &numbers), Ok(json!({ "streams": { "c": { "pin": 5 } } })));
    }

    #[test]
    fn a_mask_in_json_stands_in_a_secret_place_alone() {
        let (kept, masker, _) = kept();
        let mask = masker.mask("k#y");
        let of = |member: &str, value: Value| json!({ "streams": { "b": { member: value } } });
        let restored = unmasked_json(&of("password", mask.clone().into()), &kept, &SecretNumbers::default());
        assert_eq!(restored, Ok(of("password", "k#y".into())));
        let shown = unmasked_json(&of("title", mask.into()), &kept, &SecretNumbers::default());
        let keys = ["streams", "b", "title"].map(str::to_owned).to_vec();
        assert_eq!(shown, Err((keys, MaskFault::Shown)));
    }
}
