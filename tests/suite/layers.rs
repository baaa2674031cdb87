//! The architecture: which layer names which, and that a name stands for one thing. Code is parsed, so that comments and strings do not count.

mod arrows;
mod source;
mod walks;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use source::Source;

/// The layers; each names only itself and those in front of it.
const LAYERS: &[&str] = &[
    "mediaconf/syntax",
    "mediaconf/schema",
    "mediaconf/secret",
    "mediaconf/check",
    "mediaconf/query",
    "mediaconf/edit",
    "mediaconf/merge",
    "mediaconf/show",
    "mediaconf/request",
    "store",
    "engine",
    "node",
    "http",
    "lsp",
    "cli",
];

/// The libraries; reading them takes seconds.
static SOURCE: LazyLock<Source> = LazyLock::new(Source::read);

/// Packages of I/O, of threads, or of one program, which would come to whoever links `mediaconf`.
const NOT_IN_MEDIACONF: &[&str] =
    &["clap", "hyper", "reqwest", "ring", "rustix", "rustls", "signal-hook", "tempfile", "tiny_http"];

/// What a folder or file does not name, although its layer may.
const FORBIDDEN: &[(&str, &[&str])] = &[
    // The store does not look into the text that it keeps.
    ("store", &["mediaconf"]),
    // The engine knows a store by its port.
    ("engine", &["store/file", "store/etcd"]),
    // An editor has a text on this machine.
    ("lsp", &["node", "http"]),
    // A server does not know that it is a node.
    ("http", &["node"]),
    // The two ends of the API share only what both say.
    ("http/api.rs", &["http/server", "http/client"]),
    ("http/server", &["http/client"]),
    ("http/client", &["http/server"]),
    // The console is files: it knows no configuration and no request.
    ("http/console", &["store", "engine", "http/api.rs", "http/server", "http/client", "mediaconf"]),
];

#[test]
fn a_layer_names_only_layers_to_its_left() {
    let arrows = arrows::arrows(&SOURCE);
    let mut faults = Vec::new();
    for (from, needed) in &arrows {
        for (to, names) in needed {
            let goes_up = layer(from).zip(layer(to)).is_some_and(|(from, to)| to > from);
            let is_forbidden = FORBIDDEN.iter().any(|(folder, others)| {
                from.starts_with(folder) && others.iter().any(|other| to.starts_with(other))
            });
            if goes_up || is_forbidden {
                faults.push(format!("{} names {} ({names:?})", from.display(), to.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_name_of_a_type_stands_for_one_thing() {
    let mut definitions: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    for module in &SOURCE.modules {
        module.types.iter().for_each(|name| definitions.entry(name).or_default().push(&module.file));
    }
    definitions.retain(|_, files| files.len() > 1);
    assert!(definitions.is_empty(), "{definitions:#?}");
}

#[test]
fn the_walks_in_the_architecture_page_are_those_of_the_code() {
    let faults = walks::faults(&SOURCE, "docs/architecture.md");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn mediaconf_does_no_io_takes_no_clock_and_starts_no_thread() {
    for module in SOURCE.below("mediaconf") {
        let imported = module.imports.iter().map(|import| &import.path);
        for path in imported.chain(&module.paths) {
            let is_impure = path.first().is_some_and(|first| first == "std")
                && path.get(1).is_some_and(|name| {
                    ["fs", "net", "process", "env", "time", "thread"].contains(&name.as_str())
                });
            assert!(!is_impure, "{} uses {}", module.file.display(), path.join("::"));
        }
        for name in ["print", "println", "eprint", "eprintln"] {
            assert!(!module.macros.contains(name), "{} uses {name}!", module.file.display());
        }
    }
}

#[test]
fn mediaconf_needs_no_package_of_a_program() {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--package", "mediaconf", "--edges", "normal", "--prefix", "none"]);
    tree.args(["--offline", "--locked"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = tree.output().expect("cargo runs the tests");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let packages: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(packages.contains("serde_json"), "{packages:?}");
    let unwanted: Vec<&&str> = NOT_IN_MEDIACONF.iter().filter(|name| packages.contains(**name)).collect();
    assert!(unwanted.is_empty(), "mediaconf needs {unwanted:?}");
}

#[test]
fn no_glob_imports_and_no_util() {
    for module in &SOURCE.modules {
        // The page of the library hands whole layers on to the program.
        let is_page = module.file == Path::new("mediaconf/lib.rs");
        assert!(is_page || module.imports.iter().all(is_named), "{}", module.file.display());
        assert_ne!(module.file.file_stem().and_then(|stem| stem.to_str()), Some("util"));
    }
}

/// True if an import names what it takes. A prelude is made to be taken as a whole.
fn is_named(import: &source::Import) -> bool {
    import.name.is_some() || import.path.last().is_some_and(|last| last == "prelude")
}

fn layer(file: &Path) -> Option<usize> {
    LAYERS.iter().position(|layer| file.starts_with(layer))
}
