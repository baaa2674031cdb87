//! Finds the entries of the text that a path leads to.

use std::iter::repeat_n;
use std::ops::Range;

use crate::edit::surroundings::Surroundings;
use crate::model::top_members;
use crate::query::{Config, Path, Segment};
use crate::schema::codec::{Address, DirectiveForm};
use crate::schema::fault::Fault;
use crate::schema::members::{Members, first_argument, inner_scope};
use crate::schema::{Kind, Schema};
use crate::syntax::{Document, Entry, line_end};

/// The entries that a path leads to: a block, or the directives that say a value.
struct FoundEntries<'d, 'p> {
    /// There is at least one.
    entries: Vec<Entry<'d>>,
    /// The rest of the path, which leads into them.
    below: &'p [Segment],
    /// False if the path names something else in this block, which is not there.
    is_there: bool,
}

fn find<'d, 'p>(members: &Members<'d>, segments: &'p [Segment]) -> Option<FoundEntries<'d, 'p>> {
    let (key, below) = (segments.first()?.name()?, &segments[1..]);
    let row = members.scope().by_key(key);
    let entries = row.map_or_else(|| members.foreign_by_key(key), |row| members.read_by(row));
    let facts = row.map(|row| row.codec.facts()).unwrap_or_default();
    let is_of_list = facts.entries_of.is_some();
    let has_names = match row {
        Some(_) => facts.group.is_some() || is_of_list,
        None => DirectiveForm::from_entries(entries) == DirectiveForm::NamedBlocks,
    };
    let (entries, below): (Vec<Entry<'d>>, _) = match (below, row) {
        ([Segment::Key(name), inside @ ..], _) if has_names => {
            let is_meant =
                |entry: &&Entry<'_>| first_argument(**entry) == *name && (entry.is_block() || !is_of_list);
            (entries.iter().filter(is_meant).copied().collect(), inside)
        }
        _ if is_of_list => return None,
        ([Segment::Index(at), inside @ ..], Some(row)) if row.takes_elements() => {
            // A line may have several sources.
            let count = |entry| facts.sources.map_or(1, |_| Address::of_entry(entry).count());
            let mut each = entries.iter().flat_map(|entry| repeat_n(*entry, count(*entry)));
            (each.nth(*at).into_iter().collect(), if facts.list.is_some() { inside } else { below })
        }
        // Of a directive that stands there twice, the last one counts.
        (_, Some(row)) if !row.takes_elements() && !has_names => {
            (entries.last().into_iter().copied().collect(), below)
        }
        _ => (entries.to_vec(), below),
    };
    let block = entries.iter().copied().find(|_| (has_names || row.is_none()) && !below.is_empty());
    let Some(block) = block.filter(|block| block.is_block() && entries.len() == 1) else {
        return (!entries.is_empty()).then_some(FoundEntries { entries, below, is_there: true });
    };
    let scope = facts.group.map_or_else(|| inner_scope(block), Kind::scope);
    let inside = find(&Members::group(scope, block.children()), below);
    inside.or(Some(FoundEntries { entries, below, is_there: false }))
}

impl<'d> Config<'d> {
    /// The entry that says the value at a path, or else the nearest block around it; `None` if there is none.
    pub fn entry_at(&self, path: &[Segment]) -> Option<Entry<'d>> {
        find(self.members(), path)?.entries.first().copied()
    }

    /// The one entry that a path stands for: a block by its name, or a directive; `None` if it is a part of an entry,
    /// several entries, or none.
    pub fn own_entry_at(&self, path: &[Segment]) -> Option<Entry<'d>> {
        let is_group =
            path.len() == 1 && path[0].name().is_some_and(|key| Schema::media().kind(key).is_some());
        let found = find(self.members(), path).filter(|found| found.is_there && !is_group)?;
        match &found.entries[..] {
            [entry] if found.below.is_empty() => Some(*entry),
            _ => None,
        }
    }
}

impl Document {
    /// Returns the bytes of the entry at `path`, in a document without errors: as far as no other entry shares them, its
    /// lines and the comment lines above, without the heading of a group. A path that leads into a directive stands for
    /// all of it.
    ///
    /// # Errors
    /// An absence if there is no such entry; another fault if the path stands for several places.
    pub fn lines_of(&self, path: &Path) -> Result<Range<usize>, Fault> {
        if path.first_pattern().is_some() {
            return Err(Fault::of_path("`*` stands for several entries").hint("name one of them").at(path));
        }
        let members = top_members(self);
        let names = &path.segments[..path.split_names().0.len()];
        let found = find(&members, names).filter(|found| found.is_there).map(|found| found.entries);
        let (Some(first), Some(last)) = (found.iter().flatten().next(), found.iter().flatten().last()) else {
            let kind = names.first().and_then(Segment::name).and_then(|key| Schema::media().kind(key));
            return Err(match (kind, names) {
                (Some(kind), [_, Segment::Key(name), ..]) if find(&members, &names[..2]).is_none() => {
                    Fault::absent(format!("there is no {} `{name}`", kind.noun()))
                }
                _ => Fault::absent("no directive of the text sets it"),
            }
            .at(path));
        };
        let (start, end) = (first.start(), last.end());
        let mut beside = self.entries();
        while let Some(around) = beside.clone().find(|entry| entry.start() < start && entry.end() >= end) {
            beside = around.children();
        }
        if beside.filter(|entry| (start..end).contains(&entry.start())).count()
            > found.iter().flatten().count()
        {
            let fault = Fault::of_path("it stands in several places of the text")
                .hint("`mediactl edit` without a PATH opens the whole text");
            return Err(fault.at(path));
        }
        let around = Surroundings::new(self);
        let start = if around.begins_line(start) { around.comments_with(*first) } else { start };
        let line_end = line_end(self.text(), end);
        let rest = self.text()[end..line_end].trim();
        Ok(start..if rest.is_empty() || rest.starts_with('#') { line_end } else { end })
    }
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
        document.lines_of(&path).map(|range| &TEXT[range]).map_err(|fault| fault.to_string())
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
