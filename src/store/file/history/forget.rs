//! Forgetting the oldest texts.

use std::ffi::OsString;
use std::fs;
use std::io::Write;

use super::super::history_journal::HistoryJournal;
use super::super::state_dir::StateDir;
use super::super::target::ConfFile;
use super::archive::KEPT;
use super::stray_writes::record_stray_writes;
use super::{archive, delta};
use crate::store::change_record::DEFAULT_KEEP;
use crate::store::warning::Warning;

/// The file that holds how many texts are kept, if the user ever chose.
const KEEP: &str = "keep";

/// The number of texts that are kept from now on.
#[derive(Clone, Copy)]
pub(super) struct Keep {
    texts: u64,
    /// True if the number was just chosen.
    is_new: bool,
}

/// Returns how many texts are kept from now on: `chosen`, else the number that was chosen last.
pub(super) fn kept_from_now_on(folder: &StateDir, chosen: Option<usize>) -> Keep {
    let before = fs::read_to_string(folder.path_of(KEEP)).ok().and_then(|text| text.trim().parse().ok());
    let keep = chosen.or(before).unwrap_or(DEFAULT_KEEP).max(1);
    let is_new = chosen.is_some() && before != Some(keep);
    if is_new {
        // If this fails, later writers keep the previous number of texts.
        let _ = folder
            .open(KEEP)
            .map(|mut file| file.set_len(0).and_then(|()| file.write_all(format!("{keep}\n").as_bytes())));
    }
    Keep { texts: keep as u64, is_new }
}

/// Removes all but the newest texts: those behind them, back to one that is missing. Once in as many
/// changes as texts are kept, the folder is listed for others that stayed behind, and the journal is
/// shortened; so a change costs the same however many are kept.
pub(super) fn forget_the_oldest(conf: &ConfFile, journal: &mut HistoryJournal, keep: Keep) -> Vec<Warning> {
    let newest = journal.last_serial();
    let oldest = newest.saturating_sub(keep.texts);
    let mut warnings = Vec::new();
    if keep.is_new || newest.is_multiple_of(keep.texts) {
        for serial in kept_up_to(&journal.folder, oldest) {
            forget(conf, journal, serial, &mut warnings);
        }
        archive::remove_unused(&journal.folder);
        // If this fails, the journal is longer than needed, which does no harm.
        let _ = journal.shorten(oldest);
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
