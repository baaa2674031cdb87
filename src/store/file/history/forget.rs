//! Forgetting the oldest texts.

use std::ffi::OsString;
use std::fs;
use std::io::Write;

use super::super::history_journal::HistoryJournal;
use super::super::state_dir::StateDir;
use super::super::target::ConfFile;
use super::archive::KEPT;
use super::stray_writes::record_stray_writes;
use super::{archive, delta, failed};
use crate::store::change_record::DEFAULT_KEEP;
use crate::store::error::StoreError;
use crate::store::warning::Warning;

/// The file that holds how many texts are kept, if the user ever chose.
const KEEP: &str = "keep";

/// The number of texts that are kept from now on.
#[derive(Clone, Copy)]
pub(super) struct Keep {
    texts: u64,
    /// The number until now.
    before: u64,
}

/// Returns how many texts are kept from now on: `chosen`, else as many as before.
pub(super) fn kept_from_now_on(folder: &StateDir, chosen: Option<usize>) -> Keep {
    let before = number_kept(folder);
    Keep { texts: chosen.map_or(before, |chosen| chosen.max(1) as u64), before }
}

/// The number of texts that are kept: what the user chose last.
pub(super) fn number_kept(folder: &StateDir) -> u64 {
    let chosen = fs::read_to_string(folder.path_of(KEEP)).ok().and_then(|text| text.trim().parse().ok());
    chosen.unwrap_or(DEFAULT_KEEP as u64).max(1)
}

/// Removes all but the newest texts: those behind them, back to one that is missing. Once in as many
/// changes as texts are kept, the folder is listed for others that stayed behind, and the journal is
/// shortened; so a change costs the same however many are kept.
pub(super) fn forget_the_oldest(conf: &ConfFile, journal: &mut HistoryJournal, keep: Keep) -> Vec<Warning> {
    let newest = journal.last_serial();
    let oldest = newest.saturating_sub(keep.texts);
    let mut warnings = Vec::new();
    let is_new = keep.texts != keep.before;
    if is_new || newest.is_multiple_of(keep.texts) {
        for serial in kept_up_to(&journal.folder, oldest) {
            forget(conf, journal, serial, &mut warnings);
        }
        archive::remove_unused(&journal.folder);
        // Texts that are gone already are not listed again where more are kept from now on.
        let gone = if is_new { newest.saturating_sub(keep.before + 1) } else { 0 };
        // If this fails, the journal is longer than needed, which does no harm.
        let _ = journal.shorten(oldest.max(gone));
        if is_new {
            // If this fails, later writers keep the previous number of texts.
            let _ = note(&journal.folder, keep.texts);
        }
    } else {
        let _ = (1..=oldest).rev().find(|&serial| !forget(conf, journal, serial, &mut warnings));
    }
    warnings
}

fn note(folder: &StateDir, kept: u64) -> Result<(), StoreError> {
    let mut file = folder.open(KEEP)?;
    let written = file.set_len(0).and_then(|()| file.write_all(format!("{kept}\n").as_bytes()));
    written.map_err(failed(folder))
}

/// The numbers of the texts up to `oldest` that are in the folder.
fn kept_up_to(folder: &StateDir, oldest: u64) -> Vec<u64> {
    let names = fs::read_dir(folder.path()).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let serial = |name: OsString| name.to_str()?.strip_suffix(KEPT)?.parse().ok();
    names.filter_map(serial).filter(|&serial| serial <= oldest).collect()
}

/// Removes a kept text. If a program that still has it open wrote into it, that is found now at the latest.
/// Returns false if there is no such text, or it cannot be removed.
fn forget(conf: &ConfFile, journal: &mut HistoryJournal, serial: u64, warnings: &mut Vec<Warning>) -> bool {
    let line = journal.line(serial);
    match line.map_or(Ok(None), |line| record_stray_writes(conf, journal, &line)) {
        Ok(found) => warnings.extend(found),
        Err(_) => return false,
    }
    delta::remove(&journal.folder, serial);
    archive::remove_text(&journal.folder, serial)
}
