//! `mediactl context`

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::cli::args::global::{GlobalArgs, NamedBy, TargetKind};
use crate::cli::args::shared::ListFormat;
use crate::cli::cluster;
use crate::cli::context::{self, Contexts, ContextsFile, ServerContext};
use crate::cli::invocation::Invocation;
use crate::cli::local_user::local_user;
use crate::cli::render::table;
use crate::cli::render::texts::write_text;
use crate::cli::target;
use crate::cli::ui::Ui;
use crate::engine::Snapshot;
use crate::error::{Error, Exit};
use crate::http::api::DEFAULT_PREFIX;
use crate::http::client::{AnswerSize, Endpoint, without_userinfo};
use crate::store::etcd::ClusterUrl;
use mediaconf::one_line;

/// Name servers, and work on them by their names
///
/// A context is a server, or a cluster, with its URL, its login, and how to get its password. `mediactl -x NAME COMMAND`
/// works on it, and so does every command where MEDIACTL_CONTEXT is NAME, or after `mediactl context use NAME`
/// where no option and no variable names a target. MEDIACTL_URL, MEDIACTL_CLUSTER, MEDIACTL_LOGIN and
/// MEDIACTL_PASSWORD are ignored then.
///
/// Contexts stand in `~/.config/mediactl/contexts.conf` (or below XDG_CONFIG_HOME), in the syntax of
/// configurations. You may edit it by hand; only you may read it (mode 0600).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mediactl context add prod --url https://media.example --user admin
  mediactl -x prod status
  mediactl context use prod")]
pub struct ContextArgs {
    #[command(subcommand)]
    pub command: ContextCommand,
}

#[derive(Debug, Subcommand)]
pub enum ContextCommand {
    /// Add a server by `--url`, or a cluster by `--cluster`; `--user`, `--cacert`, … are kept with it
    ///
    /// Kept are `--user`, `--cacert`, `--cert`, `--key`, `--fingerprint`, `--api-prefix`, `--timeout` and `--max-answer`.
    ///
    /// The password itself is better not in the URL: `--password-command` runs a password manager instead.
    Add(AddContextArgs),
    /// List all contexts; a `*` marks the one in use
    List {
        /// How to print them
        #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
        output: ListFormat,
    },
    /// Use a context wherever nothing else names a target
    Use {
        /// The context
        #[arg(value_name = "NAME", required_unless_present = "none")]
        name: Option<String>,

        /// Use none any more
        #[arg(long, conflicts_with = "name")]
        none: bool,
    },
    /// Show what a context says
    Show {
        /// The context [default: the one in use]
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Remove a context
    Remove {
        /// The context
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub struct AddContextArgs {
    /// The name, of letters, digits and `.`, `_`, `-`
    #[arg(value_name = "NAME")]
    pub name: String,

    /// Shell command that prints the password; it runs whenever the password is needed
    #[arg(long, value_name = "CMD")]
    pub password_command: Option<String>,

    /// A group that the server belongs to; several are separated by commas
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    pub group: Vec<String>,

    /// Ask before every change
    #[arg(long)]
    pub protected: bool,

    /// Change the context if it exists: what is not given stays
    #[arg(long)]
    pub replace: bool,
}

/// The variables that name a target, and so beat the context in use.
const TARGET_VARIABLES: [&str; 4] = ["MEDIACTL_CONTEXT", "MEDIACTL_URL", "MEDIACTL_CLUSTER", "MEDIACTL_CONF"];

pub fn run(args: &ContextArgs, call: Invocation<'_>) -> Result<Exit, Error> {
    let Invocation { global, ui, .. } = call;
    let file = ContextsFile::of_user_or_error()?;
    match &args.command {
        ContextCommand::Add(args) => add(&file, args, global, ui),
        ContextCommand::List { output } => list(&file, *output, ui),
        ContextCommand::Use { name, .. } => choose(&file, name.as_deref(), ui),
        ContextCommand::Show { name } => show(&file, name.as_deref(), global, ui),
        ContextCommand::Remove { name } => remove(&file, name, ui),
    }?;
    Ok(Exit::Done)
}

fn add(file: &ContextsFile, args: &AddContextArgs, global: &GlobalArgs, ui: Ui) -> Result<(), Error> {
    refuse_bad_name(&args.name)?;
    let known = file.load()?;
    let known = known.get(&args.name);
    if known.is_some() && !args.replace {
        let message = format!("there is a context `{}` already", args.name);
        return Err(Error::usage(message, "`--replace` changes it, `mediactl context remove` removes it"));
    }
    let settings = settings(args, global)?;
    if known.is_none() && !settings.contains_key("url") {
        let hint = "give it with `--url URL`, or a configuration in etcd with `--cluster URL`";
        return Err(Error::usage("a context needs a server", hint));
    }
    if let Some(url) = settings.get("url").and_then(Value::as_str) {
        warn_of_password(file, url, ui)?;
    }
    file.change(json!({"context": {&args.name: settings}}), local_user())?;
    let done = if known.is_some() { "changed" } else { "added" };
    ui.say(&format!("{done} context `{}`", args.name));
    Ok(())
}

/// A name can be typed without quotes, and no pattern or option looks like it.
fn refuse_bad_name(name: &str) -> Result<(), Error> {
    let is_fit = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    match !name.is_empty() && !name.starts_with('-') && name.chars().all(is_fit) {
        true => Ok(()),
        false => Err(Error::usage(
            format!("`{name}` can't be the name of a context"),
            "use letters, digits and `.`, `_`, `-`",
        )),
    }
}

/// The settings that are given, as the file has them.
fn settings(args: &AddContextArgs, global: &GlobalArgs) -> Result<Map<String, Value>, Error> {
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
    let url = url.map(|url| url.0.clone());
    let absolute = |path: &Path| {
        let path = std::path::absolute(path).map_err(|error| Error::input_failed(path, error));
        path.map(|path| path.display().to_string())
    };
    let file = |path: &Option<PathBuf>| path.as_deref().map(absolute).transpose();
    let (cacert, cert, key) = (file(&remote.cacert)?, file(&remote.cert)?, file(&remote.key)?);
    let words = [
        ("url", url),
        ("login", remote.user.clone()),
        ("password_command", args.password_command.clone()),
        ("cacert", cacert),
        ("cert", cert),
        ("key", key),
        ("fingerprint", remote.fingerprint.map(|fingerprint| fingerprint.to_string())),
        ("api_prefix", remote.api_prefix.clone()),
    ];
    let words = words.into_iter().filter_map(|(key, word)| Some((key.to_owned(), Value::from(word?))));
    let groups = (!args.group.is_empty()).then(|| ("group".to_owned(), group_value(&args.group)));
    let timeout = remote.timeout.map(|seconds| ("timeout".to_owned(), Value::from(seconds)));
    let max_answer = remote.max_answer.map(|size| ("max_answer".to_owned(), Value::from(size.bytes())));
    let protected = args.protected.then(|| ("protected".to_owned(), Value::from(true)));
    Ok(words.chain(timeout).chain(max_answer).chain(groups).chain(protected).collect())
}

/// One word is a string in JSON, several are a list.
fn group_value(groups: &[String]) -> Value {
    if let [only] = groups { Value::from(only.as_str()) } else { Value::from(groups.to_vec()) }
}

fn warn_of_password(file: &ContextsFile, url: &str, ui: Ui) -> Result<(), Error> {
    let (_, password) = match ClusterUrl::is_meant(url) {
        true => cluster::parsed(url)?.1,
        false => Endpoint::parse(url, DEFAULT_PREFIX).map_err(target::bad_url)?.1,
    };
    if !password.is_empty() {
        ui.warning(&format!(
            "the password in the URL is kept in {}; `--password-command` keeps it elsewhere",
            file.path.display()
        ));
    }
    Ok(())
}

fn list(file: &ContextsFile, form: ListFormat, ui: Ui) -> Result<(), Error> {
    let contexts = file.load()?;
    let is_current = |context: &ServerContext| contexts.current.as_deref() == Some(&context.name);
    match form {
        ListFormat::Json => {
            let records: Vec<Value> =
                contexts.list.iter().map(|context| record(context, is_current(context))).collect();
            ui.print_json(&records)
        }
        ListFormat::Text if contexts.list.is_empty() => {
            ui.say("there are no contexts; `mediactl context add` adds one");
            Ok(())
        }
        ListFormat::Text => ui.print(|out| {
            let headings = ["", "NAME", "URL", "LOGIN", "GROUP", "PROTECTED"].map(str::to_owned);
            let rows = contexts.list.iter().map(|context| row(context, is_current(context)));
            let rows = std::iter::once(headings).chain(rows).map(Vec::from).collect();
            table::print(rows, ui.screen(), out)
        }),
    }
}

fn record(context: &ServerContext, is_current: bool) -> Value {
    json!({
        "name": context.name,
        "current": is_current,
        "url": without_userinfo(&context.url),
        "login": context.login,
        "password_command": context.password_command,
        "cacert": context.cacert,
        "cert": context.cert,
        "key": context.key,
        "fingerprint": context.fingerprint.map(|fingerprint| fingerprint.to_string()),
        "api_prefix": context.api_prefix,
        "timeout": context.timeout,
        "max_answer": context.max_answer.map(AnswerSize::bytes),
        "groups": context.groups,
        "protected": context.is_protected,
    })
}

fn row(context: &ServerContext, is_current: bool) -> [String; 6] {
    let or_dash = |text: String| if text.is_empty() { "-".to_owned() } else { one_line(&text) };
    [
        if is_current { "*" } else { "" }.to_owned(),
        one_line(&context.name),
        or_dash(without_userinfo(&context.url)),
        or_dash(context.login.clone().unwrap_or_default()),
        or_dash(context.groups.join(" ")),
        if context.is_protected { "yes" } else { "-" }.to_owned(),
    ]
}

fn choose(file: &ContextsFile, name: Option<&str>, ui: Ui) -> Result<(), Error> {
    if let Some(name) = name {
        file.find(name)?;
    } else if file.load()?.current.is_none() {
        ui.say("no context is in use");
        return Ok(());
    }
    file.change(json!({"current": name}), local_user())?;
    match name {
        Some(name) => ui.say(&format!("context `{name}` is used where nothing else names a target")),
        None => ui.say("no context is in use any more"),
    }
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if let Some(variable) = TARGET_VARIABLES.into_iter().find(is_set) {
        ui.note(&format!("{variable} is set, and names the target here"));
    }
    Ok(())
}

/// Shows the text of a context.
fn show(file: &ContextsFile, name: Option<&str>, global: &GlobalArgs, ui: Ui) -> Result<(), Error> {
    let context = match name {
        Some(name) => file.find(name)?,
        None => context::chosen(global)?.ok_or_else(|| {
            Error::usage("no context is in use", "give the NAME of one; `mediactl context list` shows all")
        })?,
    };
    let Some(snapshot) = file.snapshot()? else { return Err(Error::no_context(&context.name, None)) };
    let document = snapshot.document();
    let is_it = |words: Vec<String>| words == ["context", &*context.name];
    let mut entries = document.entries();
    let entry = entries.find(|entry| is_it(entry.words().map(|word| word.value().into_owned()).collect()));
    let Some(entry) = entry else { return Err(Error::no_context(&context.name, None)) };
    let text = format!("{}\n", entry.text());
    ui.print(|mut out| write_text(&Snapshot::from_bytes(text.into_bytes()), ui.masker().as_ref(), &mut out))
}

/// Removes a context; if it is in use, none is in use then.
fn remove(file: &ContextsFile, name: &str, ui: Ui) -> Result<(), Error> {
    let Contexts { current, .. } = file.load()?;
    file.find(name)?;
    let mut patch = json!({"context": {name: null}});
    if current.as_deref() == Some(name) {
        patch["current"] = Value::Null;
    }
    file.change(patch, local_user())?;
    ui.say(&format!("removed context `{name}`"));
    Ok(())
}
