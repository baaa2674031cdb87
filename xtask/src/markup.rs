//! The markup of the pages in `pages/`, a small part of Markdown:
//!
//! ```text
//! # SECTION              ## Subsection           - a point
//! `as it is typed`       *what is replaced*      {{VALUE}}
//!
//! TERM                   | a table | of cells |      verbatim text, with four blanks in front
//! : its explanation
//! ```
//!
//! Empty lines separate blocks, and a backslash at the end of a line breaks it.

use crate::page::Page;

const VERBATIM: &str = "    ";

/// Replaces each `{{NAME}}` by the value of that name.
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut parts = template.split("{{");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}").expect("a placeholder ends");
        let value = values.iter().find(|(known, _)| *known == name);
        text += &value.unwrap_or_else(|| panic!("{{{{{name}}}}} has no value")).1;
        text += rest;
    }
    text
}

/// Writes text with markup to a page.
pub fn render(text: &str, page: &mut Page) {
    let mut blocks = text.split("\n\n").map(|block| block.trim_end_matches('\n')).peekable();
    while let Some(block) = blocks.next() {
        if block.starts_with(VERBATIM) {
            let mut lines = verbatim(block);
            while let Some(more) = blocks.next_if(|block| block.starts_with(VERBATIM)) {
                lines = lines + "\n" + &verbatim(more);
            }
            page.verbatim(&lines);
        } else if !block.is_empty() {
            render_block(block, page);
        }
    }
}

fn render_block(block: &str, page: &mut Page) {
    if let Some(heading) = block.strip_prefix("# ") {
        page.section(heading);
    } else if let Some(heading) = block.strip_prefix("## ") {
        page.subsection(heading);
    } else if let Some(points) = block.strip_prefix("- ") {
        points.split("\n- ").for_each(|point| page.point(&one_line(point)));
    } else if block.starts_with("| ") {
        let rows: Vec<Vec<&str>> = block.lines().map(cells).collect();
        page.table(&rows);
    } else if let Some((term, explanation)) = block.split_once("\n: ") {
        page.term(term);
        render_rows(explanation, page);
    } else {
        page.paragraph();
        render_rows(block, page);
    }
}

/// The lines of a block that a backslash separates.
fn render_rows(block: &str, page: &mut Page) {
    for (number, row) in block.split("\\\n").enumerate() {
        if number > 0 {
            page.line_break();
        }
        page.line(&one_line(row));
    }
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim_start).collect::<Vec<_>>().join(" ")
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').trim().split(" | ").collect()
}

fn verbatim(block: &str) -> String {
    block.lines().map(|line| format!("{}\n", line.strip_prefix(VERBATIM).unwrap_or(line))).collect()
}

/// Terms with their explanations, as markup.
pub fn terms(terms: impl IntoIterator<Item = (String, String)>) -> String {
    let blocks: Vec<String> =
        terms.into_iter().map(|(term, explanation)| format!("{term}\n: {explanation}")).collect();
    blocks.join("\n\n")
}
