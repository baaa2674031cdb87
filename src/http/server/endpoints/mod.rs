//! The endpoints of the API. A new endpoint is a row in `protocol::routes` and a function here, for
//! which the compiler then asks.

mod config;
mod confirm;
mod health;
mod history;
mod included;
mod metrics;
mod openapi;
mod shown;

use crate::http::protocol::problem::Problem;
use crate::http::protocol::routes::ApiOperation;
use crate::http::server::context::{Context, EndpointCall};
use crate::http::server::message::Response;

/// Answers the requests for one route.
pub type Endpoint = fn(&Context, &mut EndpointCall<'_>) -> Result<Response, Problem>;

/// Returns the endpoint of an operation.
pub fn endpoint(operation: ApiOperation) -> Endpoint {
    match operation {
        ApiOperation::Read => config::read,
        ApiOperation::Included => included::files,
        ApiOperation::Change => config::change,
        ApiOperation::Modify => config::modify,
        ApiOperation::Update => config::update,
        ApiOperation::Save => config::save,
        ApiOperation::Rollback => config::rollback,
        ApiOperation::History => history::list,
        ApiOperation::Kept => history::kept,
        ApiOperation::Confirm => confirm::confirm,
        ApiOperation::Cancel => confirm::cancel,
        ApiOperation::OpenApi => openapi::document,
        ApiOperation::Metrics => metrics::metrics,
        ApiOperation::Health => health::ok,
    }
}
