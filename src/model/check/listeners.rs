//! Ports and addresses to listen on: those that are given twice, and ports over 65535.

use std::borrow::Cow;
use std::collections::HashMap;

use super::address;
use crate::model::shape::{Port, only_argument};
use crate::syntax::{Diagnostic, Diagnostics, Directive, ParsedEntry, Word};

/// The directives of other servers of the family that name a port or an address to listen on.
const FOREIGN: [&str; 3] = ["https", "rtmps", "rtsps"];

/// Whether a foreign keyword names where to listen.
pub(super) fn is_foreign_listener(keyword: &str) -> bool {
    FOREIGN.contains(&keyword)
}

/// The directives that name a port or an address to listen on: the keyword of each, and its only word.
#[derive(Default)]
pub(super) struct Listeners<'t>(Vec<(Cow<'t, str>, Word<'t>)>);

impl<'t> Listeners<'t> {
    pub fn add(&mut self, head: ParsedEntry<'_, 't>) {
        self.0.extend(only_argument(head).map(|word| (head.keyword(), word)));
    }

    /// Adds the directives from further down in the same text.
    pub fn extend(&mut self, later: Self) {
        self.0.extend(later.0);
    }

    /// Reports repeated ports and addresses, and ports that are too large.
    pub fn report(&self, diagnostics: &mut Diagnostics) {
        let mut seen: HashMap<(&str, Cow<'t, str>), Word<'t>> = HashMap::new();
        for (keyword, word) in &self.0 {
            let (word, value) = (*word, word.value());
            let port = value.rsplit_once(':').map_or(&*value, |(_, port)| port);
            if address::is_too_large(port) {
                diagnostics.push(address::too_large(word));
            } else if Port::of(&*value).is_none() {
                continue;
            }
            match seen.get(&(&**keyword, value.clone())) {
                Some(first) => diagnostics.push(repeated(keyword, word, *first)),
                None => drop(seen.insert((keyword, value), word)),
            }
        }
    }
}

fn repeated(keyword: &str, word: Word<'_>, first: Word<'_>) -> Diagnostic {
    Diagnostic::warning(word.span(), format!("`{keyword} {}` is given twice", word.raw))
        .related(first.span(), "first here")
        .hint("remove one of them")
}
