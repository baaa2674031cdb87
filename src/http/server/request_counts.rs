//! Counts of answers by operation and status. A count is one atomic addition.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::http::protocol::routes::{ApiOperation, ROUTES, Route};

/// Every status that the server answers with, in order.
const STATUSES: &[u16] = &[
    200, 304, 308, 400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 429, 431, 500, 502, 503, 504, 505,
];

/// The name of the operation of a request that never came to one.
const NO_OPERATION: &str = "none";

/// Counts of answers.
pub struct RequestCounts {
    /// A row for each operation, and one for requests that never came to one.
    rows: Vec<[AtomicU64; STATUSES.len()]>,
}

impl Default for RequestCounts {
    fn default() -> Self {
        Self { rows: (0..=ROUTES.len()).map(|_| Default::default()).collect() }
    }
}

impl RequestCounts {
    /// Counts an answer.
    pub fn count(&self, operation: Option<ApiOperation>, status: u16) {
        let row = operation.map_or(ROUTES.len(), |operation| operation as usize);
        if let Ok(place) = STATUSES.binary_search(&status) {
            self.rows[row][place].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The counts that are not zero: operation, status, number. Operations of one name are one.
    pub fn all(&self) -> BTreeMap<(&'static str, u16), u64> {
        let mut counts = BTreeMap::new();
        for (row, numbers) in self.rows.iter().enumerate() {
            let of_row = |route: &&Route| route.operation as usize == row;
            let name = ROUTES.iter().find(of_row).map_or(NO_OPERATION, |route| route.path);
            for (status, number) in STATUSES.iter().zip(numbers) {
                match number.load(Ordering::Relaxed) {
                    0 => {}
                    number => *counts.entry((name, *status)).or_default() += number,
                }
            }
        }
        counts
    }

    /// The counts by operation, and those by status.
    pub fn as_json(&self) -> Value {
        let (mut by_operation, mut by_status) = (BTreeMap::new(), BTreeMap::new());
        for ((operation, status), number) in self.all() {
            if operation != NO_OPERATION {
                *by_operation.entry(operation).or_insert(0) += number;
            }
            *by_status.entry(status.to_string()).or_insert(0) += number;
        }
        json!({ "by_operation": by_operation, "by_status": by_status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::KINDS;

    #[test]
    fn every_status_and_every_operation_has_its_place() {
        assert!(STATUSES.is_sorted());
        for status in KINDS.iter().flat_map(|kind| kind.statuses()) {
            assert!(STATUSES.contains(&status), "{status}");
        }
        let counts = RequestCounts::default();
        for route in ROUTES {
            counts.count(Some(route.operation), 200);
        }
        counts.count(None, 401);
        assert_eq!(counts.all().values().sum::<u64>(), ROUTES.len() as u64 + 1);
        assert_eq!(counts.all()[&("history", 200)], 2, "both routes have this name");
        assert_eq!(counts.as_json()["by_status"]["401"], 1);
    }
}
