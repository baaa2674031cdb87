//! Answers with the content coding gzip (RFC 9110, 8.4.1.3): large ones, for clients that accept it. Those with
//! an `ETag` are compressed once.

use std::sync::{Arc, Mutex, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::http::server::entity_tag::of_gzip;
use crate::http::server::message::{Head, Response, ResponseBody};
use crate::store::Revision;

/// The fewest bytes of an answer that is compressed.
pub const LEAST: usize = 1024;

/// The most answers that are kept.
const MOST_KEPT: usize = 16;

/// The most bytes of all that are kept.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The last compressed answers.
#[derive(Debug, Default)]
pub struct CompressedAnswers(Mutex<Vec<Kept>>);

/// A compressed answer, and what it is made of.
#[derive(Debug)]
struct Kept {
    /// The hash of the answer: answers with the same `ETag` may differ, such as in the seconds that are left to confirm.
    plain: Revision,
    body: Arc<Vec<u8>>,
}

impl CompressedAnswers {
    /// The answer in the coding that the client accepts.
    pub fn coded(&self, head: &Head, mut response: Response) -> Response {
        response.headers.push(("Vary", "Accept-Encoding".to_owned()));
        let is_worth_it = response.body.length() > LEAST || response.status == 304;
        if !is_worth_it || !accepts_gzip(head) {
            return response;
        }
        let tag = response.headers.iter_mut().find(|(name, _)| *name == "ETag");
        let is_tagged = tag.is_some();
        if let Some((_, tag)) = tag {
            *tag = of_gzip(tag);
        }
        if response.status != 304 {
            response.body = match is_tagged && head.method != "POST" {
                true => self.compressed(&response.body.bytes()).into(),
                false => gzip(&response.body).into(),
            };
            response.headers.push(("Content-Encoding", "gzip".to_owned()));
        }
        response
    }

    fn compressed(&self, body: &Arc<Vec<u8>>) -> Arc<Vec<u8>> {
        let plain = Revision::from_text(body);
        if let Some(kept) = self.kept().iter().find(|kept| kept.plain == plain) {
            return kept.body.clone();
        }
        let body = Arc::new(gzip(&ResponseBody::Whole(body.clone())));
        let mut all = self.kept();
        all.push(Kept { plain, body: body.clone() });
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

fn gzip(body: &ResponseBody) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.length() / 8), Compression::default());
    body.write_to(&mut encoder).and_then(|()| encoder.finish()).expect("a vector takes everything")
}

/// True if a client takes gzip: it is named, or `*` is, and its weight is not zero.
fn accepts_gzip(head: &Head) -> bool {
    let codings = head.values("accept-encoding").flat_map(|list| list.split(','));
    let weights = codings.filter_map(|coding| {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let mut weights = parameters
            .split(';')
            .filter_map(|parameter| parameter.split_once('='))
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
            .map(|(_, weight)| weight.trim().parse::<f32>().ok());
        let weight = weights.next_back().unwrap_or(Some(1.0))?;
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

    fn asking(value: &str) -> Head {
        let headers = vec![("accept-encoding".to_owned(), value.to_owned())];
        let (method, target) = ("GET".to_owned(), "/".to_owned());
        Head { method, target, headers, peer: PeerAddress::Uid(0), is_secured: false, unread: false }
    }

    #[test]
    fn an_answer_with_the_same_tag_and_other_bytes_is_compressed_anew() {
        let answers = CompressedAnswers::default();
        let coded = |fill: u8| {
            let response = Response::ok("text/plain", vec![fill; 2 * LEAST]).with("ETag", "\"x\"".to_owned());
            answers.coded(&asking("gzip"), response).body.bytes()
        };
        let first = coded(b'a');
        assert_ne!(*first, *coded(b'b'));
        assert!(Arc::ptr_eq(&first, &coded(b'a')), "it is kept");
    }

    #[test]
    fn a_client_says_whether_it_takes_gzip() {
        for (value, expected) in [
            ("gzip", true),
            ("deflate, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0, *", false),
            ("gzip;Q=0", false),
            ("gzip ; x=1 ; q = 0.000", false),
            ("gzip;q=nan", false),
            ("gzip;q=-1", false),
            ("gzip;q=", false),
            ("*;q=0", false),
            ("gzip;q=0.001", true),
            (",,;;q=,gzip", true),
            ("identity", false),
            ("br;q=1", false),
            ("", false),
        ] {
            assert_eq!(accepts_gzip(&asking(value)), expected, "{value}");
        }
    }
}
