//! The syntax of the configuration for editors: a TextMate grammar, and that of Vim. Their words are those of the schema.

use std::collections::BTreeSet;

use mediaconf::Schema;
use serde_json::json;

/// The keywords of directives, and those of blocks.
struct Keywords {
    directives: BTreeSet<&'static str>,
    blocks: BTreeSet<&'static str>,
}

impl Keywords {
    fn of_schema() -> Self {
        let known = Schema::rows()
            .flat_map(|row| row.keywords.iter().map(|word| (*word, row.codec.facts().group.is_some())));
        let foreign = Schema::foreign_keywords().iter();
        let foreign = foreign.flat_map(|row| row.keywords.iter().map(|word| (*word, row.is_block())));
        let (blocks, directives): (Vec<_>, Vec<_>) =
            known.chain(foreign).partition(|(_, is_block)| *is_block);
        let words = |found: Vec<(&'static str, bool)>| found.into_iter().map(|(word, _)| word).collect();
        let blocks: BTreeSet<&'static str> = words(blocks);
        let directives: BTreeSet<&'static str> = words(directives);
        Self { directives: &directives - &blocks, blocks }
    }
}

/// The colour of the keyword of a block.
const BLOCK: &str = "storage.type.mediaconf";

/// The grammar of TextMate, which VS Code and others read.
pub fn text_mate() -> String {
    let Keywords { directives, blocks } = Keywords::of_schema();
    let begins = |words: &BTreeSet<&str>, name: &str| {
        let words = words.iter().copied().collect::<Vec<_>>().join("|");
        // Behind the keyword of a block stands its name.
        let first = format!("(?:^|(?<=[;{{}}]))\\s*({words})(?=[\\s;{{]|$)");
        let named = if name == BLOCK { "(?:\\s+([^\\s;{}\"]+))?" } else { "" };
        let captures = json!({ "1": { "name": name }, "2": { "name": "entity.name.section.mediaconf" } });
        json!({ "match": format!("{first}{named}"), "captures": captures })
    };
    let grammar = json!({
        "name": "Media server configuration",
        "scopeName": "source.mediaconf",
        "patterns": [
            { "match": "(?:^|(?<=[\\s;{}]))#.*$", "name": "comment.line.number-sign.mediaconf" },
            { "begin": "\"", "end": "\"", "name": "string.quoted.double.mediaconf", "patterns": [
                { "match": "\\\\[\\\\\"]", "name": "constant.character.escape.mediaconf" },
            ] },
            begins(&blocks, BLOCK),
            begins(&directives, "keyword.other.mediaconf"),
            { "match": "(?<=\\s)(on|off|true|false)(?=[\\s;]|$)", "name": "constant.language.mediaconf" },
            { "match": "(?<=\\s)[0-9]+[kKmMgGdhs%]?(?=[\\s;]|$)", "name": "constant.numeric.mediaconf" },
            { "match": "(?<=\\s)@[^\\s;{}]+", "name": "variable.other.mediaconf" },
            { "match": "(?<=\\s)[a-z0-9+]+://[^\\s;{}\"]*", "name": "markup.underline.link.mediaconf" },
            { "match": "(?<=\\s)[A-Za-z_][A-Za-z0-9_-]*(?==)", "name": "variable.parameter.mediaconf" },
        ],
    });
    format!("{}\n", serde_json::to_string_pretty(&grammar).expect("a grammar is JSON"))
}

/// The syntax file of Vim and Neovim.
pub fn vim() -> String {
    let Keywords { directives, blocks } = Keywords::of_schema();
    let words = |group: &str, words: &BTreeSet<&str>| {
        words.iter().map(|word| format!("syntax keyword {group} contained {word}\n")).collect::<String>()
    };
    let names = blocks.iter().copied().collect::<Vec<_>>().join("\\|");
    format!(
        r##"" The configuration of media servers. Made by `cargo xtask generate` from the table of directives.
if exists('b:current_syntax')
  finish
endif

syntax match mediaconfFirst "\%(^\|[;{{}}]\)\s*\zs[^ \t;{{}}"#]\+" contains=mediaconfDirective,mediaconfBlock
syntax match mediaconfConstant "\s\@1<=\%(on\|off\|true\|false\)\ze\%([ \t;]\|$\)"
syntax match mediaconfNumber "\s\@1<=\d\+[kKmMgGdhs%]\?\ze\%([ \t;]\|$\)"
syntax match mediaconfReference "\s\@1<=@[^ \t;{{}}]\+"
syntax match mediaconfAddress "\s\@1<=[a-z0-9+]\+://[^ \t;{{}}\"]*"
syntax match mediaconfOption "\s\@1<=[A-Za-z_][A-Za-z0-9_-]*="me=e-1
syntax match mediaconfName "\%(\%(^\|[;{{}}]\)\s*\%({names}\)\s\+\)\@<=[^ \t;{{}}\"]\+"
syntax match mediaconfComment "\%(^\|[ \t;{{}}]\@1<=\)#.*$"
syntax region mediaconfString start=+"+ skip=+\\[\\"]+ end=+"+
{}{}
highlight default link mediaconfDirective Keyword
highlight default link mediaconfBlock Type
highlight default link mediaconfConstant Boolean
highlight default link mediaconfNumber Number
highlight default link mediaconfReference Identifier
highlight default link mediaconfAddress Underlined
highlight default link mediaconfOption Identifier
highlight default link mediaconfName Function
highlight default link mediaconfComment Comment
highlight default link mediaconfString String

let b:current_syntax = 'mediaconf'
"##,
        words("mediaconfBlock", &blocks),
        words("mediaconfDirective", &directives),
    )
}
