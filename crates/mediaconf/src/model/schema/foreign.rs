//! Directives of other servers of this family.

/// Directives that other servers of this family know. They are never taken for misspellings; one that
/// starts a line inside another directive is a sign of a missing `;`.
#[rustfmt::skip]
pub static FOREIGN_KEYWORDS: &[&str] = &[
    // At the top level.
    "access_log", "admin_auth", "admin_http", "admin_https", "api_allowed_from", "api_key", "application",
    "auth_backend", "balancer", "cache_storage", "central", "chassis", "cluster", "config_external",
    "daemon", "decklink", "dektec", "disk_cache", "dvb", "dvb_card", "dvbc", "dvbs", "dvbt", "dvr",
    "edit_allowed_from", "error_log", "event_sink", "events", "external", "file", "geoip", "group_config",
    "groups", "hostname", "http_proxy", "https", "include", "iptv", "layouter", "license", "listen",
    "location", "log_level", "logger", "login_acl", "mixer", "mosaic", "multicast_interface", "notify", "nvenc",
    "nvidia_monitor", "peer", "provider", "proxy", "proxy_pass", "pulsedb_url", "remote", "rewrite",
    "router", "rtmps", "rtsps", "sdi", "server_id", "server_name", "session_log", "sessions_keys", "sip",
    "source", "srt", "ssl_certificate", "ssl_certificate_key", "ssl_ciphers", "ssl_protocols", "stalker",
    "streamer_url", "template", "total_bandwidth", "transponder", "view_allowed_from", "vod", "vsaas",
    "web_script", "webrtc", "worker_processes",
    // In a stream, a template or a publishing location.
    "abr", "abr_stepdown", "access", "adbreak", "add_audio_only", "advertising", "allow_if",
    "allowed_countries", "api", "archive", "audio", "auth_token", "backup", "backup_stream", "cache",
    "chunk_duration", "chunk_size", "clients_timeout", "cluster_ingest", "cluster_publish", "cmaf",
    "comment", "cors", "cpix", "dash", "disabled", "domains", "drm", "dvr_limit", "dvr_offline",
    "dvr_replicate", "enabled", "epg", "exec", "exec_policy", "fallback", "gop_size", "headers", "hls",
    "hls_fragment", "hls_path", "hls_scte35", "hls_time", "inputs", "label", "labels", "logo", "m4f",
    "m4s", "max_bitrate", "max_sessions", "mbr_publish", "meta", "min_bitrate", "motion_detector",
    "mpegts", "mpegts_pids", "mss", "multicast", "multicast_loop", "no_prepush", "note", "on_done",
    "on_play", "on_publish", "onvif", "output_audio", "password", "pid", "pids", "play", "playlist",
    "pnr", "prefix", "protocols", "publish", "push", "record", "record_path",
    "retry", "retry_limit", "retry_timeout", "rtmp_publish", "rtp", "rtsp_publish", "schedule", "scte35",
    "segment_cache", "segment_count", "segment_duration", "segments", "server", "service_id",
    "session_keys", "sessions", "shoutcast", "source_timeout", "srt_play", "srt_port", "srt_publish",
    "static", "storage", "stream_key", "substyle", "subtitles", "tag", "thumbnails", "thumbnails_online",
    "timeshift", "title", "track", "tracks", "transcode_on_demand", "ttl", "udp", "url_prefix",
    "user_agent", "video", "vision", "webrtc_publish", "whep", "whip",
    // In other blocks.
    "active", "adapter", "address", "allow", "backend", "burst", "cache_time", "copy", "database", "days",
    "delivery_system", "deny", "diseqc", "disk", "disks", "endpoint", "except", "expiration", "frequency",
    "group", "host", "index", "interface", "key", "limit", "limits", "match", "mode", "modulation",
    "name", "only", "path", "paths", "polarization", "port", "priority", "private", "public", "quota",
    "raid", "rate", "replicate", "return", "rule", "symbol_rate", "timeout", "user", "value", "weight",
];
