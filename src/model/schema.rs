//! The one table of what we know: every parameter, where it stands, its form in text and JSON.
//!
//! The view, the edits, the checks, the typed values of the command line, the completions and
//! `media.conf(5)` are made from it. A new parameter is a new row.

/// Where our own keys live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Outside any block.
    Top,
    /// Inside `stream NAME { … }` or `ondemand NAME { … }`.
    Stream,
    /// Inside `live PREFIX { … }`.
    Live,
    /// Inside `plugin NAME { … }`.
    Plugin,
    /// An element of a stream's `urls`.
    Source,
    /// Inside any other block: nothing is ours there.
    Foreign,
}

/// Every scope, in the order of its declaration.
const SCOPES: [Scope; 6] =
    [Scope::Top, Scope::Stream, Scope::Live, Scope::Plugin, Scope::Source, Scope::Foreign];

/// The form of a parameter in text and in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `http 80;` repeated, an array of ports and `host:port` strings.
    Ports,
    /// `rtmp 1935;`, an integer 0..65535 or a `host:port` string.
    Port,
    /// `root wwwroot;`, one word, a string.
    Word,
    /// `log_requests true;`, a boolean; the bare directive is true.
    Switch,
    /// `edit_auth LOGIN PASSWORD;`, `{login, password}`.
    Account,
    /// `auth URL key=value …;`, `{url, extra}`.
    Backend,
    /// `url URL key=value …;` repeated, an array of `{url, …}`.
    Sources,
    /// `prepush 5;` or `prepush off;`, an integer or false.
    Seconds,
    /// `transcoder vb=1024k …;`, an array of `[name, value]`.
    Transcoder,
    /// `stream NAME { … }` repeated, an object by name.
    Group(Kind),
    /// The blocks of `http PORT { … }`, an object by port.
    PortOptions,
    /// Not a directive: read from the text around it, or from elsewhere.
    Derived(Derived),
}

/// The three groups of named blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `stream` and `ondemand`.
    Stream,
    /// `live`.
    Live,
    /// `plugin`.
    Plugin,
}

/// A JSON member that no directive of its own stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derived {
    /// The name or prefix in the header of a block.
    Name,
    /// Whether the header says `stream` (true) or `ondemand` (false); a live's is false.
    Static,
    /// The place in the group, from 1.
    Position,
    /// A global value, repeated for readers.
    Global,
    /// Figures of a running server.
    Runtime,
    /// The address of a source: the first word of its directive.
    Address,
}

impl Derived {
    /// Whether a patch may hold it only to have it ignored.
    pub fn is_output_only(self) -> bool {
        matches!(self, Self::Global | Self::Runtime)
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct Parameter {
    /// The JSON key.
    pub key: &'static str,
    /// The directives that are read as it; a new one is written with the first.
    pub keywords: &'static [&'static str],
    /// Where it may stand.
    pub scope: Scope,
    /// Its form.
    pub shape: Shape,
    /// Whether its value, or the part of it that is one, is a secret.
    pub secret: bool,
    /// The unit of a number.
    pub unit: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// A directive as it is written.
    pub example: &'static str,
}

impl Parameter {
    /// Whether a directive of the wrong shape is an error, not a warning.
    ///
    /// These are the ones without which a server does not start, or starts open to everybody.
    pub fn is_strict(&self) -> bool {
        matches!(self.shape, Shape::Ports | Shape::Port | Shape::Account | Shape::Backend | Shape::Group(_))
    }

    /// Whether it is a setting of which one occurrence counts.
    pub fn is_scalar(&self) -> bool {
        matches!(
            self.shape,
            Shape::Port
                | Shape::Word
                | Shape::Switch
                | Shape::Account
                | Shape::Backend
                | Shape::Seconds
                | Shape::Transcoder
        )
    }

    /// Whether it is shown even where the text says nothing of it.
    pub fn is_always_shown(&self) -> bool {
        matches!(self.shape, Shape::Ports | Shape::Group(_) | Shape::Sources) || self.key == PUBLISH_ENABLED
    }

    /// What the keyword in front of the value looks like when it is right.
    pub fn usage(&self) -> &'static str {
        match self.shape {
            Shape::Ports | Shape::Port => "a port from 0 to 65535, or HOST:PORT",
            Shape::Word => "one word",
            Shape::Switch => "`true` or `false`",
            Shape::Account => "LOGIN PASSWORD",
            Shape::Backend => "a URL or `false`, then KEY=VALUE options",
            Shape::Sources => "a URL, then KEY=VALUE options",
            Shape::Seconds => "a number of seconds, or `off`",
            Shape::Transcoder => "KEY=VALUE options",
            Shape::Group(Kind::Stream) => "a NAME, then a URL or a block",
            Shape::Group(_) => "a NAME, and maybe a block",
            Shape::PortOptions | Shape::Derived(_) => "nothing",
        }
    }
}

/// The only field of a live that has a default other than its absence.
pub const PUBLISH_ENABLED: &str = "publish_enabled";

/// In front of a foreign keyword that would collide with one of our keys.
pub const ESCAPE: char = '@';

const fn row(key: &'static str, keywords: &'static [&'static str], scope: Scope, shape: Shape) -> Parameter {
    Parameter { key, keywords, scope, shape, secret: false, unit: "", doc: "", example: "" }
}

const fn derived(key: &'static str, scope: Scope, what: Derived, doc: &'static str) -> Parameter {
    Parameter { doc, ..row(key, &[], scope, Shape::Derived(what)) }
}

const fn port(
    key: &'static str,
    keywords: &'static [&'static str],
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    Parameter { doc, example, ..row(key, keywords, Scope::Top, Shape::Port) }
}

const fn word(
    key: &'static str,
    keywords: &'static [&'static str],
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    Parameter { doc, example, ..row(key, keywords, Scope::Top, Shape::Word) }
}

const fn cluster_key(scope: Scope, doc: &'static str) -> Parameter {
    Parameter {
        secret: true,
        doc,
        example: "cluster_key SECRET;",
        ..row("cluster_key", &["cluster_key"], scope, Shape::Word)
    }
}

const fn account(
    key: &'static str,
    keywords: &'static [&'static str],
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    Parameter { secret: true, doc, example, ..row(key, keywords, Scope::Top, Shape::Account) }
}

const fn backend(scope: Scope, doc: &'static str, example: &'static str) -> Parameter {
    Parameter { secret: true, doc, example, ..row("auth", &["auth"], scope, Shape::Backend) }
}

/// Every parameter; within a scope, in the order in which it is shown and written.
pub static PARAMETERS: &[Parameter] = &[
    Parameter {
        doc: "Ports and addresses of the HTTP server",
        example: "http 80;",
        ..row("http", &["http"], Scope::Top, Shape::Ports)
    },
    Parameter {
        doc: "Settings in the block of an http directive, by port",
        example: "http 80 { api false; }",
        ..row("http_options", &[], Scope::Top, Shape::PortOptions)
    },
    port("rtmp", &["rtmp"], "Port or address of the RTMP server", "rtmp 1935;"),
    port("rtsp", &["rtsp"], "Port or address of the RTSP server", "rtsp 554;"),
    port("snmp", &["snmp"], "Port or address of the SNMP agent", "snmp 4000;"),
    port("mysql", &["mysql"], "Port or address of the MySQL interface", "mysql 3306;"),
    word("loglevel", &["loglevel"], "How much the server logs", "loglevel debug;"),
    word("root", &["root", "wwwroot"], "Folder of static files", "root wwwroot;"),
    word("pulsedb", &["pulsedb"], "Folder of the statistics database", "pulsedb /var/lib/media;"),
    cluster_key(Scope::Top, "Secret that the servers of a cluster share"),
    Parameter {
        doc: "Whether requests are logged",
        example: "log_requests true;",
        ..row("log_requests", &["log_requests", "logrequests"], Scope::Top, Shape::Switch)
    },
    account(
        "edit_auth",
        &["edit_auth"],
        "Login and password that may change the configuration",
        "edit_auth admin SECRET;",
    ),
    account(
        "view_auth",
        &["view_auth"],
        "Login and password that may look, but not change",
        "view_auth viewer SECRET;",
    ),
    backend(
        Scope::Top,
        "Authorization backend of every stream that has none of its own",
        "auth http://backend/auth key=value;",
    ),
    Parameter {
        doc: "Plugins, by name",
        example: "plugin iptv { database sqlite:///iptv.db; }",
        ..row("plugins", &["plugin"], Scope::Top, Shape::Group(Kind::Plugin))
    },
    Parameter {
        doc: "Publishing locations, by prefix",
        example: "live mylive;",
        ..row("lives", &["live"], Scope::Top, Shape::Group(Kind::Live))
    },
    Parameter {
        doc: "Streams, by name",
        example: "stream cam1 { url rtsp://camera/h264; }",
        ..row("streams", &["stream", "ondemand"], Scope::Top, Shape::Group(Kind::Stream))
    },
    derived("runtime", Scope::Top, Derived::Runtime, "Figures of the running server; output only"),
    derived("name", Scope::Stream, Derived::Name, "The name of the stream; equals its key"),
    derived(
        "static",
        Scope::Stream,
        Derived::Static,
        "Whether the stream always runs: true for stream, false for ondemand",
    ),
    derived(
        "position",
        Scope::Stream,
        Derived::Position,
        "Place among the streams, from 1; setting it moves the block",
    ),
    Parameter {
        doc: "Sources of the stream; the first that works is played",
        example: "url udp://239.0.0.1:1234 priority=1;",
        ..row("urls", &["url", "input", "urls"], Scope::Stream, Shape::Sources)
    },
    backend(
        Scope::Stream,
        "Authorization backend of this stream; auth false opens it to everybody",
        "auth false;",
    ),
    cluster_key(Scope::Stream, "Secret of this stream's source, instead of the global one"),
    Parameter {
        unit: "s",
        doc: "How much is buffered before playing starts; off buffers nothing",
        example: "prepush 5;",
        ..row("prepush", &["prepush"], Scope::Stream, Shape::Seconds)
    },
    Parameter {
        unit: "bit/s",
        doc: "Options of the transcoder, in order; vb is video_bitrate, ab is audio_bitrate, 64k is 64000",
        example: "transcoder vb=1024k ab=64k;",
        ..row("transcoder", &["transcoder"], Scope::Stream, Shape::Transcoder)
    },
    derived(
        "url_global",
        Scope::Stream,
        Derived::Global,
        "The global auth.url, where it is a string; output only",
    ),
    derived("cluster_key_global", Scope::Stream, Derived::Global, "The global cluster_key; output only"),
    derived("prefix", Scope::Live, Derived::Name, "The prefix of the location; equals its key"),
    Parameter {
        doc: "Whether streams may be published here",
        example: "publish_enabled false;",
        ..row(PUBLISH_ENABLED, &["publish_enabled"], Scope::Live, Shape::Switch)
    },
    derived("static", Scope::Live, Derived::Static, "Always false"),
    derived(
        "position",
        Scope::Live,
        Derived::Position,
        "Place among the lives, from 1; setting it moves the block",
    ),
    backend(Scope::Live, "Authorization backend of this location", "auth http://backend/publish;"),
    cluster_key(Scope::Live, "Secret of this location, instead of the global one"),
    derived(
        "url_global",
        Scope::Live,
        Derived::Global,
        "The global auth.url, where it is a string; output only",
    ),
    derived("cluster_key_global", Scope::Live, Derived::Global, "The global cluster_key; output only"),
    derived("name", Scope::Plugin, Derived::Name, "The name of the plugin; equals its key"),
    derived(
        "position",
        Scope::Plugin,
        Derived::Position,
        "Place among the plugins, from 1; setting it moves the block",
    ),
    derived("url", Scope::Source, Derived::Address, "The address of the source"),
];

/// Directives that others of this family of servers know and we don't: never a misspelling.
pub static FOREIGN_KEYWORDS: &[&str] = &[
    "https",
    "rtmps",
    "rtsps",
    "srt",
    "rtp",
    "udp",
    "dvr",
    "file",
    "peer",
    "source",
    "template",
    "push",
    "rule",
    "paths",
    "path",
    "cache",
    "only",
    "except",
    "domains",
    "thumbnails",
    "tracks",
    "meta",
    "iptv",
    "vsaas",
    "geoip",
    "license",
    "include",
    "server",
    "listen",
    "location",
    "allow",
    "deny",
    "backend",
    "auth_backend",
    "session_log",
    "config_external",
    "web_script",
    "password",
    "title",
    "protocols",
    "max_sessions",
    "max_bitrate",
    "source_timeout",
    "clients_timeout",
    "url_prefix",
    "on_play",
    "on_publish",
    "dvr_offline",
    "no_prepush",
    "add_audio_only",
    "allowed_countries",
    "cluster_ingest",
    "segment_cache",
    "storage",
    "api",
    "hls",
    "disabled",
    "srt_publish",
    "srt_play",
    "publish",
    "exec_policy",
    "balancer",
    "rewrite",
    "logger",
    "admin_http",
    "admin_https",
    "retry_limit",
    "drm",
    "webrtc",
    "dash",
    "mpegts",
    "sessions_keys",
    "inputs",
    "groups",
    "provider",
    "event_sink",
    "notify",
    "central",
    "ssl_certificate",
    "public",
    "access",
    "prefix",
    "database",
    "sip",
    "nvenc",
    "chassis",
];

/// Foreign directives and options whose value is a secret.
pub static SECRET_KEYWORDS: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "cluster_key",
    "edit_auth",
    "view_auth",
    "private_key",
    "key",
];

/// The parameters that may stand in `scope`, in their order.
pub fn parameters(scope: Scope) -> impl Iterator<Item = &'static Parameter> {
    scope_rows(scope).iter()
}

/// A scope's rows stand together in the table.
fn scope_rows(scope: Scope) -> &'static [Parameter] {
    static ROWS: std::sync::OnceLock<[&'static [Parameter]; 6]> = std::sync::OnceLock::new();
    ROWS.get_or_init(|| SCOPES.map(find_rows))[scope as usize]
}

fn find_rows(scope: Scope) -> &'static [Parameter] {
    PARAMETERS.chunk_by(|a, b| a.scope == b.scope).find(|rows| rows[0].scope == scope).unwrap_or(&[])
}

/// The parameter that `keyword` is the text form of.
pub fn by_keyword(scope: Scope, keyword: &str) -> Option<&'static Parameter> {
    static KEYWORDS: std::sync::OnceLock<Vec<Keywords>> = std::sync::OnceLock::new();
    let tables = KEYWORDS.get_or_init(|| SCOPES.iter().map(|&scope| Keywords::of(scope)).collect());
    tables[scope as usize].find(keyword)
}

/// The keywords of a scope by their first byte: every entry of a text is looked up.
struct Keywords {
    by_first_byte: Vec<Vec<(&'static str, &'static Parameter)>>,
}

impl Keywords {
    fn of(scope: Scope) -> Self {
        let mut by_first_byte = vec![Vec::new(); 256];
        for parameter in scope_rows(scope) {
            for keyword in parameter.keywords {
                by_first_byte[usize::from(keyword.as_bytes()[0])].push((*keyword, parameter));
            }
        }
        Self { by_first_byte }
    }

    fn find(&self, keyword: &str) -> Option<&'static Parameter> {
        let first = *keyword.as_bytes().first()?;
        let candidates = &self.by_first_byte[usize::from(first)];
        candidates.iter().find(|(known, _)| *known == keyword).map(|(_, parameter)| *parameter)
    }
}

/// The parameter with this JSON key.
pub fn by_key(scope: Scope, key: &str) -> Option<&'static Parameter> {
    scope_rows(scope).iter().find(|parameter| parameter.key == key)
}

/// Whether a foreign keyword gets an [`ESCAPE`] as a JSON key in `scope`.
pub fn is_reserved(scope: Scope, keyword: &str) -> bool {
    scope != Scope::Foreign
        && (keyword.starts_with(ESCAPE)
            || by_key(scope, keyword).is_some()
            || by_keyword(scope, keyword).is_some())
}

impl Kind {
    /// The JSON key of the group.
    pub fn key(self) -> &'static str {
        match self {
            Self::Stream => "streams",
            Self::Live => "lives",
            Self::Plugin => "plugins",
        }
    }

    /// The scope of what stands in a block of this kind.
    pub fn scope(self) -> Scope {
        match self {
            Self::Stream => Scope::Stream,
            Self::Live => Scope::Live,
            Self::Plugin => Scope::Plugin,
        }
    }

    /// The keyword of a new block, and what one is called in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Live => "live",
            Self::Plugin => "plugin",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_scope_stand_together_and_keys_are_unique() {
        let runs: Vec<Scope> =
            PARAMETERS.chunk_by(|a, b| a.scope == b.scope).map(|rows| rows[0].scope).collect();
        for scope in [Scope::Top, Scope::Stream, Scope::Live, Scope::Plugin, Scope::Source] {
            assert_eq!(runs.iter().filter(|&&run| run == scope).count(), 1, "{scope:?}");
            let mut keys: Vec<_> = parameters(scope).map(|parameter| parameter.key).collect();
            let count = keys.len();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), count, "{scope:?}");
        }
    }

    #[test]
    fn every_row_is_documented_and_has_an_example_that_its_keyword_starts() {
        for parameter in PARAMETERS {
            assert!(!parameter.doc.is_empty(), "{}", parameter.key);
            if let Some(keyword) = parameter.keywords.first() {
                assert!(parameter.example.starts_with(keyword), "{}", parameter.key);
            }
        }
    }
}
