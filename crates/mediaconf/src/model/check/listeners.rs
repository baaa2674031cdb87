//! Ports and addresses to listen on: those that are given twice, or to two listeners, and hosts that none can have.

use std::borrow::Cow;
use std::collections::HashMap;

use super::address;
use crate::model::shape::only_argument;
use crate::schema::kinds::PORT;
use crate::syntax::{Diagnostic, Diagnostics, Entry, Word};

/// The directives that name a port or an address to listen on: the keyword of each, and its only word.
#[derive(Default)]
pub(super) struct Listeners<'t>(Vec<(Cow<'t, str>, Word<'t>)>);

impl<'t> Listeners<'t> {
    pub fn add(&mut self, head: Entry<'t>) {
        self.0.extend(only_argument(head).map(|word| (head.keyword(), word)));
    }

    /// Reports repeated ports and addresses, those of two listeners, and those that none can have.
    pub fn report(&self, diagnostics: &mut Diagnostics) {
        let mut seen: HashMap<(&str, Cow<'t, str>), Word<'t>> = HashMap::new();
        let mut by_port: HashMap<String, Vec<(&str, String, Word<'t>)>> = HashMap::new();
        for (keyword, word) in &self.0 {
            let (word, value) = (*word, word.value());
            let (host, port) = value.rsplit_once(':').unwrap_or(("", &*value));
            if address::has_large_part(host) {
                diagnostics.push(address::large_part(word));
            } else if (PORT.read)(Some(word)).is_none() {
                continue;
            } else {
                let others = by_port.entry(port.to_owned()).or_default();
                let clash = others.iter().find(|(other, at, _)| other != keyword && may_be_same(at, host));
                diagnostics.push_any(clash.map(|(other, _, first)| shared(keyword, word, (other, *first))));
                if others.len() < MAX_OTHERS {
                    others.push((keyword, host.to_owned(), word));
                }
            }
            match seen.get(&(&**keyword, value.clone())) {
                Some(first) => diagnostics.push(repeated(keyword, word, *first)),
                None => drop(seen.insert((keyword, value), word)),
            }
        }
    }
}

/// The most addresses of one port with which a new one is compared.
const MAX_OTHERS: usize = 16;

/// True if two listeners of one port meet: no host stands for all addresses.
fn may_be_same(host: &str, other: &str) -> bool {
    host == other || [host, other].iter().any(|host| matches!(*host, "" | "0.0.0.0" | "[::]"))
}

fn shared(keyword: &str, word: Word<'_>, (other, first): (&str, Word<'_>)) -> Diagnostic {
    Diagnostic::warning(word.span(), format!("`{keyword} {}` listens where `{other}` does", word.raw))
        .related(first.span(), "here")
        .hint("give one of them another port")
}

fn repeated(keyword: &str, word: Word<'_>, first: Word<'_>) -> Diagnostic {
    Diagnostic::warning(word.span(), format!("`{keyword} {}` is given twice", word.raw))
        .related(first.span(), "first here")
        .hint("remove one of them")
}
