//! A call of the program, as its command gets it.

use clap::ArgMatches;

use super::args::global::GlobalArgs;
use super::ui::Ui;

/// The arguments of a command beside its own options.
#[derive(Clone, Copy)]
pub struct Invocation<'c> {
    pub global: &'c GlobalArgs,
    /// The words behind the command, where their order counts.
    pub matches: &'c ArgMatches,
    pub ui: Ui,
}

impl Invocation<'_> {
    /// The same for a command that only shows something: a long output goes through a pager.
    #[must_use]
    pub fn paged(self) -> Self {
        Self { ui: self.ui.paged(), ..self }
    }
}
