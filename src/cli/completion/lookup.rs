//! Looks at the target of the command line, its history, and the contexts. What can't be read is empty.

use std::sync::OnceLock;

use serde_json::json;

use crate::cli::args::global::{ChosenTarget, ColorChoice, GlobalArgs, NamedBy, TargetKind};
use crate::cli::context::{self, Contexts, ContextsFile};
use crate::cli::target::{self, Purpose};
use crate::cli::ui::Ui;
use crate::engine::{Content, ReadForm, ReadQuery};
use crate::store::{HistoryEntry, WHOLE_HISTORY};
use mediaconf::edit::config_lookup::{Current, LocalView};
use mediaconf::model::Lens;

/// What the command line works on; it is read when it is first asked for.
pub struct Lookup {
    /// The options of every command, if they make sense.
    global: Option<GlobalArgs>,
    content: OnceLock<Option<Content>>,
}

impl Lookup {
    pub fn new(global: Option<GlobalArgs>) -> Self {
        Self { global, content: OnceLock::new() }
    }

    /// Looks at the configuration: the running one of a server, else the file. One that is missing, has errors or
    /// can't be read is empty.
    pub fn in_configuration<T>(&self, look: impl FnOnce(&dyn Current) -> T) -> T {
        match self.content.get_or_init(|| self.content()) {
            Some(Content::Text(text)) if text.is_valid() => {
                let (members, lens) = (text.members(), Lens::default());
                look(&LocalView::new(&members, &lens))
            }
            Some(Content::Json(whole)) => look(whole),
            _ => look(&json!({})),
        }
    }

    fn content(&self) -> Option<Content> {
        let mut target = target::resolve(&self.one_target()?, Purpose::default(), ui()).ok()?;
        let query = ReadQuery { source: None, form: ReadForm::TextOrJson };
        target.service.read(&query).ok().map(|reading| reading.content)
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
        let target = self.one_target().and_then(|global| target::file_or_named_server(&global, ui()).ok());
        target.and_then(|mut target| target.service.history(WHOLE_HISTORY).ok()).unwrap_or_default()
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
