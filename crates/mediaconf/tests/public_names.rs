//! The public names of the crate are those of the table on its page, and it needs few packages.

use std::collections::BTreeSet;

const PAGE: &str = include_str!("../src/lib.rs");

/// The words of `text` that can be names.
fn names(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

#[test]
fn each_name_at_the_root_is_in_the_table_and_each_of_the_table_is_one() {
    let statements = PAGE.split("\npub use ").skip(1).map(|rest| &rest[..rest.find(';').expect("it ends")]);
    let exported: BTreeSet<&str> = statements
        .flat_map(|statement| names(statement.rsplit_once("::").expect("it names a module").1))
        .collect();
    let rows = PAGE.lines().filter(|line| line.starts_with("//! | "));
    let told: BTreeSet<&str> = rows
        .flat_map(|row| row.split("[`").skip(1))
        .map(|name| name[..name.find('`').expect("it ends")].trim_end_matches("()"))
        .filter(|name| !name.contains("::"))
        .collect();
    assert_eq!(exported, told);
    assert!(exported.len() <= 60, "{} names are no small API", exported.len());
}

#[test]
fn modules_are_private() {
    let modules = PAGE.lines().filter(|line| line.starts_with("pub mod "));
    assert_eq!(modules.count(), 0);
}

/// What would come with the library to whoever links it: nothing of a program.
const PACKAGES: &str = "base64 bytes bytestring foldhash indexmap memchr percent-encoding regex serde serde_json similar strsim thiserror \
                        winnow xxhash-rust";

#[test]
fn it_needs_no_package_of_a_program() {
    let needs = include_str!("../Cargo.toml").split("[dependencies]\n").nth(1).unwrap_or_default();
    let needs = needs.lines().take_while(|line| !line.is_empty());
    let names = needs.filter_map(|line| line.split_once(" =")).map(|(name, _)| name);
    assert_eq!(names.collect::<Vec<_>>().join(" "), PACKAGES);
}
