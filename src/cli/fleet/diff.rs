//! `mediactl diff` of several servers: each with its own two sides.

use serde_json::{Map, Value};

use super::grouped::{GroupedDiffs, GroupedNotes};
use super::members::{Fleet, FleetMember};
use super::verdict::{exit_of, found, without_errors};
use crate::cli::commands::diff::DiffArgs;
use crate::cli::commands::diff::{NamedContent, SelectedStreams, diff_between, patch_between, sides};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input::{self, is_url};
use crate::cli::render::table;
use crate::cli::render::value_diff::{Compared, changed, first_paths};
use mediaconf::model::redact::masked_json;

/// Prints equal differences once, and a table of all servers; with `--json` an object with the patch of each.
pub fn run(args: &DiffArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let (ui, masker) = (fleet.ui.paged(), fleet.ui.masker());
    let conditions = input::conditions(&args.conditions, args.accept.is_some())?;
    let sides = sides(args)?;
    // What is the same for all is read once.
    let [given_old, given_new] = sides.map(given);
    let given = [given_old?, given_new?];
    let read = |member: &mut FleetMember| {
        let mut side = |at: usize| match &given[at] {
            Some(content) => Ok(content.clone()),
            None => NamedContent::of_target(sides[at], &mut member.target),
        };
        let (old, new) = (side(0)?, side(1)?);
        let selected = SelectedStreams::of(&conditions, &old, &new)?;
        let patch = args.json.then(|| patch_between(&old, &new, selected.names.as_ref())).transpose()?;
        Ok((old, new, selected, patch))
    };
    let (compared, kinds) = without_errors(fleet.ask("compare", read), ui);
    let (mut diffs, mut patches, mut is_different) = (GroupedDiffs::default(), Map::new(), false);
    let mut rows = vec![["SERVER", "DIFFERS", "LINES", "PATHS"].map(str::to_owned).to_vec()];
    let mut notes = GroupedNotes::default();
    for (server, (old, new, selected, patch)) in &compared {
        selected.notes.iter().for_each(|note| notes.add(server, note.clone()));
        if let Some(patch) = patch {
            is_different |= !patch.is_empty();
            let patch = Value::Object(patch.clone());
            let shown = ui.value_masker().map_or(patch.clone(), |masker| masked_json(&patch, &masker));
            patches.insert(server.clone(), shown);
            continue;
        }
        let diff = diff_between(&old.content, &new.content, selected.names.as_ref(), masker.clone());
        is_different |= !diff.is_empty();
        let [old_name, new_name] = sides.map(|side| side.unwrap_or("the server"));
        let [old, new] = [old, new].map(|side| Compared::of(side.content.clone()));
        let values = changed(&old, &new);
        diffs.add(server, (&diff.printed(), values.as_deref()), [old_name, new_name], ui)?;
        let [added, removed] = diff.added_and_removed();
        let (differs, lines) = match diff.is_empty() {
            true => ("no", "-".to_owned()),
            false => ("yes", format!("+{added} -{removed}")),
        };
        let paths = first_paths(&values.unwrap_or_default(), &masker.clone().unwrap_or_default());
        rows.push(vec![server.clone(), differs.to_owned(), lines, paths]);
    }
    notes.print(ui);
    if args.json {
        ui.print_json(&patches)?;
    } else {
        diffs.print(ui)?;
        ui.print(|out| table::print(rows, ui.screen(), out))?;
    }
    Ok(found(exit_of(compared.len(), &kinds), is_different))
}

/// The configuration that an argument names, if that is none of the servers'.
fn given(argument: Option<&str>) -> Result<Option<NamedContent>, CliError> {
    match argument {
        Some(url) if is_url(url) => Err(CliError::usage(
            "several servers are not compared with another server",
            "use `diff --across`",
        )),
        Some(file) if !NamedContent::is_of_target(argument) => NamedContent::of_file(file).map(Some),
        _ => Ok(None),
    }
}
