//! Streams without a source.

use crate::syntax::{Diagnostic, Span};

/// The directives, beside the sources themselves, that say where a stream comes from: a template, a
/// publisher, another server, or a list of files.
const OTHERS: [&str; 12] = [
    "cluster_ingest",
    "inputs",
    "mixer",
    "mosaic",
    "onvif",
    "playlist",
    "publish",
    "publish_enabled",
    "rtmp_publish",
    "rtsp_publish",
    "source",
    "template",
];

/// True if a directive of a stream may stand for a source.
pub(super) fn supplies_source(keyword: &str) -> bool {
    OTHERS.contains(&keyword)
}

/// The warning about a stream, at its name.
#[cold]
pub(super) fn lacks_source(name: Span) -> Diagnostic {
    Diagnostic::warning(name, "the stream has no source").hint("add one like `url udp://239.0.0.1:1234;`")
}
