//! The `mediactl` command with the same effect as a request: for the shell, without a secret.

use crate::engine::{ChangeOptions, EntryEdits, Guard, RequestedChange};
use crate::http::protocol::headers::DEFAULT_PREFIX;
use mediaconf::plumbing::edit::{AssignedValue, Assignment, Edits, quoted};
use mediaconf::plumbing::model::holds_mask;

/// The words in front of a command that opens the editor.
const IN_EDITOR: &str = "# A line of the change, or one beside it, holds a secret, which is not shown here.\n\
                         # Make the change in the editor that this opens:\n";

/// A server as the command names it.
pub struct NamedServer<'s> {
    pub url: &'s str,
    /// The prefix of its API.
    pub prefix: &'s str,
}

/// Returns the command for a request whose secrets are masked, and for the masked lines of its difference. Assignments are
/// options of `modify`; texts are the difference, put in by `edit`. An option whose value is a mask asks for it.
pub fn command(
    server: &NamedServer<'_>,
    sent: &RequestedChange<'_>,
    diff: &[String],
    options: &ChangeOptions,
) -> String {
    let program = program(server);
    let more = options_of(options);
    let ending = more.iter().map(|option| format!(" {option}")).collect::<String>();
    match assigned(sent) {
        Some(assigned) => {
            let last = (!more.is_empty()).then(|| more.join(" "));
            let lines = [format!("{program} modify --yes")].into_iter().chain(assigned).chain(last);
            lines.collect::<Vec<_>>().join(" \\\n  ")
        }
        None if has_mask_at_change(diff) || !matches!(sent, RequestedChange::Entries(_)) => {
            format!("{IN_EDITOR}{program} edit{ending}")
        }
        None => format!(
            "cat > change.diff <<'END OF CHANGE'\n{}\nEND OF CHANGE\nVISUAL='patch -s -i change.diff' {program} edit --yes{ending}",
            diff.join("\n")
        ),
    }
}

fn program(server: &NamedServer<'_>) -> String {
    let prefix = match server.prefix == DEFAULT_PREFIX {
        true => String::new(),
        false => format!(" --api-prefix={}", quoted(server.prefix.trim_matches('/'))),
    };
    format!("mediactl --url {}{prefix}", quoted(server.url))
}

/// The options for how a change is made.
fn options_of(ChangeOptions { accepted, confirm, message, .. }: &ChangeOptions) -> Vec<String> {
    let names: Vec<&str> = accepted.iter().filter_map(Guard::name).collect();
    let joint = |message: &str| if message.starts_with('-') { "=" } else { " " };
    [
        confirm.map(|time| format!("--confirm {}s", time.as_secs())),
        (!names.is_empty()).then(|| format!("--accept {}", names.join(","))),
        message.as_ref().map(|message| format!("--message{}{}", joint(message), quoted(message))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The options of the assignments; `None` if the request has texts, or an assignment that only the editor can make.
fn assigned(sent: &RequestedChange<'_>) -> Option<Vec<String>> {
    let request = match sent {
        RequestedChange::Modify(request) => request,
        RequestedChange::Entries(EntryEdits { texts, then: Some(request) }) if texts.is_empty() => request,
        _ => return None,
    };
    let Edits::Assignments { assignments, .. } = &request.edits else { return None };
    assignments.iter().map(option_of).collect()
}

fn option_of(Assignment { path, value }: &Assignment) -> Option<String> {
    let path = path.to_string();
    if holds_mask(&path) {
        return None;
    }
    let set = |option: &str, text: &str| match holds_mask(text) {
        true => format!("--set {}", quoted(&path)),
        false => format!("{option} {}", quoted(&format!("{path}={text}"))),
    };
    Some(match value {
        AssignedValue::Remove => format!("--unset {}", quoted(&path)),
        AssignedValue::Typed(text) => set("--set", text),
        AssignedValue::Text(text) | AssignedValue::File(text) => set("--set-string", text),
        AssignedValue::Replace(substitution) => {
            let text = String::from(substitution.clone());
            if holds_mask(&text) {
                return None;
            }
            format!("--replace {} {}", quoted(&path), quoted(&text))
        }
    })
}

/// True if `patch` would have to find a line with a mask: another reader of the text has other masks. Where a hunk begins and
/// ends, `patch` does without all lines but the one beside the change.
fn has_mask_at_change(diff: &[String]) -> bool {
    diff.split(|line| line.starts_with("@@")).any(|hunk| {
        let is_changed = |line: &String| line.starts_with(['+', '-']);
        let first = hunk.iter().position(is_changed).unwrap_or(0);
        let last = hunk.iter().rposition(is_changed).unwrap_or(0);
        hunk.iter().take(last + 2).skip(first.saturating_sub(1)).any(|line| holds_mask(line))
    })
}
