//! The house: a layer names only layers to its left, and the pure ones do no I/O.

use std::fs;
use std::path::{Path, PathBuf};

const LAYERS: &[&str] = &["syntax", "model", "edit", "store", "engine", "http", "cli"];

/// `store` knows nothing of what is in the text, although it stands to the right of those that do.
const FORBIDDEN: &[(&str, &[&str])] = &[("store", &["syntax", "model", "edit"])];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a layer is a folder") {
        let path = entry.expect("a folder can be read").path();
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false => found.push(path),
        }
    }
    found
}

fn source(layer: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(layer)
}

#[test]
fn a_layer_names_only_layers_to_its_left() {
    for (place, layer) in LAYERS.iter().enumerate() {
        let forbidden =
            FORBIDDEN.iter().find(|(of, _)| of == layer).map_or(&[][..], |(_, forbidden)| forbidden);
        for path in sources(&source(layer)) {
            let text = fs::read_to_string(&path).expect("a source is text");
            for other in LAYERS[place + 1..].iter().chain(forbidden) {
                assert!(!text.contains(&format!("crate::{other}")), "{} names {other}", path.display());
            }
        }
    }
}

#[test]
fn the_pure_layers_do_no_io_and_take_no_clock() {
    for layer in ["syntax", "model", "edit"] {
        for path in sources(&source(layer)) {
            if path.ends_with("tests.rs") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source is text");
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for name in
                ["std::fs", "std::net", "std::process", "std::env", "std::time", "println!", "eprintln!"]
            {
                assert!(!text.contains(name), "{} uses {name}", path.display());
            }
        }
    }
}

#[test]
fn no_glob_imports_and_no_util() {
    for layer in LAYERS {
        for path in sources(&source(layer)) {
            let text = fs::read_to_string(&path).expect("a source is text");
            assert!(
                !text.lines().any(|line| line.starts_with("use ")
                    && line.ends_with("::*;")
                    && !line.contains("prelude")
                    && !line.contains("proptest")),
                "{}",
                path.display()
            );
            assert_ne!(path.file_stem().and_then(|stem| stem.to_str()), Some("util"));
        }
    }
}
