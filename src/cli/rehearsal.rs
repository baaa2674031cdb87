//! Changes that are shown before they are made, and made only if the user agrees: of a protected context, and those
//! whose command asks. Without a terminal nothing is asked.

use std::io;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::prompts;
use crate::cli::render::texts::print_diff;
use crate::cli::ui::{Ui, output};
use crate::engine::{
    ChangeOptions, ChangeReport, ConfigService, Expected, Guard, OutcomeNote, ReportParts, RequestedChange,
};
use crate::error::Error;

/// A change of more streams, lives and plugins than this is asked about.
pub const MOST_UNASKED: usize = 20;

/// The questions about a change before it is made.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The protected context that it is made in.
    pub protected: Option<String>,
    /// Describes the part of a rehearsed change that needs a question; `None` if it needs none.
    pub about: Option<fn(&ChangeReport) -> Option<String>>,
    /// True if it may change more than [`MOST_UNASKED`] entries.
    pub may_be_many: bool,
}

impl Question {
    /// True if the change is rehearsed first.
    pub fn is_asked(&self, args: &ChangeArgs) -> bool {
        (self.protected.is_some() || self.about.is_some() || self.may_be_many)
            && !(args.yes || args.force || args.dry_run)
            && prompts::can_ask()
    }

    /// Rehearses the change, shows it and asks. Returns the options with which it is made, for the configuration
    /// that it was shown for; `None` if it needs no question.
    pub fn ask(
        &self,
        service: &dyn ConfigService,
        ui: Ui,
        options: &ChangeOptions,
        requested: &RequestedChange<'_>,
    ) -> Result<Option<ChangeOptions>, Error> {
        let mut agreed = options.clone();
        let mut reasons: Vec<String> = Vec::new();
        reasons.extend(self.protected.iter().map(|name| format!("context `{name}` is protected")));
        let told = ReportParts {
            diff: true,
            values: true,
            secrets: ui.masker().is_none(),
            ..ReportParts::default()
        };
        agreed.told = told;
        let (report, refusal) = rehearse(service, &mut agreed, requested)?;
        reasons.extend(refusal.iter().map(ToString::to_string));
        reasons.extend(self.about.and_then(|about| about(&report)));
        if refusal.is_none() {
            let effects = &report.effects;
            reasons.extend(effects.in_words().filter(|_| effects.entries() > MOST_UNASKED));
        }
        if reasons.is_empty() || !report.changed {
            return Ok(None);
        }
        let name = service.name();
        output(print_diff(&report.diff, [name; 2], ui.on_stderr(), &mut io::stderr().lock()))?;
        let end = if self.protected.is_some() && reasons.len() == 1 { "change it?" } else { "go on?" };
        let question = format!("{}: {end}", reasons.join("; "));
        match (prompts::confirm(&question).map_err(Error::prompt_failed)?, refusal, &self.protected) {
            (Some(true), ..) => {}
            (_, Some(refusal), _) => return Err(refusal),
            (_, None, Some(name)) => return Err(Error::protected(name)),
            (_, None, None) => return Err(Error::unanswered_edit(true)),
        }
        // Of a text that is not there any more, the change is not made.
        if agreed.expected.is_none() && !report.notes.contains(&OutcomeNote::OverwroteHandEdit) {
            agreed.expected = report.before.map(|revision| Expected::OneOf(vec![revision]));
        }
        Ok(Some(agreed))
    }
}

/// Makes a dry run that accepts the guards which ask; also returns the last refusal of such a guard.
fn rehearse(
    service: &dyn ConfigService,
    options: &mut ChangeOptions,
    requested: &RequestedChange<'_>,
) -> Result<(ChangeReport, Option<Error>), Error> {
    let mut refusal = None;
    loop {
        let error =
            match service.change(requested.by_ref(), &ChangeOptions { dry_run: true, ..options.clone() }) {
                Ok(report) => return Ok((report, refusal)),
                Err(error) => error,
            };
        match error.guard.clone().filter(Guard::is_question) {
            Some(guard) if !options.accepted.contains(&guard) => options.accepted.push(guard),
            _ => return Err(error),
        }
        refusal = Some(error);
    }
}
