//! The vocabulary of both ends of the API: routes, query parameters, headers and features, problem
//! documents, and the OpenAPI document that is made from these tables.

pub mod headers;
pub mod masked;
pub mod notes;
pub mod openapi;
pub mod parameters;
pub mod problem;
pub mod routes;
