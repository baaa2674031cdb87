//! The second tier of the table: directives of other servers of this family.
//!
//! They are read and written by the general rule. A row says where such a directive stands in real files, in which form,
//! and what it does; it is the source of explanations, completion, near misses and a table of `media.conf(5)`.

/// A directive that other servers of this family know.
#[derive(Debug, Clone, Copy)]
pub struct ForeignKeyword {
    /// Its keyword, and others for the same.
    pub keywords: &'static [&'static str],
    /// The keywords of the blocks in which it stands; [`OUTSIDE`] is the top level.
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
    /// One line of documentation.
    pub doc: &'static str,
}

/// The form of one line of a foreign directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignForm {
    /// `push rtmp://host/app;`
    Words,
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

const TOP: &[&str] = &[OUTSIDE];
/// What holds for a stream may stand in what makes streams, too.
const STREAM: &[&str] = &["stream", "ondemand", "live", "template"];
const BOTH: &[&str] = &[OUTSIDE, "stream", "ondemand", "live", "template"];
const MEDIA: &[&str] = &["stream", "ondemand", "live", "template", "file", "vod"];
const FILE: &[&str] = &["file", "vod"];
const DVR: &[&str] = &["dvr"];
const RULES: &[&str] = &["auth_backend"];
const SOURCE: &[&str] = &["source"];
const PEER: &[&str] = &["peer"];
const CARD: &[&str] = &["dvb_card"];
const WEB: &[&str] = &["server", "location"];

impl ForeignKeyword {
    /// The keyword of a new line.
    pub fn keyword(&self) -> &'static str {
        self.keywords[0]
    }

    /// True if it may stand in the block of a directive with this keyword.
    pub fn stands_in(&self, block: &str) -> bool {
        self.within.contains(&block)
    }

    /// True if it has a block.
    pub fn is_block(&self) -> bool {
        matches!(self.form, ForeignForm::Block | ForeignForm::Named)
    }

    /// The places in which it stands, in words.
    pub fn places(&self) -> Vec<String> {
        let place = |block: &&str| match *block {
            OUTSIDE => "at the top level".to_owned(),
            block => format!("in `{block}`"),
        };
        self.within.iter().map(place).collect()
    }

    /// What stands behind the keyword.
    pub fn usage(&self) -> &'static str {
        match self.form {
            ForeignForm::Words if self.options => "words, and NAME=VALUE options",
            ForeignForm::Words => "words",
            ForeignForm::Pairs => "a NAME and a value",
            ForeignForm::Flag => "nothing",
            ForeignForm::Number => "a number",
            ForeignForm::Switch => "nothing, `off`, or words",
            ForeignForm::Block => "a block",
            ForeignForm::Named => "a NAME, and maybe a block",
        }
    }

    /// The type of its value in JSON, in short.
    pub fn value_type(&self) -> &'static str {
        match self.form {
            ForeignForm::Words if self.repeats => "word, or list of lines",
            ForeignForm::Words => "word, or list of words",
            ForeignForm::Pairs => "list of [name, value]",
            ForeignForm::Flag => "boolean",
            ForeignForm::Number => "integer",
            ForeignForm::Switch => "boolean, word, or list of words",
            ForeignForm::Block => "object",
            ForeignForm::Named => "object of objects",
        }
    }

    /// The form of one line in JSON.
    pub fn json_form(&self) -> &'static str {
        match self.form {
            ForeignForm::Words => "a word, or a list of words",
            ForeignForm::Pairs => "a list of [name, value]; a patch may give an object",
            ForeignForm::Flag => "true",
            ForeignForm::Number => "a number",
            ForeignForm::Switch => "true, or its words",
            ForeignForm::Block => "an object",
            ForeignForm::Named => "an object by name",
        }
    }
}

/// First words of such a line that say what the next word is.
pub static SELECTORS: &[&str] =
    &["ip", "country", "token", "ua", "user", "useragent", "user_agent", "domain", "all"];

/// The protocol X of a member `X_off`.
pub fn protocol_of_switch(key: &str) -> Option<&str> {
    let protocols =
        ["cmaf", "dash", "hds", "hls", "m4f", "m4s", "mpegts", "mss", "rtmp", "rtsp", "srt", "webrtc"];
    key.strip_suffix("_off").filter(|protocol| protocols.contains(protocol))
}

type Names = &'static [&'static str];

const fn row(keywords: Names, within: Names, form: ForeignForm, doc: &'static str) -> ForeignKeyword {
    let repeats = matches!(form, ForeignForm::Named);
    ForeignKeyword { keywords, within, form, repeats, options: false, secret: false, names_of: None, doc }
}

const fn words(keywords: Names, within: Names, doc: &'static str) -> ForeignKeyword {
    row(keywords, within, ForeignForm::Words, doc)
}

const fn flag(keywords: Names, within: Names, doc: &'static str) -> ForeignKeyword {
    row(keywords, within, ForeignForm::Flag, doc)
}

const fn number(keywords: Names, within: Names, doc: &'static str) -> ForeignKeyword {
    row(keywords, within, ForeignForm::Number, doc)
}

const fn switch(keywords: Names, within: Names, doc: &'static str) -> ForeignKeyword {
    row(keywords, within, ForeignForm::Switch, doc)
}

const fn block(keywords: Names, within: Names, doc: &'static str) -> ForeignKeyword {
    row(keywords, within, ForeignForm::Block, doc)
}

const fn named(keywords: Names, within: Names, doc: &'static str) -> ForeignKeyword {
    row(keywords, within, ForeignForm::Named, doc)
}

const fn repeated(row: ForeignKeyword) -> ForeignKeyword {
    ForeignKeyword { repeats: true, ..row }
}

const fn options(row: ForeignKeyword) -> ForeignKeyword {
    ForeignKeyword { options: true, ..row }
}

const fn secret(row: ForeignKeyword) -> ForeignKeyword {
    ForeignKeyword { secret: true, ..row }
}

const fn naming(names_of: &'static str, row: ForeignKeyword) -> ForeignKeyword {
    ForeignKeyword { names_of: Some(names_of), ..row }
}

/// The documentation of a row that real files have, and no page explains.
const UNCERTAIN: &str = "Known of other servers of this family; its meaning is not certain";

/// Directives that other servers of this family know. They are never taken for misspellings; one that
/// starts a line inside another directive is a sign of a missing `;`.
#[rustfmt::skip]
pub static FOREIGN_KEYWORDS: &[ForeignKeyword] = &[
    // At the top level.
    words(&["access_log"], &[OUTSIDE, "server", "location"], "File in which requests are logged"),
    words(&["admin_auth"], TOP, "Login and password of an administrator, as other servers of this family write it"),
    words(&["api_allowed_from"], TOP, "Addresses from which the API may be called"),
    secret(words(&["api_key"], TOP, "Key of an API")),
    named(&["application"], &[OUTSIDE, "server"], "Application of an RTMP server, by name"),
    named(&["auth_backend"], TOP, "Named set of authorization backends and rules, to which `auth://NAME` refers"),
    named(&["balancer"], TOP, "Distributes viewers over several servers; by name"),
    words(&["cache_storage"], TOP, "Folder and limits of a cache"),
    words(&["central"], TOP, UNCERTAIN),
    words(&["chassis"], TOP, UNCERTAIN),
    words(&["cluster"], TOP, "Cluster of which the server is a member"),
    words(&["config_external"], TOP, "Address of a program that decides on streams that are not in the file"),
    words(&["daemon"], TOP, "Whether the server runs in the background"),
    words(&["decklink"], BOTH, "Settings of a DeckLink card"),
    words(&["dektec"], BOTH, "Settings of a Dektec card"),
    words(&["disk_cache"], BOTH, "Folder and limits of a cache on disk"),
    words(&["dvb"], BOTH, "Settings of DVB reception"),
    named(&["dvb_card"], TOP, "DVB card and its tuning, by name"),
    words(&["dvbc"], BOTH, "Settings of DVB reception by cable"),
    words(&["dvbs"], BOTH, "Settings of DVB reception by satellite"),
    words(&["dvbt"], BOTH, "Settings of terrestrial DVB reception"),
    named(&["dvr"], &[OUTSIDE, "source"], "Named archive at the top level, to which `dvr @NAME` refers; in a `source` the archive of its streams"),
    words(&["edit_allowed_from"], TOP, "Addresses from which the configuration may be changed"),
    words(&["error_log"], &[OUTSIDE, "server", "location"], "File in which errors are logged"),
    named(&["event_sink"], TOP, "Receiver of events, by name"),
    words(&["events"], BOTH, "Receiver of events"),
    words(&["external"], TOP, UNCERTAIN),
    named(&["file", "vod"], TOP, "Files that are played on demand, by the prefix of their URL"),
    words(&["geoip"], TOP, "Country for rules by country; seen with a code such as `RU`"),
    words(&["group_config"], TOP, UNCERTAIN),
    words(&["groups"], TOP, UNCERTAIN),
    words(&["hostname"], TOP, "Name of this server"),
    words(&["http_proxy"], BOTH, "Proxy through which requests go out"),
    repeated(words(&["include"], &[OUTSIDE, "stream", "ondemand", "live", "template", "server", "location"], "File whose text stands in this place; several are several lines")),
    flag(&["iptv"], TOP, "Switches the middleware for IPTV on"),
    words(&["layouter"], BOTH, "Settings of a stream that combines several pictures"),
    secret(words(&["license"], TOP, "License key of the server")),
    words(&["listen"], &[OUTSIDE, "server"], "Port or address on which a web server listens, one on a line"),
    named(&["location"], &[OUTSIDE, "server", "location"], "Part of a web server, by the prefix of the URL"),
    words(&["log_level"], TOP, "How much the server logs"),
    words(&["logger"], TOP, "Settings of the log"),
    words(&["login_acl"], TOP, UNCERTAIN),
    words(&["mixer"], BOTH, "Settings of a stream that is mixed from others"),
    words(&["mosaic"], BOTH, "Settings of a stream that shows several others at once"),
    words(&["multicast_interface"], BOTH, "Network interface for multicast"),
    words(&["notify"], BOTH, "Receiver of events, or program that is told of them"),
    words(&["nvenc"], BOTH, "Settings of the encoder on Nvidia cards"),
    words(&["nvidia_monitor"], TOP, "Whether the load of Nvidia cards is watched"),
    repeated(words(&["peer"], TOP, "Another server of the cluster, one on a line, by its host name")),
    named(&["provider"], TOP, "Provider of streams, by name"),
    words(&["proxy"], BOTH, "Server from or to which requests are passed on"),
    words(&["proxy_pass"], WEB, "Server to which requests are passed on"),
    words(&["pulsedb_url"], TOP, "Address of the statistics database"),
    named(&["remote"], TOP, "Another server, by name"),
    words(&["rewrite"], BOTH, "Replaces one name or URL by another"),
    words(&["router"], TOP, "Sends requests for streams to other servers"),
    words(&["sdi"], BOTH, "Settings of an SDI card"),
    words(&["server_id"], TOP, "Identifier of this server"),
    words(&["server_name"], &[OUTSIDE, "server"], "Name of a web server; a request is sent to it by its host name"),
    words(&["session_log"], TOP, "Folder in which sessions are logged"),
    words(&["sessions_keys"], BOTH, "What tells one session from another"),
    words(&["sip"], BOTH, "Settings of calls by SIP"),
    named(&["source"], TOP, "Server whose streams are restreamed, by its host name"),
    words(&["srt"], BOTH, "Port of the SRT server"),
    words(&["ssl_certificate"], &[OUTSIDE, "server"], "File of the certificate"),
    words(&["ssl_certificate_key"], &[OUTSIDE, "server"], "File of the private key of the certificate"),
    words(&["ssl_ciphers"], &[OUTSIDE, "server"], "Ciphers that are accepted"),
    words(&["ssl_protocols"], &[OUTSIDE, "server"], "Versions of TLS that are accepted"),
    words(&["stalker"], &[OUTSIDE, "plugin"], "Settings of the Stalker middleware"),
    words(&["streamer_url"], &[OUTSIDE, "plugin"], "Address of the streaming server, as players see it"),
    naming("template", named(&["template"], &[OUTSIDE, "stream", "ondemand", "live"], "Settings that streams share, by name; in a stream the name of the one that holds")),
    number(&["total_bandwidth"], TOP, "Largest traffic of the whole server"),
    words(&["transponder"], &[OUTSIDE, "dvb_card"], "Transponder that a DVB card receives"),
    words(&["view_allowed_from"], TOP, "Addresses from which the server may be looked at"),
    block(&["vsaas"], TOP, "Settings of video surveillance as a service"),
    options(words(&["web_script"], TOP, "Script that answers requests, by name, with its file and options")),
    words(&["webrtc"], BOTH, "Settings of playing and publishing by WebRTC"),
    words(&["worker_processes"], TOP, "Number of worker processes, or `auto`"),
    // In a stream, a template or a publishing location.
    words(&["abr"], STREAM, "Settings of adaptive bitrate"),
    words(&["abr_stepdown"], STREAM, UNCERTAIN),
    words(&["access"], MEDIA, "Who may watch"),
    words(&["adbreak"], STREAM, "Settings of breaks for advertisements"),
    flag(&["add_audio_only"], MEDIA, "Adds a variant with sound alone to HLS playlists"),
    words(&["advertising"], MEDIA, "Settings of advertisements"),
    words(&["allow_if"], MEDIA, "Condition under which watching is allowed"),
    words(&["allowed_countries"], MEDIA, "Codes of the countries from which watching is allowed"),
    switch(&["api"], &["http", "https", "stream", "ondemand", "live", "template", OUTSIDE], "Whether the API is offered; in the block of `http` on that port"),
    words(&["archive"], STREAM, "Folder and limits of recordings, as other servers of this family write it"),
    words(&["audio"], STREAM, "Settings of the sound"),
    secret(words(&["auth_token"], MEDIA, "Token that is asked for")),
    options(words(&["backup"], STREAM, "What is played while no source works, with its options")),
    naming("stream", words(&["backup_stream"], STREAM, "Stream that is played while no source works")),
    options(words(&["cache"], &["stream", "ondemand", "live", "template", "file", "vod", "plugin", "source", OUTSIDE], "Folder of a cache, its age and its size")),
    words(&["chunk_duration"], MEDIA, "Length of a chunk of a segment"),
    words(&["chunk_size"], BOTH, "Size of a chunk"),
    number(&["clients_timeout"], STREAM, "Time after which a stream without viewers stops, in seconds"),
    switch(&["cluster_ingest"], STREAM, "Makes one server of the cluster take the source, and another if that fails"),
    words(&["cluster_publish"], STREAM, "Sends a published stream on to other servers of the cluster"),
    switch(&["cmaf"], MEDIA, "Whether CMAF is played, with its options; seen as `on webrtc_abr`"),
    words(&["comment"], TOP, "Remark for administrators"),
    words(&["cors"], BOTH, "Headers for requests from other sites"),
    words(&["cpix"], MEDIA, "Exchange of keys for protection by CPIX"),
    switch(&["dash"], MEDIA, "Whether DASH is played"),
    words(&["domains"], MEDIA, "Sites on whose pages the player may stand"),
    options(words(&["drm"], MEDIA, "System that protects the content, with its options")),
    words(&["dvr_limit"], STREAM, "How long recordings are kept"),
    options(words(&["dvr_offline"], STREAM, "Archive that is offered, but not recorded now: its folder and limits")),
    words(&["dvr_replicate"], STREAM, "Copies recordings from another server"),
    switch(&["enabled"], STREAM, "Switched on"),
    words(&["epg"], STREAM, "Programme guide"),
    words(&["exec"], STREAM, "Program that is run"),
    words(&["exec_policy"], STREAM, "When or for whom a program is run; seen as `everyone`"),
    words(&["fallback"], STREAM, "What is played while no source works"),
    number(&["gop_size"], STREAM, "Number of frames from one key frame to the next"),
    options(words(&["headers"], STREAM, "Headers of requests")),
    switch(&["hds"], MEDIA, "Whether HDS is played"),
    switch(&["hls"], MEDIA, "Whether HLS is played, or the folder of its files"),
    number(&["hls_fragment"], STREAM, "Length of a fragment of HLS"),
    words(&["hls_path"], STREAM, "Folder of the files of HLS"),
    words(&["hls_scte35"], MEDIA, "How SCTE-35 marks are shown in HLS"),
    number(&["hls_time"], STREAM, "Length of a segment of HLS"),
    words(&["inputs"], STREAM, "Sources, as other servers of this family write them"),
    words(&["label"], STREAM, "Label of the stream"),
    options(words(&["labels"], STREAM, "Labels of the stream")),
    options(words(&["logo"], STREAM, "Picture that is shown over the video, with its place")),
    switch(&["m4f"], MEDIA, "Whether the protocol M4F between servers is offered"),
    switch(&["m4s"], MEDIA, "Whether the protocol M4S between servers is offered"),
    number(&["max_bitrate"], BOTH, "Largest bitrate of a stream that is published or played"),
    number(&["max_sessions"], BOTH, "Largest number of viewers at a time"),
    words(&["mbr_publish"], STREAM, "Publishes several bitrates as one stream"),
    repeated(row(&["meta"], MEDIA, ForeignForm::Pairs, "A name and a value that are shown with the stream, one pair on a line")),
    number(&["min_bitrate"], BOTH, "Smallest bitrate"),
    words(&["motion_detector"], STREAM, "Finds movement in the picture"),
    switch(&["mpegts"], MEDIA, "Whether MPEG-TS over HTTP is played"),
    options(words(&["mpegts_pids"], STREAM, "Identifiers of the tracks in MPEG-TS")),
    switch(&["mss"], MEDIA, "Whether Smooth Streaming is played"),
    words(&["multicast"], STREAM, "Address to which the stream is sent by multicast"),
    switch(&["multicast_loop"], BOTH, "Whether this server receives its own multicast"),
    flag(&["no_prepush"], STREAM, "Buffers nothing before playing starts"),
    words(&["note"], STREAM, "Remark for administrators"),
    words(&["on_done"], &["stream", "ondemand", "live", "template", "application"], "Address or program that is told that a stream has ended"),
    words(&["on_play"], &[OUTSIDE, "stream", "ondemand", "live", "template", "file", "vod", "application"], "Backend that decides who may watch"),
    words(&["on_publish"], &[OUTSIDE, "stream", "ondemand", "live", "template", "application"], "Backend that decides who may publish"),
    words(&["onvif"], STREAM, "Settings of a camera that is found and controlled by ONVIF"),
    words(&["output_audio"], STREAM, "Codecs of the sound that is played"),
    secret(words(&["password"], BOTH, "Password for publishing or watching")),
    words(&["pid"], STREAM, "Identifier of a track in MPEG-TS"),
    words(&["pids"], STREAM, "Identifiers of tracks in MPEG-TS"),
    switch(&["play"], &["stream", "ondemand", "live", "template", "application"], "Whether or how the stream is played"),
    words(&["playlist"], STREAM, "File with what is played, in order"),
    words(&["pnr"], STREAM, "Number of the programme in MPEG-TS"),
    words(&["prefix"], &["template"], "Beginning of the names of streams for which the template holds"),
    words(&["protocols"], MEDIA, "Protocols that are played; one with `-` in front is switched off"),
    words(&["publish"], STREAM, "Whether or as what the stream may be published"),
    options(repeated(words(&["push"], BOTH, "Address to which the stream is sent, one on a line, with options such as `retry_timeout=5`"))),
    words(&["record"], &["stream", "ondemand", "live", "template", "application"], "What is recorded"),
    words(&["record_path"], &["stream", "ondemand", "live", "template", "application"], "Folder of recordings"),
    words(&["retry"], STREAM, "How often or how long something is tried again"),
    number(&["retry_limit"], STREAM, "How often something is tried again"),
    number(&["retry_timeout"], STREAM, "Time until something is tried again, in seconds"),
    words(&["rtmp_publish"], STREAM, "Whether the stream may be published by RTMP"),
    words(&["rtp"], STREAM, "Transport of RTP; seen as `udp`"),
    words(&["rtsp_publish"], STREAM, "Whether the stream may be published by RTSP"),
    words(&["schedule"], STREAM, "Times at which something is played or recorded"),
    words(&["scte35"], STREAM, "How SCTE-35 marks are handled"),
    options(words(&["segment_cache"], FILE, "Folder of a cache of segments, its size, its age and its options")),
    number(&["segment_count"], MEDIA, "Number of segments in a playlist"),
    number(&["segment_duration"], MEDIA, "Length of a segment, in seconds"),
    number(&["segments"], MEDIA, "Number of segments in a playlist"),
    named(&["server"], TOP, "Web server, by name or with its own ports"),
    words(&["service_id"], STREAM, "Number of the service in MPEG-TS"),
    words(&["session_keys"], BOTH, "What tells one session from another"),
    words(&["sessions"], BOTH, "Settings of sessions"),
    words(&["shoutcast"], MEDIA, "Whether the sound is played by SHOUTcast"),
    words(&["source_timeout"], STREAM, "Time without frames after which a source counts as lost, in seconds"),
    words(&["srt_play"], STREAM, "Port and options for playing by SRT"),
    number(&["srt_port"], STREAM, "Port of SRT for this stream"),
    block(&["srt_publish"], STREAM, "Settings of publishing by SRT, such as `port`"),
    switch(&["static"], &["file", "vod"], "Whether it always runs"),
    words(&["storage"], &[OUTSIDE, "file", "vod", "stream", "ondemand", "live", "template"], "Folder of files"),
    secret(words(&["stream_key"], STREAM, "Key for publishing")),
    words(&["substyle"], MEDIA, UNCERTAIN),
    words(&["subtitles"], MEDIA, "Settings of subtitles"),
    words(&["tag"], STREAM, "Label of the stream"),
    options(switch(&["thumbnails"], MEDIA, "Whether pictures of the stream are made, maybe from an address, with options")),
    switch(&["thumbnails_online"], MEDIA, "Whether pictures are made when they are asked for"),
    words(&["timeshift"], STREAM, "Time by which the stream is played later"),
    words(&["title"], TOP, "Title that viewers see"),
    words(&["track"], STREAM, "Track that is played"),
    words(&["tracks"], STREAM, "Tracks that are played; seen as `v1 a1`"),
    switch(&["transcode_on_demand"], STREAM, "Transcodes only while somebody watches"),
    number(&["ttl"], STREAM, "Number of routers that a multicast may pass"),
    options(words(&["udp"], STREAM, "Address to which the stream is sent by UDP")),
    words(&["url_prefix"], MEDIA, "Beginning of the addresses in playlists"),
    words(&["user_agent"], BOTH, "Name under which the server asks for sources"),
    words(&["video"], STREAM, "Settings of the picture"),
    words(&["vision"], STREAM, "Settings of the recognition of objects"),
    words(&["webrtc_publish"], STREAM, "Settings of publishing by WebRTC"),
    words(&["whep"], STREAM, "Settings of playing by WHEP"),
    words(&["whip"], STREAM, "Settings of publishing by WHIP"),
    // In other blocks.
    words(&["active"], DVR, UNCERTAIN),
    words(&["adapter"], CARD, "Number of the adapter"),
    words(&["address"], PEER, "Address of a server"),
    repeated(words(&["allow"], &["auth_backend", "server", "location"], "Lets in who fits, such as `ip 127.0.0.1`, one rule on a line")),
    repeated(words(&["backend"], RULES, "Address that is asked who may watch, one on a line")),
    words(&["burst"], WEB, "Number of requests above the limit that are accepted"),
    words(&["cache_time"], FILE, "Time for which something stays in a cache"),
    repeated(words(&["card"], &[OUTSIDE, "stream", "ondemand", "template"], "Card of the hardware, one on a line")),
    words(&["copy"], DVR, "Folder or server to which recordings are copied"),
    words(&["database"], &["plugin", "vsaas"], "Address of the database"),
    words(&["days"], DVR, UNCERTAIN),
    words(&["delivery_system"], CARD, "Standard of DVB"),
    repeated(words(&["deny"], &["auth_backend", "server", "location"], "Turns away who fits, such as `country GB`, one rule on a line")),
    words(&["diseqc"], CARD, "Position of the DiSEqC switch"),
    repeated(words(&["disk"], DVR, "Disk of an archive, one on a line")),
    words(&["disks"], DVR, "Disks of an archive"),
    words(&["endpoint"], &["vsaas"], "Whether this server answers for the service; seen as `enabled`"),
    words(&["except"], SOURCE, "Names of streams that are not taken from the server"),
    words(&["expiration"], DVR, UNCERTAIN),
    words(&["frequency"], CARD, "Frequency of the transponder"),
    words(&["group"], SOURCE, UNCERTAIN),
    words(&["host"], PEER, "Name or address of a server"),
    words(&["index"], &["server", "location", "dvr"], "File that stands for a folder, or the index of an archive"),
    words(&["interface"], CARD, "Network interface or tuner"),
    secret(words(&["key"], PEER, "Key of a cluster or of a service")),
    words(&["limit"], DVR, "Limit of size, age or number"),
    words(&["limits"], DVR, "Limits of size, age or number"),
    words(&["match"], RULES, UNCERTAIN),
    words(&["mode"], &["vsaas"], "Way of running; seen as `service`"),
    words(&["modulation"], CARD, "Modulation of the transponder"),
    words(&["name"], &[OUTSIDE, "stream", "ondemand", "live", "template"], "A name; where the key of the block is a name, its JSON key is `@name`"),
    words(&["only"], SOURCE, "Names of the streams that are taken from the server"),
    words(&["path"], FILE, "Folder or address of the files"),
    words(&["paths"], FILE, "Folders of the files"),
    words(&["polarization"], CARD, "Polarization of the transponder"),
    words(&["port"], &["srt_publish", "srt_play", "peer"], "A port"),
    words(&["priority"], SOURCE, "Which goes before another"),
    words(&["private"], PEER, "Address of a server inside the cluster"),
    words(&["public"], PEER, "Address of a server for viewers"),
    words(&["quota"], DVR, "Largest size"),
    words(&["raid"], DVR, "How the disks of an archive are used together"),
    words(&["rate"], WEB, "Largest number in a time"),
    words(&["replicate"], DVR, "Copies recordings from or to another server"),
    words(&["return"], WEB, "Status or address that is answered"),
    repeated(words(&["rule"], RULES, "A rule, one on a line")),
    words(&["symbol_rate"], CARD, "Symbol rate of the transponder"),
    words(&["timeout"], &["auth_backend", "peer", "source"], "Time after which an answer is no longer waited for"),
    words(&["user"], &["auth_backend", "peer"], "Name of a user"),
    words(&["value"], RULES, UNCERTAIN),
    words(&["weight"], PEER, "Share of the load"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;
    use crate::schema::media::{LIVE, PLUGIN, STREAM as STREAM_SCOPE, TEMPLATE, TOP as TOP_SCOPE};

    #[test]
    fn no_row_stands_where_a_parameter_is_known() {
        let scopes = [TOP_SCOPE, STREAM_SCOPE, LIVE, TEMPLATE, PLUGIN];
        for (row, scope) in FOREIGN_KEYWORDS.iter().flat_map(|row| scopes.map(|scope| (row, scope))) {
            let is_known = |name: &&str| scope.by_keyword(name).is_some();
            let known = row.keywords.iter().find(|name| scope.may_hold(row) && is_known(name));
            assert_eq!(known, None, "{scope:?}");
        }
    }

    #[test]
    fn every_row_says_where_it_stands_and_what_it_does() {
        let mut known = std::collections::HashSet::new();
        for row in FOREIGN_KEYWORDS {
            let name = row.keyword();
            assert!(!row.within.is_empty() && !row.doc.is_empty() && !row.doc.ends_with('.'), "{name}");
            assert!(row.doc.starts_with(|c: char| c.is_uppercase()), "{name}: {}", row.doc);
            for keyword in row.keywords {
                assert!(known.insert(keyword), "`{keyword}` has two rows");
                assert_eq!(Schema::media().foreign(keyword).map(ForeignKeyword::keyword), Some(name));
            }
        }
    }
}
