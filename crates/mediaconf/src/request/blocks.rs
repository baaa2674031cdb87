//! Another name for a stream, live or plugin, a copy of one, and a new one: `mv`, `cp` and `add`.
//!
//! Each is an edit of the text, where there is one, and a merge patch elsewhere: a patch can't rename, so
//! there the block is made anew in the place of the old one.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::edit::{
    AssignOptions, Assignment, ConfigLookup, Edit, EditError, LocalView, Path, Place, Segment, missing,
    modify_members, normalize, own_value, resolved, synced, to_patch,
};
use crate::merge::merge_patch;
use crate::model::{Lens, top_members};
use crate::schema::codec::group_name;
use crate::schema::fault::{Fault, Faults};
use crate::schema::members::Members;
use crate::schema::{Kind, Object, POSITION, STATIC};
use crate::syntax::{Document, Splice};

/// A new name for a block, or a new block.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockRequest {
    /// The content under the new name.
    pub content: BlockContent,
    /// The new name, as a path: `streams.lobby`.
    pub to: Path,
    /// The place of a new block, or of a copy.
    pub place: BlockPlace,
    /// Edits of the new block; their paths begin with `to`.
    pub assignments: Vec<Assignment>,
    /// The options of the edits.
    pub options: AssignOptions,
}

/// The content under a new name.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum BlockContent {
    /// The block that has this path now, and has the new name afterwards.
    Moved(Path),
    /// The content of the block at this path.
    Copied(Path),
    /// A value that is new.
    New(Object),
}

/// The place of a new block among the blocks of its kind.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum BlockPlace {
    /// A copy directly behind its original; a new block behind the last one that begins with its keyword.
    #[default]
    Usual,
    /// Directly behind the block of this name.
    After(String),
    /// Directly in front of the block of this name and of its comments.
    Before(String),
}

/// A block by its group and its name.
#[derive(Clone, Copy)]
struct BlockName<'p> {
    kind: Kind,
    name: &'p str,
}

impl<'p> BlockName<'p> {
    fn from_path(path: &'p Path) -> Result<Self, Fault> {
        match &path.segments[..] {
            [group, Segment::Key(name)] => match Place::resolve(std::slice::from_ref(group)) {
                Ok(Place::Group(kind)) => Ok(Self { kind, name }),
                _ => Err(no_block(path)),
            },
            _ => Err(no_block(path)),
        }
    }

    fn keys(&self) -> [&'p str; 2] {
        [self.kind.key(), self.name]
    }
}

/// The fault of a path that stands for no block.
pub fn no_block(path: &Path) -> Fault {
    let fault = Fault::of_path("expected one stream, live or plugin");
    fault
        .hint(
            "such as `streams.cam1`; a name with a dot is quoted: `streams.\"cam.1\"`; \
             `mv 'streams.cam*' --replace s/cam/gate/` renames many",
        )
        .at(path)
}

impl BlockRequest {
    /// The same with edits of the new block. Their paths begin below it, or name it in full.
    #[must_use]
    pub fn with_edits(mut self, edits: Vec<Assignment>) -> Self {
        let below = |mut assignment: Assignment| {
            if !assignment.path.segments.starts_with(&self.to.segments) {
                assignment.path.segments.splice(0..0, self.to.segments.iter().cloned());
            }
            assignment
        };
        self.assignments = edits.into_iter().map(below).collect();
        self
    }

    /// True if an edit of the text keeps more than a patch: comments, or the place between other
    /// directives.
    pub fn is_of_text(&self) -> bool {
        !matches!(self.content, BlockContent::New(_)) || matches!(self.place, BlockPlace::Before(_))
    }

    /// The merge patch that comes nearest to the request; it can't keep comments.
    ///
    /// # Errors
    /// The block is not there, or the new name is taken.
    pub fn patch(&self, current: &dyn ConfigLookup) -> Result<Value, Faults> {
        let to = BlockName::from_path(&self.to)?;
        let from = self.source(current, to)?;
        if from.is_some_and(|from| from.name == to.name) {
            return Ok(json!({}));
        }
        let group = to.kind.key();
        let mut block = match (&self.content, from) {
            (BlockContent::New(value), _) => Value::Object(value.clone()),
            (_, from) => from
                .and_then(|from| current.value(&from.keys()))
                .and_then(|value| own_value(Place::Block(to.kind), &value))
                .unwrap_or_default(),
        };
        if !self.assignments.is_empty() {
            let alone = json!({ group: { to.name: block.clone() } });
            let computed = to_patch(&alone, &self.assignments, &[], self.options)?;
            if let Some(patch) = computed.patch.get(group).and_then(|group| group.get(to.name)) {
                merge_patch(&mut block, patch);
            }
        }
        let names = current.names(&[group]);
        let is_placed = block.get(POSITION).is_some();
        match (&self.content, from) {
            (BlockContent::Moved(_), Some(from)) => {
                let place = names.iter().position(|name| name == from.name);
                block[POSITION] = json!(place.map_or(1, |place| place + 1));
            }
            (_, from) => {
                let is_static = block.get(STATIC) != Some(&Value::Bool(false));
                let place = self.index(current, &names, (to.kind, from), is_static)?;
                let is_usual = matches!(self.place, BlockPlace::Usual);
                if place < names.len() && !(is_usual && is_placed) {
                    block[POSITION] = json!(place + 1);
                }
            }
        }
        let mut blocks = Map::from_iter([(to.name.to_owned(), block)]);
        if let (BlockContent::Moved(_), Some(from)) = (&self.content, from) {
            blocks.insert(from.name.to_owned(), Value::Null);
        }
        Ok(json!({ group: blocks }))
    }

    /// The edit of a text; `None` if it changes nothing.
    ///
    /// # Errors
    /// The block is not there, or the new name is taken.
    pub fn edit(&self, document: &Document, members: &Members<'_>) -> Result<Option<Edit>, EditError> {
        let lens = Lens::default();
        let current = LocalView::new(members, &lens);
        let to = BlockName::from_path(&self.to)?;
        let from = self.source(&current, to)?;
        if from.is_some_and(|from| from.name == to.name) {
            return Ok(None);
        }
        let entry = from.and_then(|from| {
            let mut entries = members.own_by_key(from.kind.key()).iter();
            entries.find(|entry| group_name(**entry).value() == from.name).copied()
        });
        let at = || self.index(&current, &current.names(&[to.kind.key()]), (to.kind, from), true);
        let before = match &self.place {
            BlockPlace::Before(_) => members.own_by_key(to.kind.key()).get(at()?).copied(),
            BlockPlace::Usual | BlockPlace::After(_) => None,
        };
        let edit = match (&self.content, entry) {
            (BlockContent::Moved(_), Some(block)) => {
                synced(document, members, |sync| sync.rename(to.kind, &[(block, to.name)]))?
            }
            (BlockContent::Copied(_), Some(block)) => {
                let at = at()?;
                synced(document, members, |sync| {
                    sync.before = before;
                    sync.copy(to.kind, block, to.name, at);
                })?
            }
            _ => {
                let patch = normalize(self.patch(&current)?).map_err(EditError::from)?;
                let patch = resolved(members, patch)?;
                return synced(document, members, |sync| {
                    sync.before = before;
                    sync.top_level(&patch);
                });
            }
        };
        match edit {
            Some(first) if !self.assignments.is_empty() => self.edited_further(document, first).map(Some),
            edit => Ok(edit),
        }
    }

    /// Makes the assignments in the text that `first` leads to; both are one edit then.
    fn edited_further(&self, document: &Document, first: Edit) -> Result<Edit, EditError> {
        let copied = &first.document;
        let members = top_members(copied);
        let computed =
            to_patch(&LocalView::new(&members, &Lens::default()), &self.assignments, &[], self.options)?;
        match modify_members(copied, &members, computed.normalized)? {
            None => Ok(first),
            Some(second) => {
                let splices = vec![difference(document.text(), second.document.text())];
                Ok(Edit { splices, streams_before: first.streams_before, ..second })
            }
        }
    }

    /// The path of the block beside which the new one is to stand, if one is named.
    pub fn beside(&self) -> Option<Path> {
        let (BlockPlace::After(name) | BlockPlace::Before(name)) = &self.place else { return None };
        let kind = self.to.segments.first()?.clone();
        let below = kind.name().and_then(|kind| name.strip_prefix(kind)?.strip_prefix('.'));
        Some(Path { segments: vec![kind, Segment::Key(below.unwrap_or(name).to_owned())] })
    }

    /// Returns the number of the blocks with these names that stand in front of a new one; `is_static` is
    /// the one of a stream.
    fn index(
        &self,
        current: &dyn ConfigLookup,
        names: &[String],
        (kind, from): (Kind, Option<BlockName<'_>>),
        is_static: bool,
    ) -> Result<usize, Fault> {
        let found = |wanted: &str| names.iter().position(|name| name == wanted);
        // `streams.cam1` stands for `cam1`, unless it is a name itself.
        let below = |wanted: &str| found(wanted.strip_prefix(kind.key())?.strip_prefix('.')?);
        let named = |wanted: &str| {
            let path =
                Path { segments: vec![Segment::Key(kind.key().to_owned()), Segment::Key(wanted.to_owned())] };
            found(wanted)
                .or_else(|| below(wanted))
                .ok_or_else(|| missing(current, &path, &[kind.key(), wanted]).at(&path))
        };
        match (&self.place, from) {
            (BlockPlace::After(name), _) => named(name).map(|at| at + 1),
            (BlockPlace::Before(name), _) => named(name),
            (BlockPlace::Usual, Some(from)) => Ok(found(from.name).map_or(names.len(), |at| at + 1)),
            (BlockPlace::Usual, None) if kind.may_be_on_demand() => {
                let is_like = |name: &String| {
                    let found = current.value(&[kind.key(), name, STATIC]);
                    (found != Some(Value::Bool(false))) == is_static
                };
                Ok(names.iter().rposition(is_like).map_or(names.len(), |at| at + 1))
            }
            (BlockPlace::Usual, None) => Ok(names.len()),
        }
    }

    /// The block that the content comes from; `None` for a new one.
    fn source<'r>(
        &'r self,
        current: &dyn ConfigLookup,
        to: BlockName<'_>,
    ) -> Result<Option<BlockName<'r>>, Fault> {
        let is_taken = || current.contains(&to.keys());
        let path = match &self.content {
            BlockContent::New(_) if is_taken() => return Err(taken(&self.to, to.kind, to.name)),
            BlockContent::New(_) => return Ok(None),
            BlockContent::Moved(path) | BlockContent::Copied(path) => path,
        };
        let from = BlockName::from_path(path)?;
        if !current.contains(&from.keys()) {
            return Err(missing(current, path, &from.keys()).at(path));
        }
        if from.kind != to.kind {
            let fault = format!("a {} can't become a {}", from.kind.noun(), to.kind.noun());
            return Err(Fault::of_path(fault).at(&self.to));
        }
        let stays = from.name == to.name && matches!(self.content, BlockContent::Moved(_));
        if is_taken() && !stays {
            return Err(taken(&self.to, to.kind, to.name));
        }
        Ok(Some(from))
    }
}

/// The fault of a name that another block has.
pub fn taken(path: &Path, kind: Kind, name: &str) -> Fault {
    let fault = Fault::of_path(format!("there is a {} `{name}` already", kind.noun()));
    fault.hint("choose another name, or remove it first").at(path)
}

/// The one splice that makes `new` of `old`.
fn difference(old: &str, new: &str) -> Splice {
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let head: usize = old.chars().zip(new.chars()).take_while(same).map(|(same, _)| same.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tails = old_rest.chars().rev().zip(new_rest.chars().rev());
    let tail: usize = tails.take_while(same).map(|(same, _)| same.len_utf8()).sum();
    Splice { range: head..old.len() - tail, text: new[head..new.len() - tail].into() }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::model::Config;
    use serde_json::{Value, json};

    use super::{BlockContent, BlockPlace, BlockRequest};
    use crate::edit::{AssignOptions, AssignedValue, Assignment, Edit, EditError, Path, split_assignment};
    use crate::model::top_members;
    use crate::schema::fault::{FaultKind, Faults};
    use crate::syntax::Document;

    const TEXT: &str = "\
# cameras

# the first
stream cam1 { # here
  url udp://1 a=b; # its source
  prepush  5;
  what is this { x; }
}

stream \"cam 2\" udp://2;
ondemand film file://x;   # late
live l;
rtmp 1;
";

    fn path(text: &str) -> Path {
        Path::parse(text).expect(text)
    }

    fn request(content: BlockContent, to: &str, edits: &[&str]) -> BlockRequest {
        let edit = |text: &&str| {
            let (path, value) = split_assignment(text).expect(text);
            let value = value.map_or(AssignedValue::Remove, |value| AssignedValue::Typed(value.to_owned()));
            Assignment { path, value }
        };
        let request = BlockRequest {
            content,
            to: path(to),
            place: BlockPlace::Usual,
            assignments: Vec::new(),
            options: AssignOptions::default(),
        };
        request.with_edits(edits.iter().map(edit).collect())
    }

    fn view(document: &Document) -> Value {
        Config::new(document).to_json()
    }

    /// The text after the edit; the patch must lead to the same JSON.
    fn after(request: &BlockRequest) -> Result<String, String> {
        after_in(TEXT, request)
    }

    fn after_in(text: &str, request: &BlockRequest) -> Result<String, String> {
        let faults = |faults: Faults| {
            let hint = faults[0].hint.as_ref().map(|hint| format!(" | {hint}"));
            format!("{}{}", faults[0], hint.unwrap_or_default())
        };
        let edit = |document: &Document| request.edit(document, &top_members(document));
        edited_as_by_patch(text, edit, |shown| request.patch(shown), faults)
    }

    /// The text after an edit; the patch must lead to the same JSON, or to the same faults.
    pub(in crate::request) fn edited_as_by_patch<E: PartialEq + std::fmt::Debug>(
        text: &str,
        edit: impl Fn(&Document) -> Result<Option<Edit>, EditError>,
        patch: impl Fn(&Value) -> Result<Value, Faults>,
        told: impl Fn(Faults) -> E,
    ) -> Result<String, E> {
        let document = Document::parse(text.to_owned());
        let patch = patch(&view(&document)).map_err(&told);
        let edit = match edit(&document) {
            Ok(edit) => edit,
            Err(EditError::Faults(found)) => {
                let found = told(found);
                assert_eq!(patch.as_ref(), Err(&found));
                return Err(found);
            }
            Err(error) => panic!("{error:?}"),
        };
        let edited = document.edited(&edit.map(|edit| edit.splices).unwrap_or_default());
        let by_patch = crate::edit::modify(&document, patch?, FaultKind::DOUBTS).expect("it is proved");
        let by_patch = document.edited(&by_patch.map(|edit| edit.splices).unwrap_or_default());
        assert_eq!(view(&edited), view(&by_patch), "the patch comes to the same");
        Ok(edited.text().to_owned())
    }

    #[test]
    fn a_renaming_changes_the_name_alone() {
        for (from, to, old, new) in [
            ("streams.cam1", "streams.lobby", "stream cam1 {", "stream lobby {"),
            ("streams.cam1", "streams.\"the lobby\"", "stream cam1 {", "stream \"the lobby\" {"),
            ("streams.\"cam 2\"", "streams.cam2", "stream \"cam 2\" udp", "stream cam2 udp"),
            ("streams.film", "streams.movie", "ondemand film", "ondemand movie"),
            ("lives.l", "lives.m", "live l;", "live m;"),
            ("streams.film", "streams.film", "", ""),
        ] {
            let renamed = after(&request(BlockContent::Moved(path(from)), to, &[]));
            assert_eq!(renamed, Ok(TEXT.replacen(old, new, 1)), "{from}");
        }
    }

    #[test]
    fn a_copy_has_the_text_of_the_block_with_its_comments_and_stands_behind_it() {
        let block = &TEXT[11..TEXT.find("\n\nstream").expect("it is there")];
        let film = "ondemand film file://x;   # late\n";
        let copy = |name: &str| format!("{}\n", block.replace("cam1", name));
        let with = |copy: &str| Ok(TEXT.replace(block, &format!("{block}\n\n{}", copy.trim_end())));
        let copied = |from: &str, to: &str, edits: &[&str]| {
            after(&request(BlockContent::Copied(path(from)), to, edits))
        };
        assert_eq!(copied("streams.cam1", "streams.cam9", &[]), with(&copy("cam9")));
        assert_eq!(copied("streams.cam1", "streams.\"a b\"", &[]), with(&copy("\"a b\"")));
        let edited = copy("cam9").replace("prepush  5", "prepush  6").replace("udp://1", "udp://9");
        for edits in
            [["prepush=6", "urls[0].url=udp://9"], ["streams.cam9.prepush=6", "urls[-1].url=udp://9"]]
        {
            assert_eq!(copied("streams.cam1", "streams.cam9", &edits), with(&edited));
        }
        assert_eq!(
            copied("streams.film", "streams.film2", &["static=true"]),
            Ok(TEXT.replace(film, &format!("{film}stream film2 file://x;   # late\n")))
        );
        assert_eq!(copied("lives.l", "lives.m", &[]), Ok(TEXT.replace("live l;\n", "live l;\nlive m;\n")));
    }

    #[test]
    fn a_new_block_stands_behind_the_last_of_its_keyword_or_where_it_is_wanted() {
        let new = |value: Value| BlockContent::New(value.as_object().cloned().unwrap_or_default());
        let source = || new(json!({"urls": [{"url": "udp://5"}]}));
        let camera = || BlockContent::Copied(path("streams.film"));
        let (two, film) = ("stream \"cam 2\" udp://2;\n", "ondemand film file://x;   # late\n");
        let block = "stream cam5 {\n  url udp://5;\n}\n";
        let below = format!("\n{block}");
        let above = format!("{block}\n");
        let after_name = |name: &str| BlockPlace::After(name.to_owned());
        let before_name = |name: &str| BlockPlace::Before(name.to_owned());
        let on_demand = block.replace("stream", "ondemand");
        for (content, place, edits, old, added) in [
            (source(), BlockPlace::Usual, &[][..], two, below.clone()),
            (source(), BlockPlace::Usual, &["static=false"], film, on_demand.clone()),
            (source(), after_name("film"), &[], film, block.to_owned()),
            (source(), before_name("film"), &[], two, block.to_owned()),
            (source(), after_name("streams.film"), &["static=false"], film, on_demand),
            (source(), before_name("cam1"), &[], "# cameras\n\n", above.clone()),
            (source(), BlockPlace::Usual, &["position=1"], "# cameras\n\n", above),
            (camera(), after_name("cam 2"), &[], two, film.replace("ondemand film", "\nondemand cam5")),
            (
                camera(),
                before_name("film"),
                &["static=true"],
                two,
                "stream cam5 file://x;   # late\n".to_owned(),
            ),
        ] {
            let request = BlockRequest { place: place.clone(), ..request(content, "streams.cam5", edits) };
            assert_eq!(after(&request), Ok(TEXT.replace(old, &format!("{old}{added}"))), "{place:?}");
        }
        let live = BlockRequest { place: before_name("l"), ..request(new(json!({})), "lives.m", &[]) };
        assert_eq!(after(&live), Ok(TEXT.replace("live l;\n", "live m;\nlive l;\n")));
        assert_eq!(
            after(&request(new(json!({})), "lives.m", &[])),
            Ok(TEXT.replace("live l;\n", "live l;\nlive m;\n"))
        );
        let mixed =
            "stream a;\n\nrtmp 1;\n\n# part two\n\n# of b\nstream b; # b\nrtsp 2;\nlive l;\nstream c;\n";
        for (content, line) in [
            (new(json!({})), "stream cam5 {\n}\n"),
            (BlockContent::Copied(path("streams.c")), "stream cam5;\n"),
        ] {
            for (place, old, placed) in [
                (before_name("a"), "stream a;", format!("{line}\nstream a;")),
                (before_name("b"), "# of b", format!("{line}\n# of b")),
                (before_name("c"), "stream c;", format!("{line}stream c;")),
                (after_name("b"), "# b\n", format!("# b\n\n{line}")),
                (after_name("c"), "stream c;\n", format!("stream c;\n{line}")),
            ] {
                let request =
                    BlockRequest { place: place.clone(), ..request(content.clone(), "streams.cam5", &[]) };
                assert_eq!(after_in(mixed, &request), Ok(mixed.replace(old, &placed)), "{place:?}");
            }
        }
        for content in [source(), camera()] {
            let request = BlockRequest { place: after_name("flim"), ..request(content, "streams.cam5", &[]) };
            let refused = Err("`streams.flim`: there is no stream `flim` | did you mean `film`?".to_owned());
            assert_eq!(after(&request), refused);
        }
    }

    #[test]
    fn a_name_that_is_taken_or_not_there_is_refused() {
        let moved = |from: &str, to: &str| after(&request(BlockContent::Moved(path(from)), to, &[]));
        let error = |text: &str| Err(text.to_owned());
        assert_eq!(moved("streams.cam1", "streams.film"), {
            error(
                "`streams.film`: there is a stream `film` already | choose another name, or remove it first",
            )
        });
        assert_eq!(moved("streams.cam3", "streams.x"), {
            error("`streams.cam3`: there is no stream `cam3` | did you mean `cam1` or `cam 2`?")
        });
        assert_eq!(moved("streams.cam1", "lives.cam1"), error("`lives.cam1`: a stream can't become a live"));
        for no_block in ["streams.cam.1", "streams.cam*", "rtmp", "streams"] {
            let found = moved(no_block, "streams.x").expect_err(no_block);
            assert!(found.contains("expected one stream, live or plugin | such as"), "{found}");
            assert!(moved("streams.cam1", no_block).is_err(), "{no_block}");
        }
        let copied = |edits| after(&request(BlockContent::Copied(path("streams.cam1")), "streams.x", edits));
        assert_eq!(
            copied(&["prepush=x"]),
            error("`streams.x.prepush`: expected a number of seconds, or `off`")
        );
        assert!(copied(&["title"]).is_err(), "there is no title to remove");
        assert!(after(&request(BlockContent::New(super::Map::new()), "streams.film", &[])).is_err());
    }
}
