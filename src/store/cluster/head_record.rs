//! The records of changes.

use std::time::SystemTime;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::store::bounded_time::from_milliseconds;
use crate::store::chance::fresh_id;
use crate::store::change_record::{ChangedPaths, HistoryEntry, REVERT, rfc3339};
use crate::store::error::FormerPart;
use crate::store::revision::Revision;

/// The form of the records that this version writes.
pub const FORMAT: u64 = 3;

/// The form of mediactl 0.1, which is read as long as the record has nothing that this version does not know.
const FORMER: u64 = 2;

/// This version, which a writer notes: a later format says with it which version reads it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// From this the serial of a text is taken away in its key, so that the newest text comes first: etcd reads
/// the first key of a range at the cost of one, but the last key at the cost of all.
pub const LAST_SERIAL: u64 = 9_999_999_999;

/// The operation of a change that begins a new epoch.
pub const ADOPT: &str = "adopt";

/// The last change, and which text is the configuration; also the record of each change in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadRecord {
    /// The form of the record; `FORMAT` is the one that is written.
    pub format: u64,
    /// The version of mediactl that wrote it; none in format 2.
    #[serde(default, skip_serializing_if = "String::is_empty")]
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
    #[serde(with = "rfc3339")]
    pub at: SystemTime,
    /// `modify`, `save`, …
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The id of the change; of one that goes back by itself, that of the change that it rolls back.
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
    /// What a later version has put there.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The reason why a record can't be read.
#[derive(Debug, Error)]
pub enum UnreadableRecord {
    /// It is of another version of mediactl, which it may name.
    #[error("it has format {found}, and this version reads format {FORMAT}")]
    Format { found: u64, version: Option<String> },
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// A text in etcd: one state of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextRef {
    /// The change that put it there.
    pub serial: u64,
    /// The id of that change.
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
    /// True in format 2 if single nodes have other values.
    #[serde(default, rename = "overlays", deserialize_with = "is_there", skip_serializing)]
    pub has_overlays: bool,
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
    #[serde(default, alias = "canaries", skip_serializing_if = "Vec::is_empty")]
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
}

impl HeadRecord {
    /// Reads a record.
    ///
    /// # Errors
    /// It is no JSON, a member is missing, or it has another format. The first version wrote no format.
    pub fn parse(value: &[u8]) -> Result<Self, UnreadableRecord> {
        #[derive(Deserialize)]
        struct FormatOfHead {
            #[serde(default = "first_format")]
            format: u64,
            version: Option<String>,
        }
        // An empty list would be a record without a format.
        if !value.trim_ascii_start().starts_with(b"{") {
            return Ok(serde_json::from_slice(value)?);
        }
        match serde_json::from_slice(value)? {
            FormatOfHead { format: FORMER | FORMAT, .. } => {
                Ok(serde_json::from_slice::<Self>(value)?.bounded()?)
            }
            FormatOfHead { format: found, version } => Err(UnreadableRecord::Format { found, version }),
        }
    }

    /// What the record has of format 2 that this version does not know, and would lose.
    pub fn former(&self) -> Option<FormerPart> {
        let back = self.unconfirmed.as_ref().and_then(|change| change.back.as_ref());
        let has_overlays = self.text.iter().chain(back).any(|text| text.has_overlays);
        match () {
            () if self.format != FORMER => None,
            () if self.rest.contains_key("signature") => Some(FormerPart::Signature),
            () if has_overlays => Some(FormerPart::Overlays),
            () => None,
        }
    }

    /// Refuses numbers with which no change can be counted, and no time be measured.
    fn bounded(self) -> Result<Self, serde_json::Error> {
        let change = self.unconfirmed.as_ref();
        let texts = [self.text.as_ref(), change.and_then(|change| change.back.as_ref())];
        let serials = texts.into_iter().flatten().map(|text| text.serial).chain([self.serial]);
        let times = change.into_iter().flat_map(|change| [change.ttl_s, change.soak_s]).flatten();
        let is_bounded = serials.max().is_none_or(|serial| serial < LAST_SERIAL)
            && times.max().is_none_or(|seconds| u32::try_from(seconds).is_ok());
        if is_bounded { Ok(self) } else { Err(serde_json::Error::custom("a number is too large")) }
    }

    /// The record that begins a new epoch, which continues this one and the epochs of what nodes run.
    #[must_use]
    pub fn adopted(&self, run: &[&str], by: &str) -> Self {
        let mut adopts = self.adopts.clone();
        for epoch in std::iter::once(&*self.epoch).chain(run.iter().copied()) {
            if !adopts.iter().any(|known| known == epoch) {
                adopts.push(epoch.to_owned());
            }
        }
        Self {
            format: FORMAT,
            version: VERSION.to_owned(),
            epoch: fresh_id(),
            adopts,
            serial: self.serial + 1,
            id: fresh_id(),
            before: self.text.as_ref().map(|text| text.revision),
            by: None,
            says: by.to_owned(),
            at: SystemTime::now(),
            operation: ADOPT.to_owned(),
            message: None,
            change: None,
            undoes: None,
            paths: None,
            ..self.confirmed()
        }
    }

    /// Who made the change: the login, and who it says that it is where that is somebody else.
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

    /// The nodes that take the change first, while the others wait.
    pub fn canaries(&self) -> &[String] {
        self.unconfirmed.as_ref().map_or(&[], |change| &change.canary)
    }

    /// The record without the possibility to roll back.
    #[must_use]
    pub fn confirmed(&self) -> Self {
        Self { unconfirmed: None, ..self.clone() }
    }

    /// The record that takes the change back; `None` if it is confirmed.
    pub fn taken_back(&self, by: &str, why: &str) -> Option<Self> {
        let change = self.unconfirmed.as_ref()?;
        Some(self.back_at(change.back.clone(), REVERT, (by, why)))
    }

    /// The record that makes the state before the change the configuration again. It keeps the format: whoever could
    /// read the change can read that it was rolled back, also where a newer node did that by itself.
    #[must_use]
    pub fn back_at(&self, text: Option<TextRef>, operation: &str, (by, why): (&str, &str)) -> Self {
        let version = if self.format == FORMAT { VERSION } else { "" };
        Self {
            format: self.format,
            version: version.to_owned(),
            epoch: self.epoch.clone(),
            adopts: self.adopts.clone(),
            serial: self.serial + 1,
            id: fresh_id(),
            text,
            before: self.text.as_ref().map(|text| text.revision),
            by: None,
            says: by.to_owned(),
            at: SystemTime::now(),
            operation: operation.to_owned(),
            message: Some(why.to_owned()),
            change: self.change.clone(),
            undoes: None,
            keep: self.keep,
            unconfirmed: None,
            paths: self.paths.clone(),
            rest: Map::new(),
        }
    }

    /// The oldest serial whose text the head needs.
    pub fn oldest_text(&self) -> u64 {
        let back = self.unconfirmed.as_ref().and_then(|unconfirmed| unconfirmed.back.as_ref());
        [self.text.as_ref(), back]
            .into_iter()
            .flatten()
            .fold(self.serial, |oldest, text| oldest.min(text.serial))
    }

    /// The entry of the history; `number` counts back.
    pub fn entry(self, number: usize) -> HistoryEntry {
        let by = Some(self.author()).filter(|by| !by.is_empty());
        HistoryEntry {
            number: Some(number),
            serial: self.serial,
            at: self.at,
            operation: self.operation,
            by,
            message: self.message,
            id: self.change,
            undoes: self.undoes,
            before: self.before,
            after: self.text.as_ref().map(|text| text.revision),
            is_aside: false,
            paths: self.paths,
            from: None,
        }
    }
}

fn first_format() -> u64 {
    1
}

fn is_there<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(Option::<IgnoredAny>::deserialize(from)?.is_some())
}

#[cfg(test)]
impl TextRef {
    /// An empty text, for tests.
    pub fn example(serial: u64, id: &str) -> Self {
        let (revision, codec) = (Revision::from_text(b""), "gzip".to_owned());
        Self {
            serial,
            id: id.to_owned(),
            revision,
            codec,
            size: 0,
            chunks: 1,
            sha256: String::new(),
            has_overlays: false,
        }
    }
}

#[cfg(test)]
impl HeadRecord {
    /// The record of a change without a text, for tests.
    pub fn example(epoch: &str, serial: u64, id: &str) -> Self {
        let record = serde_json::json!({
            "format": FORMAT, "epoch": epoch, "serial": serial, "id": id, "says": "",
            "at": "2026-01-01T00:00:00Z", "operation": "modify", "keep": 100,
        });
        Self::parse(record.to_string().as_bytes()).expect("it is a record")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_is_rolled_back_keeps_its_format() {
        for (format, version) in [(FORMER, ""), (FORMAT, VERSION)] {
            let before = HeadRecord { format, ..HeadRecord::example("e", 7, "x") };
            let back = before.back_at(None, REVERT, ("", "why"));
            assert_eq!((back.format, &*back.version, back.serial), (format, version, 8));
            let read = HeadRecord::parse(&back.to_json()).expect("it is one");
            assert_eq!((read.format, &*read.version, read.serial), (format, version, 8));
        }
    }

    #[test]
    fn what_a_later_version_wrote_stays_and_another_format_is_told() {
        let later = HeadRecord {
            rest: serde_json::from_str(r#"{"a":{"b":[1.50,-7,null]},"z":123456789012345678901}"#)
                .expect("it is"),
            ..HeadRecord::example("e", 7, "x")
        };
        let read = HeadRecord::parse(&later.to_json()).expect("it is one");
        assert_eq!(read, later);
        let confirmed = String::from_utf8(read.confirmed().to_json()).expect("it is text");
        assert!(confirmed.contains(r#""a":{"b":[1.50,-7,null]},"z":123456789012345678901"#), "{confirmed}");
        for (text, expected) in [
            (r#"{"serial":1}"#, "it has format 1, and this version reads format 3"),
            (r#"{"format":4}"#, "it has format 4, and this version reads format 3"),
            (r#"{"format":2}"#, "missing field"),
            (r#"{"format":3}"#, "missing field"),
            ("x", "expected value"),
        ] {
            let error = HeadRecord::parse(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
