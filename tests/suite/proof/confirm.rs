//! A server is killed in a change, and in each phase of one that has to be confirmed: what was answered or confirmed stays,
//! what was not confirmed goes back before the next server answers.

use super::strace::{self, Attached, Call};
use super::{ask, hand_edits_in_whole_history, rounds, strays, text_for_readers};
use crate::cli::serve::Serving;
use crate::cli::{Place, SAMPLE, with_rtsp};
use crate::waiting::until;

/// The number of calls of a phase that the short form examines.
const SOME: usize = 15;

const CHANGE: &str = r#"{"rtsp":1935}"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// A change that need not be confirmed.
    Plain,
    Change,
    Confirm,
    /// While it is rolled back on request.
    Cancel,
    /// While it is rolled back on timeout.
    TimeOver,
    /// While the next server rolls it back.
    Start,
}

/// A server over a folder of its own, with or without a change that waits.
struct Story {
    place: Place,
    server: Serving,
    id: String,
}

impl Story {
    fn until(phase: Phase) -> Self {
        let place = Place::with(SAMPLE);
        let server = Serving::over(&place);
        let id = match phase {
            Phase::Plain | Phase::Change => String::new(),
            // Long enough to be traced before it is over.
            Phase::TimeOver => change(&server, 2),
            _ => change(&server, 600),
        };
        Self { place, server, id }
    }

    /// Does what the phase is about; whether the server answered that it is done.
    fn act(&self, phase: Phase) -> bool {
        let operation = match phase {
            Phase::Plain => "modify_config".to_owned(),
            Phase::Change => "modify_config?confirm=600".to_owned(),
            Phase::Confirm => format!("confirm_config?id={}", self.id),
            Phase::Cancel => format!("cancel_config?id={}", self.id),
            Phase::TimeOver | Phase::Start => return self.wait_for_the_end(),
        };
        let body = if matches!(phase, Phase::Plain | Phase::Change) { CHANGE } else { "" };
        ask(&self.server.url, "POST", &operation, body).is_some_and(|answer| answer.status == 200)
    }

    /// Until the change is rolled back, or no server is left that could do it.
    fn wait_for_the_end(&self) -> bool {
        let answers = || ask(&self.server.url, "GET", "read_config", "").is_some();
        until("the change waits for ever", || match self.place.is_pending() {
            true => (!answers()).then_some(false),
            false => Some(true),
        })
    }
}

fn change(server: &Serving, seconds: u32) -> String {
    let answer = ask(&server.url, "POST", &format!("modify_config?confirm={seconds}"), CHANGE);
    let answer = answer.expect("it answers");
    answer.header("Mediactl-Pending").expect("it waits").to_owned()
}

/// The next server, and what it comes to.
#[track_caller]
fn goes_on(place: &Place, may_be_kept: bool, must_be_kept: bool, shown: &str) -> bool {
    let text = text_for_readers(place).expect("there is always a file");
    assert!(text == SAMPLE || text == with_rtsp("1935"), "{shown}: {text}");
    let next = Serving::over(place);
    let text = place.text();
    let is_kept = text == with_rtsp("1935");
    assert!(is_kept || text == SAMPLE, "{shown}: {text}");
    assert!(may_be_kept || !is_kept, "{shown}: what was not confirmed has to go back");
    assert!(!must_be_kept || is_kept, "{shown}: what was confirmed has to stay");
    assert!(!place.is_pending(), "{shown}");
    let running = ask(&next.url, "GET", "read_config", "").expect("it answers");
    let running: serde_json::Value = serde_json::from_slice(&running.body).expect("it is JSON");
    assert_eq!(running["rtsp"] == 1935, is_kept, "{shown}: what runs is what is in the file");
    let answer = ask(&next.url, "POST", "modify_config", r#"{"rtmp":9}"#).expect("it answers");
    assert_eq!(answer.status, 200, "{shown}");
    next.stop().exits(0);
    assert_eq!(hand_edits_in_whole_history(place), 0, "{shown}");
    assert_eq!(strays(place), [""; 0], "{shown}");
    is_kept
}

/// The calls of a phase; `None` if a server may not be traced.
fn calls(phase: Phase) -> Option<Vec<Call>> {
    let story = Story::until(phase);
    if phase == Phase::Start {
        story.server.kill();
        return Some(start(&story.place, None));
    }
    let attached = Attached::to(&story.server, &story.place, &[])?;
    assert!(story.act(phase), "{phase:?}");
    let calls = attached.detach().calls;
    story.server.stop().exits(0);
    Some(calls)
}

/// A server that rolls back what it finds, and then has nowhere to listen.
fn start(place: &Place, kill: Option<String>) -> Vec<Call> {
    let (run, trace) =
        strace::run(place, &kill.into_iter().collect::<Vec<_>>(), &["serve", "--listen", "192.0.2.1:1"]);
    assert!(matches!(run.code, None | Some(9)), "{run:#?}");
    trace.calls
}

fn killed_at(phase: Phase, call: &Call) -> bool {
    let story = Story::until(phase);
    let kill = call.option("signal=KILL");
    let shown = format!("{phase:?} killed at {}", call.line);
    let mut is_done = false;
    if phase == Phase::Start {
        story.server.kill();
        start(&story.place, Some(kill));
    } else {
        let attached = Attached::to(&story.server, &story.place, &[kill]).expect("it could be traced before");
        is_done = story.act(phase);
        attached.abandon();
        story.server.kill();
    }
    let may_stay = matches!(phase, Phase::Plain | Phase::Confirm);
    goes_on(&story.place, may_stay, may_stay && is_done, &shown)
}

fn prove(phase: Phase) {
    if !strace::can_run() {
        return;
    }
    let Some(calls) = calls(phase) else { return };
    // From the end: what comes last is what makes the difference.
    let kills = calls.iter().rev().step_by(rounds(calls.len() / SOME + 1, 1));
    let (mut kept, mut gone) = (0, 0);
    for call in kills {
        match killed_at(phase, call) {
            true => kept += 1,
            false => gone += 1,
        }
    }
    assert!(
        kept > 0 || !matches!(phase, Phase::Plain | Phase::Confirm),
        "nothing was killed after {phase:?}"
    );
    println!(
        "confirm: {phase:?}: killed at {} of {} calls, {kept} times kept, {gone} gone back",
        kept + gone,
        calls.len()
    );
}

#[test]
#[ignore = "takes minutes: .ci/run runs it, with the other proofs"]
fn killed_in_each_phase() {
    let phases = [Phase::Plain, Phase::Change, Phase::Confirm, Phase::Cancel, Phase::TimeOver, Phase::Start];
    phases.into_iter().for_each(prove);
}
