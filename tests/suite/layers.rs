//! The architecture: which room names which, that a name of a type stands for one thing, that the library does no I/O, and that
//! the walks of `docs/architecture.md` are those of the code. Code is read line by line, without comments and tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The layers; each names only itself and those in front of it.
const LAYERS: &str = "mediaconf/syntax mediaconf/schema mediaconf/secret mediaconf/check mediaconf/query mediaconf/edit \
                      mediaconf/merge mediaconf/show mediaconf/request store engine node http lsp cli";

/// What a folder or file does not name, although its layer may.
const FORBIDDEN: &[(&str, &str)] = &[
    // The store does not look into the text that it keeps; the engine knows a store by its port.
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

/// What is not in `mediaconf`: I/O, clocks, threads, and packages of them or of a program, which would come to whoever links it.
const IMPURE: &str =
    "std::fs std::net std::process std::env std::time std::thread print!( println!( eprint!( eprintln!(";
const PACKAGES: &str = "clap hyper reqwest ring rustix rustls signal-hook tempfile tiny_http";

/// The code of the files below a folder by their names, which begin with `name`.
fn read(folder: &Path, name: &str, code: &mut BTreeMap<String, String>) {
    for entry in
        fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it can be read"))
    {
        let file = entry.file_name().into_string().expect("names are text");
        match file.strip_suffix(".rs") {
            None if entry.path().is_dir() => read(&entry.path(), &format!("{name}{file}/"), code),
            Some(stem) if stem != "tests" && !stem.ends_with("_tests") => {
                let text = fs::read_to_string(entry.path()).expect("it is text");
                let lines = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines();
                let lines: Vec<&str> = lines.filter(|line| !line.trim_start().starts_with("//")).collect();
                code.insert(format!("{name}{stem}"), lines.join("\n"));
            }
            _ => {}
        }
    }
}

fn code() -> BTreeMap<String, String> {
    let mut code = BTreeMap::new();
    read(&Path::new(ROOT).join("src"), "", &mut code);
    read(&Path::new(ROOT).join("crates/mediaconf/src"), "mediaconf/", &mut code);
    code
}

/// The modules that a file names, as paths such as `store/file`, with what stands behind them.
fn named(file: &str, code: &str) -> Vec<String> {
    let root = if file.starts_with("mediaconf/") { "mediaconf/" } else { "" };
    let module = file.strip_suffix("/mod").unwrap_or(file);
    let mut found = Vec::new();
    for (start, base) in [("crate::", root), ("mediaconf::", "mediaconf/"), ("super::", module)] {
        let is_start =
            |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        for (at, _) in code.match_indices(start).filter(|(at, _)| is_start(*at)) {
            let (mut rest, mut base) = (&code[at..], base);
            while let Some(inner) = rest.strip_prefix("super::") {
                (rest, base) =
                    (inner, base.trim_end_matches('/').rsplit_once('/').map_or("", |(above, _)| above));
            }
            let rest = rest.strip_prefix(start).unwrap_or(rest);
            let end =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
            let group = rest[end..].strip_prefix('{').and_then(|group| group.split("};").next());
            let members = group.map_or(vec![""], |group| group.split([',', '{', '}']).collect());
            let path =
                |member: &str| format!("{}/{}{}", base.trim_end_matches('/'), &rest[..end], member.trim());
            found.extend(
                members
                    .into_iter()
                    .map(|member| path(member).replace("::", "/").trim_start_matches('/').to_owned()),
            );
        }
    }
    found
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
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for (file, code) in code() {
        for line in code.lines() {
            let mut words = line
                .split([' ', '<', '(', ';', '{'])
                .skip_while(|word| word.starts_with("pub") || *word == "crate)");
            let is_type = words.next().is_some_and(|word| ["struct", "enum", "trait"].contains(&word));
            let Some(name) = words.next().filter(|_| is_type) else { continue };
            assert_eq!(
                places.insert(name.to_owned(), file.clone()),
                None,
                "`{name}` of {file} is there already"
            );
        }
    }
    assert!(places.len() > 100);
}

#[test]
fn the_walks_in_the_architecture_page_are_those_of_the_code() {
    let code = code();
    let page = fs::read_to_string(Path::new(ROOT).join("docs/architecture.md")).expect("the page is there");
    // The steps that lead to the current one, the outermost first.
    let mut above: Vec<(usize, &str, &str)> = Vec::new();
    for line in page.lines() {
        let step = line.trim_start().split_once(".rs: ").filter(|(file, _)| !file.contains(' '));
        let Some((file, rest)) = step else { continue };
        let (indent, name) =
            (line.len() - line.trim_start().len(), rest.split(' ').next().unwrap_or_default());
        assert!(code[file].contains(&format!("fn {name}")), "{file} has no function `{name}`");
        above.retain(|(outer, ..)| *outer < indent);
        if let Some((_, caller, function)) = above.last() {
            let head = format!("fn {function}");
            let mentions = |body: &str| body.split("\n}").next().is_some_and(|body| body.contains(name));
            assert!(code[*caller].split(&head).skip(1).any(mentions), "`{function}` of {caller}: `{name}`");
        }
        above.push((indent, file, name));
    }
}

#[test]
fn mediaconf_needs_no_package_of_a_program() {
    let mut tree = Command::new(env!("CARGO"));
    tree.args("tree --package mediaconf --edges normal --prefix none --offline --locked".split(' '))
        .current_dir(ROOT);
    let output = tree.output().expect("cargo runs the tests");
    let packages = String::from_utf8_lossy(&output.stdout);
    let is_needed = |package: &&str| packages.lines().any(|line| line.split(' ').next() == Some(*package));
    assert!(is_needed(&"serde_json"), "{packages}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(PACKAGES.split(' ').find(is_needed), None);
}
