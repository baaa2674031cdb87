//! Proves, before anything is written, that the new text reads as the merged values.
//!
//! Only the touched members are compared. That is sound, because the own view of an entry depends on
//! its bytes alone, and every byte outside the splices is the old one by construction.

use std::collections::HashMap;

use serde_json::Value;
use thiserror::Error;

use super::merge::{named_value, own_lens};
use super::plan::{Plan, proof_of};
use crate::model::View;
use crate::model::member::Members;
use crate::model::names::NameSet;
use crate::model::shape::group_name;
use crate::schema::json_value::is_empty;
use crate::schema::{Kind, Parameter, Schema, Scope};
use crate::syntax::Document;

/// The new text does not read as the merged values.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the edit of `{at}` could not be verified")]
pub struct Unproved {
    /// The path of the first difference.
    pub at: String,
}

/// Compares the values of the new text with those that the plan promised.
pub fn verify(old: &Members<'_>, new: &Members<'_>, edited: &Document, plan: &Plan) -> Result<(), Unproved> {
    if edited.diagnostics().errors() > 0 {
        return Err(Unproved { at: "(text)".to_owned() });
    }
    let lens = own_lens();
    let view = View::new(new, &lens);
    for (key, value) in &plan.members {
        same(old.scope(), view.member(key).as_ref(), value.as_ref(), key)?;
    }
    for &kind in Schema::media().kinds {
        group(kind, old, new, plan)?;
    }
    Ok(())
}

/// A value that is always shown may be missing where it is empty.
fn same(top: Scope, found: Option<&Value>, expected: Option<&Value>, at: &str) -> Result<(), Unproved> {
    let equal = match (found, expected) {
        (Some(found), Some(expected)) => {
            let row = top.by_key(at);
            found == expected && row.is_none_or(|row| same_order(row, found, expected))
        }
        (found, expected) => found.is_none_or(is_empty) && expected.is_none_or(is_empty),
    };
    if equal { Ok(()) } else { Err(Unproved { at: at.to_owned() }) }
}

/// The order of the options of an address matters.
fn same_order(row: &Parameter, found: &Value, expected: &Value) -> bool {
    let Some(shape) = row.codec.facts().address else { return true };
    shape.options_of(found).map(|(key, _)| key).eq(shape.options_of(expected).map(|(key, _)| key))
}

fn group(kind: Kind, old: &Members<'_>, new: &Members<'_>, plan: &Plan) -> Result<(), Unproved> {
    let named = plan.named.iter().filter(|target| target.kind == kind);
    let targets: HashMap<&str, Option<&Vec<u8>>> =
        named.map(|target| (target.name.as_str(), target.proof.as_ref())).collect();
    let order = plan.orders.iter().find(|(of, _)| *of == kind).map(|(_, names)| names);
    let (old_entries, new_entries) = (old.own_by_key(kind.key()), new.own_by_key(kind.key()));
    let touched = NameSet::new(targets.keys().copied());
    let mut found = 0;
    for &entry in new_entries {
        let name = group_name(entry);
        let Some(target) = touched.find(&name.value()).and_then(|name| targets.get(name)) else { continue };
        let at = || Unproved { at: format!("{}.{}", kind.key(), name.value()) };
        let expected = target.ok_or_else(at)?;
        if proof_of(kind, &named_value(kind, entry)) != *expected {
            return Err(at());
        }
        found += 1;
    }
    let deleted = targets.values().filter(|target| target.is_none()).count();
    let count = (old_entries.len() + plan.created(kind)).checked_sub(deleted);
    let wanted = targets.values().filter(|target| target.is_some()).count();
    let names_in_order = order.is_none_or(|names| {
        new_entries.len() == names.len()
            && new_entries.iter().zip(names).all(|(entry, name)| group_name(*entry).value() == name.as_str())
    });
    if found == wanted && names_in_order && count == Some(new_entries.len()) {
        Ok(())
    } else {
        Err(Unproved { at: kind.key().to_owned() })
    }
}
