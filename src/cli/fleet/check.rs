//! `mediactl check` of the configurations of several servers.

use std::io;

use serde_json::{Map, Value, json};

use super::members::{Fleet, FleetMember};
use super::verdict::{exit_of, without_errors};
use crate::cli::commands::check::{CheckArgs, CheckFormat};
use crate::cli::commands::check::{CheckTotals, CheckedText, RUNNING, saved_or_running};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::table;
use crate::cli::ui::output;
use crate::engine::Source;

/// Prints each fault behind the name of its server, and a table of all servers.
pub fn run(args: &CheckArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let ui = fleet.ui;
    let is_running = match &args.files[..] {
        [] => false,
        [only] if only.as_os_str() == RUNNING => true,
        _ => {
            let hint = "leave the file out, or write `running`; without `-x` and `--group` files are checked";
            return Err(CliError::usage("a file is the same for all servers", hint));
        }
    };
    let read = |member: &mut FleetMember| -> Result<CheckedText, CliError> {
        let (name, target) = (member.name.clone(), &mut member.target);
        let (text, source) = match is_running {
            true => (target.read_text(Some(Source::Running))?, Source::Running),
            false => saved_or_running(target)?,
        };
        let mut composed = target.composed(&text, Some(source))?;
        for file in composed.iter_mut().flat_map(|composed| &mut composed.files) {
            file.name = format!("{name}: {}", file.name);
        }
        Ok(CheckedText { name, text, composed })
    };
    let (texts, kinds) = without_errors(fleet.ask("check", read), ui);
    let mut rows = vec![["SERVER", "ERRORS", "WARNINGS"].map(str::to_owned).to_vec()];
    let (mut records, mut is_invalid) = (Map::new(), false);
    let mut shown = Vec::new();
    let done = texts.len();
    for (server, checked) in texts {
        let mut totals = CheckTotals::default();
        output(totals.add(args, ui, checked, &mut shown))?;
        is_invalid |= totals.errors > 0 || args.strict && totals.warnings > 0;
        rows.push(vec![server.clone(), totals.errors.to_string(), totals.warnings.to_string()]);
        records.insert(server, json!(totals.records));
    }
    match args.output {
        CheckFormat::Json => ui.print_json(&Value::Object(records))?,
        CheckFormat::Text => ui.print_painted(|out: &mut dyn io::Write| {
            out.write_all(&shown)?;
            table::print(rows, ui.screen(), out)
        })?,
    }
    let exit = exit_of(done, &kinds);
    Ok(if exit == Exit::Done && is_invalid { Exit::Invalid } else { exit })
}
