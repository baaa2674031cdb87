//! The signs of a missing `;` before another directive, and words that are no such sign. `lost` tries it in real files.

use super::found;

#[test]
fn a_keyword_that_starts_a_line_of_another_directive_is_a_sign_of_a_missing_semicolon() {
    for (text, line) in [
        ("pulsedb /var/lib/media\nhttp 80;\n", 2),
        ("session_log /var/log # of sessions\n\nstream a {\n}\n", 3),
        ("session_log /var/log\n  edit_auth admin pw;\n", 2),
        ("stream a {\n  url udp://239.0.0.1:1\n  dvr /storage 7d;\n}\n", 3),
        ("stream a { url udp://239.0.0.1:1\n  prepush 5;\n}\n", 2),
        ("template t {\n\tprefix t\n\turl publish://;\n}\n", 3),
        ("server api {\n  listen 80\n  location / {\n    root /x;\n  }\n}\n", 3),
        ("stream a {\n  thumbnails\n  publish_enabled;\n}\n", 3),
        ("stream a {\n  newest 5\n  latest_of 6;\n}\n", 3),
        ("stream a { url udp://239.0.0.1:1 prepush 5; }\n", 1),
        ("stream a { url udp://239.0.0.1:1 tcp dvr /storage 7d; }\n", 1),
        ("session_log /var/log http 80; stream a;\n", 1),
        ("stream a { transcoder vb=1k dvr /storage 7d; }\n", 1),
        ("stream a { title \"A 1\" url udp://239.0.0.1:1; }\n", 1),
    ] {
        let found = found(text);
        let is_seen = found.iter().any(|found| {
            found.starts_with(&format!("{line}:")) && found.contains("inside another directive")
        });
        assert!(is_seen, "{text}\n{found:#?}");
    }
}

#[test]
fn keywords_that_are_values_are_no_sign_of_a_missing_semicolon() {
    for text in [
        "stream auth {\n  url udp://1;\n}\nstream http {\n  url auth;\n}\nlive live;\nplugin stream;\n",
        "stream a {\n  url rtsp://x/root http=1 rtmp;\n}\n",
        "file http http://storage/prefix;\nfile stream {\n}\nserver root {\n}\n",
        "stream a {\n  protocols hls dash\n    rtmp\n    http;\n}\n",
        "stream a {\n  rtp udp;\n  only live stream auth;\n  meta title live;\n}\n",
        "auth_backend x {\n  allow token auth;\n  allow ip 10.0.0.0/8;\n}\n",
        "stream a {\n  transcoder vb=1024k\n    preset=fast\n    ab=64k;\n}\n",
        "stream a {\n  url udp://239.1.1.1:5000\n      priority=1 # first\n      timeout=5;\n}\n",
        "auth a.lua\nk=1\nroot=2;\n",
        "stream a\n{\n  url udp://239.0.0.1:1;\n}\n",
        "domains a.example\nhttp.example\n\"live\";\n",
        "dvr main root /storage limits 7d;\n",
        "newest a\nlatest;\nnewest a\n5 6;\nnewest a\n  latest 6;\n",
        "stream live udp://239.0.0.1:1 input;\nondemand root file://auth/live.mp4;\n",
    ] {
        let mut found = found(text);
        found.retain(|line| !line.ends_with("the stream has no source"));
        assert_eq!(found, [""; 0], "{text}");
    }
}
