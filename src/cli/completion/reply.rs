//! The lines that a shell gets: one for each candidate.

use clap_complete::CompletionCandidate;

use super::script::ShellName;
use super::words::TypedWord;
use mediaconf::plumbing::edit::Proposal;
use mediaconf::plumbing::syntax::one_line;

/// Marks the candidates behind which something has to follow.
const OPEN: &str = "open";

/// Marks the others. Without a mark, the engine of clap makes one for each.
const WHOLE: &str = "whole";

/// A candidate as the engine of clap has it.
pub fn candidate(Proposal { text, help, is_whole }: Proposal) -> CompletionCandidate {
    let help = Some(help).filter(|help| !help.is_empty());
    let mark = if is_whole { WHOLE } else { OPEN };
    CompletionCandidate::new(text).help(help.map(Into::into)).tag(Some(mark.into()))
}

/// The lines for all candidates, in their order. Bash gets a word as it is typed; zsh and fish get its text and, behind a
/// tab, its documentation. A blank ends a word that is whole, but for fish, which looks at the last character.
pub fn lines(shell: ShellName, typed: &TypedWord<'_>, mut found: Vec<CompletionCandidate>) -> Vec<u8> {
    // Options are shown to those who begin one.
    if typed.text.is_empty() {
        found.retain(|found| !found.get_value().as_encoded_bytes().starts_with(b"-"));
    }
    let open = OPEN.into();
    let mut lines = String::new();
    for found in found {
        // The lines of a shell are text, and have no other way to hold a line feed.
        let Some(value) = found.get_value().to_str() else { continue };
        if value.contains(char::is_control) {
            continue;
        }
        let is_open = found.get_tag() == Some(&open) || value.ends_with('/');
        let help = found.get_help().map(ToString::to_string).unwrap_or_default();
        let help = one_line(help.lines().next().unwrap_or_default());
        let line = match shell {
            ShellName::Bash => match typed.continued(value, !is_open) {
                Some(line) => line,
                None => continue,
            },
            ShellName::Zsh => format!("{value}{}\t{help}", if is_open { "" } else { " " }),
            ShellName::Fish => format!("{value}\t{help}").trim_end().to_owned(),
        };
        lines.push_str(&line);
        lines.push('\n');
    }
    lines.into_bytes()
}
