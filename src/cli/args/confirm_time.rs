//! How long a change waits to be confirmed.

use std::time::Duration;

use crate::http::protocol::parameters::MAX_CONFIRM;

/// Parses a time such as `60s`, or a number of seconds.
pub fn confirm_time(text: &str) -> Result<Duration, String> {
    let seconds = match text.parse() {
        Ok(seconds) => seconds,
        Err(_) => humantime::parse_duration(text).map_err(|error| error.to_string())?.as_secs(),
    };
    match (1..=MAX_CONFIRM).contains(&seconds) {
        true => Ok(Duration::from_secs(seconds)),
        false => Err(format!("the time has to be from 1 to {MAX_CONFIRM} seconds")),
    }
}
