//! The HTTP API.

mod gate;
