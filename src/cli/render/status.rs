//! The state of a configuration, as text.

use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use super::diagnostics::in_one_line;
use super::table;
use crate::cli::confirmation::is_well;
use crate::cli::fleet::answers::{StateRow, worst_first};
use crate::cli::fleet::names::{by_number, sorted_ranges};
use crate::cli::local;
use crate::cli::ui::as_typed;
use crate::engine::{NodeReport, ServerInfo, Status};
use crate::store::{HistoryEntry, NodeRecord, NodeState, PendingInfo};
use mediaconf::one_line;

/// The number of differing paths that are shown.
const MAX_PATHS: usize = 20;

/// Prints the state of the configuration `target`, whose nodes are counted.
pub fn print(target: &str, status: &Status, counts: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = vec![("configuration:", target.to_owned())];
    let mut add = |label, text: Option<String>| lines.extend(text.map(|text| (label, text)));
    status.alarms.iter().for_each(|alarm| add("alarm:", Some(alarm.clone())));
    match &status.server {
        None if status.nodes.is_some() => {
            let after = |last: &HistoryEntry| last.after.map(|after| format!("{}, {after}", last.number));
            add("revision:", status.last_change.as_ref().and_then(after));
        }
        None => add("server:", Some(status.unreachable.clone().unwrap_or("none is running".to_owned()))),
        Some(server) => {
            add("server:", Some(server_in_words(server)));
            let saved = match status.saved {
                None => "unknown: the server does not say",
                Some(true) => "yes, it runs what is in the file",
                Some(false) => "no, the running configuration differs from the file",
            };
            add("saved:", Some(saved.to_owned()));
            // Of a file with errors no values are compared.
            if status.saved == Some(false) && status.errors.is_none_or(|errors| errors == 0) {
                let paths = &status.differing;
                let none =
                    paths.is_empty().then(|| "(no value differs, only comments or spacing)".to_owned());
                add("", none);
                paths.iter().take(MAX_PATHS).for_each(|path| add("", Some(path.clone())));
                let more = paths.len().saturating_sub(MAX_PATHS);
                add("", (more > 0).then(|| format!("and {more} more")));
            }
        }
    }
    if let Some(node) = &status.node {
        add("node:", Some(format!("{} of {}", node.name, node.cluster)));
        add("runs:", Some(runs_in_words(node)));
        add("cluster:", node.away.as_ref().map(|why| format!("changes are refused: {why}")));
    }
    let by_hand = "the file was edited since the last change";
    add("by hand:", status.edited_by_hand.then(|| by_hand.to_owned()));
    let is_included = status.first_error.as_ref().is_none_or(|error| error.file != target);
    let file = if is_included { "the file, with what it includes," } else { "the file" };
    let errors = status.errors.filter(|count| *count > 0).map(|count| match count {
        1 => format!("{file} has an error; `mediactl check` shows it"),
        _ => format!("{file} has {count} errors; `mediactl check` shows them"),
    });
    add("errors:", errors);
    add("", status.first_error.as_ref().map(in_one_line));
    add("pending:", status.pending.as_ref().map(|pending| pending_in_words(pending, status)));
    add("last change:", status.last_change.as_ref().map(|last| change_in_words(last, to_the_second)));
    add("last error:", status.last_error.clone());
    let counts = if counts.is_empty() { "none follows it" } else { counts };
    add("nodes:", status.nodes.as_ref().map(|_| counts.to_owned()));
    lines.iter().try_for_each(|(label, text)| writeln!(out, "{label:<14} {}", one_line(&as_typed(text))))
}

/// The text that each node runs, the one that it should run, and the number of changes between it and the last one: a node
/// that is cut off does not know of it.
pub fn node_rows(status: &Status) -> Vec<StateRow> {
    let last = status.last_change.as_ref().map(|last| last.number);
    let serial = |serial: Option<u64>| serial.map_or("-".to_owned(), |serial| serial.to_string());
    let row = |node: &NodeRecord| {
        let newest = last.max(node.wanted).unwrap_or_default();
        let lag = node.serial.map_or("-".to_owned(), |serial| newest.saturating_sub(serial).to_string());
        let is_well = is_well(node, status);
        let is_behind = !is_well && matches!(node.state, NodeState::Running | NodeState::Canary);
        let behind = is_behind.then(|| "behind the last change".to_owned());
        let why = node.why.clone().or(behind).unwrap_or_default();
        let since = humantime::parse_rfc3339(&node.since).ok().filter(|_| node.state == NodeState::Gone);
        let why = since.map_or(why.clone(), |since| why.replace(&node.since, &local::short(since)));
        let cells = [serial(node.serial), serial(node.wanted), lag, node.state.to_string(), why];
        StateRow {
            name: one_line(&node.node),
            rank: if is_behind { usize::MAX } else { node.state as usize },
            state: node.state.to_string(),
            is_well,
            is_behind,
            cells: cells.map(|cell| one_line(&cell)).to_vec(),
        }
    };
    let mut nodes: Vec<&NodeRecord> = status.nodes.iter().flatten().collect();
    nodes.sort_by_key(|node| by_number(&node.node));
    nodes.into_iter().map(row).collect()
}

/// Prints rows of nodes, if there are any.
pub fn nodes_table(rows: Vec<StateRow>, all: bool, width: usize, out: &mut dyn Write) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let headings = ["NODE", "RUNS", "WANTED", "LAG", "STATE", "WHY"].map(str::to_owned).to_vec();
    let rows = std::iter::once(headings).chain(worst_first(rows, all)).collect();
    writeln!(out)?;
    table::print_whole_last(rows, width, out)
}

/// Describes the condition that a change waits for.
fn pending_in_words(pending: &PendingInfo, status: &Status) -> String {
    let PendingInfo { operation, by, deadline, canary, is_over, .. } = pending;
    let left = pending.left();
    let is_away = status.node.as_ref().is_some_and(|node| node.away.is_some());
    match (canary.is_empty(), is_over) {
        _ if is_away => {
            format!("{operation} by {by} was not confirmed when this node heard of the cluster last")
        }
        (true, false) => format!("{operation} by {by} waits to be confirmed: {left} left"),
        (true, true) if status.nodes.is_none() && *deadline > SystemTime::now() => format!(
            "{operation} by {by} waited to be confirmed when its server was killed, with {left} left: the next \
             change, or a server that starts, rolls it back"
        ),
        (is_whole, true) => format!(
            "{operation} by {by}{} was not confirmed in time: the next change, or {}, rolls it back",
            if is_whole { String::new() } else { format!(", with {} first,", sorted_ranges(canary)) },
            if status.nodes.is_some() { "a node" } else { "a server that starts" }
        ),
        (false, false) => {
            let first = sorted_ranges(canary);
            format!("{operation} by {by}, with {first} first, waits to be confirmed: {left} left")
        }
    }
}

/// Describes the text that a node runs, and the reason why it does not run what it should.
fn runs_in_words(node: &NodeReport) -> String {
    let serial =
        |serial: Option<u64>| serial.map_or_else(|| "nothing".to_owned(), |serial| serial.to_string());
    let mut words = serial(node.serial);
    if node.wanted != node.serial {
        words += &format!(" instead of {}", serial(node.wanted));
    }
    words += &format!(", {} since {}", node.state, node.since);
    node.why.iter().for_each(|why| words += &format!(": {why}"));
    words
}

fn server_in_words(server: &ServerInfo) -> String {
    let mut words = Vec::new();
    words.extend(server.pid.map(|pid| format!("process {pid}")));
    words.extend(server.version.as_ref().map(|version| format!("mediactl {version}")));
    words.extend((!server.addresses.is_empty()).then(|| server.addresses.join(", ")));
    if words.is_empty() { "unknown process".to_owned() } else { words.join(", ") }
}

/// Describes a change: its author, its time, and its reason; the time as `exact` words it.
pub fn change_in_words(entry: &HistoryEntry, exact: fn(Duration) -> String) -> String {
    let ago = exact(SystemTime::now().duration_since(entry.at).unwrap_or_default());
    let by = entry.by.as_deref().map_or(String::new(), |by| format!(" by {by}"));
    let message = entry.message.as_deref().map_or(String::new(), |message| format!(": {message}"));
    format!("{}{by}, {ago} ago{message}", entry.operation)
}

/// A time to the second; one over a day in days.
pub fn to_the_second(time: Duration) -> String {
    match time.as_secs() / (24 * 60 * 60) {
        0 => humantime::format_duration(Duration::from_secs(time.as_secs())).to_string(),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}

/// A time in its largest unit, so that rows of many servers are equal.
pub fn roughly(time: Duration) -> String {
    match to_the_second(time).split_once(' ') {
        Some((largest, rest)) if !rest.starts_with("day") => largest.to_owned(),
        None if time < Duration::from_secs(60) => "less than 1m".to_owned(),
        _ => to_the_second(time),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::cli::fleet::answers::counted;

    const PAGE: &str = include_str!("../../../docs/cluster.md");

    /// A cluster at change 9 with a node in each state, as the nodes report themselves.
    fn nodes() -> Vec<NodeRecord> {
        let records = include_str!("../../../tests/fixtures/nodes.json");
        serde_json::from_str(records).expect("they are records")
    }

    fn table(width: usize) -> String {
        let mut out = Vec::new();
        let last_change = Some(HistoryEntry::new(9, "modify"));
        let status = Status { nodes: Some(nodes()), last_change, ..Status::default() };
        nodes_table(node_rows(&status), true, width, &mut out).expect("a vector takes all");
        String::from_utf8(out).expect("it is text").trim_start().to_owned()
    }

    /// The words of all states, and those without a word of their own.
    fn states() -> BTreeSet<String> {
        NodeState::ALL.iter().chain([&NodeState::Gone]).map(NodeState::to_string).collect()
    }

    #[test]
    fn a_table_of_nodes_in_all_states_fits_eighty_columns_and_loses_no_word() {
        let nodes = nodes();
        let shown: BTreeSet<String> = nodes.iter().map(|node| node.state.to_string()).collect();
        assert!(shown.is_superset(&states()), "the fixture has each state: {shown:?}");
        let narrow = table(80);
        assert!(narrow.lines().all(|line| line.width() <= 80), "{narrow}");
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        for node in &nodes {
            let row = narrow.split(&format!("\n{} ", node.node)).nth(1).expect("it has a row");
            let end = row.lines().skip(1).take_while(|line| line.starts_with(' ')).count() + 1;
            let row: String = row.lines().take(end).map(letters).collect();
            let why = letters(node.why.as_deref().unwrap_or_default());
            assert!(row.ends_with(&why), "{why}: {row}");
        }
        for width in 20..200 {
            let table = table(width);
            let most = table.lines().map(UnicodeWidthStr::width).max();
            assert!(width < 60 || most.is_some_and(|most| most <= width), "{width}: {table}");
        }
        assert!(PAGE.contains(&narrow), "docs/cluster.md shows another table than this one:\n{narrow}");
    }

    #[test]
    fn two_hundred_nodes_are_counted_and_folded_and_only_what_is_not_well_is_in_full() {
        let record = |number: u32| {
            let (state, serial, why) = match number {
                7 => (NodeState::Failed, 8, Some("the check command failed with exit code 1".to_owned())),
                9 | 10 => (NodeState::Failed, 8, Some("the reload command failed".to_owned())),
                150 => (NodeState::Gone, 9, Some("no record since 23:55".to_owned())),
                160 => (NodeState::Running, 6, None),
                _ => (NodeState::Running, 9, None),
            };
            let (serial, wanted) = (Some(serial), Some(9));
            NodeRecord { node: format!("edge{number}"), serial, wanted, why, ..NodeRecord::absent(state) }
        };
        let last_change = Some(HistoryEntry::new(9, "modify"));
        let status =
            Status { nodes: Some((1..=200).map(record).collect()), last_change, ..Status::default() };
        assert_eq!(counted(&node_rows(&status)), "196 running, 1 of them behind · 3 failed · 1 gone");
        let table = |all| {
            let mut out = Vec::new();
            nodes_table(node_rows(&status), all, 80, &mut out).expect("a vector takes all");
            String::from_utf8(out).expect("it is text")
        };
        assert_eq!(
            table(false),
            "
NODE                RUNS  WANTED  LAG  STATE    WHY
edge7               8     9       1    failed   the check command failed with
                                                exit code 1
edge9, edge10       8     9       1    failed   the reload command failed
edge150             9     9       0    gone     no record since 23:55
edge160             6     9       3    running  behind the last change
edge[1-6], … (195)  9     9       0    running
"
        );
        assert_eq!(table(true).lines().filter(|line| line.starts_with("edge")).count(), 200);
    }

    #[test]
    fn times_over_a_day_are_in_days() {
        for (seconds, exact, rough) in [
            (59, "59s", "less than 1m"),
            (86_399, "23h 59m 59s", "23h"),
            (86_400, "1 day", "1 day"),
            (3_000_000, "34 days", "34 days"),
        ] {
            let time = Duration::from_secs(seconds);
            assert_eq!((&*to_the_second(time), &*roughly(time)), (exact, rough));
        }
    }

    #[test]
    fn the_page_has_a_row_for_each_state() {
        let (_, rows) =
            PAGE.split_once("| state | it comes about | what you do |\n").expect("there is such a table");
        let rows = rows.lines().skip(1).take_while(|line| line.starts_with('|'));
        let named = rows.map(|row| row.split('`').nth(1).expect("it names a state").to_owned());
        assert_eq!(named.collect::<BTreeSet<_>>(), states());
    }
}
