//! The files that an `include PATTERN;` of a configuration names.

use std::path::{Path, PathBuf};

use super::target::ConfFile;
use crate::store::error::StoreError;
use crate::store::included::{IncludeError, IncludedText};

impl ConfFile {
    /// Reads the files that a pattern names, in the order of their names. It begins at the folder of this file.
    pub(super) fn read_included(&self, pattern: &str) -> Result<Vec<IncludedText>, IncludeError> {
        if !pattern.contains(['*', '?', '[']) {
            return Ok(vec![self.read_one(&self.folder().join(pattern))?]);
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
        let mut texts = Vec::new();
        for path in found {
            let path: PathBuf = path.map_err(|error| {
                let path = error.path().to_owned();
                StoreError::opening("look into", &path)(error)
            })?;
            texts.push(self.read_one(&path)?);
        }
        Ok(texts)
    }

    fn read_one(&self, path: &Path) -> Result<IncludedText, IncludeError> {
        let file = Self::resolve(path)?;
        let target = file.target().to_owned();
        let inside = target.strip_prefix(self.folder());
        Ok(IncludedText {
            is_inside: inside.is_ok(),
            // As the file itself is named: below the folder by which it was given.
            name: match (path.strip_prefix(self.folder()), self.given().parent()) {
                (Ok(below), Some(folder)) => folder.join(below).display().to_string(),
                _ => path.display().to_string(),
            },
            bytes: file.load()?.bytes,
            target,
        })
    }
}
