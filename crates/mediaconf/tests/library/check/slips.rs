//! Slips that a person would see at once, and that a server takes for something else.

use super::found;

/// The text has exactly these diagnostics, each `LINE:COLUMN: SEVERITY: MESSAGE`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(found(text), expected, "{text}");
}

/// The text has one warning, at this place.
#[track_caller]
fn warns(text: &str, at: &str, message: &str) {
    check(text, &[&format!("{at}: warning: {message}")]);
}

/// Nothing is wrong with the text.
#[track_caller]
fn is_fine(text: &str) {
    check(text, &[]);
}

#[test]
fn one_port_or_address_twice_is_a_warning() {
    for (text, at, second, first) in [
        ("http 80;\nrtmp 81;\nhttp 80;\n", "3:6", "http 80", "http"),
        ("http 127.0.0.1:80;\nhttp 80;\nhttp \"127.0.0.1:80\";\n", "3:6", "http \"127.0.0.1:80\"", "http"),
        ("https 443;\nhttp 80;\nhttps 443;\n", "3:7", "https 443", "https"),
        ("http 80;\nhttp 80 {\n  api false;\n}\n", "2:6", "http 80", "http"),
        ("http 80;\nrtmp 80;\n", "2:6", "rtmp 80", "http"),
        ("rtsp 127.0.0.1:554;\nhttp 554;\n", "2:6", "http 554", "rtsp"),
        ("https 443;\nmysql 443;\n", "2:7", "mysql 443", "https"),
        ("http 80;\nhttps 0.0.0.0:80;\n", "2:7", "https 0.0.0.0:80", "http"),
        (&format!("http 80;\n# {}\nhttp 80;\n", "-".repeat(2 << 20)), "3:6", "http 80", "http"),
    ] {
        warns(text, at, &format!("`{second}` listens where `{first}` does"));
    }
    is_fine("http 80;\nhttp 8080;\nhttp 127.0.0.1:80;\nhttp 127.0.0.2:80;\nhttps 443;\n");
    // SNMP is UDP, and two addresses are two places.
    is_fine("http 80;\nsnmp 80;\nhttp 127.0.0.1:81;\nrtmp 127.0.0.2:81;\n");
}

#[test]
fn an_address_with_a_part_over_255_is_a_warning() {
    let message = "an address with a part over 255";
    for url in
        ["udp://239.0.0.256:1234", "rtsp://u:p@10.0.300.1/x", "srt://999.1.1.1:9?x=1", "zixi://1.2.3.1000"]
    {
        warns(&format!("stream a {{ url {url}; }}\n"), "1:16", message);
    }
    warns("http 127.0.0.256:80;\n", "1:6", message);
    warns("auth http://10.0.0.256/x;\n", "1:6", message);
    is_fine("stream a { url udp://239.0.0.255:1; url http://300.example.org/; url http://1.2.3.400.5/; }\n");
}

#[test]
fn a_source_without_a_scheme_is_a_warning() {
    let message = "a source without a scheme";
    for url in "9 rtsp//host 10.0.0.1 239.0.0.1:1234 192.168.0.7/h264 rtsp//u:P@h/x //u:P@h/x //h/x u:P@h/x \
                u:P@10.0.0.1:554/x"
        .split(' ')
    {
        warns(&format!("stream a {{ url {url}; }}\n"), "1:16", message);
        warns(&format!("stream a {url};\n"), "1:10", message);
    }
    // Names of peers and of files, and what may be a password.
    for url in "origin a.lua /storage/a.mp4 movies/a.mp4 C:/x 9@host 1.2.3 sip:u@h".split(' ') {
        is_fine(&format!("stream a {{ url {url}; }}\n"));
    }
}

#[test]
fn a_stream_without_a_source_is_a_warning() {
    let message = "the stream has no source";
    warns("stream a;\n", "1:8", message);
    warns("stream a {\n  prepush 5;\n}\nstream b udp://1;\n", "1:8", message);
    warns("ondemand a { title x; }\n", "1:10", message);
    for inner in ["url publish://;", "urls a b;", "publish_enabled true;", "template t;", "include x.inc;"] {
        let text = format!("stream a {{\n  title x;\n  {inner}\n}}\n");
        assert!(!found(&text).iter().any(|line| line.contains("no source")), "{text}");
    }
    is_fine("template t {\n  dvr /x 7d;\n}\nlive a;\nlive b { title x; }\nplugin c;\n");
}

#[test]
fn auth_with_a_word_for_off_or_nearly_false_is_a_warning() {
    for word in "off no none disabled of oof offs Off flase fasle fals falsee False FALSE \"flase\" \"false\""
        .split(' ')
    {
        let message = format!("`{}` is read as the URL of a backend", word.trim_matches('"'));
        warns(&format!("auth {word};\n"), "1:6", &message);
        warns(&format!("stream a {{\n  auth {word};\n  url udp://1;\n}}\n"), "2:8", &message);
        warns(&format!("live a {{ auth {word}; }}\n"), "1:15", &message);
    }
    for word in "false false.lua /false pulse else http://f x falcon".split(' ') {
        is_fine(&format!("auth {word};\n"));
    }
}

#[test]
fn a_url_whose_scheme_is_a_letter_off_is_a_warning() {
    for scheme in ["htp", "rstp", "upd", "tshttpp"] {
        let message = format!("`{scheme}:` is no known scheme");
        warns(&format!("stream a {{ url {scheme}:/x; }}\n"), "1:16", &message);
        warns(&format!("stream a {{ url {scheme}://x; }}\n"), "1:16", &message);
        warns(&format!("stream a {scheme}://x;\n"), "1:10", &message);
        warns(&format!("stream a {{ input {scheme}://x a=1; }}\n"), "1:18", &message);
        warns(&format!("stream a {{ url udp://1; push {scheme}://x; }}\n"), "1:30", &message);
    }
    warns("auth htp://backend/x;\n", "1:6", "`htp:` is no known scheme");
    for scheme in "m4f m4s hls2 hlss udp1 udp2 rtsp2 rtmpt rtmpe tshttps rtp srt https rtmps rtsps file fake \
                   playlist timeshift mosaic publish shoutcast copy ts tsudp dvb sdi ndi whip webrtc s3 ftp mss"
        .split(' ')
    {
        is_fine(&format!("stream a {{ url {scheme}://x; push {scheme}://y; }}\n"));
    }
}

#[test]
fn a_url_with_one_slash_is_a_warning() {
    warns("stream a { url http:/x; }\n", "1:16", "`http:/` lacks a `/`");
    warns("auth http:/x;\n", "1:6", "`http:/` lacks a `/`");
    warns("stream a { urls udp://1 zixi:/x; }\n", "1:25", "`zixi:/` lacks a `/`");
    warns("stream a { url rtsp:/u:p@h; }\n", "1:16", "`rtsp:/` lacks a `/`");
    for path in ["C:/x", "/x:/y", "a.lua", "auth://x", "x", "rtmp://", "publish://"] {
        is_fine(&format!("auth {path};\nauth_backend x {{\n}}\n"));
        is_fine(&format!("stream a {{ url {path}; }}\n"));
    }
}

#[test]
fn a_port_over_65535_in_a_string_is_seen() {
    let message = "a port over 65535";
    warns("stream a { url udp://239.0.0.1:70000; }\n", "1:16", message);
    warns("stream a { url rtsp://u:p@[::1]:65536/x?y:1; }\n", "1:16", message);
    warns("auth http://b:99999/;\n", "1:6", message);
    warns("stream a { url udp://1; push rtmp://h:80000/x; }\n", "1:30", message);
    for listener in ["rtmp", "http", "https", "rtmps", "rtsp", "snmp", "mysql"] {
        let found = found(&format!("{listener} \"127.0.0.1:70000\";\n"));
        assert!(found.len() == 1 && found[0].contains("a port from 0 to 65535"), "{found:?}");
    }
    is_fine("stream a { url udp://239.0.0.1:65535; url http://u:99999@h/x:99999; url file://a:12; }\n");
}

#[test]
fn forms_that_no_server_reads_and_blocks_with_one_name_are_warnings() {
    is_fine(
        "stream a {\n  url udp://1;\n  hds off;\n  transcoder vb=512000 hw=nvenc deinterlace ab=64k;\n}\n",
    );
    let form = "`https` has the wrong form: it takes a port from 0 to 65535, or HOST:PORT";
    warns("https 443 8443;\n", "1:11", form);
    let blocks = "template t { prepush 5; }\nsource t { url udp://1; }\ntemplate \"t\" { prepush 6; }\n";
    warns(blocks, "3:10", "the template `t` is defined twice");
    is_fine("dvr a { root /a; }\ndvr b { root /b; }\nfile a { path /a; }\n");
}

#[test]
fn include_is_a_warning_once() {
    let message = "this `include` is kept, but the files that it names are not checked";
    warns("http 80;\ninclude a.conf;\ninclude b.conf;\nstream a { include c; }\n", "2:1", message);
    check(
        "include a.conf;\nhttp 80\n",
        &["2:8: error: missing `;` at the end of the file", &format!("1:1: warning: {message}")],
    );
    is_fine("stream include {\n  url udp://1;\n}\n");
}

#[test]
fn a_slip_in_an_option_is_a_warning() {
    for (line, at, option) in [
        ("url udp://2 priorty=2", "1:37", "priorty"),
        ("url udp://2 Priority=2", "1:37", "Priority"),
        ("input udp://2 source_timeot=5", "1:39", "source_timeot"),
        ("transcoder vb=1k presett=fast", "1:42", "presett"),
        ("transcoder vb=1k preset=vryfast", "1:42", "preset=vryfast"),
        ("push rtmp://h/x retry_timout=5", "1:41", "retry_timout"),
        ("dvr /s 7d replcate", "1:35", "replcate"),
    ] {
        let text = format!("stream b {{ url udp://1; {line}; }}\n");
        warns(&text, at, &format!("`{option}` is no known option"));
    }
    warns("stream a udp://1 priorty=2;\n", "1:18", "`priorty` is no known option");
    for line in [
        "url udp://2 priority2=1 k=1 keep=1 track=1",
        "transcoder vbb=1 hw=nvenc2 preset=p4 sze=1",
        "push rtmp://h x=1",
    ] {
        is_fine(&format!("stream b {{ url udp://1; {line}; }}\n"));
    }
}

#[test]
fn a_slip_in_a_value_is_a_warning() {
    for (line, message) in [
        ("dvr /s 7dd", "`7dd` is read as an option"),
        ("dvr /s 7D", "`7D` is read as an option"),
        ("dvr /s 7days 90%", "`7days` is read as an option"),
        ("dvr @d 90%%", "`90%%` is read as an option"),
        ("dvr 7d", "`7d` is read as the root"),
        ("dvr 90% /s", "`90%` is read as the root"),
        ("auth http//b", "`http//` lacks a `:`"),
        ("auth \"false\"", "`false` is read as the URL of a backend"),
        ("push rtmp//h/x", "`rtmp//` lacks a `:`"),
    ] {
        let found = found(&format!("stream a {{ url udp://1; {line}; }}\ndvr d {{\n}}\n"));
        assert!(found.len() == 1 && found[0].ends_with(message), "{line}: {found:?}");
    }
    for line in ["dvr /s 5M 100G 5mb 7d", "dvr \"7d\" 5 7w 1d2h", "dvr /7d 7d", "auth a//b", "auth \"a.lua\""]
    {
        is_fine(&format!("stream a {{ url udp://1; {line}; }}\n"));
    }
    for level in ["verbose", "debgu", "DEBUG"] {
        warns(&format!("loglevel {level};\n"), "1:10", &format!("`{level}` is no known value"));
    }
    is_fine("loglevel warning;\nloglevel2 x;\n");
    is_fine("loglevel 7;\n");
}
