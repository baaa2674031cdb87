//! The help of commands: the short one of `-h` fits one screen, the long one of `--help` two.

use std::ffi::OsString;

use clap::builder::PossibleValue;
use clap::{Arg, Args, Command};
use unicode_width::UnicodeWidthStr;

use crate::cli::args::changing::ChangeArgs;
use crate::cli::args::global::GlobalArgs;
use crate::cli::render::paragraph::wrapped;
use crate::cli::render::table::aligned;

/// The lines of one screen.
const SCREEN: usize = 40;

/// The heading of the options that all commands have, be they for a server or not.
const EVERY_COMMAND: &str = "Options of every command";

/// The most lines of the long help of a command.
const PAGE: usize = 80;

/// The widest form of an option that has its explanation beside it.
const MOST_FORM: usize = 26;

/// The width of one screen.
const WIDTH: usize = 80;

/// True if the arguments ask for the short help, if they ask for help at all.
pub fn is_short(args: &[OsString]) -> bool {
    !args.iter().any(|arg| arg == "--help")
}

/// Returns the command of the tree that the arguments call.
pub fn called<'t>(tree: &'t mut Command, args: &[OsString]) -> &'t mut Command {
    tree.build();
    args.iter().skip(1).filter_map(|arg| arg.to_str()).fold(tree, |command, name| {
        match command.find_subcommand(name) {
            Some(_) => command.find_subcommand_mut(name).expect("it was found"),
            None => command,
        }
    })
}

/// Returns the short help of a command.
pub fn short(command: &mut Command) -> String {
    let (usage, command) = (command.render_usage().to_string(), &*command);
    let mut parts = vec![
        wrapped(&command.get_about().map(ToString::to_string).unwrap_or_default(), WIDTH).join("\n"),
        usage,
        table("Commands:", commands(command).map(command_row)),
        table("Arguments and options:", own(command).map(option_row)),
    ];
    parts.extend(groups(command).iter().map(SharedOptions::names));
    parts.push(every_command(command));
    let is_root = is_root(command);
    let more =
        if is_root { "`mediactl help COMMAND` explains a command." } else { "`--help` explains more." };
    parts.push(more.to_owned());
    parts.retain(|part| !part.is_empty());
    let taken: usize = parts.iter().map(|part| lines(part) + 1).sum();
    let examples = fitting(&after(command), SCREEN.saturating_sub(taken));
    if !examples.is_empty() && !is_root {
        parts.insert(parts.len() - 1, examples);
    }
    parts.join("\n\n") + "\n"
}

/// Returns the whole help of a command. The options of every command are named; those that it shares with others are
/// explained as far as there is room.
pub fn long(command: &mut Command) -> String {
    let (usage, command) = (command.render_usage().to_string(), &*command);
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let paragraphs =
        about.split("\n\n").map(|paragraph| wrapped(&paragraph.replace('\n', " "), WIDTH).join("\n"));
    let mut parts: Vec<String> = paragraphs.collect();
    parts.extend([
        usage.trim_end().to_owned(),
        table("Commands:", commands(command).map(command_row)),
        explained("Arguments and options:", &own(command).collect::<Vec<_>>()),
    ]);
    let (of_every_command, groups): (Vec<_>, Vec<_>) =
        grouped(command.get_arguments().filter(|arg| !arg.is_hide_set()))
            .into_iter()
            .partition(|group| group.options.iter().all(|option| option.is_global_set()));
    let of_every_command = of_every_command.into_iter().flat_map(|group| group.options).collect();
    let of_every_command = SharedOptions { heading: EVERY_COMMAND, options: of_every_command };
    let end = [of_every_command.names_and_where(), after(command)];
    parts.retain(|part| !part.is_empty());
    let taken = |parts: &[String]| parts.iter().map(|part| lines(part) + 1).sum::<usize>();
    let mut has_room = true;
    for (index, group) in groups.iter().enumerate() {
        let named: Vec<String> = groups[index + 1..].iter().map(SharedOptions::names_and_where).collect();
        let left = PAGE.saturating_sub(taken(&parts) + taken(&named) + taken(&end));
        let whole = explained(&format!("{}:", group.heading), &group.options);
        has_room &= lines(&whole) < left;
        parts.push(if has_room { whole } else { group.names_and_where() });
    }
    parts.extend(end.into_iter().filter(|part| !part.is_empty()));
    parts.join("\n\n") + "\n"
}

/// Returns the whole help of the options that many commands have.
pub fn options() -> String {
    let bare = Command::new("mediactl").disable_help_flag(true);
    let mut all = ChangeArgs::augment_args(GlobalArgs::augment_args(bare));
    all.build();
    let groups = grouped(all.get_arguments().filter(|arg| !arg.is_hide_set()));
    let parts = groups.iter().map(|group| explained(&format!("{}:", group.heading), &group.options));
    parts.collect::<Vec<_>>().join("\n\n") + "\n"
}

fn is_root(command: &Command) -> bool {
    command.get_name() == "mediactl"
}

fn commands(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set())
}

/// The examples and the other text at the end of the help.
fn after(command: &Command) -> String {
    command.get_after_help().map(|text| text.to_string().trim_end().to_owned()).unwrap_or_default()
}

/// Returns the number of lines that a text takes on the screen.
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

/// Options below a heading, which several commands have.
struct SharedOptions<'c> {
    heading: &'c str,
    options: Vec<&'c Arg>,
}

impl SharedOptions<'_> {
    /// The names alone.
    fn names(&self) -> String {
        let names: Vec<String> = self.options.iter().map(|option| name(option)).collect();
        wrapped(&format!("{}: {}", self.heading, names.join(", ")), WIDTH - 2).join("\n  ")
    }

    /// The names, and where they are explained.
    fn names_and_where(&self) -> String {
        let names = self.names().replace("\n  ", " ");
        wrapped(&format!("{names} (`mediactl help options`)"), WIDTH - 2).join("\n  ")
    }
}

/// The options below each heading, but for those of every command.
fn groups(command: &Command) -> Vec<SharedOptions<'_>> {
    grouped(command.get_arguments().filter(|arg| !arg.is_hide_set() && !arg.is_global_set()))
}

fn grouped<'c>(options: impl Iterator<Item = &'c Arg>) -> Vec<SharedOptions<'c>> {
    let mut groups: Vec<SharedOptions<'c>> = Vec::new();
    for arg in options {
        let Some(heading) = arg.get_help_heading() else { continue };
        match groups.iter_mut().find(|known| known.heading == heading) {
            Some(group) => group.options.push(arg),
            None => groups.push(SharedOptions { heading, options: vec![arg] }),
        }
    }
    groups
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
    let mut line = format!("{EVERY_COMMAND}:");
    for (index, name) in names.enumerate() {
        let longer = format!("{line}{} {name}", if index == 0 { "" } else { "," });
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
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let clause = help.split("; ").next().unwrap_or_default().to_owned();
    [form(arg), clause]
}

/// Arguments below a heading, with all that is said of each; nothing if there are none.
fn explained(heading: &str, options: &[&Arg]) -> String {
    if options.is_empty() {
        return String::new();
    }
    let rows: Vec<[String; 2]> = options.iter().map(|arg| [form(arg), in_full(arg)]).collect();
    let is_short = |form: &&String| form.width() <= MOST_FORM;
    let column =
        rows.iter().map(|[form, _]| form).filter(is_short).map(|form| form.width()).max().unwrap_or(0) + 2;
    let lines = rows.iter().flat_map(|[form, text]| {
        let mut lines = wrapped(text, WIDTH - column).into_iter();
        // A long form has a line of its own.
        let beside = if is_short(&form) { lines.next().unwrap_or_default() } else { String::new() };
        let first = format!("{form}{}{beside}", " ".repeat(column.saturating_sub(form.width())));
        let below = lines.map(move |line| format!("{}{line}", " ".repeat(column)));
        std::iter::once(first.trim_end().to_owned()).chain(below)
    });
    std::iter::once(heading.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
}

fn form(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    format!("  {short}{arg}")
}

/// Describes an argument, with its values, its default and its variable.
fn in_full(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = help.replace('\n', " ");
    let takes_value = arg.get_action().takes_values();
    if takes_value && !arg.is_hide_possible_values_set() {
        let value = |value: &PossibleValue| match value.get_help() {
            Some(help) => format!("`{}`: {}", value.get_name(), uncapitalized(&help.to_string())),
            None => value.get_name().to_owned(),
        };
        let values: Vec<String> =
            arg.get_possible_values().iter().filter(|value| !value.is_hide_set()).map(value).collect();
        if !values.is_empty() {
            text += &format!(" [{}]", values.join("; "));
        }
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_value && !defaults.is_empty() {
        text += &format!(" [default: {}]", defaults.join(" "));
    }
    if let Some(variable) = arg.get_env() {
        text += &format!(" [env: {}]", variable.to_string_lossy());
    }
    text
}

/// A sentence that goes on in the middle of another; a word in capitals stays.
fn uncapitalized(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().collect::<String>() + letters.as_str()
        }
        _ => text.to_owned(),
    }
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
    let mut ends = line
        .match_indices(' ')
        .map(|(offset, _)| offset)
        .filter(|offset| line[..*offset].width() + 2 <= WIDTH);
    let end = ends.next_back().unwrap_or(line.len());
    format!("{} …", line[..end].trim_end())
}
