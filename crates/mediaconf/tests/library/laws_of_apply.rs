//! The laws of `apply --prune`: over pairs of texts, each of which is the desired state of another one.

use mediaconf::{Config, Document, FaultKind, Prune, Request};
use serde_json::Value;

use crate::fixtures;
use crate::law::{holds_misshapen, is_valid, view};
use crate::laws::{SAMPLE, caught, mutations, texts};

/// The number of other texts of which each text is the desired state.
const OTHERS: usize = 3;

/// One of this many mutations that the laws examine is a pair with its text, if the text is short.
const STRIDE: usize = 11;

/// The document that a desired state makes of another one.
fn applied(request: &Request, to: &Document) -> Document {
    let config = Config::new(to);
    let patch = request.evaluate(&config).expect("a state has no faults");
    let edit = to.modify(patch.clone(), FaultKind::DOUBTS);
    let edit = edit.unwrap_or_else(|error| panic!("{error:?}\n{patch}\n{}", to.text()));
    edit.map_or_else(|| to.clone(), |edit| edit.document)
}

/// True if a merge would put words among blocks with names, which no object can hold.
fn mixes_named_blocks(request: &Request, to: &Document) -> bool {
    let patch = request.evaluate(&Config::new(to)).expect("a state has no faults");
    to.modify(patch, FaultKind::DOUBTS).is_err_and(|error| error.to_string().contains("named blocks"))
}

const BOTH: &[Prune] = &[Prune::All, Prune::Entries];

/// True if a text has no errors, and nothing that no patch may hold.
fn is_state(document: &Document) -> bool {
    let own = view(document, true);
    is_valid(document) && !holds_misshapen(&own) && Request::state_of_json(own, Prune::All).is_ok()
}

/// The streams, lives and plugins of a view with their names, in their order.
fn entries(view: &Value) -> Vec<(&String, &Value)> {
    ["streams", "lives", "plugins"]
        .iter()
        .flat_map(|group| view[group].as_object().into_iter().flatten())
        .collect()
}

fn becomes(from: &Document, wanted: &Document, scopes: &[Prune]) {
    let own = view(wanted, true);
    let texts = || format!("{}\n--- as\n{}", from.text(), wanted.text());
    let json = view(wanted, false);
    for state in [
        |document: &Document, _: &Value, prune| Request::state(document, prune),
        |_: &Document, json: &Value, prune| {
            Request::state_of_json(json.clone(), prune).expect("it is a state")
        },
    ] {
        let all = state(wanted, &json, Prune::All);
        let after = applied(&all, from);
        assert_eq!(view(&after, true), own, "{}\n--- became\n{}", texts(), after.text());
        assert_eq!(entries(&view(&after, false)), entries(&json), "the order\n{}", texts());
        assert_eq!(applied(&all, &after).text(), after.text(), "a second run changes nothing\n{}", texts());
        if !scopes.contains(&Prune::Entries) {
            continue;
        }
        let pruning = state(wanted, &json, Prune::Entries);
        if mixes_named_blocks(&pruning, from) {
            continue;
        }
        let after = applied(&pruning, from);
        assert_eq!(entries(&view(&after, true)), entries(&own), "{}\n--- became\n{}", texts(), after.text());
        assert_eq!(applied(&pruning, &after).text(), after.text(), "a second run\n{}", texts());
    }
}

/// The forms that a directive takes which the schema does not know. A merge (`--prune=entries`, outside of them) may be
/// refused: it can't make a word of a block with a name.
const FORMS: &[&str] = &[
    "",
    "x;",
    "x a;",
    "x a b;",
    "x a; x b;",
    "x { }",
    "x { a 1; }",
    "x { a 1; b { c 2; } }",
    "x { b { c 2; } }",
    "x { b { c { d 2; } } }",
    "x a { }",
    "x a { a 1; }",
    "x a { a 1; } x b { a 2; }",
    "x a { a { b 1; } } x stream { }",
    "x { a 1; } x { a 2; }",
    "x a { b 1; } x { a 2; }",
    "x a b { c 1; }",
    "x a b { c 1; } x a { c { d 1; } }",
];

#[test]
fn an_unknown_directive_takes_any_form() {
    let places = [
        "{}",
        "stream s { {} }",
        "live l { {} }",
        "http 80 { {} }",
        "y { {} }",
        "y n { {} }",
        "y { z 1; {} }",
    ];
    for (number, within) in places.iter().enumerate() {
        let documents: Vec<Document> =
            FORMS.iter().map(|form| Document::parse(within.replacen("{}", form, 1))).collect();
        // Every form becomes every other one in two places, and in the others by turns.
        let (turn, turns) = if number < 2 { (0, 1) } else { (number - 2, places.len() - 2) };
        for (at, from) in documents.iter().enumerate() {
            assert!(is_state(from), "{}", from.text());
            let wanted = documents.iter().skip((at + turn) % turns).step_by(turns);
            wanted.for_each(|wanted| becomes(from, wanted, &[Prune::All]));
        }
    }
}

#[test]
fn what_is_applied_with_prune_is_what_is_there() {
    let documents: Vec<(String, Document)> = texts()
        .into_iter()
        .map(|(name, text)| (name, Document::parse(text)))
        .filter(|(_, document)| is_state(document))
        .collect();
    fixtures::all(
        0..documents.len(),
        |at| documents[*at].0.clone(),
        |at| {
            let document = &documents[*at].1;
            (0..OTHERS).try_for_each(|number| {
                // Other pairs for each text, and the same ones in each run.
                let other = (at + 1 + number * (number + 97 + at % 89)) % documents.len();
                caught(|| becomes(&documents[other].1, document, BOTH))
            })?;
            if document.text().len() > 700 {
                return Ok(());
            }
            let mutations = mutations(*at, document.text(), SAMPLE).skip(at % STRIDE).step_by(STRIDE);
            // One goes there, the next one back.
            mutations.map(Document::parse).filter(is_state).enumerate().try_for_each(|(turn, mutation)| {
                let [from, wanted] =
                    if (at + turn) % 2 == 0 { [&mutation, document] } else { [document, &mutation] };
                caught(|| becomes(from, wanted, BOTH))
            })
        },
    );
}
