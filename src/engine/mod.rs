//! The service over a store: read, modify, save, update, roll back, confirm.
//!
//! A command and an HTTP endpoint make the same call here ([`ConfigService`], [`Engine`]), so a fix in
//! one is a fix in both. `transaction` has the order of work of every change; `modify` and `replace`
//! compute the changes; `local` is the engine itself, below all operations.
//!
//! *Invariants.* No HTTP types and no terminals: the callers ask questions and print. Without a server,
//! the running configuration is the file.

#[allow(clippy::disallowed_methods, reason = "a reload is noted with its time")]
mod activity;
mod aftermath;
mod base_text;
mod blame;
mod canary;
#[allow(clippy::disallowed_methods, reason = "a request has a time until which it may write")]
mod change;
mod change_report;
mod changed_paths;
mod composed;
#[allow(clippy::disallowed_methods, reason = "a change has to be confirmed within a time")]
mod confirm;
mod conflict;
mod entry_text;
mod fault_record;
#[allow(clippy::disallowed_methods, reason = "a writer waits for its turn")]
mod gate;
mod guard;
#[allow(clippy::disallowed_methods, reason = "the time that is left to confirm a change is told")]
mod history;
#[allow(clippy::disallowed_methods, reason = "a hook is a program that is waited for")]
mod hook;
mod include_change;
mod included_entry;
mod interrupt;
mod judgement;
mod local;
#[allow(clippy::disallowed_methods, reason = "the time that is left to confirm a change is told")]
mod local_service;
mod log_line;
mod masked;
mod modify;
mod new_text;
mod new_warnings;
mod node_report;
mod operation;
mod outcome;
#[allow(clippy::disallowed_methods, reason = "a change waits for a time")]
mod pending;
#[allow(clippy::disallowed_methods, reason = "the time that the reload command takes is told")]
mod reload;
mod replace;
mod restore;
#[allow(clippy::disallowed_methods, reason = "a change is made again for a time")]
mod retry;
mod roll_back;
mod running;
mod server;
mod service;
mod snapshot;
mod status;
mod status_stamp;
#[allow(clippy::disallowed_methods, reason = "a change is recorded with its time")]
mod transaction;

pub use activity::{Activity, ChangeResult, HandEdit, LastReload, PendingEnd, ReloadRun};
pub use aftermath::Aftermath;
pub use blame::{Blamed, ValueHistory, is_edited_since, value_history};
pub use canary::{CanaryFault, canary_nodes};
pub use change::{
    CHANGE_NAMES, COMMANDS, ChangeOptions, ChangeRequest, EntryEdit, EntryEdits, Expected, MAX_CONFIRM,
    RequestedChange,
};
pub use change_report::{ChangeReport, ReportParts};
pub use changed_paths::{KnownPaths, add_paths};
pub use composed::{Composed, ComposedFile, IncludedTexts};
pub use conflict::Conflict;
pub use entry_text::{entry_range, not_there, with_entry};
pub use fault_record::{CheckedConfig, FaultRecord, FixRecord, RangeRecord, RelatedRecord};
pub use guard::{
    GUARD_NAMES, Guard, MAX_DELETE_CEILING, MAX_DELETE_FLOOR, MAX_DELETE_SHARE, before_deletion,
    before_replacement, deleted_streams,
};
pub use history::find;
pub use hook::{
    ALLOCATOR_SETTINGS, DEFAULT_HOOK_TIMEOUT, HIDDEN_ENVIRONMENT, HookFailure, Hooks, output as hook_output,
};
pub use include_change::{IncludeChange, IncludedEntry};
pub use interrupt::Interrupt;
pub use local::{DEFAULT_LOCK_WAIT, Engine};
pub use log_line::{LogLevel, LogLine};
pub use masked::{MaskedConfig, json_of_others, without_secrets};
pub use new_text::NewText;
pub use new_warnings::{BRINGS_WARNING, NewWarning, new_warnings};
pub use node_report::{NodeFigures, NodeReport};
pub use operation::Operation;
pub use outcome::{After, Outcome, OutcomeNote};
pub use pending::PendingChange;
pub use running::{LastChange, MAX_REHEARSALS, ServerState};
pub use service::{ConfigService, ConfigSource, Decision};
pub use snapshot::{INCLUDE, Snapshot, added_and_removed, compared, diff_lines, value_diff_lines};
pub use status::{FirstError, ServerHealth, ServerInfo, Status, differing, last_change};
pub use status_stamp::StatusStamp;
