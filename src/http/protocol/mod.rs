//! The vocabulary of both ends of the API: routes, query parameters, headers and features, problem
//! documents, fingerprints of certificates, and the OpenAPI document that is made from these tables.

pub mod bodies;
pub mod fingerprint;
pub mod headers;
pub mod masked;
pub mod notes;
pub mod parameters;
pub mod problem;
pub mod routes;
pub mod sudo;
