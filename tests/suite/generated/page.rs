//! A manual page, as text with a little markup.
//!
//! In prose, `` `bold` `` is what is typed as it stands and `*italic*` is what stands for something.

use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

/// A manual page that is being written.
pub struct Page {
    source: String,
    has_tables: bool,
}

impl Page {
    /// An empty page. It has no date: one of today would make it differ from day to day.
    pub fn new(title: &str, section: u8) -> Self {
        let program = format!("mediactl {}", env!("CARGO_PKG_VERSION"));
        let mut page = Self { source: String::new(), has_tables: false };
        page.source.push_str(&format!(".TH {title} {section} \"\" \"{program}\" \"mediactl manual\"\n"));
        // Names of options and fields are not hyphenated, and their lines not stretched.
        page.control("nh").control("ad l");
        page
    }

    /// `.SH`
    pub fn section(&mut self, heading: &str) -> &mut Self {
        self.control(&format!("SH {heading}"))
    }

    /// `.SS`
    pub fn subsection(&mut self, heading: &str) -> &mut Self {
        self.control(&format!("SS {heading}"))
    }

    /// A paragraph.
    pub fn text(&mut self, prose: &str) -> &mut Self {
        self.control("PP").line(prose)
    }

    /// A line that starts a section, in which a `.PP` would be one too many.
    pub fn line(&mut self, prose: &str) -> &mut Self {
        self.append(Roff::new().text(inlines(prose)))
    }

    /// A term and what is to be said of it.
    pub fn item(&mut self, term: &str, prose: &str) -> &mut Self {
        self.control("TP").line(term).line(prose)
    }

    /// Terms with what is to be said of them.
    pub fn items(&mut self, items: &[(&str, &str)]) -> &mut Self {
        items.iter().fold(self, |page, (term, prose)| page.item(term, prose))
    }

    /// Points of a list.
    pub fn points(&mut self, points: &[&str]) -> &mut Self {
        points.iter().fold(self, |page, point| page.control("IP \\(bu 2").line(point))
    }

    /// A line of its own within a paragraph.
    pub fn row(&mut self, prose: &str) -> &mut Self {
        self.control("br").line(prose)
    }

    /// Lines that are kept as they are, indented.
    pub fn verbatim(&mut self, text: &str) -> &mut Self {
        if !self.is_at_heading() {
            self.control("PP");
        }
        self.control("RS 4").control("nf");
        for line in text.lines() {
            match line {
                "" => self.control("sp"),
                line => self.append(Roff::new().text([roman(line)])),
            };
        }
        self.control("fi").control("RE")
    }

    /// A table for tbl(1): a heading, and rows of as many cells. The last column takes what is left
    /// of the line, and its cells are filled.
    pub fn table(&mut self, heading: &[&str], rows: &[Vec<String>]) -> &mut Self {
        let columns = vec!["l"; heading.len() - 1].join(" ");
        self.has_tables = true;
        if !self.is_at_heading() {
            self.control("PP");
        }
        self.control("TS").append_lines(&[&format!("{columns} lx.")]);
        self.append_lines(&[&heading
            .iter()
            .map(|cell| format!("\\fI{cell}\\fR"))
            .collect::<Vec<_>>()
            .join("\t")]);
        for row in rows {
            let [cells @ .., last] = &row[..] else { continue };
            let cells: String = cells.iter().map(|cell| one_line(cell) + "\t").collect();
            self.append_lines(&[&format!("{cells}T{{"), &one_line(last), "T}"]);
        }
        self.control("TE")
    }

    /// What clap_mangen makes of a part of a command.
    pub fn rendered(&mut self, source: &[u8]) -> &mut Self {
        let source = std::str::from_utf8(source).expect("roff is text");
        self.source.push_str(&bold_code(&tidy(without_preamble(source))));
        self
    }

    /// The roff of the whole page.
    pub fn finish(&self) -> String {
        let preamble = Roff::new().render();
        // Its first line tells `man` to run the page through tbl(1).
        let tables = if self.has_tables { "'\\\" t\n" } else { "" };
        format!(
            "{tables}.\\\" Generated: MEDIACTL_BLESS=1 cargo test --test suite generated\n{preamble}{}",
            self.source
        )
    }

    fn is_at_heading(&self) -> bool {
        self.source.lines().last().is_some_and(|line| line.starts_with(".S"))
    }

    fn control(&mut self, line: &str) -> &mut Self {
        self.source.push_str(&format!(".{line}\n"));
        self
    }

    fn append_lines(&mut self, lines: &[&str]) -> &mut Self {
        lines.iter().for_each(|line| self.source.push_str(&format!("{line}\n")));
        self
    }

    fn append(&mut self, roff: &Roff) -> &mut Self {
        self.source.push_str(without_preamble(&roff.render()));
        self
    }
}

/// Every piece comes with the definition of an apostrophe, which a page needs once.
fn without_preamble(source: &str) -> &str {
    source.strip_prefix(&Roff::new().render()).unwrap_or(source)
}

/// The roff of a cell.
fn one_line(prose: &str) -> String {
    let roff = Roff::new().text(inlines(prose)).render();
    without_preamble(&roff).trim_end().to_owned()
}

fn inlines(prose: &str) -> Vec<Inline> {
    let mut inlines = Vec::new();
    for (at, part) in prose.split('`').enumerate() {
        match at % 2 {
            1 => inlines.push(bold(part)),
            _ => inlines.extend(part.split('*').enumerate().map(|(at, part)| match at % 2 {
                1 => italic(part),
                _ => roman(part),
            })),
        }
    }
    inlines.retain(|inline| !matches!(inline, Inline::Roman(text) if text.is_empty()));
    inlines
}

/// Possible values stand where the text above them does, with one empty line between.
fn tidy(source: &str) -> String {
    source.replace("\n.br\n\n.br\n", "\n.sp\n").replace(".RS 14\n", ".RS 7\n")
}

/// Help texts mark code with backticks, which a page shows in bold.
fn bold_code(source: &str) -> String {
    source
        .split('`')
        .enumerate()
        .map(|(at, part)| match at % 2 {
            1 => format!("\\fB{part}\\fR"),
            _ => part.to_owned(),
        })
        .collect()
}
