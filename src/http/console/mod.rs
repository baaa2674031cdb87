//! The console: the files that `serve --console` answers to a browser, as they are in this folder, and the headers that
//! go with them.
//!
//! *Invariants.* The files use the API as any client does; nothing here knows a configuration, a password or a socket.
//! A page loads nothing from elsewhere, and shows values as text nodes alone.

use std::sync::Arc;

/// The files of this folder, each with its name and its text: `build.rs` lists them.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/console.rs"));

/// The page, which is answered at the root.
const INDEX: &str = include_str!("index.html");

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

/// The files of a server with its prefix of the API, as they are sent.
pub struct Console(Vec<(&'static str, Arc<Vec<u8>>)>);

impl Console {
    /// The console of a server whose paths begin with this prefix.
    pub fn new(prefix: &str) -> Self {
        let relative = prefix.trim_matches('/');
        let escaped = relative.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        let files = FILES.iter().map(|(name, text)| (*name, without_comments(text)));
        let files = [("", INDEX.replace(PREFIX_PLACE, &escaped))].into_iter().chain(files);
        Self(files.map(|(name, text)| (name, Arc::new(text.into_bytes()))).collect())
    }

    /// The file at a path, with its media type; `None` if there is none.
    pub fn file(&self, path: &str) -> Option<(&'static str, Arc<Vec<u8>>)> {
        let (name, text) = self.0.iter().find(|(name, _)| path.strip_prefix('/') == Some(name))?;
        let media_type = match name.rsplit('.').next() {
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => "text/html; charset=utf-8",
        };
        Some((media_type, text.clone()))
    }

    /// The paths of all files, the page first.
    pub fn paths() -> impl Iterator<Item = String> {
        [""].into_iter().chain(FILES.iter().map(|(name, _)| *name)).map(|name| format!("/{name}"))
    }
}

/// A script or a style without comments, empty lines, and the blanks around lines: a browser needs none of them. No text
/// in a script goes over several lines (a linter holds that).
fn without_comments(text: &str) -> String {
    let mut is_inside = false;
    let is_code = |line: &&str| {
        let (begins, ends) = (line.starts_with("/*"), line.ends_with("*/"));
        let is_comment = is_inside || line.starts_with("//") || (begins && (ends || !line.contains("*/")));
        is_inside = is_comment && (is_inside || begins) && !ends;
        !is_comment && !line.is_empty()
    };
    text.lines().map(str::trim).filter(is_code).flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_go_and_code_stays() {
        let text =
            "// a\n  let b = '// c'; // d\n/** e */\n  /**\n   * f\n   */\n/* g */ h();\ni(); /* j\nk */\n";
        let sent = "let b = '// c'; // d\n/* g */ h();\ni(); /* j\nk */\n";
        assert_eq!(without_comments(text), sent);
    }
}
