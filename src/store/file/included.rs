//! The files that an `include PATTERN;` of a configuration names.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

use rustix::process::geteuid;

use super::convert::find_state;
use super::find::ConfFile;
use super::in_place::load;
use crate::error::Error;
use crate::store::included::{Follow, IncludeError, IncludedText};

impl ConfFile {
    /// Reads the files that a pattern names, in the order of their names. It begins at the folder of this file.
    pub(super) fn read_included(
        &self,
        pattern: &str,
        follow: Follow,
    ) -> Result<Vec<IncludedText>, IncludeError> {
        let plain = self.folder().join(pattern);
        if follow.stays_below && !self.is_below(&plain) {
            // It is not even looked whether there is anything.
            return Err(IncludeError::Outside);
        }
        let mut rest = follow;
        if !pattern.contains(['*', '?', '[']) {
            return Ok(vec![self.read_one(&plain, &mut rest)?]);
        }
        let folder = glob::Pattern::escape(&self.folder().display().to_string());
        let whole =
            if Path::new(pattern).is_absolute() { pattern.to_owned() } else { format!("{folder}/{pattern}") };
        let options = glob::MatchOptions {
            require_literal_separator: true,
            require_literal_leading_dot: true,
            ..glob::MatchOptions::new()
        };
        let found = glob::glob_with(&whole, options).map_err(|error| IncludeError::BadPattern(error.msg))?;
        let read = found.map(|path| {
            let path = path.map_err(|error| {
                let path = error.path().to_owned();
                Error::opening("look into", &path)(error)
            })?;
            self.read_one(&path, &mut rest)
        });
        read.collect()
    }

    fn read_one(&self, path: &Path, rest: &mut Follow) -> Result<IncludedText, IncludeError> {
        let file = Self::resolve(path)?;
        let target = file.target().to_owned();
        let is_below = self.is_below(&target);
        if rest.stays_below && !is_below {
            return Err(IncludeError::Outside);
        }
        let size = fs::symlink_metadata(&target).map_err(Error::opening("open", &target))?.len();
        *rest = rest.after(size)?;
        let (loaded, found) = load(&file, find_state(&file).ok().flatten().as_ref())?;
        let is_linked = self.is_linked_by_another(&found);
        if rest.stays_below && is_linked {
            return Err(IncludeError::Linked);
        }
        Ok(IncludedText {
            // As the file itself is named: below the folder by which it was given.
            name: match (path.strip_prefix(self.folder()), self.given().parent()) {
                (Ok(below), Some(folder)) => folder.join(below).display().to_string(),
                _ => path.display().to_string(),
            },
            bytes: loaded.bytes,
            target,
            is_elsewhere: !is_below || is_linked,
        })
    }

    /// True if a path leads to a place below the folder of this file, and not into a state folder.
    fn is_below(&self, path: &Path) -> bool {
        let is_state = |name: &[u8]| name.starts_with(b".") && name.ends_with(b".mediactl");
        let leaves = |name: Component<'_>| {
            name == Component::ParentDir || is_state(name.as_os_str().as_encoded_bytes())
        };
        path.strip_prefix(self.folder()).is_ok_and(|below| !below.components().any(leaves))
    }

    /// True if a file has further names and another owner than this one: somebody may have given it a
    /// name here that he could not read. A backup by `cp -al` has the same owner.
    fn is_linked_by_another(&self, found: &Metadata) -> bool {
        // While this file is missing, it will belong to the user of this process.
        let own = fs::metadata(self.target()).map_or_else(|_| geteuid().as_raw(), |own| own.uid());
        found.nlink() > 1 && found.uid() != own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_files_and_bytes_are_read_than_allowed() {
        let folder = tempfile::tempdir().expect("there is room");
        for name in ["a.inc", "b.inc", "c.inc"] {
            fs::write(folder.path().join(name), "rtsp 554;\n").expect("a new folder is writable");
        }
        let file = ConfFile::resolve(&folder.path().join("media.conf")).expect("its folder is there");
        let read = |files, bytes| file.read_included("*.inc", Follow { files, bytes, ..Follow::BELOW });
        assert_eq!(read(3, 30).expect("it is just enough").len(), 3);
        assert!(matches!(read(2, 30), Err(IncludeError::TooMuch)));
        assert!(matches!(read(3, 29), Err(IncludeError::TooMuch)));
    }
}
