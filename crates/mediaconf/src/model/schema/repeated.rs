//! The forms of directives that the general rule shows.

/// True if each line of a directive with this keyword is a value of its own, which the general rule shows
/// as an element of a list.
pub fn repeats(keyword: &str) -> bool {
    matches!(
        keyword,
        "push" | "peer" | "backend" | "allow" | "deny" | "disk" | "card" | "input" | "meta" | "url"
    )
}

/// First words of such a line that say what the next word is.
pub static SELECTORS: &[&str] =
    &["ip", "country", "token", "ua", "user", "useragent", "user_agent", "domain", "all"];

/// True if the second word of each line of a directive with this keyword has the first word as its name:
/// an object gives such lines by name.
pub fn has_names(keyword: &str) -> bool {
    keyword == "meta"
}

/// True if a directive with this keyword has no words: false takes it away.
pub fn is_flag(keyword: &str) -> bool {
    keyword == "iptv"
}

/// True if blocks with this keyword at the top level have names, which differ.
pub fn has_named_blocks(keyword: &str) -> bool {
    matches!(keyword, "template" | "source" | "file" | "vod" | "dvr" | "auth_backend")
}

/// The protocol X of a member `X_off`.
pub fn protocol_of_switch(key: &str) -> Option<&str> {
    let protocols =
        ["cmaf", "dash", "hds", "hls", "m4f", "m4s", "mpegts", "mss", "rtmp", "rtsp", "srt", "webrtc"];
    key.strip_suffix("_off").filter(|protocol| protocols.contains(protocol))
}
