//! Faults in whose messages no secret stands.

use std::iter;

use super::secret_spans;
use crate::model::secret::Masker;
use crate::schema::Schema;
use crate::syntax::{Diagnostic, Document, Span, line_end, line_start};

/// A shorter secret may stand in a message by chance: it is masked only where it is quoted.
const SHORTEST: usize = 4;

/// Returns a fault of a text with the secrets in its messages masked.
///
/// A message quotes words, and where a `;` is lost a word of another directive is one. So the lines of the fault are looked
/// at as those of a broken text, in which every word behind the name of a secret counts.
pub fn without_secrets(schema: &'static Schema, text: &str, fault: &Diagnostic) -> Diagnostic {
    let mut told = fault.clone();
    for secret in secrets_near(schema, text, fault) {
        let related = told.related.iter_mut().map(|(_, message)| message);
        for message in iter::once(&mut told.message).chain(&mut told.hint).chain(related) {
            *message = masked(message, &secret);
        }
    }
    told
}

fn masked(message: &str, secret: &str) -> String {
    let mask = Masker::opaque().mask(secret);
    match secret.len() < SHORTEST {
        true => message.replace(&format!("`{secret}`"), &format!("`{mask}`")),
        false => message.replace(secret, &mask),
    }
}

fn secrets_near(schema: &'static Schema, text: &str, fault: &Diagnostic) -> Vec<String> {
    let lines = |span: &Span| {
        line_start(text, (span.start as usize).min(text.len()))
            ..line_end(text, (span.end as usize).min(text.len()))
    };
    let spans = iter::once(&fault.span).chain(fault.related.as_ref().map(|(span, _)| span));
    let mut found = Vec::new();
    for window in spans.map(lines) {
        let broken = Document::parse_as(schema, format!("{}\n}}", &text[window.clone()]));
        let secrets = secret_spans(&broken, std::slice::from_ref(&(0..window.len())));
        found.extend(secrets.into_iter().map(|span| broken.text()[span].trim_matches('"').to_owned()));
    }
    found.retain(|secret| !secret.is_empty());
    found
}

#[test]
fn a_message_does_not_quote_a_secret_behind_a_lost_semicolon() {
    let text = "stream b {\n  input udp://239.0.0.1:12 a=1\n  password hunter2 hunter2;\n}\n";
    let place = text.rfind("hunter2").expect("it is there") as u32;
    let message = "the option `hunter2` is given more than once".to_owned();
    let fault = Diagnostic::warning(place..place + 7, message);
    let told = without_secrets(Schema::media(), text, &fault);
    assert_eq!(told.message, "the option `<secret:000000>` is given more than once");
}
