//! The rows of media servers. Within a scope they stand in the order in which they are shown and written.

use std::sync::LazyLock;

use crate::schema::{
    AddressShape, BACKEND_URL, BITRATE, BlocksShape, CLUSTER_KEY_GLOBAL, Codec, DURATION, DVR_REFERENCE,
    Derived, DirectiveRole, FLAG, Keywords, Kind, LOG_LEVEL, ListShape, ObjectShape, OptionsShape, PERCENT,
    PORT, Parameter, Part, PartPlace, SCALAR, SECONDS, SWITCH, Schema, Scope, SourcesShape, TEXT, URL_GLOBAL,
    WordKind,
};

impl Scope {
    pub(super) fn table(self) -> &'static [Parameter] {
        static TABLES: LazyLock<[Vec<Parameter>; 7]> = LazyLock::new(|| {
            let of_stream = [STREAM, PLAYED, REPEATED, SHARED].concat();
            let of_live = [LIVE, PLAYED, REPEATED, SHARED].concat();
            let of_template = [TEMPLATE, PLAYED, SHARED].concat();
            [TOP.into(), of_stream, of_live, PLUGIN.into(), OF_SOURCE.into(), OF_BACKEND.into(), of_template]
        });
        TABLES.get(self as usize).map_or(&[], Vec::as_slice)
    }
}

/// `edit_auth LOGIN PASSWORD;`
static ACCOUNT: ObjectShape = ObjectShape {
    parts: &[
        part("login", &TEXT, PartPlace::Required),
        Part { secret: true, ..part("password", &TEXT, PartPlace::Required) },
    ],
    usual: "",
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
    usual: "replicate copy",
    usage: "ROOT or @NAME [90%] [5d] [OPTION...]",
    json_form: "{\"root\", \"reference\", \"disk_limit\", \"dvr_limit\", \"options\"}",
};

/// `http 80;`
static HTTP: ListShape = ListShape { key: "http", blocks: "http_options", takes_one: false };
static HTTPS: ListShape = ListShape { key: "https", blocks: "https_options", takes_one: true };
static ADMIN_HTTP: ListShape = ListShape { key: "admin_http", blocks: "admin_http_options", takes_one: true };
static ADMIN_HTTPS: ListShape =
    ListShape { key: "admin_https", blocks: "admin_https_options", takes_one: true };

/// `auth URL a=1 b;`: the options are strings, and a new one comes first.
static BACKEND: AddressShape = AddressShape {
    options: Some(Schema::EXTRA),
    members: Scope::Backend,
    kind: &TEXT,
    first: &BACKEND_URL,
    usual: "",
};

/// `url URL priority=1 flag;`
pub static SOURCE: AddressShape = AddressShape {
    options: None,
    members: Scope::Source,
    kind: &SCALAR,
    first: &TEXT,
    usual: "abr_loss_lower abr_loss_upper abr_mode abr_stepdown bitrate bitrates closed_captions cluster_key \
        frames_timeout headers key max_bitrate min_bitrate output_audio passphrase password pids priority program \
        programs retry_limit retry_timeout secret source_timeout stream_id stream_key subtitles timeout track tracks url \
        urls user_agent",
};

/// `transcoder vb=1024k ab=64k;`
static TRANSCODER: OptionsShape = OptionsShape {
    usual: "ab acodec burn copy crop deinterlace deviceid external fps gop hw hw=nvenc level logo open_gop preset \
        preset=fast preset=faster preset=medium preset=slow preset=slower preset=superfast preset=ultrafast \
        preset=veryfast preset=veryslow profile refs size split_channels threads vb vcodec",
    known: [("vb", "video_bitrate"), ("ab", "audio_bitrate")],
    kind: &BITRATE,
};

const fn part(key: &'static str, kind: &'static WordKind, place: PartPlace) -> Part {
    Part { key, kind, place, secret: false }
}

const fn derived(key: &'static str, what: &'static Derived, doc: &'static str) -> Parameter {
    Parameter::new(key, &[], what).doc(doc, "")
}

/// A parameter whose directive has one word.
const fn value(keywords: Keywords, kind: &'static WordKind) -> Parameter {
    Parameter { strict: kind.is_port, unit: kind.unit, ..row(keywords, kind) }
}

/// A parameter with the key that its first keyword is, too.
const fn row(keywords: Keywords, codec: &'static dyn Codec) -> Parameter {
    Parameter::new(keywords[0], keywords, codec)
}

const fn cluster_key() -> Parameter {
    Parameter { role: Some(DirectiveRole::ClusterKey), secret: true, ..value(&["cluster_key"], &TEXT) }
}

/// In a block, where the global one holds if it has none of its own.
const fn own_cluster_key(doc: &'static str) -> Parameter {
    Parameter { default: "the global `cluster_key`", ..cluster_key() }.doc(doc, "cluster_key SECRET;")
}

const fn account(keywords: Keywords, role: DirectiveRole) -> Parameter {
    Parameter { role: Some(role), strict: true, secret: true, ..row(keywords, &ACCOUNT) }
}

const fn auth() -> Parameter {
    Parameter { role: Some(DirectiveRole::Backend), strict: true, secret: true, ..row(&["auth"], &BACKEND) }
}

/// In a block, where the global one holds if it has none of its own.
const fn own_auth(doc: &'static str, example: &'static str) -> Parameter {
    Parameter { default: "the global `auth`", ..auth() }.doc(doc, example)
}

const fn group(kind: &'static Kind, keywords: Keywords) -> Parameter {
    Parameter { strict: true, always_shown: true, ..Parameter::new(kind.key(), keywords, kind) }
}

const fn position(doc: &'static str) -> Parameter {
    derived(Schema::POSITION, &Derived::Position, doc)
}

const fn sources(doc: &'static str) -> Parameter {
    let row = Parameter::new("urls", &["url", "input", "urls"], &SourcesShape);
    Parameter { role: Some(DirectiveRole::Sources), ..row }.doc(doc, "url udp://239.0.0.1:1234 priority=1;")
}

static TOP: &[Parameter] = &[
    Parameter { strict: true, always_shown: true, ..row(&["http"], &HTTP) }
        .doc("Ports and addresses of the HTTP server", "http 80;"),
    Parameter::new(HTTP.blocks, &[], &BlocksShape(&HTTP))
        .doc("Settings in the block of an http directive, by port", "http 80 { api false; }"),
    value(&["rtmp"], &PORT).doc("Port or address of the RTMP server", "rtmp 1935;"),
    value(&["rtsp"], &PORT).doc("Port or address of the RTSP server", "rtsp 554;"),
    value(&["snmp"], &PORT).doc("Port or address of the SNMP agent", "snmp 4000;"),
    value(&["mysql"], &PORT).doc("Port or address of the MySQL interface", "mysql 3306;"),
    value(&["loglevel"], &LOG_LEVEL).doc("How much the server logs", "loglevel debug;"),
    value(&["root", "wwwroot"], &TEXT).doc("Folder of static files", "root wwwroot;"),
    value(&["pulsedb"], &TEXT).doc("Folder of the statistics database", "pulsedb /var/lib/media;"),
    cluster_key().doc("Secret that the servers of a cluster share", "cluster_key SECRET;"),
    value(&["log_requests", "logrequests"], &SWITCH).doc("Whether requests are logged", "log_requests true;"),
    account(&["edit_auth"], DirectiveRole::Editor).doc(
        "Login and password of the account that may change the configuration",
        "edit_auth admin SECRET;",
    ),
    account(&["view_auth"], DirectiveRole::Viewer).doc(
        "Login and password of an account that may look, but change nothing",
        "view_auth viewer SECRET;",
    ),
    auth().doc(
        "Authorization backend of every stream that has none of its own",
        "auth http://backend/auth key=value;",
    ),
    row(&["https"], &HTTPS).doc("Ports and addresses of the HTTPS server", "https 443;"),
    Parameter::new(HTTPS.blocks, &[], &BlocksShape(&HTTPS))
        .doc("Settings in the block of an https directive, by port", "https 443 { api false; }"),
    row(&["admin_http"], &ADMIN_HTTP)
        .doc("Ports and addresses on which administrators use HTTP", "admin_http 8090;"),
    Parameter::new(ADMIN_HTTP.blocks, &[], &BlocksShape(&ADMIN_HTTP))
        .doc("Settings in the block of an admin_http directive, by port", "admin_http 8090 { api false; }"),
    row(&["admin_https"], &ADMIN_HTTPS)
        .doc("Ports and addresses on which administrators use HTTPS", "admin_https 8443;"),
    Parameter::new(ADMIN_HTTPS.blocks, &[], &BlocksShape(&ADMIN_HTTPS))
        .doc("Settings in the block of an admin_https directive, by port", "admin_https 8443 { api false; }"),
    row(&["rtmps"], &PORT).doc("Port or address of the RTMPS server", "rtmps 1936;"),
    row(&["rtsps"], &PORT).doc("Port or address of the RTSPS server", "rtsps 322;"),
    group(&Kind::Plugins, &["plugin"]).doc("Plugins, by name", "plugin iptv { database sqlite:///iptv.db; }"),
    group(&Kind::Lives, &["live"]).doc("Publishing locations, by prefix", "live mylive;"),
    group(&Kind::Streams, &["stream", "ondemand"])
        .doc("Streams, by name", "stream cam1 { url rtsp://camera/h264; }"),
    derived("runtime", &Derived::Runtime, "Figures of the running server; output only"),
    derived(
        Schema::WITH_INCLUDES,
        &Derived::Output("--with-includes"),
        "The files that read --with-includes shows; output only",
    ),
    derived(
        Schema::EFFECTIVE,
        &Derived::Output("--effective"),
        "Marks values of templates and of the top level that read --effective shows; output only",
    ),
];

static STREAM: &[Parameter] = &[
    derived("name", &Derived::Name, "The name of the stream; equals its key"),
    derived(Schema::STATIC, &Derived::Static, "Whether it always runs: true for stream, false for ondemand"),
    position("Place among the streams, from 1; setting it moves the block"),
    Parameter { always_shown: true, ..sources("Sources of the stream; the first that works is played") },
    own_auth("Authorization backend of this stream; auth false opens it to everybody", "auth false;"),
    own_cluster_key("Secret of this stream's source, instead of the global one"),
];

static LIVE: &[Parameter] = &[
    derived("prefix", &Derived::Name, "The prefix of the location; equals its key"),
    Parameter { default: "true", always_shown: true, ..value(&["publish_enabled"], &SWITCH) }
        .doc("Whether streams may be published here", "publish_enabled false;"),
    derived(Schema::STATIC, &Derived::NeverStatic, "Always false"),
    position("Place among the lives, from 1; setting it moves the block"),
    own_auth("Authorization backend of this location", "auth http://backend/publish;"),
    own_cluster_key("Secret of this location, instead of the global one"),
    sources("Sources of what is published here"),
];

/// In each block of a source.
static PLAYED: &[Parameter] = &[
    value(&["prepush"], &SECONDS)
        .doc("How much is buffered before playing starts; off buffers nothing", "prepush 5;"),
    Parameter { unit: BITRATE.unit, ..row(&["transcoder"], &TRANSCODER) }.doc(
        "Options of the transcoder, in order; vb is video_bitrate, ab is audio_bitrate, 64k is 64000",
        "transcoder vb=1024k ab=64k;",
    ),
];

static REPEATED: &[Parameter] = &[
    derived(URL_GLOBAL, &Derived::Former, "Ignored; an earlier version showed auth.url_global here"),
    derived(CLUSTER_KEY_GLOBAL, &Derived::Global, "The global cluster_key; output only"),
];

/// In each block of a source, behind all others.
static SHARED: &[Parameter] = &[
    Parameter { role: Some(DirectiveRole::Archive), ..row(&["dvr"], &DVR) }.doc(
        "Archive: `ROOT` is its folder, `@NAME` refers to a `dvr` of the top level; `90%` is how full the disk may \
         get, `5d` how long recordings are kept (in JSON 432000, in seconds)",
        "dvr /storage 90% 5d;",
    ),
    value(&["title"], &SCALAR).doc("Title that viewers see", "title \"Camera 1\";"),
    value(&["comment"], &SCALAR).doc("Remark for administrators", "comment \"north gate\";"),
    Parameter { role: Some(DirectiveRole::Disabled), default: "false", ..value(&["disabled"], &FLAG) }
        .doc("Whether it is switched off", "disabled;"),
];

static PLUGIN: &[Parameter] = &[
    derived("name", &Derived::Name, "The name of the plugin; equals its key"),
    position("Place among the plugins, from 1; setting it moves the block"),
];

static OF_SOURCE: &[Parameter] = &[derived("url", &Derived::Address, "The address of the source")];

static OF_BACKEND: &[Parameter] =
    &[derived(URL_GLOBAL, &Derived::Global, "In streams and lives: the global auth.url; output only")];

static TEMPLATE: &[Parameter] = &[
    sources("Sources of the streams that it holds for; the first that works is played"),
    own_auth("Authorization backend of the streams that it holds for", "auth http://backend/auth;"),
    own_cluster_key("Secret of the sources, instead of the global one"),
];
