//! `mediactl context`

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::cli::args::Invocation;
use crate::cli::args::global::{GlobalArgs, NamedBy, ResultArgs, TargetKind};
use crate::cli::context::{Contexts, ContextsFile, ServerContext};
use crate::cli::local::local_user;
use crate::cli::render::table;
use crate::cli::target;
use crate::cli::ui::Ui;
use crate::error::{Error, Exit};
use crate::http::client::without_userinfo;
use mediaconf::one_line;

/// Name servers, and work on them by their names
///
/// A context is a server, or a cluster, with its URL, its login, and how to get its password. `mediactl -x NAME COMMAND`
/// works on it, and so does every command where MEDIACTL_CONTEXT is NAME, or after `mediactl context use NAME`
/// where no option and no variable names a target. MEDIACTL_URL, MEDIACTL_CLUSTER, MEDIACTL_LOGIN and
/// MEDIACTL_PASSWORD are ignored then.
///
/// Contexts stand in `~/.config/mediactl/contexts.conf` (or below XDG_CONFIG_HOME), in the syntax of
/// configurations. You may edit it by hand; only you may read it (mode 0600). `--inventory FILE`, or MEDIACTL_INVENTORY,
/// names a file with further ones, such as one in a repository. Of two with the same name, that of FILE is used. `add` and
/// `remove` change FILE. Its password commands run only if nobody else may write it, or a folder above it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl context add prod --url https://media.example --user admin
  mediactl -x prod status
  mediactl context use prod")]
pub struct ContextArgs {
    #[command(subcommand)]
    pub command: ContextCommand,

    #[command(flatten)]
    pub result: ResultArgs,
}

#[derive(Debug, Subcommand)]
pub enum ContextCommand {
    /// Add a server by `--url`, or a cluster by `--cluster`; `--user`, `--cacert`, … are kept with it
    ///
    /// Kept are `--user`, `--cacert`, `--cert`, `--key`, `--fingerprint`, `--api-prefix` and `--timeout`.
    ///
    /// The password itself is better not in the URL: `--password-command` runs a password manager instead.
    Add(AddContextArgs),
    /// List all contexts; a `*` marks the one in use
    List,
    /// Use a context wherever nothing else names a target
    Use {
        /// The context
        name: String,
    },
    /// Remove a context
    Remove {
        /// The context
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub struct AddContextArgs {
    /// The name, of letters, digits and `.`, `_`, `-`
    pub name: String,

    /// Shell command that prints the password; it runs whenever the password is needed
    #[arg(long, value_name = "CMD")]
    pub password_command: Option<String>,

    /// A group that the server belongs to; several are separated by commas
    #[arg(long, value_name = "GROUP", value_delimiter = ',', value_parser = group_name)]
    pub group: Vec<String>,
}

/// Parses the name of a group, as `--group` of other commands looks it up.
fn group_name(text: &str) -> Result<String, &'static str> {
    let name = text.trim();
    if name.is_empty() { Err("the name of a group is empty") } else { Ok(name.to_owned()) }
}

impl ContextArgs {
    pub fn run(&self, Invocation { global, ui, .. }: Invocation<'_>) -> Result<Exit, Error> {
        let file = ContextsFile::of(global)?;
        match &self.command {
            ContextCommand::Add(args) => args.add(&file, global, ui)?,
            ContextCommand::List => list(&Contexts::known(global)?, ui)?,
            ContextCommand::Use { name } => {
                Contexts::known(global)?.find(name)?;
                ContextsFile::of_user()?.change(json!({"current": name}), local_user())?;
                let words = format!("context `{name}` is used where nothing else names a target");
                ui.done(&words, &json!({ "result": "used", "context": name }))?;
            }
            ContextCommand::Remove { name } => {
                let contexts = file.load()?;
                contexts.find(name)?;
                let mut patch = json!({"context": {name: null}});
                if contexts.current.as_ref() == Some(name) {
                    // None is in use then.
                    patch["current"] = Value::Null;
                }
                file.change(patch, local_user())?;
                let record = json!({ "result": "removed", "context": name });
                ui.done(&format!("removed context `{name}`"), &record)?;
            }
        }
        Ok(Exit::Done)
    }
}

impl AddContextArgs {
    fn add(&self, file: &ContextsFile, global: &GlobalArgs, ui: Ui) -> Result<(), Error> {
        let name = &self.name;
        // It can be typed without quotes, and no pattern or option looks like it.
        let is_fit = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        if name.is_empty() || name.starts_with('-') || !name.chars().all(is_fit) {
            let message = format!("`{name}` can't be the name of a context");
            return Err(Error::usage(message, "use letters, digits and `.`, `_`, `-`"));
        }
        if file.load()?.get(name).is_some() {
            let path = file.path.display();
            let hint = format!("`mediactl context remove {name}` removes it; {path} has its settings");
            return Err(Error::usage(format!("there is a context `{name}` already"), hint));
        }
        let settings = self.settings(global)?;
        let Some(url) = settings.get("url").and_then(Value::as_str) else {
            let hint = "give it with `--url URL`, or a configuration in etcd with `--cluster URL`";
            return Err(Error::usage("a context needs a server", hint));
        };
        let (_, password) = target::userinfo(url)?;
        if !password.is_empty() {
            let path = file.path.display();
            let what = format!("the password in the URL is kept in {path}");
            ui.warning(&format!("{what}; `--password-command` keeps it elsewhere"));
        }
        file.change(json!({"context": {name: settings}}), local_user())?;
        let record = json!({ "result": "added", "context": name });
        let place = if file.is_inventory { format!(" to `{}`", file.path.display()) } else { String::new() };
        ui.done(&format!("added context `{name}`{place}"), &record)
    }

    /// The settings that are given, as the file has them.
    fn settings(&self, global: &GlobalArgs) -> Result<Map<String, Value>, Error> {
        let remote = &global.remote;
        if remote.password_file.is_some() {
            let hint = "give the command that shows it: `--password-command 'cat FILE'`";
            return Err(Error::usage("a context has no `--password-file`", hint));
        }
        let url = match global.chosen.kind {
            TargetKind::Server(NamedBy::CommandLine) => global.url.as_ref(),
            TargetKind::Cluster(NamedBy::CommandLine) => global.cluster.as_ref(),
            TargetKind::TwoOptions(options) => return Err(target::two_options(options)),
            _ => None,
        };
        let absolute = |path: &Path| {
            let path = std::path::absolute(path).map_err(|error| Error::input_failed(path, error));
            path.map(|path| path.display().to_string())
        };
        let file = |path: &Option<PathBuf>| path.as_deref().map(absolute).transpose();
        let settings = [
            ("url", json!(url.map(|url| &url.0))),
            ("login", json!(remote.user)),
            ("password_command", json!(self.password_command)),
            ("cacert", json!(file(&remote.cacert)?)),
            ("cert", json!(file(&remote.cert)?)),
            ("key", json!(file(&remote.key)?)),
            ("fingerprint", json!(remote.fingerprint.map(|fingerprint| fingerprint.to_string()))),
            ("api_prefix", json!(remote.api_prefix)),
            ("timeout", json!(remote.timeout)),
            // One word is a string in JSON, several are a list.
            ("group", if let [only] = &self.group[..] { json!(only) } else { json!(self.group) }),
        ];
        let is_given =
            |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
        let given = settings.into_iter().filter(|(_, value)| is_given(value));
        Ok(given.map(|(key, value)| (key.to_owned(), value)).collect())
    }
}

fn list(contexts: &Contexts, ui: Ui) -> Result<(), Error> {
    let is_current = |context: &ServerContext| contexts.current.as_deref() == Some(&context.name);
    if ui.json || contexts.list.is_empty() {
        let record = |context| {
            let mut record = json!(context);
            record["current"] = json!(is_current(context));
            record
        };
        let records: Vec<Value> = contexts.list.iter().map(record).collect();
        return ui.done("there are no contexts; `mediactl context add` adds one", &json!(records));
    }
    ui.print(|out| {
        let rows = contexts.list.iter().map(|context| row(context, is_current(context)).into()).collect();
        table::print(&["", "NAME", "URL", "LOGIN", "GROUP"], rows, ui.width(), out)
    })
}

fn row(context: &ServerContext, is_current: bool) -> [String; 5] {
    let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { one_line(&text) };
    [
        if is_current { "*" } else { "" }.to_owned(),
        one_line(&context.name),
        or_dash(without_userinfo(&context.url)),
        or_dash(context.login.clone().unwrap_or_default()),
        or_dash(context.groups.join(" ")),
    ]
}
