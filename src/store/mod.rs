//! The file.
