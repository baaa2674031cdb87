//! Reads contexts from their text.

use std::path::Path;

use super::contexts::{Contexts, ServerContext};
use crate::cli::args::global::MAX_TIMEOUT;
use mediaconf::{Document, Entry, Fault, LineIndex};

/// Reads the contexts in a text without syntax errors; `folder` is where relative paths start. Where a
/// setting stands twice, the last one counts.
pub fn contexts(document: &Document, folder: &Path) -> Result<Contexts, Vec<Fault>> {
    let mut reader = ContextReader { lines: LineIndex::new(document.text()), folder, faults: Vec::new() };
    let mut contexts = Contexts::default();
    for entry in document.entries() {
        match (&*entry.keyword(), &arguments(entry)[..]) {
            ("context", [name]) if entry.is_block() => {
                if contexts.get(name).is_some() {
                    reader.fault(entry, format!("context `{name}` is defined twice"));
                }
                let context = reader.context(entry, name);
                contexts.list.push(context);
            }
            ("context", _) => reader.fault(entry, "expected `context NAME { … }`".to_owned()),
            ("current", [name]) => contexts.current = Some(name.clone()),
            ("current", _) => reader.fault(entry, "expected `current NAME;`".to_owned()),
            // A stray `;` is only a warning of the syntax.
            ("", []) => {}
            (keyword, _) => reader.fault(entry, format!("unknown directive `{keyword}`")),
        }
    }
    if reader.faults.is_empty() { Ok(contexts) } else { Err(reader.faults) }
}

struct ContextReader<'d> {
    lines: LineIndex<'d>,
    folder: &'d Path,
    faults: Vec<Fault>,
}

impl ContextReader<'_> {
    fn context(&mut self, block: Entry<'_>, name: &str) -> ServerContext {
        let mut context = ServerContext { name: name.to_owned(), ..ServerContext::default() };
        for setting in block.children() {
            if let Err(message) = self.setting(setting, &mut context) {
                self.fault(setting, message);
            }
        }
        if context.url.is_empty() {
            self.fault(block, format!("context `{name}` has no `url`"));
        }
        context
    }

    fn setting(&self, setting: Entry<'_>, context: &mut ServerContext) -> Result<(), String> {
        let (keyword, arguments) = (setting.keyword(), arguments(setting));
        let one = || match &arguments[..] {
            [word] if !setting.is_block() => Ok(word.clone()),
            _ => Err(format!("`{keyword}` takes one value; quote one that contains blanks")),
        };
        match &*keyword {
            "url" => context.url = one()?,
            "login" => context.login = Some(one()?),
            "password_command" => context.password_command = Some(one()?),
            "cacert" => context.cacert = Some(self.folder.join(one()?)),
            "cert" => context.cert = Some(self.folder.join(one()?)),
            "key" => context.key = Some(self.folder.join(one()?)),
            "fingerprint" => {
                let fingerprint = one()?.parse();
                context.fingerprint = Some(fingerprint.map_err(|error| format!("`fingerprint`: {error}"))?);
            }
            "api_prefix" => context.api_prefix = Some(one()?),
            "max_answer" => {
                let size = one()?.parse();
                context.max_answer = Some(size.map_err(|error: String| format!("`max_answer`: {error}"))?);
            }
            "timeout" => context.timeout = Some(seconds(&one()?)?),
            "group" if !arguments.is_empty() => context.groups.extend(arguments),
            "group" => return Err("`group` takes a name".to_owned()),
            "protected" if arguments.is_empty() => context.is_protected = true,
            "protected" => context.is_protected = is_true(&one()?)?,
            "" => {}
            "sign_key" | "trust_key" => {
                let line = self.lines.position(setting.span().start).line;
                context.outdated.get_or_insert((keyword.into_owned(), line));
            }
            _ => return Err(format!("unknown setting `{keyword}`")),
        }
        Ok(())
    }

    fn fault(&mut self, entry: Entry<'_>, message: String) {
        let line = self.lines.position(entry.span().start).line;
        self.faults.push(Fault { line: Some(line), ..Fault::plain(message) });
    }
}

fn arguments(entry: Entry<'_>) -> Vec<String> {
    entry.arguments().map(|word| word.value().into_owned()).collect()
}

fn seconds(word: &str) -> Result<u64, String> {
    let seconds = word.parse().ok().filter(|seconds| (1..=MAX_TIMEOUT).contains(seconds));
    seconds.ok_or_else(|| format!("`timeout` is a number of seconds, from 1 to {MAX_TIMEOUT}"))
}

fn is_true(word: &str) -> Result<bool, String> {
    match word {
        "true" | "on" => Ok(true),
        "false" | "off" => Ok(false),
        _ => Err("`protected` is `true` or `false`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Contexts, Vec<(usize, String)>> {
        let read = contexts(&Document::parse(text), Path::new("/home/olga"));
        read.map_err(|faults| {
            faults.into_iter().map(|fault| (fault.line.unwrap_or_default(), fault.message)).collect()
        })
    }

    #[test]
    fn a_context_has_what_stands_in_its_block() {
        let pin = "sha256:".to_owned() + &"0f".repeat(32);
        let text = format!(
            "# mine\ncurrent prod;\ncontext prod {{\n  url https://media.example; login 007;\n  \
             password_command \"pass show media/prod\"; cacert ca.pem; fingerprint {pin};\n  \
             api_prefix /api; timeout 20; max_answer 128M; group edge eu; group all; protected true;\n}}\ncontext \"a b\" {{ url http://h; protected off; }}"
        );
        let prod = ServerContext {
            name: "prod".to_owned(),
            url: "https://media.example".to_owned(),
            login: Some("007".to_owned()),
            password_command: Some("pass show media/prod".to_owned()),
            cacert: Some("/home/olga/ca.pem".into()),
            cert: None,
            key: None,
            fingerprint: pin.parse().ok(),
            api_prefix: Some("/api".to_owned()),
            timeout: Some(20),
            max_answer: "128MiB".parse().ok(),
            groups: ["edge", "eu", "all"].map(str::to_owned).to_vec(),
            is_protected: true,
            outdated: None,
        };
        let plain =
            ServerContext { name: "a b".to_owned(), url: "http://h".to_owned(), ..ServerContext::default() };
        let contexts = Contexts { list: vec![prod, plain], current: Some("prod".to_owned()) };
        assert_eq!(read(&text), Ok(contexts));
        assert_eq!(read(""), Ok(Contexts::default()));
    }

    #[test]
    fn every_fault_is_told_with_its_line() {
        for (text, line, message) in [
            ("\ncontext a { login x; }", 2, "context `a` has no `url`"),
            ("context a { url h; }\ncontext a { url h; }", 2, "context `a` is defined twice"),
            ("context a;", 1, "expected `context NAME { … }`"),
            ("context { a { url h; } }", 1, "expected `context NAME { … }`"),
            ("current;", 1, "expected `current NAME;`"),
            ("stream a;", 1, "unknown directive `stream`"),
            ("context a { url h;\n passwrd x; }", 2, "unknown setting `passwrd`"),
            ("context a { url h; group; }", 1, "`group` takes a name"),
            (
                "context a { url h; max_answer 0; }",
                1,
                "`max_answer`: a size is from 1 to `17179869184` bytes, such as `64M` or `100KiB`",
            ),
            ("context a { url h; timeout 0; }", 1, "`timeout` is a number of seconds, from 1 to 86400"),
            ("context a { url h; protected maybe; }", 1, "`protected` is `true` or `false`"),
            (
                "context a { url h; password_command pass show x; }",
                1,
                "`password_command` takes one value; quote one that contains blanks",
            ),
            (
                "context a { url h; fingerprint md5:12; }",
                1,
                "`fingerprint`: a fingerprint is `sha256:` and 64 hexadecimal digits",
            ),
        ] {
            assert_eq!(read(text), Err(vec![(line, message.to_owned())]), "{text}");
        }
    }
}
