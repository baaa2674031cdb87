//! The kinds of values that are one word of the text. Each is a file with its functions, its texts and its tests.

mod bitrate;
mod duration;
mod kind;
mod log_level;
mod percent;
mod port;
mod reference;
mod scalar;
mod seconds;
mod switch;
mod text;

pub use bitrate::BITRATE;
pub use duration::DURATION;
pub use kind::{Transport, WordKind, WrongValue};
pub use log_level::LOG_LEVEL;
pub use percent::PERCENT;
pub use port::{PORT, UDP_PORT};
pub use reference::DVR_REFERENCE;
pub use scalar::SCALAR;
pub use seconds::SECONDS;
pub use switch::{FLAG, SWITCH};
pub use text::TEXT;
