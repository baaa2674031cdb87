//! The table of the commands that are measured.

/// A command whose memory is measured.
pub struct Row {
    pub name: &'static str,
    /// The text that is the configuration, where it is not the one with the name of the streams in order.
    pub on: Option<&'static str>,
    /// The commands that run one after the other; the last one is measured.
    pub commands: &'static [&'static [&'static str]],
    /// The bytes that it may allocate at most at a time, in times of the file.
    pub limit: f64,
}

const fn row(name: &'static str, commands: &'static [&'static [&'static str]]) -> Row {
    Row { name, on: None, commands, limit: 4.0 }
}

/// A command that takes more than the aim: it may not become worse.
const fn beyond(limit: f64, row: Row) -> Row {
    Row { limit, ..row }
}

pub const ROWS: &[Row] = &[
    row("check", &[&["check"]]),
    row("read", &[&["read"]]),
    row("read -o compact", &[&["read", "-o", "compact"]]),
    row("read -o conf", &[&["read", "-o", "conf"]]),
    beyond(34.0, row("read -o set", &[&["read", "-o", "set"]])),
    beyond(5.0, row("read -o table", &[&["read", "-o", "table"]])),
    row("read PATH", &[&["read", "streams.cam000007"]]),
    beyond(5.5, row("read 'streams.*.title'", &[&["read", "streams.*.title"]])),
    beyond(6.0, row("read --where", &[&["read", "streams.*.title", "--where", "title~7"]])),
    row("explain PATH", &[&["explain", "streams.cam000007.prepush"]]),
    row("status", &[&["status"]]),
    beyond(4.5, row("diff, nothing", &[&["diff", "media.conf", "media.conf"]])),
    beyond(4.5, row("diff, one stream", &[&["diff", "media.conf", "one.conf"]])),
    beyond(11.5, row("diff, all streams", &[&["diff", "media.conf", "all.conf"]])),
    beyond(15.0, row("fmt", &[&["fmt"]])),
    Row { on: Some("wide.conf"), ..beyond(15.0, row("fmt, all lines", &[&["fmt"]])) },
    beyond(4.5, row("modify --set, one stream", &[&["modify", "--set", "streams.cam000007.prepush=7"]])),
    beyond(16.5, row("modify --set, all streams", &[&["modify", "--set", "streams.*.prepush=7"]])),
    beyond(6.0, row("apply, one stream", &[&["apply", "one.conf"]])),
    beyond(23.0, row("apply, all streams", &[&["apply", "all.conf"]])),
    beyond(6.0, row("apply --dry-run, one renamed", &[&["apply", "renamed.conf", "--dry-run"]])),
    beyond(6.0, row("apply --prune, one renamed", &[&["apply", "renamed.conf", "--prune"]])),
    beyond(8.0, row("save, one stream", &[&["save", "one.conf"]])),
    beyond(12.5, row("save, all streams", &[&["save", "all.conf"]])),
    beyond(14.0, row("edit, one stream", &[&["edit", "--yes"]])),
    beyond(4.5, row("add", &[&["add", "stream", "gate", "udp://239.0.0.1:1234"]])),
    beyond(4.5, row("mv", &[&["mv", "streams.cam000007", "streams.gate"]])),
    beyond(4.5, row("cp", &[&["cp", "streams.cam000007", "streams.gate"]])),
    beyond(4.5, row("rm", &[&["rm", "streams.cam000007", "--yes"]])),
    beyond(5.0, row("history, one stream", &[&["save", "one.conf"], &["history"]])),
    beyond(5.0, row("history, all streams", &[&["save", "all.conf"], &["history"]])),
    beyond(
        5.0,
        row(
            "history -n 1, all streams",
            &[&["save", "one.conf"], &["save", "all.conf"], &["history", "-n", "1"]],
        ),
    ),
    beyond(5.0, row("history -p, one stream", &[&["save", "one.conf"], &["history", "-p"]])),
    beyond(5.0, row("blame", &[&["save", "all.conf"], &["blame", "streams.cam000007.prepush"]])),
    beyond(10.0, row("rollback, one stream", &[&["save", "one.conf"], &["rollback", "1"]])),
    beyond(11.5, row("rollback, all streams", &[&["save", "all.conf"], &["rollback", "1"]])),
];
