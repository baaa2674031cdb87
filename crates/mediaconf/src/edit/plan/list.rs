//! Directives with one value each, such as `http`, and the blocks of them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::words::WordEdits;
use super::{Note, Planner};
use crate::edit::align::{Alignment, ElementOrigin, align};
use crate::edit::emit::{self, Draft};
use crate::edit::fault::Fault;
use crate::edit::json_pointer::Pointer;
use crate::edit::merge::{self, GeneralMerge};
use crate::model::shape::{first_argument as list_value, only_argument};
use crate::schema::json_value::{plain_word, scalar_text};
use crate::schema::{ListShape, Parameter, Schema};
use crate::syntax::Entry;

/// The future of one `http` directive.
enum PortFate<'d> {
    Existing(Entry<'d>),
    /// Its port is replaced by another one, and its block is removed with it.
    Stripped(Entry<'d>),
    New,
}

impl<'d> Planner<'_, 'd> {
    pub(super) fn list(
        &mut self,
        parameter: &'static Parameter,
        list: &'static ListShape,
        ports: Option<&Value>,
        options: Option<&Value>,
    ) {
        let entries = self.members.own(parameter).to_vec();
        let old: Vec<Value> = entries
            .iter()
            .map(|&entry| list.kind.value(entry).map(Value::from).unwrap_or_default())
            .collect();
        let new = match ports {
            None => old.clone(),
            Some(value) => value.as_array().cloned().unwrap_or_default(),
        };
        let mut drafts: Vec<Option<Draft>> = vec![None; new.len()];
        let (before, after) = identities(&entries, &old, &new);
        let alignment = align(&before, &after);
        let fates = self.align_ports(parameter.keywords[0], &entries, &new, &alignment, &mut drafts);
        let options_target = self.port_options(list, &fates, &new, options, &mut drafts);
        self.put_elements(None, &entries, &alignment, |at| {
            drafts[at].take().expect("every new port has a draft")
        });
        self.note_dropped_options(&entries, &alignment, options);
        if old != new {
            self.plan.members.push((list.key.to_owned(), Some(Value::Array(new))));
        }
        if options_target != self.view.member(list.blocks) {
            self.plan.members.push((list.blocks.to_owned(), options_target));
        }
    }

    fn align_ports(
        &mut self,
        keyword: &str,
        entries: &[Entry<'d>],
        new: &[Value],
        alignment: &Alignment,
        drafts: &mut [Option<Draft>],
    ) -> Vec<PortFate<'d>> {
        let mut fates = Vec::new();
        for (at, origin) in alignment.new.iter().enumerate() {
            fates.push(match *origin {
                ElementOrigin::Kept(index) | ElementOrigin::Moved(index) => {
                    PortFate::Existing(entries[index])
                }
                ElementOrigin::Edited(index) => {
                    let mut edits = WordEdits::new(entries[index]);
                    let word = only_argument(entries[index]).expect("an http entry has one port");
                    edits.replace(word, plain_word(&new[at]));
                    self.rewrite(edits.finish());
                    match entries[index].is_block() {
                        true => PortFate::Stripped(entries[index]),
                        false => PortFate::Existing(entries[index]),
                    }
                }
                ElementOrigin::New => {
                    drafts[at] = Some(Draft::directive(keyword, [plain_word(&new[at])]));
                    PortFate::New
                }
            });
        }
        fates
    }

    /// Notes the blocks that are removed with their port though the patch does not mention them.
    fn note_dropped_options(
        &mut self,
        entries: &[Entry<'d>],
        alignment: &Alignment,
        options: Option<&Value>,
    ) {
        let edited = alignment.new.iter().filter_map(|origin| origin.edited());
        let mut gone: Vec<usize> = edited.chain(alignment.removed()).collect();
        gone.sort_unstable();
        let is_asked_for = |port: &str| {
            options.is_some_and(|options| options.is_null() || options.get(port).is_some_and(Value::is_null))
        };
        let blocks = gone.into_iter().map(|index| entries[index]).filter(|entry| entry.is_block());
        let ports = blocks.map(|entry| list_value(entry).into_owned()).filter(|port| !is_asked_for(port));
        self.plan.notes.extend(ports.map(|port| Note::PortOptionsDropped { port }));
    }

    /// Plans the blocks of the remaining ports. Returns their new value.
    fn port_options(
        &mut self,
        list: &ListShape,
        fates: &[PortFate<'d>],
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
        let pointer = Pointer::root().child(list.blocks);
        let counting = counting(fates, new);
        let mut shown = Map::new();
        for (index, fate) in fates.iter().enumerate() {
            let port = scalar_text(&new[index]).unwrap_or_default();
            let change = if remove_all { Some(&Value::Null) } else { patch.get(&port) };
            let change = change.filter(|change| change.is_null() || counting[&new[index]] == index);
            let value =
                self.options_of_port(list.key, fate, change, &mut drafts[index], &pointer.child(&port));
            if let Some(value) = value {
                shown.insert(port, value);
            }
        }
        let ListShape { key, noun, .. } = list;
        let listening: HashSet<String> = new.iter().filter_map(scalar_text).collect();
        for (port, value) in patch {
            if !listening.contains(port) && !value.is_null() {
                let fault =
                    Fault::wrong_type(&pointer.child(port), format!("there is no such {noun} in `{key}`"));
                self.refuse(fault.hint(format!("add the {noun} to `{key}` in the same patch")));
            }
        }
        (!shown.is_empty()).then_some(Value::Object(shown))
    }

    fn options_of_port(
        &mut self,
        keyword: &str,
        fate: &PortFate<'d>,
        change: Option<&Value>,
        draft: &mut Option<Draft>,
        pointer: &Pointer,
    ) -> Option<Value> {
        if let (PortFate::Existing(entry), Some(Value::Object(patch))) = (fate, change)
            && entry.is_block()
        {
            let current = merge::contents_value(*entry);
            let current = current.as_object().cloned().unwrap_or_default();
            self.plan.guarded.members(Schema::media().unknown(), &current, patch, pointer);
        }
        let target = match fate {
            PortFate::Existing(entry) if entry.is_block() => self.options_after(*entry, change, pointer),
            _ => {
                let mut general = GeneralMerge { faults: &mut self.faults };
                change.and_then(|change| general.keyword(keyword, &[], change, pointer))
            }
        };
        let block = target.as_ref().and_then(Value::as_object);
        let unknown = Schema::media().unknown();
        match fate {
            PortFate::Existing(entry) => self.block(*entry, block, pointer),
            PortFate::Stripped(entry) => self.other_block(*entry, block),
            PortFate::New => draft
                .iter_mut()
                .for_each(|draft| draft.block = block.map(|block| emit::contents(unknown, block))),
        }
        target
    }

    fn options_after(
        &mut self,
        entry: Entry<'d>,
        change: Option<&Value>,
        pointer: &Pointer,
    ) -> Option<Value> {
        match change {
            None => Some(merge::contents_value(entry)),
            Some(patch) => {
                let mut general = GeneralMerge { faults: &mut self.faults };
                Some(Value::Object(general.contents(entry, patch.as_object()?, pointer)))
            }
        }
    }
}

/// Identifies a port in a list: its value, and its number among equal ones if that matters; `None` for
/// one that is to be removed.
type Identity<'v> = Option<(&'v Value, usize)>;

/// Two directives with the same port are interchangeable, unless one has a block, which is removed only
/// with its port: then bare ones are removed first, and the others keep their order, as the last counts.
fn identities<'v>(
    entries: &[Entry<'_>],
    old: &'v [Value],
    new: &'v [Value],
) -> (Vec<Identity<'v>>, Vec<Identity<'v>>) {
    let (old_places, new_places) = (places(old), places(new));
    let mut before: Vec<Identity<'v>> = old.iter().map(|port| Some((port, 0))).collect();
    let mut after: Vec<Identity<'v>> = new.iter().map(|port| Some((port, 0))).collect();
    for (port, places) in old_places {
        let (blocks, bare): (Vec<usize>, Vec<usize>) = places.iter().partition(|&&at| entries[at].is_block());
        if blocks.is_empty() || places.len() == 1 {
            continue;
        }
        let wanted = new_places.get(port).map_or(&[][..], Vec::as_slice);
        let mut staying: Vec<usize> = blocks.into_iter().rev().chain(bare).take(wanted.len()).collect();
        staying.sort_unstable();
        places.iter().for_each(|&at| before[at] = None);
        staying.iter().enumerate().for_each(|(number, &at)| before[at] = Some((port, number)));
        wanted.iter().enumerate().for_each(|(number, &at)| after[at] = Some((port, number)));
    }
    (before, after)
}

/// The places of each value in a list.
fn places(values: &[Value]) -> HashMap<&Value, Vec<usize>> {
    let mut places: HashMap<&Value, Vec<usize>> = HashMap::new();
    values.iter().enumerate().for_each(|(index, value)| places.entry(value).or_default().push(index));
    places
}

/// The place of the directive whose block is shown for each port: of several, the last that has a
/// block; where none has one, the last.
fn counting<'v>(fates: &[PortFate<'_>], ports: &'v [Value]) -> HashMap<&'v Value, usize> {
    let has_block = |at: &usize| matches!(fates[*at], PortFate::Existing(entry) if entry.is_block());
    let last = |places: Vec<usize>| {
        places.iter().rev().find(|at| has_block(at)).or(places.last()).copied().unwrap_or_default()
    };
    places(ports).into_iter().map(|(port, places)| (port, last(places))).collect()
}
