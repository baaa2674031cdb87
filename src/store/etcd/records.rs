//! The records of changes, and the form of texts.

use std::time::SystemTime;

use bytes::Bytes;
use flate2::Compression;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::clock::{as_rfc3339, fresh_id, from_milliseconds};
use crate::store::{ChangedPaths, DEFAULT_KEEP, HistoryEntry, Revision, gunzip, gzip};

/// The form of the records that this version writes.
const FORMAT: u64 = 3;

/// From this the serial of a text is taken away in its key, so that the newest text comes first: etcd reads
/// the first key of a range at the cost of one, but the last key at the cost of all.
pub const LAST_SERIAL: u64 = 9_999_999_999;

/// The least number of records in the history: a writer finds its own after a broken connection.
pub const MIN_RECORDS: u64 = 20;

/// The operation of a change that begins a new epoch.
const ADOPT: &str = "adopt";

/// The compression of texts: `etcdctl get --print-value-only … | gunzip` shows one.
const GZIP: &str = "gzip";

/// The largest chunk. etcd refuses requests of more than 1.5 MiB.
pub const CHUNK: usize = 960 * 1024;

/// The largest text, in bytes.
pub const LARGEST_TEXT: u64 = 64 << 20;

/// More than gzip adds to a text in which nothing can be compressed, in bytes.
const SPARE: usize = 1 << 20;

/// The last change, and which text is the configuration; also the record of each change in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadRecord {
    /// The form of the record; `FORMAT` is the one that is written.
    pub format: u64,
    /// The version of mediactl that wrote it, for a reader that does not know the format.
    #[serde(default)]
    pub version: String,
    /// Made with the cluster at random: the changes of one epoch have one order.
    pub epoch: String,
    /// The epochs that this one continues, whatever their last changes were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adopts: Vec<String>,
    /// Grows by one with each change.
    pub serial: u64,
    /// No other change has it, so it tells who was first where two wrote the same serial.
    pub id: String,
    /// The configuration; none after the first text was taken back.
    pub text: Option<TextRef>,
    /// The revision of the text before.
    pub before: Option<Revision>,
    /// The login with which etcd let the writer in; none without logins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Who the writer says that it is.
    #[serde(default)]
    pub says: String,
    #[serde(with = "as_rfc3339")]
    pub at: SystemTime,
    /// `modify`, `save`, …
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The id of the change. An automatic rollback has the id of the change that it rolls back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The id of the change that it undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// The number of texts that the history keeps.
    pub keep: usize,
    /// While the change may still be rolled back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<Unconfirmed>,
    /// The paths that the change changed, if its writer compared the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<ChangedPaths>,
}

/// A text in etcd: one state of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRef {
    /// The change that put it there.
    pub serial: u64,
    /// No other text has it.
    pub id: String,
    pub revision: Revision,
    /// The name of its compression.
    pub codec: String,
    /// Its length, not compressed.
    pub size: u64,
    /// In how many chunks it is.
    pub chunks: usize,
    /// Its SHA-256 hash in hexadecimal digits: unlike the revision, nobody can find another text that has it.
    pub sha256: String,
}

/// The data that roll a change back that was not confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unconfirmed {
    /// The name by which it is confirmed.
    pub id: String,
    /// The time at which it is rolled back, in milliseconds since 1970.
    pub deadline: u64,
    /// The time in seconds for which a node runs the change, from when it saw it first, unless it is confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_s: Option<u64>,
    /// The nodes that take the change first, while the others wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub canary: Vec<String>,
    /// The time in seconds for which the nodes that take it first have to run it without a break.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soak_s: Option<u64>,
    /// The state before, if there was one.
    pub back: Option<TextRef>,
}

impl Unconfirmed {
    /// Returns the time at which it is rolled back.
    pub fn until(&self) -> SystemTime {
        from_milliseconds(self.deadline)
    }

    /// True if a node takes the change first, while the others wait.
    pub fn goes_first_on(&self, node: &str) -> bool {
        self.canary.iter().any(|first| first == node)
    }
}

impl HeadRecord {
    /// Reads a record.
    ///
    /// # Errors
    /// The words why it can't be read, behind its name: it is no JSON, a member is missing, or it has another format.
    pub fn parse(value: &[u8]) -> Result<Self, String> {
        let damaged = |error| format!("can't be read: {error}");
        let head: Value = serde_json::from_slice(value).map_err(damaged)?;
        let format = head.get("format").map_or(Some(1), Value::as_u64);
        if let Some(format) = format.filter(|format| head.is_object() && *format != FORMAT) {
            let version = head["version"].as_str().unwrap_or("unknown");
            return Err(format!(
                "can't be read: it has the format {format} of another version of mediactl ({version})"
            ));
        }
        let record = Self::deserialize(head).map_err(damaged)?;
        // No change can be counted with larger numbers, and no time be measured.
        let times = record.unconfirmed.iter().flat_map(|change| [change.ttl_s, change.soak_s]).flatten();
        let is_late = |serial| serial >= LAST_SERIAL;
        let is_too_large = is_late(record.serial)
            || record.texts().any(|text| is_late(text.serial))
            || times.into_iter().any(|time| u32::try_from(time).is_err());
        if is_too_large { Err("can't be read: a number is too large".to_owned()) } else { Ok(record) }
    }

    /// The texts that the record needs.
    fn texts(&self) -> impl Iterator<Item = &TextRef> {
        self.text.iter().chain(self.unconfirmed.iter().filter_map(|change| change.back.as_ref()))
    }

    /// The oldest serial whose text the record needs.
    pub fn oldest_text(&self) -> u64 {
        self.texts().fold(self.serial, |oldest, text| oldest.min(text.serial))
    }

    /// The record of the change that follows the `last` one, without its text.
    pub fn following(last: Option<&Self>, operation: &str, says: &str) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            epoch: last.map_or_else(fresh_id, |last| last.epoch.clone()),
            adopts: last.map(|last| last.adopts.clone()).unwrap_or_default(),
            serial: last.map_or(0, |last| last.serial) + 1,
            id: fresh_id(),
            text: None,
            before: last.and_then(|last| last.text.as_ref()).map(|text| text.revision),
            by: None,
            says: says.to_owned(),
            at: SystemTime::now(),
            operation: operation.to_owned(),
            message: None,
            change: None,
            undoes: None,
            keep: last.map_or(DEFAULT_KEEP, |last| last.keep),
            unconfirmed: None,
            paths: None,
        }
    }

    /// The record that begins a new epoch, which continues this one and the epochs of what nodes run.
    pub fn adopted(&self, run: &[&str], by: &str) -> Self {
        let mut adopts = self.adopts.clone();
        for epoch in std::iter::once(&*self.epoch).chain(run.iter().copied()) {
            if !adopts.iter().any(|known| known == epoch) {
                adopts.push(epoch.to_owned());
            }
        }
        Self { epoch: fresh_id(), adopts, text: self.text.clone(), ..Self::following(Some(self), ADOPT, by) }
    }

    /// The record that makes the text before the change the configuration again; `None` if the change is confirmed.
    pub fn taken_back(&self, operation: &str, by: &str, why: &str) -> Option<Self> {
        let change = self.unconfirmed.as_ref()?;
        Some(Self {
            text: change.back.clone(),
            message: Some(why.to_owned()),
            change: self.change.clone(),
            paths: self.paths.clone(),
            ..Self::following(Some(self), operation, by)
        })
    }

    /// The record without the possibility to roll back.
    pub fn confirmed(&self) -> Self {
        Self { unconfirmed: None, ..self.clone() }
    }

    /// The record with the nodes of the first of these waves that not all take yet; `None` after the last one.
    pub fn with_next(&self, waves: &[Vec<String>]) -> Option<Self> {
        let change = self.unconfirmed.as_ref().filter(|change| !change.canary.is_empty())?;
        let more = |wave: &Vec<String>| {
            let more: Vec<String> = wave.iter().filter(|node| !change.goes_first_on(node)).cloned().collect();
            (!more.is_empty()).then_some(more)
        };
        let canary = [change.canary.clone(), waves.iter().find_map(more)?].concat();
        Some(Self { unconfirmed: Some(Unconfirmed { canary, ..change.clone() }), ..self.clone() })
    }

    /// The author of the change: the login, and the name that the writer gives if it is another: `ops (says anna)`.
    pub fn author(&self) -> String {
        match &self.by {
            Some(login) if self.says.split(' ').next() == Some(login) => self.says.clone(),
            Some(login) if self.says.is_empty() => login.clone(),
            Some(login) => format!("{login} (says {})", self.says),
            None => self.says.clone(),
        }
    }

    /// The record as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("it has only strings and numbers")
    }

    /// The entry of the history.
    pub fn entry(self) -> HistoryEntry {
        let by = Some(self.author()).filter(|by| !by.is_empty());
        HistoryEntry {
            at: self.at,
            by,
            message: self.message,
            id: self.change,
            undoes: self.undoes,
            before: self.before,
            after: self.text.map(|text| text.revision),
            paths: self.paths,
            ..HistoryEntry::new(self.serial, &self.operation)
        }
    }
}

impl TextRef {
    /// Compresses a text, which the change with this serial puts; `None` if it is too large.
    pub fn pack(text: &[u8], serial: u64) -> Option<(Self, Vec<u8>)> {
        let size = text.len() as u64;
        if size > LARGEST_TEXT {
            return None;
        }
        let packed = gzip(text, Compression::default());
        let packed_text = Self {
            serial,
            id: fresh_id(),
            revision: Revision::from_text(text),
            codec: GZIP.to_owned(),
            size,
            chunks: packed.chunks(CHUNK).count(),
            sha256: sha256(text),
        };
        Some((packed_text, packed))
    }

    /// More than the text takes when it is compressed; `None` if the record says what no text can be.
    pub fn most_packed(&self) -> Option<usize> {
        let most = usize::try_from(self.size).ok().filter(|_| self.size <= LARGEST_TEXT)? + SPARE;
        (self.chunks <= most.div_ceil(CHUNK)).then_some(most)
    }

    /// Undoes [`TextRef::pack`]; `None` if that is not this text.
    pub fn unpack(&self, packed: &[u8]) -> Option<Bytes> {
        self.most_packed().filter(|_| self.codec == GZIP)?;
        // One byte more shows that there is more; without a limit, a small value could fill the memory.
        let text = gunzip(packed, self.size + 1)?;
        let is_it = text.len() as u64 == self.size
            && Revision::from_text(&text) == self.revision
            && sha256(&text) == self.sha256;
        is_it.then(|| text.into())
    }
}

/// Returns the SHA-256 hash of a text in hexadecimal digits.
fn sha256(text: &[u8]) -> String {
    digest(&SHA256, text).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl TextRef {
        /// An empty text.
        pub fn example(serial: u64, id: &str) -> Self {
            let (text, _) = Self::pack(&[], serial).expect("it is small");
            Self { id: id.to_owned(), ..text }
        }
    }

    impl HeadRecord {
        /// The record of a change without a text.
        pub fn example(epoch: &str, serial: u64, id: &str) -> Self {
            let (epoch, id) = (epoch.to_owned(), id.to_owned());
            Self { epoch, serial, id, ..Self::following(None, "modify", "") }
        }
    }

    #[test]
    fn another_format_is_told() {
        for (text, expected) in [
            (
                r#"{"serial":1}"#,
                "can't be read: it has the format 1 of another version of mediactl (unknown)",
            ),
            (
                r#"{"format":4,"version":"0.9"}"#,
                "can't be read: it has the format 4 of another version of mediactl (0.9)",
            ),
            (r#"{"format":3}"#, "can't be read: missing field"),
            ("[]", "can't be read: "),
            ("x", "can't be read: expected value"),
        ] {
            let error = HeadRecord::parse(text.as_bytes()).expect_err(text);
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn a_text_comes_back_or_none() {
        for size in [0, 1, CHUNK, 3 * CHUNK] {
            let bytes: Vec<u8> = (0..size).map(|at| (at * 7 + at / 251) as u8).collect();
            let (text, packed) = TextRef::pack(&bytes, 1).expect("it is small");
            assert_eq!(text.unpack(&packed), Some(bytes.into()));
            assert_eq!(TextRef { size: text.size + 1, ..text.clone() }.unpack(&packed), None);
            assert_eq!(TextRef { codec: "lzw".to_owned(), ..text.clone() }.unpack(&packed), None);
            // Somebody found another text that has the revision.
            assert_eq!(TextRef { sha256: String::new(), ..text.clone() }.unpack(&packed), None);
            assert_eq!(text.unpack(&packed[..packed.len() - 1]), None);
        }
    }

    #[test]
    fn a_text_beyond_the_limit_is_neither_packed_nor_unpacked() {
        let largest = vec![0; LARGEST_TEXT as usize];
        let (text, packed) = TextRef::pack(&largest, 1).expect("it is the largest");
        let larger = [&largest[..], b" "].concat();
        assert!(packed.len() < CHUNK && TextRef::pack(&larger, 1).is_none());
        assert!(text.unpack(&packed).is_some());
        let bomb = gzip(&larger, Compression::fast());
        for size in [LARGEST_TEXT, LARGEST_TEXT + 1, u64::MAX] {
            assert!(TextRef { size, ..text.clone() }.unpack(&bomb).is_none(), "{size}");
        }
    }
}
