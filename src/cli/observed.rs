//! A configuration that is read again and again.

use std::thread;
use std::time::Duration;

use crate::cli::args::global::GlobalArgs;
use crate::cli::error::CliError;
use crate::cli::target::{self, Purpose, Target};
use crate::cli::ui::Ui;
use crate::engine::{Content, ErrorKind, ServiceError};
use crate::store::Store;
use crate::store::file::FileWatch;

/// How often a server is asked: a configuration that is the same is not sent again.
const INTERVAL: Duration = Duration::from_secs(1);

/// How often a file is looked at of which the system tells nothing.
const FILE_INTERVAL: Duration = Duration::from_secs(5);

/// A configuration that is read again when it may have changed.
pub struct Observed {
    pub target: Target,
    /// None for a server and for etcd, which are asked at intervals.
    watch: Option<FileWatch>,
    /// Stands for the configuration that was read last.
    tag: Option<String>,
}

impl Observed {
    /// Begins to observe; nothing is read yet.
    pub fn begin(global: &GlobalArgs, ui: Ui) -> Result<Self, CliError> {
        let target = target::resolve(global, Purpose::default(), ui)?;
        // Where the system has no watch left, the file is looked at at intervals.
        let file = target.file.as_ref().filter(|_| !target.is_server);
        let watch = file.and_then(|file| FileWatch::of(file.path()).ok());
        Ok(Self { target, watch, tag: None })
    }

    /// Begins to observe a server that was found already.
    pub fn of(server: Target) -> Self {
        Self { target: server, watch: None, tag: None }
    }

    /// Reads the configuration; `None` if it is still the one that was read last.
    pub fn read(&mut self) -> Result<Option<Content>, ServiceError> {
        self.target.service.read_changed(&mut self.tag)
    }

    /// Forgets what was read last: it is read again, also if it is the same.
    pub fn forget(&mut self) {
        self.tag = None;
    }

    /// Waits until the configuration may have changed, at most for this time.
    pub fn wait(&self, most: Duration) {
        match &self.watch {
            Some(watch) => watch.wait(most.min(FILE_INTERVAL)),
            None => thread::sleep(most.min(INTERVAL)),
        }
    }
}

/// Whether an error may be over soon: the server is being started again, or the file replaced.
pub fn may_pass(error: &ServiceError) -> bool {
    matches!(error.kind(), ErrorKind::Absent | ErrorKind::Failed | ErrorKind::Unknown)
        && !matches!(error, ServiceError::NotOffered { .. })
}
