//! Hints about bodies in the form of something else: JSON where a text belongs, and HTML forms. The parser of patches says
//! so of a text where JSON belongs.

use serde::de::IgnoredAny;

use crate::error::ErrorKind;
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::Body;
use mediaconf::without_bom;

/// The number of bytes that are searched for the name of the first field.
const FIRST_FIELD: usize = 1024;

/// The header of a part of a multipart form.
const PART_HEADER: &[u8] = b"content-disposition: form-data";

/// Refuses a body that is an HTML form, or JSON where a text belongs; no valid body looks like one.
pub(super) fn refuse(wanted: Body, body: &[u8]) -> Result<(), Problem> {
    let (kind, noun) = match wanted {
        Body::None | Body::Checked => return Ok(()),
        Body::Patch | Body::Change => (ErrorKind::NotJson, "a JSON object"),
        Body::Text => (ErrorKind::BadConfig, "the text of a configuration"),
    };
    let body = without_bom(body).trim_ascii();
    let (sent, hint) = if wanted == Body::Text && is_json(body) {
        ("JSON", "send the text as it is: `curl --data-binary @FILE`; `modify_config` merges JSON")
    } else if is_form(body, wanted) {
        (
            "a form, as `curl -F` or `curl --data-urlencode` sends it",
            "send the content alone: `curl --data-binary @FILE`",
        )
    } else {
        return Ok(());
    };
    Err(Problem::new(kind, format!("the body is {sent}; it has to be {noun}")).hinted(hint.to_owned()))
}

fn is_json(body: &[u8]) -> bool {
    matches!(body.first(), Some(b'"' | b'{' | b'[')) && serde_json::from_slice::<IgnoredAny>(body).is_ok()
}

/// True for a multipart form, and for `name=value&…`. A configuration has characters that a form would encode.
fn is_form(body: &[u8], wanted: Body) -> bool {
    let start = &body[..body.len().min(FIRST_FIELD)];
    let is_header = |window: &[u8]| window.eq_ignore_ascii_case(PART_HEADER);
    if start.starts_with(b"--") && start.windows(PART_HEADER.len()).any(is_header) {
        return true;
    }
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.[]".contains(byte);
    let is_plain = |byte: &u8| byte.is_ascii_whitespace() || b";{}#\"'".contains(byte);
    let Some(end) = start.iter().position(|byte| *byte == b'=') else { return false };
    start[0].is_ascii_alphabetic()
        && start[..end].iter().all(is_of_name)
        && (wanted != Body::Text || !body.iter().any(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_and_json_are_told_from_what_operations_take() {
        let multipart = "--x1\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nhttp 80;\r\n--x1--\r\n";
        for (wanted, body, is_refused) in [
            (Body::Patch, "\u{feff}{\"rtmp\":1}", false),
            (Body::Patch, "[]", false),
            (Body::Text, " \"http 80;\\nrtmp 1;\"\r\n", true),
            (Body::Text, "\"\"", true),
            (Body::Text, "{\"rtmp\":1}", true),
            (Body::Text, "[]", true),
            (Body::Text, "\"http\" 80; # \"", false),
            (Body::Text, "", false),
            (Body::Patch, "data=%7B%22rtmp%22%3A1%7D", true),
            (Body::Patch, "data={\"rtmp\":1}", true),
            (Body::Patch, "a[b]=1&c=2\n", true),
            (Body::Patch, multipart, true),
            (Body::Patch, "{\"a\":\"b=c\"}", false),
            (Body::Patch, "", false),
            (Body::Patch, "=x", false),
            (Body::Text, "config=http+80%3B%0A", true),
            (Body::Text, multipart, true),
            (Body::Text, "a=b;", false),
            (Body::Text, "a=b c;", false),
            (Body::Text, "http 80;\nedit_auth a b=c;\n", false),
            (Body::Text, "# a=b", false),
            (Body::None, "data=%7B%7D", false),
        ] {
            assert_eq!(refuse(wanted, body.as_bytes()).is_err(), is_refused, "{body}");
        }
    }
}
