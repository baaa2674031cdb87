//! The report of a change: the diff or the new configuration on stdout, and lines about it on stderr.

use serde_json::{Value, json};

use crate::cli::args::changing::{ChangeArgs, ChangeFormat};
use crate::cli::render::new_warnings;
use crate::cli::render::texts::print_change;
use crate::cli::ui::Ui;
use crate::engine::{ChangeReport, OutcomeNote, ReportParts};
use crate::error::Error;
use crate::http::notes::word_of;
use mediaconf::{ChangedValue, Masker, Pointer};

/// The form of the report of a change.
pub struct Report<'a> {
    pub ui: Ui,
    /// The name of the configuration in messages.
    pub target: &'a str,
    /// The command that makes it.
    pub command: &'static str,
    pub args: &'a ChangeArgs,
    /// True if the user has seen the diff already.
    pub diff_was_shown: bool,
}

/// Said in the place of a summary.
const BROKEN_BEFORE: &str = "the text before has errors and can't be read, so it is not known which values change; `-o diff` shows the lines";

/// The words for what a command did, and for what it would do.
fn verb(command: &str) -> [&'static str; 2] {
    match command {
        "save" => ["saved", "would save"],
        "apply" => ["applied to", "would apply to"],
        "edit" => ["edited", "would edit"],
        "revert" => ["reverted in", "would revert in"],
        "rollback" => ["rolled back", "would roll back"],
        "fmt" => ["formatted", "would format"],
        "update" => ["updated", "would update"],
        _ => ["changed", "would change"],
    }
}

impl Report<'_> {
    /// The parts of a change that this report needs.
    pub fn parts(&self) -> ReportParts {
        let is = |format: ChangeFormat| self.args.output == format;
        ReportParts {
            diff: is(ChangeFormat::Diff) && !self.args.quiet && !self.diff_was_shown,
            values: !is(ChangeFormat::Diff) || self.ui.terminal_out,
            is_bare: is(ChangeFormat::Diff) && self.args.quiet,
            ..ReportParts::masked_by(self.ui.masker)
        }
    }

    /// Prints the report of a change.
    pub fn print(&self, change: &ChangeReport) -> Result<(), Error> {
        let Self { ui, target, args, .. } = *self;
        let masker = ui.masker;
        change.warnings.iter().for_each(|warning| ui.warning(warning));
        let printed = match args.output {
            ChangeFormat::Json => ui.print_json(&change_json((self.command, target), change, masker)),
            ChangeFormat::Diff if args.quiet || change.diff.is_empty() => Ok(()),
            ChangeFormat::Summary if self.diff_was_shown && ui.terminal_out => Ok(()),
            form => {
                let differing = (&*change.diff, change.known_values());
                ui.print_painted(|out| print_change(form, differing, [target; 2], ui, out))
            }
        };
        match printed {
            Err(error) if args.dry_run => return Err(error),
            // The change was made, so an output that fails only warns.
            Err(error) if !error.is_closed_output() => ui.warning(&error.to_string()),
            _ => {}
        }
        if !self.diff_was_shown {
            let warnings = new_warnings(&change.new_warnings, masker);
            warnings.iter().for_each(|warning| ui.warning(warning));
        }
        notes(change, args.output).for_each(|note| ui.note(&note));
        if !change.changed && change.lines_added + change.lines_removed == 0 {
            ui.say(&format!("nothing to change in {target}"));
            return Ok(());
        }
        if args.output == ChangeFormat::Diff {
            if change.snapshot.as_ref().is_some_and(|after| after.is_of_values) {
                ui.note(&format!("`{target}` does not show its text, so the diff compares its values"));
            }
            let effects = change.effects.in_words().filter(|_| change.effects.streams > 1);
            effects.iter().for_each(|words| ui.say(words));
        }
        if let (ChangeFormat::Summary, true, Some(before)) = (args.output, args.dry_run, change.before) {
            ui.note(&format!("with `--only-if {before}` the change is made only of this text"));
        }
        let verb = verb(self.command)[usize::from(args.dry_run)];
        let lines = |count: usize| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
        let [added, removed] = [change.lines_added, change.lines_removed].map(lines);
        ui.say(&format!("{verb} {target}: {added} added, {removed} removed"));
        Ok(())
    }
}

/// The change that a command made of a target, as `-o json` prints it for programs. The shape is stable.
pub fn change_json(
    (operation, target): (&'static str, &str),
    change: &ChangeReport,
    masker: Masker,
) -> Value {
    let masked = |text: String| masker.prose(&text).into_owned();
    let mut effects = json!({ "summary": change.effects.in_words() });
    if let (Value::Object(all), Value::Object(counts)) = (&mut effects, json!(change.effects)) {
        all.extend(counts);
    }
    let new_warnings = change.new_warnings.iter().map(|warning| masked(warning.to_string()));
    json!({
        "changed": change.changed,
        "operation": operation,
        "target": target,
        "before": change.before,
        "revision": change.after,
        "paths": values_json(&change.values, masker),
        "lines_added": change.lines_added,
        "lines_removed": change.lines_removed,
        "effects": effects,
        "notes": change.notes.iter().map(word_of).collect::<Vec<_>>(),
        "warnings": change.warnings.iter().cloned().chain(new_warnings).collect::<Vec<_>>(),
        "pending": change.pending,
    })
}

/// The values that changed, for programs.
pub fn values_json(values: &[ChangedValue], masker: Masker) -> Value {
    let record = |value: &ChangedValue| {
        let ChangedValue { keys, before, after } = value.clone().masked(masker);
        json!({ "pointer": Pointer::from_keys(keys).as_str(), "before": before, "after": after })
    };
    values.iter().map(record).collect()
}

/// The side effects of a change as sentences, and that it has no summary where this form has one.
pub fn notes(change: &ChangeReport, form: ChangeFormat) -> impl Iterator<Item = String> {
    let is_unknown = change.is_of_broken && form == ChangeFormat::Summary;
    is_unknown.then(|| BROKEN_BEFORE.to_owned()).into_iter().chain(change.notes.iter().map(in_words))
}

/// Returns a note as a sentence.
pub fn in_words(note: &OutcomeNote) -> String {
    match note {
        OutcomeNote::SavedEarlierUpdate => {
            "an earlier update that was not saved goes into the file, too".into()
        }
        OutcomeNote::FoundHandEdit(paths) if paths.is_empty() => {
            "found an edit made outside of mediactl that changes no value".into()
        }
        OutcomeNote::FoundHandEdit(paths) => format!("found an edit made outside of mediactl: {paths}"),
        OutcomeNote::OverwroteHandEdit => {
            "a hand edit of the file is overwritten; the history keeps it".into()
        }
        OutcomeNote::KeptHandEdit => {
            "the change was rolled back, but the file was edited by hand meanwhile, and the edit stays; \
             `mediactl status` shows what the file still holds of the change"
                .into()
        }
        OutcomeNote::HasChange => "it has this change already".into(),
        OutcomeNote::OtherPending => {
            "another change waits to be confirmed: this one can be made once that is confirmed or rolled back"
                .into()
        }
        OutcomeNote::InnerStreams(count) => {
            format!("of the streams that are removed, {count} stood inside another one: is a `}}` missing?")
        }
        OutcomeNote::RenamedUses(1) => "1 place that refers to it has the new name, too".into(),
        OutcomeNote::RenamedUses(count) => format!("{count} places that refer to it have the new name, too"),
        OutcomeNote::DeletedStreams(1) => "1 stream is not in the new configuration".into(),
        OutcomeNote::DeletedStreams(count) => format!("{count} streams are not in the new configuration"),
    }
}
