//! The forms of a configuration for those who may see no secret.

use mediaconf::plumbing::model::{Config, Lens, Masker, Members, masked_document, masked_json};
use mediaconf::plumbing::syntax::Document;

/// The masked form of a text; all masks in it are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskedForm {
    Text,
    /// The whole configuration on one line of JSON; only of a text without errors.
    Json,
    /// The same without static streams.
    JsonOfOthers,
}

impl MaskedForm {
    /// Writes this form.
    pub fn write(self, document: &Document, members: Members<'_>) -> Vec<u8> {
        let skip_static_streams = match self {
            Self::Text => return masked_document(document, &Masker::opaque()).into_bytes(),
            Self::Json => false,
            Self::JsonOfOthers => true,
        };
        let lens = Lens { skip_static_streams, ..Lens::default() };
        let masked = masked_json(&Config::from_members(members, lens).to_json(), &Masker::opaque());
        serde_json::to_vec(&masked).expect("JSON can be written")
    }
}
