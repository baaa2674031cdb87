//! The walks through the code that `docs/architecture.md` shows: each line names a function and its
//! file, and what is indented below it are functions that it mentions.
//!
//! ```text
//! cli/commands/modify.rs: run
//!   engine/local.rs: modify
//! ```

use std::fs;
use std::path::Path;

use super::source::{Function, Source};

/// A line of a walk.
struct Step<'page> {
    indent: usize,
    file: &'page str,
    function: &'page str,
}

/// What is wrong with the walks of a page.
pub fn faults(source: &Source, page: &str) -> Vec<String> {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).expect("the page is there");
    let mut faults = Vec::new();
    // The steps that lead to the current one, the outermost first.
    let mut above: Vec<Step> = Vec::new();
    for line in page.lines() {
        let Some(step) = step(line) else {
            above.clear();
            continue;
        };
        if functions(source, &step).is_empty() {
            faults.push(format!("{} has no function `{}`", step.file, step.function));
        }
        while above.last().is_some_and(|last| last.indent >= step.indent) {
            above.pop();
        }
        if let Some(caller) = above.last()
            && !functions(source, caller).iter().any(|function| function.mentions.contains(step.function))
        {
            faults.push(format!(
                "`{}` of {} does not mention `{}`",
                caller.function, caller.file, step.function
            ));
        }
        above.push(step);
    }
    faults
}

/// Reads `FILE.rs: FUNCTION`, and what follows two blanks is a remark.
fn step(line: &str) -> Option<Step<'_>> {
    let text = line.trim_start();
    let (file, rest) = text.split_once(": ")?;
    let function = rest.split("  ").next().unwrap_or(rest).trim_end();
    let is_step = file.ends_with(".rs") && !file.contains(' ') && !function.contains(' ');
    is_step.then(|| Step { indent: line.len() - text.len(), file, function })
}

fn functions<'source>(source: &'source Source, step: &Step) -> Vec<&'source Function> {
    let modules = source.modules.iter().filter(|module| module.file == Path::new(step.file));
    modules.flat_map(|module| &module.functions).filter(|function| function.name == step.function).collect()
}
