//! A text, a NUL, a patch: what is asked for is done, nothing else is, or it is refused.
//!
//! What is asserted are the laws of `tests/library/law.rs`, the same that the tests put the fixtures
//! to: an empty patch is the identity; own(edit(t, p)) = canon(merge(own(t), normalize(p))), where
//! merge and canon are those of `tests/library/oracle.rs` and not those of the program; edit twice is
//! edit once; an edit makes no errors, and leaves alone what the patch does not name. A NUL parts
//! the two because neither a text nor JSON that is worth anything holds one.
#![no_main]

#[allow(dead_code, reason = "what is formatted is another target's")]
#[path = "../../crates/mediaconf/tests/library/law.rs"]
mod law;
mod mutate;
#[path = "../../crates/mediaconf/tests/library/oracle.rs"]
mod oracle;

use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};
use mediaconf::Schema;
use mutate::{Chance, other_patch};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some((text, json)) = parts(bytes) else { return Corpus::Reject };
    let document = law::parsing_changes_nothing(text);
    if document.has_errors() {
        return Corpus::Reject;
    }
    law::an_empty_patch_is_the_identity(&document);
    if let Ok(patch) = Schema::parse_patch(json) {
        law::changes_only_what_it_says(&document, &patch);
    }
    Corpus::Keep
});

fn parts(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    Some((str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

// Every other time the bytes change, else the patch as one.
fuzz_mutator!(|bytes: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut chance = Chance::new(seed);
    let mutated = if chance.below(2) == 0 { None } else { with_other_patch(&bytes[..size], &mut chance) };
    match mutated.filter(|mutated| mutated.len() <= max_size) {
        Some(mutated) => {
            bytes[..mutated.len()].copy_from_slice(&mutated);
            mutated.len()
        }
        None => fuzzer_mutate(bytes, size, max_size),
    }
});

fn with_other_patch(bytes: &[u8], chance: &mut Chance) -> Option<Vec<u8>> {
    let (text, patch) = parts(bytes)?;
    let patch = other_patch(text, patch, chance)?.to_string();
    Some([text.as_bytes(), b"\0", patch.as_bytes()].concat())
}
