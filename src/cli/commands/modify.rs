//! `mediactl modify`

use std::path::PathBuf;

use crate::cli::args::Invocation;
use crate::cli::args::changing::ChangeArgs;
use crate::cli::change::ChangeCommand;
use crate::cli::input;
use crate::engine::Guard;
use crate::error::{Error, Exit};
use mediaconf::{AssignOptions, Expectation, Request, Schema};

/// Change some values and leave everything else as it is
///
/// The edits are made in the given order and written together, or not at all. What changed is printed as a
/// diff. If nothing changes, nothing is written.
///
/// A value gets the type of its parameter: `12345` is a number as a port and a string as a password. `null`
/// removes a value. --set PATH without a value asks for the value, so that a password does not appear in the
/// list of processes.
///
/// In a PATH, `*` stands for any characters of a name (`streams.*`, `streams.cam*`), unless the name is in
/// double quotes. `[*]` stands for every element of a list, `[-1]` for the last one.
///
/// --where makes the edits only in those streams, lives or plugins of the PATH that meet the condition:
/// `PATH=VALUE`, `PATH!=VALUE`, `PATH~TEXT` (contains), `PATH=~REGEX`, `PATH exists` or `PATH missing`. This
/// PATH begins below the entry and goes through lists: `urls.url~10.0.3.` holds if any source has that text.
/// `!=` holds for an absent value, too. If no entry meets the conditions, the exit code is 7.
///
/// --replace changes a part of each string at PATH. `s/OLD/NEW/` replaces every OLD to the letter,
/// `s/OLD/NEW/r` takes OLD as a regular expression, with `$1` for its first group. Any sign may stand for `/`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "\
mediactl modify [OPTIONS] [--where <CONDITION>]...
                <PATH=VALUE|--set|--set-string|--unset|--replace>...
       mediactl modify [OPTIONS] --file <FILE>",
    after_help = "\
Examples:
  mediactl modify streams.cam1.auth.url=false
  mediactl modify --set 'streams.cam1.urls[+]=udp://239.0.0.1:1234'
  mediactl modify --set edit_auth.password
  mediactl modify --unset streams.cam1 --dry-run
  mediactl modify --set 'streams.cam*.prepush=5'
  mediactl modify --where 'urls.url~10.0.3.' --set 'streams.*.auth.url=false'
  mediactl modify --replace 'streams.*.urls[*].url' 's/10.0.3./10.0.4./'
  mediactl modify --expect rtmp=1935 --set rtmp=1936
  echo '{\"streams\": {\"cam1\": {\"prepush\": 5}}}' | mediactl modify -f -"
)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true)
    .args(["assignments", "set", "set_string", "unset", "replace", "file"]))]
pub struct ModifyArgs {
    /// Set a value, as --set does
    #[arg(value_name = "PATH=VALUE", value_parser = assignment, conflicts_with = "file")]
    pub assignments: Vec<String>,

    /// Set a value, such as `streams.cam1.prepush=5`; may be given several times
    #[arg(long, value_name = "PATH=VALUE", conflicts_with = "file")]
    pub set: Vec<String>,

    /// Set a string, even if it looks like a number or JSON
    #[arg(long, value_name = "PATH=VALUE", conflicts_with = "file")]
    pub set_string: Vec<String>,

    /// Remove a value; it is an error if the value is missing
    #[arg(long, value_name = "PATH", conflicts_with = "file")]
    pub unset: Vec<String>,

    /// Replace a part of the strings at PATH; may be given several times
    #[arg(long, value_names = ["PATH", "s/OLD/NEW/"], num_args = 2, conflicts_with = "file")]
    pub replace: Vec<String>,

    /// Edit only the entries that meet this condition; if it is given several times, all of them
    #[arg(long = "where", value_name = "CONDITION", conflicts_with = "file")]
    pub conditions: Vec<String>,

    /// Merge a JSON patch (RFC 7396) from a file; `-` is standard input
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: Option<PathBuf>,

    /// Make the change only if PATH has this value, or no value for `null`; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub expect: Vec<String>,

    /// Let --set create a stream, live or plugin, or a keyword that looks misspelt
    #[arg(hide_short_help = true, long)]
    pub create: bool,

    /// Let --unset succeed if there is nothing to remove
    #[arg(hide_short_help = true, long, conflicts_with = "file")]
    pub ignore_missing: bool,

    #[command(flatten)]
    pub changing: ChangeArgs,
}

/// Takes `PATH=VALUE`; the value may be a secret, so it is not shown.
fn assignment(text: &str) -> Result<String, String> {
    match text.contains('=') {
        true => Ok(text.to_owned()),
        false => Err("it has no value: write PATH=VALUE, or `--set PATH` to be asked for it".to_owned()),
    }
}

impl ModifyArgs {
    pub fn run(&self, call: Invocation<'_>) -> Result<Exit, Error> {
        let mut change = ChangeCommand::new(&self.changing, "modify");
        // `--create` also accepts a keyword that looks misspelt.
        change.options.accepted.extend(self.create.then_some(Guard::NearMiss));
        let expectations = self.expect.iter().map(|text| expectation(text)).collect::<Result<_, _>>()?;
        let request: Request = match &self.file {
            Some(file) => Schema::parse_patch(&input::read(file)?)?.into(),
            None => {
                let edits: [(&str, &[String]); 5] = [
                    ("assignments", &self.assignments),
                    ("set", &self.set),
                    ("set_string", &self.set_string),
                    ("unset", &self.unset),
                    ("replace", &self.replace),
                ];
                let (create, ignore_missing) = (self.create, self.ignore_missing);
                let options = AssignOptions { create, ignore_missing, ..change.assigning() };
                let edits = input::edits(call.matches, &edits)?;
                Request::assigning(edits, input::conditions(&self.conditions, options.near_misses)?, options)
            }
        };
        change.run(call, request.expecting(expectations).into())
    }
}

/// Parses the `PATH=VALUE` of a value that has to be there.
pub fn expectation(text: &str) -> Result<Expectation, Error> {
    // A name may end with such a sign only in quotes.
    if let Some((path, _)) = text.split_once('=').filter(|(path, _)| path.trim_end().ends_with(['!', '~'])) {
        let what = format!("`{path}=` is a condition, and an expected value is written PATH=VALUE");
        return Err(Error::usage(
            what,
            "write PATH=VALUE; in `read` and `modify`, `--where` takes conditions",
        ));
    }
    match input::split(text)? {
        (path, Some(value)) => Ok(Expectation { path, value: value.to_owned() }),
        (_, None) => {
            let hint = "write PATH=VALUE, or PATH=null for nothing";
            Err(Error::usage(format!("`{text}` has no expected value"), hint))
        }
    }
}
