//! Texts that would be lost are kept, each with a line in a journal that says why.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::lock::Locked;
use super::revision::Revision;
use super::serving::ServeLock;
use super::state_dir::StateDir;

/// Name of the folder in the state folder.
const FOLDER: &str = "history";

/// Name of the journal in it: one JSON object a line.
const JOURNAL: &str = "journal";

/// How much of the end of the journal is looked at for the last line.
const LAST_LINE: u64 = 64 * 1024;

/// Why a text was kept.
#[derive(Debug, Clone)]
pub struct Record<'a> {
    /// What was done: `modify`, `save`, `hand-edit`, `unsaved`, …
    pub operation: &'a str,
    /// Who did it, or made it necessary.
    pub by: &'a str,
    /// Why, in their words.
    pub message: Option<&'a str>,
    /// The revision that took the place of the text.
    pub after: Option<Revision>,
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    serial: u64,
    /// Seconds since 1970.
    at: u64,
    operation: String,
    by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The revision of the text that is kept as `SERIAL.conf`.
    before: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<String>,
}

impl Locked<'_> {
    /// Keeps a text before it is overwritten, durably; its serial number.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn keep(&self, text: &[u8], record: &Record<'_>) -> Result<u64, StoreError> {
        keep(&self.state, text, record)
    }
}

impl ServeLock {
    /// Keeps a text that was never in the file, durably; its serial number.
    ///
    /// # Errors
    /// `StateFolder`.
    pub fn keep(&self, text: &[u8], record: &Record<'_>) -> Result<u64, StoreError> {
        keep(&self.state, text, record)
    }
}

fn keep(state: &StateDir, text: &[u8], record: &Record<'_>) -> Result<u64, StoreError> {
    let folder = state.folder_in(FOLDER)?;
    let path = folder.path_of(JOURNAL);
    let failed = || StoreError::state_folder(&path);
    let mut journal = folder.open(JOURNAL)?;
    let serial = last_serial(&mut journal).map_err(failed())? + 1;
    let name = format!("{serial}.conf");
    let mut kept = folder.open(&name)?;
    kept.set_len(0).and_then(|()| kept.write_all(text)).and_then(|()| kept.sync_all()).map_err(failed())?;
    let line = Line {
        serial,
        at: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        operation: record.operation.to_owned(),
        by: record.by.to_owned(),
        message: record.message.map(str::to_owned),
        before: Revision::of(text).to_string(),
        after: record.after.map(|revision| revision.to_string()),
    };
    append(&mut journal, &line).and_then(|()| folder.sync()).map_err(failed())?;
    Ok(serial)
}

/// One line; one that a crash cut short before it is ended first, so that only itself is lost.
fn append(journal: &mut File, line: &Line) -> io::Result<()> {
    let end = journal.seek(SeekFrom::End(0))?;
    let mut text = Vec::new();
    if end > 0 {
        journal.seek(SeekFrom::Start(end - 1))?;
        let mut last = [0];
        journal.read_exact(&mut last)?;
        text.extend((last != *b"\n").then_some(b'\n'));
    }
    serde_json::to_writer(&mut text, line)?;
    text.push(b'\n');
    journal.write_all(&text)?;
    journal.sync_all()
}

fn last_serial(journal: &mut File) -> io::Result<u64> {
    let end = journal.seek(SeekFrom::End(0))?;
    journal.seek(SeekFrom::Start(end.saturating_sub(LAST_LINE)))?;
    let mut text = Vec::new();
    journal.read_to_end(&mut text)?;
    let lines = text.rsplit(|&byte| byte == b'\n');
    Ok(lines
        .filter_map(|line| serde_json::from_slice::<Line>(line).ok())
        .map(|line| line.serial)
        .next()
        .unwrap_or(0))
}
