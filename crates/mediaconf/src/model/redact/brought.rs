//! Proves that no secret that a mask brought is shown in a text.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::all_secret_spans;
use super::by_value::is_edge;
use crate::syntax::Document;

/// A shorter value may stand in a text by chance: only a whole word is taken for it.
const SHORTEST: usize = 4;

/// Secrets that masks brought into a text, in each way in which they may be written.
#[derive(Default)]
pub struct BroughtSecrets {
    /// By the length of the forms that begin with the same byte.
    lengths: HashMap<u8, BTreeSet<usize>>,
    forms: HashSet<String>,
}

impl BroughtSecrets {
    pub(super) fn add(&mut self, form: &str) {
        if let Some(start) = form.bytes().next() {
            self.lengths.entry(start).or_default().insert(form.len());
            self.forms.insert(form.to_owned());
        }
    }

    /// Returns the place in `after` of the first secret that readers who may see no secrets would see there, and that
    /// they could see neither in `before` nor in what was sent.
    pub fn shown_in(&self, after: &Document, before: &[&Document], sent: &str) -> Option<Range<usize>> {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for document in before {
            for (form, places) in self.open_in(document) {
                let most = seen.entry(form).or_default();
                *most = places.len().max(*most);
            }
        }
        for place in self.places(sent) {
            *seen.entry(self.form(&sent[place])).or_default() += 1;
        }
        let shown = self.open_in(after).into_iter().filter_map(|(form, places)| {
            places.get(seen.get(form).copied().unwrap_or_default()..)?.first().cloned()
        });
        shown.min_by_key(|place| place.start)
    }

    /// The places of the secrets in a document that no mask covers.
    fn open_in(&self, document: &Document) -> HashMap<&str, Vec<Range<usize>>> {
        let text = document.text();
        let spans = all_secret_spans(document);
        let mut open: HashMap<&str, Vec<_>> = HashMap::new();
        for place in self.places(text).filter(|place| !is_within(place, &spans)) {
            open.entry(self.form(&text[place.clone()])).or_default().push(place);
        }
        open
    }

    fn form(&self, found: &str) -> &str {
        self.forms.get(found).map_or("", String::as_str)
    }

    fn places<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let lengths = |start: usize| self.lengths.get(&text.as_bytes()[start]).into_iter().flatten();
        let places =
            (0..text.len()).flat_map(move |start| lengths(start).map(move |length| start..start + length));
        places.filter(|place| text.get(place.clone()).is_some_and(|found| self.forms.contains(found))).filter(
            |place| place.len() >= SHORTEST || (is_edge(text, place.start) && is_edge(text, place.end)),
        )
    }
}

/// True if one of the spans, which are in order, holds all of a place.
pub(super) fn is_within(place: &Range<usize>, spans: &[Range<usize>]) -> bool {
    let next = spans.partition_point(|span| span.end < place.end);
    spans.get(next).is_some_and(|span| span.start <= place.start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{KeptSecrets, Masker};

    #[test]
    fn a_secret_that_a_mask_brought_is_shown_nowhere() {
        let (document, masker) = (Document::parse("cluster_key k#y;\n".to_owned()), Masker::default());
        let kept = KeptSecrets::of(&document, &masker);
        let mask = masker.mask("k#y");
        for (after, sent, shown) in [
            ("weird token k#y;", "", false),
            ("weird token;\nweird k#y;", "", true),
            ("weird token;\nweird xk#y;", "", false),
            ("weird token;\nweird k#y;", "weird k#y; ", false),
            ("url udp://x:1 aac=k#y token;", "", true),
            ("http 80;", "", false),
        ] {
            let after = Document::parse(format!("{}\n{after}\n", document.text()));
            let sent = format!("{sent}{mask}");
            let found = kept.brought_by(&sent).shown_in(&after, &[&document], &sent);
            assert_eq!(found.map(|place| &after.text()[place]), shown.then_some("k#y"), "{after:?}");
        }
    }
}
