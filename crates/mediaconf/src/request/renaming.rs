//! New names for many streams, lives or plugins at once: `mv 'streams.cam*' --replace s/cam/gate/`.
//!
//! As with one name, it is an edit of the text where there is one, and a merge patch elsewhere. All names change at
//! the same time, so two blocks can swap theirs.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::blocks::{no_block, taken};
use crate::edit::{
    ConfigLookup, Edit, EditError, Expansion, LocalView, Path, Place, Segment, Substitution, missing, synced,
};
use crate::merge::diff;
use crate::model::Lens;
use crate::schema::Kind;
use crate::schema::codec::group_name;
use crate::schema::fault::{Fault, Faults};
use crate::schema::members::Members;
use crate::secret::Masker;
use crate::syntax::Document;

/// New names for the blocks that a path stands for.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renaming {
    /// Such as `streams.cam*`.
    pub from: Path,
    /// The substitution in each name.
    pub by: Substitution,
}

/// The old names of blocks, each with its new one.
pub type NewNames = HashMap<String, String>;

impl Renaming {
    /// The merge patch that comes nearest to the request; it can't keep comments.
    ///
    /// # Errors
    /// The path stands for no blocks, or their new names can't be theirs.
    pub fn patch(&self, current: &dyn ConfigLookup) -> Result<Value, Faults> {
        let (kind, names) = self.names(current)?;
        let group = current.value(&[kind.key()]).unwrap_or_default();
        let old = group.as_object().cloned().unwrap_or_default();
        let renamed = old.iter().map(|(name, block)| {
            let mut block = block.clone();
            if let Some(members) = block.as_object_mut() {
                members.retain(|key, _| key != "name" && key != "prefix");
            }
            (names.get(name).unwrap_or(name).clone(), block)
        });
        let renamed = json!({ kind.key(): Map::from_iter(renamed) });
        let changed = diff::group(kind, [current, &renamed]);
        Ok(Value::Object(
            changed.map(|group| (kind.key().to_owned(), group)).into_iter().collect::<Map<_, _>>(),
        ))
    }

    /// The edit of a text; `None` if it changes nothing.
    ///
    /// # Errors
    /// As of [`Renaming::patch`].
    pub fn edit(&self, document: &Document, members: &Members<'_>) -> Result<Option<Edit>, EditError> {
        let (kind, names) = self.names(&LocalView::new(members, &Lens::default()))?;
        let blocks = members.own_by_key(kind.key()).iter().filter_map(|&entry| {
            let name = names.get(&*group_name(entry).value())?;
            Some((entry, name.as_str()))
        });
        let blocks: Vec<_> = blocks.collect();
        synced(document, members, |sync| sync.rename(kind, &blocks))
    }

    /// The names that change.
    fn names(&self, current: &dyn ConfigLookup) -> Result<(Kind, NewNames), Faults> {
        let kind = self.kind().ok_or_else(|| no_block(&self.from))?;
        let of_from = |fault: Fault| Faults::from(fault.at(&self.from));
        let expanded = Expansion::new(current, &[]).expand_path(&self.from).map_err(of_from)?;
        let old: Vec<String> = expanded.paths.iter().filter_map(name_of).map(str::to_owned).collect();
        if old.is_empty() {
            return Err(of_from(
                expanded.absence.unwrap_or_else(|| Fault::absent("it matches nothing here")),
            ));
        }
        if let Some(gone) = old.iter().find(|name| !current.contains(&[kind.key(), name])) {
            return Err(of_from(missing(current, &self.from, &[kind.key(), gone])));
        }
        let mut run = self.by.begin();
        let new_name = |name: String| Some(run.apply(&name).transpose()?.map(|new| (name, new)));
        let found: Result<Vec<(String, String)>, _> = old.into_iter().filter_map(new_name).collect();
        let found = found.map_err(of_from)?;
        if found.is_empty() {
            let fault = Fault::absent("no name that it stands for has what is to be replaced");
            return Err(of_from(fault.hint("without `r` at the end, `s/OLD/NEW/` takes OLD to the letter")));
        }
        let changed: Vec<_> = found.into_iter().filter(|(old, new)| old != new).collect();
        let faults = Faults(faults(current, kind, &changed));
        faults.into_result((kind, changed.into_iter().collect()))
    }

    /// The kind of the blocks; `None` if the path does not stand for blocks.
    fn kind(&self) -> Option<Kind> {
        match &self.from.segments[..] {
            [group, Segment::Key(_) | Segment::Matching(_)] => {
                match Place::resolve(std::slice::from_ref(group)) {
                    Ok(Place::Group(kind)) => Some(kind),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn name_of(path: &Path) -> Option<&str> {
    path.segments.last().and_then(Segment::name)
}

/// Everything that keeps blocks from having these new names; none of them is the old one.
fn faults(current: &dyn ConfigLookup, kind: Kind, changed: &[(String, String)]) -> Vec<Fault> {
    let path = |name: &str| Path {
        segments: vec![Segment::Key(kind.key().to_owned()), Segment::Key(name.to_owned())],
    };
    let leaving: HashSet<&str> = changed.iter().map(|(old, _)| old.as_str()).collect();
    let mut given: HashMap<&str, &str> = HashMap::new();
    let mut faults = Vec::new();
    for (old, new) in changed {
        let fault = match given.insert(new, old) {
            _ if new.is_empty() => Fault::of_path("its new name would be empty"),
            _ if new.contains('\0') || Masker::holds_mask(new) => {
                Fault::of_path("it can't have its new name")
            }
            Some(other) => {
                Fault::of_path(format!("it and `{}` would get the same name", path(other).shown()))
            }
            None if !leaving.contains(new.as_str()) && current.contains(&[kind.key(), new]) => {
                faults.push(taken(&path(new), kind, new));
                continue;
            }
            None => continue,
        };
        faults.push(fault.at(&path(old)));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::Renaming;
    use crate::edit::{Path, Substitution};
    use crate::model::top_members;
    use crate::request::blocks::tests::edited_as_by_patch;
    use crate::schema::fault::Faults;
    use crate::syntax::Document;

    const TEXT: &str = "\
# the first
stream cam1 { # here
  url udp://1;
  prepush  5;
}

stream cam2 udp://2; # two
ondemand \"the cam\" file://x;
stream a { title A; auth false; }
stream b { title B; }
live cam1;
plugin cam { x 1; }
";

    /// The text after the edit; the patch must lead to the same JSON.
    fn after(from: &str, by: &str) -> Result<String, Vec<String>> {
        let by = Substitution::parse(by).expect(by);
        let renaming = Renaming { from: Path::parse(from).expect(from), by };
        let told = |faults: Faults| -> Vec<String> {
            faults
                .iter()
                .map(|fault| format!("{}{fault}", if fault.is_absent() { "absent: " } else { "" }))
                .collect()
        };
        let edit = |document: &Document| renaming.edit(document, &top_members(document));
        edited_as_by_patch(TEXT, edit, |shown| renaming.patch(shown), told)
    }

    #[test]
    fn only_the_names_change() {
        let named = |pairs: &[(&str, &str)]| {
            Ok(pairs.iter().fold(TEXT.to_owned(), |text, (old, new)| text.replace(old, new)))
        };
        for (from, by, pairs) in [
            ("streams.cam*", "s/cam/gate/", &[("stream cam", "stream gate")][..]),
            (
                "streams.*",
                "s/cam/the gate/",
                &[
                    ("stream cam1", "stream \"the gate1\""),
                    ("stream cam2", "stream \"the gate2\""),
                    ("the cam\"", "the the gate\""),
                ],
            ),
            ("streams.cam1", "s/cam1/lobby/", &[("stream cam1", "stream lobby")]),
            ("lives.*", r"s/^cam(\d)/hall-\1/r", &[("live cam1", "live hall-1")]),
            ("plugins.cam", "s/cam/iptv/", &[("plugin cam", "plugin iptv")]),
            ("streams.cam*", "s/cam/cam/", &[]),
            // One takes the name that another one leaves.
            ("streams.cam*", "s/cam2/cam3/", &[("cam2", "cam3")]),
            (r"streams.cam*", "s/cam1/cam11/", &[("stream cam1", "stream cam11")]),
        ] {
            assert_eq!(after(from, by), named(pairs), "{from} {by}");
        }
    }

    #[test]
    fn names_can_move_on_by_one() {
        let text = TEXT.replace("stream cam2", "stream cam12").replace("stream cam1 ", "stream cam11 ");
        assert_eq!(after("streams.cam*", "s/cam/cam1/"), Ok(text));
    }

    #[test]
    fn a_renaming_with_faults_is_refused_as_a_whole() {
        for (from, by, faults) in [
            (
                "streams.cam*",
                r"s/\d//r",
                &["`streams.cam2`: it and `streams.cam1` would get the same name"][..],
            ),
            ("streams.*", "s/^.$//r", &["`streams.a`: its new name", "`streams.b`: its new name"]),
            (
                "streams.cam*",
                r"s/^.*$/a/r",
                &["`streams.a`: there is a stream `a` already", "`streams.cam2`: it and"],
            ),
            ("streams.cam*", "s/gate/x/", &["absent: `streams.cam*`: no name"]),
            ("streams.door*", "s/door/x/", &["absent: `streams.door*`: `door*` matches nothing here"]),
            ("streams.cam3", "s/cam/x/", &["absent: `streams.cam3`: there is no stream `cam3`"]),
            ("streams.cam*.title", "s/cam/x/", &["`streams.cam*.title`: expected one stream"]),
            ("rtmp", "s/1/2/", &["`rtmp`: expected one stream"]),
        ] {
            let found = after(from, by).expect_err(from);
            assert_eq!(found.len(), faults.len(), "{found:#?}");
            for (found, fault) in found.iter().zip(faults) {
                assert!(found.starts_with(fault), "{found}");
            }
        }
    }
}
