//! The journal of a change on several servers: what is needed to finish it or to take it back, whatever ends the
//! program.
//!
//! A folder `fleet-NAME` in the folder of the user, readable by nobody else, with the request for the change and a file
//! `journal`. Its first line says what the change is, and of which revisions; each further line is a step, written before the step
//! is made, or what is known of a server afterwards. The file is locked while the change is under way, and the folder
//! is removed when the change is made everywhere or nowhere.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::cli::args::changing::BatchArgs;
use crate::cli::error::CliError;
use crate::cli::local_user::state_home;
use crate::engine::{Refusal, RequestedChange};
use crate::store::Revision;
use crate::store::file::{is_private_folder, open_own, read_private, user_folder};
use mediaconf::plumbing::syntax::one_line;

const PREFIX: &str = "fleet-";
const JOURNAL: &str = "journal";
const REQUEST: &str = "request";
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// The largest journal that is read, in bytes: a thousand servers need one.
const LARGEST_JOURNAL: u64 = 16 << 20;

/// The largest request that is read, in bytes: twice what a server may answer by default.
const LARGEST_REQUEST: u64 = 128 << 20;

/// The description of the change: the first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JournalHead {
    /// The time at which it began (RFC 3339).
    pub at: String,
    /// The name of the command.
    pub operation: String,
    pub message: Option<String>,
    pub all_or_nothing: bool,
    /// The batches in which it goes to the servers.
    #[serde(default)]
    pub batching: BatchArgs,
    /// The hash of the request.
    pub request: Revision,
    pub servers: Vec<JournalServer>,
}

/// The request to each server.
#[derive(Serialize, Deserialize)]
pub struct KeptRequest<'a> {
    pub requested: RequestedChange<'a>,
}

/// A server that the change is for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JournalServer {
    /// The name of its context.
    pub name: String,
    /// The revisions of its texts before and after the change; `None` if the server does not show its
    /// text.
    pub revisions: Option<[Revision; 2]>,
}

/// A line behind the first one.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum FleetJournalLine<'a> {
    /// This is done next, on these servers.
    Step { step: &'a str, servers: Vec<&'a str> },
    /// This is known of a server.
    Server { server: &'a str, stage: String },
}

/// A journal, locked until it is dropped.
#[derive(Debug)]
pub struct Journal {
    /// The name of the change.
    pub id: String,
    pub head: JournalHead,
    folder: PathBuf,
    file: File,
}

/// The journals of a user.
#[derive(Debug, Default)]
pub struct Journals {
    /// Those of changes that were interrupted, the oldest first.
    pub unfinished: Vec<Journal>,
    /// The faults of the others, by their ids.
    pub damaged: Vec<(String, CliError)>,
    /// The folders that have a request and no journal.
    pub lost: Vec<LostJournal>,
    /// The names of the changes that are being made.
    pub under_way: Vec<String>,
}

/// A folder with the request of a change, whose journal is gone.
#[derive(Debug)]
pub struct LostJournal {
    /// The name of the change.
    pub id: String,
    pub folder: PathBuf,
}

impl LostJournal {
    /// Removes the request.
    pub fn finish(self) -> Result<(), CliError> {
        fs::remove_dir_all(&self.folder).map_err(|error| CliError::not_made(&self.folder, error))
    }
}

/// What a folder of a change is.
enum Opened {
    Unfinished(Journal),
    UnderWay,
    /// It was never begun.
    Nothing,
    Lost(LostJournal),
}

impl Journals {
    /// Reads all but those of changes that are under way.
    pub fn read() -> Result<Self, CliError> {
        let home = state_home().ok_or_else(CliError::no_state_home)?;
        let parent = user_folder(&home).map_err(Refusal::from)?;
        let entries = fs::read_dir(&parent).map_err(|error| CliError::input_failed(&parent, error))?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<String> =
            names.filter_map(|name| name.strip_prefix(PREFIX).map(str::to_owned)).collect();
        ids.sort_unstable();
        let mut found = Self::default();
        for id in ids {
            match Journal::open(&parent, &id) {
                Ok(Opened::Unfinished(journal)) => found.unfinished.push(journal),
                Ok(Opened::UnderWay) => found.under_way.push(id),
                Ok(Opened::Nothing) => {}
                Ok(Opened::Lost(lost)) => found.lost.push(lost),
                Err(error) => found.damaged.push((id, error)),
            }
        }
        found.unfinished.sort_by(|one, other| one.head.at.cmp(&other.head.at));
        Ok(found)
    }
}

impl Journal {
    /// Writes the journal of the change with this name, which begins, with its request.
    pub fn begin(id: String, head: JournalHead, request: &[u8]) -> Result<Self, CliError> {
        let home = state_home().ok_or_else(CliError::no_state_home)?;
        let parent = user_folder(&home).map_err(Refusal::from)?;
        let folder = parent.join(format!("{PREFIX}{id}"));
        let written = Self::write(&folder, &head, request);
        match written {
            Ok(file) => Ok(Self { id, head, folder, file }),
            Err(error) => {
                // What is there of it says nothing.
                let _ = fs::remove_dir_all(&folder);
                Err(CliError::not_made(&folder, error))
            }
        }
    }

    fn write(folder: &Path, head: &JournalHead, request: &[u8]) -> io::Result<File> {
        DirBuilder::new().mode(FOLDER_MODE).create(folder)?;
        let mut file = create(&folder.join(JOURNAL))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let mut kept = create(&folder.join(REQUEST))?;
        kept.write_all(request)?;
        kept.sync_all()?;
        write_line(&mut file, head)?;
        File::open(folder)?.sync_all()?;
        Ok(file)
    }

    /// Writes a line; it is durable when this returns.
    pub fn note(&mut self, line: &FleetJournalLine<'_>) -> io::Result<()> {
        write_line(&mut self.file, line)
    }

    /// Reads the request.
    pub fn request(&self) -> Result<KeptRequest<'static>, CliError> {
        let path = self.folder.join(REQUEST);
        let damaged = |error| CliError::damaged_journal(&path, &self.folder, error);
        let file = open_own(&path, OpenOptions::new().read(true)).map_err(damaged)?;
        let request = read_private(&file, LARGEST_REQUEST).map_err(damaged)?;
        if Revision::from_text(&request) != self.head.request {
            return Err(damaged(invalid("it is not the request that was kept")));
        }
        serde_json::from_slice(&request).map_err(|error| damaged(error.into()))
    }

    /// Removes the journal, with the request.
    pub fn finish(self) -> Result<(), CliError> {
        fs::remove_dir_all(&self.folder).map_err(|error| CliError::not_made(&self.folder, error))
    }

    fn open(parent: &Path, id: &str) -> Result<Opened, CliError> {
        let folder = parent.join(format!("{PREFIX}{id}"));
        let path = folder.join(JOURNAL);
        let damaged = |path: &Path, error| CliError::damaged_journal(path, &folder, error);
        if !is_private_folder(&folder) {
            return Err(damaged(&folder, invalid("it is not a folder that you alone may write")));
        }
        let file = match open_own(&path, OpenOptions::new().read(true).append(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let lost = LostJournal { id: id.to_owned(), folder: folder.clone() };
                return Ok(if folder.join(REQUEST).exists() { Opened::Lost(lost) } else { Opened::Nothing });
            }
            file => file.map_err(|error| damaged(&path, error))?,
        };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return Ok(Opened::UnderWay),
            locked => locked.map_err(|error| damaged(&path, error.into()))?,
        }
        let lines = read_private(&file, LARGEST_JOURNAL).map_err(|error| damaged(&path, error))?;
        let head = JournalHead::parse(&lines)
            .ok_or_else(|| damaged(&path, invalid("its first line does not say what the change is")))?;
        Ok(Opened::Unfinished(Self { id: id.to_owned(), head, folder, file }))
    }
}

impl JournalHead {
    /// The first line of a journal, if it is whole and says a date.
    fn parse(lines: &[u8]) -> Option<Self> {
        let end = lines.iter().position(|byte| *byte == b'\n')?;
        let head: Self = serde_json::from_slice(&lines[..end]).ok()?;
        humantime::parse_rfc3339(&head.at).ok()?;
        let is_plain = |text: &str| one_line(text) == text;
        let mut names = head.servers.iter().map(|server| &server.name);
        (is_plain(&head.operation) && names.all(|name| is_plain(name))).then_some(head)
    }
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create_new(true).mode(FILE_MODE).open(path)
}

fn write_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    file.write_all(&text)?;
    file.sync_data()
}
