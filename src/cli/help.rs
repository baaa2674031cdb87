//! The short help of `-h`: one screen. The long help of `--help` is that of clap.

use std::ffi::OsString;

use clap::{Arg, Args, Command};
use unicode_width::UnicodeWidthStr;

use crate::cli::args::global::GlobalArgs;
use crate::cli::render::paragraph::wrapped;
use crate::cli::render::table::aligned;

/// The lines of one screen.
const SCREEN: usize = 40;

/// The width of one screen.
const WIDTH: usize = 80;

/// Returns the options of every command as a command that has only them.
pub fn options() -> Command {
    let bare = Command::new("mediactl").disable_help_flag(true).help_template("{all-args}");
    GlobalArgs::augment_args(bare)
}

/// Whether the arguments ask for the short help, if they ask for help at all.
pub fn is_short(args: &[OsString]) -> bool {
    !args.iter().any(|arg| arg == "--help")
}

/// Returns the short help of the command that the arguments call.
pub fn short(tree: Command, args: &[OsString]) -> String {
    let mut tree = tree;
    tree.build();
    let mut command = &tree;
    for arg in args.iter().skip(1) {
        let called = arg.to_str().and_then(|name| command.find_subcommand(name));
        command = called.unwrap_or(command);
    }
    let mut parts = vec![
        wrapped(&command.get_about().map(ToString::to_string).unwrap_or_default(), WIDTH).join("\n"),
        command.clone().render_usage().to_string(),
        table("Commands:", command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(command_row)),
        table("Arguments and options:", own(command).map(option_row)),
    ];
    parts.extend(groups(command));
    let is_root = command.get_name() == "mediactl";
    let more =
        if is_root { "`mediactl help COMMAND` explains a command." } else { "`--help` explains more." };
    parts.push(more.to_owned());
    parts.retain(|part| !part.is_empty());
    let taken: usize = parts.iter().map(|part| lines(part) + 1).sum();
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let examples = fitting(&examples, SCREEN.saturating_sub(taken));
    if !examples.is_empty() && !is_root {
        parts.insert(parts.len() - 1, examples);
    }
    parts.join("\n\n") + "\n"
}

/// How many lines a text takes on the screen.
fn lines(text: &str) -> usize {
    text.lines().map(|line| line.width().div_ceil(WIDTH).max(1)).sum()
}

/// As many lines of the examples as there is room for, with their heading.
fn fitting(examples: &str, room: usize) -> String {
    let mut kept = String::new();
    for line in examples.trim_end().lines() {
        let longer = if kept.is_empty() { line.to_owned() } else { format!("{kept}\n{line}") };
        if lines(&longer) >= room {
            break;
        }
        kept = longer;
    }
    if kept.lines().count() > 1 { kept } else { String::new() }
}

/// The arguments of a command that have no heading: those that it shares with others have one.
fn own(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_general = |arg: &Arg| ["help", "version"].contains(&arg.get_id().as_str());
    command.get_arguments().filter(move |arg| {
        !arg.is_hide_set() && !arg.is_global_set() && arg.get_help_heading().is_none() && !is_general(arg)
    })
}

/// The names of the options below each heading; those of every command in one line.
fn groups(command: &Command) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    let shown = |arg: &&Arg| !arg.is_hide_set() && !arg.is_global_set();
    for arg in command.get_arguments().filter(shown) {
        let Some(heading) = arg.get_help_heading() else { continue };
        match groups.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, names)) => names.push(name(arg)),
            None => groups.push((heading, vec![name(arg)])),
        }
    }
    let groups = groups
        .into_iter()
        .map(|(heading, names)| wrapped(&format!("{heading}: {}", names.join(", ")), WIDTH - 2).join("\n  "));
    groups.chain([every_command(command)]).collect()
}

fn name(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    format!("{short}--{}", arg.get_long().unwrap_or_default())
}

/// One line with the first options of every command, and where all of them are explained.
fn every_command(command: &Command) -> String {
    let end = ", … (`mediactl help options`)";
    let short_name = |arg: &Arg| arg.get_short().map_or_else(|| name(arg), |short| format!("-{short}"));
    let names = command.get_arguments().filter(|arg| arg.is_global_set()).map(short_name);
    let mut line = "Options of every command:".to_owned();
    for (at, name) in names.enumerate() {
        let longer = format!("{line}{} {name}", if at == 0 { "" } else { "," });
        if longer.width() + end.width() > WIDTH {
            break;
        }
        line = longer;
    }
    line + end
}

fn command_row(command: &Command) -> [String; 2] {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    [format!("  {}", command.get_name()), about]
}

fn option_row(arg: &Arg) -> [String; 2] {
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let clause = help.split("; ").next().unwrap_or_default().to_owned();
    [format!("  {short}{arg}"), clause]
}

/// A table below its heading, each row cut to the width of the screen; nothing if there are no rows.
fn table(heading: &str, rows: impl Iterator<Item = [String; 2]>) -> String {
    let rows: Vec<[String; 2]> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    let lines = aligned(&rows).map(|line| cut(&line));
    std::iter::once(heading.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
}

/// As many words of a line as the screen has room for.
fn cut(line: &str) -> String {
    if line.width() <= WIDTH {
        return line.to_owned();
    }
    let mut ends = line.match_indices(' ').map(|(at, _)| at).filter(|at| line[..*at].width() + 2 <= WIDTH);
    let end = ends.next_back().unwrap_or(line.len());
    format!("{} …", line[..end].trim_end())
}
