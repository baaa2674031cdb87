//! `mediactl explain` on several servers: the parameter is explained once, and its value shown for each.

use serde_json::{Map, Value, json};

use super::grouped::heading;
use super::members::{Fleet, ServerAnswer};
use super::verdict::{exit_of, without_errors};
use crate::cli::args::shared::ListFormat;
use crate::cli::commands::explain::ExplainArgs;
use crate::cli::commands::explain::{Explained, print};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::input;
use crate::cli::render::table;
use crate::cli::ui::output;

/// Prints each explanation once, and a table with the value of each server; or an object with a member for each.
pub fn run(args: &ExplainArgs, mut fleet: Fleet) -> Result<Exit, CliError> {
    let ui = fleet.ui.paged();
    let path = input::value_path(&args.path)?;
    let answers = fleet.ask("read", |member| Ok(Explained::read(&mut member.target)?));
    let explain = |ServerAnswer { server, result }: ServerAnswer<_>| ServerAnswer {
        result: result
            .and_then(|read| Explained::of(&path, read, &server, ui).map_err(|error| error.at(&server))),
        server,
    };
    let (explained, kinds) = without_errors(answers.into_iter().map(explain).collect(), ui);
    let exit = exit_of(explained.len(), &kinds);
    if args.output == ListFormat::Json {
        let all: Map<String, Value> =
            explained.iter().map(|(server, explained)| (server.clone(), json!(explained))).collect();
        ui.print_json(&all)?;
        return Ok(exit);
    }
    let mut texts: Vec<(Vec<u8>, Vec<String>)> = Vec::new();
    let mut rows = vec![["SERVER", "VALUE"].map(str::to_owned).to_vec()];
    for (server, explained) in &explained {
        let mut text = Vec::new();
        output(print(explained, None, ui, &mut text))?;
        match texts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, servers)) => servers.push(server.clone()),
            None => texts.push((text, vec![server.clone()])),
        }
        rows.extend(explained.value_or_not_set().map(|value| vec![server.clone(), value]));
    }
    ui.print_painted(|out| {
        for (at, (text, servers)) in texts.iter().enumerate() {
            writeln!(out, "{}", heading(at, servers))?;
            out.write_all(text)?;
        }
        if rows.len() > 1 {
            writeln!(out)?;
            table::print(rows, ui.screen(), out)?;
        }
        Ok(())
    })?;
    Ok(exit)
}
