//! The words of other tools for the work of a command: each leads to the command line that does it here.
//!
//! They are no aliases: a word that means one thing to one user and another to the next would do the wrong thing.

use mediaconf::plumbing::schema::media::{KINDS, STREAMS, TOP};
use mediaconf::plumbing::schema::{Kind, Schema};
use std::ffi::OsString;

use crate::cli::command_tree;
use crate::cli::render::notes::masked_directive;
use crate::store::ChangeRef;
use mediaconf::plumbing::edit::{Path, Segment, quoted, split_assignment};
use mediaconf::plumbing::model::{Masker, masked_below};

use Meaning::{
    Assign, Call, Config, Disable, Enable, Make, Only, Reload, Remove, Save, Search, Start, TakeBack,
};

/// The meaning of a word that is no command.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// This call with the words behind it; where they do not fit, with these ones.
    Call(&'static str, &'static str),
    /// This call, whatever words there are: they may be secrets.
    Only(&'static str),
    /// Each `PATH=VALUE` is set.
    Assign,
    /// Each PATH is removed.
    Remove,
    /// Each stream, or other entry, is enabled.
    Enable,
    Disable,
    /// The entries that are named are enabled; without a name a server is started.
    Start,
    /// A stream is added, unless the words say what else.
    Make,
    /// The change that is named is taken back, or the last one.
    TakeBack,
    /// A text is looked for, not a path.
    Search,
    /// A server loads its file.
    Reload,
    /// The text is written to another file.
    Save,
    /// The first word behind it decides.
    Config,
}

/// The words, and what they mean.
const SYNONYMS: &[(&[&str], Meaning)] = &[
    (&["delete", "remove", "del", "erase", "drop", "destroy"], Call("rm", "streams.NAME")),
    (&["unset", "clear"], Remove),
    (&["get", "show", "cat", "view", "print", "dump", "display", "pull", "fetch"], Call("read", "")),
    (&["list", "ls", "ll", "table"], Call("read -o table", "")),
    (&["streams"], Only("read -o table streams")),
    (&["lives"], Only("read -o table lives")),
    (&["plugins"], Only("read -o table plugins")),
    (&["sources", "urls", "inputs"], Call("read -o table --columns name,sources", "")),
    (&["set", "assign", "put", "patch", "change", "configure"], Assign),
    (&["config", "conf"], Config),
    (&["update-config", "update_config"], Call("update", "FILE")),
    (&["load", "replace", "save-config", "save_config", "write", "upload", "push"], Call("save", "FILE")),
    (&["import", "merge", "deploy", "sync"], Call("apply", "FILE")),
    (&["export", "backup", "download"], Save),
    (&["log", "logs", "changes", "audit", "journal"], Call("history", "")),
    (&["undo", "revert", "restore", "reset"], TakeBack),
    (&["validate", "lint", "test", "verify", "configtest"], Call("check", "")),
    (&["reload", "restart", "refresh"], Reload),
    (&["rename", "move", "ren"], Call("mv", "streams.NAME streams.OTHER")),
    (&["copy", "clone", "duplicate"], Call("cp", "streams.NAME streams.OTHER")),
    (&["create", "new", "insert", "make"], Make),
    (&["find", "grep", "search", "filter", "query", "where"], Search),
    (&["grant", "allow", "useradd"], Only("modify --set view_auth.login=NAME --set view_auth.password")),
    (&["passwd", "password", "user", "users"], Only("modify --set edit_auth.password")),
    (&["login", "connect"], Only("context add NAME --url URL --user LOGIN")),
    (&["enable", "resume", "unmute"], Enable),
    (&["disable", "stop", "pause", "suspend"], Disable),
    (&["start"], Start),
    (&["run", "server", "daemon"], Call("serve", "")),
    (&["format", "beautify", "tidy", "indent"], Call("fmt", "")),
    (&["version"], Only("--version")),
    (&["info", "state", "ping", "health", "nodes"], Call("status", "")),
    (&["describe", "doc", "schema"], Call("explain", "streams")),
    (&["man", "usage"], Call("help", "")),
    (&["compare", "cmp"], Call("diff", "")),
    (&["who", "annotate", "praise"], Call("blame", "streams.NAME.title")),
    (&["tail", "follow", "monitor", "events"], Call("watch", "")),
    (&["commit", "keep", "approve"], Call("confirm", "")),
    (&["abort", "cancel", "reject"], Call("confirm --revert", "")),
    (&["vi", "vim", "nano", "open"], Call("edit", "")),
    (&["setup", "install"], Call("init", "")),
    (&["use", "switch"], Call("context use", "NAME")),
    (&["contexts", "servers", "hosts"], Only("context list")),
];

/// The same for words below a command: the command, the words, and what is meant.
const BELOW: &[(&str, &[&str], Meaning)] = &[
    ("context", &["delete", "rm", "del"], Call("remove", "NAME")),
    ("context", &["ls"], Call("list", "")),
    ("context", &["new", "create", "set"], Call("add", "NAME --url URL")),
    ("context", &["get", "cat", "current"], Call("show", "")),
    ("context", &["switch", "select"], Call("use", "NAME")),
    ("cluster", &["remove", "delete", "rm"], Call("forget", "NODE")),
    ("overlay", &["delete", "rm", "del", "unset"], Call("remove", "NODE")),
    ("overlay", &["ls"], Call("list", "")),
    ("overlay", &["add", "modify", "new", "create"], Call("set", "NODE --set PATH=VALUE")),
    ("overlay", &["get", "cat", "read"], Call("show", "NODE")),
];

/// Says which group of the configuration has an entry of this name, as far as that is known.
pub type GroupOf<'a> = &'a dyn Fn(&str) -> Option<Kind>;

/// A call of the program, and what a shell does with its output.
struct ShellLine {
    words: Vec<String>,
    then: String,
}

/// Returns the command lines that do what `verb` means with the words behind it; `before` are the words in front of
/// it. `None` if it is not known.
pub fn advice(before: &[String], verb: &str, words: &[String], group_of: GroupOf<'_>) -> Option<String> {
    Some(in_words(&lines(before, verb, words, group_of)?))
}

/// The same for what `add` means with the words behind it.
pub fn addition(before: &[String], words: &[String], group_of: GroupOf<'_>) -> String {
    in_words(&Make.lines(before, words, group_of))
}

fn in_words(lines: &[ShellLine]) -> String {
    let in_words = |line: &ShellLine| format!("`{}{}`", call(&line.words), line.then);
    lines.iter().map(in_words).collect::<Vec<_>>().join(" or ")
}

/// Returns the name of the command that does what `verb` means.
pub fn command(verb: &str) -> Option<String> {
    let line = lines(&[], verb, &[], &|_| None)?.into_iter().next()?;
    line.words.into_iter().next().filter(|name| !name.starts_with('-'))
}

/// Returns the command lines that set what an assignment without a command says.
pub fn assignment(before: &[String], words: &[String], group_of: GroupOf<'_>) -> String {
    in_words(&Assign.lines(before, words, group_of))
}

fn lines(before: &[String], verb: &str, words: &[String], group_of: GroupOf<'_>) -> Option<Vec<ShellLine>> {
    let verb = &*verb.to_ascii_lowercase();
    let below = BELOW
        .iter()
        .find(|(parent, verbs, _)| verbs.contains(&verb) && before.last().is_some_and(|last| last == parent));
    let at_top = || SYNONYMS.iter().find(|(verbs, _)| verbs.contains(&verb)).map(|(_, meaning)| *meaning);
    let meaning = below.map(|(.., meaning)| *meaning).or_else(at_top)?;
    Some(meaning.lines(before, words, group_of))
}

impl Meaning {
    fn lines(self, before: &[String], words: &[String], group_of: GroupOf<'_>) -> Vec<ShellLine> {
        let line = |candidates: Vec<Vec<String>>| vec![plain(fitting(before, candidates))];
        match self {
            Call(head, instead) => {
                let words = match OF_ENTRIES.iter().any(|of| head.starts_with(of)) {
                    true => entry_paths(head, words, group_of),
                    false => words.to_vec(),
                };
                let operands: Vec<String> = operands(&words).cloned().collect();
                line([words, operands, split(instead)].map(|behind| [split(head), behind].concat()).to_vec())
            }
            Only(head) => line(vec![split(head)]),
            Assign => line(vec![assigned(words, group_of), split("modify --set PATH=VALUE")]),
            Remove => line(vec![
                with_each(words, |path| {
                    vec!["--unset".to_owned(), in_a_group(&path, group_of).unwrap_or(path)]
                }),
                split("modify --unset PATH"),
            ]),
            Enable => line(vec![
                with_each(words, |path| vec!["--unset".to_owned(), disabled(&path, group_of)]),
                split("modify --unset streams.NAME.disabled"),
            ]),
            Disable => line(vec![
                with_each(words, |path| {
                    vec!["--set".to_owned(), format!("{}=true", disabled(&path, group_of))]
                }),
                split("modify --set streams.NAME.disabled=true"),
            ]),
            Start if operands(words).next().is_some() => Enable.lines(before, words, group_of),
            Start => Call("serve", "").lines(before, words, group_of),
            Make => line(vec![made(words), split("add stream NAME URL")]),
            TakeBack => {
                let named = operands(words).find(|word| word.parse::<ChangeRef>().is_ok());
                let which = named.cloned().unwrap_or_else(|| "1".to_owned());
                line(vec![vec!["rollback".to_owned(), which]])
            }
            Search => search(operands(words).next().map_or("TEXT", String::as_str), before),
            Reload => {
                let [read, update] =
                    ["read --saved -o conf", "update -"].map(|call| [before, &split(call)].concat());
                vec![ShellLine { words: read, then: format!(" | {}", call(&update)) }]
            }
            Save => {
                let file = operands(words).next().map_or("FILE", String::as_str);
                let words = [before, &split("read -o conf")].concat();
                vec![ShellLine { words, then: format!(" > {}", quoted(file)) }]
            }
            Config => match words.split_first() {
                None => line(vec![split("read")]),
                Some((verb, behind)) => {
                    let is_command = vec![words.to_vec()];
                    lines(before, verb, behind, group_of).unwrap_or_else(|| match fits(before, words) {
                        true => line(is_command),
                        false => line(vec![split("read")]),
                    })
                }
            },
        }
    }
}

/// The first of these calls that the program understands; the last one is a sample.
fn fitting(before: &[String], candidates: Vec<Vec<String>>) -> Vec<String> {
    let fitting = candidates.iter().find(|words| fits(before, words)).or(candidates.last());
    [before, fitting.map_or(&[], Vec::as_slice)].concat()
}

fn fits(before: &[String], words: &[String]) -> bool {
    let words = before.iter().chain(words).map(OsString::from);
    let call: Vec<OsString> = std::iter::once(OsString::from("mediactl")).chain(words).collect();
    match command_tree::parse(&call) {
        Ok(_) => true,
        // Help and versions are asked for like this.
        Err(error) => !error.use_stderr(),
    }
}

fn plain(words: Vec<String>) -> ShellLine {
    ShellLine { words, then: String::new() }
}

fn split(call: &str) -> Vec<String> {
    call.split_whitespace().map(str::to_owned).collect()
}

/// The words that are no options.
fn operands(words: &[String]) -> impl Iterator<Item = &String> {
    words.iter().filter(|word| !word.starts_with('-'))
}

/// `modify` with options for each word that is none itself.
fn with_each(words: &[String], option: impl Fn(String) -> Vec<String>) -> Vec<String> {
    let each = words.iter().flat_map(|word| match word.starts_with('-') {
        true => vec![word.clone()],
        false => option(word.clone()),
    });
    std::iter::once("modify".to_owned()).chain(each).collect()
}

/// `modify` for `PATH=VALUE` and for `PATH VALUE`, where the value may be several words.
fn assigned(words: &[String], group_of: GroupOf<'_>) -> Vec<String> {
    let count = words.iter().take_while(|word| !word.starts_with('-')).count();
    let (first, options) = words.split_at(count);
    let is_pair = first.len() > 1 && !first.iter().any(|word| word.contains('='));
    match first.split_first().filter(|_| is_pair) {
        Some((path, value)) => {
            let option = set_option(format!("{path}={}", value.join(" ")), group_of);
            [split("modify"), option, options.to_vec()].concat()
        }
        None => with_each(words, |word| set_option(word, group_of)),
    }
}

/// `--set` with an assignment; a value that may be a secret is left out, and asked for.
fn set_option(text: String, group_of: GroupOf<'_>) -> Vec<String> {
    let Ok((typed, Some(value))) = split_assignment(&text) else { return vec![text] };
    let whole = in_a_group(&typed.to_string(), group_of);
    let path = whole.and_then(|whole| Path::parse(&whole).ok()).unwrap_or(typed);
    let shown = match may_be_secret(&path.segments, value) {
        true => path.to_string(),
        false => format!("{path}={value}"),
    };
    vec!["--set".to_owned(), shown]
}

fn may_be_secret(path: &[Segment], value: &str) -> bool {
    let names: Vec<&str> = path.iter().map_while(Segment::name).collect();
    let json = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    let masker = Masker::default();
    // Of the words of a directive, each may be a password.
    let directive = format!("{} {value}", names.last().unwrap_or(&""));
    masked_below(&names, &json, &masker) != json
        || masked_directive(&directive, &masker) != directive
        || masker.prose(value) != value
}

/// The commands whose words are paths of entries, which are often typed without their group.
const OF_ENTRIES: [&str; 5] = ["rm", "read", "mv", "cp", "blame"];

/// The path of a value that begins with the name of an entry: `streams.cam1.title` for `cam1.title`.
fn in_a_group(text: &str, group_of: GroupOf<'_>) -> Option<String> {
    let of_name = |name: &str| TOP.by_key(name).is_none().then(|| group_of(name)).flatten();
    if let Some(kind) = of_name(text) {
        return Some(below(kind, [text]));
    }
    let path = Path::parse(text).ok()?;
    let group = Segment::Key(of_name(path.segments.first()?.name()?)?.key().to_owned());
    Some(Path { segments: std::iter::once(group).chain(path.segments).collect() }.to_string())
}

/// The path of what these names lead to in a group.
fn below<const N: usize>(kind: Kind, names: [&str; N]) -> String {
    let names = std::iter::once(kind.key()).chain(names);
    Path { segments: names.map(|name| Segment::Key(name.to_owned())).collect() }.to_string()
}

/// The words with the groups of the entries that they name.
fn entry_paths(head: &str, words: &[String], group_of: GroupOf<'_>) -> Vec<String> {
    let whole = |word: &String| in_a_group(word, group_of).unwrap_or_else(|| word.clone());
    let is_member = |kind: Kind, key: &str| kind.scope().by_key(key).is_some();
    if let [name, word] = words
        && !word.contains('.')
        && TOP.by_key(name).is_none()
    {
        let kind = group_of(name);
        match (head, kind.unwrap_or(STREAMS)) {
            ("mv" | "cp", _) if kind.is_none() => {}
            ("mv" | "cp", kind) => return vec![below(kind, [name]), below(kind, [word])],
            (_, kind) if is_member(kind, word) => return vec![below(kind, [name, word])],
            _ => {}
        }
    }
    words.iter().map(whole).collect()
}

/// The path of the switch of an entry, which is named with or without its group.
fn disabled(entry: &str, group_of: GroupOf<'_>) -> String {
    let is_whole = entry.split_once('.').is_some_and(|(group, _)| Schema::media().kind(group).is_some());
    match in_a_group(entry, group_of) {
        Some(whole) => format!("{whole}.disabled"),
        None if is_whole => format!("{entry}.disabled"),
        None => format!("streams.{entry}.disabled"),
    }
}

/// `add` for `stream NAME URL`, `streams.NAME URL` and `NAME URL`.
fn made(words: &[String]) -> Vec<String> {
    let Some((first, behind)) = words.split_first().filter(|(first, _)| !first.starts_with('-')) else {
        return Vec::new();
    };
    let kind_of = |noun: &str| KINDS.into_iter().find(|kind| kind.noun() == noun);
    let (kind, name) =
        match first.split_once('.').and_then(|(group, name)| Some((Schema::media().kind(group)?, name))) {
            _ if kind_of(first).is_some() => return [split("add"), words.to_vec()].concat(),
            Some(named) => named,
            None => (STREAMS, &**first),
        };
    [split(&format!("add {}", kind.noun())), vec![name.to_owned()], behind.to_vec()].concat()
}

/// Streams by their source or by their name, and any value.
fn search(text: &str, before: &[String]) -> Vec<ShellLine> {
    let text = if Masker::default().prose(text) == text { text } else { "TEXT" };
    let is_pattern = text.contains('*');
    let named = text.split_once('.').is_some_and(|(group, _)| Schema::media().kind(group).is_some());
    let table = match (named, is_pattern) {
        (true, _) => vec![text.to_owned()],
        (false, true) => vec![format!("streams.{text}")],
        (false, false) => vec!["--where".to_owned(), format!("urls.url~{text}")],
    };
    let mut lines = vec![plain([before, &split("read -o table"), &table].concat())];
    if !is_pattern {
        let words = [before, &split("read -o set")].concat();
        lines.push(ShellLine { words, then: format!(" | grep -F -e {}", quoted(text)) });
    }
    lines
}

/// Returns a call of the program with these words, quoted where a shell needs it, and without secrets that have the
/// form of one.
fn call(words: &[String]) -> String {
    let masker = Masker::default();
    let words = words.iter().map(|word| masker.prose(word));
    std::iter::once("mediactl".to_owned())
        .chain(words.map(|word| quoted(&word).into_owned()))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediaconf::plumbing::schema::media::LIVES;

    /// The words that are typed behind a verb.
    const BEHIND: &[&str] = &[
        "",
        "streams.cam9",
        "streams.cam9 streams.cam8",
        "streams.cam1.prepush=5",
        "streams.cam1.prepush 5",
        "-l --no-such-option x",
        "cam9 udp://239.0.0.9:1234",
        "get streams.cam1 --mask",
        "3",
        "--help",
    ];

    fn group_of(name: &str) -> Option<Kind> {
        [("cam1", STREAMS), ("cam.2", STREAMS), ("studio", LIVES)]
            .into_iter()
            .find_map(|(known, kind)| (known == name).then_some(kind))
    }

    fn all() -> impl Iterator<Item = (Vec<String>, &'static str)> {
        let top = SYNONYMS.iter().flat_map(|(verbs, _)| verbs.iter().map(|verb| (Vec::new(), *verb)));
        let below = BELOW.iter();
        top.chain(below.flat_map(|(of, verbs, _)| verbs.iter().map(|verb| (split(of), *verb))))
    }

    #[test]
    fn every_advice_is_a_command_line_that_the_program_understands() {
        let first = |verbs: &[&'static str]| verbs[0];
        let top = SYNONYMS.iter().map(|(verbs, _)| (Vec::new(), first(verbs)));
        let below = BELOW.iter().map(|(of, verbs, _)| (split(of), first(verbs)));
        for (parent, verb) in top.chain(below) {
            for behind in BEHIND.iter().map(|behind| split(behind)) {
                for line in lines(&parent, verb, &behind, &group_of).expect("it is in the table") {
                    assert!(fits(&[], &line.words), "{verb} {behind:?}: {:?}", line.words);
                    assert!(line.words.starts_with(&parent), "{verb}: {:?}", line.words);
                }
            }
        }
    }

    #[test]
    fn no_command_is_a_synonym_and_none_is_there_twice() {
        let tree = command_tree::command();
        let mut seen = std::collections::HashSet::new();
        for (parent, verb) in all() {
            let of = parent.first().map_or(Some(&tree), |parent| tree.find_subcommand(parent));
            assert!(of.is_some_and(|of| of.find_subcommand(verb).is_none()), "{verb} is a command");
            assert!(seen.insert((parent, verb)), "{verb} is there twice");
        }
    }

    #[test]
    fn the_words_are_taken_over() {
        for (typed, advised) in [
            ("delete streams.cam9", "`mediactl rm streams.cam9`"),
            ("delete --dry-run streams.cam9 -q", "`mediactl rm --dry-run streams.cam9 -q`"),
            ("delete", "`mediactl rm streams.NAME`"),
            ("remove -rf streams.cam9", "`mediactl rm streams.cam9`"),
            ("unset streams.a.title rtmp", "`mediactl modify --unset streams.a.title --unset rtmp`"),
            ("get streams.*.title", "`mediactl read 'streams.*.title'`"),
            ("SHOW rtmp", "`mediactl read rtmp`"),
            ("ls -la", "`mediactl read -o table`"),
            ("set streams.cam1.prepush=5", "`mediactl modify --set streams.cam1.prepush=5`"),
            ("set streams.cam1.prepush 5", "`mediactl modify --set streams.cam1.prepush=5`"),
            ("set --dry-run a=1 b=2", "`mediactl modify --dry-run --set a=1 --set b=2`"),
            ("set", "`mediactl modify --set PATH=VALUE`"),
            ("set edit_auth.password=geheim", "`mediactl modify --set edit_auth.password`"),
            ("set edit_auth.password geheim", "`mediactl modify --set edit_auth.password`"),
            ("set cluster_key=geheim", "`mediactl modify --set cluster_key`"),
            ("set edit_auth=geheim", "`mediactl modify --set edit_auth`"),
            (
                "set streams.a.urls[0].url=rtsp://u:geheim@h/",
                "`mediactl modify --set 'streams.a.urls[0].url'`",
            ),
            ("passwd admin geheim", "`mediactl modify --set edit_auth.password`"),
            (
                "grep rtsp://u:geheim@h",
                "`mediactl read -o table --where 'urls.url~TEXT'` or \
                                         `mediactl read -o set | grep -F -e TEXT`",
            ),
            ("config set rtmp=1", "`mediactl modify --set rtmp=1`"),
            ("config", "`mediactl read`"),
            ("undo", "`mediactl rollback 1`"),
            ("revert #7", "`mediactl rollback '#7'`"),
            ("create streams.cam9 udp://h:1", "`mediactl add stream cam9 udp://h:1`"),
            ("new live studio", "`mediactl add live studio`"),
            ("create cam9 udp://h:1", "`mediactl add stream cam9 udp://h:1`"),
            ("disable cam1", "`mediactl modify --set streams.cam1.disabled=true`"),
            ("stop cam9 -q", "`mediactl modify --set streams.cam9.disabled=true -q`"),
            ("enable cam1", "`mediactl modify --unset streams.cam1.disabled`"),
            (
                "enable streams.cam1 studio",
                "`mediactl modify --unset streams.cam1.disabled --unset lives.studio.disabled`",
            ),
            ("start cam.2", "`mediactl modify --unset 'streams.\"cam.2\".disabled'`"),
            ("start", "`mediactl serve`"),
            ("stop", "`mediactl modify --set streams.NAME.disabled=true`"),
            ("sources", "`mediactl read -o table --columns name,sources`"),
            ("sources cam1", "`mediactl read -o table --columns name,sources streams.cam1`"),
            ("get cam1 title", "`mediactl read streams.cam1.title`"),
            ("get cam9 title", "`mediactl read streams.cam9.title`"),
            ("get studio", "`mediactl read lives.studio`"),
            ("get rtmp rtsp", "`mediactl read rtmp rtsp`"),
            ("delete cam1 studio", "`mediactl rm streams.cam1 lives.studio`"),
            ("set cam1.title A B", "`mediactl modify --set 'streams.cam1.title=A B'`"),
            ("set streams.cam2.title A B -q", "`mediactl modify --set 'streams.cam2.title=A B' -q`"),
            ("set streams.cam2.dvr /d 7d", "`mediactl modify --set 'streams.cam2.dvr=/d 7d'`"),
            ("set edit_auth admin geheim", "`mediactl modify --set edit_auth`"),
            ("set streams.a.allow token geheim", "`mediactl modify --set streams.a.allow`"),
            ("find cam*", "`mediactl read -o table 'streams.cam*'`"),
            ("reload", "`mediactl read --saved -o conf | mediactl update -`"),
            ("backup old.conf", "`mediactl read -o conf > old.conf`"),
            ("rename streams.a streams.b", "`mediactl mv streams.a streams.b`"),
            ("rename cam1 gate", "`mediactl mv streams.cam1 streams.gate`"),
        ] {
            let words = split(typed);
            let (verb, behind) = words.split_first().expect("there is a verb");
            assert_eq!(advice(&[], verb, behind, &group_of).as_deref(), Some(advised), "{typed}");
        }
        let before = split("--conf x.conf context");
        let removed = advice(&before, "delete", &split("prod"), &group_of);
        assert_eq!(removed.as_deref(), Some("`mediactl --conf x.conf context remove prod`"));
        assert_eq!(advice(&[], "frobnicate", &[], &group_of), None);
    }

    #[test]
    fn what_a_shell_would_change_is_quoted() {
        let words = ["read", "streams.*", "a'b", "", "#1", "http://u:geheim@h/"].map(str::to_owned);
        let typed = call(&words);
        assert!(typed.starts_with(r"mediactl read 'streams.*' 'a'\''b' '' '#1' 'http://<secret:"), "{typed}");
        assert!(!typed.contains("geheim"), "{typed}");
    }
}
