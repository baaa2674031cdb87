//! The lines of one entry.

use std::ops::Range;

use crate::edit::fault::Fault;
use crate::edit::path::Path;
use crate::edit::surroundings::Surroundings;
use crate::model::member::Members;
use crate::model::shape::first_argument;
use crate::model::top_members;
use crate::schema::{Kind, Schema};
use crate::syntax::{Document, Entry, line_end};

/// Returns the bytes of the entry at `path`, in a document without errors: as far as no other entry shares
/// them, its lines and the comment lines above, without the heading of a group. A path that leads into a directive stands for all of
/// the directive.
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
