//! The disk space of the folders in which a `dvr` keeps recordings.
//!
//! A dead disk does not answer, and a thread that asks it waits forever. So no request asks it: a thread
//! for each mount does, and requests take its last result. A mount that does not answer blocks this one
//! thread only.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest time that a request waits for a mount that was just asked.
pub const PATIENCE: Duration = Duration::from_secs(1);

/// The age of the space of a folder from which it is asked for again.
const FRESH: Duration = Duration::from_secs(1);

/// The age from which it is unknown.
pub const LAST_AGE: Duration = Duration::from_secs(60);

/// The number of mounts that are asked at a time.
pub const MOUNTS: usize = 32;

/// The total and the free bytes of the file system of a folder; `None` if the system does not say.
pub type Space = Option<(u64, u64)>;

/// Asks the system; it may not return.
type Probe = fn(&str) -> Space;

/// The last known space of all folders, by the mounts that they are on.
pub struct ArchiveSpace {
    probe: Probe,
    mounts: Mutex<BTreeMap<String, Arc<Mount>>>,
}

impl Default for ArchiveSpace {
    fn default() -> Self {
        Self::asking(of_system)
    }
}

/// The folders on one mount.
#[derive(Default)]
struct Mount {
    known: Mutex<Known>,
    changed: Condvar,
}

#[derive(Default)]
struct Known {
    found: BTreeMap<String, (Instant, Space)>,
    /// The folders to ask for.
    wanted: BTreeSet<String>,
    /// The time at which the thread that asks began with its present folder.
    asking: Option<Instant>,
}

impl ArchiveSpace {
    /// Asks with another function than that of the system.
    pub fn asking(probe: Probe) -> Self {
        Self { probe, mounts: Mutex::default() }
    }

    /// The space of these folders, as JSON.
    pub fn report(&self, roots: &BTreeSet<String>) -> Value {
        if roots.is_empty() {
            return json!({});
        }
        let until = Instant::now() + PATIENCE;
        let points = mount_points();
        let mut by_mount: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for root in roots {
            by_mount.entry(point_of(root, &points)).or_default().insert(root.clone());
        }
        let asked = by_mount.into_iter().map(|(point, roots)| (self.ask(point, roots.clone()), roots));
        let asked: Vec<_> = asked.collect();
        let shown = asked.into_iter().flat_map(|(mount, roots)| match mount {
            Some(mount) => mount.shown(roots, until),
            None => roots.into_iter().map(|root| (root, unknown())).collect(),
        });
        shown.collect()
    }

    /// Has a thread ask for stale figures; `None` if too many mounts do not answer.
    fn ask(&self, point: &str, roots: BTreeSet<String>) -> Option<Arc<Mount>> {
        let mut mounts = lock(&self.mounts);
        if !mounts.contains_key(point) {
            if mounts.len() >= MOUNTS {
                // Those that no request names are forgotten: they may be gone.
                mounts.retain(|_, mount| lock(&mount.known).asking.is_some());
            }
            if mounts.len() >= MOUNTS {
                return None;
            }
        }
        let mount = mounts.entry(point.to_owned()).or_default().clone();
        drop(mounts);
        mount.ask(roots, self.probe);
        Some(mount)
    }
}

impl Mount {
    fn ask(self: &Arc<Self>, roots: BTreeSet<String>, probe: Probe) {
        let mut known = lock(&self.known);
        known.want(roots);
        if known.asking.is_some() || known.wanted.is_empty() {
            return;
        }
        known.asking = Some(Instant::now());
        let own = Arc::clone(self);
        if thread::Builder::new().name("prober".to_owned()).spawn(move || own.probe_all(probe)).is_err() {
            known.asking = None;
        }
    }

    /// Asks for one folder after the other that is wanted.
    fn probe_all(&self, probe: Probe) {
        let mut known = lock(&self.known);
        while let Some(root) = known.wanted.pop_first() {
            known.asking = Some(Instant::now());
            drop(known);
            let space = catch_unwind(AssertUnwindSafe(|| probe(&root))).unwrap_or_default();
            known = lock(&self.known);
            known.found.insert(root, (Instant::now(), space));
            self.changed.notify_all();
        }
        known.asking = None;
        self.changed.notify_all();
    }

    /// Returns the known space of these folders, after a short time for the thread that asks, unless it
    /// hangs.
    fn shown(&self, roots: BTreeSet<String>, until: Instant) -> Vec<(String, Value)> {
        let left = until.saturating_duration_since(Instant::now());
        let is_near = |known: &mut Known| known.asking.is_some_and(|since| since.elapsed() < PATIENCE);
        let waited = self.changed.wait_timeout_while(lock(&self.known), left, is_near);
        let known = waited.unwrap_or_else(PoisonError::into_inner).0;
        let shown = |root: String| {
            let found = known.found.get(&root).filter(|(at, _)| at.elapsed() <= LAST_AGE);
            let value = found.map_or_else(unknown, |(at, space)| as_json(*space, at.elapsed()));
            (root, value)
        };
        roots.into_iter().map(shown).collect()
    }
}

impl Known {
    /// Wants those of the folders, and no others, whose space is not known, or not fresh.
    fn want(&mut self, mut roots: BTreeSet<String>) {
        self.found.retain(|root, _| roots.contains(root));
        roots.retain(|root| self.found.get(root).is_none_or(|(at, _)| at.elapsed() >= FRESH));
        self.wanted = roots;
    }
}

fn unknown() -> Value {
    json!({ "exists": "unknown" })
}

fn as_json(space: Space, age: Duration) -> Value {
    let age = age.as_secs();
    match space {
        Some((total, free)) => {
            json!({ "exists": true, "total_bytes": total, "free_bytes": free, "age_s": age })
        }
        None => json!({ "exists": false, "age_s": age }),
    }
}

fn of_system(root: &str) -> Space {
    let found = rustix::fs::statvfs(root).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Some((bytes(found.f_blocks), bytes(found.f_bavail)))
}

/// The mount points, as the kernel lists them; it asks none of them.
fn mount_points() -> Vec<String> {
    let list = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let points = list.lines().filter_map(|line| line.split(' ').nth(4));
    points.map(|point| point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")).collect()
}

/// The mount point that a folder is below, by their names alone: to look would be to ask.
fn point_of<'p>(root: &str, points: &'p [String]) -> &'p str {
    let is_above = |point: &&String| {
        let below = root.strip_prefix(point.trim_end_matches('/'));
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    };
    points.iter().filter(is_above).max_by_key(|point| point.len()).map_or("/", String::as_str)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_on_the_mount_with_the_longest_name() {
        let points = ["/", "/srv", "/srv/a b"].map(str::to_owned);
        let cases = [("/x", "/"), ("/srv", "/srv"), ("/srvx", "/"), ("/srv/a b/c", "/srv/a b")];
        for (root, point) in cases {
            assert_eq!(point_of(root, &points), point, "{root}");
        }
        assert_eq!(point_of("/x", &[]), "/");
    }
}
