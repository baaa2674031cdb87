//! Which endpoints of etcd a request is sent to, and when: to one, to the next one as soon as that fails, and to those that
//! failed again. If none answers for a while, one more is asked without a failure, once for each request: more would double
//! the work of an etcd that is busy. The first answer counts.

use std::time::Duration;

/// The time without an answer after which the next endpoint is asked, too. A member that is stopped keeps its connections
/// and answers nothing; one that is alive and far away answers in less.
pub const HEDGE: Duration = Duration::from_millis(500);

/// The longest such time, where members that were asked, too, were of no help: they are all busy.
pub const LONGEST_HEDGE: Duration = Duration::from_secs(8);

/// The pause before an endpoint that failed is asked again; it doubles each time.
pub const PAUSE: Duration = Duration::from_millis(100);

/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(800);

/// The course of a request. Times are since its beginning.
#[derive(Debug)]
pub struct Race {
    endpoints: Vec<Course>,
    /// The time of the last attempt.
    last: Duration,
    /// True if it failed, or another one did since.
    has_failed: bool,
    /// The time without an answer after which one more endpoint is asked; `None` once it was.
    hedge: Option<Duration>,
    /// The pause before an endpoint that failed is asked again.
    pause: Duration,
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
    /// A request over so many endpoints, of which one more is asked after the time `hedge` without an answer.
    pub fn over(endpoints: usize, hedge: Duration) -> Self {
        Self {
            endpoints: vec![Course::NotAsked; endpoints],
            last: Duration::ZERO,
            has_failed: false,
            hedge: Some(hedge),
            pause: PAUSE,
        }
    }

    /// The next step at a time, for a request that may last until `end`.
    pub fn next(&mut self, now: Duration, end: Duration) -> RaceStep {
        let first = |course: Course| self.endpoints.iter().position(|other| *other == course);
        let is_open = first(Course::Open).is_some();
        let is_silent = is_open && !self.has_failed;
        let (endpoint, at) = match (first(Course::NotAsked), first(Course::MayPass)) {
            (Some(endpoint), _) if !is_silent => (Some(endpoint), now),
            (Some(endpoint), _) => (Some(endpoint), self.hedge.map_or(end, |hedge| self.last + hedge)),
            (None, Some(endpoint)) => (Some(endpoint), self.last + self.pause),
            (None, None) if is_open => (None, end),
            (None, None) => return RaceStep::Over,
        };
        match endpoint {
            // Even without any time left one endpoint is asked once.
            Some(endpoint) if now >= at && (now < end || self.endpoints[0] == Course::NotAsked) => {
                match self.endpoints[endpoint] {
                    Course::MayPass => self.pause = (self.pause * 2).min(LONGEST_PAUSE),
                    _ if is_silent => self.hedge = None,
                    _ => {}
                }
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

    /// The time after which the next request asks one more endpoint, if this one, which had `hedge`, is over now: twice as
    /// long where that was of no help, and the usual one after an answer that came soon. `answered` is the endpoint that
    /// answered, counted from the first one.
    pub fn next_hedge(&self, answered: Option<usize>, hedge: Duration, now: Duration) -> Duration {
        // Otherwise the first endpoint was only slow, or the other one is, too.
        let has_helped = answered.is_some_and(|endpoint| endpoint != 0) && now < hedge * 2;
        match self.hedge {
            None if !has_helped => (hedge * 2).min(LONGEST_HEDGE),
            Some(_) if answered.is_some() && now < HEDGE => HEDGE,
            _ => hedge,
        }
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
        let (mut race, mut now, mut asked) = (Race::over(endpoints.len(), HEDGE), 0, Vec::new());
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
            // One that is busy may have stopped: one more is asked, and not all.
            (&[None, None, None], &[(0, 0), (1, 500)], END),
            // A slow one is not given up.
            (&[Some((600, false)), Some((600, false))], &[(0, 0), (1, 500)], 1100),
            // The leader is stopped, and the other one waits for the next one to be chosen.
            (&[None, Some((300, true))], &[(0, 0), (1, 500), (1, 800), (1, 1100), (1, 1500)], END),
        ] {
            assert_eq!(course(endpoints), (order.to_vec(), end), "{endpoints:?}");
        }
        let (asked, end) = course(&[Some((0, true))]);
        assert_eq!((asked, end), ([0, 100, 300, 700, 1500].map(|at| (0, at)).to_vec(), END));
    }

    /// All members of an etcd that is busy answer after the same time. Returns how many requests each of twenty calls is.
    fn calls_at(answer: u64) -> [usize; 20] {
        let (time, mut hedge) = (Duration::from_millis, HEDGE);
        [(); 20].map(|()| {
            let (mut race, mut now, mut asked) = (Race::over(3, hedge), time(0), Vec::new());
            loop {
                match race.next(now, time(60_000)) {
                    RaceStep::Ask(_) => asked.push(now),
                    RaceStep::Wait(most) => now = (now + most).min(time(answer)),
                    RaceStep::Over => panic!("it is answered"),
                }
                if now == time(answer) {
                    hedge = race.next_hedge(Some(0), hedge, now);
                    return asked.len();
                }
            }
        })
    }

    #[test]
    fn an_etcd_that_is_busy_is_not_asked_twice_for_long() {
        for (answer, more) in [(400, 0), (600, 1), (1200, 2), (3000, 3), (7900, 4)] {
            let calls = calls_at(answer);
            assert!(calls.iter().all(|requests| *requests <= 2), "{answer}: {calls:?}");
            assert_eq!(calls.iter().sum::<usize>(), 20 + more, "{answer}: {calls:?}");
        }
        // A member that is stopped answers nothing, and the next one soon: the one after that is as soon asked.
        let mut race = Race::over(3, HEDGE);
        let mut ask = |at: Duration| race.next(at, HEDGE * 20);
        assert_eq!((ask(Duration::ZERO), ask(HEDGE)), (RaceStep::Ask(0), RaceStep::Ask(1)));
        assert_eq!(race.next_hedge(Some(1), HEDGE, HEDGE + PAUSE), HEDGE);
        assert_eq!(
            Race::over(3, HEDGE * 8).next_hedge(Some(0), HEDGE * 8, PAUSE),
            HEDGE,
            "it is busy no longer"
        );
    }
}
