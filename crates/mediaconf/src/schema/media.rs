//! The schema of media servers. Within a scope the rows stand in the order in which they are shown and written.

use super::codec::{AddressesShape, BlocksShape};
use super::forms::{
    Derived, DirectiveRole, KnownOption, ListShape, ObjectShape, OptionsShape, POSITION, Part, PartPlace,
    STATIC,
};
use super::kinds::{
    BITRATE, DURATION, DVR_REFERENCE, FLAG, LOG_LEVEL, PERCENT, PORT, SCALAR, SECONDS, SWITCH, TEXT,
    UDP_PORT, WordKind,
};
use super::row::{
    AddressShape, Group, Kind, Parameter, Schema, Scope, ScopeTable, URL_GLOBAL, WITH_INCLUDES,
};

impl Schema {
    /// The schema of media servers.
    pub fn media() -> &'static Self {
        &MEDIA
    }
}

static MEDIA: Schema = Schema {
    scopes: &[TOP, STREAM, LIVE, PLUGIN, SOURCE_MEMBERS, BACKEND_MEMBERS, TEMPLATE, UNKNOWN],
    kinds: &KINDS,
    blocks: &[("template", TEMPLATE), ("source", TEMPLATE), ("file", TEMPLATE), ("vod", TEMPLATE)],
};

/// Outside any block.
pub static TOP: Scope = Scope(&TOP_TABLE);
/// Inside `stream NAME { … }` or `ondemand NAME { … }`.
pub static STREAM: Scope = Scope(&STREAM_TABLE);
/// Inside `live PREFIX { … }`.
pub static LIVE: Scope = Scope(&LIVE_TABLE);
/// Inside `plugin NAME { … }`.
pub static PLUGIN: Scope = Scope(&PLUGIN_TABLE);
/// An element of a stream's `urls`.
pub static SOURCE_MEMBERS: Scope = Scope(&SOURCE_TABLE);
/// Inside the object `auth`, beside its `url` and `extra`.
pub static BACKEND_MEMBERS: Scope = Scope(&BACKEND_TABLE);
/// Inside `template NAME { … }`, `source`, `file` and `vod`, which hold what a stream may hold. The general rule shows
/// the rest of them.
pub static TEMPLATE: Scope = Scope(&TEMPLATE_TABLE);
/// Inside any other block.
pub static UNKNOWN: Scope = Scope(&UNKNOWN_TABLE);

static TOP_TABLE: ScopeTable =
    ScopeTable { in_words: "at the top level", foreign_of: Some(""), rows: &TOP_ROWS };
static STREAM_TABLE: ScopeTable =
    ScopeTable { in_words: "in `stream` and `ondemand`", foreign_of: Some("stream"), rows: &STREAM_ROWS };
static LIVE_TABLE: ScopeTable =
    ScopeTable { in_words: "in `live`", foreign_of: Some("stream"), rows: &LIVE_ROWS };
static PLUGIN_TABLE: ScopeTable =
    ScopeTable { in_words: "in `plugin`", foreign_of: Some("plugin"), rows: &PLUGIN_ROWS };
static SOURCE_TABLE: ScopeTable =
    ScopeTable { in_words: "in an element of `urls`", foreign_of: None, rows: &SOURCE_ROWS };
static BACKEND_TABLE: ScopeTable =
    ScopeTable { in_words: "in `auth`", foreign_of: None, rows: &BACKEND_ROWS };
static TEMPLATE_TABLE: ScopeTable = ScopeTable {
    in_words: "in `template`, `source`, `file` and `vod`",
    foreign_of: Some("stream"),
    rows: &TEMPLATE_ROWS,
};
static UNKNOWN_TABLE: ScopeTable = ScopeTable { in_words: "in any other block", foreign_of: None, rows: &[] };

/// The groups, in the order of the view.
pub static KINDS: [Kind; 3] = [STREAMS, LIVES, PLUGINS];
/// `stream` and `ondemand`.
pub static STREAMS: Kind = Kind(&STREAM_GROUP);
/// `live`.
pub static LIVES: Kind = Kind(&LIVE_GROUP);
/// `plugin`.
pub static PLUGINS: Kind = Kind(&PLUGIN_GROUP);

static STREAM_GROUP: Group = Group {
    key: "streams",
    noun: "stream",
    on_demand: Some(ON_DEMAND),
    has_sources: true,
    name: "name",
    scope: STREAM,
    example: "{\"urls\":[{\"url\":\"udp://239.0.0.1:1234\"}]}",
    usage: "a NAME, then a URL or a block",
    json_form: "an object by name; always shown",
};

static LIVE_GROUP: Group = Group {
    key: "lives",
    noun: "live",
    on_demand: None,
    has_sources: false,
    name: "prefix",
    scope: LIVE,
    example: "{\"publish_enabled\":true}",
    usage: "a NAME, and maybe a block",
    json_form: "an object by prefix; always shown",
};

static PLUGIN_GROUP: Group = Group {
    key: "plugins",
    noun: "plugin",
    on_demand: None,
    has_sources: false,
    name: "name",
    scope: PLUGIN,
    example: "{\"KEY\":\"VALUE\"}",
    usage: "a NAME, and maybe a block",
    json_form: "an object by name; always shown",
};

/// The keyword of a stream that runs on demand.
const ON_DEMAND: &str = "ondemand";

/// `edit_auth LOGIN PASSWORD;`
pub static ACCOUNT: ObjectShape = ObjectShape {
    parts: &[
        part("login", &TEXT, PartPlace::Required),
        Part { secret: true, ..part("password", &TEXT, PartPlace::Required) },
    ],
    takes_words: false,
    usage: "LOGIN PASSWORD",
    json_form: "{\"login\", \"password\"}",
};

/// `dvr ROOT 90% 5d;`
static DVR: ObjectShape = ObjectShape {
    parts: &[
        part("root", &TEXT, PartPlace::Required),
        part("reference", &DVR_REFERENCE, PartPlace::Instead),
        part("disk_limit", &PERCENT, PartPlace::Optional),
        part("dvr_limit", &DURATION, PartPlace::Optional),
        part("options", &SCALAR, PartPlace::Rest),
    ],
    takes_words: true,
    usage: "ROOT or @NAME [90%] [5d] [OPTION...]",
    json_form: "{\"root\", \"reference\", \"disk_limit\", \"dvr_limit\", \"options\"}",
};

/// `http 80;`
static HTTP: ListShape = ListShape {
    takes_one: false,
    json_form: "an array of numbers and \"host:port\" strings; always shown",
    ..ports("http", "http_options")
};

static HTTPS: ListShape = ports("https", "https_options");
static ADMIN_HTTP: ListShape = ports("admin_http", "admin_http_options");
static ADMIN_HTTPS: ListShape = ports("admin_https", "admin_https_options");

static HTTP_BLOCKS: BlocksShape = BlocksShape(&HTTP);
static HTTPS_BLOCKS: BlocksShape = BlocksShape(&HTTPS);
static ADMIN_HTTP_BLOCKS: BlocksShape = BlocksShape(&ADMIN_HTTP);
static ADMIN_HTTPS_BLOCKS: BlocksShape = BlocksShape(&ADMIN_HTTPS);

const fn ports(key: &'static str, blocks: &'static str) -> ListShape {
    ListShape {
        key,
        blocks,
        kind: &PORT,
        noun: "port",
        takes_one: true,
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
    noun: "backend",
    address: URL,
    address_doc: "The URL of the backend; false opens access",
    options: Some("extra"),
    members: BACKEND_MEMBERS,
    kind: &TEXT,
    new_first: true,
    names: Some(("auth://", "auth_backend")),
    may_be_false: true,
    keyword: AUTH,
    plural: "",
    usage: "a URL or `false`, then NAME=VALUE options",
    json_form: "{\"url\", \"extra\"}; `auth false;` is the url false, the options are in extra",
};

/// `url URL priority=1 flag;`
pub static SOURCE: AddressShape = AddressShape {
    noun: "source",
    address: URL,
    address_doc: "",
    options: None,
    members: SOURCE_MEMBERS,
    kind: &SCALAR,
    new_first: false,
    names: None,
    may_be_false: false,
    keyword: URL,
    plural: URLS,
    usage: "a URL, then NAME=VALUE options",
    json_form: "an array of {\"url\", ...}",
};

static SOURCES: AddressesShape = AddressesShape(&SOURCE, SOURCE.json_form);
static STREAM_SOURCES: AddressesShape = AddressesShape(&SOURCE, "an array of {\"url\", ...}; always shown");

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

const fn derived(key: &'static str, scope: Scope, what: &'static Derived, doc: &'static str) -> Parameter {
    Parameter { doc, ..Parameter::new(key, &[], scope, what) }
}

const fn value(
    scope: Scope,
    keywords: &'static [&'static str],
    kind: &'static WordKind,
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    let (strict, unit) = (kind.transport.is_some(), kind.unit);
    Parameter { strict, unit, doc, example, ..Parameter::new(keywords[0], keywords, scope, kind) }
}

/// What holds where a stream or live has no value of its own.
const GLOBAL_KEY: &str = "the global `cluster_key`";
const GLOBAL_AUTH: &str = "the global `auth`";

const fn cluster_key(scope: Scope, default: &'static str, doc: &'static str) -> Parameter {
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
    Parameter {
        role: Some(role),
        secret: true,
        strict: true,
        doc,
        example,
        ..Parameter::new(keywords[0], keywords, TOP, &ACCOUNT)
    }
}

const fn backend(scope: Scope, default: &'static str, doc: &'static str, example: &'static str) -> Parameter {
    Parameter {
        role: Some(DirectiveRole::Backend),
        secret: true,
        strict: true,
        default,
        doc,
        example,
        ..Parameter::new(AUTH, &[AUTH], scope, &BACKEND)
    }
}

const fn group(
    keywords: &'static [&'static str],
    kind: Kind,
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    Parameter {
        strict: true,
        always_shown: true,
        doc,
        example,
        ..Parameter::new(kind.key(), keywords, TOP, kind.0)
    }
}

const fn dvr(scope: Scope) -> Parameter {
    Parameter {
        role: Some(DirectiveRole::Archive),
        doc: "Archive: `ROOT` is its folder, `@NAME` refers to a `dvr` of the top level; `90%` is how full the \
              disk may get, `5d` how long recordings are kept (in JSON 432000, in seconds)",
        example: "dvr /storage 90% 5d;",
        ..Parameter::new("dvr", &["dvr"], scope, &DVR)
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
    derived(URL_GLOBAL, scope, &Derived::Former, "Ignored; an earlier version showed auth.url_global here")
}

/// Ports of one kind, each on a line of its own.
const fn listeners(
    list: &'static ListShape,
    keywords: &'static [&'static str],
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    Parameter { doc, example, ..Parameter::new(list.key, keywords, TOP, list) }
}

/// The blocks of the directives of such a list.
const fn listener_blocks(
    blocks: &'static BlocksShape,
    doc: &'static str,
    example: &'static str,
) -> Parameter {
    Parameter { doc, example, ..Parameter::new(blocks.0.blocks, &[], TOP, blocks) }
}

/// The sources of a block other than a stream's.
const fn sources(scope: Scope, doc: &'static str) -> Parameter {
    Parameter {
        role: Some(DirectiveRole::Sources),
        doc,
        example: "url udp://239.0.0.1:1234 priority=1;",
        ..Parameter::new(URLS, &[URL, "input", URLS], scope, &SOURCES)
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
        ..Parameter::new("transcoder", &["transcoder"], scope, &TRANSCODER)
    }
}

static TOP_ROWS: [Parameter; 27] = [
    Parameter {
        strict: true,
        always_shown: true,
        ..listeners(&HTTP, &["http"], "Ports and addresses of the HTTP server", "http 80;")
    },
    listener_blocks(
        &HTTP_BLOCKS,
        "Settings in the block of an http directive, by port",
        "http 80 { api false; }",
    ),
    value(TOP, &["rtmp"], &PORT, "Port or address of the RTMP server", "rtmp 1935;"),
    value(TOP, &["rtsp"], &PORT, "Port or address of the RTSP server", "rtsp 554;"),
    value(TOP, &["snmp"], &UDP_PORT, "Port or address of the SNMP agent", "snmp 4000;"),
    value(TOP, &["mysql"], &PORT, "Port or address of the MySQL interface", "mysql 3306;"),
    value(TOP, &["loglevel"], &LOG_LEVEL, "How much the server logs", "loglevel debug;"),
    value(TOP, &["root", "wwwroot"], &TEXT, "Folder of static files", "root wwwroot;"),
    value(TOP, &["pulsedb"], &TEXT, "Folder of the statistics database", "pulsedb /var/lib/media;"),
    cluster_key(TOP, "", "Secret that the servers of a cluster share"),
    value(
        TOP,
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
        TOP,
        "",
        "Authorization backend of every stream that has none of its own",
        "auth http://backend/auth key=value;",
    ),
    listeners(&HTTPS, &["https"], "Ports and addresses of the HTTPS server", "https 443;"),
    listener_blocks(
        &HTTPS_BLOCKS,
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
        &ADMIN_HTTP_BLOCKS,
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
        &ADMIN_HTTPS_BLOCKS,
        "Settings in the block of an admin_https directive, by port",
        "admin_https 8443 { api false; }",
    ),
    Parameter {
        strict: false,
        ..value(TOP, &["rtmps"], &PORT, "Port or address of the RTMPS server", "rtmps 1936;")
    },
    Parameter {
        strict: false,
        ..value(TOP, &["rtsps"], &PORT, "Port or address of the RTSPS server", "rtsps 322;")
    },
    group(&["plugin"], PLUGINS, "Plugins, by name", "plugin iptv { database sqlite:///iptv.db; }"),
    group(&["live"], LIVES, "Publishing locations, by prefix", "live mylive;"),
    group(&["stream", ON_DEMAND], STREAMS, "Streams, by name", "stream cam1 { url rtsp://camera/h264; }"),
    derived("runtime", TOP, &Derived::Runtime, "Figures of the running server; output only"),
    derived(
        WITH_INCLUDES,
        TOP,
        &Derived::Included,
        "The included files that are shown, too, by read --with-includes; such an output can't be written back",
    ),
];

static STREAM_ROWS: [Parameter; 14] = [
    derived("name", STREAM, &Derived::Name, "The name of the stream; equals its key"),
    derived(
        STATIC,
        STREAM,
        &Derived::Static,
        "Whether the stream always runs: true for stream, false for ondemand",
    ),
    derived(
        POSITION,
        STREAM,
        &Derived::Position,
        "Place among the streams, from 1; setting it moves the block",
    ),
    Parameter {
        always_shown: true,
        codec: &STREAM_SOURCES,
        ..sources(STREAM, "Sources of the stream; the first that works is played")
    },
    backend(
        STREAM,
        GLOBAL_AUTH,
        "Authorization backend of this stream; auth false opens it to everybody",
        "auth false;",
    ),
    cluster_key(STREAM, GLOBAL_KEY, "Secret of this stream's source, instead of the global one"),
    prepush(STREAM),
    transcoder(STREAM),
    former_url_global(STREAM),
    derived("cluster_key_global", STREAM, &Derived::Global, "The global cluster_key; output only"),
    dvr(STREAM),
    title(STREAM),
    comment(STREAM),
    disabled(STREAM),
];

static LIVE_ROWS: [Parameter; 15] = [
    derived("prefix", LIVE, &Derived::Name, "The prefix of the location; equals its key"),
    Parameter {
        default: "true",
        always_shown: true,
        ..value(
            LIVE,
            &["publish_enabled"],
            &SWITCH,
            "Whether streams may be published here",
            "publish_enabled false;",
        )
    },
    derived(STATIC, LIVE, &Derived::NeverStatic, "Always false"),
    derived(POSITION, LIVE, &Derived::Position, "Place among the lives, from 1; setting it moves the block"),
    backend(LIVE, GLOBAL_AUTH, "Authorization backend of this location", "auth http://backend/publish;"),
    cluster_key(LIVE, GLOBAL_KEY, "Secret of this location, instead of the global one"),
    sources(LIVE, "Sources of what is published here"),
    prepush(LIVE),
    transcoder(LIVE),
    former_url_global(LIVE),
    derived("cluster_key_global", LIVE, &Derived::Global, "The global cluster_key; output only"),
    dvr(LIVE),
    title(LIVE),
    comment(LIVE),
    disabled(LIVE),
];

static PLUGIN_ROWS: [Parameter; 2] = [
    derived("name", PLUGIN, &Derived::Name, "The name of the plugin; equals its key"),
    derived(
        POSITION,
        PLUGIN,
        &Derived::Position,
        "Place among the plugins, from 1; setting it moves the block",
    ),
];

static SOURCE_ROWS: [Parameter; 1] =
    [derived(URL, SOURCE_MEMBERS, &Derived::Address, "The address of the source")];

static BACKEND_ROWS: [Parameter; 1] = [derived(
    URL_GLOBAL,
    BACKEND_MEMBERS,
    &Derived::Global,
    "In streams and lives: the global auth.url, where it is a string; output only",
)];

static TEMPLATE_ROWS: [Parameter; 9] = [
    sources(TEMPLATE, "Sources of the streams that it holds for; the first that works is played"),
    backend(
        TEMPLATE,
        GLOBAL_AUTH,
        "Authorization backend of the streams that it holds for",
        "auth http://backend/auth;",
    ),
    cluster_key(TEMPLATE, GLOBAL_KEY, "Secret of the sources, instead of the global one"),
    prepush(TEMPLATE),
    transcoder(TEMPLATE),
    dvr(TEMPLATE),
    title(TEMPLATE),
    comment(TEMPLATE),
    disabled(TEMPLATE),
];
