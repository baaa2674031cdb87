//! The command line as clap parses it: one struct for each command, and those that commands share.
//!
//! Nothing is done here; the commands themselves are in [`super::commands`].

pub mod add;
pub mod apply;
pub mod blame;
pub mod block_place;
pub mod changing;
pub mod check;
pub mod command_line;
pub mod completion;
pub mod confirm;
pub mod confirm_time;
pub mod context;
pub mod cp;
pub mod diff;
pub mod edit;
pub mod explain;
pub mod fleet;
pub mod fmt;
pub mod global;
pub mod help;
pub mod history;
pub mod init;
pub mod modify;
pub mod mv;
pub mod overlay;
pub mod read;
pub mod rm;
pub mod rollback;
pub mod save;
pub mod serve;
pub mod status;
pub mod update;
pub mod wait;
pub mod watch;
