//! The endpoints of the API. A new endpoint is a row in `protocol::routes` and a function here, for
//! which the compiler then asks.

mod changes;
mod check;
mod diffs;
mod monitoring;
mod read;
mod shown;
mod status;

use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::ApiOperation;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;

/// Answers the requests for one route.
pub type Endpoint = fn(&Context, &mut EndpointCall<'_>) -> Result<Response, Problem>;

/// Returns the endpoint of an operation.
pub fn endpoint(operation: ApiOperation) -> Endpoint {
    match operation {
        ApiOperation::Read => read::read,
        ApiOperation::Included => read::included,
        ApiOperation::Runtime => read::runtime,
        ApiOperation::Status => status::status,
        ApiOperation::Nodes => status::nodes,
        ApiOperation::Change => changes::change,
        ApiOperation::Modify => changes::modify,
        ApiOperation::Update => changes::update,
        ApiOperation::Save => changes::save,
        ApiOperation::SaveEntry => changes::save_entry,
        ApiOperation::Rollback => changes::rollback,
        ApiOperation::History => read::history,
        ApiOperation::Kept => read::kept,
        ApiOperation::Blame => read::blame,
        ApiOperation::Check => check::check,
        ApiOperation::Diff => diffs::diff,
        ApiOperation::Confirm => changes::confirm,
        ApiOperation::Cancel => changes::cancel,
        ApiOperation::OpenApi => monitoring::openapi,
        ApiOperation::Metrics => monitoring::metrics,
        ApiOperation::Health => monitoring::health,
    }
}
