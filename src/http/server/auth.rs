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

/// Login, which holds no `:`, and password.
pub type Account = [String; 2];

/// Parses an `Authorization` header; `None` if it is not Basic authentication. The header does not
/// say its encoding: it is UTF-8, as the challenge asks for, or Latin-1, as many clients send it.
/// Bytes that are both are both accounts.
fn readings(header: &str) -> Option<Vec<Account>> {
    let (_, encoded) = header.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"))?;
    let bytes = STANDARD.decode(encoded.trim()).ok()?;
    let latin1 = (!bytes.is_ascii()).then(|| bytes.iter().copied().map(char::from).collect());
    let texts = String::from_utf8(bytes).ok().into_iter().chain(latin1);
    texts.map(|text| text.split_once(':').map(|(login, rest)| [login, rest].map(str::to_owned))).collect()
}

/// Compares both parts in a time that does not depend on where they differ.
fn are_equal(one: &Account, other: &Account) -> bool {
    let [login, password] = [0, 1].map(|at| one[at].as_bytes().ct_eq(other[at].as_bytes()));
    (login & password).into()
}

/// The rights of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads everything but secrets.
    View,
    /// Reads and changes everything.
    Edit,
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
    LockedOut,
}

/// Compares a header with the accounts that are let in; of two that are equal, the first is meant.
fn compare(header: &str, accounts: &[(Account, Role)]) -> Verdict {
    let Some(readings) = readings(header) else { return Verdict::Missing };
    // All are compared, so that the time does not tell which of them the login belongs to.
    let is_meant =
        |account: &Account| readings.iter().fold(false, |is, reading| is | are_equal(reading, account));
    let meant: Vec<_> = accounts.iter().filter(|(account, _)| is_meant(account)).collect();
    match meant.first() {
        Some(([login, _], role)) => Verdict::Admitted { login: login.clone(), role: *role },
        None => Verdict::Wrong,
    }
}

/// Checks credentials, and counts wrong ones.
#[derive(Debug, Default)]
pub struct Authenticator {
    key: RandomState,
    /// What came from each address.
    addresses: HashMap<IpAddr, SentValues>,
    /// The number of times that an address was locked out.
    pub lock_outs: u64,
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

    /// True if the value has to wait. A request is looked at when its head is there, and when it is answered: the same value
    /// is the same look.
    fn has_to_wait(&mut self, value: u64, now: Instant) -> bool {
        if !self.is_locked(now) || self.right.iter().any(|(right, _)| *right == value) {
            return false;
        }
        let last = self.looked_at.filter(|(_, at)| now < *at + LOOK_INTERVAL);
        self.looked_at = last.or(Some((value, now)));
        last.is_some_and(|(looked_at, _)| looked_at != value)
    }
}

impl Authenticator {
    /// Checks `header`, and counts the result. It is called when the head of a request is there, so that a value
    /// counts whose request is never answered, and when it is answered: the same value counts once. A peer without
    /// an address is not counted.
    pub fn check_and_count(
        &mut self,
        address: Option<IpAddr>,
        header: Option<&str>,
        accounts: &[(Account, Role)],
    ) -> Verdict {
        let Some(header) = header else { return Verdict::Missing };
        let Some(address) = address else { return compare(header, accounts) };
        self.count_guess(address, self.key.hash_one(header), Instant::now(), || compare(header, accounts))
    }

    /// Counts what `compare` says of a value from this address, unless it has to wait.
    fn count_guess(
        &mut self,
        from: IpAddr,
        value: u64,
        now: Instant,
        compare: impl FnOnce() -> Verdict,
    ) -> Verdict {
        let values = self.values_of(counted_address(from), now);
        if values.has_to_wait(value, now) {
            return Verdict::LockedOut;
        }
        let (verdict, was_locked) = (compare(), values.is_locked(now));
        let (same, most) = match verdict {
            Verdict::Admitted { .. } => (&mut values.right, MAX_SUCCESSES),
            _ => (&mut values.wrong, MAX_FAILURES),
        };
        same.retain(|(known, _)| *known != value);
        same.drain(..(same.len() + 1).saturating_sub(most));
        same.push((value, now));
        if values.is_locked(now) && !was_locked {
            values.looked_at = Some((value, now));
            self.lock_outs += 1;
        }
        verdict
    }

    /// The values of an address. Where there is no room for another one, the oldest goes that has no right value, which only
    /// who knows the password can send, and is not locked: so strangers push nobody out who has one, nor any lock.
    fn values_of(&mut self, from: IpAddr, now: Instant) -> &mut SentValues {
        if !self.addresses.contains_key(&from) && self.addresses.len() >= MAX_ADDRESSES {
            self.addresses.values_mut().for_each(|values| values.forget_old(now));
            let worth = |values: &SentValues| {
                let last = values.wrong.iter().chain(&values.right).map(|(_, at)| *at).max();
                (!values.right.is_empty(), values.is_locked(now), last)
            };
            let least = self.addresses.iter().min_by_key(|(_, values)| worth(values)).map(|(from, _)| *from);
            least.map(|least| self.addresses.remove(&least));
        }
        let values = self.addresses.entry(from).or_default();
        values.forget_old(now);
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(login: &str, password: &str) -> String {
        format!("Basic {}", STANDARD.encode(format!("{login}:{password}")))
    }

    fn account(login: &str, password: &str) -> Account {
        [login, password].map(str::to_owned)
    }

    fn admitted(login: &str, role: Role) -> Verdict {
        Verdict::Admitted { login: login.to_owned(), role }
    }

    #[test]
    fn each_account_has_its_role_and_equal_ones_may_edit() {
        let verdict = |view: &str, given: &str| {
            let accounts = [(account("admin", "a:b"), Role::Edit), (account(view, "a:b"), Role::View)];
            compare(&header(given, "a:b"), &accounts)
        };
        assert_eq!(verdict("viewer", "admin"), admitted("admin", Role::Edit));
        assert_eq!(verdict("viewer", "viewer"), admitted("viewer", Role::View));
        assert_eq!(verdict("viewer", "other"), Verdict::Wrong);
        assert_eq!(verdict("admin", "admin"), admitted("admin", Role::Edit));
        assert_eq!(compare(&header("admin", "a:b"), &[]), Verdict::Wrong);
        for wrong in ["", "Basic", "Bearer YTpi", "Basic !", "Basic YQ==", "Basic /w=="] {
            assert_eq!(compare(wrong, &[]), Verdict::Missing, "{wrong}");
        }
    }

    #[test]
    fn a_password_is_right_in_utf_8_and_in_latin_1() {
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
            let found = compare(
                &format!("Basic {}", STANDARD.encode(sent)),
                &[(account("jürgen", password), Role::Edit)],
            );
            let expected = if is_right { admitted("jürgen", Role::Edit) } else { Verdict::Wrong };
            assert_eq!(found, expected, "{password}: {}", sent.escape_ascii());
        }
    }

    const SECOND: Duration = Duration::from_secs(1);

    fn address(text: &str) -> IpAddr {
        text.parse().expect("it is an address")
    }

    /// Numbers from 99 on are right.
    fn judge(guesses: &mut Authenticator, from: IpAddr, value: u64, now: Instant) -> Verdict {
        let verdict = || if value >= 99 { admitted("a", Role::Edit) } else { Verdict::Wrong };
        guesses.count_guess(from, value, now, verdict)
    }

    #[test]
    fn one_value_in_two_seconds_is_looked_at_and_a_right_one_passes() {
        let (mut guesses, start, from) = (Authenticator::default(), Instant::now(), address("192.0.2.1"));
        let mut is_seen = |from, value, now| judge(&mut guesses, from, value, now) != Verdict::LockedOut;
        assert!(is_seen(from, 99, start));
        assert!((0..MAX_FAILURES as u64 - 1).all(|value| is_seen(from, value, start)));
        assert!((0..30).all(|_| is_seen(from, 3, start)), "the same value counts once");
        assert!(is_seen(from, 50, start));
        assert!(!is_seen(from, 51, start + SECOND));
        assert!(is_seen(from, 99, start + SECOND), "it was right");
        assert!(is_seen(from, 51, start + 2 * SECOND));
        assert!(is_seen(from, 51, start + 3 * SECOND), "it is the same request");
        assert!(!is_seen(from, 52, start + 3 * SECOND));
        assert!(is_seen(address("192.0.2.2"), 52, start), "others are not concerned");
        let later = start + 2 * FAILURE_LIFE;
        assert!(is_seen(from, 53, later) && is_seen(from, 54, later));
        assert_eq!(guesses.lock_outs, 1);
    }

    #[test]
    fn strangers_push_no_right_value_and_no_lock_out() {
        let (mut guesses, start) = (Authenticator::default(), Instant::now());
        let [known, quiet, locked] = ["192.0.2.1", "192.0.2.9", "2001:db8::1"].map(address);
        for from in [known, quiet] {
            judge(&mut guesses, from, 99, start);
        }
        for from in [known, locked] {
            (0..MAX_FAILURES as u64).for_each(|value| drop(judge(&mut guesses, from, value, start)));
        }
        for number in 0..2 * MAX_ADDRESSES as u32 {
            judge(&mut guesses, IpAddr::from((0x0a00_0000 + number).to_be_bytes()), 1, start + SECOND);
        }
        assert_eq!(guesses.addresses.len(), MAX_ADDRESSES);
        (0..MAX_FAILURES as u64).for_each(|value| drop(judge(&mut guesses, quiet, value, start + SECOND)));
        for from in [known, quiet] {
            assert_eq!(judge(&mut guesses, from, 99, start + SECOND), admitted("a", Role::Edit));
        }
        let locked_out = judge(&mut guesses, address("2001:db8::2"), 5, start + SECOND);
        assert_eq!(locked_out, Verdict::LockedOut, "it is one /64");
        assert_eq!(judge(&mut guesses, address("2001:db8:0:1::1"), 5, start + SECOND), Verdict::Wrong);
    }
}
