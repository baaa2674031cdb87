//! The service over a store: read, modify, save, update, roll back, confirm.
//!
//! A command and an HTTP endpoint make the same call here ([`ConfigService`], [`Engine`]), so a fix in
//! one is a fix in both. `transaction` has the order of work of every change; `modify` and `replace`
//! compute the changes; `local` is the engine itself.
//!
//! *Invariants.* No HTTP types and no terminals: the callers ask questions and print. Without a server,
//! the running configuration is the file.

#[allow(clippy::disallowed_methods, reason = "a request has a time until which it may write")]
mod change;
mod check;
#[allow(clippy::disallowed_methods, reason = "a change has to be confirmed within a time")]
mod confirm;
mod guard;
#[allow(
    clippy::disallowed_methods,
    reason = "a hand edit that is not recorded yet has the time at which it is seen"
)]
mod history;
#[allow(clippy::disallowed_methods, reason = "a hook is a program that is waited for")]
mod hook;
mod include;
mod local;
mod modify;
mod rebase;
#[allow(clippy::disallowed_methods, reason = "the time that the reload command takes is told")]
mod reload;
mod replace;
mod roll_back;
#[allow(
    clippy::disallowed_methods,
    reason = "a writer waits for its turn, and a reload is noted with its time"
)]
mod running;
mod service;
mod snapshot;
#[allow(clippy::disallowed_methods, reason = "a change is recorded with its time")]
mod transaction;

pub use change::{
    CHANGE_NAMES, COMMANDS, ChangeOptions, ChangeReport, ChangeRequest, EntryEdit, EntryEdits, Expected,
    MAX_CONFIRM, Operation, OutcomeNote, ReportParts, RequestedChange,
};
pub use check::{CheckedConfig, FaultRecord, NewWarning, new_warnings};
pub use confirm::{PendingChange, canary_nodes, canary_refusal};
pub use guard::{
    GUARD_NAMES, Guard, MAX_DELETE_CEILING, MAX_DELETE_FLOOR, MAX_DELETE_SHARE, before_dangling,
    before_deletion, before_emptying, before_lost_account, before_replacement, count_streams,
    deleted_streams,
};
pub use history::{Blamed, ValueHistory, add_hand_edit, find, is_edited_since, value_history};
pub use hook::{
    ALLOCATOR_SETTINGS, DEFAULT_HOOK_TIMEOUT, HIDDEN_ENVIRONMENT, HookFailure, Hooks, Interrupt,
    output as hook_output,
};
pub use include::{Composed, ComposedFile, IncludedTexts};
pub use local::{DEFAULT_LOCK_WAIT, Engine, LogLevel, LogLine, StatusStamp};
pub use replace::{entry_range, not_there, with_entry};
pub use roll_back::Aftermath;
pub use running::{Activity, LastChange, LastReload, ReloadRun, ServerState};
pub use service::{
    ConfigService, ConfigSource, Decided, Decision, FirstError, NodeReport, ServerInfo, Status, StatusPart,
    demand, differing, last_change,
};
pub use snapshot::{
    Snapshot, added_and_removed, compared, diff_lines, json_of_others, json_without_secrets,
    value_diff_lines, without_secrets,
};
