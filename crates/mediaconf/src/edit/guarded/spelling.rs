//! New unknown keywords that are nearly known ones.

use std::collections::{HashMap, HashSet};

use crate::model::{NearMiss, near_miss, near_miss_in_block};
use crate::schema::fault::{Fault, FaultKind};
use crate::schema::json_pointer::Pointer;
use crate::schema::{Kind, Scope};

/// A keyword that is probably a misspelling.
#[derive(Debug)]
pub(super) struct Miss {
    /// The kind of the block that it stands in; `None` at top level.
    kind: Option<Kind>,
    keyword: String,
    fault: Fault,
}

impl Miss {
    /// Returns the near miss of a new keyword, if it is one.
    pub fn find(scope: Scope, keyword: &str, pointer: &Pointer) -> Option<Self> {
        let fault = misspelt(scope, keyword, pointer)?;
        Some(Self { kind: scope.kind(), keyword: keyword.to_owned(), fault })
    }

    /// Returns the near miss of a new keyword in a block of other servers, if it is one.
    pub fn find_in_block(block: &str, keyword: &str, pointer: &Pointer) -> Option<Self> {
        let fault = fault(near_miss_in_block(block, keyword)?, keyword, pointer);
        Some(Self { kind: None, keyword: keyword.to_owned(), fault })
    }
}

/// Returns the fault of a keyword that is nearly a known one.
pub fn misspelt(scope: Scope, keyword: &str, pointer: &Pointer) -> Option<Fault> {
    near_miss(scope, keyword).map(|near| fault(near, keyword, pointer))
}

fn fault(near: NearMiss, keyword: &str, pointer: &Pointer) -> Fault {
    let message = format!("`{keyword}` is not known here");
    let hint = format!(
        "did you mean {}? If `{keyword}` is right, add `--accept near-miss` (over HTTP `accept=near-miss`)",
        near.in_words()
    );
    Fault::at_pointer(FaultKind::NearMiss, pointer.clone(), message).hint(hint)
}

/// Returns the faults of the keywords that no block of the same kind uses. `used` returns the used
/// keywords of a kind; it is called once a kind, because it reads the whole configuration.
pub(super) fn not_used(misses: Vec<Miss>, used: impl Fn(Kind) -> HashSet<String>) -> Vec<Fault> {
    let mut known: HashMap<&str, HashSet<String>> = HashMap::new();
    let mut faults = Vec::new();
    for Miss { kind, keyword, fault } in misses {
        let is_used =
            kind.is_some_and(|kind| known.entry(kind.key()).or_insert_with(|| used(kind)).contains(&keyword));
        faults.extend((!is_used).then_some(fault));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_miss_alone_costs_a_look_at_the_whole_and_one_a_kind() {
        let pointer = Pointer::root();
        let miss = |scope, keyword| Miss::find(scope, keyword, &pointer);
        let nobody = |_| -> HashSet<String> { panic!("there is nothing to look up") };
        assert_eq!(not_used(miss(Scope::Stream, "title").into_iter().collect(), nobody), []);
        assert_eq!(not_used(miss(Scope::Top, "rtpm").into_iter().collect(), nobody).len(), 1);
        let looks = std::cell::Cell::new(0);
        let used = |_| {
            looks.set(looks.get() + 1);
            HashSet::from(["prepsh".to_owned()])
        };
        let misses = ["prepsh", "prepuhs", "prepussh"].map(|keyword| miss(Scope::Stream, keyword));
        assert_eq!(not_used(misses.into_iter().flatten().collect(), used).len(), 2);
        assert_eq!(looks.get(), 1);
    }
}
