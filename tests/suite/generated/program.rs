//! `mediactl(1)`.

use clap::Command;
use mediactl::cli::exit::EXIT_CODES;
use mediactl::engine::{GUARD_NAMES, MAX_DELETE_CEILING, MAX_DELETE_FLOOR, MAX_DELETE_SHARE};

use super::built_command;
use super::commands;
use super::page::Page;

/// The page of the program.
pub fn page(command: &Command) -> String {
    let mut page = Page::new("MEDIACTL", 1);
    commands::about(&mut page, "mediactl", command);
    commands::usage(&mut page, command);
    page.section("COMMANDS");
    for subcommand in command.get_subcommands() {
        let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
        page.item(&format!("`mediactl-{}`(1)", subcommand.get_name()), &about);
    }
    paths(&mut page);
    values(&mut page);
    guards(&mut page);
    hooks(&mut page);
    servers(&mut page);
    secrets(&mut page);
    page.section("EXIT STATUS").line("The numbers are stable: scripts can rely on them.");
    for (exit, meaning) in EXIT_CODES {
        page.item(&format!("`{}`", *exit as u8), meaning);
    }
    page.text(
        "A shell reports 130 or 143 for a command that was ended by SIGINT or SIGTERM. \
         That whoever reads the output closes it early is no failure.",
    );
    environment(&mut page);
    files(&mut page);
    page.section("EXAMPLES").items(EXAMPLES);
    let pages = command.get_subcommands().map(|command| format!("`mediactl-{}`(1)", command.get_name()));
    let pages: Vec<String> = pages.chain(["`media.conf`(5)".to_owned()]).collect();
    page.section("SEE ALSO").line(&pages.join(", "));
    page.finish()
}

fn paths(page: &mut Page) {
    page.section("PATHS AND VALUES").line(
        "`read`, `--set` and `--unset` name a value by its path in the JSON form of the configuration, \
         which `media.conf`(5) describes. The parts of a path are:",
    );
    page.items(&[
        ("`streams.cam1.prepush`", "Names, with dots between them."),
        (
            "`streams.\"cam.1\".prepush`",
            "A name with one of `. [ ] =` or a quote in it stands in double quotes; \
             inside them `\\\\` and `\\\"` are a backslash and a quote.",
        ),
        ("`streams.cam1.urls[0]`", "An element of a list, counted from 0."),
        ("`streams.cam1.urls[+]`", "A new element at the end of a list; only to be set."),
        (
            "`streams.cam1.urls[url=\"udp://239.0.0.1:1234\"]`",
            "The element of a list of which a member has this value.",
        ),
        ("`streams.*.prepush`", "Every name."),
    ]);
    page.text("Quote a path for the shell where it holds brackets, quotes or a `*`.");
}

fn values(page: &mut Page) {
    page.text(
        "In `--set` *PATH*`=`*VALUE* the first `=` outside quotes and brackets ends the path. \
         The value has the type of its parameter:",
    );
    page.points(&[
        "`rtmp=1935` is a number, `edit_auth.password=12345` a string, `streams.cam1.auth.url=false` is false.",
        "A value that is a JSON string, with its quotes, is that string. Objects and lists are given as JSON.",
        "`null` removes, except where only a string can be: there it is the word. `--unset` always removes.",
        "A parameter that mediactl does not know takes JSON if the value reads as JSON, else a string.",
        "One value does not replace a list: `http=80` is refused, `http[+]=80` appends.",
        "`streams.cam1.urls[+]=udp://239.0.0.1:1234` appends a source with this address.",
        "`--set` *PATH* without a value asks for it, twice, on a terminal.",
    ]);
    page.text(
        "The edits of one call are made in their order and are one change. An index counts in the list \
         as the edits before it left it. Two edits of which one lies within the other are refused.",
    );
    page.text(
        "A slip in a name makes no new stream. To set something in a stream, live or plugin that is not \
         there is refused, and the nearest names are shown, unless the same call sets the `urls` of the \
         stream, or `--create` is given. A patch given with `--file` is not limited in this way.",
    );
}

fn guards(page: &mut Page) {
    page.section("GUARDS").line(
        "Some changes are seldom meant. On a terminal mediactl asks before it makes one. Elsewhere it \
         refuses, with exit code 6, unless the guard is accepted:",
    );
    let asked = GUARD_NAMES.iter().filter(|(_, guard)| guard.is_question());
    for (name, guard) in asked {
        page.item(&format!("`--accept {name}`"), &format!("{}.", capitalized(&guard.to_string())));
    }
    page.item(
        "`--max-delete` *N*",
        &format!(
            "More than *N* streams would be deleted at once; without it, more than {MAX_DELETE_FLOOR}, or of many \
             streams more than one in {MAX_DELETE_SHARE} up to {MAX_DELETE_CEILING}. Streams that `--unset` names one by \
             one are not counted, and a first `save` deletes none.",
        ),
    );
    page.text("Others ask nobody. They refuse, with exit code 3, unless they are accepted:");
    let refused = GUARD_NAMES.iter().filter(|(_, guard)| !guard.is_question());
    for (name, guard) in refused {
        page.item(&format!("`--accept {name}`"), &format!("{}.", capitalized(&guard.to_string())));
    }
    page.text(
        "`--force` accepts all of them. `--yes` accepts none: it answers where the change as a whole is asked about.",
    );
}

fn capitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn hooks(page: &mut Page) {
    page.section("HOOKS").line(
        "Two commands can tie a change to a media server. Both are run by `sh -c`, with nothing on \
         standard input, and are killed with all their children after `--hook-timeout` seconds.",
    );
    page.items(&[
        (
            "`--check-cmd` *CMD*",
            "Runs before the file is written, also with `--dry-run`. If it fails, nothing is written, \
             and the exit code is 3.",
        ),
        (
            "`--reload-cmd` *CMD*",
            "Runs after the file was written. If it fails, the old text is put back, unless somebody \
             changed the file meanwhile. Then it runs once more, and the exit code is 9.",
        ),
    ]);
    page.text("What a failing command writes to standard error is shown. Both find in their environment:");
    page.items(&[
        ("`MEDIACTL_OPERATION`", "What is done: `modify`, `save`, or by a server `update`."),
        ("`MEDIACTL_FILE`", "The configuration file."),
        ("`MEDIACTL_TEXT`", "A file with the text that is to run. It is gone when the change is made."),
        ("`MEDIACTL_BY`", "Who makes the change."),
    ]);
}

fn servers(page: &mut Page) {
    page.section("SERVERS").line(
        "While `mediactl-serve`(1) runs over the file, the commands work on that server, through a Unix socket \
         in the state folder: on its running configuration and on the file. If it can't be reached, changes \
         are refused with exit code 7, and `read` shows the file and says so. The two hooks are then those \
         of the server; options for others are refused, and variables ignored.",
    );
    page.text(
        "With `--url` a command works on a server instead of a file: on its running configuration and, \
         with `save` and `modify`, on its file. The URL may hold a path; `--api-prefix` is appended to it, \
         unless it ends in it already. Redirects are not followed.",
    );
    page.text(
        "A flag counts more than a variable. `--conf` and `--url` together are refused, \
         and so are MEDIACTL_CONF and MEDIACTL_URL without either flag.",
    );
    page.text(
        "The login is that of `--user`, else of MEDIACTL_LOGIN, else of the URL. The password is that of the \
         first line of `--password-file`, else of MEDIACTL_PASSWORD, else of a URL that has the login, too. \
         In a URL such as `https://admin:pass%40word@media.example` both are percent-encoded. What is \
         missing is asked for on a terminal, if the server wants to know. \
         Nothing shows a password; one that goes to another machine without encryption is warned of.",
    );
    page.text(
        "Of a server `read` shows the running configuration, and with `--saved` the file; `diff` alone shows \
         how they differ. `update` replaces the running configuration and leaves the file alone.",
    );
    page.text("Some servers have the four operations of the API and nothing else. Then:");
    page.points(&[
        "`--dry-run` computes the change from what it reads, and sends nothing;",
        "`read --saved`, `read -o conf`, `check` and `diff` with `saved` are refused, with exit code 7;",
        "diffs are of the JSON;",
        "edits of lists and of `*` are made with a warning that nothing guards against somebody else's \
         change at the same time. Elsewhere they are computed again in that case.",
    ]);
}

fn secrets(page: &mut Page) {
    page.section("SECRETS").line(
        "Secrets are passwords, cluster keys, the credentials inside URLs, the options of an `auth` \
         backend, and what stands behind words such as `password` or `token`. \
         In their place mediactl shows a mask such as `<secret:1a2b3c>`:",
    );
    page.points(&[
        "always in diffs of the text, diagnostics and errors;",
        "on a terminal also in what `read`, `modify -o json` and `diff --json` print. A pipe or a file gets the real values.",
    ]);
    page.text(
        "`--show-secrets` shows the real values everywhere. Within one output equal secrets have equal \
         masks; the next run has others. A configuration or patch with a mask in it is refused.",
    );
}

fn environment(page: &mut Page) {
    page.section("ENVIRONMENT").line("A flag counts more than its variable.");
    page.items(&[
        ("`MEDIACTL_CONF`", "The configuration file, as `--conf`."),
        ("`MEDIACTL_URL`", "The server to work on, as `--url`."),
        ("`MEDIACTL_LOGIN`", "The login for a server; `--user` counts more."),
        ("`MEDIACTL_PASSWORD`", "The password for a server; `--password-file` counts more."),
        ("`MEDIACTL_CHECK_CMD`", "The command that checks a change, as `--check-cmd`."),
        ("`MEDIACTL_RELOAD_CMD`", "The command that makes the server load a change, as `--reload-cmd`."),
        ("`NO_COLOR`", "If it is set to anything, there are no colours unless `--color always` is given."),
    ]);
}

fn files(page: &mut Page) {
    page.section("FILES").items(&[
        ("`/etc/media/media.conf`", "The configuration file, unless another one is given."),
        (
            "`.`*FILE*`.mediactl-`*XXXXXX*",
            "The new text, beside the configuration file, until it is renamed to it. \
             What a killed command leaves behind is removed by the next change.",
        ),
        (
            "`.mediactl/`*FILE*`/`",
            "The state folder, beside the file that all links lead to. The first change makes it; \
             `read`, `diff` and `check` never do. It belongs to the owner of the configuration file. In it are:",
        ),
    ]);
    page.items(&[
        (
            "`.mediactl/`*FILE*`/lock`",
            "Held while a change is made; it holds the process id of who makes it.",
        ),
        (
            "`.mediactl/`*FILE*`/candidate-`*XXXXXX*",
            "The text that the hooks are shown; there only while a change is made.",
        ),
        (
            "`.mediactl/`*FILE*`/in-place`",
            "Both texts of a change to a file that can't be renamed over, such as one that is mounted \
             alone into a container. If the change is cut short, the next one puts the old text back.",
        ),
        (
            "`.mediactl/`*FILE*`/in-place.kept`",
            "Such a record that no longer fits the file. It is kept for its texts.",
        ),
        (
            "`.mediactl/`*FILE*`/history/`*SERIAL*`.conf`",
            "The text before each change, the newest ones of them: the old file itself, under another name, \
             or a copy. What was written into a file that was just being replaced is kept, too.",
        ),
        (
            "`.mediactl/`*FILE*`/history/journal`",
            "A JSON object a line for each change, the oldest first: number, time, operation, who, why, and the \
             revisions before and after. Edits by hand are noted by who makes the next change.",
        ),
        (
            "`.mediactl/`*FILE*`/history/`*SERIAL*`.next`",
            "What the last change made of the text before it, so that an edit by hand overwrites nothing \
             that is not kept.",
        ),
        (
            "`.mediactl/`*FILE*`/serve.lock`, `sock`, `pending`",
            "Of `mediactl-serve`(1): its lock, its socket, and a change that waits to be confirmed.",
        ),
        ("`.mediactl/`*FILE*`/.gitignore`", "Keeps the folder out of version control."),
    ]);
}

const EXAMPLES: &[(&str, &str)] = &[
    ("`mediactl check media.conf`", "Show every fault of a file."),
    ("`mediactl --conf media.conf read streams.cam1`", "Show one stream."),
    (
        "`mediactl --conf media.conf modify --set streams.cam1.auth.url=false`",
        "Open a stream to everybody; the block of the stream gets the line `auth false;`.",
    ),
    (
        "`mediactl modify --set 'streams.cam1.urls[+]=udp://239.0.0.1:1234' --dry-run`",
        "See what one more source would change.",
    ),
    (
        "`mediactl diff --json old.conf new.conf | mediactl --conf media.conf modify -f -`",
        "Make in one file the changes that were made in another.",
    ),
    (
        "`mediactl --url https://media.example modify --set streams.cam1.prepush=5`",
        "Change a stream of a server.",
    ),
    (
        "`mediactl --conf media.conf serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem`",
        "Serve the HTTP API over a file.",
    ),
    (
        "`mediactl modify -f patch.json --reload-cmd 'systemctl reload media'`",
        "Make a change and have the server load it; if it can't, the change is taken back.",
    ),
];

#[test]
fn every_exit_code_is_in_the_page_once() {
    let page = page(&built_command());
    let section = page.split(".SH EXIT STATUS\n").nth(1).expect("there is such a section");
    let section = section.split(".SH ").next().unwrap_or_default();
    for (exit, _) in EXIT_CODES {
        let term = format!(".TP\n\\fB{}\\fR\n", *exit as u8);
        assert_eq!(section.matches(&term).count(), 1, "{exit:?}");
    }
    assert_eq!(section.matches(".TP").count(), EXIT_CODES.len());
}

#[test]
fn every_option_of_the_program_is_in_the_page() {
    let command = built_command();
    let page = page(&command);
    for option in command.get_opts() {
        let long = option.get_long().expect("an option has a long name").replace('-', "\\-");
        assert!(page.contains(&format!("\\fB\\-\\-{long}\\fR")), "{long}");
    }
}
