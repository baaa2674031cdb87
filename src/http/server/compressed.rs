//! Answers with the content coding gzip (RFC 9110, 8.4.1.3): large ones, for clients that accept it. Those of a revision
//! are compressed once.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::http::server::entity_tag::of_gzip;
use crate::http::server::message::{Head, Response};

/// The fewest bytes of an answer that is compressed.
pub const LEAST: usize = 1024;

/// The most answers that are kept.
const MOST_KEPT: usize = 16;

/// The most bytes of all that are kept.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The compressed answers of the last revisions.
#[derive(Debug, Default)]
pub struct CompressedAnswers(Mutex<Vec<Kept>>);

/// A compressed answer, and what it is the answer to.
#[derive(Debug)]
struct Kept {
    /// The tag of what it shows, which differs between those who see secrets and those who do not.
    tag: String,
    /// Path and query of the request.
    target: String,
    body: Arc<Vec<u8>>,
}

impl CompressedAnswers {
    /// The answer in the coding that the client accepts.
    pub fn coded(&self, head: &Head, mut response: Response) -> Response {
        response.headers.push(("Vary", "Accept-Encoding".to_owned()));
        let is_worth_it = response.body.len() > LEAST || response.status == 304;
        if !is_worth_it || !accepts_gzip(head) {
            return response;
        }
        let tag = response.headers.iter_mut().find(|(name, _)| *name == "ETag");
        let plain = tag.as_ref().map(|(_, tag)| tag.clone());
        if let Some((_, tag)) = tag {
            *tag = of_gzip(tag);
        }
        if response.status != 304 {
            response.body = self.compressed(head, plain, &response.body);
            response.headers.push(("Content-Encoding", "gzip".to_owned()));
        }
        response
    }

    fn compressed(&self, head: &Head, tag: Option<String>, body: &[u8]) -> Arc<Vec<u8>> {
        let Some(tag) = tag.filter(|_| head.method != "POST") else { return Arc::new(gzip(body)) };
        let is_kept = |kept: &&Kept| kept.tag == tag && kept.target == head.target;
        if let Some(kept) = self.kept().iter().find(is_kept) {
            return kept.body.clone();
        }
        let body = Arc::new(gzip(body));
        let mut all = self.kept();
        all.push(Kept { tag, target: head.target.clone(), body: body.clone() });
        let bytes = |all: &[Kept]| all.iter().map(|kept| kept.body.len()).sum::<usize>();
        while all.len() > MOST_KEPT || bytes(&all) > MOST_BYTES {
            all.remove(0);
        }
        body
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 8), Compression::default());
    encoder.write_all(body).and_then(|()| encoder.finish()).expect("a vector takes everything")
}

/// True if a client takes gzip: it is named, or `*` is, and its weight is not zero.
fn accepts_gzip(head: &Head) -> bool {
    let codings = head.values("accept-encoding").flat_map(|list| list.split(','));
    let weights = codings.filter_map(|coding| {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let weight =
            parameters.trim().strip_prefix("q=").map_or(Some(1.0), |q| q.trim().parse::<f32>().ok())?;
        Some((name.trim().to_ascii_lowercase(), weight > 0.0))
    });
    let weights: Vec<(String, bool)> = weights.collect();
    let of = |wanted: &[&str]| {
        weights.iter().find(|(name, _)| wanted.contains(&&**name)).map(|(_, is_wanted)| *is_wanted)
    };
    of(&["gzip", "x-gzip"]).or_else(|| of(&["*"])).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::server::message::PeerAddress;

    #[test]
    fn a_client_says_whether_it_takes_gzip() {
        for (value, expected) in [
            ("gzip", true),
            ("deflate, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0, *", false),
            ("identity", false),
            ("br;q=1", false),
            ("", false),
        ] {
            let headers = vec![("accept-encoding".to_owned(), value.to_owned())];
            let (method, target) = ("GET".to_owned(), "/".to_owned());
            let head = Head { method, target, headers, peer: PeerAddress::Uid(0), unread: false };
            assert_eq!(accepts_gzip(&head), expected, "{value}");
        }
    }
}
