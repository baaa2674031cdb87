//! The steps of nodes. What a node runs is for `mediactl::node::runs` to say.

use std::sync::LazyLock;
use std::time::Duration;

use mediactl::node::{Contact, Runs, runs, why_held};
use mediactl::store::Revision;
use mediactl::store::cluster::{HeadRecord, TextRef, Unconfirmed};
use mediactl::store::file::FollowedText;

use super::state::{Cast, Head, Node, Record, Rule, Seen, State, Text};
use super::walk::Step;

/// The rest of a lease, and the time for which a change lasts without a confirmation.
const LEASE: Duration = Duration::from_secs(10);
const TTL: Duration = Duration::from_secs(60);

/// What holds a node that is about to go back from a change which the cluster no longer has.
const LOST: &str = "it goes back";

/// The halves of the time for which a node has to run a change before the others.
const WHOLE: u8 = 2;

/// The record of a confirmed change.
static CONFIRMED: LazyLock<HeadRecord> = LazyLock::new(|| {
    let record = serde_json::json!({
        "format": 2, "epoch": "e", "serial": 1, "id": "i", "by": "", "at": "2026-01-01T00:00:00Z",
        "operation": "modify", "keep": 100,
    });
    HeadRecord::parse(record.to_string().as_bytes()).expect("it is a record")
});

/// The steps that a node can take now.
pub fn steps(state: &State, cast: &Cast, node: usize, found: &mut Vec<Step>) {
    let now = &state.nodes[node];
    let mut step = |what: &str, is_fault: bool, take: &dyn Fn(&mut State)| {
        let mut next = state.clone();
        take(&mut next);
        found.push(Step { name: format!("node {node}: {what}"), is_fault, next });
    };
    if now.record.is_some() && (!now.is_up || now.is_cut_off) {
        step("its record ends", false, &|next| next.nodes[node].record = None);
    }
    if !now.is_up {
        return step("starts", false, &|next| {
            let node = &mut next.nodes[node];
            // It was killed before it wrote the file: what it reads now decides.
            node.intent = node.intent.filter(|intent| *intent == node.file);
            node.is_up = true;
        });
    }
    if state.faults > 0 {
        step("is killed", true, &|next| {
            next.faults -= 1;
            let node = &mut next.nodes[node];
            // What is on disk stays, and so does what the media server has loaded.
            let over = node.over.filter(|_| node.way_back.is_some());
            let soaked = if cast.follows(Rule::RestartSoaksAnew) { 0 } else { node.soaked };
            let held = node.held.take().filter(|held| held != LOST);
            let down = Node { is_up: false, seen: None, is_late: false, over, held, ..node.clone() };
            let down = Node { has_written: false, refused: None, soaked, ran: 0, ..down };
            *node = Node { known: None, has_put: false, is_twin: false, ..down };
        });
    }
    match now.is_cut_off {
        true => step("reaches etcd again", true, &|next| next.nodes[node].is_cut_off = false),
        false if state.faults > 0 => step("is cut off", true, &|next| {
            next.faults -= 1;
            next.nodes[node].is_cut_off = true;
        }),
        false => {}
    }
    let current = look(state, cast, now);
    let found = state.nodes[cast.named(node)].record.filter(|_| cast.has_twin);
    // Whether it is held goes by what it runs, so it does not look while it takes a text.
    let takes = cast.restores && (now.intent.is_some() || now.has_written);
    let held = (cast.restores && !now.is_cut_off).then(|| held(state, now, cast));
    let is_other = held.as_ref().is_some_and(|held| *held != now.held);
    let is_new = now.seen != Some(current) || now.is_late || now.known != found || is_other;
    if is_new && !now.is_cut_off && !takes {
        // Two twins put their records for ever.
        let is_fault = now.seen == Some(current) && !now.is_late;
        step("looks", is_fault, &|next| {
            let other = found.filter(|found| found.by != node);
            let node = &mut next.nodes[node];
            (node.seen, node.is_late, node.known) = (Some(current), false, found);
            node.is_twin |= node.has_put && other.is_some();
            if let Some(held) = &held {
                node.held.clone_from(held);
            }
            if current.head.open.is_none() && !cast.follows(Rule::NodeKeepsWayBack) {
                node.way_back = None;
            }
        });
    }
    let is_behind = now.seen.is_some_and(|seen| seen.head.open.is_some() || seen.head.text != now.runs);
    // These two need not happen: a look, or a confirmation, may be faster.
    if now.is_cut_off && is_behind && !now.is_late {
        step("hears nothing for too long", true, &|next| next.nodes[node].is_late = true);
    }
    if let Some(Seen { head, .. }) = now.seen.filter(|seen| seen.head.open.is_some()) {
        let change = Some(head.text);
        if now.over != change && !cast.has_twin {
            step("the time of the change is over", true, &|next| next.nodes[node].over = change);
        }
    }
    soak(state, cast, node, &mut step);
    let record = Record {
        runs: now.runs,
        refused: now.refused,
        has_soaked: now.soaked == WHOLE,
        has_run: now.ran == WHOLE,
        is_twin: now.is_twin,
        by: node,
    };
    let is_written = match cast.follows(Rule::NodeNotesIntent) {
        true => now.intent == Some(now.file),
        false => now.has_written,
    };
    if is_written {
        return step("reloads", false, &|next| {
            next.note_leave(cast, node, next.nodes[node].file);
            let node = &mut next.nodes[node];
            node.runs = node.file;
            node.intent = None;
            node.has_written = false;
            (node.soaked, node.ran) = (0, 0);
        });
    }
    if let Some(intent) = now.intent {
        return step("writes the file", false, &|next| next.nodes[node].file = intent);
    }
    let kept = state.nodes[cast.named(node)].record;
    let may_put = !cast.has_twin || kept == now.known || !cast.follows(Rule::PutComparesRecord);
    if !now.is_cut_off && now.seen.is_some() && kept != Some(record) && may_put {
        step("reports", cast.has_twin, &|next| {
            next.nodes[cast.named(node)].record = Some(record);
            if cast.has_twin {
                (next.nodes[node].known, next.nodes[node].has_put) = (Some(record), true);
            }
        });
    }
    match act(now, cast, node) {
        Act::Nothing => {}
        Act::ForgetWayBack => step("forgets the way back", false, &|next| next.nodes[node].way_back = None),
        Act::Refuse(text) => step("refuses the text", false, &|next| next.nodes[node].refused = Some(text)),
        // How a text is taken is walked through without twins.
        Act::Take(text) if cast.has_twin => step("takes the text", false, &|next| {
            let node = &mut next.nodes[node];
            let open = node.seen.filter(|seen| seen.head.text == text).and_then(|seen| seen.head.open);
            node.way_back = open.map(|open| open.back).or(node.way_back);
            (node.file, node.runs, node.soaked, node.ran) = (text, text, 0, 0);
        }),
        Act::NoteWayBack(text) => step("notes the way back", false, &|next| {
            next.nodes[node].way_back = Some(text);
        }),
        Act::Take(text) if cast.follows(Rule::NodeNotesIntent) => step("notes its intent", false, &|next| {
            next.nodes[node].intent = Some(text);
        }),
        Act::Take(text) => step("writes the file, without a note", false, &|next| {
            next.nodes[node].file = text;
            next.nodes[node].has_written = true;
        }),
    }
}

/// Adds a step: its name, whether it is a fault, and what it does.
type AddStep<'s> = dyn FnMut(&str, bool, &dyn Fn(&mut State)) + 's;

/// Time passes while a node runs a change before the others, or its media server is ill for a moment. A time is longer than
/// nodes with one name need to hear of each other.
fn soak(state: &State, cast: &Cast, node: usize, step: &mut AddStep<'_>) {
    let now = &state.nodes[node];
    let runs_first = |seen: Seen| {
        let goes_first =
            seen.head.open.is_some_and(|open| open.is_rollout) && cast.named(node) < cast.canaries;
        goes_first && seen.head.text == now.runs && runs_now(&seen, now, cast, node) == Runs::Head
    };
    if !cast.soaks || !now.seen.is_some_and(runs_first) {
        return;
    }
    let has_heard = |number: usize| {
        let other = &state.nodes[number];
        if number == node {
            return other.has_put || !cast.has_twin;
        }
        let is_there = other.is_up && !other.is_cut_off && cast.named(number) == cast.named(node);
        let kept = state.nodes[cast.named(number)].record;
        let is_of_it = kept.is_some_and(|kept| kept.by == number) && other.known == kept;
        let is_of_twins = other.is_twin && kept.is_some_and(|kept| kept.is_twin);
        !is_there || !cast.has_twin || is_of_it || is_of_twins
    };
    if now.soaked < WHOLE && (0..state.nodes.len()).all(has_heard) {
        step("runs it for half of its time", false, &|next| {
            let node = &mut next.nodes[node];
            (node.soaked, node.ran) = (node.soaked + 1, WHOLE.min(node.ran + 1));
        });
    }
    if now.soaked > 0 && state.faults > 0 {
        step("is ill for a moment", true, &|next| {
            next.faults -= 1;
            let node = &mut next.nodes[node];
            node.ran = 0;
            if cast.follows(Rule::IllnessSoaksAnew) {
                node.soaked = 0;
            }
        });
    }
}

/// Reads the keys.
fn look(state: &State, cast: &Cast, node: &Node) -> Seen {
    let mut head = state.head;
    let before = node.seen.filter(|before| before.head.text.serial == head.text.serial);
    if let (Some(before), false) = (before, cast.follows(Rule::ConfirmedIsRun)) {
        head.open = before.head.open;
    }
    let taken_back = Some(node.file).filter(|text| state.reverts & 1 << (text.serial + 1) != 0);
    Seen { head, is_pending: state.pending.is_some(), taken_back }
}

enum Act {
    Nothing,
    ForgetWayBack,
    Refuse(Text),
    NoteWayBack(Text),
    Take(Text),
}

/// The next act of a node: towards the text that it runs by what it has read last.
fn act(node: &Node, cast: &Cast, number: usize) -> Act {
    // Cut off, it goes back alone, or nowhere.
    let alone = node.way_back.filter(|back| node.file.serial == back.serial + 1);
    if let Some(held) = &node.held {
        return alone.filter(|_| held == LOST).map_or(Act::Nothing, Act::Take);
    }
    let (wanted, open) = match node.seen {
        None => (alone.filter(|_| node.is_cut_off), None),
        Some(seen) => match (runs_now(&seen, node, cast, number), seen.head.open) {
            // It does not know what became of the change that it runs.
            (Runs::Head, _) if node.is_cut_off && seen.head.text != node.file && node.is_late => {
                (alone, None)
            }
            (Runs::Head, _) if node.is_cut_off => (None, None),
            (Runs::Head, open) => (Some(seen.head.text), open),
            (Runs::Back(_), _) if node.is_cut_off => (alone, None),
            (Runs::Back(_), open) => (open.map(|open| open.back), None),
        },
    };
    let is_closed = node.seen.is_some_and(|seen| seen.head.open.is_none() && seen.head.text == node.runs);
    match wanted {
        _ if is_closed && node.way_back.is_some() => Act::ForgetWayBack,
        None => Act::Nothing,
        // What runs is put back by its text: the serial of a head that went back is newer.
        Some(text) if text == node.file => Act::Nothing,
        Some(text) if node.refused == Some(text) => match before_taken_back(node, cast) {
            Some(before) => Act::Take(before),
            None => Act::Nothing,
        },
        Some(text) if cast.is_refused(text.changes) => Act::Refuse(text),
        Some(text) => match open.map(|open| open.back).filter(|back| node.way_back != Some(*back)) {
            Some(back) if cast.follows(Rule::NodeNotesWayBack) && !cast.has_twin => Act::NoteWayBack(back),
            _ => Act::Take(text),
        },
    }
}

/// The text before what the node has, if that was taken back.
fn before_taken_back(node: &Node, cast: &Cast) -> Option<Text> {
    let taken_back = node.seen.and_then(|seen| seen.taken_back);
    node.way_back.filter(|_| cast.follows(Rule::LeavesWhatWasTakenBack) && taken_back == Some(node.file))
}

/// The reason why a node that looks now is held: asks the function of the nodes. A rule of it is left out by what is kept
/// from it.
fn held(state: &State, node: &Node, cast: &Cast) -> Option<String> {
    let (runs, head) = (node.runs, state.head);
    let alone = node.way_back.filter(|back| runs.serial == back.serial + 1);
    let revision = text_of(runs).revision;
    // Of a text that came back the id of its change is not known.
    let id = (node.way_back != Some(runs)).then(|| id_of(runs));
    let followed = FollowedText {
        serial: runs.serial.into(),
        epoch: if cast.follows(Rule::AdoptedGoesOn) { epoch_of(runs) } else { "never".to_owned() },
        id,
        source: String::new(),
        original: revision,
        revision,
    };
    let record = state.history.iter().find(|text| text.serial == runs.serial);
    let record = if cast.follows(Rule::HeldByRecord) { record } else { Some(&runs) };
    let record = record.map(|text| record_of(Head { text: *text, open: None, ..head }, cast));
    let known = alone.map(|_| id_of(runs));
    let head = record_of(head, cast);
    let again = head.unconfirmed.as_ref().map(|change| change.id.clone());
    let known = if cast.follows(Rule::HeldByConfirmation) { known } else { again };
    let before = node.held.as_deref().filter(|held| *held != LOST && cast.follows(Rule::HeldStays));
    let why = why_held(&head, &followed, record.as_ref(), before, known.as_deref());
    let goes_back = alone.is_some() && cast.follows(Rule::LeavesWhatIsLost);
    why.map(|why| if goes_back { LOST.to_owned() } else { why })
}

/// The text of a state in etcd.
fn text_of(text: Text) -> TextRef {
    TextRef {
        serial: text.serial.into(),
        id: id_of(text),
        revision: Revision::from_text(&[text.changes]),
        codec: String::new(),
        size: 0,
        chunks: 0,
        sha256: String::new(),
        overlays: None,
    }
}

fn id_of(text: Text) -> String {
    format!("{}-{}-{}", text.serial, text.store, text.epoch)
}

fn epoch_of(text: Text) -> String {
    format!("epoch {}", text.epoch)
}

/// Asks the function of the nodes. A rule of it is left out by what is kept from it.
fn runs_now(seen: &Seen, node: &Node, cast: &Cast, number: usize) -> Runs {
    let Seen { head, is_pending, .. } = *seen;
    let is_over = node.over == Some(head.text) && cast.follows(Rule::RunsOutInItsTime);
    let is_late = node.is_late && cast.follows(Rule::CutOffGoesBack);
    let has_pending = is_pending || !cast.follows(Rule::RunsOutWithPending);
    let contact = Contact {
        first_seen: if is_over { TTL } else { Duration::ZERO },
        read: if is_late { LEASE + Duration::from_millis(1) } else { Duration::ZERO },
        lease_left: if has_pending { LEASE } else { Duration::ZERO },
    };
    let name = if cast.follows(Rule::OthersWait) { cast.named(number) } else { 0 };
    runs(&record_of(head, cast), has_pending, &name.to_string(), &contact)
}

/// The key `head`, as far as the function looks at it.
fn record_of(head: Head, cast: &Cast) -> HeadRecord {
    let canaries =
        |is_rollout| (0..cast.canaries).filter(|_| is_rollout).map(|node| node.to_string()).collect();
    let unconfirmed = head.open.map(|open| Unconfirmed {
        id: id_of(head.text),
        deadline: 0,
        ttl_s: Some(TTL.as_secs()),
        canaries: canaries(open.is_rollout),
        soak_s: None,
        back: Some(text_of(open.back)),
    });
    HeadRecord {
        epoch: epoch_of(head.text),
        adopts: (0..head.text.epoch).map(|epoch| epoch_of(Text { epoch, ..head.text })).collect(),
        serial: head.text.serial.into(),
        id: id_of(head.text),
        text: Some(text_of(head.text)),
        unconfirmed,
        ..CONFIRMED.clone()
    }
}
