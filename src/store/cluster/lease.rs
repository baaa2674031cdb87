//! Leases: keys that end by themselves.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::base64_text::number;
use super::gateway::Gateway;
use super::gateway_fault::GatewayFault;

#[derive(Serialize)]
struct Grant {
    #[serde(rename = "TTL", with = "number")]
    seconds: i64,
}

#[derive(Deserialize)]
struct Granted {
    #[serde(rename = "ID", with = "number")]
    id: i64,
}

#[derive(Serialize)]
struct Lease {
    #[serde(rename = "ID", with = "number")]
    id: i64,
}

#[derive(Deserialize)]
struct KeptAlive {
    #[serde(default)]
    result: Remaining,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Remaining {
    #[serde(rename = "TTL", with = "number")]
    seconds: i64,
}

impl Gateway {
    /// Makes a lease that ends after `seconds` seconds, or a little later.
    ///
    /// # Errors
    /// All of [`GatewayFault`].
    pub fn grant(&self, seconds: u64) -> Result<i64, GatewayFault> {
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        Ok(self.call::<Granted>("lease/grant", &Grant { seconds })?.id)
    }

    /// Starts the time of a lease anew; false if it has ended.
    ///
    /// # Errors
    /// All of [`GatewayFault`].
    pub fn keep_alive(&self, lease: i64) -> Result<bool, GatewayFault> {
        Ok(self.call::<KeptAlive>("lease/keepalive", &Lease { id: lease })?.result.seconds > 0)
    }

    /// Returns the time that a lease has left; zero if it has ended.
    ///
    /// # Errors
    /// All of [`GatewayFault`].
    pub fn time_left(&self, lease: i64) -> Result<Duration, GatewayFault> {
        let left = self.call::<Remaining>("lease/timetolive", &Lease { id: lease })?.seconds;
        Ok(Duration::from_secs(u64::try_from(left).unwrap_or_default()))
    }

    /// Ends a lease, and the keys on it.
    ///
    /// # Errors
    /// All of [`GatewayFault`].
    pub fn revoke(&self, lease: i64) -> Result<(), GatewayFault> {
        self.call::<serde_json::Value>("lease/revoke", &Lease { id: lease }).map(|_| ())
    }
}
