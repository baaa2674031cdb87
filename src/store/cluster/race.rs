//! Which endpoints of etcd a request is sent to, and when: to one, to the next one as soon as that fails or has not answered
//! for a while, and to those that failed again. The first answer counts.

use std::time::Duration;

/// The time without an answer after which the next endpoint is asked, too. A member that is stopped keeps its connections
/// and answers nothing; one that is alive and far away answers in less.
const HEDGE: Duration = Duration::from_millis(500);

/// The pause before an endpoint that failed is asked again.
pub const PAUSE: Duration = Duration::from_millis(100);

/// The course of a request. Times are since its beginning.
#[derive(Debug)]
pub struct Race {
    endpoints: Vec<Course>,
    /// The time of the last attempt.
    last: Duration,
    /// True if it failed, or another one did since.
    has_failed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Course {
    NotAsked,
    /// It has not answered yet.
    Open,
    /// It may answer if it is asked again.
    MayPass,
    Failed,
}

/// The next step of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum RaceStep {
    /// Ask the endpoint that is so many behind the first one.
    Ask(usize),
    /// Wait for an answer, at most for this time.
    Wait(Duration),
    /// No endpoint answers in time.
    Over,
}

impl Race {
    pub fn over(endpoints: usize) -> Self {
        Self { endpoints: vec![Course::NotAsked; endpoints], last: Duration::ZERO, has_failed: false }
    }

    /// The next step at a time, for a request that may last until `end`.
    pub fn next(&mut self, now: Duration, end: Duration) -> RaceStep {
        let first = |course: Course| self.endpoints.iter().position(|other| *other == course);
        let is_open = first(Course::Open).is_some();
        let (endpoint, at) = match (first(Course::NotAsked), first(Course::MayPass)) {
            (Some(endpoint), _) if is_open && !self.has_failed => (Some(endpoint), self.last + HEDGE),
            (Some(endpoint), _) => (Some(endpoint), now),
            (None, Some(endpoint)) => (Some(endpoint), self.last + PAUSE),
            (None, None) if is_open => (None, end),
            (None, None) => return RaceStep::Over,
        };
        match endpoint {
            // Even without any time left one endpoint is asked once.
            Some(endpoint) if now >= at && (now < end || self.endpoints[0] == Course::NotAsked) => {
                self.endpoints[endpoint] = Course::Open;
                (self.last, self.has_failed) = (now, false);
                RaceStep::Ask(endpoint)
            }
            _ if now >= end => RaceStep::Over,
            _ => RaceStep::Wait(at.min(end) - now),
        }
    }

    /// Notes that an endpoint that was asked gave no answer. One that may pass is the last one to be asked again.
    pub fn fail(&mut self, endpoint: usize, may_pass: bool) {
        self.has_failed = true;
        self.endpoints[endpoint] = if may_pass { Course::MayPass } else { Course::Failed };
    }

    /// The endpoints that have not answered.
    pub fn open(&self) -> impl Iterator<Item = usize> {
        let endpoints = self.endpoints.iter().enumerate();
        endpoints.filter(|(_, course)| **course == Course::Open).map(|(endpoint, _)| endpoint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: u64 = 2000;

    /// What is asked and when, in milliseconds, and the end. Each endpoint fails after such a time, so that it may pass or
    /// not; or it never answers.
    fn course(endpoints: &[Option<(u64, bool)>]) -> (Vec<(usize, u64)>, u64) {
        let time = Duration::from_millis;
        let (mut race, mut now, mut asked) = (Race::over(endpoints.len()), 0, Vec::new());
        let mut fails: Vec<(u64, usize, bool)> = Vec::new();
        loop {
            match race.next(time(now), time(END)) {
                RaceStep::Ask(endpoint) => {
                    asked.push((endpoint, now));
                    fails.extend(endpoints[endpoint].map(|(after, passes)| (now + after, endpoint, passes)));
                }
                RaceStep::Wait(most) => {
                    let until = now + u64::try_from(most.as_millis()).expect("it is small");
                    fails.sort_unstable();
                    now = match fails.first().copied().filter(|(at, ..)| *at <= until) {
                        Some((at, endpoint, passes)) => {
                            fails.remove(0);
                            race.fail(endpoint, passes);
                            at
                        }
                        None => until,
                    };
                }
                RaceStep::Over => return (asked, now),
            }
        }
    }

    #[test]
    fn the_next_endpoint_is_asked_when_one_fails_or_is_silent() {
        for (endpoints, order, end) in [
            (&[None][..], &[(0, 0)][..], END),
            (&[Some((7, false))], &[(0, 0)], 7),
            // One is stopped, and the next one away.
            (&[None, Some((1, false)), None], &[(0, 0), (1, 500), (2, 501)], END),
            (&[Some((1, false)), Some((2, false)), Some((3, false))], &[(0, 0), (1, 1), (2, 3)], 6),
            (&[None, None, None], &[(0, 0), (1, 500), (2, 1000)], END),
            // A slow one is not given up.
            (&[Some((600, false)), Some((600, false))], &[(0, 0), (1, 500)], 1100),
            // The leader is stopped, and the other one waits for the next one to be chosen.
            (&[None, Some((300, true))], &[(0, 0), (1, 500), (1, 800), (1, 1100), (1, 1400), (1, 1700)], END),
        ] {
            assert_eq!(course(endpoints), (order.to_vec(), end), "{endpoints:?}");
        }
        let (asked, end) = course(&[Some((0, true))]);
        assert_eq!((asked.len(), end), (20, END), "it is asked every 100 ms");
    }
}
