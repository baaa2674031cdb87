//! The members of a configuration that a view shows.

/// The members of a configuration that a view shows. Secrets are masked afterwards, in the JSON.
#[derive(Debug, Default, Clone)]
pub struct Lens {
    /// Leave out derived members: names, positions, global values.
    pub own_only: bool,
    /// Leave out streams with `static: true`.
    pub skip_static_streams: bool,
}
