//! Waiting for changes of keys.

use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use reqwest::blocking::Response;
use serde::{Deserialize, Serialize};

use super::gateway::{Gateway, LARGEST_ANSWER, WATCH};
use super::gateway_fault::GatewayFault;
use super::messages::KeyRange;

#[derive(Serialize)]
struct WatchRequest {
    create_request: CreateWatch,
}

#[derive(Serialize)]
struct CreateWatch {
    #[serde(flatten)]
    range: KeyRange,
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
}

/// The changes of some keys from now on.
pub struct KeyWatch {
    lines: BufReader<Response>,
}

impl Gateway {
    /// Watches keys from now on, for at most `time`.
    ///
    /// # Errors
    /// All of [`GatewayFault`].
    pub fn watch(&self, ranges: &[KeyRange], time: Duration) -> Result<KeyWatch, GatewayFault> {
        let request = |range: &KeyRange| {
            let create_request = CreateWatch { range: range.clone(), progress_notify: true };
            serde_json::to_vec(&WatchRequest { create_request }).expect("it has only strings and numbers")
        };
        // The gateway takes one request after the other.
        let body = ranges.iter().flat_map(request).collect();
        let response = self.stream(WATCH, body, time)?;
        Ok(KeyWatch { lines: BufReader::new(response) })
    }
}

impl KeyWatch {
    /// Waits for a change; true also when a watch has begun, and as a sign of life. False once the connection is broken, its
    /// time is over, etcd has ended the watch, or a message is not one of etcd.
    pub fn goes_on(&mut self) -> bool {
        let mut line = Vec::new();
        match (&mut self.lines).take(LARGEST_ANSWER + 1).read_until(b'\n', &mut line) {
            Ok(length) if length > 0 && length as u64 <= LARGEST_ANSWER => {}
            _ => return false,
        }
        serde_json::from_slice::<WatchLine>(&line).is_ok_and(|line| !line.result.canceled)
    }
}
