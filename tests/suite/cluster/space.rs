//! etcd runs out of space, and is compacted and defragmented.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use mediactl::store::etcd::GatewaySettings;
use rustix::fs::FallocateFlags;
use serde_json::{Value, json};

use super::etcd::Etcd;
use super::writers::{engines, wait_for, write};
use crate::cli::{CONF, Place, Run, SAMPLE};
use crate::needs::given;
use crate::waiting::until;

/// The approximate size of a text that fills etcd: one chunk.
const LARGE: usize = 800 * 1024;

/// A valid text that can't be compressed, another one for each number.
fn large(number: u64) -> String {
    let mut text = SAMPLE.to_owned();
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for stream in 0.. {
        if text.len() > LARGE * 2 {
            break;
        }
        let title: String = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            format!("{state:016x}")
        })
        .take(16)
        .collect();
        text.push_str(&format!("stream s{stream} {{ title {title}; input fake://x; }}\n"));
    }
    text
}

/// Saves large texts until that fails; returns the failure, and the last text that was saved.
fn fill(etcd: &Etcd, place: &Place) -> (Run, String) {
    let mut last = SAMPLE.to_owned();
    for number in 1..200 {
        let text = large(number);
        place.put("large.conf", &text);
        let save = ["--timeout", "30", "save", "large.conf", "-q", "--keep", "2"];
        let run = etcd.mediactl(place, "/p", &save).run();
        if run.code != Some(0) {
            println!("full after {number} texts: {run:?}");
            return (run, last);
        }
        last = text;
    }
    panic!("etcd is never full");
}

fn text(etcd: &Etcd, place: &Place) -> String {
    etcd.mediactl(place, "/p", &["read", "-o", "conf", "--show-secrets"]).run().exits(0).out
}

#[test]
fn a_full_etcd_changes_nothing_and_works_again_when_it_is_compacted() {
    let quota = ["--quota-backend-bytes", "8388608"].map(str::to_owned);
    let Some(etcd) = Etcd::start_with("http", 1, |_| quota.to_vec()) else { return };
    etcd.wait_until_ready();
    let place = Place::with(SAMPLE);
    etcd.mediactl(&place, "/p", &["save", CONF, "-q"]).run().exits(0);
    let (failed, last) = fill(&etcd, &place);
    failed.exits(9).says("database space exceeded").says("compact it");
    assert!(text(&etcd, &place) == last, "the text stays");
    let modify = || etcd.mediactl(&place, "/p", &["modify", "--set", "rtsp=555", "-q"]).run();
    modify().exits(9);
    // What docs/cluster.md says.
    let revision = etcd.store("/p", GatewaySettings::default()).seen().expect("it can be read").revision;
    etcd.ask(0, "kv/compaction", &json!({"revision": revision.to_string(), "physical": true}));
    etcd.ask(0, "maintenance/defragment", &json!({}));
    let alarms = etcd.ask(0, "maintenance/alarm", &json!({"action": "GET"}));
    for alarm in alarms["alarms"].as_array().expect("there is one") {
        let mut disarm = alarm.clone();
        disarm["action"] = "DEACTIVATE".into();
        etcd.ask(0, "maintenance/alarm", &disarm);
    }
    modify().exits(0);
    assert!(text(&etcd, &place) == last.replace("rtsp 554", "rtsp 555"));
}

/// Writers write while etcd is defragmented again and again, and compacted in between.
fn defragmented_while_writers_write(rounds: usize) {
    let Some(etcd) = Etcd::start(1) else { return };
    let place = Place::with(SAMPLE);
    etcd.mediactl(&place, "/p", &["save", CONF, "-q"]).run().exits(0);
    let (is_over, made) = (AtomicBool::new(false), AtomicUsize::new(0));
    let engines = engines(&etcd, 4);
    let told: Vec<_> = thread::scope(|scope| {
        let started = engines.iter().enumerate().map(|(writer, engine)| {
            let (is_over, made) = (&is_over, &made);
            scope.spawn(move || write(writer, engine, is_over, made))
        });
        let threads: Vec<_> = started.collect();
        let store = etcd.store("/p", GatewaySettings::default());
        for _ in 0..rounds {
            wait_for(&made, 5);
            let revision = store.seen().expect("it can be read").revision;
            etcd.ask(0, "kv/compaction", &json!({"revision": revision.to_string(), "physical": true}));
            assert_ne!(etcd.ask(0, "maintenance/defragment", &json!({})), Value::Null);
        }
        is_over.store(true, Ordering::SeqCst);
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    let text = text(&etcd, &place);
    for told in told {
        let has = |stream: &String| text.contains(&format!("stream {stream} "));
        assert!(told.made.iter().all(has), "{:?}", told.made);
        assert!(told.unknown.is_empty() && told.refused.is_empty(), "{:?} {:?}", told.refused, told.unknown);
    }
}

#[test]
fn etcd_may_be_defragmented_while_writers_write() {
    defragmented_while_writers_write(3);
}

#[test]
#[ignore = "takes a minute"]
fn etcd_may_be_defragmented_often_while_writers_write() {
    defragmented_while_writers_write(50);
}

/// A small file system at a folder. It goes when this is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn at(folder: &Path) -> Option<Self> {
        fs::create_dir(folder).expect("a folder can be made");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=256m", "tmpfs"]).arg(folder).output();
        let is_mounted = mounted.is_ok_and(|mounted| mounted.status.success());
        given("mount", is_mounted).then(|| Self(folder.to_owned()))
    }

    /// Leaves that many bytes. etcd reserves two files of 64 MB when it starts, and ends if it finds no room while it does.
    fn leave(&self, bytes: u64) {
        let disk = rustix::fs::statvfs(&self.0).expect("it is mounted");
        let ballast = (disk.f_bavail * disk.f_frsize).saturating_sub(bytes);
        let file = fs::File::create(self.0.join("ballast")).expect("a file can be made");
        rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, ballast).expect("there is room");
    }

    fn grow(&self) {
        let grown = Command::new("mount").args(["-o", "remount,size=512m"]).arg(&self.0).status();
        assert!(grown.is_ok_and(|grown| grown.success()));
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_of_etcd_loses_nothing() {
    let mut disk = None;
    let started = Etcd::start_with("http", 1, |folder| {
        disk = SmallDisk::at(&folder.path().join("m0"));
        Vec::new()
    });
    let (Some(mut etcd), Some(disk)) = (started, disk) else { return };
    etcd.wait_until_ready();
    let place = Place::with(SAMPLE);
    etcd.mediactl(&place, "/p", &["save", CONF, "-q"]).run().exits(0);
    disk.leave(4 << 20);
    let (failed, last) = fill(&etcd, &place);
    // etcd ends, so that it is unknown whether it has kept the change.
    assert!([Some(7), Some(8), Some(9)].contains(&failed.code), "{failed:?}");
    etcd.kill(0);
    disk.grow();
    etcd.run(0);
    etcd.wait_until_ready();
    let (now, sent) =
        (text(&etcd, &place), fs::read_to_string(place.path("large.conf")).expect("it is there"));
    assert!(now == last || (now == sent && failed.code == Some(8)), "the text is another one");
    until("no change can be made", || {
        let modify = ["modify", "--set", "rtsp=555", "-q"];
        Some(()).filter(|()| etcd.mediactl(&place, "/p", &modify).run().code == Some(0))
    });
}
