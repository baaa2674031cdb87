//! Whether a server that has made a change is well.

use std::time::Duration;

use serde_json::Value;

use super::members::FleetMember;
use crate::cli::error::CliError;
use crate::engine::{Content, ReadForm, ReadQuery, hook_output};
use crate::store::Revision;

/// Refuses a server whose `runtime` has an error, or for which the health command fails.
pub fn look(member: &mut FleetMember, command: Option<&str>, timeout: Duration) -> Result<(), CliError> {
    let form = ReadForm::Json { skip_static: true, runtime: true };
    let reading = member.target.service.read(&ReadQuery { source: None, form });
    let content = reading.map_err(|error| CliError::from(error).at(&member.name))?.content;
    if let Content::Json(whole) = &content
        && let Some(error) = trouble(&whole["runtime"])
    {
        return Err(CliError::not_healthy(&member.name, &error));
    }
    let Some(command) = command else { return Ok(()) };
    let checked = hook_output(command, &[("MEDIACTL_CONTEXT", &member.name)], timeout);
    let failed = |failure| CliError::not_healthy(&member.name, &format!("the health command {failure}"));
    checked.map(|_| ()).map_err(failed)
}

/// What the figures of a server say of its last reload, and of its runtime command.
fn trouble(runtime: &Value) -> Option<String> {
    let words = |value: &Value| value.as_str().map(str::to_owned);
    let errors = runtime["errors"].as_array().into_iter().flatten().filter_map(words);
    words(&runtime["config"]["last_error"]).into_iter().chain(errors).next()
}

/// Refuses a server that runs another text; it is only sent if it has changed since the last look.
pub fn still_runs(member: &mut FleetMember, revision: Option<Revision>) -> Result<(), CliError> {
    let mut tag = member.tag.take();
    let read = member.target.service.read_changed(&mut tag);
    let found = read.map_err(|error| CliError::from(error).at(&member.name))?;
    let runs = found.as_ref().and_then(Content::snapshot).map(|text| text.revision());
    if found.is_some() && runs != revision {
        return Err(CliError::other_change(&member.name));
    }
    member.tag = tag;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::trouble;

    #[test]
    fn the_figures_tell_of_a_failed_reload_and_a_failed_command() {
        let runtime = json!({"config": {"last_error": null}, "server": {}});
        assert_eq!(trouble(&runtime), None);
        assert_eq!(trouble(&json!({"config": {"last_error": "x"}})), Some("x".to_owned()));
        assert_eq!(
            trouble(&json!({"errors": ["the runtime command failed"]})).as_deref(),
            Some("the runtime command failed")
        );
    }
}
