//! The commands: one file each, and [`change`] with what those that change something share.

pub mod add;
pub mod apply;
pub mod blame;
pub mod change;
pub mod check;
pub mod confirm;
pub mod context;
pub mod cp;
pub mod diff;
pub mod edit;
pub mod explain;
pub mod fmt;
pub mod help;
pub mod history;
pub mod init;
pub mod modify;
pub mod mv;
pub mod read;
pub mod rm;
pub mod rollback;
pub mod save;
pub mod serve;
pub mod status;
pub mod update;
pub mod wait;
pub mod watch;
