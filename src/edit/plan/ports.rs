//! `http` and the blocks of its entries.

use serde_json::{Map, Value};

use super::words::WordEdits;
use super::{Container, Planner, Target};
use crate::edit::draft::{self, Draft};
use crate::edit::fault::{Fault, Pointer};
use crate::edit::layout::{Content, Operation};
use crate::edit::list::{Origin, align};
use crate::edit::merge;
use crate::model::shape::{Port, only_argument};
use crate::model::view::port_text;
use crate::syntax::{Entry, Splice};

/// What becomes of one http directive.
enum Fate<'d> {
    Existing(Entry<'d>),
    /// Its port gives way to another, and takes its block along.
    Stripped(Entry<'d>),
    New,
}

impl<'d> Planner<'_, 'd> {
    pub(super) fn ports(&mut self, ports: Option<&Value>, options: Option<&Value>) {
        let entries = self.members.own_by_key("http").to_vec();
        let old: Vec<Value> = entries.iter().map(|&entry| port_value(entry)).collect();
        let new = match ports {
            None => old.clone(),
            Some(value) => value.as_array().cloned().unwrap_or_default(),
        };
        let mut drafts: Vec<Option<Draft>> = vec![None; new.len()];
        let alignment = align(&old, &new);
        let fates = self.align_ports(&entries, &new, &alignment, &mut drafts);
        let options_target = self.port_options(&fates, &new, options, &mut drafts);
        self.put_ports(&entries, &alignment, &mut drafts);
        if old != new {
            self.plan.targets.push(Target::Member { key: "http".to_owned(), value: Some(Value::Array(new)) });
        }
        if options_target != self.view.member("http_options") {
            self.plan.targets.push(Target::Member { key: "http_options".to_owned(), value: options_target });
        }
    }

    fn align_ports(
        &mut self,
        entries: &[Entry<'d>],
        new: &[Value],
        alignment: &crate::edit::list::Alignment,
        drafts: &mut [Option<Draft>],
    ) -> Vec<Fate<'d>> {
        let mut fates = Vec::new();
        for (at, origin) in alignment.new.iter().enumerate() {
            fates.push(match *origin {
                Origin::Kept(index) | Origin::Moved(index) => Fate::Existing(entries[index]),
                Origin::Edited(index) => {
                    let mut edits = WordEdits::of(entries[index]);
                    let word = only_argument(entries[index]).expect("an http entry has one port");
                    edits.replace(word, draft::plain_word(&new[at]));
                    self.rewrite(edits.finish());
                    match entries[index].is_block() {
                        true => Fate::Stripped(entries[index]),
                        false => Fate::Existing(entries[index]),
                    }
                }
                Origin::New => {
                    drafts[at] = Some(Draft::directive(["http", &draft::plain_word(&new[at])]));
                    Fate::New
                }
            });
        }
        fates
    }

    fn put_ports(
        &mut self,
        entries: &[Entry<'d>],
        alignment: &crate::edit::list::Alignment,
        drafts: &mut [Option<Draft>],
    ) {
        alignment.removed().into_iter().for_each(|index| self.remove(entries[index]));
        let first = alignment.new.iter().find_map(|origin| origin.in_place());
        if first.is_none() {
            // All go to one place, in their order, whether or not they have blocks.
            return self.pend(drafts.iter_mut().filter_map(Option::take).collect(), entries);
        }
        let mut previous = None;
        for (at, origin) in alignment.new.iter().enumerate() {
            let content = match (*origin, drafts[at].take()) {
                (Origin::Moved(index), _) => Content::Line(entries[index].id()),
                (Origin::New, Some(draft)) => Content::New(draft),
                (origin, _) => {
                    previous = origin.in_place();
                    continue;
                }
            };
            self.put_element(Container::TOP, entries, previous, first, content);
        }
    }

    /// Works on the blocks of the ports that are there afterwards; what `http_options` shows then.
    fn port_options(
        &mut self,
        fates: &[Fate<'d>],
        new: &[Value],
        patch: Option<&Value>,
        drafts: &mut [Option<Draft>],
    ) -> Option<Value> {
        let empty = Map::new();
        let (remove_all, patch) = match patch {
            Some(Value::Null) => (true, &empty),
            Some(Value::Object(patch)) => (false, patch),
            _ => (false, &empty),
        };
        let at = Pointer::root().child("http_options");
        let mut shown = Map::new();
        for (index, fate) in fates.iter().enumerate() {
            let port = draft::scalar_text(&new[index]).unwrap_or_default();
            let later = new[index + 1..].contains(&new[index]);
            let change = if remove_all { Some(&Value::Null) } else { patch.get(&port) };
            let value =
                self.options_of_port(fate, change.filter(|_| !later), &mut drafts[index], &at.child(&port));
            if let Some(value) = value {
                shown.insert(port, value);
            }
        }
        for (port, value) in patch {
            let listens = new.iter().any(|known| draft::scalar_text(known).as_ref() == Some(port));
            if !listens && !value.is_null() {
                let fault = Fault::wrong_type(&at.child(port), "there is no such port in `http`");
                self.refuse(fault.hint("add the port to `http` in the same patch"));
            }
        }
        (!shown.is_empty()).then_some(Value::Object(shown))
    }

    fn options_of_port(
        &mut self,
        fate: &Fate<'d>,
        change: Option<&Value>,
        draft: &mut Option<Draft>,
        at: &Pointer,
    ) -> Option<Value> {
        match *fate {
            Fate::Existing(entry) if entry.is_block() => self.options_of_block(entry, change, at),
            Fate::Existing(entry) => {
                let target = merge::foreign(&[], change?)?;
                self.unfold_port(entry, target.as_object()?);
                Some(target)
            }
            Fate::Stripped(entry) => {
                let target = change.and_then(|change| merge::foreign(&[], change));
                match target.as_ref().and_then(Value::as_object) {
                    Some(block) => self.unfold_port(entry, block),
                    None => self.fold_port(entry),
                }
                target
            }
            Fate::New => {
                let target = merge::foreign(&[], change?)?;
                if let Some(draft) = draft {
                    draft.block = Some(draft::contents(target.as_object()?));
                }
                Some(target)
            }
        }
    }

    fn unfold_port(&mut self, entry: Entry<'d>, block: &Map<String, Value>) {
        let from = entry.head_span().end as usize;
        self.operation(Operation::Unfold { entry: entry.id(), from, block: draft::contents(block) });
    }

    fn fold_port(&mut self, entry: Entry<'d>) {
        let from = entry.head_span().end as usize;
        self.rewrite(vec![Splice { range: from..entry.end(), text: ";".to_owned() }]);
    }

    fn options_of_block(&mut self, entry: Entry<'d>, change: Option<&Value>, at: &Pointer) -> Option<Value> {
        let current = merge::contents_value(entry);
        match change {
            None => Some(current),
            Some(Value::Null) => {
                self.fold_port(entry);
                None
            }
            Some(patch) => {
                let target = merge::contents_after(entry, patch.as_object()?);
                if Value::Object(target.clone()) != current {
                    self.contents(entry, &target, at);
                }
                Some(Value::Object(target))
            }
        }
    }
}

fn port_value(entry: Entry<'_>) -> Value {
    let text = port_text(entry);
    serde_json::to_value(Port::of(&text)).expect("a port is JSON")
}
