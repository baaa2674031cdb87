//! Splits a path that is being typed at its last segment, which need not be whole.

use crate::edit::path::{Path, Segment};

/// A text that is being typed. A candidate begins with `head`, and its addition begins with `start`.
#[derive(Debug, PartialEq, Eq)]
pub enum Partial<'t> {
    /// A name of a member of the value above.
    Name { above: Vec<Segment>, head: String, start: PartialName<'t> },
    /// The text behind `[`.
    Entry { above: Vec<Segment>, head: &'t str, start: &'t str },
    /// A value behind an operator.
    Value {
        path: Vec<Segment>,
        head: &'t str,
        start: &'t str,
        /// True if the operator is `=` or `!=`.
        is_equal: bool,
    },
}

/// The beginning of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartialName<'t> {
    Bare(&'t str),
    /// Behind a quote that is not closed yet, as it is written.
    Quoted(&'t str),
}

impl PartialName<'_> {
    /// The name itself, as far as it is typed.
    pub fn name(self) -> String {
        match self {
            Self::Bare(start) => start.to_owned(),
            Self::Quoted(start) => start.replace("\\\"", "\"").replace(r"\\", r"\"),
        }
    }

    /// A whole name, in quotes where it needs them or where one is typed.
    pub fn written(self, name: &str) -> String {
        match self {
            Self::Bare(_) if name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => name.to_owned(),
            Self::Bare(_) => Segment::Key(name.to_owned()).to_string(),
            Self::Quoted(_) => format!("\"{}\"", name.replace('\\', r"\\").replace('"', "\\\"")),
        }
    }
}

impl<'t> Partial<'t> {
    /// Splits a text; `None` if no path can begin like that.
    pub fn parse(text: &'t str) -> Option<Self> {
        let (mut in_quotes, mut bracket, mut is_escaped) = (false, None, false);
        // Behind the last `.`.
        let mut name_at = 0;
        for (offset, character) in text.char_indices() {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = in_quotes,
                '"' => in_quotes = !in_quotes,
                _ if in_quotes => {}
                '[' => bracket = Some(offset),
                ']' => bracket = None,
                _ if bracket.is_some() => {}
                '.' => name_at = offset + 1,
                '=' | '~' | '!' => return Self::value(text, offset),
                _ => {}
            }
        }
        if let Some(offset) = bracket {
            let (head, start) = text.split_at(offset + 1);
            return Some(Self::Entry { above: segments(&text[..offset])?, head, start });
        }
        let (above, start) = text.split_at(name_at);
        if start.ends_with(']') {
            let start = PartialName::Bare("");
            return Some(Self::Name { above: segments(text)?, head: format!("{text}."), start });
        }
        let above_path = segments(above.strip_suffix('.').unwrap_or(above))?;
        let start = match start.strip_prefix('"') {
            Some(quoted) => PartialName::Quoted(quoted),
            None => PartialName::Bare(start),
        };
        Some(Self::Name { above: above_path, head: above.to_owned(), start })
    }

    fn value(text: &'t str, offset: usize) -> Option<Self> {
        let operator =
            ["=~", "!=", "=", "~"].into_iter().find(|operator| text[offset..].starts_with(operator))?;
        let (head, start) = text.split_at(offset + operator.len());
        let is_equal = matches!(operator, "=" | "!=");
        Some(Self::Value { path: segments(text[..offset].trim_end())?, head, start, is_equal })
    }
}

fn segments(text: &str) -> Option<Vec<Segment>> {
    match text {
        "" => Some(Vec::new()),
        _ => Path::parse(text).ok().map(|path| path.segments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parsed path above, and what follows.
    fn split(text: &str) -> Option<(String, String, String)> {
        let shown = |segments| Path { segments }.to_string();
        Some(match Partial::parse(text)? {
            Partial::Name { above, head, start: PartialName::Bare(start) } => {
                (shown(above), head, start.to_owned())
            }
            Partial::Name { above, head, start: PartialName::Quoted(start) } => {
                (shown(above), head, format!("\"{start}"))
            }
            Partial::Entry { above, head, start } => (shown(above), head.to_owned(), start.to_owned()),
            Partial::Value { path, head, start, .. } => (shown(path), head.to_owned(), start.to_owned()),
        })
    }

    #[test]
    fn a_text_is_split_at_its_last_segment() {
        for (text, above, head, start) in [
            ("", "", "", ""),
            ("str", "", "", "str"),
            ("streams.", "streams", "streams.", ""),
            ("streams.ca", "streams", "streams.", "ca"),
            ("streams.\"cam.1", "streams", "streams.", "\"cam.1"),
            ("streams.\"cam.1\".pre", "streams.\"cam.1\"", "streams.\"cam.1\".", "pre"),
            ("streams.a.urls[", "streams.a.urls", "streams.a.urls[", ""),
            ("streams.a.urls[0", "streams.a.urls", "streams.a.urls[", "0"),
            ("streams.a.urls[0]", "streams.a.urls[0]", "streams.a.urls[0].", ""),
            ("streams.a.urls[0].u", "streams.a.urls[0]", "streams.a.urls[0].", "u"),
            (
                "streams.a.urls[url=\"udp://1.2\"].",
                "streams.a.urls[url=\"udp://1.2\"]",
                "streams.a.urls[url=\"udp://1.2\"].",
                "",
            ),
            ("streams.*.pre", "streams.*", "streams.*.", "pre"),
            ("streams.a.title=b.c=", "streams.a.title", "streams.a.title=", "b.c="),
            ("title =~x", "title", "title =~", "x"),
            ("title!=x", "title", "title!=", "x"),
        ] {
            let expected = (above.to_owned(), head.to_owned(), start.to_owned());
            assert_eq!(split(text), Some(expected), "{text}");
        }
        for text in ["a..b.", "a[0]b.", "=", "a.[", "a!", "'a.b"] {
            let found = Partial::parse(text);
            let is_nothing =
                found.is_none() || matches!(&found, Some(Partial::Name { above, .. }) if !above.is_empty());
            assert!(is_nothing || text == "=", "{text}: {found:?}");
        }
    }
}
