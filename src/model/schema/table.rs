//! The rows. Within a scope they stand in the order in which they are shown and written.

use super::{Derived, Kind, PUBLISH_ENABLED, Parameter, Scope, Shape, URL_GLOBAL};

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

const fn former_url_global(scope: Scope) -> Parameter {
    derived(URL_GLOBAL, scope, Derived::Former, "Ignored; an earlier version showed auth.url_global here")
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
    former_url_global(Scope::Stream),
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
    former_url_global(Scope::Live),
    derived("cluster_key_global", Scope::Live, Derived::Global, "The global cluster_key; output only"),
    derived("name", Scope::Plugin, Derived::Name, "The name of the plugin; equals its key"),
    derived(
        "position",
        Scope::Plugin,
        Derived::Position,
        "Place among the plugins, from 1; setting it moves the block",
    ),
    derived("url", Scope::Source, Derived::Address, "The address of the source"),
    derived(
        URL_GLOBAL,
        Scope::Backend,
        Derived::Global,
        "In streams and lives: the global auth.url, where it is a string; output only",
    ),
];

/// Names of options, directives, query parameters and JSON members whose value is a secret.
///
/// They are compared without case, with `-` as `_`, by the part behind the last `.`.
pub static SECRET_NAMES: &[&str] = &[
    "password",
    "passphrase",
    "passwd",
    "pass",
    "pwd",
    "psk",
    "secret",
    "token",
    "key",
    "mykey",
    "userkey",
    "iv",
    "license",
    "authorization",
    "aws_access_key_id",
    "aws_secret_access_key",
    "aws_session_token",
];

/// How other names end whose value is a secret.
pub static SECRET_ENDINGS: &[&str] = &["_key", "_token", "_secret", "_password"];
