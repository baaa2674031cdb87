//! The second tier of the table: directives of other servers of this family, and the names of their secrets.
//!
//! They are read and written by the general rule. A row says where such a directive stands in real files, in which form,
//! and what it does; it is the source of explanations, completion, near misses and a table of `media.conf(5)`.

use std::sync::LazyLock;

use foldhash::HashMap;
use serde::Deserialize;

/// A directive that other servers of this family know.
#[derive(Debug, Clone, Copy)]
pub struct ForeignKeyword {
    /// Its keyword, and others for the same.
    pub keywords: &'static [&'static str],
    /// The keywords of the blocks in which it stands; an empty one is the top level.
    pub within: &'static [&'static str],
    /// The form of one line.
    pub form: ForeignForm,
    /// True if a block may have several such lines.
    pub repeats: bool,
    /// True if its words are `NAME=VALUE` or `NAME`, maybe behind an address.
    pub options: bool,
    /// True if a word of it is a secret.
    pub secret: bool,
    /// The keyword of the named blocks of the top level of which its word is a name, where it has no block.
    pub names_of: Option<&'static str>,
    /// The JSON key of the known directive that newer servers of the family call this: `urls` for `inputs`.
    pub is: Option<&'static str>,
    /// Names of usual options: a slip is taken for one of them.
    pub usual: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
}

/// The form of one line of a foreign directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForeignForm {
    /// `push rtmp://host/app;`
    Words,
    /// `note "north gate";`
    Text,
    /// `meta NAME VALUE;`
    Pairs,
    /// `iptv;`
    Flag,
    /// `max_sessions 100;`
    Number,
    /// `dash off;`, `thumbnails;`: switched on or off, maybe with words.
    Switch,
    /// `vsaas { … }`
    Block,
    /// `auth_backend NAME { … }`
    Named,
}

/// In [`ForeignKeyword::within`]: the top level.
pub const OUTSIDE: &str = "";

impl ForeignKeyword {
    /// The keyword of a new line.
    pub fn keyword(&self) -> &'static str {
        self.keywords[0]
    }

    /// True if it may stand in the block of a directive with this keyword.
    pub fn stands_in(&self, block: &str) -> bool {
        self.within.contains(&block)
    }

    /// True if its only word is `on` or `off`.
    pub fn is_switch(&self) -> bool {
        matches!(self.form, ForeignForm::Switch)
    }

    /// True if it has a block.
    pub fn is_block(&self) -> bool {
        matches!(self.form, ForeignForm::Block | ForeignForm::Named)
    }

    /// The places in which it stands, in words.
    pub fn places(&self) -> Vec<String> {
        let place = |block: &&str| {
            if *block == OUTSIDE { "at the top level".to_owned() } else { format!("in `{block}`") }
        };
        self.within.iter().map(place).collect()
    }

    /// What stands behind the keyword.
    pub fn usage(&self) -> &'static str {
        let has_both = self.form == ForeignForm::Words && self.options;
        if has_both { "words, and NAME=VALUE options" } else { self.form.in_words().0 }
    }

    /// The form of one line in JSON.
    pub fn json_form(&self) -> &'static str {
        self.form.in_words().1
    }

    fn parse(line: &'static str) -> Option<Self> {
        let [keywords, within, facts, doc] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let words = |column: &'static str| column.split(' ');
        let within = words(within).map(|block| if block == "-" { OUTSIDE } else { block });
        let (form, facts) = facts.split_once(' ').unwrap_or((facts, ""));
        let has = |fact: &str| words(facts).any(|found| found == fact);
        let value = |name: &str| words(facts).find_map(|fact| fact.strip_prefix(name));
        Some(Self {
            keywords: words(keywords).collect::<Vec<_>>().leak(),
            within: within.collect::<Vec<_>>().leak(),
            form: serde_json::from_value(form.into()).ok()?,
            repeats: has("repeats"),
            options: has("options"),
            secret: has("secret"),
            names_of: value("names="),
            is: value("is="),
            usual: value("usual=").unwrap_or_default(),
            doc,
        })
    }
}

impl ForeignForm {
    /// What stands behind the keyword, the type of the value in JSON, and its form there.
    fn in_words(self) -> (&'static str, &'static str) {
        match self {
            Self::Words => ("words", "a word, or a list of words"),
            Self::Text => ("one word", "a word"),
            Self::Pairs => ("a NAME and a value", "a list of [name, value]; a patch may give an object"),
            Self::Flag => ("nothing", "true"),
            Self::Number => ("a number", "a number"),
            Self::Switch => ("nothing, `off`, or words", "true, or its words"),
            Self::Block => ("a block", "an object"),
            Self::Named => ("a NAME, and maybe a block", "an object by name"),
        }
    }
}

/// The last words of names of options, directives, query parameters, headers and JSON members whose value is
/// a secret: `pass` is the last word of `db_pass`, `smtpPass` and `db-pass2`.
pub const SECRET_WORDS: &str = "password passphrase passwd pass pwd psk secret token key iv license authorization \
    credential credentials bearer jwt signature cookie tokens passcode pin otp pw sig hmac";

/// The ends of other such names, written without `_` and `-`.
pub const SECRET_ENDINGS: &str = "password passphrase passwd secret accesstoken apitoken authtoken sessiontoken dbpass \
    adminpass userpass userpwd bindpw rootpw userpw apikey appkey authkey accesskey accesskeyid aeskey contentkey \
    drmkey encryptionkey licensekey masterkey mykey privatekey secretkey secretkeybase sessionkey sharedkey signkey \
    signingkey streamkey userkey sessionid sessid";

/// Other such names that count only as the key of a query: a directive or an option with this name has no secret.
pub const SECRET_KEYS: &str =
    "auth sid loginpas authbasic wmsauthsign wms_auth_sign wowzatokenhash hdnts hdnea hash md5 sign ticket";

/// First words of such a line that say what the next word is.
pub const SELECTORS: &str = "ip country token ua user useragent user_agent domain all";

/// The protocol X of a member `X_off`.
pub fn protocol_of_switch(key: &str) -> Option<&str> {
    let mut protocols = "cmaf dash hds hls m4f m4s mpegts mss rtmp rtsp srt webrtc".split(' ');
    key.strip_suffix("_off").filter(|protocol| protocols.any(|known| known == *protocol))
}

/// Directives that other servers of this family know. They are never taken for misspellings; one that
/// starts a line inside another directive is a sign of a missing `;`.
///
/// A line of the table has four columns: the keywords, of which a new line has the first; the keywords of the blocks in
/// which it stands, where `-` is the top level; the form, then `repeats`, `options`, `secret`, `names=KEYWORD`, `is=KEY`
/// and `usual=OPTION` where they hold; one line of documentation.
pub static FOREIGN_KEYWORDS: LazyLock<Vec<ForeignKeyword>> = LazyLock::new(|| {
    let rows = include_str!("foreign.tsv").lines();
    rows.map(|line| ForeignKeyword::parse(line).expect("a test parses each line of the table")).collect()
});

impl super::Schema {
    /// The directives of other servers.
    pub fn foreign_keywords() -> &'static [ForeignKeyword] {
        &FOREIGN_KEYWORDS
    }

    /// The directive with this keyword that others of this family of servers know.
    pub fn foreign(keyword: &str) -> Option<&'static ForeignKeyword> {
        static ROWS: LazyLock<HashMap<&str, &ForeignKeyword>> = LazyLock::new(|| {
            let rows = FOREIGN_KEYWORDS.iter();
            rows.flat_map(|row| row.keywords.iter().map(move |word| (*word, row))).collect()
        });
        ROWS.get(keyword).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Schema, Scope};

    #[test]
    fn no_row_stands_where_a_parameter_is_known() {
        let scopes = [Scope::Top, Scope::Stream, Scope::Live, Scope::Template, Scope::Plugin];
        for (row, scope) in FOREIGN_KEYWORDS.iter().flat_map(|row| scopes.map(|scope| (row, scope))) {
            let is_known = |name: &&str| scope.by_keyword(name).is_some();
            let known = row.keywords.iter().find(|name| scope.may_hold(row) && is_known(name));
            assert_eq!(known, None, "{scope:?}");
        }
    }

    #[test]
    fn every_row_says_where_it_stands_and_what_it_does() {
        let mut known = std::collections::HashSet::new();
        for row in FOREIGN_KEYWORDS.iter() {
            let name = row.keyword();
            assert!(!row.within.is_empty() && !row.doc.is_empty() && !row.doc.ends_with('.'), "{name}");
            assert!(row.doc.starts_with(|c: char| c.is_uppercase()), "{name}: {}", row.doc);
            for keyword in row.keywords {
                assert!(known.insert(keyword), "`{keyword}` has two rows");
                assert_eq!(Schema::foreign(keyword).map(ForeignKeyword::keyword), Some(name));
            }
        }
    }
}
