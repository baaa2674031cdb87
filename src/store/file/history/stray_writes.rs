//! Stray writes: a program that still has the old file open writes into the text that is kept.

use super::super::history_journal::{HistoryJournal, JournalLine};
use super::super::state_dir::StateDir;
use super::super::target::ConfFile;
use super::archive::{Batch, LOOKED_AT, kept_name, kept_text};
use super::{delta, failed, keep_copy};
use crate::store::change_record::HAND_EDIT;
use crate::store::error::StoreError;
use crate::store::revision::Revision;
use crate::store::warning::Warning;

/// The changes whose kept texts are looked at now: the newest, and those that are archived next. A text that is
/// forgotten before is looked at then.
pub(super) fn looked_at(journal: &HistoryJournal) -> Vec<JournalLine> {
    let last = journal.last_serial();
    let newest = journal.back_from(last).take_while(|line| line.serial + LOOKED_AT > last);
    newest.chain(Batch::due(journal, last + 1).map(|batch| batch.lines).unwrap_or_default()).collect()
}

/// Records a hand edit for text that a program wrote into the old file, which it had open when the file
/// was replaced.
pub(super) fn record_stray_writes(
    conf: &ConfFile,
    journal: &mut HistoryJournal,
    line: &JournalLine,
) -> Result<Option<Warning>, StoreError> {
    let (folder, serial) = (&journal.folder, line.serial);
    let (Some(written), Some(before), true) = (line.replaced, line.before, line.linked) else {
        return Ok(None);
    };
    let name = kept_name(serial);
    if folder.last_write(&name).is_none_or(|found| found.same_time_as(&written)) {
        return Ok(None);
    }
    let Some(text) = folder.read_kept(&name)? else { return Ok(None) };
    if Revision::from_text(&text) == before {
        return Ok(None);
    }
    let own = journal.last_serial() + 1;
    folder.rename(&name, &kept_name(own)).map_err(failed(folder))?;
    if let Some(original) = original(journal, line, &text) {
        keep_copy(folder, serial, &original)?;
        // Later writers see the old time, and do not compare the text again.
        let _ = folder.date(&name, written);
    }
    record_aside(conf, journal, serial, own).map(Some)
}

/// Returns the text that was kept with a change, of which another program made `text`; `None` where it is not known.
pub(super) fn original(journal: &HistoryJournal, line: &JournalLine, text: &[u8]) -> Option<Vec<u8>> {
    let before = line.before?;
    // Most programs append, so the original text is still at the start.
    let start = line.replaced.and_then(|written| text.get(..usize::try_from(written.size).ok()?));
    let start = start.filter(|start| Revision::from_text(start) == before).map(<[u8]>::to_vec);
    start.or_else(|| made_by_the_change_before(journal, line.serial, before))
}

/// Rebuilds the text with this revision from the delta of the change before.
fn made_by_the_change_before(journal: &HistoryJournal, serial: u64, revision: Revision) -> Option<Vec<u8>> {
    let change = journal.back_from(serial - 1).find(|line| !line.aside)?;
    delta::made_of(&journal.folder, change.serial, &kept_with(&journal.folder, &change), revision)
}

/// The text that is kept with a change; empty where there is none.
pub(super) fn kept_with(folder: &StateDir, change: &JournalLine) -> Vec<u8> {
    match change.before {
        Some(_) => kept_text(folder, change.serial).ok().flatten().unwrap_or_default(),
        None => Vec::new(),
    }
}

/// Records the kept text `own`, which was written while the change `serial` replaced the file.
fn record_aside(
    conf: &ConfFile,
    journal: &mut HistoryJournal,
    serial: u64,
    own: u64,
) -> Result<Warning, StoreError> {
    let folder = &journal.folder;
    let name = kept_name(own);
    let found = folder.last_write(&name);
    let line = JournalLine {
        serial: own,
        at: found.and_then(|found| found.modified.0.try_into().ok()).unwrap_or(0),
        operation: HAND_EDIT.to_owned(),
        message: Some(format!("written by another program while change #{serial} replaced the file")),
        before: folder.read_kept(&name)?.map(|text| Revision::from_text(&text)),
        after: journal.revision(),
        aside: true,
        replaced: found,
        linked: true,
        ..JournalLine::default()
    };
    journal.append(line).and_then(|()| journal.sync()).map_err(failed(&journal.folder))?;
    Ok(Warning::HandEditKept { path: conf.target().to_owned(), serial: own })
}
