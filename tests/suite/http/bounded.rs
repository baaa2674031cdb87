//! Problems name at most a hundred faults, and how many more there are.

use serde_json::Value;

use super::handler::{Server, TEXT, body};

fn bounded(answer: &Value, more: usize) {
    assert_eq!(answer["errors"].as_array().map(Vec::len), Some(100), "{answer:#}");
    assert_eq!(answer["detail"], format!("the request has these 100 faults and {more} more"));
}

#[test]
fn problems_have_at_most_a_hundred_faults_and_say_how_many_more() {
    let server = Server::over(TEXT);
    let text = format!("{TEXT}{}{}", "stray 1;;\n".repeat(500), "http x;\n".repeat(250));
    for operation in ["save_config", "update_config"] {
        bounded(&body(&server.post(operation, &text)), 150);
    }
    let members: Vec<String> = (0..250).map(|n| format!("\"s{n}\": {{\"prepush\": \"x\"}}")).collect();
    let patch = format!("{{\"streams\": {{{}}}}}", members.join(","));
    bounded(&body(&server.post("modify_config", &patch)), 150);
}
