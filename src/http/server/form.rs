//! Hints for clients that send what other APIs take: HTML forms (`curl -F`, `curl --data-urlencode`), a
//! text as a JSON string, JSON where a text belongs, and `PUT`.

use serde::de::IgnoredAny;

use crate::engine::RefusalKind;
use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::{Body, Route};
use mediaconf::plumbing::edit::patch::without_bom;

/// The longest field name that a message repeats, in bytes.
const MAX_NAME: usize = 64;

/// The number of bytes that are searched for the header of the first part of a multipart form.
const FIRST_PART: usize = 1024;

/// The header of a part of a multipart form.
const PART_HEADER: &[u8] = b"content-disposition: form-data";

/// The hint for a method that the route does not take.
pub(super) fn method_hint(route: &Route, method: &str) -> String {
    let right = route.methods[0];
    match method {
        "PUT" if route.is_change() => {
            format!("use {right}: `curl --data-binary @FILE` sends it, where `curl -T FILE` sends PUT")
        }
        _ => format!("use {right}"),
    }
}

/// The hint for a body whose content is wrapped.
const AS_IT_IS: &str = "send the content alone, without a name and not encoded: `curl --data-binary @FILE`";

/// Refuses a body that is an HTML form, or JSON where none belongs; no valid body looks like one.
pub(super) fn refuse(route: &Route, body: &[u8]) -> Result<(), Problem> {
    let (kind, wanted) = match route.body {
        Body::None | Body::Checked => return Ok(()),
        Body::Patch | Body::Change => (RefusalKind::NotJson, "a JSON object"),
        Body::Text => (RefusalKind::BadConfig, "the text of a configuration"),
    };
    let Some((sent, hint)) = mistaken(body, route.body) else { return Ok(()) };
    let detail = format!("the body is {sent}; it has to be {wanted}");
    Err(Problem::new(kind, detail).hinted(hint.to_owned()))
}

/// Returns the description of a body that is not the wanted one, and the hint.
fn mistaken(body: &[u8], wanted: Body) -> Option<(String, &'static str)> {
    let text = without_bom(body).trim_ascii();
    let is_json = || serde_json::from_slice::<IgnoredAny>(text).is_ok();
    match text.first()? {
        b'"' if is_json() => Some(("a JSON string".to_owned(), AS_IT_IS)),
        b'{' | b'[' if wanted == Body::Text && is_json() => {
            Some(("JSON".to_owned(), "`modify_config` merges JSON"))
        }
        _ if is_multipart(body) => Some(("a multipart form, as `curl -F` sends it".to_owned(), AS_IT_IS)),
        _ => field(body, wanted).map(|name| {
            (format!("a form with the field `{name}`, as `curl --data-urlencode` sends it"), AS_IT_IS)
        }),
    }
}

/// Returns the name of the first field of `name=value&…`. A configuration has characters that a form
/// would encode, so it is no form.
fn field(body: &[u8], wanted: Body) -> Option<&str> {
    let body = body.trim_ascii();
    let end = body.iter().take(MAX_NAME).position(|byte| *byte == b'=')?;
    let (name, value) = (&body[..end], &body[end..]);
    let is_name = name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.[]".contains(byte));
    let is_plain = |byte: &u8| byte.is_ascii_whitespace() || b";{}#\"'".contains(byte);
    let is_form = is_name && (wanted != Body::Text || !value.iter().any(is_plain));
    is_form.then(|| std::str::from_utf8(name).ok()).flatten()
}

fn is_multipart(body: &[u8]) -> bool {
    let start = &body[..body.len().min(FIRST_PART)];
    start.starts_with(b"--")
        && start.windows(PART_HEADER.len()).any(|window| window.eq_ignore_ascii_case(PART_HEADER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::protocol::routes::ApiOperation;

    #[test]
    fn forms_and_json_are_told_from_what_operations_take() {
        let multipart = "--x1\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nhttp 80;\r\n--x1--\r\n";
        for (operation, body, is_refused) in [
            (ApiOperation::Modify, "\u{feff}\"{\\\"rtmp\\\":1}\"", true),
            (ApiOperation::Modify, "\u{feff}{\"rtmp\":1}", false),
            (ApiOperation::Modify, "[]", false),
            (ApiOperation::Save, " \"http 80;\\nrtmp 1;\"\r\n", true),
            (ApiOperation::Update, "\"\"", true),
            (ApiOperation::Update, "{\"rtmp\":1}", true),
            (ApiOperation::Save, "[]", true),
            (ApiOperation::Save, "\"http\" 80; # \"", false),
            (ApiOperation::Save, "", false),
            (ApiOperation::Modify, "data=%7B%22rtmp%22%3A1%7D", true),
            (ApiOperation::Modify, "data={\"rtmp\":1}", true),
            (ApiOperation::Modify, "a[b]=1&c=2\n", true),
            (ApiOperation::Modify, multipart, true),
            (ApiOperation::Modify, "{\"a\":\"b=c\"}", false),
            (ApiOperation::Modify, "", false),
            (ApiOperation::Modify, "=x", false),
            (ApiOperation::Save, "config=http+80%3B%0A", true),
            (ApiOperation::Save, multipart, true),
            (ApiOperation::Save, "a=b;", false),
            (ApiOperation::Save, "a=b c;", false),
            (ApiOperation::Save, "http 80;\nedit_auth a b=c;\n", false),
            (ApiOperation::Update, "# a=b", false),
            (ApiOperation::Rollback, "data=%7B%7D", false),
        ] {
            assert_eq!(refuse(operation.route(), body.as_bytes()).is_err(), is_refused, "{body}");
        }
    }
}
