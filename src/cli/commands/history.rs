//! `mediactl history`

use crate::cli::args::global::GlobalArgs;
use crate::cli::args::history::{HistoryArgs, HistoryCommand, ListFormat};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::render::history;
use crate::cli::render::masked::write_text;
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;

pub fn run(args: &HistoryArgs, global: &GlobalArgs, ui: Ui) -> Result<Exit, CliError> {
    let ui = ui.paged();
    let mut service = target::resolve(global, Purpose::default(), ui)?.service;
    let masker = ui.masker();
    if let Some(HistoryCommand::Show { which }) = &args.command {
        let snapshot = service.kept(*which)?;
        ui.print(|out| write_text(&snapshot, masker.as_ref(), out))?;
        return Ok(Exit::Done);
    }
    let entries = service.history()?.into_iter();
    let entries: Vec<_> = entries.map(|entry| history::masked(entry, masker.as_ref())).collect();
    match args.output {
        ListFormat::Json => ui.print_json(&entries)?,
        ListFormat::Text if entries.is_empty() => {
            ui.say(&format!("{} was never changed in the recorded history", service.name()));
        }
        ListFormat::Text => ui.print_painted(|out| {
            history::lines(&entries, ui).iter().try_for_each(|line| writeln!(out, "{line}"))
        })?,
    }
    Ok(Exit::Done)
}
