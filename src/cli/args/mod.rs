//! The options that commands share; those of one command are in its file in [`super::commands`].

pub mod changing;
pub mod global;
