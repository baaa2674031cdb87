//! Basic authentication (RFC 7617) against the running `edit_auth`, and who guesses too often.
//!
//! A wrong password counts once per distinct value and address for a minute; after ten, the
//! address waits, except with a value that was right from it in the last hour. So a client with an
//! old password in a loop counts once, and one that guesses is slowed down.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use subtle::ConstantTimeEq;

/// So many distinct wrong values from one address are let pass.
pub const MAX_FAILURES: usize = 10;

/// How long a wrong value counts.
pub const FAILURE_LIFE: Duration = Duration::from_secs(60);

/// How long a right value keeps its address from being locked out.
pub const SUCCESS_LIFE: Duration = Duration::from_secs(60 * 60);

/// Addresses that are remembered; when there are more, the oldest is forgotten.
pub const MAX_ADDRESSES: usize = 4096;

/// Right values that are remembered of one address.
const MAX_SUCCESSES: usize = 8;

/// Login and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The login; it holds no `:`.
    pub login: String,
    /// The password.
    pub password: String,
}

/// Neither part is for a log.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials(..)")
    }
}

impl Credentials {
    /// What an `Authorization` header says; `None` if that is nothing of Basic authentication.
    pub fn of_header(value: &str) -> Option<Self> {
        let (scheme, encoded) = value.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
        let (login, password) = decoded.split_once(':')?;
        Some(Self { login: login.to_owned(), password: password.to_owned() })
    }

    /// The header value that says this.
    pub fn to_header(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{}", self.login, self.password)))
    }

    /// Whether both parts are equal, in a time that does not depend on where they differ.
    pub fn matches(&self, other: &Self) -> bool {
        let login = self.login.as_bytes().ct_eq(other.login.as_bytes());
        let password = self.password.as_bytes().ct_eq(other.password.as_bytes());
        (login & password).into()
    }
}

/// What an `Authorization` header came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Login and password are right.
    Admitted {
        /// The login.
        login: String,
    },
    /// They are missing or wrong.
    Denied,
    /// Too many wrong ones came from this address.
    LockedOut {
        /// How long it has to wait.
        retry_after: Duration,
    },
}

/// The addresses that failed, and those that did not.
#[derive(Debug, Default)]
pub struct Gatekeeper {
    key: RandomState,
    known: Mutex<HashMap<IpAddr, Record>>,
}

#[derive(Debug, Default)]
struct Record {
    failures: Vec<(u64, Instant)>,
    successes: Vec<(u64, Instant)>,
}

impl Gatekeeper {
    /// What `header` comes to, and counts it. A peer without an address is not counted.
    pub fn judge(
        &self,
        address: Option<IpAddr>,
        header: Option<&str>,
        expected: Option<&Credentials>,
    ) -> Verdict {
        let verdict = self.look(address, header, expected);
        let (Some(address), Some(header)) = (address, header) else { return verdict };
        match verdict {
            Verdict::Admitted { .. } => self.note(address, header, true),
            Verdict::Denied => self.note(address, header, false),
            Verdict::LockedOut { .. } => {}
        }
        verdict
    }

    /// The same without counting it.
    pub fn look(
        &self,
        address: Option<IpAddr>,
        header: Option<&str>,
        expected: Option<&Credentials>,
    ) -> Verdict {
        let Some(header) = header else { return Verdict::Denied };
        if let Some(retry_after) = address.and_then(|address| self.lock_out(address, header)) {
            return Verdict::LockedOut { retry_after };
        }
        let given = Credentials::of_header(header);
        match given.zip(expected).filter(|(given, expected)| given.matches(expected)) {
            Some((given, _)) => Verdict::Admitted { login: given.login },
            None => Verdict::Denied,
        }
    }

    fn lock_out(&self, address: IpAddr, header: &str) -> Option<Duration> {
        let now = Instant::now();
        let known = self.known();
        let record = known.get(&address)?;
        let value = self.key.hash_one(header);
        let was_right =
            record.successes.iter().any(|(right, at)| *right == value && now < *at + SUCCESS_LIFE);
        let failures = record.failures.iter().filter(|(_, at)| now < *at + FAILURE_LIFE);
        let ends = failures.clone().map(|(_, at)| *at + FAILURE_LIFE).min();
        (!was_right && failures.count() >= MAX_FAILURES).then(|| {
            ends.map_or(FAILURE_LIFE, |end| end.saturating_duration_since(now)).max(Duration::from_secs(1))
        })
    }

    fn note(&self, address: IpAddr, header: &str, right: bool) {
        let now = Instant::now();
        let value = self.key.hash_one(header);
        let mut known = self.known();
        if known.len() >= MAX_ADDRESSES && !known.contains_key(&address) {
            forget_the_oldest(&mut known, now);
        }
        let record = known.entry(address).or_default();
        record.failures.retain(|(_, at)| now < *at + FAILURE_LIFE);
        record.successes.retain(|(_, at)| now < *at + SUCCESS_LIFE);
        let (list, most) = match right {
            true => (&mut record.successes, MAX_SUCCESSES),
            false => (&mut record.failures, MAX_FAILURES),
        };
        list.retain(|(seen, _)| *seen != value);
        if list.len() == most {
            list.remove(0);
        }
        list.push((value, now));
    }

    fn known(&self) -> MutexGuard<'_, HashMap<IpAddr, Record>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What counts no more goes; if nothing does, the address that was heard of longest ago.
fn forget_the_oldest(known: &mut HashMap<IpAddr, Record>, now: Instant) {
    known.retain(|_, record| record.last().is_some_and(|last| now < last + SUCCESS_LIFE));
    let oldest = known.iter().min_by_key(|(_, record)| record.last()).map(|(address, _)| *address);
    if let Some(oldest) = oldest.filter(|_| known.len() >= MAX_ADDRESSES) {
        known.remove(&oldest);
    }
}

impl Record {
    fn last(&self) -> Option<Instant> {
        self.failures.iter().chain(&self.successes).map(|(_, at)| *at).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(password: &str) -> String {
        Credentials { login: "admin".to_owned(), password: password.to_owned() }.to_header()
    }

    fn expected() -> Credentials {
        Credentials { login: "admin".to_owned(), password: "a:b".to_owned() }
    }

    #[test]
    fn a_header_is_read_as_it_is_written() {
        let read = Credentials::of_header(&expected().to_header()).expect("it is Basic");
        assert!(read.matches(&expected()));
        for wrong in ["", "Basic", "Bearer YTpi", "Basic !", "Basic YQ==", "Basic /w=="] {
            assert!(Credentials::of_header(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn ten_different_wrong_values_lock_out_all_but_a_right_one() {
        let gatekeeper = Gatekeeper::default();
        let address: Option<IpAddr> = Some([10, 0, 0, 1].into());
        let other: Option<IpAddr> = Some([10, 0, 0, 2].into());
        let judge = |from, password: &str| gatekeeper.judge(from, Some(&header(password)), Some(&expected()));
        assert_eq!(judge(address, "a:b"), Verdict::Admitted { login: "admin".to_owned() });
        for round in 0..30 {
            gatekeeper.judge(address, None, Some(&expected()));
            assert_eq!(judge(address, "always the same"), Verdict::Denied, "{round}");
        }
        for number in 1..MAX_FAILURES {
            assert_eq!(judge(address, &format!("wrong {number}")), Verdict::Denied);
        }
        assert!(matches!(judge(address, "wrong again"), Verdict::LockedOut { .. }));
        assert!(matches!(judge(address, "a:b"), Verdict::Admitted { .. }));
        assert!(matches!(judge(other, "a:b"), Verdict::Admitted { .. }));
    }

    #[test]
    fn without_credentials_nobody_comes_in() {
        let gatekeeper = Gatekeeper::default();
        assert_eq!(gatekeeper.judge(None, Some(&header("a:b")), None), Verdict::Denied);
    }
}
