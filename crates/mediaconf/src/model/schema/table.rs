//! The rows. Within a scope they stand in the order in which they are shown and written.

use super::kinds::{
    BITRATE, DURATION, DVR_REFERENCE, FLAG, LOG_LEVEL, PERCENT, PORT, SCALAR, SECONDS, SWITCH, TEXT,
    UDP_PORT, WordKind,
};
use super::row::{
    AddressShape, Derived, DirectiveRole, Kind, KnownOption, ListShape, ON_DEMAND, ObjectShape, OptionsShape,
    POSITION, Parameter, Part, PartPlace, STATIC, Scope, Shape, URL_GLOBAL, WITH_INCLUDES,
};

/// `edit_auth LOGIN PASSWORD;`
pub static ACCOUNT: ObjectShape = ObjectShape {
    name: "Account",
    parts: &[
        part("login", &TEXT, PartPlace::Required),
        Part { secret: true, ..part("password", &TEXT, PartPlace::Required) },
    ],
    takes_words: false,
};

/// `dvr ROOT 90% 5d;`
static DVR: ObjectShape = ObjectShape {
    name: "Dvr",
    parts: &[
        part("root", &TEXT, PartPlace::Required),
        part("reference", &DVR_REFERENCE, PartPlace::Instead),
        part("disk_limit", &PERCENT, PartPlace::Optional),
        part("dvr_limit", &DURATION, PartPlace::Optional),
        part("options", &SCALAR, PartPlace::Rest),
    ],
    takes_words: true,
};

/// `http 80;`
static HTTP: ListShape = ListShape {
    json_form: "an array of numbers and \"host:port\" strings; always shown",
    ..ports("http", "http_options")
};

static HTTPS: ListShape = ports("https", "https_options");
static ADMIN_HTTP: ListShape = ports("admin_http", "admin_http_options");
static ADMIN_HTTPS: ListShape = ports("admin_https", "admin_https_options");

const fn ports(key: &'static str, blocks: &'static str) -> ListShape {
    ListShape {
        key,
        blocks,
        kind: &PORT,
        noun: "port",
        name: "list of ports",
        json_form: "an array of numbers and \"host:port\" strings",
        blocks_json_form: "an object by port",
    }
}

const AUTH: &str = "auth";
const URL: &str = "url";
const URLS: &str = "urls";

/// `auth URL a=1 b;`: the options are strings, and a new one comes first.
static BACKEND: AddressShape = AddressShape {
    name: "Backend",
    noun: "backend",
    address: URL,
    address_doc: "The URL of the backend; false opens access",
    options: Some("extra"),
    members: Scope::Backend,
    kind: &TEXT,
    new_first: true,
    may_be_false: true,
    keyword: AUTH,
    plural: "",
    usage: "a URL or `false`, then NAME=VALUE options",
    json_form: "{\"url\", \"extra\"}; `auth false;` is the url false, the options are in extra",
};

/// `url URL priority=1 flag;`
pub static SOURCE: AddressShape = AddressShape {
    name: "Source",
    noun: "source",
    address: URL,
    address_doc: "",
    options: None,
    members: Scope::Source,
    kind: &SCALAR,
    new_first: false,
    may_be_false: false,
    keyword: URL,
    plural: URLS,
    usage: "a URL, then NAME=VALUE options",
    json_form: "an array of {\"url\", ...}; always shown",
};

/// `transcoder vb=1024k ab=64k;`
static TRANSCODER: OptionsShape = OptionsShape {
    noun: "transcoder",
    known: &[
        KnownOption { keyword: "vb", key: "video_bitrate", kind: &BITRATE },
        KnownOption { keyword: "ab", key: "audio_bitrate", kind: &BITRATE },
    ],
};

const fn part(key: &'static str, kind: &'static WordKind, place: PartPlace) -> Part {
    Part { key, kind, place, secret: false }
}

const fn row(key: &'static str, keywords: &'static [&'static str], scope: Scope, shape: Shape) -> Parameter {
    Parameter {
        key,
        keywords,
        scope,
        number: 0,
        shape,
        role: None,
        secret: false,
        strict: false,
        always_shown: shape.is_list() || shape.group().is_some(),
        default: "",
        unit: "",
        doc: "",
        example: "",
    }
}

const fn derived(key: &'static str, scope: Scope, what: Derived, doc: &'static str) -> Parameter {
    Parameter { doc, ..row(key, &[], scope, Shape::Derived(what)) }
}

const fn value(
    scope: Scope,
    keywords: &'static [&'static str],
    kind: &'static WordKind,
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    let (strict, unit) = (kind.transport.is_some(), kind.unit);
    Parameter { strict, unit, doc, example, ..row(keywords[0], keywords, scope, Shape::Value(kind)) }
}

/// Describes the value that holds in a stream or live without an own one.
const fn inherited(scope: Scope, global: &'static str) -> &'static str {
    if matches!(scope, Scope::Top) { "" } else { global }
}

const fn cluster_key(scope: Scope, doc: &'static str) -> Parameter {
    let default = inherited(scope, "the global `cluster_key`");
    Parameter {
        role: Some(DirectiveRole::ClusterKey),
        secret: true,
        default,
        ..value(scope, &["cluster_key"], &TEXT, doc, "cluster_key SECRET;")
    }
}

const fn account(
    role: DirectiveRole,
    keywords: &'static [&'static str],
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    let shape = Shape::Object(&ACCOUNT);
    Parameter {
        role: Some(role),
        secret: true,
        strict: true,
        doc,
        example,
        ..row(keywords[0], keywords, Scope::Top, shape)
    }
}

const fn backend(scope: Scope, doc: &'static str, example: &'static str) -> Parameter {
    let default = inherited(scope, "the global `auth`");
    Parameter {
        role: Some(DirectiveRole::Backend),
        secret: true,
        strict: true,
        default,
        doc,
        example,
        ..row(AUTH, &[AUTH], scope, Shape::Address(&BACKEND))
    }
}

const fn group(
    keywords: &'static [&'static str],
    kind: Kind,
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    Parameter { strict: true, doc, example, ..row(kind.key(), keywords, Scope::Top, Shape::Group(kind)) }
}

const fn dvr(scope: Scope) -> Parameter {
    Parameter {
        role: Some(DirectiveRole::Archive),
        doc: "Archive: `ROOT` is its folder, `@NAME` refers to a `dvr` of the top level; `90%` is how full the \
              disk may get, `5d` how long recordings are kept (in JSON 432000, in seconds)",
        example: "dvr /storage 90% 5d;",
        ..row("dvr", &["dvr"], scope, Shape::Object(&DVR))
    }
}

const fn title(scope: Scope) -> Parameter {
    value(scope, &["title"], &SCALAR, "Title that viewers see", "title \"Camera 1\";")
}

const fn comment(scope: Scope) -> Parameter {
    value(scope, &["comment"], &SCALAR, "Remark for administrators", "comment \"north gate\";")
}

const fn disabled(scope: Scope) -> Parameter {
    Parameter {
        role: Some(DirectiveRole::Disabled),
        default: "false",
        ..value(scope, &["disabled"], &FLAG, "Whether it is switched off", "disabled;")
    }
}

const fn former_url_global(scope: Scope) -> Parameter {
    derived(URL_GLOBAL, scope, Derived::Former, "Ignored; an earlier version showed auth.url_global here")
}

/// Ports of one kind, each on a line of its own.
const fn listeners(
    list: &'static ListShape,
    keywords: &'static [&'static str],
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    Parameter { always_shown: false, doc, example, ..row(list.key, keywords, Scope::Top, Shape::List(list)) }
}

/// The blocks of the directives of such a list.
const fn listener_blocks(list: &'static ListShape, doc: &'static str, example: &'static str) -> Parameter {
    Parameter { doc, example, ..row(list.blocks, &[], Scope::Top, Shape::Blocks(list)) }
}

/// The sources of a block other than a stream's.
const fn sources(scope: Scope, doc: &'static str) -> Parameter {
    Parameter {
        role: Some(DirectiveRole::Sources),
        always_shown: false,
        doc,
        example: "url udp://239.0.0.1:1234 priority=1;",
        ..row(URLS, &[URL, "input", URLS], scope, Shape::Addresses(&SOURCE))
    }
}

const fn prepush(scope: Scope) -> Parameter {
    value(
        scope,
        &["prepush"],
        &SECONDS,
        "How much is buffered before playing starts; off buffers nothing",
        "prepush 5;",
    )
}

const fn transcoder(scope: Scope) -> Parameter {
    Parameter {
        unit: BITRATE.unit,
        doc: "Options of the transcoder, in order; vb is video_bitrate, ab is audio_bitrate, 64k is 64000",
        example: "transcoder vb=1024k ab=64k;",
        ..row("transcoder", &["transcoder"], scope, Shape::Options(&TRANSCODER))
    }
}

/// The rows of a scope stand together.
const fn numbered<const COUNT: usize>(mut rows: [Parameter; COUNT]) -> [Parameter; COUNT] {
    let mut at = 1;
    while at < COUNT {
        if rows[at].scope as u8 == rows[at - 1].scope as u8 {
            rows[at].number = rows[at - 1].number + 1;
        }
        at += 1;
    }
    rows
}

/// Every parameter; within a scope, in the order in which it is shown and written.
pub static PARAMETERS: &[Parameter] = &numbered([
    Parameter {
        strict: true,
        always_shown: true,
        ..listeners(&HTTP, &["http"], "Ports and addresses of the HTTP server", "http 80;")
    },
    listener_blocks(&HTTP, "Settings in the block of an http directive, by port", "http 80 { api false; }"),
    value(Scope::Top, &["rtmp"], &PORT, "Port or address of the RTMP server", "rtmp 1935;"),
    value(Scope::Top, &["rtsp"], &PORT, "Port or address of the RTSP server", "rtsp 554;"),
    value(Scope::Top, &["snmp"], &UDP_PORT, "Port or address of the SNMP agent", "snmp 4000;"),
    value(Scope::Top, &["mysql"], &PORT, "Port or address of the MySQL interface", "mysql 3306;"),
    value(Scope::Top, &["loglevel"], &LOG_LEVEL, "How much the server logs", "loglevel debug;"),
    value(Scope::Top, &["root", "wwwroot"], &TEXT, "Folder of static files", "root wwwroot;"),
    value(Scope::Top, &["pulsedb"], &TEXT, "Folder of the statistics database", "pulsedb /var/lib/media;"),
    cluster_key(Scope::Top, "Secret that the servers of a cluster share"),
    value(
        Scope::Top,
        &["log_requests", "logrequests"],
        &SWITCH,
        "Whether requests are logged",
        "log_requests true;",
    ),
    account(
        DirectiveRole::Editor,
        &["edit_auth"],
        "Login and password of the account that may change the configuration",
        "edit_auth admin SECRET;",
    ),
    account(
        DirectiveRole::Viewer,
        &["view_auth"],
        "Login and password of the account that may look at the media server, but not change it",
        "view_auth viewer SECRET;",
    ),
    backend(
        Scope::Top,
        "Authorization backend of every stream that has none of its own",
        "auth http://backend/auth key=value;",
    ),
    listeners(&HTTPS, &["https"], "Ports and addresses of the HTTPS server", "https 443;"),
    listener_blocks(
        &HTTPS,
        "Settings in the block of an https directive, by port",
        "https 443 { api false; }",
    ),
    listeners(
        &ADMIN_HTTP,
        &["admin_http"],
        "Ports and addresses on which administrators use HTTP",
        "admin_http 8090;",
    ),
    listener_blocks(
        &ADMIN_HTTP,
        "Settings in the block of an admin_http directive, by port",
        "admin_http 8090 { api false; }",
    ),
    listeners(
        &ADMIN_HTTPS,
        &["admin_https"],
        "Ports and addresses on which administrators use HTTPS",
        "admin_https 8443;",
    ),
    listener_blocks(
        &ADMIN_HTTPS,
        "Settings in the block of an admin_https directive, by port",
        "admin_https 8443 { api false; }",
    ),
    Parameter {
        strict: false,
        ..value(Scope::Top, &["rtmps"], &PORT, "Port or address of the RTMPS server", "rtmps 1936;")
    },
    Parameter {
        strict: false,
        ..value(Scope::Top, &["rtsps"], &PORT, "Port or address of the RTSPS server", "rtsps 322;")
    },
    group(&["plugin"], Kind::Plugin, "Plugins, by name", "plugin iptv { database sqlite:///iptv.db; }"),
    group(&["live"], Kind::Live, "Publishing locations, by prefix", "live mylive;"),
    group(
        &["stream", ON_DEMAND],
        Kind::Stream,
        "Streams, by name",
        "stream cam1 { url rtsp://camera/h264; }",
    ),
    derived("runtime", Scope::Top, Derived::Runtime, "Figures of the running server; output only"),
    derived(
        WITH_INCLUDES,
        Scope::Top,
        Derived::Included,
        "The included files that are shown, too, by read --with-includes; such an output can't be written back",
    ),
    derived("name", Scope::Stream, Derived::Name, "The name of the stream; equals its key"),
    derived(
        STATIC,
        Scope::Stream,
        Derived::Static,
        "Whether the stream always runs: true for stream, false for ondemand",
    ),
    derived(
        POSITION,
        Scope::Stream,
        Derived::Position,
        "Place among the streams, from 1; setting it moves the block",
    ),
    Parameter {
        always_shown: true,
        ..sources(Scope::Stream, "Sources of the stream; the first that works is played")
    },
    backend(
        Scope::Stream,
        "Authorization backend of this stream; auth false opens it to everybody",
        "auth false;",
    ),
    cluster_key(Scope::Stream, "Secret of this stream's source, instead of the global one"),
    prepush(Scope::Stream),
    transcoder(Scope::Stream),
    former_url_global(Scope::Stream),
    derived("cluster_key_global", Scope::Stream, Derived::Global, "The global cluster_key; output only"),
    dvr(Scope::Stream),
    title(Scope::Stream),
    comment(Scope::Stream),
    disabled(Scope::Stream),
    derived("prefix", Scope::Live, Derived::Name, "The prefix of the location; equals its key"),
    Parameter {
        default: "true",
        always_shown: true,
        ..value(
            Scope::Live,
            &["publish_enabled"],
            &SWITCH,
            "Whether streams may be published here",
            "publish_enabled false;",
        )
    },
    derived(STATIC, Scope::Live, Derived::Static, "Always false"),
    derived(
        POSITION,
        Scope::Live,
        Derived::Position,
        "Place among the lives, from 1; setting it moves the block",
    ),
    backend(Scope::Live, "Authorization backend of this location", "auth http://backend/publish;"),
    cluster_key(Scope::Live, "Secret of this location, instead of the global one"),
    sources(Scope::Live, "Sources of what is published here"),
    prepush(Scope::Live),
    transcoder(Scope::Live),
    former_url_global(Scope::Live),
    derived("cluster_key_global", Scope::Live, Derived::Global, "The global cluster_key; output only"),
    dvr(Scope::Live),
    title(Scope::Live),
    comment(Scope::Live),
    disabled(Scope::Live),
    derived("name", Scope::Plugin, Derived::Name, "The name of the plugin; equals its key"),
    derived(
        POSITION,
        Scope::Plugin,
        Derived::Position,
        "Place among the plugins, from 1; setting it moves the block",
    ),
    derived(URL, Scope::Source, Derived::Address, "The address of the source"),
    derived(
        URL_GLOBAL,
        Scope::Backend,
        Derived::Global,
        "In streams and lives: the global auth.url, where it is a string; output only",
    ),
    sources(Scope::Template, "Sources of the streams that it holds for; the first that works is played"),
    backend(
        Scope::Template,
        "Authorization backend of the streams that it holds for",
        "auth http://backend/auth;",
    ),
    cluster_key(Scope::Template, "Secret of the sources, instead of the global one"),
    prepush(Scope::Template),
    transcoder(Scope::Template),
    dvr(Scope::Template),
    title(Scope::Template),
    comment(Scope::Template),
    disabled(Scope::Template),
]);

/// The last words of names of options, directives, query parameters, headers and JSON members whose value is
/// a secret: `pass` is the last word of `db_pass`, `smtpPass` and `db-pass2`.
pub static SECRET_WORDS: &[&str] = &[
    "password",
    "passphrase",
    "passwd",
    "pass",
    "pwd",
    "psk",
    "secret",
    "token",
    "key",
    "iv",
    "license",
    "authorization",
    "credential",
    "credentials",
    "bearer",
    "jwt",
    "signature",
    "cookie",
    "tokens",
    "passcode",
    "pin",
    "otp",
    "pw",
    "sig",
    "hmac",
];

/// Other such names that count only as the key of a query: a directive or an option with this name has no secret.
pub static SECRET_KEYS: &[&str] = &["auth", "sid"];

/// The ends of other such names, written without `_` and `-`.
pub static SECRET_ENDINGS: &[&str] = &[
    "password",
    "passphrase",
    "passwd",
    "secret",
    "accesstoken",
    "apitoken",
    "authtoken",
    "sessiontoken",
    "dbpass",
    "userpass",
    "userpwd",
    "apikey",
    "authkey",
    "accesskey",
    "accesskeyid",
    "mykey",
    "privatekey",
    "secretkey",
    "secretkeybase",
    "streamkey",
    "userkey",
    "sessionid",
    "sessid",
];
