//! The commands whose memory is measured.

/// The commands that run one after the other in a folder with `media.conf` and other texts of it; the last one is
/// measured.
pub type Row = &'static [&'static [&'static str]];

pub const ROWS: &[Row] = &[
    &[&["check"]],
    &[&["read"]],
    &[&["read", "-o", "compact"]],
    &[&["read", "-o", "conf"]],
    &[&["read", "-o", "set"]],
    &[&["read", "-o", "table"]],
    &[&["read", "streams.*.title", "--where", "title~7"]],
    &[&["explain", "streams.cam000007.prepush"]],
    &[&["status"]],
    &[&["diff", "media.conf", "one.conf"]],
    &[&["diff", "media.conf", "all.conf"]],
    &[&["fmt"]],
    &[&["save", "wide.conf"], &["fmt"]],
    &[&["modify", "--set", "streams.cam000007.prepush=7"]],
    &[&["modify", "--set", "streams.*.prepush=7"]],
    &[&["apply", "one.conf"]],
    &[&["apply", "all.conf"]],
    &[&["apply", "renamed.conf", "--prune"]],
    &[&["save", "one.conf"]],
    &[&["save", "all.conf"]],
    &[&["edit", "--yes"]],
    &[&["add", "stream", "gate", "udp://239.0.0.1:1234"]],
    &[&["mv", "streams.cam000007", "streams.gate"]],
    &[&["cp", "streams.cam000007", "streams.gate"]],
    &[&["rm", "streams.cam000007", "--yes"]],
    &[&["save", "all.conf"], &["history"]],
    &[&["save", "one.conf"], &["history", "-p"]],
    &[&["save", "all.conf"], &["blame", "streams.cam000007.prepush"]],
    &[&["save", "all.conf"], &["rollback", "last"]],
];
