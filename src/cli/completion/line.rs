//! The command line before the word that is typed, and what it refers to: its target, the history of
//! that, and the contexts. Whatever can't be read is empty.

use mediaconf::{Config, Kind, Path, Schema, Segment};
use std::ffi::OsString;
use std::sync::{Arc, OnceLock};

use clap::{ArgMatches, Command};

use crate::cli::args::global::{ChosenTarget, ColorChoice, GlobalArgs, NamedBy, TargetKind};
use crate::cli::context::{self, Contexts, ContextsFile};
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::Snapshot;
use crate::store::{HistoryEntry, NodeRecord, WHOLE_HISTORY};

/// The words before the one that is typed, as the options and arguments that they are.
pub struct TypedLine {
    /// The values of the called command; `None` if it is not known yet.
    matches: Option<ArgMatches>,
    pub lookup: Lookup,
}

impl TypedLine {
    /// Parses the words, as far as they can be parsed.
    pub fn parse(words: &[OsString], tree: Command) -> Self {
        let matches = tree.ignore_errors(true).try_get_matches_from(words).ok();
        let global = matches.as_ref().and_then(|matches| GlobalArgs::from_matches(matches).ok());
        let matches = matches.and_then(|matches| Some(matches.subcommand()?.1.clone()));
        Self { matches, lookup: Lookup::new(global) }
    }

    /// The words of an argument of the called command.
    pub fn words(&self, argument: &str) -> Vec<String> {
        let given = self.matches.as_ref().and_then(|matches| matches.try_get_raw(argument).ok().flatten());
        given.into_iter().flatten().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// The stream, live or plugin whose values are meant: the one that `cp` copies, that `add` adds, or any of those
    /// that a path of the command names.
    pub fn block(&self) -> Vec<Segment> {
        if let Some(from) = self.words("from").first().and_then(|from| Path::parse(from).ok()) {
            return from.segments;
        }
        let added = self.words("kind").first().map(|kind| format!("{kind}s"));
        let paths = ["paths", "path", "set", "unset", "replace"].into_iter().flat_map(|id| self.words(id));
        let kind = added.into_iter().chain(paths).find_map(|path| group(&path)).unwrap_or(Kind::Streams);
        [kind.key(), "NAME"].map(|key| Segment::Key(key.to_owned())).to_vec()
    }
}

/// The group in which a path begins.
fn group(path: &str) -> Option<Kind> {
    let first = path.split(['.', '=']).next()?;
    Schema::media().kind(first)
}

/// The target of the command line; it is read when it is first needed.
pub struct Lookup {
    /// The options of every command, if they make sense.
    global: Option<GlobalArgs>,
    text: OnceLock<Option<Arc<Snapshot>>>,
}

impl Lookup {
    fn new(global: Option<GlobalArgs>) -> Self {
        Self { global, text: OnceLock::new() }
    }

    /// Looks at the configuration: the running one of a server, else the file. One that is missing, has errors or
    /// can't be read is empty.
    pub fn in_configuration<T>(&self, look: impl FnOnce(&Config<'_>) -> T) -> T {
        match self.text.get_or_init(|| self.text()) {
            Some(text) if text.is_valid() => look(&text.config()),
            _ => look(&Snapshot::default().config()),
        }
    }

    fn text(&self) -> Option<Arc<Snapshot>> {
        let target = target::resolve(&self.one_target()?, Purpose::default(), ui()).ok()?;
        target.service.read(None).ok()
    }

    /// The options, with the first one where they name several servers.
    fn one_target(&self) -> Option<GlobalArgs> {
        let global = self.global.clone()?;
        let Some(contexts) = context::several(&global).ok()? else { return Some(global) };
        let chosen = ChosenTarget { kind: TargetKind::Context(NamedBy::CommandLine), ..global.chosen };
        let context = Some(contexts.into_iter().next()?.name);
        Some(GlobalArgs { context, group: Vec::new(), chosen, ..global })
    }

    /// The history, the last change first. That of a file is read without its server, which would write a hand edit
    /// into it.
    pub fn history(&self) -> Vec<HistoryEntry> {
        self.target().and_then(|target| target.service.history(WHOLE_HISTORY).ok()).unwrap_or_default()
    }

    /// The nodes of the cluster.
    pub fn nodes(&self) -> Vec<NodeRecord> {
        self.target().and_then(|target| target.service.nodes().ok().flatten()).unwrap_or_default()
    }

    fn target(&self) -> Option<Target> {
        target::file_or_named_server(&self.one_target()?, ui()).ok()
    }

    /// The contexts of the user.
    pub fn contexts(&self) -> Contexts {
        ContextsFile::of_user().and_then(|file| file.load().ok()).unwrap_or_default()
    }
}

/// Streams that lead nowhere.
fn ui() -> Ui {
    Ui::new(ColorChoice::Never)
}
