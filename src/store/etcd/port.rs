//! etcd as the engine sees it: the port of [`crate::store`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::commit::ClusterWriter;
use super::messages::{KeyRange, KeyValue};
use super::nodes::{MemberRecord, verdict};
use super::read::{ClusterStore, NOT_CONFIRMED, Seen};
use super::records::{HeadRecord, TextRef};
use crate::error::{Error, ErrorKind};
use crate::store::error::LockHolder;
use crate::store::pending::{CanaryStep, CanaryWish, PendingInfo, PendingRecord};
use crate::store::pending::{NodeRecord, NodeState};
use crate::store::record::HistoryEntry;
use crate::store::{Follow, IncludeError, IncludedText, Loaded, RunBy, Store, Writer};

/// About how many bytes of records one request for the history reads. etcd's gateway answers with 4 MiB at most, of which
/// base64 takes a part.
const PAGE: usize = 1024 * 1024;

/// The number of records that the first request reads, and the most that one reads.
const FIRST_PAGE: u64 = 20;
const LONGEST_PAGE: u64 = 1000;

impl Store for ClusterStore {
    fn name(&self) -> String {
        self.url_text()
    }

    fn path(&self) -> &Path {
        &self.given_path
    }

    fn load(&self) -> Result<Loaded, Error> {
        self.read_text()
    }

    /// The included files are on the nodes.
    fn included(&self, _pattern: &str, _follow: Follow) -> Result<Vec<IncludedText>, IncludeError> {
        Ok(Vec::new())
    }

    fn history(&self, wanted: usize) -> Result<Vec<HistoryEntry>, Error> {
        let seen = self.seen()?;
        let last = seen.head.as_ref().map_or(0, |head| head.serial);
        let mut entries = Vec::new();
        // The next change begins with it, whoever makes that.
        if let Some(head) = seen.head.as_ref().filter(|_| seen.has_run_out())
            && let (Some(change), Some(back)) = (&head.unconfirmed, head.taken_back("", NOT_CONFIRMED))
        {
            // The lease may have ended before that: with whoever kept it alive.
            let at = change.until().min(SystemTime::now());
            entries.push(HeadRecord { at, ..back }.entry(1));
        }
        let (mut end, mut size) = (last + 1, FIRST_PAGE);
        let (mut number, mut next) = (entries.len() + 1, end);
        while end > 1 && entries.len() < wanted {
            let left = u64::try_from(wanted - entries.len()).unwrap_or(u64::MAX);
            let first = end.saturating_sub(size.min(left)).max(1);
            let range = KeyRange::between(&self.keys().change(first), &self.keys().change(end));
            let found = self.gateway().range(range)?;
            // The serials have no gaps, so behind those that are there are none.
            if found.is_empty() {
                break;
            }
            for found in found.iter().rev() {
                let serial = self.keys().serial_of(&found.key);
                // A key that is gone in the middle of others is a row, too.
                let lacking = serial.map_or(0..0, |serial| serial + 1..next);
                for serial in lacking.rev() {
                    let why = format!("there is no `{}`", self.keys().change(serial));
                    entries.push(HistoryEntry::unreadable((Some(number), serial), why));
                    number += 1;
                }
                entries.push(entry(found, serial, number, &seen));
                if let Some(serial) = serial {
                    (number, next) = (number + 1, serial);
                }
            }
            let bytes: usize = found.iter().map(|found| found.value.len()).sum();
            size = (PAGE / (bytes / found.len()).max(1)) as u64;
            (end, size) = (first, size.clamp(1, LONGEST_PAGE));
        }
        entries.truncate(wanted);
        Ok(entries)
    }

    fn has_change(&self, serial: u64) -> Result<bool, Error> {
        Ok(self.change(serial)?.is_some())
    }

    fn kept(&self, serial: u64) -> Result<Option<Vec<u8>>, Error> {
        let before = serial.checked_sub(1).map(|serial| self.change(serial)).transpose()?.flatten();
        let text = before.and_then(|change| change.text);
        Ok(text.map(|text| self.text_of(&text)).transpose()?.flatten().map(Vec::from))
    }

    fn has_pending(&self) -> bool {
        self.seen().is_ok_and(|seen| seen.has_pending)
    }

    fn pending(&self) -> Result<Option<PendingRecord>, Error> {
        let seen = self.seen()?;
        let (Some(info), Some(head)) = (seen.open().filter(|open| !open.is_over), seen.head) else {
            return Ok(None);
        };
        let text = |text: Option<TextRef>| text.map_or(Ok(None), |text| self.text_of(&text));
        let (file, written) = (text(head.unconfirmed.and_then(|change| change.back))?, text(head.text)?);
        Ok(Some(PendingRecord { info, running: file.clone().unwrap_or_default(), file, written }))
    }

    fn open_change(&self) -> Result<Option<PendingInfo>, Error> {
        Ok(self.seen()?.open())
    }

    fn run_by(&self) -> RunBy {
        RunBy::Nodes
    }

    fn canaries(&self, id: &str, wish: &CanaryWish) -> Result<CanaryStep, Error> {
        let seen = self.seen_with(vec![KeyRange::below(&self.keys().node(""))])?;
        let is_it = |head: &&HeadRecord| head.unconfirmed.as_ref().is_some_and(|change| change.id == id);
        let Some(head) = seen.head.as_ref().filter(is_it).filter(|_| seen.has_pending) else {
            return Ok(CanaryStep::Decided);
        };
        let go_back = |why: &str| {
            let back = head.taken_back("", why).ok_or_else(|| self.overtaken())?;
            self.put_back(&seen, back, None)
        };
        let decided = match (verdict(head, &seen.others.concat(), self.keys()), wish) {
            (_, CanaryWish::GoBack(why)) => go_back(why),
            (Err(why), _) => go_back(&why),
            (Ok((_, whys)), _) if !whys.is_empty() => return Ok(CanaryStep::Waits(whys)),
            (Ok(_), CanaryWish::Look) => return Ok(CanaryStep::Ready),
            (Ok((conditions, _)), CanaryWish::Confirm) => self.confirm(&seen, conditions),
        };
        match decided {
            Ok(()) => Ok(CanaryStep::Decided),
            // What another one decided meanwhile is looked at again.
            Err(error) if error.kind == ErrorKind::Overtaken => Ok(CanaryStep::Waits(Vec::new())),
            Err(error) => Err(error),
        }
    }

    fn nodes(&self) -> Result<Option<Vec<NodeRecord>>, Error> {
        let prefixes = [self.keys().node(""), self.keys().member("")];
        let seen = self.seen_with(prefixes.iter().map(|prefix| KeyRange::below(prefix)).collect())?;
        let forms = [|value: &[u8]| serde_json::from_slice(value).ok(), gone];
        let mut rows = BTreeMap::new();
        for ((found, prefix), parse) in seen.others.iter().zip(&prefixes).zip(forms) {
            for KeyValue { key, value, .. } in found {
                let key = String::from_utf8_lossy(key);
                let unreadable = || NodeRecord {
                    why: Some(format!("`{key}` can't be read")),
                    ..NodeRecord::absent(NodeState::Gone)
                };
                let node = key.trim_start_matches(prefix).to_owned();
                let row = || NodeRecord { node: node.clone(), ..parse(value).unwrap_or_else(unreadable) };
                rows.entry(node.clone()).or_insert_with(row);
            }
        }
        Ok(Some(rows.into_values().collect()))
    }

    /// Takes no lock: a change compares what it was computed on with what is there.
    fn writer(
        &self,
        wait: Duration,
        _on_wait: &mut dyn FnMut(&LockHolder),
    ) -> Result<Box<dyn Writer + '_>, Error> {
        let begin = Instant::now();
        let mut warnings = Vec::new();
        loop {
            let look = self.look()?;
            if !look.has_run_out() {
                let (look, pending, made) =
                    (RefCell::new(Some(look)), RefCell::default(), RefCell::default());
                return Ok(Box::new(ClusterWriter { store: self, warnings, look, pending, made }));
            }
            match self.take_back(&look) {
                Ok(()) => {
                    let serial = look.head.as_ref().map_or(0, |head| head.serial);
                    warnings
                        .push(format!("change {serial} was not confirmed in time; it was rolled back first"));
                }
                // Another one was faster.
                Err(error) if error.kind == ErrorKind::Overtaken && begin.elapsed() < wait => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The entry of a record in the history; one that can't be read is a row that names its key.
fn entry(found: &KeyValue, serial: Option<u64>, number: usize, seen: &Seen) -> HistoryEntry {
    let why = match (HeadRecord::parse(&found.value), &seen.head) {
        (Ok(record), _) if Some(record.serial) == serial => return record.entry(number),
        // The last change stands twice.
        (_, Some(head)) if Some(head.serial) == serial => return head.clone().entry(number),
        (Ok(_), _) => "it is that of another change".to_owned(),
        (Err(error), _) => error.to_string(),
    };
    let why = format!("`{}` can't be read: {why}", String::from_utf8_lossy(&found.key));
    HistoryEntry::unreadable((serial.map(|_| number), serial.unwrap_or_default()), why)
}

/// The row of a node of which only the record that stays is there.
fn gone(record: &[u8]) -> Option<NodeRecord> {
    let MemberRecord { heard, version, serial, .. } = serde_json::from_slice(record).ok()?;
    let why = Some(format!("last heard of at {heard}, or up to ten minutes later"));
    Some(NodeRecord { serial, version, why, since: heard, ..NodeRecord::absent(NodeState::Gone) })
}
