//! Waiting for changes of keys.

use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use reqwest::blocking::Response;
use serde::{Deserialize, Serialize};

use super::base64_text::number;
use super::gateway::{Gateway, LARGEST_ANSWER, WATCH};
use super::gateway_fault::GatewayFault;
use super::messages::{KeyRange, KeyValue};

#[derive(Serialize)]
struct WatchRequest {
    create_request: CreateWatch,
}

#[derive(Serialize)]
struct CreateWatch {
    #[serde(flatten)]
    range: KeyRange,
    #[serde(with = "number")]
    start_revision: i64,
    progress_notify: bool,
}

#[derive(Deserialize)]
struct WatchLine {
    result: WatchResult,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WatchResult {
    canceled: bool,
    #[serde(with = "number")]
    compact_revision: i64,
    events: Vec<WatchEvent>,
}

#[derive(Deserialize)]
struct WatchEvent {
    kv: KeyValue,
}

/// The changes of some keys, from a revision of etcd on.
pub struct KeyWatch {
    lines: BufReader<Response>,
}

/// The reason why a watch ended. Then the keys are read anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEnd {
    /// The connection broke, its time is over, or a message is not one of etcd.
    Broken,
    /// The revision is compacted, or etcd has ended the watch.
    Cancelled,
}

impl Gateway {
    /// Watches keys from a revision on, or from now on if that is 0, for at most `time`; at the endpoint that is so many
    /// behind the preferred one, if it is there.
    ///
    /// # Errors
    /// All of [`GatewayFault`].
    pub fn watch(
        &self,
        ranges: &[KeyRange],
        start_revision: i64,
        (behind, time): (usize, Duration),
    ) -> Result<KeyWatch, GatewayFault> {
        let request = |range: &KeyRange| {
            let create_request = CreateWatch { range: range.clone(), start_revision, progress_notify: true };
            serde_json::to_vec(&WatchRequest { create_request }).expect("it has only strings and numbers")
        };
        // The gateway takes one request after the other.
        let body = ranges.iter().flat_map(request).collect();
        let response = self.stream(WATCH, body, (behind, time))?;
        Ok(KeyWatch { lines: BufReader::new(response) })
    }
}

impl KeyWatch {
    /// Waits for a change, and returns the revision of etcd with the last one; `None` when a watch has begun, and as a
    /// sign of life.
    pub fn next_change(&mut self) -> Result<Option<i64>, WatchEnd> {
        let mut line = Vec::new();
        match (&mut self.lines).take(LARGEST_ANSWER + 1).read_until(b'\n', &mut line) {
            Ok(length) if length > 0 && length as u64 <= LARGEST_ANSWER => {}
            _ => return Err(WatchEnd::Broken),
        }
        let result = serde_json::from_slice::<WatchLine>(&line).map_err(|_| WatchEnd::Broken)?.result;
        if result.canceled || result.compact_revision > 0 {
            return Err(WatchEnd::Cancelled);
        }
        Ok(result.events.iter().map(|event| event.kv.mod_revision).max())
    }
}
