//! What our own servers offer, as far as a client has to know it.

use mediaconf::edit;
use mediaconf::syntax::Document;
use mediactl::http::protocol::headers::{API_HEADER, NOTE_HEADER, api_value};

use super::bare::view;
use super::failures::problem;
use super::server::{Reply, Request, Server};
use crate::cli::SAMPLE;

/// A server of ours. `meanwhile` changes its text before a change is made.
pub fn ours(meanwhile: impl FnMut(&mut String) + Send + 'static) -> Server {
    ours_over(SAMPLE, meanwhile)
}

/// The same with another text in the file.
pub fn ours_over(saved: &str, mut meanwhile: impl FnMut(&mut String) + Send + 'static) -> Server {
    let (mut running, mut saved) = (SAMPLE.to_owned(), saved.to_owned());
    Server::start(move |request| {
        if request.method == "POST" {
            meanwhile(&mut running);
        }
        operate(request, &mut running, &mut saved).with(API_HEADER, api_value())
    })
}

fn operate(request: &Request, running: &mut String, saved: &mut String) -> Reply {
    let etag = |text: &str| format!("\"{:x}\"", xxhash_rust::xxh3::xxh3_64(text.as_bytes()));
    let shown = |text: &str| match request.has("format=conf") {
        true => Reply::of(200, text),
        false => Reply::of(200, view(text).to_string()),
    };
    if request.method == "GET" {
        let text = if request.has("source=saved") { &saved } else { &running };
        if request.headers.get("if-none-match").is_some_and(|known| *known == etag(text)) {
            return Reply::of(304, "");
        }
        return shown(text).with("ETag", etag(text));
    }
    if request.headers.get("if-match").is_some_and(|wanted| *wanted != etag(running)) {
        return problem(412, "stale", "it is another one");
    }
    let document = Document::parse(running.clone());
    let next = match request.path() {
        "/media/api/modify_config" => {
            let patch = serde_json::from_str(&request.body).expect("the client sends JSON");
            match edit::modify(&document, patch).expect("the patch fits") {
                Some(edit) if edit.removes_credentials && !request.has("force=true") => {
                    return problem(422, "would-remove-credentials", "no");
                }
                Some(edit) => document.with(&edit.splices).text().to_owned(),
                None => running.clone(),
            }
        }
        _ => request.body.clone(),
    };
    let answer = if request.path().contains("modify") { shown(&next) } else { Reply::of(200, "true") };
    if !request.has("dry_run=true") {
        *running = next;
        if !request.path().contains("update") {
            saved.clone_from(running);
        }
    }
    answer.with(NOTE_HEADER, "saved-earlier-update; something-new")
}
