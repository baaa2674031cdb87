//! A new entry, before it is laid out as text.

/// A new entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its words as they are written, the keyword first.
    pub head: String,
    /// The entries of its block, if it has one.
    pub block: Option<Vec<Draft>>,
}

/// The style of the lines around a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// The white space in front of each line.
    pub indent: String,
    /// The white space that one level of nesting adds.
    pub unit: String,
    /// The line end.
    pub newline: &'static str,
}

impl Draft {
    /// `keyword words;`
    pub fn directive(keyword: &str, words: impl IntoIterator<Item = String>) -> Self {
        let words = words.into_iter().map(|word| format!(" {word}"));
        Self { head: keyword.to_owned() + &words.collect::<String>(), block: None }
    }

    /// Writes it on lines of its own, without the last line end.
    pub fn lines(&self, style: &Style) -> String {
        match &self.block {
            None => format!("{}{};", style.indent, self.head),
            Some(entries) => format!("{}{} {}", style.indent, self.head, block_lines(entries, style)),
        }
    }

    /// Writes it on one line.
    pub fn inline(&self) -> String {
        match &self.block {
            None => format!("{};", self.head),
            Some(entries) => {
                let entries: String = entries.iter().map(|entry| format!("{} ", entry.inline())).collect();
                format!("{} {{ {entries}}}", self.head)
            }
        }
    }
}

/// Writes `{ … }` with each entry on a line of its own.
pub fn block_lines(entries: &[Draft], style: &Style) -> String {
    let nested = Style { indent: format!("{}{}", style.indent, style.unit), ..style.clone() };
    let lines: String = entries.iter().map(|entry| entry.lines(&nested) + style.newline).collect();
    format!("{{{}{lines}{}}}", style.newline, style.indent)
}
