//! The login of a process at etcd: one token serves all its requests until etcd refuses it.
//!
//! A login is costly for etcd, so after one that failed the next one waits: 1 s, then twice that, up to 30 s.

use std::time::{Duration, Instant};

use super::gateway_fault::GatewayFault;
use crate::store::chance::jittered;

/// The pause after a login that failed; it doubles each time.
const PAUSE: Duration = Duration::from_secs(1);

/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The reason why there is no token: no answer, or a refusal.
pub type NoLogin = Result<String, GatewayFault>;

/// The token that etcd gave, and when the next one may be asked for.
#[derive(Default)]
pub struct Login {
    token: Option<String>,
    /// True if a request with the token was not answered. A token names a place in the log, which a member waits for before
    /// it answers: one of before a restore is never answered.
    is_doubted: bool,
    /// Since the last request that was answered, there was a login.
    last: Option<LastLogin>,
}

/// A login, and how long the next one waits.
struct LastLogin {
    until: Instant,
    pause: Duration,
    why: NoLogin,
}

impl Login {
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// The token for a request, or why there is none; `None` if a login is due. A token that is in doubt is used until then.
    pub fn usable(&self, now: Instant) -> Option<Result<String, NoLogin>> {
        let last = self.last.as_ref().filter(|last| now < last.until);
        match (&self.token, last) {
            (Some(token), last) if !self.is_doubted || last.is_some() => Some(Ok(token.clone())),
            (None, Some(last)) => Some(Err(last.why.clone())),
            _ => None,
        }
    }

    /// Notes the token of a login.
    pub fn begin(&mut self, token: String, now: Instant) {
        (self.token, self.is_doubted) = (Some(token), false);
        self.put_off(Ok("etcd does not take the token of the last login".to_owned()), now);
    }

    /// Puts the next login off.
    pub fn put_off(&mut self, why: NoLogin, now: Instant) {
        let pause = self.last.as_ref().map_or(PAUSE, |last| (last.pause * 2).min(LONGEST_PAUSE));
        self.last = Some(LastLogin { until: now + jittered(pause), pause, why });
    }

    /// Notes that a request with this token was answered.
    pub fn note_answer(&mut self, token: &str) {
        if self.is(token) {
            (self.is_doubted, self.last) = (false, None);
        }
    }

    /// Notes that a request with this token was not answered.
    pub fn doubt(&mut self, token: &str) {
        self.is_doubted |= self.is(token);
    }

    /// Notes that etcd refused this token.
    pub fn forget(&mut self, token: &str) {
        if self.is(token) {
            self.token = None;
        }
    }

    fn is(&self, token: &str) -> bool {
        self.token.as_deref() == Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_token_serves_until_it_is_refused_and_a_login_that_fails_is_put_off_ever_longer() {
        let (mut login, mut now) = (Login::default(), Instant::now());
        assert!(login.usable(now).is_none(), "a login is due");
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            login.put_off(Ok("busy".to_owned()), now);
            assert_eq!(login.usable(now), Some(Err(Ok("busy".to_owned()))));
            now += Duration::from_secs(pause) * 13 / 10;
            assert!(login.usable(now).is_none(), "it is due after {pause} s");
        }
        login.begin("a".to_owned(), now);
        login.note_answer("a");
        now += Duration::from_secs(3600);
        assert_eq!(login.usable(now), Some(Ok("a".to_owned())));
        // It is used while nobody knows whether it is good, but a new one is asked for.
        login.doubt("a");
        assert!(login.usable(now).is_none());
        login.put_off(Ok("busy".to_owned()), now);
        assert_eq!(login.usable(now), Some(Ok("a".to_owned())));
        login.note_answer("a");
        login.forget("b");
        assert_eq!(login.usable(now), Some(Ok("a".to_owned())));
        login.forget("a");
        assert!(login.usable(now).is_none(), "etcd refused it, so the next login is due");
    }
}
