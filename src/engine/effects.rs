//! The effects of a change that was made or rehearsed.

use mediaconf::schema::media::KINDS;
use std::collections::{HashMap, HashSet};

use super::content::Content;
use super::outcome::{Outcome, OutcomeNote};
use super::passed_over::IncludeChange;
use super::snapshot::Snapshot;
use mediaconf::edit::{Effects, LocalView};
use mediaconf::model::{Lens, group_name};
use mediaconf::schema::Kind;

impl Outcome {
    /// Returns the effects of the change on streams; empty if a text has errors.
    pub fn effects(&self) -> Effects {
        let sides = [self.before.as_ref(), self.after()];
        let is_shown = sides.iter().flatten().all(|side| side.is_valid());
        let mut effects = match sides {
            _ if !self.is_change() || !is_shown => Effects::default(),
            [Some(Content::Text(before)), Some(Content::Text(after))] => of_texts(before, after),
            sides => {
                let [before, after] = sides.map(|side| side.map(Content::to_json).unwrap_or_default());
                Effects::between(&before, &after, &|_, _| false)
            }
        };
        for note in &self.notes {
            if let OutcomeNote::IncludeChange(IncludeChange { gone, come, streams_before, .. }) = note {
                effects.include(*gone, *come, *streams_before);
            }
        }
        effects
    }
}

/// Only entries with another text are looked at.
fn of_texts(before: &Snapshot, after: &Snapshot) -> Effects {
    let (lens, [old, new]) = (Lens::default(), [before.members(), after.members()]);
    let same = KINDS.map(|kind| {
        let olds = old.own_by_key(kind.key()).iter();
        let olds: HashMap<_, _> = olds
            .map(|entry| (group_name(*entry).value(), &before.bytes()[entry.start()..entry.end()]))
            .collect();
        let news = new.own_by_key(kind.key()).iter();
        let same = news.map(|entry| (group_name(*entry).value(), &after.bytes()[entry.start()..entry.end()]));
        same.filter(|(name, text)| olds.get(name) == Some(text)).map(|(name, _)| name).collect::<HashSet<_>>()
    });
    let is_same = |kind: Kind, name: &str| same[kind.number()].contains(name);
    Effects::between(&LocalView::new(&old, &lens), &LocalView::new(&new, &lens), &is_same)
}
