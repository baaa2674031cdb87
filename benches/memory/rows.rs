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
    row("read -o set", &[&["read", "-o", "set"]]),
    row("read -o table", &[&["read", "-o", "table"]]),
    row("read PATH", &[&["read", "streams.cam000007"]]),
    row("read 'streams.*.title'", &[&["read", "streams.*.title"]]),
    row("read --where", &[&["read", "streams.*.title", "--where", "title~7"]]),
    row("explain PATH", &[&["explain", "streams.cam000007.prepush"]]),
    row("status", &[&["status"]]),
    row("diff, nothing", &[&["diff", "media.conf", "media.conf"]]),
    row("diff, one stream", &[&["diff", "media.conf", "one.conf"]]),
    beyond(10.0, row("diff, all streams", &[&["diff", "media.conf", "all.conf"]])),
    row("fmt", &[&["fmt"]]),
    Row { on: Some("wide.conf"), ..beyond(7.4, row("fmt, all lines", &[&["fmt"]])) },
    row("modify --set, one stream", &[&["modify", "--set", "streams.cam000007.prepush=7"]]),
    beyond(5.3, row("modify --set, all streams", &[&["modify", "--set", "streams.*.prepush=7"]])),
    row("apply, one stream", &[&["apply", "one.conf"]]),
    beyond(6.9, row("apply, all streams", &[&["apply", "all.conf"]])),
    row("apply --dry-run, one renamed", &[&["apply", "renamed.conf", "--dry-run"]]),
    row("apply --prune, one renamed", &[&["apply", "renamed.conf", "--prune"]]),
    row("save, one stream", &[&["save", "one.conf"]]),
    beyond(10.0, row("save, all streams", &[&["save", "all.conf"]])),
    row("edit, one stream", &[&["edit", "--yes"]]),
    row("add", &[&["add", "stream", "gate", "udp://239.0.0.1:1234"]]),
    row("mv", &[&["mv", "streams.cam000007", "streams.gate"]]),
    row("cp", &[&["cp", "streams.cam000007", "streams.gate"]]),
    row("rm", &[&["rm", "streams.cam000007", "--yes"]]),
    row("history, one stream", &[&["save", "one.conf"], &["history"]]),
    row("history, all streams", &[&["save", "all.conf"], &["history"]]),
    row(
        "history -n 1, all streams",
        &[&["save", "one.conf"], &["save", "all.conf"], &["history", "-n", "1"]],
    ),
    row("history -p, one stream", &[&["save", "one.conf"], &["history", "-p"]]),
    row("blame", &[&["save", "all.conf"], &["blame", "streams.cam000007.prepush"]]),
    row("rollback, one stream", &[&["save", "one.conf"], &["rollback", "1"]]),
    beyond(10.0, row("rollback, all streams", &[&["save", "all.conf"], &["rollback", "1"]])),
];
