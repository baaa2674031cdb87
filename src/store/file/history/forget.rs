//! Forgetting the oldest texts.

use std::ffi::OsString;
use std::fs;

use super::super::history_journal::HistoryJournal;
use super::super::state_dir::StateDir;
use super::super::target::ConfFile;
use super::archive::KEPT;
use super::keep::Keep;
use super::stray_writes::record_stray_writes;
use super::{archive, delta};
use crate::store::warning::Warning;

/// Removes all but the newest texts: those behind them, back to one that is missing. Once in as many
/// changes as texts are kept, the folder is listed for others that stayed behind, and the journal is
/// shortened; so a change costs the same however many are kept.
pub(super) fn forget_the_oldest(conf: &ConfFile, journal: &mut HistoryJournal, keep: Keep) -> Vec<Warning> {
    let newest = journal.last_serial();
    let oldest = newest.saturating_sub(keep.texts);
    let mut warnings = Vec::new();
    if keep.is_new() || newest.is_multiple_of(keep.texts) {
        for serial in kept_up_to(&journal.folder, oldest) {
            forget(conf, journal, serial, &mut warnings);
        }
        archive::remove_unused(&journal.folder);
        // Texts that are gone already are not listed again where more are kept from now on.
        let gone = if keep.is_new() { newest.saturating_sub(keep.before + 1) } else { 0 };
        // If this fails, the journal is longer than needed, which does no harm.
        let _ = journal.shorten(oldest.max(gone));
        if keep.is_new() {
            // If this fails, later writers keep the previous number of texts.
            let _ = keep.note(&journal.folder);
        }
    } else {
        let _ = (1..=oldest).rev().find(|&serial| !forget(conf, journal, serial, &mut warnings));
    }
    warnings
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
