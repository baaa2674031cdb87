//! The files that an `include PATTERN;` of a configuration names.

use std::fs;
use std::path::{Component, Path};

use super::target::ConfFile;
use crate::store::error::StoreError;
use crate::store::included::{Follow, IncludeError, IncludedText, Told};

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
                StoreError::opening("look into", &path)(error)
            })?;
            self.read_one(&path, &mut rest)
        });
        read.collect()
    }

    fn read_one(&self, path: &Path, rest: &mut Follow) -> Result<IncludedText, IncludeError> {
        let file = Self::resolve(path)?;
        let target = file.target().to_owned();
        let told = if self.is_below(&target) { Told::Lines } else { Told::Places };
        if rest.stays_below && told == Told::Places {
            return Err(IncludeError::Outside);
        }
        let size = fs::symlink_metadata(&target).map_err(StoreError::opening("open", &target))?.len();
        *rest = rest.after(size)?;
        Ok(IncludedText {
            // As the file itself is named: below the folder by which it was given.
            name: match (path.strip_prefix(self.folder()), self.given().parent()) {
                (Ok(below), Some(folder)) => folder.join(below).display().to_string(),
                _ => path.display().to_string(),
            },
            bytes: file.load()?.bytes,
            target,
            told,
        })
    }

    /// Whether a path leads to a place below the folder of this file, and not into the history.
    fn is_below(&self, path: &Path) -> bool {
        path.starts_with(self.folder())
            && !path.starts_with(self.state_root())
            && !path.components().any(|name| name == Component::ParentDir)
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
