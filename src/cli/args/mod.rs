//! The options that commands share; those of one command are in its file in [`super::commands`].

pub mod changing;
pub mod global;

use clap::ArgMatches;

use crate::cli::ui::Ui;
use global::GlobalArgs;

/// A call of the program, as its command gets it.
#[derive(Clone, Copy)]
pub struct Invocation<'c> {
    pub global: &'c GlobalArgs,
    /// The words behind the command, where their order counts.
    pub matches: &'c ArgMatches,
    pub ui: Ui,
}

impl Invocation<'_> {
    /// The same for a command that only shows something: a long output goes through a pager.
    pub fn paged(self) -> Self {
        Self { ui: self.ui.paged(), ..self }
    }
}
