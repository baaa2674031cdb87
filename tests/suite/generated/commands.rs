//! The page of one command, such as `mediactl-read(1)`.

use clap::Command;
use clap_mangen::Man;

use super::built_command;
use super::page::Page;
use super::serve;

const EXAMPLES: &str = "Examples:\n";

/// The page of a command.
pub fn page(command: &Command) -> String {
    let name = format!("mediactl-{}", command.get_name());
    let mut page = Page::new(&name.to_uppercase(), 1);
    about(&mut page, &name, command);
    usage(&mut page, command);
    let is_serve = command.get_name() == serve::NAME;
    if is_serve {
        serve::sections(&mut page);
    }
    page.section("EXIT STATUS").line("`0` if all went well. `mediactl`(1) has the other codes.");
    if is_serve {
        serve::exit_status(&mut page);
    }
    environment(&mut page, command);
    if let Some(examples) = examples(command) {
        page.section("EXAMPLES").verbatim(&examples);
    }
    page.section("SEE ALSO").line("`mediactl`(1), `media.conf`(5)");
    page.finish()
}

/// ENVIRONMENT
fn environment(page: &mut Page, command: &Command) {
    page.section("ENVIRONMENT");
    for option in command.get_opts() {
        if let (Some(variable), Some(long)) = (option.get_env(), option.get_long()) {
            let variable = variable.to_str().expect("our variables are text");
            page.item(&format!("`{variable}`"), &format!("The same as `--{long}`, which counts more."));
        }
    }
}

/// NAME
pub fn about(page: &mut Page, name: &str, command: &Command) {
    let about = command.get_about().expect("every command says what it does").to_string();
    page.section("NAME").line(&format!("{name} - {}", uncapitalized(&about)));
}

/// SYNOPSIS, DESCRIPTION and the sections with options.
pub fn usage(page: &mut Page, command: &Command) {
    let man = Man::new(command.clone());
    page.section("SYNOPSIS");
    let usage = command.clone().render_usage().to_string();
    let forms = usage.trim_start_matches("Usage: ").lines().map(str::trim).filter(|form| !form.is_empty());
    for (at, form) in forms.enumerate() {
        let form = form.replacen(name_of(command), &format!("`{}`", name_of(command)), 1);
        if at == 0 {
            page.line(&form)
        } else {
            page.row(&form)
        };
    }
    page.section("DESCRIPTION");
    for (at, paragraph) in description(command).iter().enumerate() {
        if at == 0 {
            page.line(paragraph)
        } else {
            page.text(paragraph)
        };
    }
    page.rendered(&rendered(|out| man.render_options_section(out)));
}

fn name_of(command: &Command) -> &str {
    command.get_bin_name().unwrap_or_else(|| command.get_name())
}

/// The help behind its first line, which is the NAME already.
fn description(command: &Command) -> Vec<String> {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let long = command.get_long_about().map_or_else(|| about.clone(), ToString::to_string);
    let paragraphs: Vec<String> = long.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect();
    paragraphs.into_iter().filter(|paragraph| *paragraph != about).collect()
}

fn rendered(render: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> Vec<u8> {
    let mut out = Vec::new();
    render(&mut out).expect("a vector can be written to");
    out
}

/// The examples at the end of the help.
pub fn examples(command: &Command) -> Option<String> {
    let after = command.get_after_help()?.to_string();
    let examples = after.split("\n\n").find_map(|paragraph| paragraph.strip_prefix(EXAMPLES))?;
    Some(examples.lines().map(|line| format!("{}\n", line.trim_start())).collect())
}

fn uncapitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    first + characters.as_str()
}

#[test]
fn every_option_is_in_the_page_of_its_command() {
    for command in built_command().get_subcommands() {
        let page = page(command);
        for option in command.get_opts().chain(command.get_arguments()) {
            let flags = option.get_long().map(|long| format!("\\fB\\-\\-{}\\fR", long.replace('-', "\\-")));
            let value = option.get_value_names().and_then(|names| names.first()).map(|name| name.to_string());
            let wanted = flags.or(value).expect("an argument has a name");
            assert!(page.contains(&wanted), "{}: {wanted}", command.get_name());
        }
    }
}

#[test]
fn every_command_but_update_shows_examples() {
    for command in built_command().get_subcommands() {
        assert_eq!(examples(command).is_some(), command.get_name() != "update", "{}", command.get_name());
    }
}
