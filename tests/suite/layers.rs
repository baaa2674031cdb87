//! The architecture: which room names which, that a name of a type stands for one thing, and that the library does no I/O.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::pages::sources_below;

/// The layers; each names only itself and those in front of it.
const LAYERS: &str = "mediaconf/syntax mediaconf/schema mediaconf/secret mediaconf/query mediaconf/check mediaconf/edit \
                      mediaconf/merge mediaconf/show mediaconf/request progress store engine node http lsp cli";

/// What a folder or file does not name, although its layer may.
const FORBIDDEN: &[(&str, &str)] = &[
    // The store does not look into the text that it keeps; the engine knows a store by its trait.
    ("store", "mediaconf"),
    ("engine", "store/file store/etcd"),
    // An editor has a text on this machine, and a server does not know that it is a node.
    ("lsp", "node http"),
    ("http", "node"),
    // The two ends of the API share only what both say. The console is files.
    ("http/api", "http/server http/client"),
    ("http/server", "http/client"),
    ("http/client", "http/server"),
    ("http/console", "store engine http/api http/server http/client mediaconf"),
];

/// What is not in `mediaconf`: I/O, clocks, threads, and what would come with them to whoever links it.
const IMPURE: &str =
    "std::fs std::net std::process std::env std::time std::thread print!( println!( eprint!( eprintln!(";

/// The code of all files by their names, line by line, without comments and tests.
fn code() -> BTreeMap<String, String> {
    let (mut code, checkout) = (BTreeMap::new(), Path::new(env!("CARGO_MANIFEST_DIR")));
    for (root, above) in [("src", ""), ("crates/mediaconf/src", "mediaconf/")] {
        for path in sources_below(&checkout.join(root)) {
            let name = path.strip_prefix(checkout.join(root)).expect("it is below").with_extension("");
            let text = fs::read_to_string(&path).expect("it is text");
            let lines = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines();
            let lines: Vec<&str> = lines.filter(|line| !line.trim_start().starts_with("//")).collect();
            code.insert(format!("{above}{}", name.display()), lines.join("\n"));
        }
    }
    code.retain(|name, _| !name.ends_with("tests"));
    code
}

/// The modules that a file names, as paths such as `store/file`, with what stands behind them.
fn named(file: &str, code: &str) -> Vec<String> {
    let root = if file.starts_with("mediaconf/") { "§mediaconf::" } else { "§" };
    let module: Vec<&str> = file.split('/').filter(|part| *part != "mod").collect();
    let above = |levels: usize| format!("§{}::", module[..module.len().saturating_sub(levels)].join("::"));
    let code = code.replace("super::super::", &above(2)).replace("super::", &above(1));
    let code = code.replace("crate::", root).replace("mediaconf::", "§mediaconf::");
    let paths = code.split('§').skip(1).flat_map(|path| {
        let end = path.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(path.len());
        let (path, rest) = path.split_at(end);
        let group = rest.strip_prefix('{').and_then(|group| group.split("};").next()).unwrap_or_default();
        group.split([',', '{', '}']).map(move |member| format!("{path}{}", member.trim()).replace("::", "/"))
    });
    paths.collect()
}

#[test]
fn a_room_names_only_rooms_to_its_left() {
    let layer = |path: &str| LAYERS.split(' ').position(|layer| Path::new(path).starts_with(layer));
    for (file, code) in &code() {
        for path in named(file, code) {
            let goes_up = layer(file).zip(layer(&path)).is_some_and(|(from, to)| to > from);
            let is_forbidden = FORBIDDEN.iter().any(|(folder, others)| {
                Path::new(file).starts_with(folder)
                    && others.split(' ').any(|other| Path::new(&path).starts_with(other))
            });
            assert!(!goes_up && !is_forbidden, "{file} names {path}");
        }
        assert!(!file.ends_with("util"), "{file} has no subject");
        let is_impure = |word: &&str| file.starts_with("mediaconf/") && code.contains(*word);
        assert_eq!(IMPURE.split(' ').find(is_impure), None, "{file}");
    }
}

#[test]
fn a_name_of_a_type_stands_for_one_thing() {
    let mut names = BTreeSet::new();
    for (file, code) in code() {
        for line in code.lines() {
            let line =
                line.strip_prefix("pub").and_then(|rest| rest.split_once(' ')).map_or(line, |(_, rest)| rest);
            let (word, rest) = line.split_once(' ').unwrap_or_default();
            let name = rest.split([' ', '<', '(', ';']).next().unwrap_or_default().to_owned();
            let is_type = ["struct", "enum", "trait", "type"].contains(&word);
            assert!(!is_type || names.insert(name), "{file}: {line}");
        }
    }
}
