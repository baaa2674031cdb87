//! The manual pages: the prose of `pages/` with what the program itself says.

use clap::Command;
use clap_mangen::Man;

use crate::markup::{fill, render, terms};
use crate::page::Page;
use crate::{schema, values};

/// The command that has a page with more than its options.
const SERVE: &str = "serve";

const EXAMPLES: &str = "Examples:\n";

/// The name and the text of each page.
pub fn pages() -> Vec<(String, String)> {
    let program = built_command();
    let mut pages =
        vec![("mediactl.1".to_owned(), program_page(&program)), ("media.conf.5".to_owned(), format_page())];
    pages.extend(
        program
            .get_subcommands()
            .map(|command| (format!("mediactl-{}.1", command.get_name()), command_page(command))),
    );
    pages
}

/// The tree of commands as it is when a command line is parsed; `help` needs no page.
fn built_command() -> Command {
    let mut command = mediactl::cli::command().disable_help_subcommand(true);
    command.build();
    command
}

fn program_page(program: &Command) -> String {
    let mut page = Page::new("MEDIACTL", 1);
    start("mediactl", program, &mut page);
    let names: Vec<String> =
        program.get_subcommands().map(|command| format!("`mediactl-{}`(1)", command.get_name())).collect();
    let mut values = values::of_program();
    let commands = names.iter().zip(program.get_subcommands());
    values.push(("commands", terms(commands.map(|(name, command)| (name.clone(), about(command))))));
    values.push(("pages", names.join(", ") + ", `media.conf`(5)"));
    render(&fill(include_str!("../pages/mediactl.md"), &values), &mut page);
    page.finish()
}

fn command_page(command: &Command) -> String {
    let name = format!("mediactl-{}", command.get_name());
    let mut page = Page::new(&name.to_uppercase(), 1);
    start(&name, &own_options_of(command), &mut page);
    let (template, mut values) = match command.get_name() {
        SERVE => (include_str!("../pages/mediactl-serve.md"), values::of_server()),
        _ => (include_str!("../pages/command.md"), Vec::new()),
    };
    values.push(("options of every command", options_of_every_command(command)));
    values.push(("environment", environment(command)));
    values.push((
        "examples",
        examples(command).map_or_else(String::new, |lines| format!("# EXAMPLES\n\n{lines}")),
    ));
    render(&fill(template, &values), &mut page);
    page.finish()
}

fn format_page() -> String {
    let mut page = Page::new("MEDIA.CONF", 5);
    render(&fill(include_str!("../pages/media.conf.md"), &schema::values()), &mut page);
    page.finish()
}

/// NAME, SYNOPSIS, DESCRIPTION and the options.
fn start(name: &str, command: &Command, page: &mut Page) {
    let about = about(command);
    let description = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    let description = description.strip_prefix(&about).unwrap_or(&description).trim_start();
    let text = format!(
        "# NAME\n\n{name} - {}\n\n# SYNOPSIS\n\n{}\n\n# DESCRIPTION\n\n{description}",
        uncapitalized(&about),
        synopsis(command)
    );
    render(&text, page);
    let mut options = Vec::new();
    Man::new(command.clone()).render_options_section(&mut options).expect("a vector can be written to");
    page.rendered(&options);
}

/// The command without the options of every command.
fn own_options_of(command: &Command) -> Command {
    command.clone().mut_args(|option| {
        let is_of_all = option.is_global_set();
        option.hide(is_of_all)
    })
}

/// The names of the options of every command, and where they are explained.
fn options_of_every_command(command: &Command) -> String {
    let of_all = command.get_arguments().filter(|option| option.is_global_set());
    let names = of_all.filter_map(|option| {
        let short = option.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
        Some(format!("{short}`--{}`", option.get_long()?))
    });
    let names = names.collect::<Vec<_>>().join(", ");
    format!("# OPTIONS OF EVERY COMMAND\n\n{names}: `mediactl`(1) explains them, and their variables.")
}

fn synopsis(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let usage = command.clone().render_usage().to_string();
    let forms = usage.trim_start_matches("Usage: ").lines().map(str::trim).filter(|form| !form.is_empty());
    forms.map(|form| form.replacen(name, &format!("`{name}`"), 1)).collect::<Vec<_>>().join("\\\n")
}

fn environment(command: &Command) -> String {
    let own = command.get_opts().filter(|option| !option.is_global_set());
    let variables = own.filter_map(|option| option.get_env().zip(option.get_long()));
    let variables = variables.map(|(variable, long)| {
        let variable = variable.to_str().expect("the variables are text");
        (format!("`{variable}`"), format!("The same as `--{long}`, which counts more."))
    });
    match terms(variables) {
        none if none.is_empty() => none,
        terms => format!("# ENVIRONMENT\n\n{terms}"),
    }
}

/// The examples at the end of the help.
fn examples(command: &Command) -> Option<String> {
    let after = command.get_after_help()?.to_string();
    let examples = after.split("\n\n").find_map(|paragraph| paragraph.strip_prefix(EXAMPLES))?;
    Some(examples.lines().map(|line| format!("    {}", line.trim_start())).collect::<Vec<_>>().join("\n"))
}

fn about(command: &Command) -> String {
    command.get_about().expect("every command says what it does").to_string()
}

fn uncapitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    first + characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::{built_command, command_page, examples, program_page};

    fn assert_has_options(command: &clap::Command, page: &str) {
        for option in command.get_opts().chain(command.get_arguments()) {
            let flag = option.get_long().map(|long| format!("\\fB\\-\\-{}\\fR", long.replace('-', "\\-")));
            let value = option.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
            let wanted = flag.or(value).expect("an argument has a name");
            assert!(page.contains(&wanted), "{}: {wanted}", command.get_name());
        }
    }

    #[test]
    fn every_option_is_in_the_page_of_its_command() {
        let program = built_command();
        assert_has_options(&program, &program_page(&program));
        program.get_subcommands().for_each(|command| assert_has_options(command, &command_page(command)));
    }

    #[test]
    fn every_command_but_update_shows_examples() {
        for command in built_command().get_subcommands() {
            assert_eq!(examples(command).is_some(), command.get_name() != "update", "{}", command.get_name());
        }
    }
}
