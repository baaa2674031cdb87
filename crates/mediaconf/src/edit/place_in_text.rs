//! Finds the entry of the text that a path leads to.

use super::path::Segment;
use crate::schema::codec::{Address, DirectiveForm, group_name};
use crate::schema::members::{Members, first_argument, inner_scope};
use crate::schema::{Schema, Scope};
use crate::syntax::Entry;

/// The entry that says the value at a path, or else the nearest block around it; `None` if there is none.
pub fn entry_at<'d>(members: &Members<'d>, segments: &[Segment]) -> Option<Entry<'d>> {
    let (first, below) = segments.split_first()?;
    let key = first.name()?;
    let Some(row) = members.scope().by_key(key) else {
        return foreign(members.foreign_by_key(key), below);
    };
    let entries = members.own(row);
    let name = below.first().and_then(Segment::name);
    if let Some(kind) = row.codec.facts().group {
        let Some(name) = name else { return entries.first().copied() };
        let block = entries.iter().copied().find(|&entry| group_name(entry).value() == name)?;
        return Some(inside(block, kind.scope(), &below[1..]).unwrap_or(block));
    }
    if row.codec.facts().entries_of.is_some() {
        let mut blocks = members.read_by(row).iter().copied().filter(|entry| entry.is_block());
        let block = blocks.find(|&entry| Some(&*first_argument(entry)) == name)?;
        return Some(inside(block, Schema::media().unknown(), &below[1..]).unwrap_or(block));
    }
    match below.first() {
        _ if !row.takes_elements() => entries.last().copied(),
        Some(Segment::Index(at)) => {
            let is_sources = row.codec.facts().sources.is_some();
            let mut passed = 0;
            entries.iter().copied().find(|&entry| {
                passed += if is_sources { Address::of_entry(entry).count() } else { 1 };
                passed > *at
            })
        }
        _ => entries.first().copied(),
    }
}

fn inside<'d>(block: Entry<'d>, scope: Scope, segments: &[Segment]) -> Option<Entry<'d>> {
    entry_at(&Members::group(scope, block.children()), segments)
}

fn foreign<'d>(entries: &[Entry<'d>], below: &[Segment]) -> Option<Entry<'d>> {
    let name = below.first().and_then(Segment::name);
    match (DirectiveForm::from_entries(entries), name) {
        (_, None) => entries.first().copied(),
        (DirectiveForm::NamedBlocks, Some(name)) => {
            let block = entries.iter().copied().find(|&entry| first_argument(entry) == name)?;
            Some(inside(block, inner_scope(block), &below[1..]).unwrap_or(block))
        }
        (DirectiveForm::Block, Some(_)) => {
            let block = *entries.first()?;
            Some(inside(block, inner_scope(block), below).unwrap_or(block))
        }
        _ => entries.first().copied(),
    }
}

/// The one entry that a path stands for: a block by its name, or a directive that stands there once; `None` if it is a
/// part of an entry, several entries, or none.
pub fn own_entry_at<'d>(members: &Members<'d>, segments: &[Segment]) -> Option<Entry<'d>> {
    let (first, below) = segments.split_first()?;
    let key = first.name()?;
    let name = below.first().and_then(Segment::name);
    let Some(row) = members.scope().by_key(key) else {
        let entries = members.foreign_by_key(key);
        return match (DirectiveForm::from_entries(entries), name) {
            (DirectiveForm::NamedBlocks, Some(name)) => {
                let mut named = entries.iter().copied().filter(|&entry| first_argument(entry) == name);
                let block = named.next().filter(|_| named.next().is_none())?;
                own_or_inside(block, inner_scope(block), &below[1..])
            }
            (DirectiveForm::Block, _) => {
                let block = only(entries)?;
                own_or_inside(block, inner_scope(block), below)
            }
            (_, None) if below.is_empty() => only(entries),
            _ => None,
        };
    };
    let entries = members.own(row);
    match (row.codec.facts().group, name) {
        (Some(kind), Some(name)) => {
            let block = entries.iter().copied().find(|&entry| group_name(entry).value() == name)?;
            own_or_inside(block, kind.scope(), &below[1..])
        }
        (Some(_), None) => None,
        _ if row.codec.facts().list.is_some() && below.len() == 1 => match below[0] {
            Segment::Index(at) => entries.get(at).copied(),
            _ => None,
        },
        _ if below.is_empty() => only(entries),
        _ => None,
    }
}

fn only<'d>(entries: &[Entry<'d>]) -> Option<Entry<'d>> {
    if let [one] = entries { Some(*one) } else { None }
}

fn own_or_inside<'d>(block: Entry<'d>, scope: Scope, below: &[Segment]) -> Option<Entry<'d>> {
    match below.is_empty() {
        true => Some(block),
        false => own_entry_at(&Members::group(scope, block.children()), below),
    }
}
