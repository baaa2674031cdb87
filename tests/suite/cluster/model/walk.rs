//! Walks through all states that can be reached, the nearest first, and judges each.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::state::{Cast, Changes, Head, Kind, Node, Open, Place, State, Writer};
use super::{node, writer};

/// A step that can be taken.
pub struct Step {
    pub name: String,
    /// True if it need not happen.
    pub is_fault: bool,
    pub next: State,
}

/// Hashes a state with less work than the hash for keys that somebody may choose: a walk hashes millions of states.
#[derive(Default)]
struct StateHasher(u64);

impl StateHasher {
    /// Odd, and without a pattern in its bits.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(Self::FACTOR);
    }
}

impl Hasher for StateHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.add((*byte).into()));
    }

    fn write_u8(&mut self, value: u8) {
        self.add(value.into());
    }

    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.add(value as u64);
    }

    fn finish(&self) -> u64 {
        (self.0 ^ self.0 >> 32).wrapping_mul(Self::FACTOR)
    }
}

/// A promise that does not hold, and the steps that show it.
pub struct Broken {
    pub promise: &'static str,
    pub steps: Vec<String>,
}

/// As many changes are made by others in a restored store, before there are many.
const SOME: u8 = 2;

/// Walks through all states; returns how many there are.
pub fn walk(cast: &Cast) -> Result<usize, Broken> {
    let start = State::new(cast);
    let mut numbers: HashMap<State, usize, BuildHasherDefault<StateHasher>> = HashMap::default();
    numbers.insert(start.clone(), 0);
    let mut states = vec![start];
    // The state before each and the step from there, to tell the way.
    let mut ways: Vec<(usize, String)> = vec![(0, String::new())];
    // The steps that are no faults.
    let mut ahead: Vec<Vec<usize>> = Vec::new();
    while let Some(state) = states.get(ahead.len()).cloned() {
        let from = ahead.len();
        let steps = steps(&state, cast);
        let mut next = Vec::new();
        let is_at_rest = steps.iter().all(|step| step.is_fault);
        if let Some(promise) = judge(&state, cast, is_at_rest) {
            return Err(Broken { promise, steps: way(&ways, from) });
        }
        for Step { name, is_fault, next: state } in steps {
            let number = *numbers.entry(state).or_insert_with_key(|state| {
                states.push(state.clone());
                ways.push((from, name));
                states.len() - 1
            });
            if !is_fault {
                next.push(number);
            }
        }
        ahead.push(next);
    }
    match restless(&ahead) {
        Some(state) => Err(Broken { promise: "converged", steps: way(&ways, state) }),
        None => Ok(states.len()),
    }
}

fn steps(state: &State, cast: &Cast) -> Vec<Step> {
    let mut found = Vec::new();
    (0..state.writers.len()).for_each(|writer| writer::steps(state, cast, writer, &mut found));
    (0..state.nodes.len()).for_each(|node| node::steps(state, cast, node, &mut found));
    if let Some(writer) = state.pending {
        let mut ended = state.clone();
        ended.pending = None;
        ended.expired |= 1 << writer;
        // Whoever may connect can keep it alive, so it need not end.
        found.push(Step { name: "the lease ends".to_owned(), is_fault: true, next: ended });
    }
    if cast.restores {
        restore(state, cast, &mut found);
    }
    found
}

/// The steps of whoever takes a snapshot, restores it, and adopts what was restored. No writer is at work meanwhile: all
/// members are stopped.
fn restore(state: &State, cast: &Cast, found: &mut Vec<Step>) {
    let mut step = |name: &str, take: &dyn Fn(&mut State)| {
        let mut next = state.clone();
        take(&mut next);
        found.push(Step { name: name.to_owned(), is_fault: true, next });
    };
    let rests = |writer: &Writer| matches!(writer.at, Place::Begins | Place::Done) && writer.stray.is_none();
    match &state.snapshot {
        None if state.store == 0 => step("a snapshot is taken", &State::save),
        Some(snapshot) if state.writers.iter().all(rests) => {
            step("the snapshot is restored", &|next| next.restore(snapshot.clone()));
        }
        _ => {}
    }
    let is_adopted = state.head.text.epoch > 0;
    // What waits has to be decided first.
    if state.store > 0 && !is_adopted && state.pending.is_none() {
        step("it is adopted", &|next| {
            next.take_back(next.head, cast);
            next.adopt();
        });
    }
    if state.store > 0 && state.head.open.is_none() && state.head.text.serial < SOME {
        step("another change is made", &|next| next.put(next.next(next.head.text.changes), None));
    }
    // Who looks only after the history has forgotten what it ran can't know what became of that.
    let all_have_looked =
        state.nodes.iter().all(|node| node.seen.is_some_and(|seen| seen.head == state.head));
    if state.store > 0 && state.head.open.is_none() && all_have_looked && !state.is_far_on() {
        step("many changes are made", &State::go_far_on);
    }
}

/// The promise that a state breaks.
fn judge(state: &State, cast: &Cast, is_at_rest: bool) -> Option<&'static str> {
    let unconfirmed = |changes: Changes, is: fn(Kind) -> bool| {
        let kinds = cast.writers.iter().enumerate().filter(|(_, kind)| is(**kind));
        kinds.map(|(writer, _)| 1 << writer).any(|bit| changes & !state.confirmed & bit != 0)
    };
    let mut others = state
        .nodes
        .iter()
        .enumerate()
        .filter(|(number, _)| cast.named(*number) >= cast.canaries)
        .map(|(_, node)| node);
    let refuses = cast.is_refused(state.head.text.changes);
    let goes_on = |node: &Node| unconfirmed(node.runs.changes, Kind::is_open) && !is_permitted(state, node);
    let mut nodes = state.nodes.iter().enumerate();
    let broken = [
        (state.broken.is_some(), state.broken.unwrap_or_default()),
        (state.kept & !state.head.text.changes != 0, "kept"),
        (state.head.open.is_none() && unconfirmed(state.head.text.changes, Kind::is_open), "unconfirmed"),
        (others.any(|node| unconfirmed(node.runs.changes, Kind::is_rollout)), "canary"),
        (refuses && cast.canaries > 0 && state.confirmed & state.head.text.changes != 0, "canary"),
        (cast.has_misfit(state.head.text.changes), "overlay"),
        (is_at_rest && state.nodes.iter().any(goes_on), "back"),
        (is_at_rest && !nodes.all(|(number, node)| is_settled(state, cast, number, node)), "converged"),
    ];
    broken.into_iter().find(|(is_broken, _)| *is_broken).map(|(_, promise)| promise)
}

/// True if a node at rest may run the change that is not confirmed.
fn is_permitted(state: &State, node: &Node) -> bool {
    let is_in_time = |head: Head| node.over != Some(head.text);
    match node.is_cut_off {
        true => !node.is_late && node.seen.is_some_and(|seen| is_in_time(seen.head)),
        false => state.pending.is_some() && is_in_time(state.head),
    }
}

/// True if a node at rest runs the configuration, or refuses it, and says so; or hears nothing of it.
fn is_settled(state: &State, cast: &Cast, number: usize, node: &Node) -> bool {
    let head = state.head;
    let goes_first = cast.named(number) < cast.canaries;
    let is_taken = |open: &Open| is_permitted(state, node) && (goes_first || !open.is_rollout);
    let wanted = match head.open.filter(|open| !is_taken(open)) {
        Some(open) => open.back,
        None => head.text,
    };
    let record = node.record.map(|record| (record.runs, record.refused));
    match cast.is_refused(wanted.changes) {
        // Two twins never come to rest with their records.
        _ if node.is_cut_off || cast.has_twin => true,
        // Nobody has adopted what was restored.
        _ if node.held.is_some() && state.store > 0 && node.runs.epoch == head.text.epoch => true,
        true => {
            let says = Some((node.runs, Some(wanted)));
            !cast.is_refused(node.runs.changes) && record == says
        }
        false => node.runs == wanted && record.is_some_and(|(runs, _)| runs == wanted),
    }
}

/// A state from which the steps that are no faults can go on for ever.
fn restless(ahead: &[Vec<usize>]) -> Option<usize> {
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); ahead.len()];
    let mut open: Vec<usize> = ahead.iter().map(Vec::len).collect();
    for (from, next) in ahead.iter().enumerate() {
        next.iter().for_each(|to| behind[*to].push(from));
    }
    let mut done: Vec<usize> = (0..ahead.len()).filter(|state| open[*state] == 0).collect();
    let mut count = 0;
    while let Some(state) = done.pop() {
        count += 1;
        for from in &behind[state] {
            open[*from] -= 1;
            if open[*from] == 0 {
                done.push(*from);
            }
        }
    }
    let mut state = open.iter().position(|open| *open > 0).filter(|_| count < ahead.len())?;
    // Some steps further on it is in a circle.
    for _ in 0..ahead.len() {
        state = *ahead[state].iter().find(|next| open[**next] > 0)?;
    }
    Some(state)
}

fn way(ways: &[(usize, String)], mut state: usize) -> Vec<String> {
    let mut steps = Vec::new();
    while state != 0 {
        let (from, name) = &ways[state];
        steps.push(name.clone());
        state = *from;
    }
    steps.reverse();
    steps
}
