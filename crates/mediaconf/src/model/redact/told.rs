//! Faults in whose messages no secret stands.

use std::iter;
use std::ops::Range;

use super::secret_spans;
use crate::model::secret::Masker;
use crate::syntax::{Diagnostic, Document, Span, line_end, line_start};

/// A shorter secret may stand in a message by chance: it is masked only where it is quoted.
const SHORTEST: usize = 4;

/// Masks the secrets in the messages of the faults of a text.
///
/// A message quotes words, and where a `;` is lost a word of another directive is one. So the lines of the fault are looked
/// at as those of a broken text, in which every word behind the name of a secret counts.
pub struct FaultMasker<'t> {
    text: &'t str,
    /// The lines of the last fault, which are mostly those of the next one, too.
    lines: Range<usize>,
    /// The secrets in these lines.
    secrets: Vec<String>,
}

impl<'t> FaultMasker<'t> {
    /// For the faults of `text`.
    pub fn new(text: &'t str) -> Self {
        Self { text, lines: 0..0, secrets: Vec::new() }
    }

    /// Returns the fault without secrets.
    pub fn masked(&mut self, fault: &Diagnostic) -> Diagnostic {
        let mut told = fault.clone();
        let spans = iter::once(&fault.span).chain(fault.related.as_ref().map(|(span, _)| span));
        for span in spans {
            for secret in self.secrets_near(span) {
                let related = told.related.iter_mut().map(|(_, message)| message);
                for message in iter::once(&mut told.message).chain(&mut told.hint).chain(related) {
                    *message = masked(message, secret);
                }
            }
        }
        told
    }

    fn secrets_near(&mut self, span: &Span) -> &[String] {
        let [start, end] = [span.start, span.end].map(|place| (place as usize).min(self.text.len()));
        let lines = line_start(self.text, start)..line_end(self.text, end);
        if self.lines != lines {
            self.secrets = secrets_in(&self.text[lines.clone()]);
            self.lines = lines;
        }
        &self.secrets
    }
}

fn masked(message: &str, secret: &str) -> String {
    let mask = Masker::opaque().mask(secret);
    match secret.len() < SHORTEST {
        true => message.replace(&format!("`{secret}`"), &format!("`{mask}`")),
        false => message.replace(secret, &mask),
    }
}

fn secrets_in(lines: &str) -> Vec<String> {
    let broken = Document::parse(format!("{lines}\n}}"));
    let spans = secret_spans(&broken, std::slice::from_ref(&(0..lines.len())));
    let secrets = spans.into_iter().map(|span| broken.text()[span].trim_matches('"').to_owned());
    secrets.filter(|secret| !secret.is_empty()).collect()
}

#[test]
fn a_message_does_not_quote_a_secret_behind_a_lost_semicolon() {
    let text = "stream b {\n  input udp://239.0.0.1:12 a=1\n  password hunter2 hunter2;\n}\n";
    let place = text.rfind("hunter2").expect("it is there") as u32;
    let message = "the option `hunter2` is given more than once".to_owned();
    let fault = Diagnostic::warning(place..place + 7, message);
    let told = FaultMasker::new(text).masked(&fault);
    assert_eq!(told.message, "the option `<secret:000000>` is given more than once");
}
