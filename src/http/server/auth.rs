//! Basic authentication (RFC 7617) against the running `edit_auth`, and `view_auth` where it is let in,
//! with a limit on wrong guesses.
//!
//! Each distinct wrong value counts once for its address, for a minute. After ten of them the address
//! has to wait, except with a value that was right from it in the last hour: one attempt in two seconds
//! is looked at, right or wrong. So a client that repeats an old password counts once, one that guesses
//! is slowed down, and one that knows the password gets in.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use subtle::ConstantTimeEq;

use crate::http::server::message::counted_address;

/// The number of different wrong values that one address (IPv6: one /64) may send.
pub const MAX_FAILURES: usize = 10;

/// The time for which a wrong value counts.
pub const FAILURE_LIFE: Duration = Duration::from_secs(60);

/// The time for which a right value passes, however many wrong ones there are.
pub const SUCCESS_LIFE: Duration = Duration::from_secs(60 * 60);

/// The number of remembered addresses.
pub const MAX_ADDRESSES: usize = 4096;

/// The number of remembered right values of one address.
const MAX_SUCCESSES: usize = 8;

/// The time in which one value of a locked-out address is looked at.
pub const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// Login and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// The login; it holds no `:`.
    pub login: String,
    pub password: String,
}

/// Shows neither part, so that no log gets them.
impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials(..)")
    }
}

impl Account {
    /// Parses an `Authorization` header; `None` if it is not Basic authentication. The header does not
    /// say its encoding: it is UTF-8, as the challenge asks for, or Latin-1, as many clients send it.
    /// Bytes that are both are both accounts.
    pub fn readings(header: &str) -> Option<Vec<Self>> {
        let (scheme, encoded) = header.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let bytes = STANDARD.decode(encoded.trim()).ok()?;
        let latin1 = (!bytes.is_ascii()).then(|| bytes.iter().copied().map(char::from).collect());
        let texts: Vec<String> = String::from_utf8(bytes).ok().into_iter().chain(latin1).collect();
        texts.iter().map(|text| Self::of_text(text)).collect()
    }

    fn of_text(text: &str) -> Option<Self> {
        let (login, password) = text.split_once(':')?;
        Some(Self { login: login.to_owned(), password: password.to_owned() })
    }

    /// The value of the `Authorization` header.
    pub fn to_header(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{}", self.login, self.password)))
    }

    /// Compares both parts in a time that does not depend on where they differ.
    pub fn matches(&self, other: &Self) -> bool {
        let login = self.login.as_bytes().ct_eq(other.login.as_bytes());
        let password = self.password.as_bytes().ct_eq(other.password.as_bytes());
        (login & password).into()
    }
}

/// The rights of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads and changes everything.
    Edit,
    /// Reads everything but secrets.
    View,
}

/// The accounts that are let in.
#[derive(Debug, Clone, Default)]
pub struct Accounts {
    pub edit: Option<Account>,
    pub view: Option<Account>,
}

impl Accounts {
    /// The account that one of these readings is, with its role; where both accounts are equal, it is
    /// that of `edit`.
    fn find(&self, readings: &[Account]) -> Option<(&Account, Role)> {
        let find = |account: &'_ Option<Account>| -> bool {
            let Some(account) = account else { return false };
            readings.iter().fold(false, |found, reading| found | reading.matches(account))
        };
        // All are compared, so that the time does not tell which of them the login belongs to.
        match (find(&self.edit), find(&self.view)) {
            (true, _) => Some((self.edit.as_ref()?, Role::Edit)),
            (false, true) => Some((self.view.as_ref()?, Role::View)),
            (false, false) => None,
        }
    }
}

/// The result of checking an `Authorization` header.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Login and password are right.
    Admitted { login: String, role: Role },
    /// No credentials were sent.
    Missing,
    /// Login or password is wrong.
    Wrong,
    /// Too many wrong credentials came from this address.
    LockedOut {
        /// The time that the address has to wait.
        retry_after: Duration,
    },
}

/// Checks credentials, and counts wrong ones.
#[derive(Debug, Default)]
pub struct Authenticator {
    key: RandomState,
    guesses: Mutex<Guesses>,
}

impl Authenticator {
    /// Checks `header`, and counts the result. It is called when the head of a request is there, so that a value
    /// counts whose request is never answered, and when it is answered: the same value counts once. A peer without
    /// an address is not counted.
    pub fn check_and_count(
        &self,
        address: Option<IpAddr>,
        header: Option<&str>,
        expected: &Accounts,
    ) -> Verdict {
        let Some(header) = header else { return Verdict::Missing };
        let Some(address) = address else { return compare(header, expected) };
        let (value, now) = (self.key.hash_one(header), Instant::now());
        // Held until the value counts: no two are looked at as the last one that is allowed.
        let mut guesses = self.guesses();
        if let Some(retry_after) = guesses.look(address, value, now) {
            return Verdict::LockedOut { retry_after };
        }
        let verdict = compare(header, expected);
        match verdict {
            Verdict::Admitted { .. } => guesses.succeeded(address, value, now),
            _ => guesses.failed(address, value, now),
        }
        verdict
    }

    /// Returns how often an address was locked out, and how many are locked out now.
    pub fn lock_outs(&self) -> (u64, usize) {
        self.guesses().lock_outs(Instant::now())
    }

    fn guesses(&self) -> MutexGuard<'_, Guesses> {
        self.guesses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn compare(header: &str, expected: &Accounts) -> Verdict {
    let Some(readings) = Account::readings(header) else { return Verdict::Missing };
    match expected.find(&readings) {
        Some((account, role)) => Verdict::Admitted { login: account.login.clone(), role },
        None => Verdict::Wrong,
    }
}

/// What came from each address.
#[derive(Debug, Default)]
struct Guesses {
    addresses: HashMap<IpAddr, SentValues>,
    /// The number of times that an address was locked out.
    lock_outs: u64,
}

/// The values from an address, as hashes, with the time of each.
#[derive(Debug, Default)]
struct SentValues {
    wrong: Vec<(u64, Instant)>,
    right: Vec<(u64, Instant)>,
    /// The last value that was looked at while the address was locked out.
    looked_at: Option<(u64, Instant)>,
}

impl SentValues {
    fn forget_old(&mut self, now: Instant) {
        self.wrong.retain(|(_, at)| now < *at + FAILURE_LIFE);
        self.right.retain(|(_, at)| now < *at + SUCCESS_LIFE);
    }

    fn is_locked(&self, now: Instant) -> bool {
        self.wrong.iter().filter(|(_, at)| now < *at + FAILURE_LIFE).count() >= MAX_FAILURES
    }

    /// The later, the longer it is remembered. Only who knows the password has a right value, so strangers push nobody
    /// out who has one, nor any lock.
    fn worth(&self, now: Instant) -> (bool, bool, Option<Instant>) {
        let last = self.wrong.iter().chain(&self.right).map(|(_, at)| *at).max();
        (!self.right.is_empty(), self.is_locked(now), last)
    }
}

impl Guesses {
    /// Looks at a value from this address; if that has to wait, returns how long. A request is looked at when its head is
    /// there, and when it is answered: the same value is the same look.
    fn look(&mut self, from: IpAddr, value: u64, now: Instant) -> Option<Duration> {
        let values = self.addresses.get_mut(&counted_address(from))?;
        values.forget_old(now);
        if values.right.iter().any(|(right, _)| *right == value) || !values.is_locked(now) {
            return None;
        }
        let waiting = values.looked_at.filter(|(_, at)| now < *at + LOOK_INTERVAL);
        match waiting {
            Some((looked_at, _)) if looked_at == value => None,
            Some((_, at)) => Some(at + LOOK_INTERVAL - now),
            None => {
                values.looked_at = Some((value, now));
                None
            }
        }
    }

    /// Counts a wrong value.
    fn failed(&mut self, from: IpAddr, value: u64, now: Instant) {
        let values = self.values_of(from, now);
        let was_locked = values.is_locked(now);
        put(&mut values.wrong, value, MAX_FAILURES, now);
        if values.is_locked(now) && !was_locked {
            values.looked_at = Some((value, now));
            self.lock_outs += 1;
        }
    }

    /// Remembers a right value.
    fn succeeded(&mut self, from: IpAddr, value: u64, now: Instant) {
        put(&mut self.values_of(from, now).right, value, MAX_SUCCESSES, now);
    }

    /// Returns how often an address was locked out, and how many are locked out now.
    fn lock_outs(&self, now: Instant) -> (u64, usize) {
        (self.lock_outs, self.addresses.values().filter(|values| values.is_locked(now)).count())
    }

    /// The values of an address; where there is no room for another one, that of the least worth goes.
    fn values_of(&mut self, from: IpAddr, now: Instant) -> &mut SentValues {
        let from = counted_address(from);
        if !self.addresses.contains_key(&from) && self.addresses.len() >= MAX_ADDRESSES {
            self.addresses.values_mut().for_each(|values| values.forget_old(now));
            let least = self.addresses.iter().min_by_key(|(_, values)| values.worth(now));
            if let Some(least) = least.map(|(address, _)| *address) {
                self.addresses.remove(&least);
            }
        }
        let values = self.addresses.entry(from).or_default();
        values.forget_old(now);
        values
    }
}

/// Adds a value once; removes the oldest one if there are `most` already.
fn put(values: &mut Vec<(u64, Instant)>, value: u64, most: usize, now: Instant) {
    values.retain(|(known, _)| *known != value);
    if values.len() == most {
        values.remove(0);
    }
    values.push((value, now));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(password: &str) -> String {
        Account { login: "admin".to_owned(), password: password.to_owned() }.to_header()
    }

    fn expected() -> Account {
        Account { login: "admin".to_owned(), password: "a:b".to_owned() }
    }

    fn editor() -> Accounts {
        Accounts { edit: Some(expected()), view: None }
    }

    #[test]
    fn each_account_has_its_role_and_equal_ones_may_edit() {
        let account = |login: &str| Account { login: login.to_owned(), password: "a:b".to_owned() };
        let role = |view: &str, given: &str| {
            let accounts = Accounts { edit: Some(account("admin")), view: Some(account(view)) };
            accounts.find(&[account(given)]).map(|(_, role)| role)
        };
        assert_eq!(role("viewer", "admin"), Some(Role::Edit));
        assert_eq!(role("viewer", "viewer"), Some(Role::View));
        assert_eq!(role("viewer", "other"), None);
        assert_eq!(role("admin", "admin"), Some(Role::Edit));
    }

    #[test]
    fn a_header_is_read_as_it_is_written() {
        let read = Account::readings(&expected().to_header()).expect("it is Basic");
        assert!(read.len() == 1 && read[0].matches(&expected()));
        for wrong in ["", "Basic", "Bearer YTpi", "Basic !", "Basic YQ==", "Basic /w=="] {
            assert!(Account::readings(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_password_is_right_in_utf_8_and_in_latin_1_and_each_header_is_one_guess() {
        let basic = |bytes: &[u8]| format!("Basic {}", STANDARD.encode(bytes));
        for (password, sent, is_right) in [
            ("gärtner", "jürgen:gärtner".as_bytes(), true),
            ("gärtner", b"j\xfcrgen:g\xe4rtner", true),
            ("gärtner", b"j\xfcrgen:g\xc3\xa4rtner", false),
            ("gärtner", b"j\xfcrgen:gartner", false),
            // Bytes that are UTF-8 for another text.
            ("Ã¤", b"j\xfcrgen:\xc3\xa4", true),
            ("€", b"j\xfcrgen:\x80", false),
            ("€", "jürgen:€".as_bytes(), true),
        ] {
            let login = "jürgen".to_owned();
            let accounts = Accounts {
                edit: Some(Account { login: login.clone(), password: password.to_owned() }),
                view: None,
            };
            let expected = match is_right {
                true => Verdict::Admitted { login, role: Role::Edit },
                false => Verdict::Wrong,
            };
            let found = Authenticator::default().check_and_count(None, Some(&basic(sent)), &accounts);
            assert_eq!(found, expected, "{password}: {}", sent.escape_ascii());
        }
        let (authenticator, address) = (Authenticator::default(), Some([10, 0, 0, 1].into()));
        let guess = |last: u8| {
            authenticator.check_and_count(address, Some(&basic(&[b'a', b':', 0xe4, last])), &editor())
        };
        assert!((0..MAX_FAILURES).all(|last| guess(last as u8 + b'a') == Verdict::Wrong));
        assert!(matches!(guess(b'A'), Verdict::LockedOut { .. }));
    }

    #[test]
    fn ten_different_wrong_values_lock_out_all_but_a_right_one() {
        let authenticator = Authenticator::default();
        let address: Option<IpAddr> = Some([10, 0, 0, 1].into());
        let other: Option<IpAddr> = Some([10, 0, 0, 2].into());
        let judge =
            |from, password: &str| authenticator.check_and_count(from, Some(&header(password)), &editor());
        assert_eq!(judge(address, "a:b"), Verdict::Admitted { login: "admin".to_owned(), role: Role::Edit });
        for round in 0..30 {
            authenticator.check_and_count(address, None, &editor());
            assert_eq!(judge(address, "always the same"), Verdict::Wrong, "{round}");
        }
        for number in 1..MAX_FAILURES {
            assert_eq!(judge(address, &format!("wrong {number}")), Verdict::Wrong);
        }
        assert!(matches!(judge(address, "wrong again"), Verdict::LockedOut { .. }));
        assert!(matches!(judge(address, "a:b"), Verdict::Admitted { .. }));
        assert!(matches!(judge(other, "a:b"), Verdict::Admitted { .. }));
    }

    #[test]
    fn without_credentials_nobody_comes_in() {
        let authenticator = Authenticator::default();
        assert_eq!(
            authenticator.check_and_count(None, Some(&header("a:b")), &Accounts::default()),
            Verdict::Wrong
        );
        assert_eq!(authenticator.check_and_count(None, None, &editor()), Verdict::Missing);
        assert_eq!(authenticator.check_and_count(None, Some("Bearer x"), &editor()), Verdict::Missing);
    }

    const SECOND: Duration = Duration::from_secs(1);

    fn address(text: &str) -> IpAddr {
        text.parse().expect("it is an address")
    }

    fn locked_out(guesses: &mut Guesses, from: IpAddr, now: Instant) {
        (0..MAX_FAILURES as u64).for_each(|value| guesses.failed(from, value, now));
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a clock that the test moves has to begin somewhere")]
    fn one_value_in_two_seconds_is_looked_at_and_a_right_one_passes() {
        let (mut guesses, start, from) = (Guesses::default(), Instant::now(), address("192.0.2.1"));
        guesses.succeeded(from, 99, start);
        (0..MAX_FAILURES as u64 - 1).for_each(|value| guesses.failed(from, value, start));
        (0..30).for_each(|_| guesses.failed(from, 3, start));
        assert_eq!(guesses.look(from, 50, start), None, "the same value counts once");
        guesses.failed(from, 50, start);
        assert_eq!(guesses.lock_outs(start), (1, 1));
        assert_eq!(guesses.look(from, 51, start + SECOND), Some(SECOND));
        assert_eq!(guesses.look(from, 99, start + SECOND), None, "it was right");
        assert_eq!(guesses.look(from, 51, start + 2 * SECOND), None);
        assert_eq!(guesses.look(from, 51, start + 3 * SECOND), None, "it is the same request");
        assert_eq!(guesses.look(from, 52, start + 3 * SECOND), Some(SECOND));
        assert_eq!(guesses.look(address("192.0.2.2"), 52, start), None, "others are not concerned");
        let later = start + FAILURE_LIFE;
        assert_eq!((guesses.look(from, 53, later), guesses.look(from, 54, later)), (None, None));
        assert_eq!(guesses.lock_outs(later), (1, 0));
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a clock that the test moves has to begin somewhere")]
    fn strangers_push_no_right_value_and_no_lock_out() {
        let (mut guesses, start) = (Guesses::default(), Instant::now());
        let [known, locked] = ["192.0.2.1", "2001:db8::1"].map(address);
        guesses.succeeded(known, 99, start);
        locked_out(&mut guesses, known, start);
        locked_out(&mut guesses, locked, start);
        for number in 0..2 * MAX_ADDRESSES as u32 {
            guesses.failed(IpAddr::from((0x0a00_0000 + number).to_be_bytes()), 1, start + SECOND);
        }
        assert_eq!(guesses.addresses.len(), MAX_ADDRESSES);
        assert_eq!(guesses.look(known, 99, start + SECOND), None);
        assert_eq!(guesses.look(address("2001:db8::2"), 5, start + SECOND), Some(SECOND), "it is one /64");
        assert_eq!(guesses.look(address("2001:db8:0:1::1"), 5, start + SECOND), None);
    }
}
