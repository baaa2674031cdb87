//! Paths as messages show them: without the secrets in them.

use super::fault::{Fault, FaultKind};
use super::path::{Path, Segment};
use crate::model::secret::{Secrecy, word_parts};

impl Path {
    /// The path as messages show it: secrets in a `[url="…"]`, and in names, are left out.
    pub fn shown(&self) -> String {
        let mut names = Secrecy::Parts;
        let segments = self.segments.iter().map(|segment| match segment {
            Segment::Find { key, value } => {
                Segment::Find { key: key.clone(), value: without_secrets(value, Secrecy::from_name(key)) }
            }
            Segment::Key(key) => {
                let shown = without_secrets(key, names);
                // A name of a secret does not make the names below it secret.
                names = Some(Secrecy::from_name(key))
                    .filter(|below| *below == Secrecy::Push)
                    .unwrap_or(Secrecy::Parts);
                Segment::Key(shown)
            }
            other => other.clone(),
        });
        Path { segments: segments.collect() }.to_string()
    }
}

fn without_secrets(value: &str, secrecy: Secrecy) -> String {
    let mut shown = value.to_owned();
    for part in word_parts(value, secrecy).into_iter().rev() {
        shown.replace_range(part, "…");
    }
    shown
}

impl Fault {
    /// The same fault as one of a path, which it names; secrets in it are masked.
    #[must_use]
    pub fn at(self, path: &Path) -> Self {
        let kind = if self.is_absent() { FaultKind::Absent } else { FaultKind::Path };
        let message = format!("`{}`: {}", path.shown(), self.message);
        Self { kind, message, pointer: None, ..self }
    }
}
