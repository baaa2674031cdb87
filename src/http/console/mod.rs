//! The console: the files that `serve --console` answers to a browser, as they are in this folder, and the headers that
//! go with them.
//!
//! *Invariants.* The files use the API as any client does; nothing here knows a configuration, a password or a socket.
//! A page loads nothing from elsewhere, and shows values as text nodes alone.

use std::sync::Arc;

/// The media type of an ES module.
const MODULE: &str = "text/javascript; charset=utf-8";

const STYLE: &str = "text/css; charset=utf-8";

const PICTURE: &str = "image/svg+xml";

macro_rules! files {
    ($($media_type:ident $name:literal),* $(,)?) => {
        &[$(($name, $media_type, include_str!($name))),*]
    };
}

/// The page, which is answered at the root.
const INDEX: &str = include_str!("index.html");

/// The files that the page loads, each with its path behind the root, its media type and its text. Those of one view stand together, and compress so, too.
static FILES: &[(&str, &str, &str)] = files![
    PICTURE "icon.svg",
    // The style.
    STYLE "streams.css",
    STYLE "console.css",
    STYLE "status.css",
    STYLE "edit.css",
    // The frame: the login, the places, and what all views use.
    MODULE "frame.js",
    MODULE "words.js",
    MODULE "path.js",
    MODULE "figures.js",
    MODULE "app.js",
    MODULE "login.js",
    MODULE "state.js",
    MODULE "api.js",
    MODULE "load.js",
    MODULE "dom.js",
    MODULE "vocabulary.js",
    MODULE "router.js",
    // The list of streams.
    MODULE "rows.js",
    MODULE "streams.js",
    MODULE "filter.js",
    MODULE "virtual_rows.js",
    MODULE "many.js",
    // The texts, and the entries in them.
    MODULE "entry_editor.js",
    MODULE "entry_page.js",
    MODULE "text.js",
    MODULE "fields.js",
    // The history and the status.
    MODULE "status.js",
    MODULE "diff.js",
    MODULE "problem_view.js",
    MODULE "history.js",
    // The edit that is not sent, and the change that it becomes.
    MODULE "change_bar.js",
    MODULE "apply_form.js",
    MODULE "confirm_bar.js",
    MODULE "draft.js",
    MODULE "review.js",
    MODULE "command.js",
];

/// What the page has where the prefix of the API is to stand.
const PREFIX_PLACE: &str = "{{api}}";

/// The headers of every file. No script but those of this server runs, the page talks to this server alone, no other page
/// frames it or has a handle to it, and no site learns where a reader came from.
pub const HEADERS: [(&str, &str); 4] = [
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
];

/// The files of a server with its prefix of the API.
pub struct Console {
    page: Arc<Vec<u8>>,
}

impl Console {
    /// The console of a server whose paths begin with this prefix.
    pub fn new(prefix: &str) -> Self {
        let relative = prefix.trim_matches('/');
        let escaped = relative.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        Self { page: Arc::new(INDEX.replace(PREFIX_PLACE, &escaped).into_bytes()) }
    }

    /// The file at a path, with its media type; `None` if there is none.
    pub fn file(&self, path: &str) -> Option<(&'static str, Arc<Vec<u8>>)> {
        let name = path.strip_prefix('/')?;
        match FILES.iter().find(|(path, ..)| *path == name) {
            Some((_, media_type, text)) => Some((media_type, Arc::new(without_comments(text).into_bytes()))),
            None => name.is_empty().then(|| ("text/html; charset=utf-8", self.page.clone())),
        }
    }

    /// The paths of all files, the page first.
    pub fn paths() -> impl Iterator<Item = String> {
        [""].into_iter().chain(FILES.iter().map(|(path, ..)| *path)).map(|path| format!("/{path}"))
    }
}

/// A script or a style without comments, empty lines, and the blanks in front of lines: a browser needs none of them. No text
/// in a script goes over several lines (a linter holds that).
fn without_comments(text: &str) -> String {
    let mut is_inside = false;
    let mut sent = String::with_capacity(text.len());
    for line in text.lines() {
        let word = line.trim();
        let begins = word.starts_with("/*") && !word.contains("*/");
        let is_comment =
            is_inside || begins || word.starts_with("//") || (word.starts_with("/*") && word.ends_with("*/"));
        is_inside = (is_inside || begins) && !word.ends_with("*/");
        let start = sent.len();
        if !is_comment {
            push_without_types(&mut sent, line.trim_start());
        }
        if sent.len() > start {
            sent.push('\n');
        }
    }
    sent
}

/// Adds a line without its JSDoc types: `/** @type {T} */ (value)` is `(value)`.
fn push_without_types(sent: &mut String, line: &str) {
    let mut rest = line;
    while let Some((code, (_, behind))) =
        rest.split_once("/** @").and_then(|(code, comment)| Some((code, comment.split_once("*/ ")?)))
    {
        sent.push_str(code);
        rest = behind;
    }
    sent.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_go_and_code_stays() {
        let text = "// a\n  let b = '// c'; // d\n/** e */\n  /**\n   * f\n   */\n/* g */ h();\ni(); /* j\nk */\nl(/** @type {m} */ (n), /** @param {o} p */ (p) => 1);\n";
        let sent = "let b = '// c'; // d\n/* g */ h();\ni(); /* j\nk */\nl((n), (p) => 1);\n";
        assert_eq!(without_comments(text), sent);
    }
}
