//! Puts secrets in the place of their masks in JSON.

use std::collections::{HashMap, HashSet};

use serde_json::{Number, Value};

use super::json::{JsonWords, with_words};
use super::kept::{KeptSecrets, MaskFault};
use crate::model::secret::{Masker, Secrecy};

/// Returns a patch with the secrets in the place of their masks; those that were numbers are numbers again.
///
/// # Errors
/// The keys and the numbers that lead to the first mask that can't be replaced.
pub fn unmasked_json(
    value: &Value,
    kept: &KeptSecrets,
    numbers: &SecretNumbers,
) -> Result<Value, (Vec<String>, MaskFault)> {
    let mut words = Unmasking { kept, numbers, path: Vec::new(), fault: None };
    let open = with_words(value, &mut words);
    words.fault.map_or(Ok(open), Err)
}

struct Unmasking<'k> {
    kept: &'k KeptSecrets,
    numbers: &'k SecretNumbers,
    path: Vec<String>,
    fault: Option<(Vec<String>, MaskFault)>,
}

impl JsonWords for Unmasking<'_> {
    fn word(&mut self, word: &str, secrecy: Secrecy) -> String {
        self.kept.in_word(word, secrecy).unwrap_or_else(|fault| {
            self.fault.get_or_insert_with(|| (self.path.clone(), fault));
            word.to_owned()
        })
    }

    fn value(&mut self, word: &str, secrecy: Secrecy) -> Value {
        let number = self.numbers.get(word, &self.path).filter(|_| secrecy == Secrecy::Whole);
        number.map_or_else(|| Value::String(self.word(word, secrecy)), |number| Value::Number(number.clone()))
    }

    fn number(&mut self, number: &Number) -> Value {
        Value::Number(number.clone())
    }

    fn enter(&mut self, key: &str, _: Secrecy) {
        self.path.push(key.to_owned());
    }

    fn leave(&mut self) {
        self.path.pop();
    }
}

/// The secrets of JSON that are numbers, by their masks.
#[derive(Default)]
pub struct SecretNumbers {
    by_mask: HashMap<String, SecretNumber>,
    /// The masks of words.
    words: HashSet<String>,
}

/// A number and its places.
struct SecretNumber {
    number: Number,
    /// With the masks of secret keys.
    paths: HashSet<Vec<String>>,
}

impl SecretNumbers {
    /// The numbers of the JSON that masks were made of.
    pub fn of(json: &Value, masker: &Masker) -> Self {
        let mut finder =
            NumberFinder { masker, path: Vec::new(), found: HashMap::new(), words: HashSet::new() };
        with_words(json, &mut finder);
        Self { by_mask: finder.found, words: finder.words }
    }

    /// The number that a mask at a path stands for: the one that was there, or one that alone has the mask.
    fn get(&self, mask: &str, path: &[String]) -> Option<&Number> {
        let known = self.by_mask.get(mask)?;
        (!self.words.contains(mask) || known.paths.contains(path)).then_some(&known.number)
    }
}

struct NumberFinder<'m> {
    masker: &'m Masker,
    path: Vec<String>,
    found: HashMap<String, SecretNumber>,
    /// The masks of words.
    words: HashSet<String>,
}

impl JsonWords for NumberFinder<'_> {
    fn word(&mut self, word: &str, secrecy: Secrecy) -> String {
        if secrecy == Secrecy::Whole {
            self.words.insert(self.masker.mask(word));
        }
        word.to_owned()
    }

    fn number(&mut self, number: &Number) -> Value {
        let new = || SecretNumber { number: number.clone(), paths: HashSet::new() };
        let known = self.found.entry(self.masker.mask(&number.to_string())).or_insert_with(new);
        known.paths.insert(self.path.clone());
        Value::Number(number.clone())
    }

    fn enter(&mut self, key: &str, secrecy: Secrecy) {
        self.path.push(self.masker.word(key, secrecy).into_owned());
    }

    fn leave(&mut self) {
        self.path.pop();
    }
}
