//! Signed records: Ed25519 over all that a record says, so that nobody who can only write into etcd configures a node.
//!
//! The key in etcd is signed with the record, so no record passes for another one: the record of a change in the history
//! is that of the change without `unconfirmed`, and as `head` it would confirm it. The texts are signed by their SHA-256
//! hashes, which the record has.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rcgen::{KeyPair, PKCS_ED25519};
use ring::digest::{Context, SHA256};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};
use serde_json::json;
use thiserror::Error;

use super::head_record::HeadRecord;
use crate::store::error::reason;

/// The most bytes of a file with keys.
const MOST: u64 = 1024 * 1024;

/// The beginning of a public key of Ed25519 in DER (RFC 8410); the 32 bytes of the key follow.
const ED25519_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// Only its owner reads a key that signs; everybody may read one that is trusted.
const PRIVATE: u32 = 0o600;
const PUBLIC: u32 = 0o644;

/// The files with the keys of a writer or a node. They are read each time, so a new key needs no restart.
#[derive(Debug, Clone, Default)]
pub struct Signing {
    /// The private key that signs what is written.
    pub sign_key: Option<PathBuf>,
    /// The public keys, one behind the other, of which one has to have signed what is taken.
    pub trust_key: Option<PathBuf>,
}

/// A file with keys can't be used.
#[derive(Debug, Error)]
#[error("`{}` {why}", .path.display())]
pub struct BadKeyFile {
    path: PathBuf,
    why: String,
}

/// The reason why a record is not taken.
#[derive(Debug, Error)]
pub enum NotTrusted {
    #[error("it is not signed")]
    Unsigned,
    #[error("no key that is trusted has signed it as it is")]
    OtherKey,
    #[error(transparent)]
    Keys(#[from] BadKeyFile),
}

impl Signing {
    /// Reads the files once, so that a fault in them is found before anything is done.
    ///
    /// # Errors
    /// One of them can't be read, or has no key of Ed25519.
    pub fn check(&self) -> Result<(), BadKeyFile> {
        self.key().and(self.trusted()).map(drop)
    }

    /// True if what is read has to be signed.
    pub fn asks(&self) -> bool {
        self.trust_key.is_some() || self.sign_key.is_some()
    }

    /// Signs a record that goes to a key in etcd; without a key to sign with, it has no signature.
    ///
    /// # Errors
    /// The key can't be read.
    pub fn sign(&self, at: &str, record: HeadRecord) -> Result<HeadRecord, BadKeyFile> {
        let bytes = signed_bytes(at, &record);
        let signature = self.key()?.map(|key| BASE64_STANDARD.encode(key.sign(&bytes)));
        Ok(HeadRecord { signature, ..record })
    }

    /// Accepts a record at a key in etcd that a trusted key has signed as it is; where no keys are given, any.
    ///
    /// # Errors
    /// It is not signed by one of them, or they can't be read.
    pub fn accept(&self, at: &str, record: &HeadRecord) -> Result<(), NotTrusted> {
        let Some(trusted) = self.trusted()? else { return Ok(()) };
        let signature = record.signature.as_ref().ok_or(NotTrusted::Unsigned)?;
        let signature = BASE64_STANDARD.decode(signature).map_err(|_| NotTrusted::OtherKey)?;
        let bytes = signed_bytes(at, record);
        let has_signed =
            |key: &Vec<u8>| UnparsedPublicKey::new(&ED25519, key).verify(&bytes, &signature).is_ok();
        if trusted.iter().any(has_signed) { Ok(()) } else { Err(NotTrusted::OtherKey) }
    }

    /// Refuses a key to sign with that is not among those that are trusted.
    ///
    /// # Errors
    /// It is not, or the files can't be read.
    pub fn refuse_untrusted_key(&self) -> Result<(), NotTrusted> {
        let (Some(key), Some(trusted)) = (self.key()?, self.trusted()?) else { return Ok(()) };
        let is_trusted = trusted.iter().any(|trusted| trusted == key.public_key().as_ref());
        if is_trusted { Ok(()) } else { Err(NotTrusted::OtherKey) }
    }

    /// The key to sign with.
    fn key(&self) -> Result<Option<Ed25519KeyPair>, BadKeyFile> {
        let Some(path) = &self.sign_key else { return Ok(None) };
        let pem = read(path)?;
        let der = PrivatePkcs8KeyDer::from_pem_slice(&pem).ok();
        let key = der.and_then(|der| {
            // A key that another tool made may be without its public half.
            Ed25519KeyPair::from_pkcs8_maybe_unchecked(der.secret_pkcs8_der()).ok()
        });
        key.map(Some).ok_or_else(|| bad(path, "has no private key of Ed25519 (PKCS #8, PEM)"))
    }

    /// The keys that are trusted; where none are given, the one that signs here; `None` without that, too.
    fn trusted(&self) -> Result<Option<Vec<Vec<u8>>>, BadKeyFile> {
        let Some(path) = &self.trust_key else {
            return Ok(self.key()?.map(|key| vec![key.public_key().as_ref().to_vec()]));
        };
        let no_key = || bad(path, "has something else than public keys of Ed25519 (PEM)");
        let pem = read(path)?;
        let keys = SubjectPublicKeyInfoDer::pem_slice_iter(&pem).map(|der| {
            let der = der.ok();
            der.and_then(|der| der.strip_prefix(&ED25519_PREFIX).map(<[u8]>::to_vec)).ok_or_else(no_key)
        });
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() { Err(no_key()) } else { Ok(Some(keys)) }
    }
}

/// Makes a key: the file `private`, and the public half in `public`, neither of which may be there.
///
/// # Errors
/// The path that can't be made, and why; then neither is.
pub fn make_key(private: &Path, public: &Path) -> Result<(), (PathBuf, io::Error)> {
    let key = KeyPair::generate_for(&PKCS_ED25519)
        .map_err(|error| (private.to_owned(), io::Error::other(error)))?;
    make(private, PRIVATE, &key.serialize_pem())?;
    make(public, PUBLIC, &key.public_key_pem()).inspect_err(|_| drop(std::fs::remove_file(private)))
}

/// Makes a file that is not there; what can't be written whole is removed.
fn make(path: &Path, mode: u32, text: &str) -> Result<(), (PathBuf, io::Error)> {
    let failed = |error| (path.to_owned(), error);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path).map_err(failed)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.inspect_err(|_| drop(std::fs::remove_file(path))).map_err(failed)
}

/// Returns the SHA-256 hash of the text that `pieces` make, one after the other, in hexadecimal digits.
pub fn sha256<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Context::new(&SHA256);
    pieces.into_iter().for_each(|piece| hash.update(piece));
    hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes that are signed of a record at a key in etcd: all that it says, in an order that does not depend on the
/// version that wrote it.
fn signed_bytes(at: &str, record: &HeadRecord) -> Vec<u8> {
    let mut signed = json!([at, HeadRecord { signature: None, ..record.clone() }]);
    signed.sort_all_objects();
    signed.to_string().into_bytes()
}

fn read(path: &Path) -> Result<Vec<u8>, BadKeyFile> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| bad(path, format!("can't be read: {}", reason(&error))))
}

fn bad(path: &Path, why: impl Into<String>) -> BadKeyFile {
    BadKeyFile { path: path.to_owned(), why: why.into() }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use serde_json::Value;
    use tempfile::TempDir;

    use super::*;

    const HEAD: &str = "/p/head";

    /// A folder with the keys `NAME` and `NAME.pub`.
    fn keys<const N: usize>(names: [&str; N]) -> TempDir {
        let folder = TempDir::new().expect("a folder can be made");
        for name in names {
            let path = folder.path().join(name);
            make_key(&path, &path.with_extension("pub")).expect("it is not there");
        }
        folder
    }

    fn signing(folder: &TempDir, sign: Option<&str>, trust: Option<&str>) -> Signing {
        let path = |name: &str| folder.path().join(name);
        Signing { sign_key: sign.map(path), trust_key: trust.map(path) }
    }

    /// A record in which each member that can be there is there.
    fn whole_record() -> HeadRecord {
        let text = json!({
            "serial": 8, "id": "t", "revision": "0".repeat(32), "codec": "gzip", "size": 9, "chunks": 1,
            "sha256": sha256([b"a text".as_slice()]),
        });
        let record = json!({
            "format": 2, "epoch": "e", "adopts": ["d"], "serial": 8, "id": "x", "text": text, "before": null,
            "by": "olga", "says": "o", "at": "2026-01-01T00:00:00Z", "operation": "modify", "message": "m", "keep": 100,
            "unconfirmed": {"id": "u", "deadline": 1, "ttl_s": 60, "canaries": ["a"], "soak_s": 10, "back": text},
            "paths": {"first": ["rtsp"], "count": 1}, "later": {"z": 1.50, "a": [null]},
        });
        HeadRecord::parse(record.to_string().as_bytes()).expect("it is a record")
    }

    /// Each value of the JSON that is not a list or an object, by its pointer.
    fn leaves(value: &Value, pointer: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                members.iter().for_each(|(name, value)| leaves(value, &format!("{pointer}/{name}"), found));
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.for_each(|(number, item)| leaves(item, &format!("{pointer}/{number}"), found));
            }
            _ => found.push(pointer.to_owned()),
        }
    }

    #[test]
    fn a_record_is_accepted_as_it_was_signed_and_in_no_other_form() {
        let folder = keys(["a"]);
        let (writer, node) = (signing(&folder, Some("a"), None), signing(&folder, None, Some("a.pub")));
        let signed = writer.sign(HEAD, whole_record()).expect("the key is there");
        let stored = HeadRecord::parse(&signed.to_json()).expect("it is a record");
        assert_eq!(stored, signed);
        node.accept(HEAD, &stored).expect("it is signed");
        writer.accept(HEAD, &stored).expect("a writer trusts its own key");
        // The order of the members is that of whoever writes them.
        let json = serde_json::to_value(&signed).expect("it is JSON");
        let turned: serde_json::Map<String, Value> =
            json.as_object().expect("it is one").clone().into_iter().rev().collect();
        let turned = HeadRecord::parse(Value::Object(turned).to_string().as_bytes()).expect("it is a record");
        node.accept(HEAD, &turned).expect("it says the same");

        assert!(node.accept("/p/change/8", &stored).is_err() && node.accept("/q/head", &stored).is_err());
        let mut pointers = Vec::new();
        leaves(&json, "", &mut pointers);
        assert!(pointers.len() > 30, "{pointers:?}");
        for pointer in &pointers {
            let mut forged = json.clone();
            let value = forged.pointer_mut(pointer).expect("it is there");
            *value = match &*value {
                Value::String(text) if text.ends_with('Z') => "2026-01-02T00:00:00Z".into(),
                Value::String(text) if text.len() > 30 && !text.ends_with('=') => {
                    "1".repeat(text.len()).into()
                }
                Value::String(text) => format!("{text}y").into(),
                Value::Number(number) if *pointer != "/format" => {
                    format!("{number}").len().saturating_add(70).into()
                }
                Value::Null if *pointer == "/before" => "2".repeat(32).into(),
                Value::Null => true.into(),
                _ => continue,
            };
            let forged = HeadRecord::parse(forged.to_string().as_bytes()).expect(pointer);
            assert!(node.accept(HEAD, &forged).is_err(), "{pointer}");
        }
        let confirmed = HeadRecord { unconfirmed: None, ..stored.clone() };
        assert!(node.accept(HEAD, &confirmed).is_err(), "only a key confirms");
        let stripped = HeadRecord { signature: None, ..stored };
        assert_eq!(node.accept(HEAD, &stripped).expect_err("it has none").to_string(), "it is not signed");
        Signing::default().accept(HEAD, &stripped).expect("nobody asks for a signature");
    }

    #[test]
    fn keys_are_read_again_and_several_may_be_trusted() {
        let folder = keys(["a", "b"]);
        let public = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it is there");
        let put = |text: &str| fs::write(folder.path().join("trusted"), text).expect("it can be written");
        let node = signing(&folder, None, Some("trusted"));
        let [of_a, of_b] = ["a", "b"].map(|key| {
            signing(&folder, Some(key), None)
                .sign(HEAD, HeadRecord::example("e", 1, "x"))
                .expect("it is there")
        });
        let accepted = || [&of_a, &of_b].map(|record| node.accept(HEAD, record).is_ok());
        put(&public("a.pub"));
        assert_eq!(accepted(), [true, false]);
        put(&format!("# of olga\n{}# of hans\n{}", public("a.pub"), public("b.pub")));
        assert_eq!(accepted(), [true, true]);
        put(&public("b.pub"));
        assert_eq!(accepted(), [false, true]);
        // Nothing is trusted while there is no key to be read, or one that can't be.
        for text in ["", "x", &public("a"), &public("a.pub").replace("MCowBQYDK2Vw", "MCowBQYDK2Vx")] {
            put(text);
            assert_eq!(accepted(), [false, false], "{text}");
            assert!(node.check().is_err());
        }
        for name in ["a.pub", "none"] {
            let error = signing(&folder, Some(name), None).check().expect_err(name).to_string();
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn a_new_key_is_private_and_overwrites_nothing() {
        let folder = keys(["a"]);
        let path = |name: &str| folder.path().join(name);
        let mode = fs::metadata(path("a")).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, PRIVATE);
        let text = |name: &str| fs::read(path(name)).expect("it is there");
        let before = [text("a"), text("a.pub")];
        make_key(&path("a"), &path("a.pub")).expect_err("both are there");
        let (failed, _) = make_key(&path("b"), &path("a.pub")).expect_err("one is there");
        assert_eq!(failed, path("a.pub"));
        assert!(!path("b").exists(), "half a key is none");
        assert_eq!([text("a"), text("a.pub")], before);
    }
}
