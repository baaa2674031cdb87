//! The steps of nodes.

use super::state::{Cast, Head, Node, Record, Seen, State, Text};
use super::walk::Step;

/// The steps that a node can take now.
pub fn steps(state: &State, cast: &Cast, node: usize, found: &mut Vec<Step>) {
    let now = &state.nodes[node];
    let mut step = |what: &str, is_fault: bool, take: &dyn Fn(&mut State)| {
        let mut next = state.clone();
        take(&mut next);
        found.push(Step { name: format!("node {node}: {what}"), is_fault, next });
    };
    if !now.is_up {
        step("starts", false, &|next| {
            let node = &mut next.nodes[node];
            // It was killed before it wrote the file: what it reads now decides.
            node.intent = node.intent.filter(|intent| *intent == node.file);
            node.is_up = true;
        });
        if now.record.is_some() {
            step("its record ends", false, &|next| next.nodes[node].record = None);
        }
        return;
    }
    if state.faults > 0 {
        step("is killed", true, &|next| {
            next.faults -= 1;
            let node = &mut next.nodes[node];
            // What is on disk stays, and so does what the media server has loaded.
            *node = Node { is_up: false, seen: None, refused: None, has_written: false, ..node.clone() };
        });
    }
    let current = seen(state, cast);
    if now.seen.as_ref() != Some(&current) {
        step("looks", false, &|next| next.nodes[node].seen = Some(seen(next, cast)));
    }
    let Some(known) = &now.seen else { return };
    let record = Record { runs: now.runs.serial, refused: now.refused.map(|text| text.serial) };
    let is_written = match cast.rules.node_notes_intent {
        true => now.intent == Some(now.file),
        false => now.has_written,
    };
    if is_written {
        step("reloads", false, &|next| {
            let node = &mut next.nodes[node];
            node.runs = node.file;
            node.intent = None;
            node.has_written = false;
        });
        return;
    }
    if let Some(intent) = now.intent {
        step("writes the file", false, &|next| next.nodes[node].file = intent);
        return;
    }
    if now.record != Some(record) {
        step("reports", false, &|next| next.nodes[node].record = Some(record));
    }
    match decide(known, now, cast, node) {
        Act::Nothing => {}
        Act::TakeBack(head) => step("takes back", false, &|next| {
            next.take_back(head, &cast.rules);
            next.nodes[node].seen = None;
        }),
        Act::Promote(head) => step("promotes", false, &|next| {
            if !cast.rules.promote_looks_at_records || known.records == records(next, cast) {
                next.confirm(head, &cast.rules);
            }
            next.nodes[node].seen = None;
        }),
        Act::Refuse(text) => step("refuses the text", false, &|next| next.nodes[node].refused = Some(text)),
        Act::Take(text) if cast.rules.node_notes_intent => step("notes its intent", false, &|next| {
            next.nodes[node].intent = Some(text);
        }),
        Act::Take(text) => step("writes the file, without a note", false, &|next| {
            next.nodes[node].file = text;
            next.nodes[node].has_written = true;
        }),
    }
}

enum Act {
    Nothing,
    TakeBack(Head),
    Promote(Head),
    Refuse(Text),
    Take(Text),
}

/// Decides the next act of a node by the keys that it has read.
fn decide(seen: &Seen, node: &Node, cast: &Cast, name: usize) -> Act {
    let Seen { head, is_pending, is_overdue, records } = seen;
    let mut wanted = head.text;
    if let Some(open) = head.open {
        let said = |of: fn(&Record) -> Option<u8>| {
            move |record: &Option<Record>| record.as_ref().and_then(of) == Some(head.text.serial)
        };
        if !is_pending || *is_overdue {
            return if cast.rules.node_takes_back { Act::TakeBack(*head) } else { Act::Nothing };
        }
        let is_first = name < cast.canaries;
        // Only those that go first look at the records of each other.
        if open.is_rollout && is_first {
            if records.iter().any(said(|record| record.refused)) {
                return Act::TakeBack(*head);
            }
            let all_run = records.iter().all(said(|record| Some(record.runs)));
            if all_run || !cast.rules.promote_looks_at_records {
                return Act::Promote(*head);
            }
        }
        if open.is_rollout && !is_first && cast.rules.others_wait {
            wanted = open.back;
        }
    }
    match wanted {
        // What runs is put back by its text: the serial of a head that went back is newer.
        text if text == node.file || node.refused == Some(text) => Act::Nothing,
        text if cast.is_refused(text.changes) => Act::Refuse(text),
        text => Act::Take(text),
    }
}

fn seen(state: &State, cast: &Cast) -> Seen {
    let is_rollout = state.head.open.is_some_and(|open| open.is_rollout);
    Seen {
        head: state.head,
        is_pending: state.pending.is_some(),
        is_overdue: state.is_overdue,
        records: if is_rollout { records(state, cast) } else { Vec::new() },
    }
}

fn records(state: &State, cast: &Cast) -> Vec<Option<Record>> {
    state.nodes.iter().take(cast.canaries).map(|node| node.record).collect()
}
