//! The text that a person edits in a text editor, and its way back into the configuration.
//!
//! A draft is a piece of the configuration: the whole text, or the lines of one entry ([`lines_of`]). While it has faults,
//! it begins with comments about them, which are taken out again.

use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;

use crate::edit::surroundings::Surroundings;
use crate::edit::{Fault, Path};
use crate::model::top_members;
use crate::schema::members::{Members, first_argument};
use crate::schema::{Kind, Schema};
use crate::syntax::{Document, Entry, line_end};

/// Every line of these comments begins with this, after blanks; no other line should.
const MARK: &str = "#:";

/// The last line of these comments.
const END: &str = "#: ---- the text begins below; these lines are taken out again ----";

/// Returns the number of lines that `notes` take at the top of a draft.
pub fn height(notes: &[String]) -> usize {
    if notes.is_empty() { 0 } else { notes.len() + 1 }
}

/// Returns the draft with `notes`, one line each, as comments on top.
pub fn with_comments<'t>(text: &'t [u8], notes: &[String]) -> Cow<'t, [u8]> {
    if notes.is_empty() {
        return text.into();
    }
    let end = line_end_of(text);
    let lines = notes.iter().map(|note| format!("{MARK} {note}{end}")).chain([format!("{END}{end}")]);
    lines.flat_map(String::into_bytes).chain(text.iter().copied()).collect()
}

/// Returns the draft without such comments, whatever an editor made of them: a line that was put between
/// them stays.
pub fn without_comments(text: Bytes) -> Bytes {
    let lines = || text.split_inclusive(|byte| *byte == b'\n');
    let is_mark = |line: &&[u8]| line.trim_ascii_start().starts_with(MARK.as_bytes());
    let head: usize = match lines().position(|line| line.trim_ascii() == END.as_bytes()) {
        Some(end) => lines().take(end + 1).map(<[u8]>::len).sum(),
        // Without its end, the head reaches as far as there are such lines.
        None => lines().take_while(is_mark).map(<[u8]>::len).sum(),
    };
    if head == 0 {
        return text;
    }
    let (head, rest) = text.split_at(head);
    let kept: Vec<&[u8]> =
        head.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_mark(line)).chain([rest]).collect();
    kept.concat().into()
}

fn line_end_of(text: &[u8]) -> &'static str {
    let first = text.iter().position(|byte| *byte == b'\n');
    if first.is_some_and(|at| text[..at].ends_with(b"\r")) { "\r\n" } else { "\n" }
}

/// Returns the bytes of the entry at `path`, in a document without errors: as far as no other entry shares them, its lines
/// and the comment lines above, without the heading of a group. A path that leads into a directive stands for all of it.
///
/// # Errors
/// An absence if there is no such entry; another fault if the path stands for several places.
pub fn lines_of(document: &Document, path: &Path) -> Result<Range<usize>, Fault> {
    let entries = entries_at(document, path).map_err(|fault| fault.at(path))?;
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return Err(Fault::absent("no directive of the text sets it").at(path));
    };
    let (start, end) = (first.start(), last.end());
    let inside = all_entries(document, start..end).count();
    if inside > entries.len() {
        let fault = Fault::of_path("it stands in several places of the text")
            .hint("`mediactl edit` without a PATH opens the whole text");
        return Err(fault.at(path));
    }
    Ok(first_line(document, *first)..last_line(document.text(), end))
}

/// The entries beside these bytes that begin in them, at the same depth.
fn all_entries(document: &Document, range: Range<usize>) -> impl Iterator<Item = Entry<'_>> {
    let is_around = |entry: &Entry<'_>| entry.start() < range.start && entry.end() >= range.end;
    let around = document.entries().find(is_around);
    let siblings = around.map_or(document.entries(), Entry::children);
    siblings.filter(move |entry| range.contains(&entry.start()))
}

fn entries_at<'d>(document: &'d Document, path: &Path) -> Result<Vec<Entry<'d>>, Fault> {
    if path.first_pattern().is_some() {
        return Err(Fault::of_path("`*` stands for several entries").hint("name one of them"));
    }
    let (names, _) = path.split_names();
    let Some((key, below)) = names.split_first() else {
        return Err(Fault::of_path("the path does not begin with a name"));
    };
    let members = top_members(document);
    let of_key = by_name(entries_of(&members, key), below.first());
    match (Schema::media().kind(key), below) {
        (Some(kind), [name, key, below @ ..]) => {
            let Some(block) = of_key.first() else { return Err(no_block(kind, name)) };
            let members = Members::group(kind.scope(), block.children());
            Ok(by_name(entries_of(&members, key), below.first()))
        }
        (Some(kind), [name]) if of_key.is_empty() => Err(no_block(kind, name)),
        _ => Ok(of_key),
    }
}

fn no_block(kind: Kind, name: &str) -> Fault {
    Fault::absent(format!("there is no {} `{name}`", kind.noun()))
}

fn entries_of<'d>(members: &Members<'d>, key: &str) -> Vec<Entry<'d>> {
    let own = members.own_by_key(key);
    if own.is_empty() { members.foreign_by_key(key).to_vec() } else { own.to_vec() }
}

/// Of blocks with names the one with this name; all entries where they have none.
fn by_name<'d>(entries: Vec<Entry<'d>>, name: Option<&&str>) -> Vec<Entry<'d>> {
    let Some(name) = name else { return entries };
    let is_named = |entry: &Entry<'_>| entry.is_block() && !first_argument(*entry).is_empty();
    let is_group = |entry: &Entry<'_>| Schema::media().group_of(&entry.keyword()).is_some();
    if !entries.iter().all(|entry| is_named(entry) || is_group(entry)) {
        return entries;
    }
    entries.into_iter().filter(|entry| first_argument(*entry) == **name).collect()
}

/// Returns the start of the comment lines above an entry that belong to it, or might; that of the entry itself if its
/// line begins with something else.
fn first_line(document: &Document, entry: Entry<'_>) -> usize {
    let around = Surroundings::new(document);
    match around.begins_line(entry.start()) {
        true => around.comments_with(entry),
        false => entry.start(),
    }
}

/// Returns the end of the line of `offset`; `offset` itself if something other than a comment follows.
fn last_line(text: &str, offset: usize) -> usize {
    let end = line_end(text, offset);
    let rest = text[offset..end].trim();
    if rest.is_empty() || rest.starts_with('#') { end } else { offset }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_on_top_is_taken_out_again() {
        let notes = ["2 errors".to_owned(), "line 4: error: unclosed quote".to_owned()];
        for text in ["", "\n", "http 80;\n", "# a\r\nhttp 80;", "\u{feff}# first\n#: mine\n", "caf\u{e9};"] {
            let shown = Bytes::from(with_comments(text.as_bytes(), &notes).into_owned());
            assert_eq!(without_comments(shown.clone()), text.as_bytes(), "{text}");
            assert_eq!(shown.split(|byte| *byte == b'\n').count(), text.split('\n').count() + height(&notes));
            assert_eq!(&*with_comments(text.as_bytes(), &[]), text.as_bytes());
        }
        assert_eq!(without_comments(Bytes::from_static(b"caf\xe9 #: x;\n")), &b"caf\xe9 #: x;\n"[..]);
    }

    #[test]
    fn an_editor_may_change_them() {
        let shown = with_comments(b"a;\n", &["one".to_owned(), "two".to_owned()]);
        let shown = String::from_utf8(shown.into_owned()).expect("it is text");
        for (edited, text) in [
            (shown.replace("#: one\n", ""), "a;\n"),
            (shown.replace("#: one\n", "b;\n#: one\n\n"), "b;\n\na;\n"),
            (shown.replace("#: one", "   #: one"), "a;\n"),
            (shown.replace(END, ""), "\na;\n"),
            (shown.replace(&format!("{END}\n"), ""), "a;\n"),
        ] {
            assert_eq!(without_comments(edited.clone().into()), text.as_bytes(), "{edited}");
        }
    }

    const TEXT: &str = "\
# the file

http 80;
rtmp 1935; rtsp 554;
http 8080;
# the first
# camera
stream a {
  # where from
  url udp://1;  # one
  url udp://2;
  prepush 5; auth false;
}  # a
stream \"b.c\" { url udp://3; }
file vod { path /srv; }
file old { path /old; }
live l;";

    fn lines(path: &str) -> Result<&'static str, String> {
        let document = Document::parse(TEXT);
        let path = Path::parse(path).expect(path);
        lines_of(&document, &path).map(|range| &TEXT[range]).map_err(|fault| fault.to_string())
    }

    #[test]
    fn an_entry_has_its_lines_and_the_comments_above() {
        for (path, expected) in [
            ("rtmp", "rtmp 1935;"),
            ("streams.a.urls", "  # where from\n  url udp://1;  # one\n  url udp://2;\n"),
            ("streams.a.urls[1].url", "  # where from\n  url udp://1;  # one\n  url udp://2;\n"),
            ("streams.a.prepush", "  prepush 5;"),
            ("streams.a.auth.url", "auth false;\n"),
            ("streams.\"b.c\"", "stream \"b.c\" { url udp://3; }\n"),
            ("streams.\"b.c\".urls", "url udp://3;"),
            ("file.vod", "file vod { path /srv; }\n"),
            ("file", "file vod { path /srv; }\nfile old { path /old; }\n"),
            ("lives.l", "live l;"),
        ] {
            assert_eq!(lines(path), Ok(expected), "{path}");
        }
        let streams = lines("streams").expect("they stand together");
        assert!(streams.starts_with("# the first\n# camera\nstream a {") && streams.ends_with("}\n"));
        assert!(lines("streams.a").expect("it is there").ends_with("}  # a\n"));
    }

    #[test]
    fn a_path_without_an_entry_of_its_own_is_refused() {
        for (path, expected) in [
            ("http", "`http`: it stands in several places of the text"),
            ("streams.x", "`streams.x`: there is no stream `x`"),
            ("streams.x.urls", "`streams.x.urls`: there is no stream `x`"),
            ("streams.a.dvr", "`streams.a.dvr`: no directive of the text sets it"),
            ("file.new", "`file.new`: no directive of the text sets it"),
            ("loglevel", "`loglevel`: no directive of the text sets it"),
            ("streams.*", "`streams.*`: `*` stands for several entries"),
        ] {
            assert_eq!(lines(path), Err(expected.to_owned()), "{path}");
        }
    }
}
